"""What goes wrong on connections: each ends in a clear message, and no other session is hurt."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket as sockets
import struct
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from support.light import Light, NewClient, device, light
from support.players import Ears, ScriptedMind, Throat, plain, says
from zero_one.conversation import Services, links
from zero_one.protocol.events import Show, Typed
from zero_one.protocol.light import MAX_BINARY_FRAME, MAX_TEXT_FRAME

FUZZED = 10_000


class Endless(list[Any]):
    """A script that never runs out."""

    def pop(self, index: Any = 0) -> Any:
        return self[0]


def house() -> Services:
    """Every device is answered "Still here.", as often as it asks."""

    def factory(name: str, history: Any) -> ScriptedMind:
        one = ScriptedMind()
        one.plays = Endless([says("Still here.")])
        one.history = history
        return one

    ears = Ears(takes_s=0)
    ears.script = Endless(["hello"])
    return Services(ears, Throat(), plain, interpreter=factory)


async def works(client: NewClient) -> None:
    """A whole turn, right and complete."""
    before = len(client.events)
    await client.send(Typed("are you there"))
    await client.idle()
    words = [e.message for e in client.events[before:] if isinstance(e, Show) and e.message.role == "assistant"]
    assert "".join(m.content or "" for m in words) == "Still here."
    assert not [e for e in client.events[before:] if isinstance(e, Show) and e.message.type == "error"]


async def errors(socket: ClientConnection) -> list[str]:
    """Codes of the errors for what was sent so far: those that come before the answer to a ping."""
    await socket.send('{"type":"ping"}')
    found = []
    async with asyncio.timeout(60):
        while True:
            frame = await socket.recv()
            raw = json.loads(frame) if isinstance(frame, str) else {}
            if raw.get("type") == "pong":
                return found
            if raw.get("type") == "error":
                found.append(raw["code"])


async def test_a_malformed_frame_gets_a_clear_error_and_the_connection_goes_on() -> None:
    async with light(house()) as server, device(server, "d1") as client:
        for frame, code in (
            ("{", "bad_json"),
            ("[]", "bad_json"),
            ('{"type":"nonsense"}', "unknown_type"),
            ('{"role":"user","type":"message","content":5}', "bad_message"),
            ('{"role":"assistant","type":"message","content":"x"}', "bad_message"),
            ('{"role":"user","type":"audio","format":"bytes.mp3","start":true}', "bad_format"),
            (b"\x00\x00", "not_open"),
            ('{"type":"played","generation":"x","played_ms":1}', "bad_field"),
            ("[" * 100_000, "bad_json"),
        ):
            await client.socket.send(frame)
            assert await errors(client.socket) == [code], frame[:60]
        await works(client)


async def test_frames_beyond_the_limits_are_refused() -> None:
    async with light(house()) as server:
        async with device(server, "d1") as client:
            await client.socket.send(
                json.dumps({"role": "user", "type": "audio", "format": "bytes.raw", "start": True})
            )
            await client.socket.send(bytes(MAX_BINARY_FRAME + 2))
            assert await errors(client.socket) == ["too_large"]
        async with device(server, "d2") as good:
            async with connect(server.url) as bad:
                with pytest.raises(ConnectionClosed) as closed:
                    await asyncio.gather(bad.send("x" * (MAX_TEXT_FRAME + 4096)), bad.recv())
                assert closed.value.rcvd is None or closed.value.rcvd.code == 1009
            await works(good)


async def test_what_is_no_websocket_at_all_hurts_nobody() -> None:
    async with light(house()) as server, device(server, "good") as good:
        for junk in (b"\x00" * 100, b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00", b"A" * 70_000):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            # It may be cut off before it has sent all of it.
            with contextlib.suppress(ConnectionError):
                writer.write(junk)
                writer.write_eof()
                await asyncio.wait_for(reader.read(), 60)
            writer.close()
        await works(good)


def fuzz(chance: random.Random) -> str | bytes:
    """A frame that is nearly right, or not at all."""
    keys = ["role", "type", "format", "content", "start", "end", "id", "auth", "device", "protocol", "generation"]
    words: list[Any] = ["user", "assistant", "computer", "audio", "message", "command", "approval", "image", "hello"]
    words += ["bytes.raw", "bytes.wav", "stop", "go", "repeat", "cancel", "played", "volume", "ping", "d", "yes"]
    words += [True, False, None, 0, -1, 1e308, 2**70, "", "\ud800", "x" * 500, [], {}, {"answer": "yes"}, [[[]]]]
    match chance.randrange(6):
        case 0:
            return chance.randbytes(chance.choice([0, 1, 2, 3, 44, 640, 1025, 9216]))
        case 1:
            return "".join(chance.choice('{}[]":,\\ntrue0e-\u2028é') for _ in range(chance.randrange(40)))
        case 2:
            return b"RIFF" + chance.randbytes(chance.randrange(60))
        case 3:
            flag = chance.choice(["start", "end"])
            return json.dumps({"role": "user", "type": "audio", "format": "bytes.raw", flag: True})
        case _:
            return json.dumps({chance.choice(keys): chance.choice(words) for _ in range(chance.randrange(7))})


async def misbehave(server: Light, seed: int, count: int) -> int:
    """Send ``count`` fuzzed frames, reconnecting whenever the server has had enough. Returns the connections used."""
    chance = random.Random(seed)
    sent = connections = 0
    while sent < count:
        connections += 1
        async with connect(server.url, max_size=None, open_timeout=60) as socket:
            reading = asyncio.create_task(swallow(socket))
            try:
                for _ in range(min(count - sent, chance.randrange(50, 400))):
                    await socket.send(fuzz(chance))
                    sent += 1
            except ConnectionClosed:
                pass
            # It reads to the end: one that stopped would not see the server's goodbye among what waits for it.
            await socket.close()
            await reading
    return connections


async def swallow(socket: ClientConnection) -> None:
    """Read everything, as a well-behaved client would."""
    try:
        async for _ in socket:
            pass
    except ConnectionClosed:
        return


async def test_ten_thousand_fuzzed_frames_and_another_session_unharmed() -> None:
    async with light(house()) as server, device(server, "good") as good:
        bad = asyncio.gather(*(misbehave(server, seed, FUZZED // 4) for seed in range(4)))
        turns = 0
        while not bad.done() or not turns:
            await works(good)
            turns += 1
        assert sum(await bad) >= 4
        await works(good)


async def test_a_client_that_does_not_read_is_cut_off_and_hurts_nobody(monkeypatch: Any) -> None:
    """Its receive buffer is small and never emptied; a long printout fills everything in between."""
    monkeypatch.setattr(links, "STUCK_S", 1.0)
    services, cut_off = house(), asyncio.Event()
    monkeypatch.setattr(services.metrics.slow, "inc", cut_off.set)
    async with light(services) as server, device(server, "good") as good:
        raw = sockets.socket()
        raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
        raw.connect(("127.0.0.1", server.port))
        raw.setblocking(False)
        slow = await connect(server.url, sock=raw, max_queue=1, ping_interval=None)
        await slow.send(json.dumps({"type": "hello", "protocol": 1, "device": "slow"}))
        assert json.loads(await slow.recv())["type"] == "hello"
        slow.transport.pause_reading()
        conversation = server.conversations.get("slow")
        from zero_one.protocol.lmc import Message

        for _ in range(400):
            conversation.show(Message("computer", "console", "output", "x" * 20_000))
        await works(good)
        async with asyncio.timeout(60):
            await cut_off.wait()
        await works(good)
        slow.transport.abort()


async def test_a_connection_torn_down_in_the_middle_of_a_frame_hurts_nobody() -> None:
    async with light(house()) as server, device(server, "good") as good:
        for cut in range(1, 8):
            client = await connect(server.url)
            frame = struct.pack("!BBH", 0x82, 0xFE, 4096) + b"\x00\x00\x00\x00" + bytes(500)
            client.transport.write(frame[: cut * 20])
            client.transport.abort()
        await works(good)
