"""What a check found."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "could be better", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """``missing`` is what nothing works without; ``could be better`` what something would be nicer with."""

    area: str
    name: str
    state: State
    text: str
    fix: str = ""


def ok(area: str, name: str, text: str) -> Finding:
    return Finding(area, name, "ok", text)


def better(area: str, name: str, text: str, fix: str = "") -> Finding:
    return Finding(area, name, "could be better", text, fix)


def missing(area: str, name: str, text: str, fix: str = "") -> Finding:
    return Finding(area, name, "missing", text, fix)


_INSTALLERS = (
    ("apt-get", "sudo apt-get install -y"),
    ("dnf", "sudo dnf install -y"),
    ("pacman", "sudo pacman -S --noconfirm"),
    ("zypper", "sudo zypper install -y"),
    ("apk", "sudo apk add"),
    ("brew", "brew install"),
    ("winget", "winget install"),
)


def install(package: str, **elsewhere: str) -> str:
    """The command that installs a system package here. ``elsewhere`` names it for managers that call it otherwise."""
    for manager, command in _INSTALLERS:
        if shutil.which(manager):
            return f"{command} {elsewhere.get(manager.replace('-', '_'), package)}"
    return f"install {package} with your system's package manager"


def set_it(setting: str) -> str:
    """The command that starts us with one setting changed."""
    return f"01 --set {setting}"


def reinstall() -> str:
    """The command that brings back a Python package of ours which is gone."""
    return f"{sys.executable} -m pip install --force-reinstall zero-one-platform"
