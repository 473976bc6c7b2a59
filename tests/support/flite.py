"""Test speech from flite's voices: 16 kHz mono PCM, signed 16-bit little-endian, with a little silence around it."""

from __future__ import annotations

import functools
import subprocess
import tempfile
import wave
from pathlib import Path

RATE_HZ = 16_000
VOICES = ("awb", "kal", "kal16", "rms", "slt")


@functools.lru_cache(maxsize=512)
def speak(text: str, voice: str, silence_ms: int = 200) -> bytes:
    """``text`` as ``voice`` says it. flite must be installed (Debian: flite)."""
    import numpy as np
    import soxr

    if voice not in VOICES:
        raise ValueError(f"flite has no voice {voice}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "said.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True, capture_output=True)
        with wave.open(str(path)) as file:
            rate = file.getframerate()
            samples = np.frombuffer(file.readframes(file.getnframes()), np.int16)
    if rate != RATE_HZ:
        resampled = soxr.resample(samples.astype(np.float32), rate, RATE_HZ)
        samples = np.clip(resampled, -32768, 32767).astype(np.int16)
    silence = bytes(2 * RATE_HZ * silence_ms // 1000)
    return silence + samples.tobytes() + silence
