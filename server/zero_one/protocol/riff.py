"""Sound that arrives in pieces, with or without RIFF headers, as plain PCM.

The chunk layout follows Microsoft's and IBM's "Multimedia Programming Interface and Data Specifications 1.0" (1991);
``WAVE_FORMAT_EXTENSIBLE`` carries the true format in the first two bytes of its SubFormat.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Final

from zero_one.protocol.wire import FrameError

# A header with lists and padding stays far below this; a longer one is no header but somebody filling our memory.
MAX_HEADER: Final = 64 * 1024
# Writers that do not know the length yet put one of these into the data chunk.
UNKNOWN_LENGTHS: Final = frozenset({0, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF})
RATES: Final = range(4_000, 384_001)

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
_TRAILING: Final = frozenset({b"LIST", b"fact", b"cue ", b"bext", b"id3 ", b"ID3 ", b"smpl", b"JUNK", b"iXML", b"_PMX"})


@dataclass(frozen=True, slots=True)
class SoundFormat:
    """How samples are laid out. ``width`` is bytes in one sample of one channel."""

    rate: int
    channels: int = 1
    width: int = 2
    is_float: bool = False


class Converter:
    """A stream of samples of one format as PCM signed 16-bit little-endian mono at ``rate`` Hz.

    What is that already passes through untouched, bit by bit. numpy and soxr are imported only when they are needed.
    """

    def __init__(self, source: SoundFormat, rate: int) -> None:
        self._source = source
        self._frame = source.channels * source.width
        self._left = b""
        self._identical = source == SoundFormat(rate)
        self._stream: Any = None
        if source.rate != rate:
            import soxr

            self._stream = soxr.ResampleStream(source.rate, rate, 1, dtype="float32", quality="HQ")

    def feed(self, data: bytes, *, last: bool = False) -> bytes:
        """Convert more bytes; a part of a sample is kept for the next call. ``last`` flushes the resampler's delay."""
        data = self._left + data
        cut = len(data) - len(data) % self._frame
        data, self._left = data[:cut], data[cut:]
        if self._identical:
            return data
        return self._convert(data, last)

    def _convert(self, data: bytes, last: bool) -> bytes:
        import numpy as np

        source = self._source
        samples: Any
        if source.is_float:
            samples = np.frombuffer(data, "<f4" if source.width == 4 else "<f8").astype(np.float32)
            samples = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
        elif source.width == 1:
            samples = (np.frombuffer(data, np.uint8).astype(np.float32) - 128) / 128
        elif source.width == 3:
            padded = np.zeros((len(data) // 3, 4), np.uint8)
            padded[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
            samples = padded.view("<i4").reshape(-1).astype(np.float32) / 2147483648
        else:
            whole = np.frombuffer(data, "<i2" if source.width == 2 else "<i4").astype(np.float32)
            samples = whole / (32768 if source.width == 2 else 2147483648)
        if source.channels > 1:
            samples = samples.reshape(-1, source.channels).mean(axis=1, dtype=np.float32)
        if self._stream is not None:
            samples = self._stream.resample_chunk(np.ascontiguousarray(samples, np.float32), last=last)
        out: bytes = np.clip(np.rint(samples * 32768), -32768, 32767).astype("<i2").tobytes()
        return out


class SoundReader:
    """One utterance's binary frames as PCM at ``rate`` Hz, whatever way they were cut.

    The first bytes decide: ``RIFF....WAVE`` opens a header (parsed even when it is split over frames), anything else is
    raw PCM in the agreed format. A stream may hold several headers, one in each frame for example.
    """

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._raw = SoundFormat(rate)
        self._converter: Converter | None = None
        self._converter_of: SoundFormat | None = None
        self._layout = self._raw
        self._pending = b""
        self._in_header = True
        self._data_left: int | None = None
        self._skip = 0
        self._refused = False

    def feed(self, data: bytes) -> bytes:
        """PCM that is complete so far. Raises FrameError once for a header that cannot be read; the rest is dropped."""
        if self._refused:
            return b""
        out = b""
        self._pending += data
        before: tuple[int, bool, int | None] | None = None
        try:
            while self._pending and before != (now := (len(self._pending), self._in_header, self._data_left)):
                before = now
                out += self._step()
        except FrameError:
            self._refused, self._pending = True, b""
            raise
        return out

    def finish(self) -> bytes:
        """What was still held back at the end of the utterance."""
        rest, self._pending = self._pending, b""
        out = b""
        if self._in_header:
            # Fewer bytes than a header needs: they were sound, unless they begin one.
            if rest and not rest.startswith(b"RIFF"):
                out += self._convert(self._raw, rest)
        elif rest and self._data_left != 0:
            out += self._convert(self._layout, rest)
        if self._converter is not None:
            out += self._converter.feed(b"", last=True)
            self._converter = None
        return out

    def _step(self) -> bytes:
        if self._skip:
            dropped = min(self._skip, len(self._pending))
            self._pending = self._pending[dropped:]
            self._skip -= dropped
            return b""
        if self._in_header:
            return self._header()
        if self._data_left is None:
            data, self._pending = self._pending, b""
        elif self._data_left:
            data, self._pending = self._pending[: self._data_left], self._pending[self._data_left :]
            self._data_left -= len(data)
        else:
            return self._after_data()
        return self._convert(self._layout, data)

    def _after_data(self) -> bytes:
        """Behind a data chunk of known length: another file, a trailing chunk, or sound of a header that lied."""
        head = self._pending[:4]
        if len(head) < 4 and any(known.startswith(head) for known in (*_TRAILING, b"RIFF")):
            return b""
        if head == b"RIFF":
            self._in_header = True
        elif head not in _TRAILING:
            self._data_left = None
        elif len(self._pending) >= 8:
            (size,) = struct.unpack_from("<I", self._pending, 4)
            self._skip = 8 + size + size % 2
            return self._step()
        return b""

    def _header(self) -> bytes:
        buffer = self._pending
        if not b"RIFF".startswith(buffer[:4]) or (len(buffer) >= 12 and buffer[8:12] != b"WAVE"):
            self._in_header, self._data_left, self._layout = False, None, self._raw
            return b""
        if len(buffer) < 12:
            return b""
        at, layout = 12, None
        while len(buffer) >= at + 8:
            name, size = struct.unpack_from("<4sI", buffer, at)
            if name == b"data":
                if layout is None:
                    raise FrameError("bad_wav", "This WAV file has no format before its sound. Send 16-bit PCM.")
                self._in_header, self._layout = False, layout
                self._data_left = None if size in UNKNOWN_LENGTHS else size
                self._pending = buffer[at + 8 :]
                return b""
            if size > MAX_HEADER:
                break
            if name == b"fmt ":
                if len(buffer) < at + 8 + size:
                    return b""
                layout = _layout(buffer[at + 8 : at + 8 + size])
            at += 8 + size + size % 2
        if len(buffer) > MAX_HEADER or len(buffer) >= at + 8:
            raise FrameError("bad_wav", "This WAV header is longer than a header can be. Send 16-bit PCM.")
        return b""

    def _convert(self, source: SoundFormat, data: bytes) -> bytes:
        out = b""
        if self._converter is None or self._converter_of != source:
            if self._converter is not None:
                out = self._converter.feed(b"", last=True)
            self._converter, self._converter_of = Converter(source, self._rate), source
        return out + self._converter.feed(data)


def _layout(chunk: bytes) -> SoundFormat:
    if len(chunk) < 16:
        raise FrameError("bad_wav", "This WAV header's format is too short. Send 16-bit PCM.")
    tag, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if tag == _EXTENSIBLE and len(chunk) >= 26:
        (tag,) = struct.unpack_from("<H", chunk, 24)
    known = (tag == _PCM and bits in (8, 16, 24, 32)) or (tag == _FLOAT and bits in (32, 64))
    if not known:
        raise FrameError("bad_wav", f"WAV sound of kind {tag} with {bits} bits is not understood. Send 16-bit PCM.")
    if not 1 <= channels <= 8 or rate not in RATES:
        raise FrameError("bad_wav", f"A WAV file with {channels} channels at {rate} Hz is not understood.")
    return SoundFormat(rate, channels, bits // 8, tag == _FLOAT)
