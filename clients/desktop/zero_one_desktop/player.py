"""Speech on its way to the ear: what belongs to which generation, how far it has been heard, and silence on demand."""

from __future__ import annotations

from dataclasses import dataclass

from zero_one.audio.devices import Speaker
from zero_one.audio.formats import ms_of
from zero_one.audio.resample import Resampler
from zero_one.protocol.events import Played, SpeechEnd, SpeechPcm, SpeechStart


@dataclass(slots=True)
class _Burst:
    generation: int
    base_ms: int  # the speaker's position at its first sample
    end_ms: int  # and after the last that was written
    size: int = 0  # bytes written; ms of single frames would add up their rounding
    reported_ms: int = -1


class Player:
    """Plays one burst after the other. ``volume`` is 0 to 100, on top of the system's."""

    def __init__(self, speaker: Speaker) -> None:
        self._speaker = speaker
        self._resampler: Resampler | None = None
        self._bursts: list[_Burst] = []
        self._floor = 0
        self.volume = 100

    @property
    def playing(self) -> bool:
        """Something that was written has not been heard yet."""
        return self.left_ms > 0

    @property
    def left_ms(self) -> int:
        """How much of what was written is still to be heard."""
        return max(0, self._bursts[-1].end_ms - self._speaker.position_ms) if self._bursts else 0

    def start(self, event: SpeechStart) -> None:
        if event.generation < self._floor:
            return
        at = self._speaker.end_ms
        if not self._bursts or self._bursts[-1].generation != event.generation:
            self._bursts.append(_Burst(event.generation, at, at))
        self._resampler = None if event.rate == self._speaker.rate else Resampler(event.rate, self._speaker.rate)

    def feed(self, event: SpeechPcm) -> None:
        if not self._bursts or self._bursts[-1].generation != event.generation or event.generation < self._floor:
            return
        self._write(self._resampler.feed(event.data) if self._resampler else event.data)

    def finish(self, event: SpeechEnd) -> None:
        if self._resampler is not None and self._bursts and self._bursts[-1].generation == event.generation:
            self._write(self._resampler.finish())
            self._resampler = None

    def flush(self, generation: int) -> None:
        """Forget all that is buffered of generations below ``generation``."""
        self._floor = max(self._floor, generation)
        if any(burst.generation < generation for burst in self._bursts):
            # Speech is written in the order of its generations: what is newer than a flush has not been sent yet.
            self.hush()

    def hush(self) -> list[Played]:
        """Silence now. What had been heard of each burst, for the server to cut its history at."""
        reports = self.reports()
        self._speaker.drop()
        self._bursts.clear()
        self._resampler = None
        return reports

    def reports(self) -> list[Played]:
        """How far each burst has been heard, where that has changed; bursts heard to their end are forgotten."""
        position = self._speaker.position_ms
        reports = []
        for burst in self._bursts:
            played = max(0, min(position, burst.end_ms) - burst.base_ms)
            if played != burst.reported_ms and (played or burst.reported_ms >= 0):
                burst.reported_ms = played
                reports.append(Played(burst.generation, played))
        # The newest stays: more of it may come.
        self._bursts = [burst for burst in self._bursts[:-1] if position < burst.end_ms] + self._bursts[-1:]
        return reports

    def tone(self, pcm: bytes) -> None:
        """Play a sound of our own, unless speech is playing."""
        if not self.playing:
            self._speaker.write(self._scaled(pcm))

    def _write(self, pcm: bytes) -> None:
        self._speaker.write(self._scaled(pcm))
        burst = self._bursts[-1]
        burst.size += len(pcm)
        burst.end_ms = burst.base_ms + ms_of(burst.size, self._speaker.rate)

    def _scaled(self, pcm: bytes) -> bytes:
        if self.volume >= 100:
            return pcm
        import numpy as np

        samples = np.frombuffer(pcm[: len(pcm) & ~1], "<i2").astype(np.float32) * (self.volume / 100)
        out: bytes = samples.astype("<i2").tobytes()
        return out
