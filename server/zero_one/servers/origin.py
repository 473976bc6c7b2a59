"""Which web pages may talk to a server that listens on this machine: none but those of this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def trusted_origin(origin: str | None) -> bool:
    """Browsers always send an Origin with a WebSocket; programs need not. The first 01's ESP32 sends ``file://``, which
    no page from a network can. A page of this machine (any port) is as trusted as a program on it."""
    if origin is None or origin.strip().lower() == "file://":
        return True
    try:
        parts = urlsplit(origin)
        host = parts.hostname
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and host is not None and loopback(host)


def loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
