"""With ``--debug``: what the microphone sent, kept as WAV files that only their owner can read."""

from __future__ import annotations

import asyncio
import os
import time
import wave
from pathlib import Path

from zero_one.config.paths import private_dir
from zero_one.protocol.events import PCM_RATE_IN

_KEEP = 100
"""Recordings per device; the oldest go."""


async def keep_recording(folder: Path, pcm: bytes) -> Path:
    """Write one utterance (16-bit mono PCM at 16 kHz), mode 0600. Returns its file. Raises OSError."""
    return await asyncio.to_thread(_write, folder, pcm)


def _write(folder: Path, pcm: bytes) -> Path:
    private_dir(folder)
    name = time.strftime("%Y%m%d-%H%M%S") + f"-{time.time_ns() % 1_000_000_000:09d}.wav"
    file = folder / name
    with (
        open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as raw,
        wave.open(raw, "wb") as out,
    ):
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(PCM_RATE_IN)
        out.writeframes(pcm)
    for old in sorted(folder.glob("*.wav"))[:-_KEEP]:
        old.unlink(missing_ok=True)
    return file
