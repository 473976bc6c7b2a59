"""Windows under X11, by the EWMH properties that every current window manager keeps.

Source: Extended Window Manager Hints 1.5 (freedesktop.org), root window properties and client messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from zero_one.computer import tools
from zero_one.computer.method import HandsError

_PAGER = 2  # source indication of a client message: "a direct user action"
_ADD = 1  # _NET_WM_STATE: add the property
_ICONIC = 3  # WM_CHANGE_STATE (ICCCM): to the iconic state
_WAIT_S = 5.0


class Desktop:
    """Talks to the X server that DISPLAY names; one short connection per call."""

    def windows(self) -> list[dict[str, Any]]:
        with open_display() as display:
            root = display.screen().root
            clients = _property(display, root, "_NET_CLIENT_LIST")
            if clients is None:
                raise HandsError("No window manager keeps a list of windows here.", "Start one, such as openbox.")
            focused = (_property(display, root, "_NET_ACTIVE_WINDOW") or [0])[0]
            found = []
            for identity in clients:
                described = _describe(display, identity)
                if described is not None:
                    found.append(described | {"active": identity == focused})
            return found

    def focus(self, window: dict[str, Any]) -> None:
        with open_display() as display:
            _ask(display, window, "_NET_ACTIVE_WINDOW", [_PAGER, 0, 0])
            _until(lambda: self._is(window, active=True), "would not come to the front", window)

    def close(self, window: dict[str, Any]) -> None:
        with open_display() as display:
            _ask(display, window, "_NET_CLOSE_WINDOW", [0, _PAGER])
            _until(lambda: not self._is(window), "is still open; it may be asking about unsaved work", window)

    def minimize(self, window: dict[str, Any]) -> None:
        with open_display() as display:
            _ask(display, window, "WM_CHANGE_STATE", [_ICONIC])
            _until(lambda: self._is(window, minimized=True), "would not be minimized", window)

    def maximize(self, window: dict[str, Any]) -> None:
        with open_display() as display:
            both = [display.intern_atom(f"_NET_WM_STATE_MAXIMIZED_{way}") for way in ("VERT", "HORZ")]
            _ask(display, window, "_NET_WM_STATE", [_ADD, *both, _PAGER])
            _until(lambda: self._is(window, maximized=True), "would not be maximized", window)

    def _is(self, window: dict[str, Any], **wanted: bool) -> bool:
        now = next((one for one in self.windows() if one["id"] == window["id"]), None)
        return now is not None and all(now[name] == value for name, value in wanted.items())


@contextmanager
def open_display() -> Iterator[Any]:
    tools.need_x11("Looking at windows")
    from Xlib import display as xlib  # type: ignore[import-untyped]
    from Xlib import error

    try:
        connection = xlib.Display()
    except (error.DisplayError, OSError) as problem:
        raise HandsError(f"The desktop cannot be reached: {problem}", "Check DISPLAY and XAUTHORITY.") from None
    try:
        yield connection
    finally:
        connection.close()


def _property(display: Any, window: Any, name: str) -> Any:
    from Xlib import X, error

    try:
        value = window.get_full_property(display.intern_atom(name), X.AnyPropertyType)
    except error.XError:
        return None
    return None if value is None else value.value


def _text(value: Any) -> str:
    data = value.encode("latin-1", "replace") if isinstance(value, str) else bytes(value or b"")
    return data.decode("utf-8", "replace").rstrip("\0")


def _describe(display: Any, identity: int) -> dict[str, Any] | None:
    """A window as ``windows.list`` gives it; None when it went away meanwhile."""
    from Xlib import error

    window = display.create_resource_object("window", identity)
    try:
        place = window.get_geometry()
        corner = window.translate_coords(display.screen().root, 0, 0)
    except error.XError:
        return None
    names = _text(_property(display, window, "WM_CLASS")).split("\0")
    title = _property(display, window, "_NET_WM_NAME") or _property(display, window, "WM_NAME")
    states = [display.get_atom_name(atom) for atom in _property(display, window, "_NET_WM_STATE") or ()]
    pid = _property(display, window, "_NET_WM_PID")
    return {
        "id": hex(identity),
        "title": _text(title),
        "app": names[-1] if names else "",
        "pid": int(pid[0]) if pid else 0,
        "minimized": "_NET_WM_STATE_HIDDEN" in states,
        "maximized": "_NET_WM_STATE_MAXIMIZED_VERT" in states and "_NET_WM_STATE_MAXIMIZED_HORZ" in states,
        # translate_coords tells where the root's corner lies as seen from the window
        "x": -corner.x,
        "y": -corner.y,
        "width": place.width,
        "height": place.height,
    }


def _ask(display: Any, window: dict[str, Any], message: str, values: list[int]) -> None:
    from Xlib import X
    from Xlib.protocol.event import ClientMessage  # type: ignore[import-untyped]

    root = display.screen().root
    target = display.create_resource_object("window", int(window["id"], 16))
    event = ClientMessage(
        window=target,
        client_type=display.intern_atom(message),
        data=(32, (values + [0] * 5)[:5]),
    )
    root.send_event(event, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
    display.flush()


def _until(done: Callable[[], bool], failure: str, window: dict[str, Any]) -> None:
    end = time.monotonic() + _WAIT_S
    while not done():
        if time.monotonic() > end:
            raise HandsError(f"“{window['title'] or window['app']}” {failure}.")
        time.sleep(0.02)
