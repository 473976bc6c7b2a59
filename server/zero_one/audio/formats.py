"""PCM and WAV. PCM here is always signed 16-bit little-endian mono, in bytes; rates are Hz, lengths ms."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Final

from zero_one.protocol.riff import SoundReader
from zero_one.protocol.wire import FrameError

BYTES_PER_SAMPLE: Final = 2
_HEADER: Final = 44


class SoundFileError(Exception):
    """A sound file that cannot be read. The text says what is wrong and what would do."""


def ms_of(pcm: bytes | int, rate: int) -> int:
    """Length in ms of PCM, or of that many bytes of it."""
    size = pcm if isinstance(pcm, int) else len(pcm)
    return size // BYTES_PER_SAMPLE * 1000 // rate


def bytes_of(ms: float, rate: int) -> int:
    """How many bytes (whole samples) ``ms`` of PCM have."""
    return int(rate * ms / 1000) * BYTES_PER_SAMPLE


def silence(ms: float, rate: int) -> bytes:
    return bytes(bytes_of(ms, rate))


def wav_header(rate: int, size: int) -> bytes:
    """The 44 bytes in front of ``size`` bytes of PCM."""
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF", min(size + 36, 0xFFFF_FFFF), b"WAVE", b"fmt ", 16, 1, 1, rate, rate * 2, 2, 16, b"data", size,
    )  # fmt: skip


def wav_bytes(pcm: bytes, rate: int) -> bytes:
    return wav_header(rate, len(pcm)) + pcm


def write_wav(path: Path, pcm: bytes, rate: int, *, private: bool = False) -> None:
    """Write a WAV file whole. ``private``: readable by its owner alone (mode 0600), for what a microphone heard."""
    with WavWriter(path, rate, private=private) as writer:
        writer.write(pcm)


class WavWriter:
    """A WAV file written piece by piece. Its header is right after each ``write``, so that a crash loses nothing."""

    def __init__(self, path: Path, rate: int, *, private: bool = False) -> None:
        self._rate, self._size = rate, 0
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags, 0o600 if private else 0o644)
        self._file: BinaryIO = os.fdopen(handle, "wb", buffering=0)
        if private and sys.platform != "win32":
            os.fchmod(self._file.fileno(), 0o600)
        self._file.write(wav_header(rate, 0))

    def write(self, pcm: bytes) -> None:
        self._file.write(pcm)
        self._size += len(pcm)
        self._file.seek(0)
        self._file.write(wav_header(self._rate, self._size))
        self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> WavWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WavReader:
    """RIFF sound in pieces as PCM at ``rate`` Hz, whatever its own format; headerless PCM passes through."""

    def __init__(self, rate: int) -> None:
        self._reader = SoundReader(rate)

    def feed(self, data: bytes) -> bytes:
        """PCM that is complete so far. Raises SoundFileError."""
        return _translated(lambda: self._reader.feed(data))

    def finish(self) -> bytes:
        return _translated(self._reader.finish)


def read_wav(source: Path | bytes, rate: int) -> bytes:
    """A whole WAV file as PCM at ``rate`` Hz: converted, mixed down to mono, resampled. Raises SoundFileError."""
    if isinstance(source, bytes):
        data, name = source, "These bytes"
    else:
        name = str(source)
        try:
            data = source.read_bytes()
        except OSError as problem:
            raise SoundFileError(f"{name} cannot be read: {problem.strerror or problem}.") from None
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise SoundFileError(f"{name} is no WAV file. {_convert(rate)}")
    reader = WavReader(rate)
    try:
        pcm = reader.feed(data) + reader.finish()
    except SoundFileError as problem:
        raise SoundFileError(f"{name} cannot be used: {problem} {_convert(rate)}") from problem
    return pcm[: len(pcm) & ~1]


def _convert(rate: int) -> str:
    return f"Convert it, for example with: ffmpeg -i FILE -ac 1 -ar {rate} -c:a pcm_s16le out.wav"


def _translated(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except FrameError as problem:
        raise SoundFileError(str(problem)) from None
