"""The speech queue: clauses in, paced sound out, and an account of what was heard.

A clause is synthesized while the one before it plays. Sound goes out at most ``AHEAD_MS`` ahead of the listener, so
that a flush is heard at once. Each burst of sound (from silence to silence) is a generation of its own; a flush bumps
the number, and everything of a lower one is stale.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

from zero_one.conversation.playback import Clock, Playback
from zero_one.conversation.sound import scaled
from zero_one.conversation.tasks import Tasks
from zero_one.protocol.events import PCM_RATE_OUT, Flush, ServerEvent, SpeechEnd, SpeechPcm, SpeechStart
from zero_one.protocol.riff import Converter, SoundFormat
from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.base import Synthesizer, Voice

log = logging.getLogger(__name__)

AHEAD_MS = 400.0
CHUNK_MS = 40
_CHARS_PER_SECOND = 15.0
"""Of ordinary speech: used only for a clause whose sound is not complete when it is cut."""


@dataclass(eq=False, slots=True)
class Line:
    """Something to say. ``start`` and ``end`` are its place in ``owner``'s text; ``pcm`` is ready-made sound instead,
    at ``PCM_RATE_OUT``. ``keep`` is false for what is worthless later (an earcon, "still working")."""

    text: str
    owner: object | None = None
    start: int = 0
    end: int = 0
    pcm: bytes | None = None
    keep: bool = True
    voice: Voice | None = None
    on_sent: Callable[[], None] | None = None
    """Called when the first of its sound has gone out."""
    done: asyncio.Future[bool] | None = None
    """Set true when it has been heard to its end, false when it was dropped."""


@dataclass(frozen=True, slots=True)
class Unheard:
    """A line that was not heard to its end, and the share of it (0 to 1) that was."""

    line: Line
    share: float


@dataclass(eq=False, slots=True)
class _Sound:
    """A line being made into sound at the device's rate."""

    line: Line
    pcm: bytearray = field(default_factory=bytearray)
    complete: bool = False
    sent: int = 0
    starts_ms: float = 0.0
    timer: asyncio.TimerHandle | None = None


