"""The keyboard: what is typed goes to the window that has the focus."""

from __future__ import annotations

import importlib
import re
import sys
from contextlib import AbstractContextManager
from typing import Annotated, Protocol

from pydantic import Field

from zero_one.computer.method import HandsError, method

_SAME = {
    "control": "ctrl",
    "strg": "ctrl",
    "command": "cmd",
    "win": "cmd",
    "windows": "cmd",
    "super": "cmd",
    "meta": "cmd",
    "option": "alt",
    "return": "enter",
    "escape": "esc",
    "del": "delete",
    "ins": "insert",
    "pageup": "page_up",
    "pgup": "page_up",
    "pagedown": "page_down",
    "pgdn": "page_down",
    "arrowup": "up",
    "arrowdown": "down",
    "arrowleft": "left",
    "arrowright": "right",
    "capslock": "caps_lock",
    "printscreen": "print_screen",
    "plus": "+",
    "minus": "-",
    "comma": ",",
}


class Keyboard(Protocol):
    """What each system's keyboard code offers. ``press`` takes a name or a character, or raises ``KeyError``."""

    def type(self, text: str) -> None: ...
    def press(self, key: str) -> None: ...
    def release(self, key: str) -> None: ...


@method("change")
def type_(text: Annotated[str, Field(description="any characters; \\n presses Enter", max_length=10_000)]) -> None:
    """Type text into the window that has the focus."""
    with _keyboard() as keyboard:
        keyboard.type("".join(character for character in text if character >= " " or character in "\n\t"))


@method("change")
def press(key: str, times: Annotated[int, Field(ge=1, le=100)] = 1) -> None:
    """Press and release one key ("enter", "esc", "f5", "left", "a"), once or several times."""
    for _ in range(times):
        _press([key])


@method("change")
def hotkey(keys: Annotated[str, Field(description='joined by +, as "ctrl+shift+t"')]) -> None:
    """Press keys together and release them in reverse order."""
    names = [name for name in re.split(r"\s*\+\s*|\s+", keys.strip()) if name]
    if not names:
        raise HandsError("No keys were given.", 'Give them as "ctrl+s".')
    _press(names)


def _keyboard() -> AbstractContextManager[Keyboard]:
    name = "x11_keys" if sys.platform == "linux" else "pynput_keys"
    keyboard: AbstractContextManager[Keyboard] = importlib.import_module(
        f"zero_one.computer.desktops.{name}"
    ).keyboard()
    return keyboard


def _press(names: list[str]) -> None:
    held: list[str] = []
    with _keyboard() as keyboard:
        try:
            for name in names:
                key = _plain(name)
                try:
                    keyboard.press(key)
                except KeyError:
                    some = "enter, tab, esc, ctrl, alt, shift, cmd, f1, page_up, or any single character"
                    raise HandsError(f"There is no key called {name}.", f"There are {some}.") from None
                held.append(key)
        finally:
            for key in reversed(held):
                keyboard.release(key)


def _plain(name: str) -> str:
    """The name a key has with us: enter, esc, ctrl, page_up, f5; a single character stands for itself."""
    if len(name) == 1:
        return name.lower() if name.isascii() else name
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    return _SAME.get(plain.replace("_", ""), plain)
