"""Approval questions of one conversation: at most one is open; a hand, a voice, a keyboard and silence answer it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from zero_one.conversation import challenge, phrases
from zero_one.conversation.agreeing import enough, hand_of, how_to_agree
from zero_one.conversation.answers import asks_again, read_answer
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.audience import Audience
from zero_one.conversation.desk import Desk
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.services import Services
from zero_one.conversation.stopping import what_stops
from zero_one.identity.access import Caller
from zero_one.interpreter.base import Decision, Question
from zero_one.protocol.events import Answer, Hand
from zero_one.protocol.lmc import Message

BUT_S = 3.0
"""What is said this soon after a tap says what to do instead."""
_MOST_REMARKS = 8
"""After so many answers that were none the answer is no: a television must not keep a question open for ever."""

Meaning = Literal["answer", "stop", "everything", "request"]


@dataclass(frozen=True, slots=True)
class Said:
    """What was said while a question was open. ``early``: it began before the question could be answered. ``held``: a
    hand held the button for two seconds. ``unclear``: there was sound that nobody understood."""

    text: str
    caller: Caller
    early: bool = False
    held: bool = False
    unclear: bool = False


class Questions:
    """``open`` is the question that waits for its answer, or None; ``tapped`` one that was refused with a tap and may
    still be given its "but". ``on_change``: one was asked, or is over."""

    def __init__(
        self,
        device: str,
        services: Services,
        audience: Audience,
        mouth: Mouth,
        desk: Desk,
        on_change: Callable[[], None],
    ) -> None:
        self._device, self._services, self._desk, self._on_change = device, services, desk, on_change
        self._audience, self._mouth = audience, mouth
        self._current: OpenQuestion | None = None
        self._but: asyncio.Future[str | None] | None = None
        self._but_timer: asyncio.TimerHandle | None = None

    @property
    def open(self) -> OpenQuestion | None:
        return self._current if self._current is not None and self._current.open else None

    @property
    def tapped(self) -> OpenQuestion | None:
        return self._current if self._but is not None and not self._but.done() else None

    async def ask(self, question: Question) -> Decision:
        """Show it, say it, wait. No answer is a no."""
        if not self._desk.attended:
            return Decision(False, reason="no connected device may approve, so nobody could be asked")
        self.refuse("another question came up")
        settings = self._services.settings.approval
        name = self._audience.name or self._device
        say = challenge.fresh() if question.hand != "any" and self._challenged() else ""
        asked = OpenQuestion(question, self._services.clock, settings.timeout_s, device=name, say=say)
        self._current = asked
        self._audience.show(asked.message())
        self._desk.tell_others(self, asked.message(own=False))
        self._say_of(asked, asked.text)
        self._on_change()
        told = False
        try:
            decision = await asked.answer()
            self._closed(asked, decision)
            told = True
            return replace(decision, but=await self._afterthought()) if asked.tapped else decision
        finally:
            if not told:
                asked.settle(Decision(False, reason="the turn ended"))
                self._closed(asked, asked.decision)
            if self._current is asked:
                self.no_afterthought()
                self._current = self._but = None

    def _closed(self, asked: OpenQuestion, decision: Decision) -> None:
        if asked.saying is not None:
            # A question that is over is not asked any more, now or when its device is back.
            self._mouth.queue.withdraw(asked.saying)
        message = asked.closed(decision)
        self._audience.show(message)
        self._desk.tell_others(self, message)
        self._on_change()

    def refuse(self, reason: str) -> bool:
        """A no that the user did not say. Returns whether there was a question."""
        self.no_afterthought()
        question = self.open
        return question is not None and question.settle(Decision(False, reason=reason))

    def again(self) -> bool:
        """Say the open question once more. Returns whether there was one."""
        question = self.open
        if question is None:
            return False
        self._mouth.queue.flush()
        self._remark(question, question.text)
        return True

    def show_again(self) -> list[Message]:
        """For a device that joins while it is open."""
        return [self.open.message()] if self.open is not None else []

    # --- answers

    def answered(self, event: Answer, caller: Caller, *, own: bool) -> str:
        """Take a device's answer to the open question. Returns what is wrong with it, in words, or nothing.

        ``own``: the device belongs to this conversation, so what is wrong is also said here.
        """
        question = self.open
        if question is None or question.id != event.id:
            return phrases.NOT_OPEN
        if not _may(caller):
            return phrases.MAY_NOT_APPROVE
        if event.answer == "no":
            self._decide(False, caller, but=event.but)
            return ""
        if event.answer == "edit" and "edit" not in question.question.answers:
            return phrases.NOT_EDITED
        hand = hand_of(event, question.word)
        early = question.too_early(event.held_ms)
        code = event.code if event.answer == "edit" else None
        wrong = self._agreed(question, hand, caller, early=early, code=code, remember=event.remember)
        if wrong and own:
            self._remark(question, wrong)
            return ""
        return wrong

    def tap(self, caller: Caller) -> bool:
        """A tap is a no; what is said right after it is its "but". Returns whether there was a question."""
        question = self.open
        if question is None or not _may(caller):
            return False
        question.tapped = True
        # From this moment on: what is said next may come before the one who asked has even seen the answer.
        self._but = asyncio.get_running_loop().create_future()
        self._but_timer = asyncio.get_running_loop().call_later(BUT_S, self.no_afterthought)
        self._decide(False, caller, hand="press")
        return True

    def typed(self, text: str, caller: Caller) -> Meaning:
        """What a typed text is while a question is open, or was just refused with a tap."""
        stops, question = what_stops(text), self.open
        if stops == "everything":
            return "everything"
        if question is None and self.tapped is None:
            return "request"
        if stops:
            return "stop"
        if question is None:
            self._give_but(text)
            return "answer"
        if not _may(caller):
            self._mouth.trouble("answer", phrases.MAY_NOT_APPROVE)
            return "answer"
        if question.word and text.strip().strip(".!").casefold() == question.word:
            self._answer_or_remark(question, "hold", caller, early=question.deaf)
            return "answer"
        if asks_again(text):
            self.again()
            return "answer"
        heard = read_answer(text)
        if heard.answer == "unclear":
            return "request"
        if heard.answer == "no":
            self._decide(False, caller, but=heard.but)
        else:
            self._answer_or_remark(question, "press", caller, early=question.deaf, remember=heard.always)
        return "answer"

    def spoken(self, question: OpenQuestion, said: Said) -> Meaning:
        """What was said while ``question`` was open, or right after the tap that refused it."""
        if stops := what_stops(said.text):
            return "everything" if stops == "everything" else "stop"
        if question is self.tapped:
            self._give_but(said.text)
            return "answer"
        heard = read_answer(said.text)
        if question is not self.open:
            if heard.answer == "unclear" and said.text:
                return "request"
            self._mouth.trouble("answer", phrases.NOT_OPEN)
        elif not _may(said.caller):
            self._mouth.trouble("answer", phrases.MAY_NOT_APPROVE)
        elif heard.answer == "no":
            self._decide(False, said.caller, hand="voice", but=heard.but)
        elif asks_again(said.text):
            self._remark(question, question.text)
        elif question.say and self._named(said.caller) and self._challenge(question, said):
            pass
        elif not said.text:
            if said.held and not said.unclear:
                self._answer_or_remark(question, "hold", said.caller, early=said.early)
            else:
                self._remark(question, phrases.NOT_UNDERSTOOD)
        elif heard.answer == "yes":
            hand: Hand = "hold" if said.held else "voice"
            self._answer_or_remark(question, hand, said.caller, early=said.early, remember=heard.always)
        else:
            # Neither yes nor no: nothing is run, and the words go to the model.
            self._mouth.queue.flush()
            self._mouth.notice(phrases.ANSWER_UNCLEAR)
            reason = "the user said something else"
            question.settle(Decision(False, but=heard.but, reason=reason, by=said.caller.name))
        return "answer"

    def _agreed(
        self,
        question: OpenQuestion,
        hand: Hand,
        caller: Caller,
        *,
        early: bool,
        code: str | None = None,
        remember: bool = False,
    ) -> str:
        """Take a yes, if it was given late enough and by enough of a hand; else say what is wrong with it."""
        needed = question.question.hand
        if early:
            return phrases.SAID_TOO_EARLY
        if not enough(needed, hand):
            return f"{how_to_agree(needed, question.word)} {question.challenge}".strip()
        may_remember = question.question.may_remember
        self._decide(True, caller, hand=hand, code=code, remember=remember and may_remember)
        if remember and not may_remember:
            self._mouth.notice(phrases.ONLY_THIS_ONCE)
        return ""

    def _answer_or_remark(
        self, question: OpenQuestion, hand: Hand, caller: Caller, *, early: bool, remember: bool = False
    ) -> None:
        if wrong := self._agreed(question, hand, caller, early=early, remember=remember):
            self._remark(question, wrong)

    def _decide(
        self,
        approved: bool,
        caller: Caller,
        *,
        hand: Hand = "press",
        but: str | None = None,
        code: str | None = None,
        remember: bool = False,
    ) -> None:
        self._mouth.queue.flush()
        if self.open is not None:
            reason = "" if approved else "the user said no"
            by = caller.name or caller.device
            self.open.settle(Decision(approved, but, code, reason, hand=hand, by=by, remember=remember))

    # --- the spoken challenge

    def _named(self, caller: Caller) -> bool:
        return bool(caller.paired) and caller.name in self._services.settings.approval.challenge

    def _challenged(self) -> bool:
        return any(self._named(caller) and _may(caller) for caller in self._audience.callers)

    def _challenge(self, question: OpenQuestion, said: Said) -> bool:
        """The words were said, or others: then nothing is done, and new ones are asked for. False where a hand held the
        button and nothing or a yes was said: that is another way to agree."""
        if challenge.same(said.text, question.say) and not said.early:
            self._decide(True, said.caller, hand="hold" if question.question.hand == "hold" else "press")
            return True
        if said.held and (not said.text or read_answer(said.text).answer == "yes"):
            return False
        question.attempts += 1
        if question.attempts >= challenge.ATTEMPTS:
            self._mouth.queue.flush()
            self._mouth.notice(phrases.CHALLENGE_FAILED)
            question.settle(Decision(False, reason="the words to agree with were not said", by=said.caller.name))
            return True
        question.say = challenge.fresh()
        self._audience.show(question.message())
        self._remark(question, phrases.CHALLENGE_AGAIN.format(words=question.say))
        return True

    # --- the "but" after a tap

    async def _afterthought(self) -> str | None:
        return await self._but if self._but is not None else None

    def begun(self) -> None:
        """Somebody began to speak after the tap: their words are waited for."""
        if self._but_timer is not None:
            self._but_timer.cancel()

    def no_afterthought(self) -> None:
        if self._but_timer is not None:
            self._but_timer.cancel()
        if self._but is not None and not self._but.done():
            self._but.set_result(None)

    def _give_but(self, text: str) -> None:
        heard = read_answer(text)
        but = heard.but if heard.answer != "yes" else None
        if self._but is not None and not self._but.done():
            self._but.set_result(but)

    # --- saying it

    def unheard(self) -> None:
        """The device that would have said it is gone, but others show it: the time to answer runs from now."""
        if self.open is not None and self.open.deaf:
            self.open.spoken()

    def _say_of(self, question: OpenQuestion, text: str) -> None:
        """Say the question, or a remark about it; nothing agrees until some time after it was heard."""
        question.speaking()
        if self._audience.away:
            question.spoken()
            return
        question.saying = saying = self._mouth.say(text)
        saying.add_done_callback(lambda _: question.spoken() if question.saying is saying else None)

    def _remark(self, question: OpenQuestion, text: str) -> None:
        question.remarks += 1
        if question.remarks > _MOST_REMARKS:
            question.settle(Decision(False, reason="there was no clear answer"))
            return
        self._audience.show(Message("assistant", "message", "notice", text))
        self._say_of(question, text)


def _may(caller: Caller) -> bool:
    return caller.may("approve") and not caller.keyless
