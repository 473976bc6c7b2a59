"""Commands for a running client: ``01-client toggle`` and its like, for desktops that give no hotkeys to programs.

A Unix socket that only its owner may open (mode 0600), one line each way; where there are none, a loopback port whose
number and secret stand in a file of mode 0600.
"""

from __future__ import annotations

import asyncio
import hmac
import os
import secrets
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

COMMANDS = ("toggle", "press", "release", "stop", "silence", "repeat", "say")
_TIMEOUT_S = 5
_LONGEST = 64 * 1024

Handler = Callable[[str, str], Awaitable[str]]


class ControlError(Exception):
    """No client answers. The text says what to do."""


class Control:
    """The running client's end."""

    def __init__(self, path: Path, handle: Handler) -> None:
        self._path, self._handle = path, handle
        self._server: asyncio.Server | None = None
        self._secret = b""

    async def start(self) -> None:
        """Listen. Raises ControlError where another client does already."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if await asyncio.to_thread(_answers, self._path):
            raise ControlError(f"Another client is running already; commands go to it ({self._path}).")
        self._path.unlink(missing_ok=True)
        if hasattr(asyncio, "start_unix_server") and sys.platform != "win32":
            # The mask and not a later chmod: at no moment may another user connect.
            before = os.umask(0o177)
            try:
                self._server = await asyncio.start_unix_server(self._serve, str(self._path), limit=_LONGEST)
            finally:
                os.umask(before)
            return
        self._secret = secrets.token_hex(16).encode()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LONGEST)
        port = self._server.sockets[0].getsockname()[1]
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(b"%d %s\n" % (port, self._secret))

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
            self._server = None
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                line = (await reader.readline()).strip()
            if self._secret:
                given, _, line = line.partition(b" ")
                if not hmac.compare_digest(given, self._secret):
                    return
            word, _, rest = line.decode("utf-8", "replace").partition(" ")
            reply = await self._handle(word, rest) if word in COMMANDS else f"The commands are {', '.join(COMMANDS)}."
            writer.write(reply.encode("utf-8", "replace") + b"\n")
            await writer.drain()
        except (OSError, ValueError, TimeoutError):
            return
        finally:
            writer.close()


def send(path: Path, command: str, argument: str = "") -> str:
    """Give a running client a command; its answer. Raises ControlError."""
    try:
        with _connected(path) as link:
            words = command if not argument else f"{command} {' '.join(argument.split())}"
            link.sendall(_secret_of(path) + words.encode() + b"\n")
            return link.makefile("r", encoding="utf-8").readline().strip()
    except OSError:
        raise ControlError("No client is running. Start one with: 01-client (or 01, which brings its own).") from None


def _connected(path: Path) -> socket.socket:
    if hasattr(socket, "AF_UNIX") and sys.platform != "win32":
        link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            link.settimeout(_TIMEOUT_S)
            link.connect(str(path))
        except OSError:
            link.close()
            raise
        return link
    port = int(path.read_text("ascii").split()[0])
    return socket.create_connection(("127.0.0.1", port), _TIMEOUT_S)


def _secret_of(path: Path) -> bytes:
    if sys.platform == "win32":
        return path.read_text("ascii").split()[1].encode() + b" "
    return b""


def _answers(path: Path) -> bool:
    try:
        _connected(path).close()
    except (OSError, ValueError, IndexError):
        return False
    return True
