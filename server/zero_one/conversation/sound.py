"""PCM on its way to a device: resampled to its rate, scaled to its volume. Signed 16-bit little-endian mono."""

from __future__ import annotations


def scaled(pcm: bytes, percent: int) -> bytes:
    """``pcm`` at ``percent`` of its amplitude, on a curve that sounds even (60 dB over the range). 100 = untouched."""
    if percent >= 100 or not pcm:
        return pcm
    if percent <= 0:
        return bytes(len(pcm))
    import numpy as np  # slow to import, and seldom needed

    gain = 10 ** ((percent - 100) * 0.3 / 20)
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32) * gain
    return samples.astype("<i2").tobytes()
