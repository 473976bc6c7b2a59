"""IP addresses as we compare them: one spelling each, and which of them are this machine."""

from __future__ import annotations

import contextlib
import ipaddress
import socket

import psutil

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse(text: str) -> IpAddress | None:
    """An address without its zone; an IPv4 address in IPv6 clothes (::ffff:192.0.2.7) as what it is."""
    try:
        address = ipaddress.ip_address(text.strip().strip("[]").partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def normal(text: str) -> str:
    """The one spelling of an address; anything else stays as it is."""
    address = parse(text)
    return str(address) if address is not None else text


def loopback(text: str) -> bool:
    address = parse(text)
    return address is not None and address.is_loopback


def household(text: str) -> str:
    """Whom limits count together: an address, or the /64 of an IPv6 one, in which a machine may take any it likes."""
    address = parse(text)
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((address, 64), strict=False))
    return normal(text)


def own_addresses() -> list[IpAddress]:
    """The addresses of this machine's network interfaces, loopback first, each once."""
    near: list[IpAddress] = [ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Address("::1")]
    entries = (entry for interface in psutil.net_if_addrs().values() for entry in interface)
    found = (parse(entry.address) for entry in entries if entry.family in (socket.AF_INET, socket.AF_INET6))
    return list(dict.fromkeys([*near, *(address for address in found if address is not None)]))


def own_names() -> list[str]:
    """localhost, the name of this machine, and its name on the local network (``box.local``). Lower case."""
    host = socket.gethostname().rstrip(".").lower()
    short = host.partition(".")[0]
    return list(dict.fromkeys(["localhost", *filter(None, [host, short, short and f"{short}.local"])]))


def own_address(text: str) -> bool:
    address = parse(text)
    with contextlib.suppress(OSError):
        return address is not None and address in own_addresses()
    return False
