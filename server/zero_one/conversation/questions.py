"""Approval questions of one conversation: at most one is open; pressing, speaking, typing and silence answer it."""

from __future__ import annotations

from collections.abc import Callable

from zero_one.conversation import phrases
from zero_one.conversation.answers import read_answer
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.audience import Audience
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.playback import Clock
from zero_one.interpreter.base import Decision, Question
from zero_one.protocol.lmc import Message

_STOP_WORDS = frozenset({"stop", "stop everything", "stop it", "cancel", "cancel everything"})


class Questions:
    """``open`` is the question that waits for its answer, or None. ``on_change``: one was asked, or is over."""

    def __init__(
        self, audience: Audience, mouth: Mouth, clock: Clock, timeout_s: float, on_change: Callable[[], None]
    ) -> None:
        self._on_change = on_change
        self._audience, self._mouth = audience, mouth
        self._clock, self._timeout_s = clock, timeout_s
        self._current: OpenQuestion | None = None

    @property
    def open(self) -> OpenQuestion | None:
        return self._current if self._current is not None and self._current.open else None

    async def ask(self, question: Question) -> Decision:
        """Show it, say it, wait. No answer is a no."""
        if self._audience.away:
            return Decision(False, reason="the device is away, so nobody could be asked")
        self.refuse("another question came up")
        asked = OpenQuestion(question, self._clock, self._timeout_s)
        self._current = asked
        self._audience.show(asked.message())
        self._say_of(asked, question.text)
        self._on_change()
        decision = Decision(False, reason="the turn ended")
        try:
            decision = await asked.answer()
        finally:
            asked.settle(decision)
            if self._current is asked:
                self._current = None
            self._audience.show(asked.closed(decision))
            self._on_change()
        return decision

    def refuse(self, reason: str, but: str | None = None) -> bool:
        """A no that the user did not say. Returns whether there was a question."""
        question = self.open
        return question is not None and question.settle(Decision(False, but=but, reason=reason))

    def decide(self, approved: bool, but: str | None = None, code: str | None = None) -> None:
        """The user's answer."""
        self._mouth.queue.flush()
        if self.open is not None:
            self.open.settle(Decision(approved, but=but, code=code, reason="" if approved else "the user said no"))

    def typed(self, text: str) -> bool:
        """Whether typed text was an answer."""
        heard = read_answer(text)
        if self.open is None or heard.answer == "unclear":
            return False
        self.decide(heard.answer == "yes", heard.but)
        return True

    def spoken(self, question: OpenQuestion, text: str, *, early: bool) -> bool:
        """Take what was said while ``question`` was open. Returns false where it was meant as something else.

        ``early``: said before the question could have been heard; then a no counts and a yes does not.
        """
        heard = read_answer(text)
        if question is not self.open:
            if heard.answer == "unclear":
                return False
            self._mouth.trouble("answer", phrases.NOT_OPEN)
        elif text.lower().strip(" .!") in _STOP_WORDS:
            return False  # more than a no: everything ends
        elif not text:
            self._remark(question, phrases.NOT_UNDERSTOOD)
        elif heard.answer == "unclear":
            # Neither yes nor no: nothing is run, and the words go to the model.
            self._mouth.queue.flush()
            self._mouth.notice(phrases.ANSWER_UNCLEAR)
            self.refuse("the user said something else", heard.but)
        elif heard.answer == "yes" and early:
            self._remark(question, phrases.SAID_TOO_EARLY)
        else:
            self.decide(heard.answer == "yes", heard.but)
        return True

    def show_again(self) -> list[Message]:
        """For a device that joins while it is open."""
        return [self.open.message()] if self.open is not None else []

    def _say_of(self, question: OpenQuestion, text: str) -> None:
        """Say the question, or a remark about it; presses are answers only some time after it was heard."""
        question.speaking()
        self._mouth.say(text).add_done_callback(lambda _: question.spoken())

    def _remark(self, question: OpenQuestion, text: str) -> None:
        self._audience.show(Message("assistant", "message", "notice", text))
        self._say_of(question, text)
