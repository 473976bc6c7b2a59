"""Host, Origin and keys on every route and method: rebinding, other sites, odd headers; in raw bytes."""

from __future__ import annotations

import json
import socket as sockets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from support.light import Light, light
from support.players import Ears, Throat, plain
from support.strangers import ELSEWHERE, hello, link, near, raw
from zero_one.conversation import Services
from zero_one.servers.entrance import Entrance
from zero_one.servers.hosts import Host, HostError, Names, foreign, read_host

ROUTES = ["/ping", "/health", "/metrics", "/pair", "/", "/nothing-here"]
METHODS = ["GET", "HEAD", "OPTIONS", "POST", "DELETE"]
UPGRADE = (
    "\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
)


@asynccontextmanager
async def house(**how: Any) -> AsyncIterator[Light]:
    async with light(Services(Ears(), Throat(), plain), near=near, **how) as server:
        yield server


def key_of(server: Light) -> str:
    assert server.door is not None
    return server.door.book.admit("Phone", "", now=1.0)[1]


async def ask(
    server: Light,
    path: str = "/ping",
    *,
    host: str | None = None,
    method: str = "GET",
    more: str = "",
    at: str = "127.0.0.1",
) -> int:
    host = f"127.0.0.1:{server.port}" if host is None else host
    return (await raw(server.port, f"{method} {path} HTTP/1.1\nHost: {host}\nConnection: close{more}", at=at))[0]


# --- Host


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "203.0.113.9",
     "0.0.0.0", "127.1", "2130706433", "0x7f000001", "[2001:db8::1]:{port}"],
)  # fmt: skip
async def test_a_name_that_is_not_ours_reaches_no_route(host: str) -> None:
    """DNS rebinding: the stranger's name points to this machine, and the browser believes it is one site."""
    async with house() as server:
        host = host.format(port=server.port)
        for path in ROUTES:
            for method in METHODS:
                assert await ask(server, path, host=host, method=method) == 421, (path, method)
        assert await ask(server, "/", host=host, more=UPGRADE) == 421
        key = key_of(server)
        assert await ask(server, host=host, more=f"\nAuthorization: Bearer {key}") == 421


@pytest.mark.parametrize(
    "host", ["", "user@localhost", "localhost:x", "localhost:99999", "local host", "[::1", "a/b", "%6c"]
)
async def test_a_host_that_cannot_be_right_is_refused(host: str) -> None:
    async with house() as server:
        assert await ask(server, host=host) == 400


async def test_two_hosts_or_none_are_refused() -> None:
    async with house() as server:
        both = f"GET /ping HTTP/1.1\nHost: localhost:{server.port}\nHost: evil.example\nConnection: close"
        assert (await raw(server.port, both))[0] == 400
        assert (await raw(server.port, "GET /ping HTTP/1.1\nConnection: close"))[0] == 400
        assert (await raw(server.port, "GET /ping HTTP/1.0"))[0] == 400


async def test_every_name_of_this_machine_is_ours() -> None:
    name = sockets.gethostname().lower()
    async with house() as server:
        for host in (
            "localhost",
            "LOCALHOST.",
            "127.0.0.1",
            "127.0.0.9",
            "[::1]",
            name,
            f"{name.partition('.')[0]}.local",
        ):
            assert await ask(server, host=host) == 200
            assert await ask(server, host=f"{host}:{server.port}") == 200


def test_hosts_are_read_strictly() -> None:
    assert read_host("Box.Local.:10101") == Host("box.local", 10101)
    assert read_host("[::FFFF:127.0.0.1]") == Host("127.0.0.1")
    for odd in ("", ".", "a b", "a:0", "a:", "[::1]x", "[]", "é", "a\n", "a,b", "::1"):
        with pytest.raises(HostError):
            read_host(odd)
    assert Names(["01.example."]).ours(Host("01.example"))
    assert not Names().ours(Host("01.example"))
    assert Names(["B\u00fccher.example"]).ours(read_host("XN--bcher-kva.example.:443"))


# --- Origin


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://localhost:1", "http://127.0.0.1:1", "null", "http://user@127.0.0.1:{port}",
     "http://127.0.0.1:{port}.evil.example", "http://127.0.0.1:{port}/path", "chrome-extension://abc", "file://host",
     "http://evil.example\nOrigin: http://127.0.0.1:{port}", "garbage"],
)  # fmt: skip
async def test_pages_of_other_places_reach_no_route(origin: str) -> None:
    async with house() as server:
        more = f"\nOrigin: {origin.format(port=server.port)}"
        for path in ROUTES:
            for method in METHODS:
                assert await ask(server, path, method=method, more=more) == 403, (path, method)
        # Two Origins are too many for the WebSocket's own reading of the head already.
        assert await ask(server, "/", more=more + UPGRADE) == (400 if "\n" in origin else 403)


