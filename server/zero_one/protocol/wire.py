"""What both ends of the Light protocol agree on: limits, times, and how a text frame is read and written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

PROTOCOL: Final = 1

# Sizes in bytes. The text limit leaves room for one photograph; sound is never that large: the first 01's largest frame
# has 10,240 bytes, and a whole minute of 16 kHz PCM as one file has 1.9 million.
MAX_TEXT_FRAME: Final = 8 * 1024 * 1024
MAX_BINARY_FRAME: Final = 2 * 1024 * 1024
MAX_TYPED_CHARS: Final = 64 * 1024
MAX_IMAGES: Final = 4
MAX_ID_CHARS: Final = 128

# A level 0 device copies each frame into a buffer of this size without looking. A level 1 device hears at most 85 ms
# in one frame, so that a flush never waits behind much.
LEVEL0_FRAME: Final = 1024
LEVEL1_FRAME: Final = 4096
LEVEL0_RATE: Final = 24_000

# A level 0 device that labels its sound bytes.raw flushes its buffer after the end header; one that labels it bytes.wav
# has sent all it has. Every late frame buys a little more time, up to the limit.
TAIL_GRACE_RAW_MS: Final = 300
TAIL_GRACE_WAV_MS: Final = 150
TAIL_EXTEND_MS: Final = 100
TAIL_LIMIT_MS: Final = 1_000

# A device that says nothing for this long after connecting is a level 0 device (it has nothing to say before a press).
HELLO_WAIT_MS: Final = 1_000

FORMATS: Final = frozenset({"bytes.raw", "bytes.wav"})
STATES: Final = frozenset({"idle", "listening", "thinking", "acting", "asking", "speaking"})

Frame = str | bytes


class FrameError(Exception):
    """A frame that cannot be taken. ``code`` is a stable word, the text is for people."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def read_text(frame: str) -> dict[str, Any]:
    """The JSON object in a text frame. Raises FrameError."""
    # A character may take up to four bytes; encoding is only worth its price near the limit.
    if len(frame) > MAX_TEXT_FRAME or (
        len(frame) * 4 > MAX_TEXT_FRAME and len(frame.encode("utf-8", "replace")) > MAX_TEXT_FRAME
    ):
        raise FrameError("too_large", f"A text frame may have at most {MAX_TEXT_FRAME} bytes.")
    try:
        value = json.loads(frame)
    except (ValueError, RecursionError):
        raise FrameError("bad_json", "This text frame is not JSON. Send one JSON object in each text frame.") from None
    if not isinstance(value, dict):
        raise FrameError("bad_json", f"This text frame holds a JSON {_kind(value)}; it must hold an object.")
    return value


def write_text(value: Mapping[str, Any]) -> str:
    """One text frame. ASCII only, so that characters and bytes count the same."""
    return json.dumps(value, separators=(",", ":"), default=str)


def error_frame(code: str, text: str) -> str:
    """What a sender gets for a frame that could not be taken."""
    return write_text({"role": "server", "type": "error", "content": text, "code": code})


def slices(data: bytes, size: int) -> Iterator[bytes]:
    """``data`` in pieces of at most ``size`` bytes."""
    for at in range(0, len(data), size):
        yield data[at : at + size]


def whole_number(raw: Mapping[str, Any], field: str, low: int, high: int) -> int:
    """A number field, rounded down. Raises FrameError."""
    value = raw.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise FrameError("bad_field", f"{field} must be a number from {low} to {high}.")
    return int(value)


def short_text(raw: Mapping[str, Any], field: str) -> str | None:
    """An optional short printable string: an id, a kind, a name. Raises FrameError."""
    value = raw.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= MAX_ID_CHARS or not value.isprintable():
        raise FrameError("bad_field", f"{field} must be a string of 1 to {MAX_ID_CHARS} printable characters.")
    return value


def clean(text: str) -> str:
    """Text without lone surrogates, which JSON can carry and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _kind(value: object) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "string"
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else "literal"
