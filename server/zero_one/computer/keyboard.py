"""The keyboard: what is typed goes to the window that has the focus."""

from __future__ import annotations

import re
import time
from typing import Annotated, Any

from pydantic import Field

from zero_one.computer.method import HandsError, method
from zero_one.computer.pointer import pynput

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
_PAUSE_S = 0.004  # a program that reads the keyboard map anew for each character needs a moment


@method("change")
def type_(
    text: Annotated[str, Field(description="any characters; a line feed presses Enter", max_length=10_000)],
) -> None:
    """Type text into the window that has the focus."""
    keyboard, keys = _keyboard()
    for character in text:
        if character in "\n\t":
            keyboard.tap(keys.Key.enter if character == "\n" else keys.Key.tab)
        elif character >= " ":
            keyboard.tap(character)
        time.sleep(_PAUSE_S)


@method("change")
def press(key: str, times: Annotated[int, Field(ge=1, le=100)] = 1) -> None:
    """Press and release one key ("enter", "esc", "f5", "left", "a"), once or several times."""
    keyboard, keys = _keyboard()
    wanted = _key(keys, key)
    for _ in range(times):
        keyboard.tap(wanted)
        time.sleep(_PAUSE_S)


@method("change")
def hotkey(keys: Annotated[str, Field(description='joined by +, as "ctrl+shift+t"')]) -> None:
    """Press keys together and release them in reverse order."""
    keyboard, module = _keyboard()
    names = [name for name in re.split(r"\s*\+\s*|\s+", keys.strip()) if name]
    if not names:
        raise HandsError("No keys were given.", 'Give them as "ctrl+s".')
    wanted = [_key(module, name) for name in names]
    held = []
    try:
        for key in wanted:
            keyboard.press(key)
            held.append(key)
    finally:
        for key in reversed(held):
            keyboard.release(key)


def _keyboard() -> tuple[Any, Any]:
    keys = pynput("keyboard")
    return keys.Controller(), keys


def _key(keys: Any, name: str) -> Any:
    if len(name) == 1:
        return name.lower() if name.isascii() else name
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    plain = _SAME.get(plain.replace("_", ""), plain)
    if len(plain) == 1:
        return plain
    try:
        return keys.Key[plain]
    except KeyError:
        raise HandsError(
            f"There is no key called {name}.", "Some are: enter, tab, esc, ctrl, alt, shift, f1, page_up."
        ) from None
