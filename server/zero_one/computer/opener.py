"""Opening things as a double click would: applications, files, folders, web addresses."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from zero_one.computer import applications, files, places, tools
from zero_one.computer.method import HandsError, method

_SETTLE_S = 0.7
"""An opener or application that fails does so at once; after this long it counts as started."""
_OPEN_S = 4.0

_START_APP = """
$name = [string]$input
$app = Get-StartApps | Where-Object Name -like "*$name*" | Select-Object -First 1
if ($app) { Start-Process "shell:AppsFolder\\$($app.AppID)"; $app.Name }
else { (Start-Process $name -PassThru).Name }
"""
_SCHEMES = ("http", "https", "mailto", "file", "ftp", "tel", "sms", "xmpp", "geo", "magnet")


@method("change")
def url(address: Annotated[str, Field(description="https://… or a bare host such as example.org")]) -> str:
    """Open a web address in the browser. Returns the address that was opened."""
    given, address = address.strip(), "".join(address.split())
    if re.match(r"^[\w-]+(\.[\w-]+)+([:/?#].*)?$", address) or address.startswith("localhost"):
        address = f"https://{address}"
    parts = urlsplit(address)
    spaced = address != given and parts.scheme.lower() not in ("http", "https")  # "fi le:" is judged as no file
    if spaced or parts.scheme.lower() not in _SCHEMES or not (parts.netloc or parts.path):
        raise HandsError(f"“{address}” is no address that a browser opens.", "Give one such as https://example.org.")
    _open(address, "No program is set up to open web addresses.")
    return address


@method("change")
def file(path: Annotated[str, Field(description="a path, or a name to look for in the home folder")]) -> str:
    """Open a file with the program meant for it. Returns its path."""
    target = Path(path).expanduser()
    if not target.exists():
        found = files.find(path, kind="file", limit=1)
        if not found:
            raise HandsError(f"There is no file {path}, and none with such a name below {Path.home()}.")
        target = Path(found[0]["path"])
    if target.is_dir():
        return folder(str(target))
    if _is_program(target.resolve()) and Path(path).suffix.lower() not in _PROGRAMS:
        # It was judged by the name that was given, which says nothing of that.
        raise HandsError(f"{path} is a program ({target.resolve()}): opening it would run it.", "Use the shell for it.")
    _open(str(target.resolve()), f"No program is set up to open {target.name}.")
    return str(target.resolve())


@method("change")
def folder(path: Annotated[str, Field(description="a path, downloads, documents, …, or a name to look for")]) -> str:
    """Open a folder in the file manager. Returns its path."""
    target = places.named(path) or Path(path).expanduser()
    if not target.is_dir():
        found = files.find(path, kind="folder", limit=1)
        if not found:
            raise HandsError(f"There is no folder {path}, and none with such a name below {Path.home()}.")
        target = Path(found[0]["path"])
    _open(str(target.resolve()), "No file manager is set up to open folders.")
    return str(target.resolve())


@method("change")
def app(name: Annotated[str, Field(description="its name or kind: Firefox, text editor, calculator")]) -> str:
    """Start an application. Returns the name of what was started."""
    if sys.platform == "darwin":
        tools.run(["open", "-a", name], limit_s=10.0)
        return name
    if sys.platform == "win32":
        return tools.powershell(_START_APP, stdin=name)
    if "/" in name:
        raise HandsError(f"“{name}” is a path, and no application's name.", "Run a program by its path in the shell.")
    known = applications.installed()
    found = applications.match(name, known)
    if found is None:
        program = shutil.which(name.strip().lower().replace(" ", "-")) or shutil.which(name.strip())
        if program is None:
            near = ", ".join(applications.nearest(name, known))
            raise HandsError(f"There is no application like “{name}”.", f"The nearest are {near}." if near else "")
        found = applications.Application(name=Path(program).name, command=(program,))
    command = list(found.command)
    if found.terminal:
        terminal = tools.first("x-terminal-emulator", "gnome-terminal", "konsole", "xfce4-terminal", "xterm")
        if terminal is None:
            raise HandsError(f"{found.name} needs a terminal, and there is none.", tools.install("xterm"))
        command = [terminal, "-e", *command]
    tools.need_screen()
    _start(command, found.name)
    return found.name


def _is_program(path: Path) -> bool:
    """Whether a double click on it, or its application, would run it."""
    return path.suffix.lower() in _PROGRAMS or (not path.suffix and _says_how_to_run(path))


def _says_how_to_run(path: Path) -> bool:
    """Starters for the desktop are known by their first line, whatever they are called."""
    try:
        with path.open("rb") as file:
            return file.read(512).lstrip(b"\xef\xbb\xbf \r\n\t").startswith((b"[Desktop Entry]", b"#!"))
    except OSError:
        return False


_PROGRAMS = frozenset(
    ".sh .bash .command .desktop .app .exe .bat .cmd .ps1 .vbs .msi .jar .py .scpt .workflow .lnk .run .appimage"
    .split()
)  # fmt: skip


def _open(target: str, nobody: str) -> None:
    if sys.platform == "darwin":
        tools.run(["open", target], limit_s=10.0)
        return
    if sys.platform == "win32":
        try:
            os.startfile(target)
        except OSError as error:
            raise HandsError(f"{nobody} ({error.strerror})") from None
        return
    opener = {"xdg-open": ["xdg-open"], "gio": ["gio", "open"]}.get(tools.first("xdg-open", "gio") or "")
    if opener is None:
        raise HandsError("Opening needs a program that is missing.", tools.install("xdg-utils"))
    said = _begin([*opener, target], _OPEN_S)
    if said is not None:
        raise HandsError(f"{nobody} ({said})", "Install one, or choose it in the desktop's settings.")


def _start(command: list[str], name: str) -> None:
    said = _begin(command, _SETTLE_S)
    if said is not None:
        raise HandsError(f"{name} ended at once: {said}")


def _begin(command: list[str], settle_s: float) -> str | None:
    """Start a program that outlives us; what it said if it fails within ``settle_s``, else None."""
    import tempfile

    with tempfile.TemporaryFile() as heard:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=heard,
                stderr=heard,
                start_new_session=True,
                cwd=Path.home(),
            )
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
        try:
            status = process.wait(settle_s)
        except subprocess.TimeoutExpired:
            _reap(process)
            return None
        if status == 0:
            return None
        heard.seek(0)
        return heard.read(2000).decode(errors="replace").strip() or f"exit status {status}"


def _reap(process: subprocess.Popen[bytes]) -> None:
    """Wait for the program in the background, so that its end leaves no zombie."""
    import threading

    threading.Thread(target=process.wait, name=f"wait for {process.pid}", daemon=True).start()
