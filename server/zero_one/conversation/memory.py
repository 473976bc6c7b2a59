"""What a conversation must not lose: its history and its mailbox on the disk, and what was confirmed to the device."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from pathlib import Path

from zero_one.conversation import phrases
from zero_one.conversation.mailbox import Mailbox, Slip, safe_name
from zero_one.interpreter.history import History
from zero_one.protocol.events import Received, ServerEvent


class Memory:
    """``emit`` sends to the device; ``tell`` says that something could not be saved: once, until saving works again;
    ``generation`` is that of the newest sound."""

    def __init__(
        self,
        folder: Path | None,
        device: str,
        emit: Callable[[ServerEvent], None],
        tell: Callable[[str], None],
        generation: Callable[[], int],
    ) -> None:
        name = safe_name(device)
        self.history = History.load(folder / f"{name}.jsonl") if folder else History()
        self.mailbox = Mailbox(folder / f"{name}.json" if folder else None)
        self._emit, self._tell, self._generation = emit, tell, generation
        self._told = ""
        self._saving = asyncio.Lock()

    async def save(self, slips: Iterable[Slip] = ()) -> bool:
        """Write down what there is. Returns whether all of it is on the disk.

        ``slips``: what these utterances or messages say is in the history, or asks for nothing any more. The device is
        told that it may forget them, once that is on the disk; where it cannot be saved the device keeps them.
        """
        slips = list(slips)
        async with self._saving:
            await self.history.saved()
            trouble = self.history.unsaved
            if not trouble:
                self.mailbox.keep(slips)
            self.mailbox.generation = self._generation()
            try:
                await self.mailbox.save()
            except OSError as error:
                trouble = trouble or phrases.NOT_SAVED.format(reason=error.strerror or error)
            notice, self.history.notice = self.history.notice, ""
            for words in dict.fromkeys((notice, trouble)):
                if words and words != self._told:
                    self._tell(words)
            self._told = trouble
        self.confirm(slips)
        return not trouble

    def told(self, trouble: str) -> None:
        """The user has heard of this already."""
        self._told = trouble

    def confirm(self, slips: Iterable[Slip]) -> None:
        """Tell the device of those that are safe."""
        for slip in slips:
            if self.mailbox.kept(slip):
                self._emit(Received(slip.id))
