"""The host's end of ``computer.*`` calls that come out of a kernel: one JSON line in, one out, over a private socket.

A socket file in the kernel's own folder (mode 0700) reaches into a sandbox without a network; where there are no
socket files, loopback TCP. Either way a request needs the token that lies beside it. No other conversation's sandbox is
shown either of them; and whatever speaks here, no more is read, kept or begun for it than the limits below.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
import sys
from pathlib import Path
from typing import Any

from zero_one.computer.languages.base import Call

_LONGEST = 4 * 1024 * 1024  # bytes of one request: a clipboard's text fits, a runaway does not
_AT_ONCE = 16  # connections
_PATIENCE_S = 10.0  # for a request to arrive
_PER_RUN = 10_000  # calls


class CallServer:
    """Listens from ``start`` to ``close``; answers only while ``call`` is set, that is, while a run is on."""

    def __init__(self, folder: Path) -> None:
        self.address = folder / "hands.json"
        self._call: Call | None = None
        self._calls = 0
        self._socket = folder / "hands"
        self._token = secrets.token_hex(16)
        self._server: asyncio.Server | None = None
        self._waiting = 0
        self._since = 0.0
        self._waited = 0.0
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def call(self) -> Call | None:
        return self._call

    @call.setter
    def call(self, call: Call | None) -> None:
        """A run begins or ends; what is still under way at its end is given up."""
        self._call, self._calls = call, 0
        if call is None:
            for task in self._tasks:
                task.cancel()

    async def start(self) -> None:
        place: dict[str, Any] = {"token": self._token}
        if sys.platform == "win32":
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=_LONGEST)
            place["port"] = self._server.sockets[0].getsockname()[1]
        else:
            self._server = await asyncio.start_unix_server(self._serve, self._socket, limit=_LONGEST)
            place["path"] = str(self._socket)
        descriptor = os.open(self.address, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(place, file)

    async def close(self) -> None:
        self.call = None
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def waited_s(self) -> float:
        """Seconds spent so far in calls (a question to the user among them): not the code's own time."""
        now = asyncio.get_running_loop().time() - self._since if self._waiting else 0.0
        return self._waited + now

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._tasks) >= _AT_ONCE:
            writer.close()
            return
        self._tasks.add(task)
        try:
            async with asyncio.timeout(_PATIENCE_S):
                line = await reader.readline()
            answer = asyncio.create_task(self._answer(line))
            gone = asyncio.create_task(reader.read(1))  # an interrupted caller closes its end
            try:
                await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
                if answer.done():
                    writer.write(json.dumps(answer.result()).encode() + b"\n")
                    await writer.drain()
            finally:
                answer.cancel()
                gone.cancel()
                await asyncio.gather(answer, gone, return_exceptions=True)
        except (OSError, ValueError, TimeoutError, asyncio.CancelledError):
            pass  # the caller is gone or sent no line; the server itself lives on
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            name, positional, named = request["name"], request["positional"], request["named"]
            token = request["token"]
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            return {"error": "That was no call of computer.*."}
        if not (isinstance(name, str) and isinstance(token, str)):
            return {"error": "That was no call of computer.*."}
        if not (isinstance(positional, list) and isinstance(named, dict)):
            return {"error": "That was no call of computer.*."}
        if not hmac.compare_digest(token.encode(), self._token.encode()):
            return {"error": "That call carried a wrong token."}
        if self._call is None:
            return {"error": "computer.* can be reached only while the code that was asked for is running."}
        self._calls += 1
        if self._calls > _PER_RUN:
            return {"error": f"Those were more than {_PER_RUN:,} calls of computer.* in one run; the rest is not done."}
        loop = asyncio.get_running_loop()
        if not self._waiting:
            self._since = loop.time()
        self._waiting += 1
        try:
            return {"result": await self._call(name, positional, named)}
        except Exception as error:  # noqa: BLE001 - whatever gate or hand raise is the answer that the code gets
            return {"error": str(error) or type(error).__name__}
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._waited += loop.time() - self._since
