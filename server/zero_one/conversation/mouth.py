"""What is said aloud: clauses of an answer, notices, troubles; how loud, how fast; and what of it was heard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from zero_one.commands.base import Reply
from zero_one.conversation import phrases
from zero_one.conversation.audience import Audience
from zero_one.conversation.heard import heard_of
from zero_one.conversation.services import Services
from zero_one.conversation.speech import Line, SpeechQueue
from zero_one.conversation.turn import Turn
from zero_one.interpreter.history import History
from zero_one.protocol.events import VolumeTo
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.base import Voice

_VOLUME_STEP = 15
_QUIETEST = 5
_RATE_STEP = 1.2
_SLOWEST, _FASTEST = 0.4, 3.0


class Mouth:
    """One per conversation. ``on_change`` is called when speech begins or ends."""

    def __init__(
        self,
        device: str,
        services: Services,
        audience: Audience,
        history: History,
        on_change: Callable[[], None],
        generation: int,
    ) -> None:
        speak = services.settings.speak
        self._device = device
        self._metrics, self._audience, self._history = services.metrics, audience, history
        self._earcon = services.earcon
        self._rate, self._volume = speak.rate, speak.volume
        self._last_said = self._said_before = ""
        self._complaint = ""
        self.language: str | None = services.settings.hear.language
        self.queue = SpeechQueue(
            services.synthesizer,
            services.speakable,
            audience.emit,
            services.clock,
            voice=lambda: Voice(speak.voice, self.language, self._rate),
            on_change=on_change,
            on_error=self._failed,
            fallback=services.fallback,
            generation=generation,
            paused=True,
        )
        self.queue.volume = speak.volume

    @property
    def speaking(self) -> bool:
        return self.queue.speaking

    def begin(self) -> None:
        """A turn begins: "say that again" in it means what was said before it."""
        self._said_before = self._last_said
        self.queue.expect_more(True)

    def tell(self, turn: Turn, text: str, *, final: bool = False) -> None:
        """Speak more of the turn's text, clause by clause, as soon as each is safe."""
        turn.add(text)
        clauses = turn.cutter.feed(text) if text else []
        if final:
            clauses += turn.cutter.finish()
        if turn.text:
            self._last_said = turn.text
        if turn.muted:
            return
        for clause in clauses:
            if clause.text.strip():
                turn.spans.mark("first_clause")
                line = Line(clause.text, turn, clause.start, clause.end, on_sent=lambda: self._first_audio(turn))
                self.queue.say(line)

    def _first_audio(self, turn: Turn) -> None:
        if "first_audio" not in turn.spans.ms:
            turn.spans.mark("first_audio")
            turn.spans.mark("first_played", later_ms=self.queue.lead_ms)
            turn.spans.log(self._device)
            self._audience.show(Message("server", "status", "spans", dict(turn.spans.ms), id=turn.id))

    def say(self, text: str, *, keep: bool = True, on_sent: Callable[[], None] | None = None) -> asyncio.Future[bool]:
        """Something that is no part of an answer; the future tells whether it was heard to its end."""
        return self.queue.say(Line(text, end=len(text), keep=keep, on_sent=on_sent))

    def notice(self, text: str, *, keep: bool = False) -> asyncio.Future[bool]:
        """The same, shown too. Worthless later, unless ``keep``."""
        self._audience.show(Message("assistant", "message", "notice", text))
        return self.say(text, keep=keep)

    def trouble(self, where: str, text: str, *, shown: bool = False) -> None:
        """Something failed: said, and shown unless it is ``shown`` already."""
        self._metrics.errors.labels(where).inc()
        if not shown:
            self._audience.show(Message("server", "error", content=text))
        self.say(text)

    def confirm_release(self) -> None:
        """The tone that says: I have it."""
        if self._earcon:
            self.queue.say(Line("", pcm=self._earcon, keep=False))
            self.queue.expect_more(True)

    def announced(self, text: str) -> None:
        self._last_said = text

    def repeat(self, turn: Turn | None) -> None:
        """The last answer again (a double tap)."""
        self.flush(turn)
        self.notice(self._last_said or phrases.NOTHING_TO_REPEAT, keep=True)

    def flush(self, turn: Turn | None, *, over: bool = False) -> None:
        """Silence at once. The history of ``turn`` is cut where the listener was; with ``over`` also when it was
        between two clauses: what it would still say is not spoken."""
        unheard = self.queue.flush()
        if turn is None or turn.muted:
            return
        if any(item.line.owner is turn for item in unheard) or (over and not turn.done):
            turn.mute(heard_of(turn, unheard, turn.cutter.cut_to))
            turn.cut(self._history)

    # --- what commands want

    def effect(self, turn: Turn, reply: Reply) -> None:
        """Effects of a command on the voice itself."""
        match reply.effect:
            case "repeat":
                self.tell(turn, self._said_before or phrases.NOTHING_TO_REPEAT, final=True)
            case "louder":
                self._set_volume(self._volume + _VOLUME_STEP)
            case "quieter":
                self._set_volume(self._volume - _VOLUME_STEP)
            case "volume" if reply.value is not None:
                self._set_volume(round(reply.value))
            case "faster":
                self._rate = min(_FASTEST, self._rate * _RATE_STEP)
            case "slower":
                self._rate = max(_SLOWEST, self._rate / _RATE_STEP)
            case _:
                pass

    def turned(self, percent: int) -> None:
        """The device's own volume was turned by hand."""
        self._volume = percent

    def _set_volume(self, percent: int) -> None:
        """The device turns its own volume where it can; where it cannot, the sound itself is scaled."""
        self._volume = max(_QUIETEST, min(100, percent))
        if self._audience.can("volume"):
            self.queue.volume = 100
            self._audience.emit(VolumeTo(self._volume))
        else:
            self.queue.volume = self._volume

    def _failed(self, line: Line, error: SpeechError) -> None:
        """The voice failed: shown, and said by the fallback. The same trouble is shown once, not with every clause."""
        self._metrics.errors.labels("speaking").inc()
        if str(error) != self._complaint:
            self._complaint = str(error)
            self._audience.show(Message("server", "error", content=phrases.NO_VOICE.format(reason=error)))
