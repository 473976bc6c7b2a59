"""Speaking up unasked: a timer rings, a task ended. It waits for its moment, for the device, even over a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from zero_one.conversation.audience import Audience
from zero_one.conversation.mailbox import Mailbox
from zero_one.conversation.mouth import Mouth
from zero_one.interpreter.history import History
from zero_one.protocol.lmc import Message


class Announcer:
    """``on_said`` is called when the mailbox has changed and the next one may have its turn."""

    def __init__(
        self, mailbox: Mailbox, audience: Audience, mouth: Mouth, history: History, on_said: Callable[[], None]
    ) -> None:
        self._mailbox, self._audience, self._mouth, self._history = mailbox, audience, mouth, history
        self._on_said = on_said
        self._saying = False

    def next(self) -> None:
        """There is room to speak: say what waits longest, if anything does and somebody is there."""
        if self._saying or self._audience.away or not self._mailbox.waiting:
            return
        text = self._mailbox.waiting[0]
        begun = False

        def sent() -> None:
            nonlocal begun
            begun = True

        def over(done: asyncio.Future[bool]) -> None:
            self._saying = False
            if done.cancelled() or not (done.result() or (begun and not self._audience.away)):
                return  # nobody heard it begin: it stays for the next occasion
            if text in self._mailbox.waiting:
                self._mailbox.waiting.remove(text)
            self._history.add(Message("assistant", "message", "announcement", text))
            self._on_said()

        self._saying = True
        self._audience.show(Message("assistant", "message", "announcement", text))
        self._mouth.announced(text)
        self._mouth.say(text, keep=False, on_sent=sent).add_done_callback(over)
