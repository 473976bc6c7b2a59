"""Who is on a connection, and what that one may do: on real connections, from this machine and from "elsewhere"."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.client import connect

from support.light import ESP32_START, Light, OldClient, esp32_says, light
from support.players import Ears, ScriptedMind, Throat, plain, says
from support.strangers import ELSEWHERE, closed, frames_until, hello, link, near, strangers_socket
from zero_one.conversation import Services
from zero_one.identity.devices import DeviceBook
from zero_one.servers import admission, connection
from zero_one.servers.entrance import Entrance

NOT_PAIRED, NOT_ALLOWED, TRY_LATER = 4401, 4403, 4429
WRONG = "01_0123456789ab_" + "A" * 43


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine, everybody gets to say hello."""
    monkeypatch.setattr(connection, "HELLO_WAIT_MS", 60_000)
    monkeypatch.setattr(connection, "STRANGER_WAIT_MS", 60_000)


def mind() -> Services:
    """Every conversation has a mind of its own that says hello three times."""

    def factory(name: str, history: Any) -> ScriptedMind:
        one = ScriptedMind(*[says("Hello.")] * 3)
        one.history = history
        return one

    return Services(Ears("hello", "hello", takes_s=0.01), Throat(), plain, interpreter=factory)


@asynccontextmanager
async def house(**how: Any) -> AsyncIterator[Light]:
    async with light(mind(), near=near, **how) as server:
        yield server


def book(server: Light) -> DeviceBook:
    assert server.door is not None
    return server.door.book


def pair(server: Light, name: str = "Phone", **how: Any) -> tuple[str, str]:
    """A device's id and key."""
    device, key = book(server).admit(name, "phone", now=1.0, **how)
    return device.id, key


def beside(server: Light) -> DeviceBook:
    """The same list, as another process has it open."""
    return DeviceBook(book(server)._path)


def connected(server: Light) -> list[tuple[str, str]]:
    """(conversation, name) of everyone who was let in, in turn."""
    return [(device, details["name"]) for kind, device, details in server.noted if kind == "connected"]


async def typed(socket: Any, text: str = "hello", **fields: Any) -> None:
    await socket.send(json.dumps({"role": "user", "type": "message", "content": text, **fields}))


# --- without a key


async def test_a_program_of_our_own_user_on_this_machine_is_the_owner() -> None:
    async with house() as server, link(server, at="127.0.0.1") as socket:
        assert (await hello(socket))["type"] == "hello"
        await typed(socket)
        await frames_until(socket, {"type": "status", "content": "complete"})
        assert connected(server) == [("d1", "this computer")]


