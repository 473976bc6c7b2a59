"""Whose program is at the other end of a loopback connection: ours, or another user's of this machine.

Linux tells the owner of every TCP socket in /proc/net/tcp and tcp6 (the fields are described in proc(5)); elsewhere
psutil tells the processes. Who cannot be found out is a stranger.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import psutil

from zero_one.identity.addresses import IpAddress, parse

End = tuple[str, int]
"""Address and port of one end of a connection."""

_Place = tuple[IpAddress | None, int]

_ESTABLISHED = "01"
"""Only such rows tell an owner: of a connection that is being closed the kernel says 0, which is root's number."""


def own_user() -> str:
    """We ourselves, as ``user_of`` would call us."""
    return str(os.geteuid()) if sys.platform == "linux" else psutil.Process().username()


def user_of(peer: End, here: End) -> str | None:
    """The OS user that owns the socket ``peer`` that is connected to our ``here``; None if unknown. Takes some ms."""
    if sys.platform == "linux":
        uid = owner_of(peer, here)
        return None if uid is None else str(uid)
    return _user_by_process((_plain(peer), _plain(here)))


def owner_of(peer: End, here: End, tables: Iterable[Path] | None = None) -> int | None:
    """The user id that owns the socket, by Linux's tables; None where they do not show it."""
    wanted = _plain(peer), _plain(here)
    for table in tables if tables is not None else (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        try:
            rows = table.read_text("ascii").splitlines()[1:]
        except (OSError, UnicodeDecodeError):
            continue
        for local, remote, uid in _connections(rows):
            if (local, remote) == wanted:
                return uid
    return None


def _connections(rows: Iterable[str]) -> Iterator[tuple[_Place, _Place, int]]:
    for row in rows:
        fields = row.split()
        if len(fields) > 7 and fields[3] == _ESTABLISHED:
            try:
                yield _place(fields[1]), _place(fields[2]), int(fields[7])
            except ValueError:
                continue


def _place(field: str) -> _Place:
    """``0100007F:2775``: an address in words of 32 bits, each in the machine's own byte order, and a port."""
    text, _, port = field.partition(":")
    words = (bytes.fromhex(text[at : at + 8]) for at in range(0, len(text), 8))
    raw = b"".join(word[::-1] if sys.byteorder == "little" else word for word in words)
    return parse(str(ipaddress.ip_address(raw))), int(port, 16)


def _plain(end: End) -> _Place:
    return parse(end[0]), end[1]


def _user_by_process(wanted: tuple[_Place, _Place]) -> str | None:
    """macOS and Windows. Where the table of all connections may not be read, that of our own processes may."""
    try:
        for entry in psutil.net_connections("tcp"):
            if entry.pid is not None and _joins(entry.laddr, entry.raddr, wanted):
                return psutil.Process(entry.pid).username()
    except (psutil.Error, OSError):
        return _found_in_own_processes(wanted)
    return None


def _joins(local: Sequence[Any], remote: Sequence[Any], wanted: tuple[_Place, _Place]) -> bool:
    """psutil gives an empty tuple for an end that is not there."""
    return bool(local and remote) and ((parse(local[0]), local[1]), (parse(remote[0]), remote[1])) == wanted


def _found_in_own_processes(wanted: tuple[_Place, _Place]) -> str | None:
    me = own_user()
    for process in psutil.process_iter():
        try:
            if process.username() != me:
                continue
            for entry in process.net_connections("tcp"):
                if _joins(entry.laddr, entry.raddr, wanted):
                    return me
        except (psutil.Error, OSError):
            continue
    return None
