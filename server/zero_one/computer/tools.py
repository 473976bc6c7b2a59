"""Programs of the system that hands use: found, run with a time limit, and asked for by name when they are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from zero_one.computer.method import HandsError

_INSTALLERS = (
    ("apt", "sudo apt install {}"),
    ("dnf", "sudo dnf install {}"),
    ("pacman", "sudo pacman -S {}"),
    ("zypper", "sudo zypper install {}"),
    ("apk", "sudo apk add {}"),
    ("brew", "brew install {}"),
)


def first(*names: str) -> str | None:
    """The first of these programs that is installed, by name."""
    return next((name for name in names if shutil.which(name)), None)


def install(package: str) -> str:
    """The sentence that says how to get a package on this system."""
    for program, command in _INSTALLERS:
        if shutil.which(program):
            return f"Install it with: {command.format(package)}"
    return f"Install {package}."


def run(
    argv: Sequence[str], *, stdin: str | None = None, limit_s: float = 10.0, env: Mapping[str, str] | None = None
) -> str:
    """The standard output of a program; ``HandsError`` when it fails, takes too long or is not there."""
    try:
        done = subprocess.run(
            argv,
            input=None if stdin is None else stdin.encode("utf-8", "replace"),
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            timeout=limit_s,
            check=False,
            env=env,
        )
    except FileNotFoundError:
        raise HandsError(f"{argv[0]} is not installed.", install(argv[0])) from None
    except subprocess.TimeoutExpired:
        raise HandsError(f"{argv[0]} did not answer within {limit_s:g} seconds.") from None
    if done.returncode:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip() or f"exit status {done.returncode}"
        raise HandsError(f"{argv[0]} failed: {said}")
    return done.stdout.decode("utf-8", "replace")


def osascript(script: str, *arguments: str) -> str:
    """Run AppleScript; ``arguments`` arrive as ``item n of argv`` of its ``on run argv``, so nothing needs quoting."""
    try:
        return run(["osascript", "-e", script, *arguments], limit_s=10.0).strip()
    except HandsError as error:
        if "not allowed" in error.what or "-1743" in error.what or "-25211" in error.what:
            raise HandsError(
                "macOS did not allow that.",
                "Allow it in System Settings > Privacy & Security > Accessibility and Automation.",
            ) from None
        raise


def powershell(script: str, *, stdin: str | None = None) -> str:
    """Run Windows PowerShell; values go in by ``stdin`` (read as ``$input``), never into the script's text."""
    program = first("pwsh", "powershell") or "powershell"
    return run([program, "-NoProfile", "-NonInteractive", "-Command", script], stdin=stdin, limit_s=15.0).strip()


def need_screen() -> None:
    """Raise when there is no screen to look at or to act on."""
    if sys.platform not in ("win32", "darwin") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise HandsError(
            "There is no screen here: neither DISPLAY nor WAYLAND_DISPLAY is set.",
            "Start 01 inside the desktop session, or set DISPLAY (often :0).",
        )


def need_x11(what: str) -> None:
    """Raise when this Linux session has no X server, which ``what`` needs."""
    need_screen()
    if sys.platform == "linux" and not os.environ.get("DISPLAY"):
        raise HandsError(f"{what} does not work under Wayland without X.", "Log in with an X11 (Xorg) session.")
    if sys.platform == "linux" and not os.environ.get("XAUTHORITY") and not (Path.home() / ".Xauthority").exists():
        os.environ["XAUTHORITY"] = (
            os.devnull
        )  # older python-xlib takes a missing file for an error, no cookies for none
