"""The way out of a sandbox: what it lets through, what it refuses, and that it can be closed at any moment."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from zero_one.computer.languages.base import Reach
from zero_one.safety import proxy as proxy_module
from zero_one.safety.proxy import Proxy, is_public

EVERYTHING = Reach(public=True)


@pytest_asyncio.fixture
async def proxy(tmp_path: Path) -> AsyncIterator[Proxy]:
    opened = Proxy(tmp_path / "p")
    await opened.start()
    yield opened
    await opened.close()


@pytest_asyncio.fixture
async def port() -> AsyncIterator[int]:
    """A server that answers with what it was sent, line by line; it stands for one on this machine."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(b"got " + line)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def ask(proxy: Proxy, head: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, str]:
    reader, writer = await asyncio.open_unix_connection(proxy.path)
    writer.write(head.encode())
    first = (await asyncio.wait_for(reader.readline(), 60)).decode()
    return reader, writer, first


async def status(proxy: Proxy, target: str) -> str:
    head = f"CONNECT {target} HTTP/1.1\r\n\r\n" if "//" not in target else f"GET {target} HTTP/1.1\r\n\r\n"
    _, writer, first = await ask(proxy, head)
    writer.close()
    return first.strip()


@pytest.mark.parametrize(
    "address",
    """127.0.0.1 127.9.9.9 0.0.0.0 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 224.0.0.1 255.255.255.255
    192.0.2.1 198.18.0.1 ::1 :: fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
    64:ff9b::7f00:1 2002:7f00:1:: 2001:0:1:2:3:4:5:6 ::127.0.0.1 2001:db8::1 nonsense""".split(),
)
def test_no_address_of_this_machine_or_network_is_public(address: str) -> None:
    assert not is_public(address)


def test_addresses_of_others_are_public_and_own_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert all(is_public(address) for address in ("93.184.216.34", "1.1.1.1", "2606:4700::1111"))
    monkeypatch.setattr(proxy_module, "_own_addresses", lambda: {"93.184.216.34"})
    assert not is_public("93.184.216.34"), "this machine's own address on the internet is still this machine"


async def test_closed_it_lets_nothing_through(proxy: Proxy, port: int) -> None:
    for target in ("example.org:443", "http://example.org/", f"127.0.0.1:{port}"):
        assert "403 This run may not reach" in await status(proxy, target)


async def test_this_machine_is_refused_by_every_name_of_it(proxy: Proxy, port: int) -> None:
    proxy.reach(EVERYTHING)
    for host in ("127.0.0.1", "localhost", "[::1]", "0.0.0.0", "127.1", "2130706433", socket.gethostname()):
        for target in (f"{host}:{port}", f"http://{host}:{port}/"):
            assert " 403 " in await status(proxy, target), target


