"""Devices and programs that try it in odd ways: proxies, keys in odd places, revoking at every moment, odd frames."""

from __future__ import annotations

import asyncio
import json
import zlib
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.frames import Frame, Opcode

from support.light import ESP32_START, Light, light
from support.players import Ears, Scene, ScriptedMind, Throat, plain
from support.strangers import ELSEWHERE, closed, frames_until, hello, link, near, raw
from zero_one.conversation import Services, links
from zero_one.identity.devices import DeviceBook, Scope
from zero_one.interpreter.base import Decision
from zero_one.servers import admission, connection
from zero_one.servers.entrance import Entrance
from zero_one.servers.light import LightServer

NOT_PAIRED, TRY_LATER = 4401, 4429
WRONG = "01_0123456789ab_" + "A" * 43


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine, everybody gets to say hello."""
    monkeypatch.setattr(connection, "HELLO_WAIT_MS", 60_000)
    monkeypatch.setattr(connection, "STRANGER_WAIT_MS", 60_000)


class House:
    """A mind that asks one question, or works until it is ended; ``decisions`` are what it was told."""

    def __init__(self, *, works: bool = False) -> None:
        self.decisions: list[Decision] = []
        self.minds: list[ScriptedMind] = []
        self.works = works
        self.services = Services(Ears(takes_s=0.01), Throat(ms_a_char=1), plain, interpreter=self._mind)

    def _mind(self, device: str, history: Any) -> ScriptedMind:
        mind = ScriptedMind(self._play)
        mind.history = history
        self.minds.append(mind)
        return mind

    async def _play(self, scene: Scene) -> None:
        if self.works:
            await scene.code(3600, "done")
        self.decisions.append(await scene.ask("Delete it?", hand="press"))


def pair(server: Light, name: str, *scopes: Scope) -> tuple[str, str]:
    assert server.door is not None
    device, key = server.door.book.admit(name, "phone", now=1.0, **({"scopes": scopes} if scopes else {}))
    return device.id, key


def revoke(server: Light, ident: str) -> None:
    """As another process does it."""
    assert server.door is not None
    DeviceBook(server.door.book._path).revoke(ident)


async def say(socket: Any, **fields: Any) -> None:
    await socket.send(json.dumps({"role": "user", **fields}))


async def asked(socket: Any) -> str:
    """Ask for something; the id of the question that comes, once it may be answered."""
    await say(socket, type="message", content="do it")
    question = (await frames_until(socket, {"type": "approval"}))[-1]
    return str(question["id"])


async def answerable(server: Light) -> None:
    async with asyncio.timeout(30):
        while not any(c.questions.open and not c.questions.open.deaf for c in server.conversations.open()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


# --- where it comes from, and what it shows


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For: 127.0.0.1", "x-real-ip: 8.8.8.8", "Forwarded: for=_x", "VIA: 1.1 proxy",
               "CF-Connecting-IP: 8.8.8.8"],
)  # fmt: skip
async def test_what_a_proxy_on_this_machine_brings_is_not_the_owner(header: str) -> None:
    """Whoever puts a web server or a tunnel of their own before the port makes nobody the owner by that."""
    house = House()
    async with light(house.services, near=near) as server:
        name, _, value = header.partition(": ")
        async with connect(server.url, additional_headers={name: value}) as socket:
            assert (await hello(socket))["code"] == "not_paired"
            assert (await closed(socket))[0] == NOT_PAIRED
        head = f"GET /metrics HTTP/1.1\nHost: localhost\nConnection: close\n{header}"
        assert (await raw(server.port, head))[0] == 401
        _, key = pair(server, "Phone")
        async with connect(server.url, additional_headers={name: value, "Authorization": f"bearer {key}"}) as socket:
            assert (await hello(socket))["type"] == "hello"


@pytest.mark.parametrize(
    "where", ["?token={key}", "?key={key}&authorization=Bearer+{key}", "#"],
)  # fmt: skip
async def test_a_key_in_the_address_is_no_key(where: str) -> None:
    """Addresses stand in logs and histories."""
    async with light(House().services, near=near) as server:
        _, key = pair(server, "Phone")
        url = server.url + where.format(key=key).rstrip("#")
        async with link(server, url=url, subprotocols=["bearer", key]) as socket:  # type: ignore[list-item]
            assert socket.subprotocol is None
            assert (await hello(socket))["code"] == "not_paired"


@pytest.mark.parametrize("second", [WRONG, "", "the same"])
async def test_of_several_keys_at_once_each_must_be_right(second: str) -> None:
    """In two headers nothing is a key; a wrong one in the hello or said later is not covered by a right one."""
    async with light(House().services, near=near) as server:
        _, key = pair(server, "Phone")
        other = key if second == "the same" else second
        headers = [("Authorization", f"Bearer {key}"), ("authorization", f"Bearer {other}")]
        async with connect(server.url, local_addr=(ELSEWHERE, 0), additional_headers=headers) as socket:
            assert (await closed(socket))[0] == NOT_PAIRED
        if second == WRONG:
            async with link(server, key=key) as socket:
                assert (await hello(socket, token=other))["code"] == "not_paired"
            async with link(server) as socket:
                assert (await hello(socket, token=key))["type"] == "hello"
                await socket.send(json.dumps({"auth": other}))
                frames = await frames_until(socket, {"type": "error"})
                assert frames[-1]["code"] == "not_paired"
                assert {"auth": True} not in frames


@pytest.mark.parametrize("way", ["tunnel", "this machine"])
async def test_nobody_locks_others_out_where_all_have_one_address(way: str) -> None:
    """Through a tunnel everybody comes from here: who guesses is not heard any more, who has a key is."""
    how: dict[str, Any] = {"entrance": Entrance(outside=True)} if way == "tunnel" else {"near": near}
    async with light(House().services, **how) as server:
        _, key = pair(server, "Phone")
        codes = []
        for _ in range(admission._WRONG_EACH + 1):
            async with link(server, at="127.0.0.1", key=WRONG) as socket:
                codes.append((await closed(socket))[0])
        assert codes[-1] == TRY_LATER
        async with link(server, at="127.0.0.1", key=key) as socket:
            assert (await hello(socket))["type"] == "hello"


async def test_a_wrong_key_opens_no_page_that_is_open_without_one() -> None:
    async with light(House().services, near=near) as server:
        _, key = pair(server, "Phone")
        for shown, status in ((WRONG, 401), (key, 200)):
            head = f"GET /health HTTP/1.1\nHost: localhost\nConnection: close\nAUTHORIZATION: Bearer {shown}"
            assert (await raw(server.port, head))[0] == status


# --- revoked, at every moment


@pytest.mark.parametrize("way", ["header", "hello"])
async def test_who_is_revoked_answers_no_question_any_more(way: str) -> None:
    """Not even in the moment before the server looks at its list again."""
    house = House()
    async with light(house.services, near=near) as server:
        phone, key = pair(server, "Phone")
        how = {"key": key} if way == "header" else {}
        async with link(server, at="127.0.0.1") as desk, link(server, **how) as socket:
            await hello(desk)
            await hello(socket, **({"token": key} if way == "hello" else {}))
            ident = await asked(desk)
            await answerable(server)
            revoke(server, phone)
            await say(socket, type="approval", id=ident, content={"answer": "yes", "hand": "hold", "held_ms": 2500})
            assert (await closed(socket))[0] == NOT_PAIRED
            assert house.decisions == []
            await say(desk, type="approval", id=ident, content={"answer": "no"})
            await frames_until(desk, {"type": "status", "content": "complete"})
        assert [decision.approved for decision in house.decisions] == [False]


async def test_with_the_device_goes_its_question() -> None:
    """It asked for something, and is revoked before anybody answered: nobody can agree to it any more."""
    house = House()
    async with light(house.services, near=near) as server:
        thief, key = pair(server, "Thief")
        async with link(server, at="127.0.0.1") as desk, link(server, key=key) as socket:
            await hello(desk)
            await hello(socket)
            ident = await asked(socket)
            await frames_until(desk, {"type": "approval", "id": ident})
            revoke(server, thief)
            end = (await frames_until(desk, {"type": "approval", "id": ident, "end": True}))[-1]
            assert end["content"]["answer"] == "no"
            assert (await closed(socket))[0] == NOT_PAIRED
        assert [decision.approved for decision in house.decisions] in ([False], [])


async def test_where_the_last_who_may_answer_loses_that_the_answer_is_no_at_once() -> None:
    house = House()
    async with light(house.services, near=near) as server:
        phone, key = pair(server, "Phone")
        async with link(server, key=key) as socket:
            await hello(socket)
            ident = await asked(socket)
            assert server.door is not None
            server.door.book.allow(phone, {"speak", "captions"})
            await frames_until(socket, {"type": "status", "content": "complete"})
            await say(socket, type="approval", id=ident, content={"answer": "yes"})
            assert (await frames_until(socket, {"type": "error"}))[-1]["code"] == "not_allowed"
        assert [decision.approved for decision in house.decisions] == [False]


@pytest.mark.parametrize("kind", ["key", "address"])
async def test_what_a_device_began_ends_when_it_is_revoked_while_it_is_away(kind: str) -> None:
    house = House(works=True)
    async with light(house.services, near=near) as server:
        assert server.door is not None
        _, other_key = pair(server, "Other")
        if kind == "key":
            gone, key = pair(server, "Phone")
        else:
            house.services.recognizer.script = ["work"]  # type: ignore[attr-defined]
            gone, key = server.door.book.admit_address(ELSEWHERE, "Echo", now=1.0).id, ""
        for device, its in (("gone", key), ("other", other_key)):
            async with link(server, at="127.0.0.3" if device == "other" else ELSEWHERE, key=its or None) as socket:
                if its:
                    await hello(socket)
                    await say(socket, type="message", content="work")
                else:
                    await socket.send(ESP32_START)
                    await socket.send(bytes(16_000))
                    await socket.send(ESP32_START.replace("start", "end"))
                async with asyncio.timeout(30):
                    while len(house.minds) < (1 if device == "gone" else 2):  # noqa: ASYNC110
                        await asyncio.sleep(0.02)
        revoke(server, gone)
        async with asyncio.timeout(30):
            while not house.minds[0].runs[0].cancelled:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert not house.minds[1].runs[0].cancelled, "the work of others goes on"


async def test_whatever_goes_wrong_in_one_look_the_next_one_still_revokes(monkeypatch: pytest.MonkeyPatch) -> None:
    async with light(House().services, near=near) as server:
        phone, key = pair(server, "Phone")
        assert server.door is not None
        async with link(server, key=key) as socket:
            await hello(socket)
            looked = asyncio.Event()

            async def broken(_: LightServer) -> None:
                looked.set()
                raise ZeroDivisionError

            with monkeypatch.context() as patch:
                patch.setattr(LightServer, "_end_work_of_the_gone", broken)
                await asyncio.wait_for(looked.wait(), 30)
            revoke(server, phone)
            assert (await closed(socket, 30))[0] == NOT_PAIRED


# --- odd frames


async def test_no_compressed_frame_is_unpacked() -> None:
    """Some kilobytes that would be fifty megabytes: compression was not agreed to, so the connection ends."""
    async with light(House().services, near=near) as server, link(server, at="127.0.0.1") as socket:
        packer = zlib.compressobj(wbits=-15)
        bomb = packer.compress(bytes(50_000_000)) + packer.flush(zlib.Z_SYNC_FLUSH)
        frame = bytearray(Frame(Opcode.TEXT, bomb[:-4]).serialize(mask=True))
        frame[0] |= 0x40
        socket.transport.write(bytes(frame))
        assert (await closed(socket))[0] == 1002
        assert socket.response is not None
        assert "Sec-WebSocket-Extensions" not in socket.response.headers


@pytest.mark.parametrize("what", ["empty pieces", "pieces of a byte", "pings", "in between"])
async def test_a_flood_of_pings_or_pieces_ends_the_connection(what: str) -> None:
    """Nothing of it reaches a conversation, where it would be paced; yet each takes memory or time."""
    async with light(House().services, near=near) as server:
        async with link(server, at="127.0.0.1") as socket:
            await hello(socket)
            text = Frame(Opcode.TEXT, b" ", fin=False).serialize(mask=True)
            piece = Frame(Opcode.CONT, b" " if "byte" in what else b"", fin=False).serialize(mask=True)
            ping = Frame(Opcode.PING, b"").serialize(mask=True)
            flood = {"pings": ping, "in between": piece + ping}.get(what, piece) * 4000
            socket.transport.write(b"" if what == "pings" else text)
            for _ in range(3):
                socket.transport.write(flood)
            # What is still on its way when the server ends may reset the connection before the goodbye is read.
            assert (await closed(socket))[0] in (1008, 1006)
        async with link(server, at="127.0.0.1") as other:
            await hello(other)
            await other.send('{"type": "ping", "id": "x"}')
            await frames_until(other, {"type": "pong", "id": "x"})


async def test_who_reads_nothing_is_cut_off_and_gives_its_place_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for much and takes none of it: an orderly end would wait for it for ever."""
    monkeypatch.setattr(links, "STUCK_S", 0.3)
    monkeypatch.setattr(connection, "_FRAMES", 1e9)

    async def much(scene: Scene) -> None:
        for _ in range(30):
            await scene.code(0, "x" * 1_000_000)

    house = House()
    house._play = much  # type: ignore[method-assign]
    async with light(house.services, near=near) as server:
        assert server.server is not None
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1024)
        head = "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        writer.write(head.encode())
        await reader.readuntil(b"\r\n\r\n")
        for message in ({"type": "hello", "protocol": 1}, {"role": "user", "type": "message", "content": "talk"}):
            writer.write(Frame(Opcode.TEXT, json.dumps(message).encode()).serialize(mask=True))
        async with asyncio.timeout(60):
            while not house.minds or len(server.server._count):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        writer.transport.abort()


