"""Where in PCM somebody speaks, by webrtcvad. Clock-free: time is counted in samples only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from zero_one.audio.formats import bytes_of

RATES: Final = (8_000, 16_000, 32_000, 48_000)
FRAME_MS: Final = 20


@dataclass(frozen=True, slots=True)
class Span:
    """From ``start_ms`` to ``end_ms`` somebody speaks."""

    start_ms: int
    end_ms: int

    @property
    def length_ms(self) -> int:
        return self.end_ms - self.start_ms


class VoiceDetector:
    """PCM in pieces of any size to decisions, one for each 20 ms.

    ``mode`` is webrtcvad's: 0 takes much for speech, 3 little.
    """

    def __init__(self, rate: int = 16_000, mode: int = 2) -> None:
        if rate not in RATES:
            raise ValueError(f"webrtcvad works at {', '.join(map(str, RATES))} Hz, not at {rate}")
        import webrtcvad

        self._vad: Any = webrtcvad.Vad(mode)
        self._rate = rate
        self._frame = bytes_of(FRAME_MS, rate)
        self._left = b""

    def process(self, pcm: bytes) -> list[bool]:
        """Is there speech? For each 20 ms that are complete now; the rest waits for the next call."""
        data = self._left + pcm
        whole = len(data) - len(data) % self._frame
        self._left = data[whole:]
        return [
            bool(self._vad.is_speech(data[at : at + self._frame], self._rate)) for at in range(0, whole, self._frame)
        ]


class SpeechTracker:
    """Turns decisions into spans of speech.

    Speech begins after ``begin_ms`` of it (shorter bursts are clicks) and ends after ``end_ms`` without: a pause inside
    a sentence is shorter.
    """

    def __init__(self, begin_ms: int = 60, end_ms: int = 700) -> None:
        self._begin_ms, self._end_ms = begin_ms, end_ms
        self.now_ms = 0
        self.speaking = False
        self.spans: list[Span] = []
        self._run_from = 0
        self._last_voice = 0
        self._voiced = False

    def process(self, is_speech: bool, chunk_ms: int = FRAME_MS) -> None:
        """Account for the next ``chunk_ms``. Look at ``speaking``, ``silence_ms`` and ``spans`` afterwards."""
        if is_speech:
            if not self._voiced:
                self._run_from, self._voiced = self.now_ms, True
            self._last_voice = self.now_ms + chunk_ms
            if not self.speaking and self._last_voice - self._run_from >= self._begin_ms:
                self.speaking = True
        elif not self.speaking:
            self._voiced = False
        self.now_ms += chunk_ms
        if self.speaking and self.now_ms - self._last_voice >= self._end_ms:
            self._close()

    @property
    def silence_ms(self) -> int:
        """How long nobody has spoken."""
        return self.now_ms - self._last_voice

    def finish(self) -> list[Span]:
        """All spans, with the one that was still open."""
        if self.speaking:
            self._close()
        return self.spans

    def _close(self) -> None:
        self.spans.append(Span(self._run_from, self._last_voice))
        self.speaking = self._voiced = False


def speech_spans(pcm: bytes, rate: int = 16_000, *, mode: int = 2, begin_ms: int = 60, end_ms: int = 300) -> list[Span]:
    """Where in a whole recording somebody speaks."""
    tracker = SpeechTracker(begin_ms, end_ms)
    for is_speech in VoiceDetector(rate, mode).process(pcm):
        tracker.process(is_speech)
    return tracker.finish()


def trim(pcm: bytes, rate: int = 16_000, *, pad_ms: int = 200, mode: int = 2) -> bytes:
    """The recording without the silence around it; ``pad_ms`` of it stay. Empty when nobody speaks."""
    spans = speech_spans(pcm, rate, mode=mode)
    if not spans:
        return b""
    start = bytes_of(max(0, spans[0].start_ms - pad_ms), rate)
    return pcm[start : bytes_of(spans[-1].end_ms + pad_ms, rate)]
