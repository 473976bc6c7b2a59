"""A QR code in the terminal: two modules a character, with its own colours, so that it is dark on light everywhere."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

QUIET_ZONE = 4
"""Modules of white around the code, as ISO/IEC 18004 asks; scanners need them most on a dark terminal."""

_HALVES = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
_DARK_ON_LIGHT = "\x1b[38;5;16;48;5;231m"
_END = "\x1b[0m"


def modules(text: str) -> list[list[bool]]:
    """Rows of modules with the quiet zone, True is dark."""
    import segno

    code = segno.make_qr(text, error="l", boost_error=False)
    return [[bool(module) for module in line] for line in code.matrix_iter(border=QUIET_ZONE)]


def drawn(text: str, *, colours: bool) -> list[str]:
    """Lines of half blocks. Without colours the ink is the light part, for the usual dark terminal."""
    rows = modules(text)
    rows += [[False] * len(rows[0])] * (len(rows) % 2)
    lines = []
    for upper, lower in zip(rows[::2], rows[1::2], strict=True):
        pairs = zip(upper, lower, strict=True)
        if colours:
            lines.append(_DARK_ON_LIGHT + "".join(_HALVES[pair] for pair in pairs) + _END)
        else:
            lines.append("".join(_HALVES[not a, not b] for a, b in pairs))
    return lines


def show(text: str, file: TextIO | None = None) -> bool:
    """Print it where it can be seen and scanned. False where the output is no terminal, or one that is too narrow."""
    out = file or sys.stdout
    if not out.isatty() or os.environ.get("TERM") == "dumb" or not _writes_blocks(out):
        return False
    lines = drawn(text, colours="NO_COLOR" not in os.environ)
    bare = drawn(text, colours=False)
    if len(bare[0]) > shutil.get_terminal_size().columns:
        return False
    print("\n".join(lines), file=out)
    return True


def _writes_blocks(out: TextIO) -> bool:
    try:
        "▀▄█".encode(out.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