async def test_a_device_that_closes_its_half_is_gone_for_good() -> None:
    async with light(House().services, near=near) as server:
        async with link(server, at="127.0.0.1") as socket:
            await hello(socket)
            socket.transport.write_eof()
            assert (await closed(socket))[0] in (1000, 1005, 1006)
        assert server.server is not None
        async with asyncio.timeout(30):
            while len(server.server._count):  # noqa: ASYNC110
                await asyncio.sleep(0.02)


@pytest.mark.parametrize("name", ["\ud800", "a\nb", "a\x00b", "\u202eevil", "x" * 129, ""])
async def test_a_name_that_cannot_be_shown_is_refused_and_the_connection_goes_on(name: str) -> None:
    async with light(House().services, near=near) as server, link(server, at="127.0.0.1") as socket:
        answer = await hello(socket, name)
        assert (answer["type"], answer["code"]) == ("error", "bad_field")
        assert (await hello(socket, "../../../etc/passwd"))["device"] == "../../../etc/passwd"


async def test_chunks_of_all_kinds_and_two_lengths_end_in_an_answer() -> None:
    """No body of a request is ever taken for the next request."""
    async with light(House().services, near=near) as server:
        inner = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        for extra, body in (
            ("Content-Length: 5\nTransfer-Encoding: chunked", b"0\r\n\r\n" + inner),
            ("Content-Length: 5\nContent-Length: 6", b"12345" + inner),
            ("Transfer-Encoding: chunked, identity", b"0\r\n\r\n" + inner),
            ("Transfer-Encoding: x\n chunked", b"0\r\n\r\n" + inner),
            ("Content-Length: +5", b"12345" + inner),
            ("Content-Length : 5", b"12345" + inner),
        ):
            head = f"POST /pair HTTP/1.1\nHost: localhost\nContent-Type: application/json\nConnection: close\n{extra}"
            status, text = await raw(server.port, head, body=body, at=ELSEWHERE)
            assert 400 <= status < 500, (extra, text)
            assert text.count("HTTP/1.1") == 1, (extra, text)
