"""The terminal as it is: it may not know every letter."""

from __future__ import annotations

import io
import sys


def be_forgiving() -> None:
    """A letter that the terminal or a pipe cannot take becomes a question mark; it does not end the program. The same
    for bytes on standard input that are no text there."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
