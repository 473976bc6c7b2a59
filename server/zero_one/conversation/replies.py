"""What comes while a question is open: words, taps, typed text, the answers of devices."""

from __future__ import annotations

from collections.abc import Callable

from zero_one.conversation import phrases
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.links import Link
from zero_one.conversation.mailbox import Slip
from zero_one.conversation.parts import Parts
from zero_one.conversation.questions import Meaning, Said
from zero_one.conversation.utterance import Utterance
from zero_one.identity.access import Caller
from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import SpeechError


class Replies:
    """``obey`` does what words meant beside an answer: stop, stop everything, or (with the text) a request."""

    def __init__(self, parts: Parts, obey: Callable[[Meaning, Caller, str, list[Slip]], None]) -> None:
        self._its, self._obey = parts, obey

    def question_for(self, caller: Caller) -> OpenQuestion | None:
        """The question that what is now said belongs to, be it as the "but" of a tap."""
        questions = self._its.questions
        return questions.open or (questions.tapped if caller.may("approve") else None)

    def tapped(self, link: Link | None) -> bool:
        """A tap: no to an open question. Returns whether there was one."""
        questions = self._its.questions
        if questions.open is None:
            return False
        if not questions.tap(self._its.caller(link)):
            self._its.may_not_approve(link)
        return True

    def touched(self, utterance: Utterance, slips: list[Slip]) -> None:
        """The button was only tapped: a no, or nothing where the question cannot have been heard."""
        its = self._its
        utterance.recognition.cancel()
        its.questions.no_afterthought()
        if not utterance.early and utterance.question is its.questions.open:
            self.tapped(utterance.link)
        its.tasks.spawn(its.memory.save(slips))

    async def hear(self, utterance: Utterance, question: OpenQuestion, slips: list[Slip]) -> None:
        """What was said while ``question`` was open."""
        its, caller = self._its, self._its.caller(utterance.link)
        try:
            transcript = await utterance.recognition.finish()
        except SpeechError as error:
            its.questions.no_afterthought()
            its.mouth.trouble("hearing", str(error))
            await its.memory.save(slips)
            return
        text = transcript.text.strip()
        its.note("heard", caller, text)
        said = Said(text, caller, utterance.early, utterance.held, transcript.rejected)
        self._take(its.questions.spoken(question, said), caller, text, slips)

    def typed(self, text: str, caller: Caller, slips: list[Slip]) -> None:
        self._take(self._its.questions.typed(text, caller), caller, text, slips)

    def answered(self, event: Answer, link: Link | None) -> None:
        """An answer by a device; the question may be another conversation's."""
        its, caller = self._its, self._its.caller(link)
        questions = its.desk.with_open(event.id)
        if not caller.may("approve") or caller.keyless:
            its.may_not_approve(link)
        elif questions is None:
            its.mouth.trouble("answer", phrases.NOT_OPEN)
        elif wrong := questions.answered(event, caller, own=questions is its.questions):
            its.wrong(link, wrong)

    def _take(self, meaning: Meaning, caller: Caller, text: str, slips: list[Slip]) -> None:
        its = self._its
        if meaning != "request":
            if text:
                its.audience.show(Message("user", "message", content=text))
            its.tasks.spawn(its.memory.save(slips))
        if meaning != "answer":
            self._obey(meaning, caller, text, slips)
