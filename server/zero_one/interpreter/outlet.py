"""Where a run's messages go: to whoever iterates it, and into the history at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

from zero_one.interpreter.history import Entry, History, fresh_id
from zero_one.protocol.lmc import Message


class Outlet:
    """Streams LMC messages in the start, content, end form, and keeps the history in step.

    At most one message is open at a time; opening another, or closing the outlet, ends it.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self._open: tuple[Message, Entry] | None = None
        self._ended = False

    async def messages(self) -> AsyncIterator[Message]:
        """Everything that was emitted, until the outlet is closed."""
        while not (self._ended and self._queue.empty()):
            message = await self._queue.get()
            if message is None:
                return
            yield message

    def emit(self, message: Message) -> None:
        """Pass a message on that is no part of the history: status and error."""
        if not self._ended:
            self._queue.put_nowait(message)

    def stream(self, message: Message, entry: Entry | None, text: str) -> None:
        """Add ``text`` to the open message; ``message`` says which, and is opened if it is not."""
        if not text:
            return
        if self._open is None or self._open[0].id != message.id:
            self.end()
            self.emit(message.started())
            self._open = message, entry if entry is not None else self._history.add(replace(message, content=""))
        self.emit(replace(message, content=text))
        self._open[1].append(text)

    def whole(self, message: Message) -> None:
        """A message that is complete, with start and end flags around it; not written to the history."""
        self.end()
        self.emit(message.started())
        self.emit(message)
        self.emit(message.ended())

    def end(self) -> None:
        """Close the open message, if there is one."""
        if self._open is not None:
            self.emit(self._open[0].ended())
            self._open = None

    def close(self) -> None:
        """Nothing more comes. Safe to call again."""
        if not self._ended:
            self.end()
            self._queue.put_nowait(None)
            self._ended = True


class Speech:
    """One assistant message that grows while the model talks."""

    def __init__(self, outlet: Outlet, history: History, step: str, sources: tuple[str, ...] = ()) -> None:
        self._outlet, self._history, self._step, self._sources = outlet, history, step, sources
        self._message: Message | None = None
        self._entry: Entry | None = None
        self._blank = ""  # white space is passed on only when words follow

    @property
    def text(self) -> str:
        return self._entry.text if self._entry is not None else ""

    def say(self, text: str) -> None:
        if self._entry is None:
            text = text.lstrip()
        text = self._blank + text
        bare = text.rstrip()
        self._blank = text[len(bare) :]
        if not bare:
            return
        if self._message is None:
            self._message = Message("assistant", "message", id=fresh_id())
            self._entry = self._history.add(replace(self._message, content=""), step=self._step, sources=self._sources)
        self._outlet.stream(self._message, self._entry, bare)

    def end(self) -> None:
        """What is said next is a new message."""
        if self._message is not None:
            self._outlet.end()
        self._message, self._entry, self._blank = None, None, ""
