"""The ear of a conversation: from the press to the text that is to be answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from zero_one.conversation import phrases
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.audience import Audience
from zero_one.conversation.expected import answers
from zero_one.conversation.links import Link
from zero_one.conversation.mailbox import Slip
from zero_one.conversation.memory import Memory
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.recordings import keep_recording
from zero_one.conversation.services import Services
from zero_one.conversation.spans import Spans
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turn import Turn
from zero_one.conversation.utterance import Utterance
from zero_one.identity.access import Caller
from zero_one.protocol.events import PCM_RATE_IN, Pressed
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import HearOptions

MOST_S = 600
"""Nobody speaks longer without a pause: a button that is stuck, or a device that fills our memory."""
_MOST_BYTES = MOST_S * PCM_RATE_IN * 2


@dataclass(slots=True)
class LeftOver:
    """Spoken over before it was understood: what was said, by whom, and what it came as."""

    text: str = ""
    caller: Caller | None = None
    slips: list[Slip] = field(default_factory=list)


class Hearing:
    """``current`` is what somebody is saying, or None. ``recordings``: the folder that keeps what was said, or None.
    ``carry_out`` does a command that was spoken over, and says whether it was one."""

    def __init__(
        self,
        services: Services,
        memory: Memory,
        audience: Audience,
        mouth: Mouth,
        tasks: Tasks,
        recordings: Path | None,
        carry_out: Callable[[LeftOver], bool],
    ) -> None:
        self.current: Utterance | None = None
        self._services, self._clock = services, services.clock
        self._memory, self._audience, self._mouth = memory, audience, mouth
        self._mailbox = memory.mailbox
        self._tasks, self._recordings, self._carry_out = tasks, recordings, carry_out
        self._known_id: str | None = None  # of what comes, where one of that id was taken before
        self._again = bytearray()
        self._unanswered = LeftOver()

    @property
    def held(self) -> bool:
        """Somebody holds the button and is listened to."""
        return self.current is not None and not self.current.early and self.current.released_at is None

    def elsewhere(self, link: Link | None) -> bool:
        """What is being said comes over another connection than ``link``."""
        return link is not None and self.current is not None and self.current.link not in (None, link)

    # --- the button

    def press(self, ident: str | None) -> bool:
        """Whether this press begins an utterance.

        One that was taken before the link broke comes again when the device could not know. Where a release was lost
        on the way, what was said before is a part of what is said now.
        """
        self._known_id, self._again = ident if self._mailbox.has(ident) else None, bytearray()
        return not self._deaf and self.current is None

    @property
    def _deaf(self) -> bool:
        return self._known_id is not None

    def begin(
        self, press: Pressed, link: Link | None, question: OpenQuestion | None, *, early: bool, silenced: bool
    ) -> None:
        hear = self._services.settings.hear
        likely = answers(bool(question.say)) if question is not None and question.open else ""
        options = HearOptions(hear.language, hear.languages, hear.hotwords, likely)
        recognition = self._services.recognizer.start(options, None if early else self._partial)
        self.current = Utterance(recognition, press.id, self._clock(), link, press.by, question, early, silenced)
        if self._recordings is not None:
            self.current.recorded = bytearray()

    def _partial(self, text: str) -> None:
        if text:
            self._audience.show(Message("user", "message", "partial", text))

    def feed(self, pcm: bytes) -> bool:
        """Returns whether no more of it will be listened to."""
        room = _MOST_BYTES - (len(self._again) if self._deaf else self.current.size if self.current is not None else 0)
        if self._deaf:
            self._again += pcm[:room]
        elif self.current is not None:
            self.current.feed(pcm[:room])
            return len(pcm) >= room
        return False

    def release(self, ago_ms: int) -> None:
        utterance = self.current
        if utterance is None or self._deaf or utterance.released_at is not None:
            return
        utterance.released_at, utterance.ago_s = self._clock(), ago_ms / 1000
        utterance.spans = Spans(self._clock, self._services.metrics, ago_ms=ago_ms)
        if not utterance.early and not utterance.bare(utterance.released_at):
            self._mouth.confirm_release()

    def another(self) -> bytes | None:
        """The sound of a whole utterance that only bears the id of one that was taken before, or None."""
        new = self._deaf and self.current is None and not self._mailbox.has(self._known_id, crc32(self._again))
        return bytes(self._again) if new else None

    def take(self) -> tuple[Utterance, Spans, list[Slip]] | None:
        """No more sound comes: what was said, or None where nothing was listened to."""
        utterance = self.current
        if utterance is None or self._deaf:
            if self._known_id is not None:
                self._memory.confirm([Slip(self._known_id, crc32(self._again))])
            self._known_id = None
            return None
        self.release(0)
        self.current = None
        slip = self._mailbox.take(utterance.id, utterance.check)
        if utterance.recorded and self._recordings is not None:
            self._tasks.spawn(keep_recording(self._recordings, bytes(utterance.recorded)))
        return utterance, utterance.spans or Spans(self._clock, self._services.metrics), [slip] if slip else []

    def cancel(self) -> bool:
        """Forget what is being said. Returns whether there was anything."""
        self._known_id = None
        if self.current is None:
            return False
        self.current.recognition.cancel()
        self.current = None
        return True

    # --- the words

    async def request(self, turn: Turn, utterance: Utterance) -> str:
        """The text that ``turn`` is to answer. Empty where there is none; then the user has been told why.

        Raises SpeechError.
        """
        if not self._services.ready():
            self._audience.show(Message("server", "status", content="warming"))
        try:
            transcript = await utterance.recognition.finish()
        except asyncio.CancelledError:
            utterance.recognition.cancel()
            raise
        turn.spans.mark("transcript")
        text = transcript.text.strip()
        if transcript.language and not self._services.settings.hear.language:
            self._mouth.language = transcript.language
        if turn.over:
            # Spoken over before it was understood: answered after all, if nothing else was said.
            if text:
                self._remember_left_over()
                self._unanswered, turn.slips = LeftOver(text, turn.caller, turn.slips), []
            if self.current is None:
                self._remember_left_over()
            return ""
        if text:
            self._remember_left_over()
            return text
        if self._unanswered.text:
            left = self.left_over()
            turn.slips += left.slips
            return left.text
        if not (utterance.silenced and utterance.bare(self._clock())):
            only_commands = transcript.rejected and transcript.from_grammar
            rejected = phrases.ONLY_COMMANDS if only_commands else phrases.NOT_UNDERSTOOD
            self._mouth.trouble("hearing", rejected if transcript.rejected else phrases.NOTHING_HEARD)
        return ""

    def left_over(self) -> LeftOver:
        """What was spoken over and is still to be answered; from now on it is the caller's."""
        left, self._unanswered = self._unanswered, LeftOver()
        return left

    def _remember_left_over(self) -> None:
        """What was spoken over: a command is done all the same; else it stays in the history, for the next answer to
        build on."""
        left = self.left_over()
        if left.text and not self._carry_out(left):
            message = Message("user", "message", content=left.text)
            self._audience.show(message)
            self._memory.history.add(message)
            self._tasks.spawn(self._memory.save(left.slips))
