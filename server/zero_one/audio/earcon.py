"""Short synthesized tones that say what happened before any word can.

Each tone is a sine with a soft second harmonic under a raised-cosine attack and an exponential decay, a fifth or a
fourth apart: pleasant, distinct without looking, and quiet (about -20 dBFS) because they come often.
"""

from __future__ import annotations

import math
import struct
from functools import lru_cache
from typing import Final, Literal

RATE: Final = 24_000

Earcon = Literal["listening", "release", "error"]

# (Hz, start ms, length ms)
_NOTES: Final[dict[str, tuple[tuple[float, int, int], ...]]] = {
    "listening": ((659.26, 0, 90),),
    "release": ((659.26, 0, 90), (987.77, 60, 120)),
    "error": ((392.00, 0, 140), (293.66, 110, 220)),
}
_PEAK: Final = 0.22
_ATTACK_MS: Final = 6


@lru_cache(maxsize=8)
def earcon(name: Earcon, rate: int = RATE) -> bytes:
    """PCM of the tone at ``rate`` Hz, between 90 and 330 ms long."""
    notes = _NOTES[name]
    length = max(start + ms for _, start, ms in notes) * rate // 1000
    mix = [0.0] * length
    for pitch, start_ms, ms in notes:
        first, count = start_ms * rate // 1000, ms * rate // 1000
        attack = _ATTACK_MS * rate // 1000
        for at in range(count):
            rise = 0.5 - 0.5 * math.cos(math.pi * min(at, attack) / attack)
            fall = math.exp(-4 * at / count) * min(1.0, (count - at) / attack)
            angle = 2 * math.pi * pitch * at / rate
            mix[first + at] += rise * fall * (math.sin(angle) + 0.25 * math.sin(2 * angle))
    loudest = max(map(abs, mix))
    return struct.pack(f"<{length}h", *(round(value / loudest * _PEAK * 32767) for value in mix))
