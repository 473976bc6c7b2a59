"""Pressing keys under X11 by the XTEST extension, which programs cannot tell from a real keyboard.

Characters that no key has are put on keys that have none. A program learns of a changed keyboard map before it sees
the key presses that follow, but it reads the map as it then is. So characters are only ever added, all of a text's
before its first key press; one that is taken off again while typing would come out as its successor.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from zero_one.computer.desktops.x11 import open_display
from zero_one.computer.method import HandsError

_UNICODE = 0x01000000  # keysyms of characters beyond Latin-1 (X11 protocol, appendix A)
_PAUSE_S = 0.002
_COLUMNS = ((0, ()), (1, ("shift",)), (4, ("alt_gr",)), (5, ("shift", "alt_gr")))
"""Columns of the core keyboard map that hold the first layout's levels, with the modifiers that reach them."""

_NAMES = {
    "enter": "Return",
    "esc": "Escape",
    "tab": "Tab",
    "space": "space",
    "backspace": "BackSpace",
    "delete": "Delete",
    "insert": "Insert",
    "home": "Home",
    "end": "End",
    "page_up": "Prior",
    "page_down": "Next",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "ctrl": "Control_L",
    "shift": "Shift_L",
    "alt": "Alt_L",
    "alt_gr": "ISO_Level3_Shift",
    "cmd": "Super_L",
    "menu": "Menu",
    "caps_lock": "Caps_Lock",
    "num_lock": "Num_Lock",
    "scroll_lock": "Scroll_Lock",
    "print_screen": "Print",
    "pause": "Pause",
    "media_play_pause": "XF86_AudioPlay",
    "media_next": "XF86_AudioNext",
    "media_previous": "XF86_AudioPrev",
    "media_volume_up": "XF86_AudioRaiseVolume",
    "media_volume_down": "XF86_AudioLowerVolume",
    "media_volume_mute": "XF86_AudioMute",
}

_lent: list[int] = []
"""Keycodes that carry a character of ours, the one lent first at the front: reused when no empty key is left."""


class Keyboard:
    """One short connection to the display that DISPLAY names; see ``keyboard`` below."""

    def __init__(self, display: Any) -> None:
        from Xlib import XK  # type: ignore[import-untyped]

        XK.load_keysym_group("xf86")
        self._display = display
        self._named = XK.string_to_keysym
        self._first = display.display.info.min_keycode
        self._read()

    def type(self, text: str) -> None:
        self._provide([self._keysym(character) for character in text])
        for character in text:
            keycode, modifiers = self._where[self._keysym(character)]
            for modifier in modifiers:
                self.press(modifier)
            self._send(keycode, True)
            self._send(keycode, False)
            for modifier in reversed(modifiers):
                self.release(modifier)
            time.sleep(_PAUSE_S)

    def press(self, key: str) -> None:
        """Press a key by its name or its character; raises ``KeyError`` when there is no such key."""
        self._send(self._keycode(key), True)

    def release(self, key: str) -> None:
        self._send(self._keycode(key), False)

    def _read(self) -> None:
        count = self._display.display.info.max_keycode - self._first + 1
        self._rows: list[Any] = [tuple(row) for row in self._display.get_keyboard_mapping(self._first, count)]
        self._where: dict[int, tuple[int, tuple[str, ...]]] = {}
        for column, modifiers in _COLUMNS:
            for place, row in enumerate(self._rows):
                if column < len(row) and row[column]:
                    self._where.setdefault(row[column], (self._first + place, modifiers))

    def _provide(self, keysyms: list[int]) -> None:
        lacking = [keysym for keysym in dict.fromkeys(keysyms) if keysym not in self._where]
        if not lacking:
            return
        free = [self._first + place for place, row in enumerate(self._rows) if not any(row)]
        if len(lacking) > len(free) + len(_lent):
            raise HandsError("That text has more different characters than this keyboard has room for.", "Paste it.")
        for keysym in lacking:
            keycode = free.pop() if free else _lent.pop(0)
            _lent.append(keycode)
            self._display.change_keyboard_mapping(keycode, [(keysym,) * len(self._rows[0])])
        self._display.sync()
        self._read()

    def _keycode(self, key: str) -> int:
        keysym = self._keysym(key) if len(key) == 1 else self._named(_NAMES.get(key, key.upper()))
        if not keysym:
            raise KeyError(key)
        if keysym not in self._where:
            self._provide([keysym])
        return self._where[keysym][0]

    def _keysym(self, character: str) -> int:
        if character in "\n\t":
            return int(self._named("Return" if character == "\n" else "Tab"))
        code = ord(character)
        return code if code < 0x100 else code | _UNICODE

    def _send(self, keycode: int, down: bool) -> None:
        from Xlib import X
        from Xlib.ext import xtest  # type: ignore[import-untyped]

        xtest.fake_input(self._display, X.KeyPress if down else X.KeyRelease, keycode)
        self._display.sync()


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    with open_display() as display:
        yield Keyboard(display)
