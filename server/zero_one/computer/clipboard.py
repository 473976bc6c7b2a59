"""The clipboard, as text."""

from __future__ import annotations

import os
import subprocess
import sys
import time

from zero_one.computer import tools
from zero_one.computer.method import HandsError, method

_READ = {
    "wl-paste": ("wl-paste", "--no-newline"),
    "xclip": ("xclip", "-selection", "clipboard", "-out"),
    "xsel": ("xsel", "--clipboard", "--output"),
}
_WRITE = {
    "wl-copy": ("wl-copy",),
    "xclip": ("xclip", "-selection", "clipboard", "-in"),
    "xsel": ("xsel", "--clipboard", "--input"),
}
_TAKEN_S = 10.0


@method("observe")
def view() -> str:
    """The text on the clipboard; empty when there is none."""
    if sys.platform == "darwin":
        return tools.run(["pbpaste"])
    if sys.platform == "win32":
        return tools.powershell("[Console]::OutputEncoding=[Text.Encoding]::UTF8; Get-Clipboard -Raw")
    command = _READ[_tool("wl-paste")]
    try:
        return tools.run(command)
    except HandsError as error:
        empty = ("not available", "no selection", "nothing is copied", "no suitable type")
        if any(words in error.what.lower() for words in empty):
            return ""
        raise HandsError(f"The clipboard cannot be read: {error.what}", "Check DISPLAY, or WAYLAND_DISPLAY.") from None


@method("change")
def copy(text: str) -> None:
    """Put text on the clipboard."""
    if sys.platform == "darwin":
        tools.run(["pbcopy"], stdin=text)
        return
    if sys.platform == "win32":
        tools.powershell("[Console]::InputEncoding=[Text.Encoding]::UTF8; $input | Set-Clipboard", stdin=text)
        return
    command = _WRITE[_tool("wl-copy")]
    # The program stays behind to serve the text: it must not hold a pipe of ours, nor end with our process group.
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.communicate(text.encode("utf-8", "replace"), timeout=_TAKEN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        raise HandsError(f"{command[0]} did not take the text within {_TAKEN_S:g} seconds.") from None
    if process.returncode:
        raise HandsError(f"{command[0]} could not reach the clipboard.", "Check DISPLAY, or WAYLAND_DISPLAY.")
    # It returns before the clipboard is its own: whoever pastes right away would get what was there before.
    until = time.monotonic() + _TAKEN_S
    while view() != text:
        if time.monotonic() > until:
            raise HandsError("The text was not taken by the clipboard.", "Does another program hold on to it?")
        time.sleep(0.01)


@method("change")
def set_(text: str) -> None:
    """Put text on the clipboard; the same as copy."""
    copy(text)


def _tool(wayland: str) -> str:
    tools.need_screen()
    if os.environ.get("WAYLAND_DISPLAY") and tools.first(wayland):
        return wayland
    found = tools.first("xclip", "xsel") if os.environ.get("DISPLAY") else None
    if found is None:
        package = "xclip" if os.environ.get("DISPLAY") else "wl-clipboard"
        raise HandsError("The clipboard cannot be reached: its program is missing.", tools.install(package))
    return found
