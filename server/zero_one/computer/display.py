"""The screen: pictures of it, its size, its lock."""

from __future__ import annotations

import base64
import datetime
import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from zero_one import firm
from zero_one.computer import places, tools
from zero_one.computer.method import HandsError, method

if TYPE_CHECKING:
    from PIL.Image import Image

Region = Annotated[list[int], Field(min_length=4, max_length=4, description="left, top, width, height in pixels")]


MaxWidth = Annotated[int, Field(ge=0, description="scale down to this width in pixels; 0 keeps the size")]


@method("observe")
def view(region: Region | None = None, max_width: MaxWidth = 0) -> dict[str, Any]:
    """Look at the screen (all monitors) or a region of it, without saving a file. Returns what screenshot does."""
    return screenshot("", region, False, max_width)


@method("observe")
def screenshot(
    path: Annotated[str, Field(description="new file to save to; a name of its own in Pictures when empty")] = "",
    region: Region | None = None,
    save: bool = True,
    max_width: MaxWidth = 0,
) -> dict[str, Any]:
    """Take a picture of the screen (all monitors) or a region of it, and save it for the user.

    Returns png (base64), path (empty when not saved), width, height, and scale: multiply a point of the picture by it
    to get the point on the screen.
    """
    tools.need_screen()
    image = _grab()
    if region is not None:
        left, top, width, height = region
        if width <= 0 or height <= 0 or left >= image.width or top >= image.height:
            raise HandsError(
                f"The region {region} is not on the screen.", f"The screen is {image.width}x{image.height}."
            )
        image = image.crop((left, top, min(left + width, image.width), min(top + height, image.height)))
    full = image.width
    if 0 < max_width < full:
        image = image.resize((max_width, max(1, image.height * max_width // full)))
    data = io.BytesIO()
    image.save(data, "PNG")
    png = data.getvalue()
    return {
        "png": base64.b64encode(png).decode(),
        "path": str(_save(png, path)) if save or path else "",
        "width": image.width,
        "height": image.height,
        "scale": full / image.width,
    }


@method("observe")
def size() -> dict[str, int]:
    """Width and height of the whole screen in pixels."""
    tools.need_screen()
    image = _grab()
    return {"width": image.width, "height": image.height}


@method("change")
def lock() -> str:
    """Lock the screen. Returns the name of what locked it."""
    if sys.platform == "darwin":
        script = 'tell application "System Events" to keystroke "q" using {control down, command down}'
        tools.osascript(script)
        return "macOS"
    if sys.platform == "win32":
        tools.run(["rundll32.exe", "user32.dll,LockWorkStation"])
        return "Windows"
    failures = []
    for locker, command in _LOCKERS.items():
        if tools.first(command[0]) is None:
            continue
        try:
            tools.run(command)
        except HandsError as error:
            failures.append(error.what)
            continue
        if locker != "loginctl" or _locked():
            return locker
    why = f" ({'; '.join(failures)})" if failures else ""
    raise HandsError(
        f"Nothing here could lock the screen{why}.", tools.install("xdg-utils and a screen locker such as i3lock")
    )


_LOCKERS = {
    "loginctl": ("loginctl", "lock-session"),
    "gnome-screensaver-command": ("gnome-screensaver-command", "--lock"),
    "xflock4": ("xflock4",),
    "cinnamon-screensaver-command": ("cinnamon-screensaver-command", "--lock"),
    "mate-screensaver-command": ("mate-screensaver-command", "--lock"),
    "light-locker-command": ("light-locker-command", "--lock"),
    "xscreensaver-command": ("xscreensaver-command", "-lock"),
    "xdg-screensaver": ("xdg-screensaver", "lock"),
    "i3lock": ("i3lock",),
}


def _locked() -> bool:
    """Whether a locker answered: loginctl itself only passes the wish on, and says yes when nobody listens."""
    until = time.monotonic() + 1.0
    session = os.environ.get("XDG_SESSION_ID", "")
    while time.monotonic() < until:
        shown = tools.run(["loginctl", "show-session", *([session] if session else []), "--property=LockedHint"])
        if "yes" in shown:
            return True
        time.sleep(0.1)
    return False


def _grab() -> Image:
    from PIL import Image

    if sys.platform == "linux" and os.environ.get("WAYLAND_DISPLAY") and tools.first("grim"):
        import subprocess

        done = subprocess.run(["grim", "-"], capture_output=True, timeout=10, check=False)
        if done.returncode == 0:
            return Image.open(io.BytesIO(done.stdout)).convert("RGB")
    import mss
    from mss.exception import ScreenShotError

    if sys.platform == "linux":
        tools.need_x11("Taking a picture of the screen without grim")
    try:
        with mss.MSS() as screen:
            shot = screen.grab(screen.monitors[0])
    except ScreenShotError as error:
        raise HandsError(
            f"The screen gave no picture: {error}.",
            "On macOS allow it in System Settings > Privacy & Security > Screen Recording; on Linux check DISPLAY.",
        ) from None
    return Image.frombytes("RGB", shot.size, shot.bgra, "raw", "BGRX")


def _save(png: bytes, path: str) -> Path:
    pictures = places.folder("pictures").resolve()
    target = pictures / (Path(path).expanduser() if path else f"Screenshot {_moment()}")
    target = target if target.suffix else target.with_name(f"{target.name}.png")
    stem, count = target.stem, 1
    while True:
        try:
            return _write_new(target, png)
        except FileExistsError:
            count += 1  # nothing is overwritten: nobody was asked about that
            target = target.with_name(f"{stem} ({count}){target.suffix}")
        except OSError as error:
            raise HandsError(f"The picture could not be saved to {target}: {error.strerror}.") from None


def _moment() -> str:
    return f"{datetime.datetime.now().astimezone():%Y-%m-%d %H-%M-%S}"


def _write_new(target: Path, data: bytes) -> Path:
    """Exactly there: what leads elsewhere by a link was judged by a name that says nothing of it."""
    firm.make_folders(target.parent)
    with firm.inside(target.parent) as folder:
        handle = os.open(folder / target.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    return target
