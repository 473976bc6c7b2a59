"""The only way out of a sandbox: an HTTP proxy of the host's on a unix socket, opened and closed run by run.

A sandbox has no network; what it is given is this. A name is resolved here, once, and the connection goes to the
address that was looked at, so that a name cannot mean something public first and this machine afterwards. Addresses of
this machine, of the local network, and those that clouds keep their secrets at are refused unless the profile names
them.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from zero_one.computer.languages.base import Reach

_HEAD = 64 * 1024  # bytes of a request's head
_PIECE = 64 * 1024
_CONNECTIONS = 64
_PATIENCE_S = 15.0  # for a request's head, a name, or a connection
_HOP = ("proxy-", "connection:", "keep-alive:", "te:", "upgrade:", "host")
_EMBEDS = ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")  # IPv4 in IPv6's clothes


class Refused(Exception):
    """Its text says why, for the program that asked."""


class Proxy:
    """Serves one sandbox from ``start`` to ``close``; what may be reached is ``reach``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reach = Reach()
        self._server: asyncio.Server | None = None
        self._tasks: dict[asyncio.Task[None], tuple[str, int] | None] = {}

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self.path, limit=_HEAD)

    def reach(self, reach: Reach) -> None:
        """From now on only this; connections to anything else are cut."""
        self._reach = reach
        for task, place in self._tasks.items():
            if place is not None and not _named(*place, reach):
                task.cancel()

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._tasks) >= _CONNECTIONS:
            writer.close()
            return
        self._tasks[task] = None
        try:
            await self._answer(reader, writer, task)
        except Refused as refusal:
            with contextlib.suppress(OSError):
                text = f"{refusal}\n".encode()
                head = f"HTTP/1.1 403 {refusal}\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}"
                writer.write(f"{head}\r\nConnection: close\r\n\r\n".encode("ascii", "replace") + text)
                await writer.drain()
        except (OSError, ValueError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the program in the sandbox sees its connection closed
        finally:
            del self._tasks[task]
            writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[None]
    ) -> None:
        async with asyncio.timeout(_PATIENCE_S):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *fields = head.rstrip("\r\n").split("\r\n")
        method, target, _ = first.split(" ", 2)
        tunnel = method == "CONNECT"
        url = urlsplit(f"//{target}" if tunnel else target)
        if not url.hostname or (not tunnel and url.scheme != "http"):
            raise Refused("This proxy takes whole http:// addresses, and CONNECT")
        host, port = url.hostname.lower(), url.port or (443 if tunnel else 80)
        self._tasks[task] = (host, port)
        far_reader, far_writer = await self._connect(host, port)
        try:
            if not _named(host, port, self._reach):  # it may have been closed meanwhile
                raise Refused(_why(host))
            if tunnel:
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                path = target[target.index("//") + 2 :]
                path = path[path.index("/") :] if "/" in path else "/"
                # The address alone says which host is meant: behind one of them may stand many.
                kept = [field for field in fields if not field.lower().startswith(_HOP)]
                kept.insert(0, f"Host: {url.netloc.rpartition('@')[2]}")
                # One request per connection: the next one may be for another host.
                lines = [f"{method} {path} HTTP/1.1", *kept, "Connection: close", "", ""]
                far_writer.write("\r\n".join(lines).encode("latin-1"))
            async with asyncio.TaskGroup() as both:
                both.create_task(_pump(reader, far_writer))
                both.create_task(_pump(far_reader, writer))
        except* (OSError, ValueError):
            pass  # one of the two is gone
        finally:
            far_writer.close()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reach = self._reach
        if not _named(host, port, reach):
            raise Refused(_why(host))
        async with asyncio.timeout(_PATIENCE_S):
            try:
                found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
            except OSError:
                raise Refused(f"{host} was not found") from None
            private = _is_private(host, port, reach)
            addresses = [place[0] for *_, place in found if private or is_public(str(place[0]))]
            if not addresses:
                raise Refused(f"{host} is on this machine or on the local network, which the sandbox does not reach")
            for address in dict.fromkeys(addresses):
                with contextlib.suppress(OSError):
                    return await asyncio.open_connection(str(address), port, limit=_HEAD)
        raise Refused(f"{host} does not answer")


def is_public(address: str) -> bool:
    """Whether an address is somebody else's on the internet: not this machine, not this network, not a cloud's own."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            return is_public(str(ip.ipv4_mapped))
        if any(ip in ipaddress.ip_network(network) for network in _EMBEDS):
            return False
    return ip.is_global and not ip.is_multicast and str(ip) not in _own_addresses()


def _own_addresses() -> set[str]:
    return {one.address.partition("%")[0] for many in psutil.net_if_addrs().values() for one in many}


def _is_private(host: str, port: int, reach: Reach) -> bool:
    return host in reach.private or f"{host}:{port}" in reach.private


def _named(host: str, port: int, reach: Reach) -> bool:
    """Whether a run may reach it, by name: everything public, or the hosts that it names and what is below them."""
    if reach.public or _is_private(host, port, reach):
        return True
    bare = host.removeprefix("www.")
    names = [name.removeprefix("www.") for name in reach.hosts]
    # Below a name without a dot lies half of the internet.
    return any(bare == name or ("." in name and host.endswith(f".{name}")) for name in names)


def _why(host: str) -> str:
    return f"This run may not reach {host}: the sandbox opens the network only to what was agreed to"


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_PIECE):
        writer.write(data)
        await writer.drain()
    with contextlib.suppress(OSError):
        writer.write_eof()
