"""Installed applications of a Linux desktop, from their ``.desktop`` files.

Source: Desktop Entry Specification 1.5 (freedesktop.org): Exec field codes, NoDisplay, TryExec, Terminal.
"""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

# What people call a kind of program -> the category that menus sort it under
_KINDS = {
    "browser": "WebBrowser",
    "web browser": "WebBrowser",
    "internet": "WebBrowser",
    "terminal": "TerminalEmulator",
    "console": "TerminalEmulator",
    "command line": "TerminalEmulator",
    "file manager": "FileManager",
    "files": "FileManager",
    "file browser": "FileManager",
    "text editor": "TextEditor",
    "editor": "TextEditor",
    "notepad": "TextEditor",
    "calculator": "Calculator",
    "mail": "Email",
    "email": "Email",
    "mail client": "Email",
    "music player": "Player",
    "music": "Player",
    "video player": "Player",
    "calendar": "Calendar",
    "settings": "Settings",
    "image viewer": "Viewer",
    "spreadsheet": "Spreadsheet",
    "word processor": "WordProcessor",
    "system monitor": "Monitor",
    "task manager": "Monitor",
}
_ENOUGH = 0.75
_FIELD_CODE = re.compile(r"%[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class Application:
    """One entry. ``command`` is ready to run, without file arguments."""

    name: str
    command: tuple[str, ...]
    words: str = ""
    categories: tuple[str, ...] = ()
    terminal: bool = False


def installed() -> list[Application]:
    """The applications a menu would show; the user's own come before the system's of the same file name."""
    seen: set[str] = set()
    found = []
    for folder in _folders():
        for file in sorted(folder.rglob("*.desktop")):
            identity = "-".join(file.relative_to(folder).parts)
            if identity in seen:
                continue
            seen.add(identity)
            application = _read(file)
            if application is not None:
                found.append(application)
    return found


def match(wanted: str, applications: list[Application]) -> Application | None:
    """The application meant by a name, a kind ("browser") or something close to it."""
    low = " ".join(re.sub(r"\b(?:the|my|app|application|program)\b", " ", wanted.lower()).split())
    if not low:
        return None
    best = max(applications, key=lambda one: _likeness(one, low), default=None)
    if best is not None and _likeness(best, low) >= _ENOUGH:
        return best
    category = _KINDS.get(low)
    return next((one for one in applications if category in one.categories), None)


def nearest(wanted: str, applications: list[Application], count: int = 3) -> list[str]:
    """Names to offer when nothing matches."""
    low = wanted.lower()
    ranked = sorted(applications, key=lambda one: -SequenceMatcher(None, low, one.name.lower()).ratio())
    return [one.name for one in ranked[:count]]


def _folders() -> list[Path]:
    own = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    more = ["/var/lib/flatpak/exports/share", "/var/lib/snapd/desktop"]
    roots = [own, f"{own}/flatpak/exports/share", *shared.split(":"), *more]
    folders = dict.fromkeys(Path(root) / "applications" for root in roots if root)
    return [folder for folder in folders if folder.is_dir()]


def _read(file: Path) -> Application | None:
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read(file, encoding="utf-8")
        entry = parser["Desktop Entry"]
        command = [part for part in shlex.split(entry["Exec"]) if not _FIELD_CODE.fullmatch(part)]
    except (OSError, KeyError, ValueError, configparser.Error):
        return None
    hidden = any(entry.get(key, "false").lower() == "true" for key in ("NoDisplay", "Hidden"))
    tried = entry.get("TryExec", "")
    if hidden or entry.get("Type") != "Application" or not command or (tried and shutil.which(tried) is None):
        return None
    words = " ".join(entry.get(key, "") for key in ("GenericName", "Keywords", "StartupWMClass"))
    return Application(
        name=entry.get("Name", file.stem),
        command=tuple(part.replace("%%", "%") for part in command),
        words=f"{words} {file.stem} {Path(command[0]).name}".lower(),
        categories=tuple(entry.get("Categories", "").split(";")),
        terminal=entry.get("Terminal", "false").lower() == "true",
    )


def _likeness(application: Application, low: str) -> float:
    name = application.name.lower()
    if low == name:
        return 3.0
    program = Path(application.command[0]).name.lower()
    if low == program or low.replace(" ", "") == name.replace(" ", ""):
        return 2.5
    if name.startswith(low + " ") or name.endswith(" " + low):
        return 2.0
    wanted = low.split()
    if all(word in name.split() for word in wanted):
        return 1.5
    if all(word in re.split(r"[\s;.\-]+", application.words) for word in wanted):
        return 1.0
    return SequenceMatcher(None, low, name).ratio()
