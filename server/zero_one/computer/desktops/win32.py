"""Windows under Windows, by user32."""

from __future__ import annotations

import ctypes
from typing import Any

import psutil

_CLOSE = 0x0010  # WM_CLOSE
_MAXIMIZE, _MINIMIZE, _RESTORE = 3, 6, 9  # ShowWindow


class Desktop:
    """A window's id is its handle in hexadecimal."""

    def __init__(self) -> None:
        self._user32: Any = getattr(ctypes, "windll").user32  # noqa: B009 - known to type checkers on Windows only

    def windows(self) -> list[dict[str, Any]]:
        user32, found = self._user32, []
        front = user32.GetForegroundWindow()

        def visit(handle: int, _: int) -> bool:
            length = user32.GetWindowTextLengthW(handle)
            if user32.IsWindowVisible(handle) and length:
                title = ctypes.create_unicode_buffer(length + 1)
                user32.GetWindowTextW(handle, title, length + 1)
                pid = ctypes.c_ulong()
                user32.GetWindowThreadProcessId(handle, ctypes.byref(pid))
                found.append(
                    {
                        "id": hex(handle),
                        "title": title.value,
                        "app": _app(pid.value),
                        "pid": pid.value,
                        "active": handle == front,
                        "minimized": bool(user32.IsIconic(handle)),
                    }
                )
            return True

        kind = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p)
        user32.EnumWindows(kind(visit), 0)
        return found

    def focus(self, window: dict[str, Any]) -> None:
        handle = int(window["id"], 16)
        if window["minimized"]:
            self._user32.ShowWindow(handle, _RESTORE)
        self._user32.SetForegroundWindow(handle)

    def close(self, window: dict[str, Any]) -> None:
        self._user32.PostMessageW(int(window["id"], 16), _CLOSE, 0, 0)

    def minimize(self, window: dict[str, Any]) -> None:
        self._user32.ShowWindow(int(window["id"], 16), _MINIMIZE)

    def maximize(self, window: dict[str, Any]) -> None:
        self._user32.ShowWindow(int(window["id"], 16), _MAXIMIZE)


def _app(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return ""
