"""Where the server of this installation listens just now: a small file that it keeps while it runs, so that
``01 pair`` shows the addresses of the server that is there, and not of the one in the settings."""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import psutil

from zero_one.app.address import Address, answers, local_address
from zero_one.config.paths import data_dir
from zero_one.config.resolve import is_loopback
from zero_one.config.settings import Settings
from zero_one.files import write_whole
from zero_one.identity.addresses import IpAddress, parse

_MOST = 4
_VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "cni", "flannel", "podman", "lxc")
"""Interfaces to machines inside this one."""


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """``host`` is what it listens on, ``pin`` its certificate's fingerprint (empty without TLS), ``public`` an address
    on the internet that leads to it and has a certificate of its own; ``tunnel`` one (``host:port``) at whose end ours
    is shown, which is ``tunnel_pin``."""

    pid: int
    host: str
    port: int
    pin: str = ""
    public: str = ""
    tunnel: str = ""
    tunnel_pin: str = ""

    @property
    def address(self) -> Address:
        """How programs of this machine reach it."""
        return local_address(self.host, self.port, self.pin)

    @property
    def near_only(self) -> bool:
        """No other machine can reach it."""
        return is_loopback(self.host) and not self.public and not self.tunnel

    @property
    def shown_pin(self) -> str:
        """The fingerprint that belongs to what ``hosts`` gives."""
        return self.tunnel_pin if self.tunnel and not self.pin else self.pin

    def hosts(self) -> list[str]:
        """What to give a device as addresses, best first; never more than a QR code holds well. With a port where that
        is another one than the server's own."""
        tunnel = [self.tunnel] if self.tunnel else []
        if tunnel and not self.pin:
            return tunnel  # what is reachable without TLS may not be named together with a fingerprint
        return (self._near()[: _MOST - len(tunnel)] + tunnel)[:_MOST]

    def _near(self) -> list[str]:
        given = parse(self.host)
        if given is None or not given.is_unspecified:
            return [self.host]
        return [str(one) for one in reachable() if given.version == 6 or one.version == 4]


@contextmanager
def kept(where: Whereabouts) -> Iterator[None]:
    """The file says this for as long as the block lasts. A folder that cannot be written is no reason not to serve."""
    note(where)
    try:
        yield
    finally:
        found = _read()
        if found is not None and found.pid == where.pid:
            with suppress(OSError):
                _path().unlink(missing_ok=True)


def note(where: Whereabouts) -> None:
    with suppress(OSError):
        write_whole(_path(), json.dumps(asdict(where)))


async def running() -> Whereabouts | None:
    """The server that runs, and answers; None where there is none."""
    found = _read()
    if found is None or not psutil.pid_exists(found.pid) or not await answers(found.address):
        return None
    return found


def near(settings: Settings) -> Address:
    """How programs of this machine reach the server of this installation, or the one of these settings where none
    runs."""
    found = _read()
    if found is not None and psutil.pid_exists(found.pid):
        return found.address
    return local_address(settings.server.host, settings.server.port)


def reachable() -> list[IpAddress]:
    """The addresses under which other machines may find this one: the one of the way out first, IPv4 before IPv6."""
    found: list[IpAddress] = []
    states = psutil.net_if_stats()
    for name, entries in psutil.net_if_addrs().items():
        if name.lower().startswith(_VIRTUAL) or (name in states and not states[name].isup):
            continue
        for entry in entries:
            address = parse(entry.address) if entry.family in (socket.AF_INET, socket.AF_INET6) else None
            if address is not None and not (address.is_loopback or address.is_link_local):
                found.append(address)
    way_out = _way_out()
    return sorted(dict.fromkeys(found), key=lambda address: (address != way_out, address.version))


def _way_out() -> IpAddress | None:
    """The address that packets to elsewhere would leave from. Nothing is sent: UDP connects without a packet."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # TEST-NET-1, RFC 5737: nobody's
        return ipaddress.ip_address(probe.getsockname()[0])
    return None


def _path() -> Path:
    return data_dir() / "server.json"


def _read() -> Whereabouts | None:
    try:
        row = json.loads(_path().read_text("utf-8"))
        texts = {name: str(row.get(name) or "") for name in ("host", "pin", "public", "tunnel", "tunnel_pin")}
        return Whereabouts(pid=int(row["pid"]), port=int(row["port"]), **texts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Whatever is not readable is not running, as far as anybody can tell; the server writes it anew.
        return None
