"""Ports of this machine for programs that must be told theirs before they listen, and one on which nobody ever will."""

from __future__ import annotations

import os
import random
import socket
from functools import cache

_FIRST, _LAST = 10_240, 32_767
"""Below the ports that systems give out by themselves (Linux from 32,768), above those of well-known services: nobody
who asks for just any port, and no outgoing connection, gets one of these between our look and its use."""
_chance = random.Random(os.getpid())


def quiet_port() -> int:
    """A port that is free, and stays so unless somebody asks for exactly this one."""
    while True:
        port = _chance.randint(_FIRST, _LAST)
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
            return port


@cache
def _deaf() -> socket.socket:
    """Bound, so that nobody else gets its port, and not listening, so that every connection is refused."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    return taken


def deaf_port() -> int:
    """A port on which nothing listens, as long as this process lives."""
    return int(_deaf().getsockname()[1])
