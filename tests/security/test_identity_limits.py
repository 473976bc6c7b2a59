"""What one connection or one address may use up, and that the others do not feel it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.asyncio.client import connect

from support.light import Light, light
from support.players import Ears, Throat, plain
from support.strangers import ELSEWHERE, closed, hello, link, near, raw
from zero_one.conversation import Services
from zero_one.identity.certificate import own_certificate
from zero_one.servers import connection, listener, wire
from zero_one.servers.entrance import Entrance
from zero_one.servers.limits import Attempts, Bucket, Once

LIMIT_S = 60.0
"""How long a busy machine may take for what is done at once elsewhere."""


@asynccontextmanager
async def house(**how: Any) -> AsyncIterator[Light]:
    async with light(Services(Ears(), Throat(), plain), near=near, **how) as server:
        yield server


async def idle(server: Light, *, at: str = ELSEWHERE) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", server.port, local_addr=(at, 0))


async def ends(reader: asyncio.StreamReader) -> bool:
    """The server closes it without a word."""
    async with asyncio.timeout(LIMIT_S):
        try:
            return await reader.read(1) == b""
        except ConnectionError:
            return True


def is_open(reader: asyncio.StreamReader) -> bool:
    """The server has not closed it so far: ask when it has been seen to close another one, which came later."""
    return not reader.at_eof() and reader.exception() is None


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is sent away for being slow."""
    monkeypatch.setattr(wire, "HEAD_S", 600)
    monkeypatch.setattr(listener, "_TLS_HANDSHAKE_S", 600)


@pytest.mark.parametrize("begun", ["", "GET /ping HTTP/1.1\r\nHost: localhost\r\nX-Slow: a"])
async def test_a_request_head_that_does_not_end_is_not_waited_for(begun: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slow-loris: a byte now and then would keep a connection open for good."""
    monkeypatch.setattr(wire, "HEAD_S", 0.5)
    async with house() as server:
        reader, writer = await idle(server)
        writer.write(begun.encode())

        async def drip() -> None:
            while True:
                writer.write(b"a")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip()) if begun else None
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(LIMIT_S):
                assert await reader.read() == b""
        if dripping:
            dripping.cancel()
        writer.close()


async def test_the_next_request_on_a_connection_may_not_take_forever_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "HEAD_S", 0.5)
    async with house() as server:
        reader, writer = await idle(server)
        writer.write(f"GET /ping HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\nGET /pi".encode())
        async with asyncio.timeout(LIMIT_S):
            with contextlib.suppress(ConnectionError):
                assert (await reader.read()).endswith(b"pong")
        writer.close()


async def test_a_head_without_end_is_cut_off() -> None:
    async with house() as server:
        status, _ = await raw(server.port, f"GET /ping HTTP/1.1\nX: {'a' * 100_000}")
        assert status == 400


@pytest.mark.usefixtures("unhurried")
async def test_one_address_cannot_take_all_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strangers have few, in all and each, and this machine and other addresses keep theirs."""
    monkeypatch.setattr(listener, "MOST_STRANGERS", 12)
    async with house() as server:
        held = [await idle(server) for _ in range(listener.MOST_STRANGERS_EACH)]
        over = await idle(server)
        assert await ends(over[0])
        assert all(is_open(reader) for reader, _ in held)
        assert (await raw(server.port, f"GET /ping HTTP/1.1\nHost: 127.0.0.1:{server.port}\nConnection: close"))[
            0
        ] == 200
        others = [await idle(server, at=f"127.0.4.{n + 1}") for n in range(12 - len(held))]
        assert await ends((await idle(server, at="127.0.4.100"))[0])
        async with connect(server.url, open_timeout=LIMIT_S) as socket:
            assert (await hello(socket))["type"] == "hello"
        for _, writer in (over, *held, *others):
            writer.close()


async def test_places_come_back_when_connections_go_and_when_it_is_clear_who_is_there() -> None:
    async with house() as server:
        assert server.server is not None
        assert server.door is not None
        _, key = server.door.book.admit("Phone", "", now=1.0)
        count = server.server._count
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(listener.MOST_STRANGERS_EACH + 4):
                socket = await stack.enter_async_context(link(server, key=key))
                await hello(socket)
            assert len(count) == listener.MOST_STRANGERS_EACH + 4
            assert count._strangers.total() == 0
        async with asyncio.timeout(LIMIT_S):
            while len(count):  # the server learns of each end by itself
                await server.notice()


@pytest.mark.usefixtures("unhurried")
async def test_one_address_has_a_limit_with_keys_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listener, "MOST_EACH", 3)
    async with house() as server, contextlib.AsyncExitStack() as stack:
        assert server.door is not None
        _, key = server.door.book.admit("Phone", "", now=1.0)
        for _ in range(3):
            await hello(await stack.enter_async_context(link(server, key=key)))
        assert await ends((await idle(server))[0])


@pytest.mark.usefixtures("unhurried")
async def test_a_tls_handshake_that_does_not_end_is_counted(tmp_path: Path) -> None:
    context = (await asyncio.to_thread(own_certificate, tmp_path)).context()
    async with house(entrance=Entrance(tls=context)) as server:
        held = [await idle(server) for _ in range(listener.MOST_STRANGERS_EACH)]
        assert await ends((await idle(server))[0])
        assert all(is_open(reader) for reader, _ in held)
        for _, writer in held:
            writer.close()


