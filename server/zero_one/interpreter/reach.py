"""Which places on the disk an act may change: what has to be kept before it runs."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from zero_one.safety.risk import Risk, Verdict

_FILES = ("write", "move", "delete")
_MOST = 200
"""Places that are looked at for one act; one that names more is kept as far as this goes."""


def roots_of(verdict: Verdict, folder: Path) -> list[Path]:
    """The working folder first, then every path that the parse names. Looks at the disk: call it from a thread."""
    out = [folder]
    for effect in verdict.effects:
        if effect.kind in _FILES and effect.risk > Risk.OBSERVE:
            for name in effect.what.split(" to ") if effect.kind == "move" else [effect.what]:
                out += _places(name, folder)
    return list(dict.fromkeys(out))[:_MOST]


def _places(name: str, folder: Path) -> list[Path]:
    pattern = os.path.expanduser(os.path.expandvars(name.strip().rstrip("/") or "/"))
    if "\0" in pattern or "\n" in pattern:
        return []
    whole = Path(os.path.normpath(folder / pattern))
    if any(letter in name for letter in "*?["):
        found = glob.iglob(str(whole))
        return [Path(path) for path, _ in zip(found, range(_MOST), strict=False)]
    # A whole home or disk is more than can be kept; that it is gone for good is what the question is about.
    return [] if Path.home().is_relative_to(whole) else [whole]
