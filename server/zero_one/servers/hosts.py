"""Which server a request meant, and which page sent it: what the Host and Origin headers may say.

A page that a stranger made can let a browser on this machine connect to us, under a name of the stranger's own that now
points here (DNS rebinding) or across sites. So the name must be one of ours, and a page must be one of ours too. The
first 01's ESP32 sends ``Origin: file://``, which is no page of the network.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from zero_one.identity.addresses import IpAddress, own_addresses, own_names, parse
from zero_one.servers.limits import Clock

_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]{1,253})(?::(?P<port>[0-9]{1,5}))?", re.ASCII)
_PORTS = {"http": 80, "https": 443}
_LOOK_AGAIN_S = 5.0
"""How long the machine's addresses count as known; they change when it joins another network."""


class HostError(ValueError):
    """A Host or Origin header that no browser or program of good will sends."""


@dataclass(frozen=True, slots=True)
class Host:
    """``name`` in lower case, without brackets and final dot; ``port`` None where it is the scheme's usual one."""

    name: str
    port: int | None = None


def read_host(text: str) -> Host:
    """``box.local:10101``, ``[::1]:10101``: nothing else stands in it. Raises HostError."""
    match = _HOST.fullmatch(text)
    if match is None or (match["port"] is not None and not 0 < int(match["port"]) < 65536):
        raise HostError(f"{text[:80]!r} is no host.")
    name = match["name"].lower()
    if name.startswith("["):
        address = parse(name)
        if address is None:
            raise HostError(f"{text[:80]!r} is no host.")
        name = str(address)
    elif not (name := name.removesuffix(".")):
        raise HostError(f"{text[:80]!r} is no host.")
    return Host(name, int(match["port"]) if match["port"] is not None else None)


def foreign(origins: Iterable[str], host: Host) -> bool:
    """Whether a page of another place speaks. No Origin is a program, and ``file://`` the first 01's ESP32."""
    given = list(origins)
    if len(given) > 1:
        return True
    if not given or given[0].strip().lower() == "file://":
        return False
    try:
        parts = urlsplit(given[0])
        origin = read_host(parts.netloc)
    except ValueError:
        return True
    usual = _PORTS.get(parts.scheme)
    if usual is None or parts.path or parts.query or parts.fragment:
        return True
    return (origin.name, origin.port or usual) != (host.name, host.port or usual)


def _as_sent(name: str) -> str:
    """A name as a Host header has it: letters beyond ASCII in punycode."""
    plain = name.strip().lower().removesuffix(".")
    with contextlib.suppress(UnicodeError):
        plain = plain.encode("idna").decode("ascii")
    return plain


class Names:
    """By which names and addresses this server may be called. ``more`` are names that only its owner knows."""

    def __init__(
        self,
        more: Iterable[str] = (),
        *,
        addresses: Callable[[], Iterable[IpAddress]] = own_addresses,
        names: Callable[[], Iterable[str]] = own_names,
        clock: Clock = time.monotonic,
    ) -> None:
        self._more = {_as_sent(name) for name in more}
        self._addresses, self._names, self._clock = addresses, names, clock
        self._known: frozenset[IpAddress] = frozenset()
        self._looked: float | None = None

    def ours(self, host: Host) -> bool:
        """A numeric address counts if it is one of this machine's: no resolver stands between it and us."""
        if host.name in self._more or host.name.endswith(".localhost") or host.name in self._names():
            return True
        address = parse(host.name)
        return address is not None and (address.is_loopback or address in self._own())

    def _own(self) -> frozenset[IpAddress]:
        now = self._clock()
        if self._looked is None or now - self._looked > _LOOK_AGAIN_S:
            self._looked, self._known = now, frozenset(self._addresses())
        return self._known
