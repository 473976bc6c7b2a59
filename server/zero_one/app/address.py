"""Where a server is: the address as people write it, and whether anybody answers there."""

from __future__ import annotations

import asyncio
import http.client
import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from zero_one.config.problems import fail
from zero_one_desktop.options import websocket_url
from zero_one_desktop.pin import pinned
from zero_one_desktop.places import state_dir

_ASK_AGAIN_S = 0.1
"""How often a server that warms up is asked again; it has no way to tell by itself before a connection."""
ANSWER_S = 5.0
"""How long a server of ours may take that is busy with warming up. Where nobody listens, that is known at once."""


@dataclass(frozen=True, slots=True)
class Address:
    """A server: ``ws`` for its WebSocket, ``http`` (without a slash at the end) for its pages. ``pin`` is the
    fingerprint of the one certificate that it may show; without one, authorities vouch for it as for a web page.
    ``token`` is our key there, if we are paired with it."""

    ws: str
    http: str
    pin: str = ""
    token: str | None = field(default=None, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def context(self) -> ssl.SSLContext | None:
        """How to check who answers; None without TLS."""
        if not self.ws.startswith("wss:"):
            return None
        return pinned(self.pin) if self.pin else ssl.create_default_context()


def address(text: str) -> Address:
    """Read ``host``, ``host:port`` or a ws, wss, http or https URL, port 10101 if none is named. Raises ConfigError."""
    try:
        return _of(websocket_url(text))
    except ValueError as error:
        raise fail("--server-url", str(error)) from error


def _of(url: str, pin: str = "", token: str | None = None) -> Address:
    parts = urlsplit(url)
    page = f"{'https' if parts.scheme == 'wss' else 'http'}://{parts.netloc}{parts.path.rstrip('/')}"
    return Address(url, page, pin, token)


def named(text: str) -> Address:
    """As ``address``, with the pin and the key that the desktop client has for that server, which may also be named by
    its name. Raises ConfigError."""
    from zero_one_desktop.keys import Keys
    from zero_one_desktop.target import TargetError, find_target
    from zero_one_desktop.vault import SystemKeyring

    try:
        target = find_target(text, Keys(state_dir(), SystemKeyring()))
    except TargetError as error:
        raise fail("--server-url", str(error)) from error
    url = target.urls[0]
    return _of(url, "" if url in target.public else target.pin, target.token)


def local_address(host: str, port: int, pin: str = "") -> Address:
    """A server on this machine, by what it listens on. ``pin``: it speaks TLS and shows that certificate."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
    place = f"{f'[{name}]' if ':' in name else name}:{port}"
    return Address(f"wss://{place}/", f"https://{place}", pin) if pin else address(place)


def get(url: str, timeout_s: float = 1.0, context: ssl.SSLContext | None = None) -> str | None:
    """The page at ``url``, one that tells of an error too, or None where nobody answers in time.

    Proxies are left aside: servers of ours are near.
    """
    handlers = [urllib.request.HTTPSHandler(context=context)] if context is not None else []
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), *handlers)
    try:
        with opener.open(url, timeout=timeout_s) as answer:
            text: bytes = answer.read(1_000_000)
    except urllib.error.HTTPError as refusal:
        with refusal:
            text = refusal.read(1_000_000)
    except (OSError, urllib.error.URLError, http.client.HTTPException, ValueError):
        return None
    return text.decode("utf-8", "replace")


async def answers(where: Address) -> bool:
    """True if a server of ours answers there."""
    page = await asyncio.to_thread(get, f"{where.http}/ping", ANSWER_S, where.context())
    return page is not None and page.strip().strip('"') == "pong"


async def warm(where: Address, limit_s: float) -> bool:
    """Wait until the engines there are warm, or have failed to be. False where that takes longer than ``limit_s``."""
    clock = asyncio.get_running_loop().time
    until = clock() + limit_s
    while clock() < until:
        page = await asyncio.to_thread(get, f"{where.http}/health", 1.0, where.context())
        try:
            # No page is a machine too busy with warming up to answer in time.
            if page is not None and json.loads(page).get("status") != "warming":
                return True
        except (ValueError, AttributeError):
            return True
        await asyncio.sleep(_ASK_AGAIN_S)
    return False
