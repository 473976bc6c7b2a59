"""An approval question while it is open. Default no: on time-out, when nobody is there, when another question comes."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

from zero_one.conversation.agreeing import DEAF_S, word_of
from zero_one.conversation.playback import Clock
from zero_one.interpreter.base import Decision, Question
from zero_one.protocol.lmc import Message


class OpenQuestion:
    """One question of the conversation of ``device`` (its name, for people). It is answered once; later answers change
    nothing. ``say``: the words of a spoken challenge, or nothing."""

    def __init__(self, question: Question, clock: Clock, timeout_s: float, *, device: str = "", say: str = "") -> None:
        self.question = question
        self.id = uuid4().hex[:12]
        self.device, self.say = device, say
        self.word = word_of(question)
        self.attempts = self.remarks = 0
        self.tapped = False
        self.saying: asyncio.Future[bool] | None = None
        """Done when what was last said of it has been heard, or dropped."""
        self._clock, self._timeout_s = clock, timeout_s
        self._spoken_at: float | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()

    @property
    def open(self) -> bool:
        return not self._answer.done()

    @property
    def text(self) -> str:
        """The question as it is said."""
        return f"{self.question.text} {self.challenge}".strip()

    @property
    def challenge(self) -> str:
        return f"Or say: {self.say}." if self.say else ""

    @property
    def deaf(self) -> bool:
        """Whether what begins now is too early to be a yes."""
        return self.too_early()

    def too_early(self, held_ms: float = 0.0) -> bool:
        """Whether what began ``held_ms`` ago was too early to be a yes."""
        return self._spoken_at is None or self._clock() - held_ms / 1000 - self._spoken_at < DEAF_S

    def speaking(self) -> None:
        """The question (or a remark about it) is being said: nothing agrees until it is over."""
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
        return await asyncio.shield(self._answer)

    @property
    def decision(self) -> Decision:
        """How it was answered."""
        return self._answer.result()

    def message(self, *, own: bool = True) -> Message:
        """What a device shows; ``own``: it belongs to the conversation that asks."""
        q = self.question
        content: dict[str, Any] = {
            "id": self.id,
            "device": self.device,
            "own": own,
            "question": self.text if own else q.text,
            "language": q.language,
            "code": q.code,
            "cwd": q.cwd,
            "risk": q.risk,
            "effects": list(q.effects),
            "reason": q.reason,
            "hand": q.hand,
            "answers": [*q.answers, "always"] if q.may_remember else list(q.answers),
            "may_remember": q.may_remember,
            "timeout_s": self._timeout_s,
            "expires": self._timeout_s,
        }
        if self.word:
            content["word"] = self.word
        if self.say and own:
            content["say"] = self.say
        return Message("server", "approval", content=content, id=self.id)

    def closed(self, decision: Decision) -> Message:
        """Tells every device that it is over, and how."""
        content = {"answer": "yes" if decision.approved else "no", "reason": decision.reason, "by": decision.by}
        return Message("server", "approval", content=content, end=True, id=self.id)
