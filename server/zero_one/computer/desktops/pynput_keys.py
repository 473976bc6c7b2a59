"""Pressing keys under macOS and Windows, by pynput."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from zero_one.computer.pointer import pynput

_PAUSE_S = 0.004


class Keyboard:
    """The same three methods as under X11."""

    def __init__(self) -> None:
        self._keys = pynput("keyboard")
        self._controller = self._keys.Controller()

    def type(self, text: str) -> None:
        for character in text:
            self._controller.tap({"\n": self._keys.Key.enter, "\t": self._keys.Key.tab}.get(character, character))
            time.sleep(_PAUSE_S)

    def press(self, key: str) -> None:
        self._controller.press(self._key(key))

    def release(self, key: str) -> None:
        self._controller.release(self._key(key))

    def _key(self, key: str) -> Any:
        return key if len(key) == 1 else self._keys.Key[key]


@contextmanager
def keyboard() -> Iterator[Keyboard]:
    yield Keyboard()
