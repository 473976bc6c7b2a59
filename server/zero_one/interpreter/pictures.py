"""Images on their way to a model: read, recognised by their first bytes, and made no larger than models look at."""

from __future__ import annotations

import base64
import binascii
import io
import os
import stat
from dataclasses import replace
from pathlib import Path

from zero_one.protocol.lmc import Message

LONGEST = 20 * 1024 * 1024
"""Bytes of an image that is looked at."""
LARGE = 1024 * 1024
"""Bytes beyond which an image is made smaller; models scale to about ``SIDE`` pixels anyway."""
SIDE = 1568


def picture(image: Message) -> Message:
    """An image message as ``base64.png|jpeg|gif|webp``; a ``path`` is read. Blocking.

    What is no picture becomes a message that says so, for one unreadable image would spoil every later call.
    """
    content = str(image.content or "")
    if image.format == "path":
        path = Path(content).expanduser()
        try:
            with open(path, "rb", opener=_at_once) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return _instead(f"the image {path.name} is no file")
                data = file.read(LONGEST + 1)
            if len(data) > LONGEST:
                return _instead(f"the image {path.name} is too large to be shown")
        except (OSError, ValueError) as error:
            return _instead(f"the image {path.name} could not be read: {getattr(error, 'strerror', None) or error}")
    else:
        try:
            data = base64.b64decode(content.partition(",")[2] if content.startswith("data:") else content)
        except (binascii.Error, ValueError):
            data = b""
    kind = picture_kind(data)
    if kind is None or len(data) > LONGEST:
        return _instead("what was sent as an image is not a picture that can be read")
    if len(data) > LARGE:
        kind, data = smaller(kind, data)
    return replace(image, format=f"base64.{kind}", content=base64.b64encode(data).decode())


def _at_once(path: str, flags: int) -> int:
    """Opening a pipe would wait for somebody who writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _instead(why: str) -> Message:
    return Message("user", "message", content=f"[{why}]")


def picture_kind(data: bytes) -> str | None:
    """``png``, ``jpeg``, ``gif`` or ``webp`` by the first bytes, or None."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    return None


def smaller(kind: str, data: bytes) -> tuple[str, bytes]:
    """At most ``SIDE`` pixels a side; as it was when it cannot be decoded."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data)) as opened:
            opened.thumbnail((SIDE, SIDE))
            out = io.BytesIO()
            opened.convert("RGB").save(out, "JPEG", quality=85)
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return kind, data
    return "jpeg", out.getvalue()
