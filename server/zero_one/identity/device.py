"""A small stable id for this installation, so that its conversation survives a restart of the client."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

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
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_name(f"device-id.{os.getpid()}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(fresh + "\n")
        os.replace(draft, path)
    except OSError:
        # A read-only home: the id then lives as long as this process.
        return fresh
    return fresh
