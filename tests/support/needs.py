"""What tests need besides Python: programs, and models and recordings that are kept out of the repository.

What is missing fails where ``CI`` is set and skips, with its reason and its remedy, elsewhere.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = {
    "Xvfb": "xvfb", "bwrap": "bubblewrap", "dbus-daemon": "dbus-daemon", "gdbus": "libglib2.0-bin", "node": "nodejs",
    "pactl": "pulseaudio-utils", "paplay": "pulseaudio-utils", "parec": "pulseaudio-utils",
    "parecord": "pulseaudio-utils", "ssh": "openssh-client", "ssh-keygen": "openssh-client", "sshd": "openssh-server",
    "xdg-open": "xdg-utils", "xprop": "x11-utils",
}  # fmt: skip


def need(*programs: str) -> None:
    """Go on only where every program is installed."""
    missing = [name for name in programs if shutil.which(name) is None]
    if missing:
        packages = " ".join(sorted({_PACKAGES.get(name, name) for name in missing}))
        lacking(f"{', '.join(missing)} not found: apt-get install {packages}", fail=bool(os.environ.get("CI")))


def shared() -> Path | None:
    """The folder of models and recordings: ``ZERO_ONE_TEST_SHARED``, or ``shared`` beside the repository."""
    named = os.environ.get("ZERO_ONE_TEST_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder if folder.is_dir() else None


def need_shared(path: str) -> Path:
    """``path`` in the shared folder. In CI it must be there if the folder is; without the folder the test says so."""
    folder = shared()
    if folder is None:
        lacking(f"no {path}: set ZERO_ONE_TEST_SHARED to the folder that holds it", fail=False)
    if not (folder / path).exists():
        lacking(f"{folder} holds no {path}", fail=bool(os.environ.get("CI")))
    return folder / path


def lacking(what: str, *, fail: bool) -> NoReturn:
    """Fail, or skip loudly: a user's machine need not have everything."""
    if fail:
        pytest.fail(what)
    pytest.skip(what)
