"""An approval question while it is open. Default no: on time-out, when nobody is there, when another question comes."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from zero_one.conversation.playback import Clock
from zero_one.interpreter.base import Decision, Question
from zero_one.protocol.lmc import Message

DEAF_S = 0.7
"""A press counts as an answer only this long after the question was spoken: nobody answers what they have not heard."""


class OpenQuestion:
    """One question. It is answered once; later answers change nothing."""

    def __init__(self, question: Question, clock: Clock, timeout_s: float) -> None:
        self.question = question
        self.id = uuid4().hex[:12]
        self._clock, self._timeout_s = clock, timeout_s
        self._spoken_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()

    @property
    def open(self) -> bool:
        return not self._answer.done()

    @property
    def deaf(self) -> bool:
        """Whether a press now is too early to be an answer."""
        return self._spoken_at is None or self._clock() - self._spoken_at < DEAF_S

    def speaking(self) -> None:
        """The question (or a remark about it) is being said: presses are no answers until it is over."""
        self._spoken_at = None
        if self._timer is not None:
            self._timer.cancel()

    def spoken(self) -> None:
        """The question has been said; the time to answer runs from here."""
        self._spoken_at = self._clock()
        if self._timer is not None:
            self._timer.cancel()
        if self.open:
            self._timer = asyncio.get_running_loop().call_later(
                self._timeout_s, self.settle, Decision(False, reason="nobody answered in time")
            )

    def settle(self, decision: Decision) -> bool:
        """Answer it. Returns whether this was the answer that counts."""
        if self._timer is not None:
            self._timer.cancel()
        if self._answer.done():
            return False
        self._answer.set_result(decision)
        return True

    async def answer(self) -> Decision:
        return await self._answer

    def message(self) -> Message:
        """What the device shows."""
        q = self.question
        content: dict[str, Any] = {
            "id": self.id,
            "question": q.text,
            "language": q.language,
            "code": q.code,
            "cwd": q.cwd,
            "risk": q.risk,
            "effects": list(q.effects),
            "reason": q.reason,
            "answers": list(q.answers),
            "timeout_s": self._timeout_s,
            "expires": self._timeout_s,
        }
        return Message("server", "approval", content=content, id=self.id)

    def closed(self, decision: Decision) -> Message:
        """Tells every device that it is over, and how."""
        content = {"answer": "yes" if decision.approved else "no", "reason": decision.reason}
        return Message("server", "approval", content=content, end=True, id=self.id)