@pytest.mark.parametrize("say", ["hello", "typed", "sound", "auth true", "nothing"])
async def test_from_elsewhere_nobody_is_let_in_without_a_key(say: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However it begins: no conversation is made, and it is told how to pair; the owner is told how to admit it."""
    # Only who says nothing of use is waited for in vain; however busy the machine, the others get to say it.
    monkeypatch.setattr(connection, "STRANGER_WAIT_MS", {"nothing": 300, "auth true": 3_000}.get(say, 60_000))
    async with house() as server, link(server) as socket:
        if say == "hello":
            answer = await hello(socket)
            assert (answer["type"], answer["code"]) == ("error", "not_paired")
            assert "01 pair" in answer["content"]
        elif say == "typed":
            await typed(socket)
        elif say == "sound":
            await socket.send(ESP32_START)
        elif say == "auth true":
            await socket.send('{"auth": true}')
        code, reason = await closed(socket)
        assert code == NOT_PAIRED
        assert "01 pair" in reason
        assert len(server.conversations) == 0
        assert connected(server) == []
        assert [kind for kind, _, _ in server.noted] == ["refused"]
        assert len(server.told) == 1
        assert f"01 devices admit {ELSEWHERE}" in server.told[0]


async def test_a_level_0_program_on_this_machine_is_let_in_without_a_key_and_proves_nothing() -> None:
    async with house() as server, link(server, at="127.0.0.1") as socket:
        await typed(socket)
        await frames_until(socket, {"type": "status", "content": "complete"})
        (caller,) = callers(server)
        assert (caller.device, caller.keyless, caller.scopes) == ("level0-127.0.0.1", True, {"speak", "captions"})


async def test_a_page_is_never_the_owner() -> None:
    """``file://`` is what the ESP32 says, and what a browser says for a page that was downloaded."""
    async with house() as server, link(server, at="127.0.0.1", origin="file://") as socket:
        await hello(socket)
        (caller,) = callers(server)
        assert caller.keyless
        assert "approve" not in caller.scopes


@pytest.mark.parametrize("claimed", ["paired-0123456789ab", "level0-127.0.0.1", "guest-x", "local-x"])
async def test_no_name_that_the_owners_program_takes_leads_to_a_conversation_of_another_kind(claimed: str) -> None:
    async with house() as server, link(server, at="127.0.0.1") as socket:
        await hello(socket, claimed)
        assert connected(server) == [(f"local-{claimed}", "this computer")]


async def test_another_user_of_this_machine_proves_nothing() -> None:
    """As root by a socket that really belongs to another user; else by a server that takes itself for one."""
    real = hasattr(os, "geteuid") and os.geteuid() == 0
    async with house(**({} if real else {"user": lambda peer, here: "another"})) as server:
        how: dict[str, Any] = {"sock": strangers_socket(server.port)} if real else {}
        async with connect(server.url, max_queue=None, **how) as socket:
            await hello(socket, "d1")
            (caller,) = callers(server)
            assert caller.keyless
            assert caller.scopes == {"speak", "captions"}
            assert caller.device.startswith("guest-")
            assert caller.device != "guest-unknown/d1"


async def test_whose_program_cannot_be_found_out_proves_nothing() -> None:
    async with house(user=lambda peer, here: None) as server, link(server, at="127.0.0.1") as socket:
        await hello(socket, "d1")
        assert [c.keyless for c in callers(server)] == [True]
        assert connected(server)[0][0] == "guest-unknown/d1"


async def test_where_pairing_is_required_this_machine_is_a_stranger_too() -> None:
    async with house(require_pairing=True) as server:
        async with link(server, at="127.0.0.1") as socket:
            await hello(socket)
            assert (await closed(socket))[0] == NOT_PAIRED
        ident, key = pair(server)
        async with link(server, at="127.0.0.1", key=key) as socket:
            assert (await hello(socket))["type"] == "hello"
        assert connected(server) == [(f"paired-{ident}", "Phone")]


# --- keys


@pytest.mark.parametrize("way", ["header", "hello", "auth"])
@pytest.mark.parametrize("at", [ELSEWHERE, "127.0.0.1"])
async def test_a_key_lets_in_and_gives_a_conversation_that_nobody_can_choose(way: str, at: str) -> None:
    async with house() as server:
        ident, key = pair(server)
        async with link(server, at=at, key=key if way == "header" else None) as socket:
            if way == "auth":
                await socket.send(json.dumps({"auth": key}))
                assert json.loads(await socket.recv()) == {"auth": True}
                await typed(socket)
            else:
                await hello(socket, "kitchen", **({"token": key} if way == "hello" else {}))
                await typed(socket)
            await frames_until(socket, {"type": "status", "content": "complete"})
        assert connected(server) == [(f"paired-{ident}", "Phone")]
        assert book(server).get(ident).last_seen > 1.0  # type: ignore[union-attr]


@pytest.mark.parametrize("way", ["header", "hello", "auth", "basic"])
@pytest.mark.parametrize("at", [ELSEWHERE, "127.0.0.1"])
async def test_a_wrong_key_is_refused_also_where_none_is_needed(way: str, at: str) -> None:
    async with house() as server:
        headers = {"Authorization": "Basic YTpi"} if way == "basic" else {}
        bearer = WRONG if way == "header" else None
        if way == "basic":
            socket_ = connect(server.url, local_addr=(at, 0), additional_headers=headers)
        else:
            socket_ = link(server, at=at, key=bearer)  # type: ignore[assignment]
        async with socket_ as socket:
            if way == "hello":
                answer = await hello(socket, token=WRONG)
                assert (answer["type"], answer["code"]) == ("error", "not_paired")
            elif way == "auth":
                await socket.send(json.dumps({"auth": WRONG}))
            code, reason = await closed(socket)
            assert code == NOT_PAIRED
            assert "01 pair" in reason
        assert len(server.conversations) == 0
        assert connected(server) == []


async def test_a_device_cannot_take_over_anothers_conversation_by_its_name() -> None:
    """Neither its state, nor what was said in it, nor what is said from now on."""
    async with house() as server:
        ident, key = pair(server, "Thief")
        victim, _ = pair(server, "Victim")
        conversation = server.conversations.get("kitchen")
        conversation._mouth.queue.generation += 1000
        server.conversations.get(f"paired-{victim}")._mouth.queue.generation += 1000
        for claimed in ("kitchen", f"paired-{victim}", victim, f"paired-{ident}"):
            async with link(server, key=key) as socket:
                answer = await hello(socket, claimed)
                assert answer["generation"] < conversation.generation
        assert {device for device, _ in connected(server)} == {f"paired-{ident}"}


async def test_a_revoked_device_is_dropped_at_once_and_stays_out() -> None:
    """Another process revokes it, as ``01 devices revoke`` does."""
    async with house() as server:
        ident, key = pair(server)
        other, other_key = pair(server, "Other")
        async with link(server, key=key) as socket, link(server, key=other_key) as good:
            await hello(socket)
            await hello(good)
            beside(server).revoke(ident)
            code, reason = await closed(socket)
            assert (code, "revoked" in reason) == (NOT_PAIRED, True)
            await typed(good)
            await frames_until(good, {"type": "status", "content": "complete"})
        async with link(server, key=key) as socket:
            assert (await closed(socket))[0] == NOT_PAIRED
        assert [device for kind, device, _ in server.noted if kind == "revoked"] == [f"paired-{ident}"]
        assert [device for device, _ in connected(server)] == [f"paired-{ident}", f"paired-{other}"]


async def test_nothing_that_a_revoked_device_sent_is_taken_any_more() -> None:
    """A key that was revoked a moment ago does not get in before the next look at the list either."""
    async with house() as server:
        ident, key = pair(server)
        async with link(server) as socket:
            beside(server).revoke(ident)
            answer = await hello(socket, token=key)
            assert answer["code"] == "not_paired"
        assert len(server.conversations) == 0


async def test_guessing_locks_an_address_out_and_no_other() -> None:
    async with house() as server:
        ident, key = pair(server)
        codes = []
        for _ in range(admission._WRONG_EACH + 1):
            async with link(server) as socket:
                await hello(socket, token=WRONG)
                codes.append((await closed(socket))[0])
        assert codes == [NOT_PAIRED] * admission._WRONG_EACH + [TRY_LATER]
        async with link(server, key=key) as socket:
            assert (await closed(socket))[0] == TRY_LATER
        async with link(server, at="127.0.0.3", key=key) as socket:
            assert (await hello(socket))["type"] == "hello"
        assert connected(server) == [(f"paired-{ident}", "Phone")]


# --- scopes


async def test_what_a_device_may_not_it_is_told_and_it_changes_nothing() -> None:
    async with house() as server:
        _, key = pair(server, scopes={"captions"})
        async with link(server, key=key) as socket:
            await hello(socket)
            for frame in (
                {"role": "user", "type": "message", "content": "hello"},
                {"role": "user", "type": "command", "content": "stop"},
                {"role": "user", "type": "command", "content": "repeat"},
                {"role": "user", "type": "audio", "format": "bytes.raw", "start": True},
            ):
                await socket.send(json.dumps(frame))
                (error,) = await frames_until(socket, {"type": "error"})
                assert error["code"] == "not_allowed"
                assert "01 devices" in error["content"]
            # The rest of an utterance that was refused is swallowed, and said no more about.
            await socket.send(bytes(32_000))
            await socket.send(json.dumps({"role": "user", "type": "audio", "format": "bytes.raw", "end": True}))
            await socket.send('{"type": "ping", "id": "p"}')
            frames = await frames_until(socket, {"type": "pong"})
            assert [f["type"] for f in frames] == ["pong"]
            assert server.services.recognizer.heard == []  # type: ignore[attr-defined]


async def test_an_answer_without_the_scope_is_refused() -> None:
    async with house() as server:
        _, key = pair(server, scopes={"speak", "captions"})
        async with link(server, key=key) as socket:
            await hello(socket)
            await socket.send(
                json.dumps(
                    {"role": "user", "type": "approval", "id": "q1", "content": {"answer": "yes", "hand": "hold"}}
                )
            )
            (error,) = await frames_until(socket, {"type": "error"})
            assert error["code"] == "not_allowed"


async def test_without_captions_nothing_is_shown_but_errors() -> None:
    async with house() as server:
        _, key = pair(server, scopes={"speak"})
        async with link(server, key=key) as socket:
            await hello(socket)
            await typed(socket)
            frames = await frames_until(socket, {"type": "state", "state": "idle"})
            shown = {f["type"] for f in frames if "role" in f}
            assert shown == {"audio"}  # the headers of its sound
            await socket.send("{")
            assert (await frames_until(socket, {"type": "error"}))[-1]["code"] == "bad_json"


async def test_a_scope_that_is_taken_away_counts_at_once() -> None:
    async with house() as server:
        ident, key = pair(server)
        async with link(server, key=key) as socket:
            await hello(socket)
            beside(server).allow(ident, {"captions"})
            await server.notice()
            await typed(socket)
            assert (await frames_until(socket, {"type": "error"}))[-1]["code"] == "not_allowed"
            beside(server).allow(ident, {"captions", "speak"})
            await server.notice()
            await typed(socket)
            await frames_until(socket, {"type": "status", "content": "complete"})


async def test_only_the_owners_own_programs_may_name_files_of_this_computer() -> None:
    picture = {"role": "user", "type": "image", "format": "path", "content": "/etc/hostname"}
    async with house() as server:
        _, key = pair(server)
        async with link(server, key=key) as socket:
            await hello(socket)
            await socket.send(json.dumps(picture))
            await typed(socket, "what is in it")
            (error,) = await frames_until(socket, {"type": "error"})
            assert error["code"] == "not_allowed"
            assert "base64.png" in error["content"]


# --- the first 01's devices, by their address


async def test_an_admitted_address_may_speak_and_nothing_else() -> None:
    async with house() as server:
        device = book(server).admit_address(ELSEWHERE, "Old echo", now=1.0)
        async with link(server, subprotocols=["arduino"], origin="file://") as socket:
            client = OldClient(socket)
            await esp32_says(client, bytes(40_000))
            assert await client.until_end()
        (known,) = connected(server)
        assert known == (f"level0-{ELSEWHERE}", "Old echo")
        async with link(server) as socket:
            # The same address with a hello is no such device.
            assert (await hello(socket))["code"] == "not_paired"
            assert (await closed(socket))[0] == NOT_PAIRED
        async with link(server, at="127.0.0.3") as socket:
            await socket.send(ESP32_START)
            assert (await closed(socket))[0] == NOT_PAIRED
        assert book(server).get(device.id).last_seen > 1.0  # type: ignore[union-attr]


async def test_an_admitted_device_gets_no_captions() -> None:
    async with house() as server:
        book(server).admit_address(ELSEWHERE, "Old echo", now=1.0)
        async with link(server) as socket:
            await socket.send(json.dumps({"role": "user", "type": "message", "content": "hello"}))
            frames = await frames_until(socket, {"type": "status"})
            assert [f for f in frames if f["type"] not in ("status", "audio")] == []


async def test_a_revoked_address_is_dropped() -> None:
    async with house() as server:
        device = book(server).admit_address(ELSEWHERE, "Old echo", now=1.0)
        async with link(server, subprotocols=["arduino"], origin="file://") as socket:
            await esp32_says(OldClient(socket), bytes(40_000))
            await OldClient(socket).take()
            beside(server).revoke(device.id)
            assert (await closed(socket))[0] == NOT_PAIRED


# --- other entrances


async def test_on_the_plain_port_only_admitted_addresses_are_let_in_and_no_key_is_taken() -> None:
    async with house(entrance=Entrance(plain=True)) as server:
        _, key = pair(server)
        for at, say in (
            ("127.0.0.1", {"type": "hello", "protocol": 1, "device": "d"}),
            ("127.0.0.1", {"role": "user", "type": "message", "content": "hello"}),
            (ELSEWHERE, {"type": "hello", "protocol": 1, "device": "d", "token": key}),
            (ELSEWHERE, {"auth": key}),
        ):
            async with link(server, at=at) as socket:
                await socket.send(json.dumps(say))
                assert (await closed(socket))[0] in (NOT_PAIRED, NOT_ALLOWED), say
        assert connected(server) == []
        book(server).admit_address(ELSEWHERE, "Old echo", now=1.0)
        async with link(server) as socket:
            client = OldClient(socket)
            await esp32_says(client, bytes(40_000))
            assert await client.until_end()


async def test_at_the_end_of_a_tunnel_nobody_is_near_and_no_address_counts() -> None:
    async with house(entrance=Entrance(outside=True)) as server:
        book(server).admit_address("127.0.0.1", "Old echo", now=1.0)
        ident, key = pair(server)
        async with link(server, at="127.0.0.1") as socket:
            assert (await hello(socket))["code"] == "not_paired"
            assert (await closed(socket))[0] == NOT_PAIRED
        async with link(server, at="127.0.0.1") as socket:
            await socket.send(ESP32_START)
            assert (await closed(socket))[0] == NOT_PAIRED
        async with link(server, at="127.0.0.1", key=key) as socket:
            assert (await hello(socket))["type"] == "hello"
        assert connected(server) == [(f"paired-{ident}", "Phone")]
        assert "tunnel" in server.told[0]


def callers(server: Light) -> list[Any]:
    """Who is attached, by every conversation."""
    return [
        outlet.link.caller
        for conversation in server.conversations._all.values()
        for outlet in conversation._audience._outlets
    ]


async def test_many_keys_at_once_each_get_their_own() -> None:
    """Eight devices at the same moment, under one claimed name."""
    async with house() as server:
        keys = [pair(server, f"Device {n}") for n in range(8)]

        async def one(key: str) -> str:
            async with link(server, key=key) as socket:
                await hello(socket, "same")
                await typed(socket)
                await frames_until(socket, {"type": "status", "content": "complete"})
                return key

        await asyncio.gather(*(one(key) for _, key in keys))
        assert {device for device, _ in connected(server)} == {f"paired-{ident}" for ident, _ in keys}
