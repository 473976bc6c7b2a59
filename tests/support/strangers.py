"""Connections that are not simply the owner's: from elsewhere, with keys, in raw bytes, of another OS user."""

from __future__ import annotations

import asyncio
import json
import os
import socket as sockets
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from support.light import Light

ELSEWHERE = "127.0.0.2"
"""Another loopback address, which stands for another machine where ``near`` says so."""
NOBODY = 65534
_LIMIT_S = 60.0
"""How long a busy machine may take for what is done at once elsewhere."""


def near(address: str) -> bool:
    """Only 127.0.0.1 is this machine."""
    return address == "127.0.0.1"


@asynccontextmanager
async def link(
    server: Light, *, at: str = ELSEWHERE, key: str | None = None, url: str = "", **how: Any
) -> AsyncIterator[ClientConnection]:
    """A connection from ``at``, with ``key`` as bearer token. Sound that a test does not read never delays its end."""
    headers = {"Authorization": f"Bearer {key}"} if key is not None else {}
    async with connect(
        url or server.url, local_addr=(at, 0), additional_headers=headers, max_size=None, max_queue=None, **how
    ) as socket:
        yield socket


async def hello(socket: ClientConnection, device: str = "d1", **fields: Any) -> dict[str, Any]:
    """Say hello; the first frame that answers."""
    await socket.send(json.dumps({"type": "hello", "protocol": 1, "device": device, **fields}))
    answer: dict[str, Any] = json.loads(await asyncio.wait_for(socket.recv(), _LIMIT_S))
    return answer


async def closed(socket: ClientConnection, limit_s: float = _LIMIT_S) -> tuple[int, str]:
    """Code and reason with which the server ends the connection."""
    try:
        async with asyncio.timeout(limit_s):
            while True:
                await socket.recv()
    except ConnectionClosed as end:
        return (end.rcvd.code, end.rcvd.reason) if end.rcvd is not None else (1006, "")


async def frames_until(
    socket: ClientConnection, found: Mapping[str, Any], limit_s: float = _LIMIT_S
) -> list[dict[str, Any]]:
    """Text frames up to the first that has these fields."""
    frames: list[dict[str, Any]] = []
    async with asyncio.timeout(limit_s):
        while True:
            frame = await socket.recv()
            if isinstance(frame, str):
                frames.append(json.loads(frame))
                if found.items() <= frames[-1].items():
                    return frames


async def raw(port: int, head: str, *, at: str = "127.0.0.1", body: bytes = b"") -> tuple[int, str]:
    """What a request in exactly these bytes is answered with: status, and everything that came."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(at, 0))
    try:
        writer.write(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
        async with asyncio.timeout(_LIMIT_S):
            text = (await reader.read()).decode("latin-1")
    finally:
        writer.close()
    return (int(text.split()[1]) if text else 0), text


def strangers_socket(port: int, uid: int = NOBODY) -> sockets.socket:
    """A socket of another OS user, connected to the port. Only root can make one."""
    os.seteuid(uid)
    try:
        made = sockets.socket()
    finally:
        os.seteuid(0)
    made.connect(("127.0.0.1", port))
    made.setblocking(False)
    return made
