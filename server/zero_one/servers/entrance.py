"""A listening socket, and what counts there. The server puts it into each connection's ASGI scope."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Entrance:
    """``outside``: the end of a tunnel; every connection comes from this machine there, and none of them is trusted for
    that. ``plain``: beside a port with TLS, for the first 01's devices, which have none, and nobody else."""

    socket: socket.socket | None = None
    tls: ssl.SSLContext | None = None
    outside: bool = False
    plain: bool = False


@dataclass(slots=True, eq=False)
class Place:
    """What the server knows of one connection. ``stranger``: it comes from elsewhere, and it is not clear yet who is
    there; ``then`` is called once it is. ``cut`` ends the connection at once, without a goodbye."""

    entrance: Entrance = field(default_factory=Entrance)
    stranger: bool = False
    then: list[Callable[[], None]] = field(default_factory=list)
    cut: Callable[[], None] = lambda: None

    def known(self) -> None:
        """It is clear now who is there."""
        self.stranger = False
        for call in self.then:
            call()
        self.then.clear()


def place_of(scope: MutableMapping[str, Any]) -> Place:
    """The place of an ASGI scope; of a server that is not ours, one where nothing is special."""
    place = (scope.get("state") or {}).get("place")
    return place if isinstance(place, Place) else Place()


def ends_of(scope: MutableMapping[str, Any]) -> tuple[tuple[str, int] | None, tuple[str, int] | None]:
    """The two ends of a connection, as far as they are known: the other's, and ours."""
    peer, here = scope.get("client"), scope.get("server")
    return (
        (str(peer[0]), int(peer[1])) if peer else None,
        (str(here[0]), int(here[1])) if here and here[1] is not None else None,
    )
