"""Changing the rate of a stream of PCM, by soxr. numpy and soxr are imported when a stream really changes its rate."""

from __future__ import annotations

from zero_one.protocol.riff import Converter, SoundFormat


class Resampler:
    """PCM in pieces from one rate to another (Hz). Equal rates pass through bit by bit."""

    def __init__(self, from_rate: int, to_rate: int) -> None:
        self._from, self._to = from_rate, to_rate
        self._converter = Converter(SoundFormat(from_rate), to_rate)

    def feed(self, pcm: bytes) -> bytes:
        """What is ready so far; a few ms stay inside the filter."""
        return self._converter.feed(pcm)

    def finish(self) -> bytes:
        """What was left inside the filter. The resampler begins anew afterwards."""
        rest = self._converter.feed(b"", last=True)
        self._converter = Converter(SoundFormat(self._from), self._to)
        return rest


def resample(pcm: bytes, from_rate: int, to_rate: int) -> bytes:
    """A whole piece of PCM at another rate."""
    if from_rate == to_rate:
        return pcm
    resampler = Resampler(from_rate, to_rate)
    return resampler.feed(pcm) + resampler.finish()
