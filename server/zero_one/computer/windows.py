"""The windows on the desktop: which there are, which has the focus, and what to do with them."""

from __future__ import annotations

import importlib
import sys
from difflib import SequenceMatcher
from typing import Annotated, Any, Protocol

from pydantic import Field

from zero_one.computer.method import HandsError, method

Wanted = Annotated[str, Field(description="an id from windows.list, or words of the window's title or program")]


class Desktop(Protocol):
    """What each system's window code offers. A window is {"id", "title", "app", "pid", "active", "minimized"}."""

    def windows(self) -> list[dict[str, Any]]: ...
    def focus(self, window: dict[str, Any]) -> None: ...
    def close(self, window: dict[str, Any]) -> None: ...
    def minimize(self, window: dict[str, Any]) -> None: ...
    def maximize(self, window: dict[str, Any]) -> None: ...


@method("observe")
def list_() -> list[dict[str, Any]]:
    """All windows: id, title, app, pid, active, minimized (and x, y, width, height where the system tells)."""
    return _desktop().windows()


@method("observe")
def active() -> dict[str, Any] | None:
    """The window that has the focus, or null."""
    return next((window for window in _desktop().windows() if window["active"]), None)


@method("change")
def focus(window: Wanted) -> dict[str, Any]:
    """Bring a window to the front. Returns it."""
    desktop = _desktop()
    found = _find(desktop, window)
    desktop.focus(found)
    return found


@method("change")
def close(window: Wanted) -> dict[str, Any]:
    """Ask a window to close, as its close button does; it may ask about unsaved work. Returns it."""
    desktop = _desktop()
    found = _find(desktop, window)
    desktop.close(found)
    return found


@method("change")
def minimize(window: Wanted) -> dict[str, Any]:
    """Put a window out of sight. Returns it."""
    desktop = _desktop()
    found = _find(desktop, window)
    desktop.minimize(found)
    return found


@method("change")
def maximize(window: Wanted) -> dict[str, Any]:
    """Make a window fill the screen. Returns it."""
    desktop = _desktop()
    found = _find(desktop, window)
    desktop.maximize(found)
    return found


def _desktop() -> Desktop:
    name = {"darwin": "macos", "win32": "win32"}.get(sys.platform, "x11")
    desktop: Desktop = importlib.import_module(f"zero_one.computer.desktops.{name}").Desktop()
    return desktop


def _find(desktop: Desktop, wanted: str) -> dict[str, Any]:
    """The window meant: by id, else the one whose title or program is most like the words; the active one for ''."""
    windows = desktop.windows()
    low = " ".join(wanted.lower().removeprefix("the ").removesuffix(" window").split())
    if low in ("", "active", "current", "this"):
        best = next((window for window in windows if window["active"]), None)
    else:
        best = max(windows, key=lambda window: _likeness(window, low), default=None)
        if best is not None and _likeness(best, low) < 0.6:
            best = None
    if best is None:
        there = ", ".join(f"“{window['title'] or window['app']}”" for window in windows[:10]) or "no window at all"
        raise HandsError(f"There is no window like “{wanted}”.", f"There is {there}.")
    return best


def _likeness(window: dict[str, Any], low: str) -> float:
    if low == window["id"].lower():
        return 3.0
    title, app = window["title"].lower(), window["app"].lower()
    if low in (title, app):
        return 2.0
    if low in title or low in app:
        return 1.5
    words = low.split()
    if all(word in title or word in app for word in words):
        return 1.2
    return max(SequenceMatcher(None, low, text).ratio() for text in (title, app))
