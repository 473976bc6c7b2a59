"""Sound for tests as 16 kHz mono PCM (16 bit, little-endian): flite's voices, recorded people, noise and silence."""

from __future__ import annotations

import os
import subprocess
import tempfile
import wave
from functools import cache
from pathlib import Path

import numpy as np
import soxr

from support.needs import need, need_shared, shared

RATE = 16_000


@cache
def say(text: str, voice: str = "slt", silence_ms: int = 0) -> bytes:
    """``text`` spoken by flite (Debian's ``flite``: kal, kal16, awb, rms, slt), with silence before and after."""
    with tempfile.TemporaryDirectory() as folder:
        spoken = read(say_into(Path(folder) / "speech.wav", text, voice))
    return silence(silence_ms) + spoken + silence(silence_ms)


def say_into(path: Path, text: str, voice: str = "slt") -> Path:
    """A WAV of ``text``, at the voice's own rate."""
    need("flite")
    subprocess.run(["flite", "-voice", voice, "-t", text, "-o", str(path)], check=True, timeout=60)
    return path


def read(path: Path) -> bytes:
    """A mono 16-bit WAV."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
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


def human_clips() -> list[Path]:
    """Recorded people."""
    clips = sorted(need_shared("speech").glob("*.wav"))
    assert clips
    return clips


def recorded(*names: str) -> dict[str, bytes]:
    """These clips, where this machine has them: for tests that flite's speech serves as well."""
    folder = shared()
    return {name: read(folder / "speech" / name) for name in names} if folder and (folder / "speech").is_dir() else {}


def stand_in() -> Path:
    """The small Whisper that knows thirty phrases."""
    name = "whisper-standin-int8"
    if (own := os.environ.get("ZERO_ONE_MODELS")) and (Path(own) / name / "model.bin").is_file():
        return Path(own) / name
    return need_shared(f"models/{name}/model.bin").parent