async def test_our_own_pages_and_the_esp32_are_let_through() -> None:
    async with house() as server:
        for origin in (f"http://127.0.0.1:{server.port}", f"HTTP://127.0.0.1:{server.port}", "file://"):
            assert await ask(server, more=f"\nOrigin: {origin}") == 200
        assert await ask(server, host="localhost", more="\nOrigin: http://localhost") == 200
    assert not foreign(["https://x.example"], Host("x.example", 443))
    assert foreign(["http://x.example"], Host("x.example", 443))


async def test_a_request_of_another_site_without_an_origin_is_known_by_what_the_browser_says_of_it() -> None:
    async with house() as server:
        for site in ("cross-site", "same-site"):
            assert await ask(server, "/health", more=f"\nSec-Fetch-Site: {site}") == 403
        for site in ("none", "same-origin"):
            assert await ask(server, "/health", more=f"\nSec-Fetch-Site: {site}") == 200


async def test_a_page_with_a_devices_key_is_that_device() -> None:
    async with house() as server:
        key = key_of(server)
        async with link(server, key=key, origin="https://app.example") as socket:
            assert (await hello(socket))["type"] == "hello"
        with pytest.raises(InvalidStatus) as no:
            async with link(server, key="01_0123456789ab_" + "A" * 43, origin="https://app.example"):
                pass
        assert no.value.response.status_code == 401
        # Not even so may it make new devices.
        more = f"\nOrigin: https://app.example\nAuthorization: Bearer {key}"
        assert await ask(server, "/pair", method="POST", more=more) == 403


async def test_no_answer_ever_allows_another_site_anything() -> None:
    async with house() as server:
        for origin in ("", "\nOrigin: https://evil.example"):
            for path in ROUTES:
                head = f"OPTIONS {path} HTTP/1.1\nHost: 127.0.0.1:{server.port}\nConnection: close"
                more = "\nAccess-Control-Request-Method: POST\nAccess-Control-Request-Private-Network: true"
                _, answer = await raw(server.port, head + more + origin)
                assert "access-control" not in answer.lower()


# --- keys


async def test_from_elsewhere_only_the_ping_is_open() -> None:
    async with house() as server:
        key = key_of(server)
        assert await ask(server, "/ping", at=ELSEWHERE) == 200
        for path in ("/health", "/metrics", "/nothing-here"):
            assert await ask(server, path, at=ELSEWHERE) == 401
            assert await ask(server, path, at=ELSEWHERE, more="\nAuthorization: Bearer x") == 401
            assert await ask(server, path, at=ELSEWHERE, more="\nAuthorization: Basic eDp5") == 401
            right = f"\nAuthorization: Bearer {key}"
            assert await ask(server, path, at=ELSEWHERE, more=right) == (404 if "nothing" in path else 200)
            assert await ask(server, path, at=ELSEWHERE, more=right + right) == 401
        assert await ask(server, "/health") == 200


async def test_no_header_makes_a_connection_come_from_this_machine() -> None:
    async with house() as server:
        for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "CF-Connecting-IP"):
            assert await ask(server, "/health", at=ELSEWHERE, more=f"\n{name}: 127.0.0.1") == 401


async def test_at_the_end_of_a_tunnel_any_name_will_do_and_nobody_is_near() -> None:
    async with house(entrance=Entrance(outside=True)) as server:
        assert await ask(server, "/ping", host="my-01.example") == 200
        assert await ask(server, "/health", host="my-01.example") == 401
        assert await ask(server, "/ping", host="my-01.example", more="\nOrigin: https://evil.example") == 403
        assert await ask(server, "/ping", host="my-01.example", more="\nOrigin: https://my-01.example") == 200


async def test_the_plain_port_has_a_ping_and_nothing_else() -> None:
    async with house(entrance=Entrance(plain=True)) as server:
        assert await ask(server, "/ping") == 200
        for path in ROUTES[1:]:
            assert await ask(server, path) == 403


async def test_a_refused_websocket_is_told_why() -> None:
    async with house() as server:
        with pytest.raises(InvalidStatus) as no:
            async with connect(server.url, origin="https://evil.example"):
                pass
        assert no.value.response.status_code == 403
        assert "other sites" in json.loads(no.value.response.body or b"{}")["error"]
