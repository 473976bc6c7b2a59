"""The talk key, by pynput on X11, macOS and Windows. pynput is imported only here: it fails without a display."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


class HotkeyError(Exception):
    """No hotkey can be watched here. The text says why and what works instead."""


_START_S = 15.0
_INSTEAD = "Use the command “01-client toggle” (bind it to a key in your desktop's settings), or type."


class Hotkey:
    """Watches one key or combination, written as ``<ctrl>+<space>``, ``<f9>``, ``ctrl`` or ``k``.

    ``down`` and ``up`` are called on pynput's thread: down when the last key of the combination goes down, up when any
    of them goes up.
    """

    def __init__(self, keys: str, down: Callable[[], None], up: Callable[[], None]) -> None:
        self._keyboard = keyboard = _pynput()
        self._wanted = _parse(keyboard, keys)
        self._down, self._up = down, up
        self._pressed: set[Any] = set()
        self._complete = False
        self._listener: Any = None

    async def start(self) -> None:
        """Begin to watch; returns once a press would be seen. Raises HotkeyError."""
        try:
            self._listener = self._keyboard.Listener(on_press=self._on_press, on_release=self._on_release)
            self._listener.start()
        except Exception as problem:  # noqa: BLE001  (each backend has errors of its own)
            raise HotkeyError(f"The hotkey cannot be watched ({problem}). {_INSTEAD}") from None
        if not await _watching(self._listener):
            self.stop()
            raise HotkeyError(f"The hotkey cannot be watched (the keyboard gave no sign). {_INSTEAD}")

    def stop(self) -> None:
        if self._listener is not None:
            self._listener.stop()
            self._listener = None

    def _known(self, key: Any) -> Any:
        return self._listener.canonical(key) if self._listener is not None else key

    def _on_press(self, key: Any) -> None:
        known = self._known(key)
        if known in self._wanted:
            self._pressed.add(known)
            if self._pressed == self._wanted and not self._complete:
                self._complete = True
                self._down()

    def _on_release(self, key: Any) -> None:
        known = self._known(key)
        if known in self._wanted:
            self._pressed.discard(known)
            if self._complete:
                self._complete = False
                self._up()


async def _watching(listener: Any) -> bool:
    """Whether ``listener`` got as far as seeing keys. Its own ``wait`` has no limit and outlives a listener that died,
    so it waits on a thread that nobody waits for."""
    loop, seen = asyncio.get_running_loop(), asyncio.Event()

    def wait() -> None:
        listener.wait()
        with contextlib.suppress(RuntimeError):  # the client ended meanwhile
            loop.call_soon_threadsafe(seen.set)

    threading.Thread(target=wait, name="hotkey begins", daemon=True).start()
    try:
        async with asyncio.timeout(_START_S):
            await seen.wait()
    except TimeoutError:
        return False
    return True


def _pynput() -> Any:
    if sys.platform.startswith("linux"):
        if not os.environ.get("DISPLAY"):
            if os.environ.get("WAYLAND_DISPLAY"):
                raise HotkeyError(f"Wayland gives no hotkeys to programs. {_INSTEAD}")
            raise HotkeyError(f"There is no display here, so no hotkey can be watched. {_INSTEAD}")
        if os.environ.get("XDG_SESSION_TYPE") == "wayland":
            raise HotkeyError(f"Under Wayland only windows of X11 programs would see the hotkey. {_INSTEAD}")
        if "XAUTHORITY" not in os.environ and not (Path.home() / ".Xauthority").exists():
            # A display that asks for no password: python-xlib insists on a password file all the same.
            os.environ["XAUTHORITY"] = os.devnull
    try:
        from pynput import keyboard
    except Exception as problem:  # noqa: BLE001  (importing it opens the display; each backend fails in its own way)
        why = str(problem).strip().splitlines()[0] if str(problem).strip() else type(problem).__name__
        raise HotkeyError(f"The keyboard cannot be watched ({why}). {_INSTEAD}") from None
    return keyboard


def _parse(keyboard: Any, keys: str) -> set[Any]:
    """The keys of a combination, canonical: left and right ctrl are one."""
    written = keys.strip().lower()
    names = {key.name for key in keyboard.Key}
    if written in names:
        written = f"<{written}>"
    try:
        return {_canonical(keyboard, key) for key in keyboard.HotKey.parse(written)}
    except ValueError:
        raise HotkeyError(
            f"{keys!r} is no hotkey. Write it as <ctrl>+<space>, <f9>, <cmd>+k or ctrl; known names: "
            + ", ".join(sorted(names))
        ) from None


def _canonical(keyboard: Any, key: Any) -> Any:
    name = getattr(key, "name", None)
    if name is None:
        return key
    for suffix in ("_l", "_r"):
        if name.endswith(suffix) and hasattr(keyboard.Key, name.removesuffix(suffix)):
            return getattr(keyboard.Key, name.removesuffix(suffix))
    # A listener knows space as the key code of the character.
    return keyboard.KeyCode.from_char(" ") if name == "space" else key