async def test_a_name_is_looked_up_once_and_not_again_behind_our_back(
    proxy: Proxy, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: the first answer is public, every later one is this machine."""
    asked: list[str] = []
    reached: list[str] = []

    async def look_up(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        address = "93.184.216.34" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    async def connect(host: str, *_: Any, **__: Any) -> Any:
        reached.append(host)
        raise OSError

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)
    monkeypatch.setattr(proxy_module.asyncio, "open_connection", connect)
    proxy.reach(EVERYTHING)
    assert "does not answer" in await status(proxy, "rebind.example:80")
    assert (asked, reached) == (["rebind.example"], ["93.184.216.34"])
    assert "this machine or on the local network" in await status(proxy, "rebind.example:80")
    assert reached == ["93.184.216.34"]


async def test_only_named_hosts_are_reached_where_only_these_were_agreed_to(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nowhere(*_: Any, **__: Any) -> Any:
        raise OSError

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", nowhere)
    proxy.reach(Reach(hosts=frozenset({"example.org"})))
    for host in ("example.org", "www.example.org", "EXAMPLE.org", "api.example.org"):
        assert "was not found" in await status(proxy, f"{host}:443"), host
    for host in ("example.com", "badexample.org", "example.org.evil.net", "org"):
        assert "may not reach" in await status(proxy, f"{host}:443"), host


async def test_a_private_host_is_reached_where_the_profile_names_it(proxy: Proxy, port: int) -> None:
    proxy.reach(Reach(private=frozenset({f"127.0.0.1:{port}"})))
    reader, writer, first = await ask(proxy, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")
    assert " 200 " in first
    await reader.readline()
    writer.write(b"hello\n")
    assert await reader.readline() == b"got hello\n"
    writer.close()
    assert " 403 " in await status(proxy, f"127.0.0.1:{port + 1}"), "another port of it was not named"


async def test_a_plain_request_is_handed_on_for_one_host_only(proxy: Proxy, port: int) -> None:
    proxy.reach(Reach(private=frozenset({"127.0.0.1"})))
    fields = "Host: x\r\nProxy-Authorization: y\r\nConnection: keep-alive\r\n\r\n"
    head = f"GET http://127.0.0.1:{port}/a?b HTTP/1.1\r\n{fields}"
    reader, writer, first = await ask(proxy, head)
    assert first == "got GET /a?b HTTP/1.1\r\n"
    assert await reader.readline() == f"got Host: 127.0.0.1:{port}\r\n".encode()
    assert await reader.readline() == b"got Connection: close\r\n"
    writer.close()


async def test_closing_cuts_what_is_open(proxy: Proxy, port: int) -> None:
    proxy.reach(Reach(private=frozenset({"127.0.0.1"})))
    reader, writer, first = await ask(proxy, f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")
    assert " 200 " in first
    await reader.readline()
    proxy.reach(Reach())
    assert await asyncio.wait_for(reader.read(), 60) == b""
    writer.close()


@pytest.mark.parametrize(
    "head",
    [
        "\r\n\r\n", "GET\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", "CONNECT : HTTP/1.1\r\n\r\n", "CONNECT a:b HTTP/1.1\r\n\r\n",
        "CONNECT a:99999999 HTTP/1.1\r\n\r\n", "GET ftp://a/ HTTP/1.1\r\n\r\n", "GET http://[ HTTP/1.1\r\n\r\n",
        "\0\1\2\r\n\r\n", "GET http://a/ HTTP/1.1\r\n" + "X: y\r\n" * 20_000,
    ],
)  # fmt: skip
async def test_nonsense_ends_one_connection_and_nothing_else(proxy: Proxy, port: int, head: str) -> None:
    proxy.reach(EVERYTHING)
    _, writer, first = await ask(proxy, head)
    writer.close()
    assert first == "" or " 403 " in first
    proxy.reach(Reach(private=frozenset({"127.0.0.1"})))
    assert " 200 " in await status(proxy, f"127.0.0.1:{port}")


async def test_the_host_that_is_told_is_the_one_that_was_looked_at(proxy: Proxy, port: int) -> None:
    """Many live behind one address; another one's name in the header would reach that."""
    proxy.reach(Reach(private=frozenset({"localhost"})))
    head = f"GET http://localhost:{port}/x HTTP/1.1\r\nhost: other.example\r\nHost : third.example\r\nA: b\r\n\r\n"
    reader, writer, first = await ask(proxy, head)
    assert first == "got GET /x HTTP/1.1\r\n"
    lines = [(await asyncio.wait_for(reader.readline(), 60)).decode() for _ in range(3)]
    writer.close()
    assert lines == [f"got Host: localhost:{port}\r\n", "got A: b\r\n", "got Connection: close\r\n"]


async def test_a_name_without_a_dot_opens_no_more_than_itself(proxy: Proxy) -> None:
    proxy.reach(Reach(hosts=frozenset({"com", "example.org"})))
    assert "403 This run may not reach" in await status(proxy, "evil.com:443")
    assert "403 This run may not reach" in await status(proxy, "evilexample.org:443")
