"""``computer`` inside a kernel: every call goes out to the host, where a gate stands. Imports nothing of ours."""

from __future__ import annotations

import base64
import json
import os
import socket
from pathlib import Path
from typing import Any

ADDRESS = "ZERO_ONE_HANDS"
"""Environment variable naming the JSON file with ``{"path": socket}`` or ``{"port": int}`` and ``{"token": str}``."""


class ComputerError(RuntimeError):
    """The host could not do it, or may not; the text says why and what would help."""


class Picture:
    """A picture of the screen: shown when it is the last value of a run. ``path`` is where it was saved, if it was."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.png = base64.b64decode(fields["png"])
        self.path: str = fields.get("path", "")
        self.width: int = fields["width"]
        self.height: int = fields["height"]

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<Picture {self.width}x{self.height} {self.path}>".replace(" >", ">")

    def image(self) -> Any:
        """As a PIL image."""
        import io

        from PIL import Image

        return Image.open(io.BytesIO(self.png))


class Computer:
    """``computer.<hand>.<method>(…)``; ``print(computer)`` lists them."""

    def __init__(self, address: Path | None) -> None:
        self._address = address

    @classmethod
    def from_environment(cls) -> Computer:
        named = os.environ.pop(ADDRESS, "")
        return cls(Path(named) if named else None)

    def __getattr__(self, hand: str) -> _Hand:
        if hand.startswith("_"):
            raise AttributeError(hand)
        return _Hand(self, hand)

    def __dir__(self) -> list[str]:
        return sorted({name.partition(".")[0] for name in self._names()})

    def __repr__(self) -> str:
        return "computer: " + ", ".join(self._names())

    def _names(self) -> list[str]:
        return [method["name"] for method in self._call("", [], {})]

    def _call(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        if self._address is None:
            raise ComputerError("This Python has no way to the computer's hands.")
        place = json.loads(self._address.read_text())
        request = {"token": place["token"], "name": name, "positional": positional, "named": named}
        with _connect(place) as connection, connection.makefile("rwb") as stream:
            stream.write(json.dumps(request, default=_plain).encode() + b"\n")
            stream.flush()
            line = stream.readline()
        if not line:
            raise ComputerError(f"computer.{name} was cut off.")
        reply = json.loads(line)
        if "error" in reply:
            raise ComputerError(reply["error"])
        result = reply["result"]
        return Picture(result) if isinstance(result, dict) and "png" in result else result


class _Hand:
    def __init__(self, computer: Computer, hand: str) -> None:
        self._computer = computer
        self._name = hand

    def __getattr__(self, method: str) -> Any:
        if method.startswith("_"):
            raise AttributeError(method)
        computer, name = self._computer, f"{self._name}.{method}"

        def call(*positional: Any, **named: Any) -> Any:
            return computer._call(name, list(positional), named)

        call.__name__ = method
        call.__qualname__ = f"computer.{name}"
        return call

    def __dir__(self) -> list[str]:
        names = (name.partition(".") for name in self._computer._names())
        return sorted(method for hand, _, method in names if hand == self._name)

    def __repr__(self) -> str:
        return f"computer.{self._name}: " + ", ".join(dir(self))


def _connect(place: dict[str, Any]) -> socket.socket:
    if "path" in place:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(place["path"])
        return connection
    return socket.create_connection(("127.0.0.1", place["port"]))


def _plain(value: Any) -> Any:
    """Numbers of numpy and paths, as JSON takes them."""
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} cannot be given to computer.*; give text, numbers, lists or dicts")
