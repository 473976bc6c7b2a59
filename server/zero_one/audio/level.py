"""How loud PCM is, in dB below full scale (dBFS). Silence is ``FLOOR``."""

from __future__ import annotations

import math
import sys
from array import array
from typing import Final

FLOOR: Final = -120.0


def rms_dbfs(pcm: bytes) -> float:
    """The loudness of all of it. A full-scale sine has -3.0."""
    samples = _samples(pcm)
    if not samples:
        return FLOOR
    return _dbfs(math.sqrt(math.fsum(s * s for s in samples) / len(samples)))


def peak_dbfs(pcm: bytes) -> float:
    """The loudest sample. 0.0 is full scale."""
    samples = _samples(pcm)
    return _dbfs(max((abs(s) for s in samples), default=0))


def _samples(pcm: bytes) -> array[int]:
    samples = array("h", pcm[: len(pcm) & ~1])
    if sys.byteorder == "big":
        samples.byteswap()
    return samples


def _dbfs(value: float) -> float:
    return max(FLOOR, 20 * math.log10(value / 32768)) if value > 0 else FLOOR