async def test_a_tls_handshake_that_does_not_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    context = (await asyncio.to_thread(own_certificate, tmp_path)).context()
    async with house(entrance=Entrance(tls=context)) as server:
        with monkeypatch.context() as patch:
            patch.setattr(listener, "_TLS_HANDSHAKE_S", 0.5)
            held = [await idle(server) for _ in range(listener.MOST_STRANGERS_EACH)]
            assert all([await ends(reader) for reader, _ in held])
        trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        trusting.load_verify_locations(tmp_path / "certificate.pem")
        async with connect(
            f"wss://localhost:{server.port}/", ssl=trusting, local_addr=("127.0.0.1", 0), open_timeout=LIMIT_S
        ) as socket:
            assert (await hello(socket))["type"] == "hello"


async def test_a_stranger_who_talks_and_never_says_who_it_is_is_sent_away() -> None:
    async with house() as server, link(server) as socket:
        for _ in range(connection.STRANGER_FRAMES + 1):
            await socket.send('{"type": "ping"}')
        assert (await closed(socket))[0] == 4401


async def test_a_stranger_may_not_send_us_megabytes_and_a_device_may() -> None:
    async with house() as server:
        assert server.door is not None
        _, key = server.door.book.admit("Phone", "", now=1.0)
        large = json.dumps({"type": "ping", "id": "1", "padding": "x" * wire.STRANGERS_MOST})
        async with link(server) as socket:
            await socket.send(large)
            assert (await closed(socket))[0] in (1009, 1006)
        async with link(server, key=key) as socket:
            await hello(socket)
            await socket.send(large)
            assert json.loads(await asyncio.wait_for(socket.recv(), LIMIT_S)) == {"type": "pong", "id": "1"}


async def test_a_silent_stranger_is_sent_away_and_a_silent_device_may_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Devices say nothing for hours."""
    monkeypatch.setattr(connection, "STRANGER_WAIT_MS", 300)
    monkeypatch.setattr(connection, "HELLO_WAIT_MS", 100)
    async with house() as server, connect(server.url) as device, link(server) as stranger:
        assert (await closed(stranger))[0] == 4401
        await device.send('{"type": "ping", "id": "1"}')
        assert json.loads(await asyncio.wait_for(device.recv(), LIMIT_S)) == {"type": "pong", "id": "1"}


async def test_who_sends_too_fast_is_read_more_slowly_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_FRAMES", 20)
    monkeypatch.setattr(connection, "_FRAMES_A_S", 100)
    loop = asyncio.get_running_loop()
    async with house() as server, connect(server.url) as socket:
        await hello(socket)
        before = loop.time()
        for n in range(70):
            await socket.send(json.dumps({"type": "ping", "id": str(n)}))
        answers = [json.loads(await socket.recv())["id"] for _ in range(70)]
        assert answers == [str(n) for n in range(70)]
        assert loop.time() - before > 0.4


async def test_pings_to_a_peer_that_does_not_read_do_not_pile_up() -> None:
    """The protocol's own pings are answered by the library, out of sight of the conversation."""
    async with house() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
        head = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        writer.write(head.encode())
        await reader.readuntil(b"\r\n\r\n")
        assert server.server is not None
        (protocol,) = server.server.server_state.connections
        largest = 0
        ping = b"\x89\xfd\0\0\0\0" + bytes(125)
        for _ in range(300):
            writer.write(ping * 400)
            with contextlib.suppress(TimeoutError, ConnectionError):  # it is cut off when it goes too far
                await asyncio.wait_for(writer.drain(), 0.2)
            largest = max(largest, protocol.transport.get_write_buffer_size())
        assert largest < 4 * wire.MOST_WAITING + 300_000
        writer.transport.abort()


# --- the counters themselves


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_fills_again() -> None:
    clock = Clock()
    bucket = Bucket(3, 1, clock)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    clock.now = 2
    assert [bucket.take() for _ in range(3)] == [True, True, False]
    assert bucket.spend(5) == 5
    clock.now = 100
    assert bucket.full


def test_attempts_count_for_each_and_for_all_and_are_forgotten() -> None:
    clock = Clock()
    wrong = Attempts(3, 6, 60, clock, most=100)
    for _ in range(3):
        assert not wrong.exhausted("a")
        wrong.failed("a")
    assert wrong.exhausted("a")
    assert not wrong.exhausted("b")
    for who in "bcd":
        wrong.failed(who)
    assert wrong.exhausted("b"), "all together have used up theirs: one guess each is left"
    assert not wrong.exhausted("e")
    clock.now = 61
    assert not wrong.exhausted("a")
    for n in range(10_000):
        wrong.failed(n)
    assert len(wrong._known) == 100


def test_a_thing_is_said_once_in_a_while() -> None:
    clock = Clock()
    once = Once(10, clock, most=5)
    assert [once.now("a"), once.now("a"), once.now("b")] == [True, False, True]
    clock.now = 11
    assert once.now("a")
    for n in range(100):
        once.now(n)
    assert len(once._last) == 5
