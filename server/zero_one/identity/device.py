"""A small stable id for this installation, so that its conversation survives a restart of the client."""

from __future__ import annotations

import secrets
from pathlib import Path

from zero_one.files import write_whole

_LENGTH = 16


def device_id(folder: Path) -> str:
    """The id kept in ``folder`` (made on first use, mode 0600): 16 lower-case hex digits, random, not a secret."""
    path = folder / "device-id"
    try:
        known = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        known = ""
    if len(known) == _LENGTH and all(letter in "0123456789abcdef" for letter in known):
        return known
    fresh = secrets.token_hex(_LENGTH // 2)
    try:
        write_whole(path, fresh + "\n")
    except OSError:
        # A read-only home: the id then lives as long as this process.
        return fresh
    return fresh
