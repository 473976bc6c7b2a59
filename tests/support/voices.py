"""Speech for tests: flite's voices, as 16 kHz mono PCM, and the recorded human clips where they are."""

from __future__ import annotations

import os
import subprocess
import tempfile
import wave
from functools import cache
from pathlib import Path

import numpy as np
import soxr

RATE = 16_000
ROOT = Path(__file__).resolve().parents[2]


@cache
def say(text: str, voice: str = "slt") -> bytes:
    """``text`` spoken by flite (Debian's ``flite``: kal, kal16, awb, rms, slt)."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "speech.wav"
        subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True, timeout=60)
        return read(path)


def read(path: Path) -> bytes:
    """A mono 16-bit WAV as 16 kHz PCM."""
    with wave.open(str(path)) as file:
        pcm, rate = file.readframes(file.getnframes()), file.getframerate()
    return at_16k(pcm, rate)


def at_16k(pcm: bytes, rate: int) -> bytes:
    if rate == RATE:
        return pcm
    samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32)
    return bytes(np.clip(soxr.resample(samples, rate, RATE), -32768, 32767).astype("<i2").tobytes())


def silence(ms: int) -> bytes:
    return bytes(ms * RATE // 1000 * 2)


def noise(ms: int, loudness: int = 1500, seed: int = 7) -> bytes:
    random = np.random.default_rng(seed)
    return bytes(random.normal(0, loudness, ms * RATE // 1000).clip(-32000, 32000).astype("<i2").tobytes())


def shared() -> Path | None:
    """The folder of models and recordings that are kept out of the repository."""
    named = os.environ.get("ZERO_ONE_TEST_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder if folder.is_dir() else None


def human_clips() -> list[Path]:
    folder = shared()
    return sorted((folder / "speech").glob("*.wav")) if folder else []


def stand_in() -> Path | None:
    """The small Whisper that knows thirty phrases."""
    folders = [Path(named) for name in ("ZERO_ONE_MODELS",) if (named := os.environ.get(name))]
    if (folder := shared()) is not None:
        folders.append(folder / "models")
    for place in folders:
        if (place / "whisper-standin-int8" / "model.bin").is_file():
            return place / "whisper-standin-int8"
    return None