class SpeechQueue:
    """One per conversation. Not a task: it owns two while there is something to say, and none in silence."""

    def __init__(
        self,
        synthesizer: Synthesizer,
        speakable: Callable[[str, str], str],
        emit: Callable[[ServerEvent], None],
        clock: Clock,
        *,
        voice: Callable[[], Voice],
        on_change: Callable[[], None] = lambda: None,
        on_error: Callable[[Line, SpeechError], None] = lambda line, error: None,
        fallback: Synthesizer | None = None,
        generation: int = 0,
        paused: bool = False,
    ) -> None:
        self._synthesizer, self._fallback, self._speakable = synthesizer, fallback, speakable
        self._emit, self._clock, self._voice = emit, clock, voice
        self._on_change, self._on_error = on_change, on_error
        self._sounds: deque[_Sound] = deque()
        self._playing = 0  # index into _sounds of the one being sent
        self._news = asyncio.Event()
        self._tasks = Tasks("the speech queue")
        self._maker: asyncio.Task[None] | None = None
        self._player: asyncio.Task[None] | None = None
        self._burst: Playback | None = None
        self._end_sent = False
        self._unflushed = False
        self._paused = paused
        self._more = False
        self.generation = generation
        self.rate = PCM_RATE_OUT
        self.volume = 100

    # --- what the conversation asks

    @property
    def speaking(self) -> bool:
        """Whether something is being heard or waits to be."""
        return bool(self._sounds) and not self._paused

    @property
    def lead_ms(self) -> float:
        """How long what is sent now waits on the device before it is heard."""
        return self._burst.ahead_ms() if self._burst is not None else 0.0

    @property
    def waiting(self) -> list[Line]:
        """Lines not yet heard to their end, in order."""
        return [sound.line for sound in self._sounds]

    def say(self, line: Line) -> asyncio.Future[bool]:
        """Queue a line; the future tells whether it was heard to its end."""
        line.done = line.done or asyncio.get_running_loop().create_future()
        self._sounds.append(_Sound(line))
        self._wake()
        self._on_change()
        return line.done

    def expect_more(self, more: bool) -> None:
        """Whether further lines of this turn may follow at any moment: keeps the burst open over a short gap."""
        self._more = more
        self._news.set()

    def flush(self) -> list[Unheard]:
        """Drop everything at once, here and on the device. Returns what was not heard."""
        unheard = self._unheard()
        if self._burst is not None or self._unflushed:
            # Also when all should have been heard: a slow device may still have some of it.
            self.generation += 1
            self._emit(Flush(self.generation))
            self._unflushed = False
        self._halt()
        for item in unheard:
            _resolve(item.line, False)
        self._sounds.clear()
        self._on_change()
        return unheard

    def withdraw(self, done: asyncio.Future[bool]) -> None:
        """Do not say the line with this future after all; if it is just being said, everything is dropped."""
        for at, sound in enumerate(self._sounds):
            if sound.line.done is not done:
                continue
            if at <= self._playing and not self._paused:
                self.flush()
            else:
                del self._sounds[at]
                _resolve(sound.line, False)
                self._news.set()
                self._on_change()
            return

    def pause(self) -> None:
        """Nobody listens: stop, and go back to the beginning of the line that was cut."""
        if self._paused:
            return
        kept = [item.line for item in self._unheard() if item.line.keep]
        dropped = [sound.line for sound in self._sounds if not sound.line.keep]
        if self._burst is not None:
            self.generation += 1
            self._emit(Flush(self.generation))
        self._halt()
        self._paused = True
        self._sounds = deque(_Sound(line) for line in kept)
        for line in dropped:
            _resolve(line, False)
        self._on_change()

    def resume(self) -> None:
        """Somebody listens again."""
        self._paused = False
        if self._sounds:
            self._wake()
        self._on_change()

    def played(self, generation: int, played_ms: float) -> None:
        """The device says how much of a generation it has played."""
        if self._burst is not None and generation == self.generation:
            self._burst.report(played_ms)
            self._reschedule()
            self._news.set()

    async def silence(self) -> None:
        """Wait until everything queued so far has been heard or dropped."""
        for sound in list(self._sounds):
            if sound.line.done is not None:
                await asyncio.shield(sound.line.done)

    async def close(self) -> None:
        """Drop everything, wait for the tasks."""
        self.flush()
        await self._tasks.close()

    # --- account of what was heard

    def _unheard(self) -> list[Unheard]:
        heard_ms = self._burst.heard_ms() if self._burst is not None else 0.0
        out: list[Unheard] = []
        for sound in self._sounds:
            share = 0.0
            if self._burst is not None and sound.sent:
                length = self._ms(len(sound.pcm))
                if not sound.complete:
                    length = max(length, len(sound.line.text) / _CHARS_PER_SECOND * 1000)
                heard = heard_ms - sound.starts_ms
                share = min(max(heard / length, 0.0), 1.0) if length else 1.0
            out.append(Unheard(sound.line, share))
        return out

    def _ms(self, size: int) -> float:
        return size / 2 / self.rate * 1000

    # --- tasks

    def _wake(self) -> None:
        self._news.set()
        if self._paused:
            return
        if self._maker is None:
            self._maker = self._tasks.spawn(self._make())
        if self._player is None:
            self._player = self._tasks.spawn(self._play())

    def _halt(self) -> None:
        for task in (self._maker, self._player):
            if task is not None:
                task.cancel()
        for sound in self._sounds:
            if sound.timer is not None:
                sound.timer.cancel()
        self._maker = self._player = None
        self._burst = None
        self._end_sent = False
        self._playing = 0
        self._more = False

    async def _make(self) -> None:
        """Synthesize the line that plays and the one after it; no further, so that a flush wastes little."""
        while True:
            sound = next((s for s in list(self._sounds)[: self._playing + 2] if not s.complete), None)
            if sound is None:
                if not self._sounds:
                    self._maker = None
                    return
                self._news.clear()
                await self._news.wait()
                continue
            await self._fill(sound)
            sound.complete = True
            self._news.set()

    async def _fill(self, sound: _Sound) -> None:
        line = sound.line
        if line.pcm is not None:
            self._grow(sound, Converter(SoundFormat(PCM_RATE_OUT), self.rate).feed(line.pcm, last=True))
            return
        voice = line.voice or self._voice()
        text = self._speakable(line.text, voice.language or "en").strip()
        if not text:
            return
        try:
            await self._speak(sound, self._synthesizer, text, voice)
        except SpeechError as error:
            self._on_error(line, error)
            if self._fallback is None:
                return
            del sound.pcm[sound.sent :]
            try:
                await self._speak(sound, self._fallback, text, Voice(language=voice.language, rate=voice.rate))
            except SpeechError as second:
                log.error("the fallback voice failed too: %s", second)

    async def _speak(self, sound: _Sound, engine: Synthesizer, text: str, voice: Voice) -> None:
        converter: Converter | None = None
        pieces = engine.speak(text, voice)
        try:
            async for piece in pieces:
                if converter is None:
                    converter = Converter(SoundFormat(engine.sample_rate), self.rate)
                self._grow(sound, converter.feed(piece))
        finally:
            # Closing it is what stops the engine; a plain iterator has nothing to stop.
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()
        if converter is not None:
            self._grow(sound, converter.feed(b"", last=True))

    def _grow(self, sound: _Sound, pcm: bytes) -> None:
        if pcm:
            sound.pcm += pcm
            self._news.set()

    async def _play(self) -> None:
        """Send what is made, a little ahead of the listener."""
        size = self.rate * CHUNK_MS // 1000 * 2
        while True:
            if self._playing >= len(self._sounds):
                if await self._gap():
                    self._player = None
                    return
                continue
            sound = self._sounds[self._playing]
            available = len(sound.pcm) - sound.sent
            if available >= size or (sound.complete and available):
                await self._send(sound, bytes(sound.pcm[sound.sent : sound.sent + size]))
            elif sound.complete:
                self._sent_all(sound)
            else:
                self._news.clear()
                await self._news.wait()

    async def _send(self, sound: _Sound, data: bytes) -> None:
        if self._end_sent and self._burst is not None:
            # The last burst was closed but is still heard: the next one begins when it is over.
            await asyncio.sleep(self._burst.ahead_ms() / 1000)
            self._burst = None
        if self._burst is None:
            self.generation += 1
            self._end_sent = False
            self._burst = Playback(self._clock)
            self._unflushed = True
            self._emit(SpeechStart(self.generation, self.rate))
        burst, length = self._burst, self._ms(len(data))
        while (wait := burst.ahead_ms() + length - AHEAD_MS) > 0:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), wait / 1000)
            except TimeoutError:
                pass
        if not sound.sent:
            sound.starts_ms = burst.sent_ms
        sound.sent += len(data)
        burst.sent(length)
        self._emit(SpeechPcm(self.generation, scaled(data, self.volume)))
        if sound.line.on_sent is not None:
            sound.line.on_sent()
            sound.line.on_sent = None

    def _sent_all(self, sound: _Sound) -> None:
        self._playing += 1
        if not sound.sent and self._burst is not None:
            sound.starts_ms = self._burst.sent_ms
        sound.timer = asyncio.get_running_loop().call_later(self._remaining(sound), self._heard, sound)
        self._news.set()

    def _remaining(self, sound: _Sound) -> float:
        """Seconds until a wholly sent sound has been heard."""
        if self._burst is None:
            return 0.0
        return max(0.0, sound.starts_ms + self._ms(sound.sent) - self._burst.heard_ms()) / 1000

    def _reschedule(self) -> None:
        for sound in list(self._sounds)[: self._playing]:
            if sound.timer is not None:
                sound.timer.cancel()
                sound.timer = asyncio.get_running_loop().call_later(self._remaining(sound), self._heard, sound)

    def _heard(self, sound: _Sound) -> None:
        """A sound, and so every one before it, has been heard to its end."""
        while self._sounds:
            first = self._sounds.popleft()
            self._playing -= 1
            if first.timer is not None:
                first.timer.cancel()
            _resolve(first.line, True)
            if first is sound:
                break
        self._news.set()
        self._on_change()

    async def _gap(self) -> bool:
        """Nothing to send now. True when all was heard and the burst is closed, so that the task may end."""
        if self._burst is None:
            return True
        if not self._end_sent and (not self._more or not self._sounds):
            self._end_sent = True
            self._emit(SpeechEnd(self.generation))
        if not self._sounds:
            self._burst = None
            return True
        self._news.clear()
        await self._news.wait()
        return False


def _resolve(line: Line, heard: bool) -> None:
    if line.done is not None and not line.done.done():
        line.done.set_result(heard)
