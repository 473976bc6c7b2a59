"""What `01 ask` and `01 demo` are made of: addresses, typed answers, the screen, one turn with a server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from websockets.asyncio.server import ServerConnection, serve

from support.ports import deaf_port
from zero_one.app.address import address, answers, local_address
from zero_one.app.dialogue import DialogueError, dialogue
from zero_one.app.screen import Screen, Terminal, printable
from zero_one.config.problems import ConfigError
from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message

Script = Callable[[ServerConnection], Awaitable[None]]


@pytest.mark.parametrize(
    ("text", "ws", "http"),
    [
        ("box", "ws://box:10101/", "http://box:10101"),
        ("127.0.0.1:5", "ws://127.0.0.1:5/", "http://127.0.0.1:5"),
        ("http://box", "ws://box/", "http://box"),
        ("https://box/", "wss://box/", "https://box"),
        ("wss://box:99", "wss://box:99/", "https://box:99"),
        (" ws://[::1]:10101/ ", "ws://[::1]:10101/", "http://[::1]:10101"),
        ("https://box/01", "wss://box/01", "https://box/01"),
    ],
)
def test_addresses_as_people_write_them(text: str, ws: str, http: str) -> None:
    got = address(text)
    assert (got.ws, got.http) == (ws, http)


@pytest.mark.parametrize("text", ["", "ftp://box", "ws://", "box:port", "http://[::1", "box:99999999"])
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(ConfigError, match="no server address"):
        address(text)


async def test_nobody_is_no_server() -> None:
    assert not await answers(local_address("127.0.0.1", 1))


async def test_where_nobody_sits_the_answer_is_no(capsys: pytest.CaptureFixture[str]) -> None:
    """Standard input of a test is no terminal."""
    content = {"id": "q1", "question": "May I delete it?\x1b[2J", "code": "rm x"}
    got = await Terminal().ask(Message("server", "approval", content=content))
    assert (got.id, got.answer) == ("q1", "no")
    said = capsys.readouterr().err
    assert "May I delete it?" in said
    assert "rm x" in said
    assert "\x1b" not in said


def test_the_answer_goes_to_standard_output_and_the_rest_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    for message in (
        Message("assistant", "message", start=True),
        Message("assistant", "message", content="It is "),
        Message("assistant", "message", content="noon.\x07"),
        Message("assistant", "message", end=True),
        Message("assistant", "code", "python", start=True),
        Message("assistant", "code", "python", content="print(1)"),
        Message("assistant", "code", "python", end=True),
        Message("computer", "console", "output", content="1\n"),
        Message("assistant", "message", content="Whole."),
        Message("server", "error", content="It broke."),
        Message("server", "status", "spans", content={"release": 0.0}),
    ):
        screen.message(message)
    screen.finish()
    said = capsys.readouterr()
    assert said.out == "It is noon.\nWhole.\n"
    assert said.err == "--- python\nprint(1)\n1\n01: It broke.\n"


def test_printable_keeps_letters_of_all_languages() -> None:
    assert printable("Grüße 你好 🙂\n\tx\r\x00") == "Grüße 你好 🙂\n\tx"


# --- one turn, against a server of which every frame is known ---------------------------------------------------------

HELLO = {
    "type": "hello",
    "protocol": 1,
    "server": "test",
    "device": "d",
    "ready": True,
    "generation": 0,
    "state": "idle",
}


@asynccontextmanager
async def server(script: Script) -> AsyncIterator[str]:
    async def handle(socket: ServerConnection) -> None:
        await socket.recv()
        await tell(socket, HELLO)
        await script(socket)
        await socket.wait_closed()

    async with serve(handle, "127.0.0.1", 0) as running:
        yield f"127.0.0.1:{next(iter(running.sockets)).getsockname()[1]}"


async def tell(socket: ServerConnection, *frames: dict[str, Any] | bytes) -> None:
    for frame in frames:
        await socket.send(frame if isinstance(frame, bytes) else json.dumps(frame))


def speech(generation: int, pcm: bytes) -> list[dict[str, Any] | bytes]:
    header = {"role": "assistant", "type": "audio", "format": "bytes.raw", "rate": 24000, "generation": generation}
    return [{**header, "start": True}, pcm, {**header, "end": True}]


def state(name: str) -> dict[str, Any]:
    return {"type": "state", "state": name}


async def test_a_spoken_turn_from_press_to_the_last_sample() -> None:
    """The server gets every byte once, in order, no faster than it was spoken; the turn ends when it is idle again."""
    pcm = bytes(range(256)) * 25
    seen: list[Any] = []

    async def script(socket: ServerConnection) -> None:
        start = json.loads(await socket.recv())
        await tell(socket, state("listening"))
        heard = b""
        while isinstance(frame := await socket.recv(), bytes):
            heard += frame
        seen.extend([start["start"], heard, asyncio.get_running_loop().time(), json.loads(frame)["end"]])
        await tell(
            socket, state("thinking"), {"role": "user", "type": "message", "format": "partial", "content": "wha"}
        )
        await tell(socket, {"role": "user", "type": "message", "content": "what time is it"})
        await tell(socket, state("speaking"), {"role": "assistant", "type": "message", "content": "It is noon."})
        await tell(socket, {"role": "server", "type": "status", "format": "spans", "content": {"transcript": 12.5}})
        await tell(socket, *speech(1, b"\1\0" * 2400), state("idle"))
        seen.append(json.loads(await socket.recv()))

    async with server(script) as url, dialogue(address(url), "d") as talk:
        begun = asyncio.get_running_loop().time()
        turn = await talk.say(pcm, limit_s=60)
    assert seen[:2] == [True, pcm]
    assert seen[2] - begun > 0.95 * len(pcm) / 32_000
    assert seen[3] is True
    assert seen[4] == {"type": "played", "generation": 1, "played_ms": 100}
    assert turn.transcript == "what time is it"
    assert turn.caption == "It is noon.\n"
    assert bytes(turn.sound) == b"\1\0" * 2400
    assert turn.spans == {"transcript": 12.5}
    assert 0 <= turn.ms["transcript"] <= turn.ms["first words"] <= turn.ms["first sound"] <= turn.ms["complete"]


async def test_an_idle_before_the_request_is_taken_up_does_not_end_the_turn() -> None:
    async def script(socket: ServerConnection) -> None:
        await tell(socket, state("idle"))
        await socket.recv()
        await tell(socket, state("idle"), state("thinking"), state("idle"), state("speaking"))

    async with server(script) as url, dialogue(address(url), "d") as talk:
        turn = await talk.type("hello", limit_s=60)
    assert turn.errors == []


async def test_a_question_is_answered_and_no_is_the_default() -> None:
    got: list[Any] = []

    async def script(socket: ServerConnection) -> None:
        await socket.recv()
        ask = {"role": "server", "type": "approval", "id": "q1", "content": {"question": "May I?", "code": "x"}}
        await tell(socket, state("asking"), ask)
        got.append(json.loads(await socket.recv()))
        await tell(socket, {"role": "server", "type": "approval", "id": "q1", "end": True}, state("idle"))

    async with server(script) as url, dialogue(address(url), "d") as talk:
        await talk.type("hello", limit_s=60)
    assert got == [{"role": "user", "type": "approval", "content": {"answer": "no"}, "id": "q1"}]


async def test_a_yes_that_was_too_early_by_the_servers_clock_stands() -> None:
    """The server says the question again; whoever typed the yes does not have to type it twice."""
    got: list[Any] = []

    async def yes(message: Message) -> Answer:
        return Answer(message.id or "", "yes")

    async def script(socket: ServerConnection) -> None:
        await socket.recv()
        ask = {"role": "server", "type": "approval", "id": "q1", "content": {"question": "May I?", "code": "x"}}
        await tell(socket, ask, state("asking"))
        got.append(json.loads(await socket.recv()))
        await tell(socket, state("speaking"), state("asking"))
        got.append(json.loads(await socket.recv()))
        await tell(socket, {"role": "server", "type": "approval", "id": "q1", "end": True}, state("idle"))

    async with server(script) as url, dialogue(address(url), "d") as talk:
        talk.asked = yes
        await talk.type("hello", limit_s=60)
    assert [frame["content"]["answer"] for frame in got] == ["yes", "yes"]


async def test_a_question_that_ends_elsewhere_is_dropped_and_the_turn_goes_on() -> None:
    """Nobody answers here; another device does. The turn must not wait for this one."""
    asked, dropped = asyncio.Event(), asyncio.Event()

    async def never(message: Message) -> Answer:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()
        raise AssertionError

    async def script(socket: ServerConnection) -> None:
        await socket.recv()
        ask = {"role": "server", "type": "approval", "id": "q1", "content": {"question": "May I?"}}
        await tell(socket, state("asking"), ask)
        await asked.wait()
        await tell(socket, {"role": "server", "type": "approval", "id": "q1", "end": True})
        await tell(socket, {"role": "assistant", "type": "message", "content": "Done."}, state("idle"))

    async with server(script) as url, dialogue(address(url), "d") as talk:
        talk.asked = never
        turn = await talk.type("hello", limit_s=60)
    assert turn.caption == "Done.\n"
    assert dropped.is_set()


async def test_a_server_that_goes_away_never_finishes_or_never_says_hello() -> None:
    async def leaves(socket: ServerConnection) -> None:
        await socket.recv()
        await socket.close()

    async def dawdles(socket: ServerConnection) -> None:
        await socket.recv()

    async with server(leaves) as url, dialogue(address(url), "d") as talk:
        with pytest.raises(DialogueError, match="lost"):
            await talk.type("hello", limit_s=60)
    async with server(dawdles) as url, dialogue(address(url), "d") as talk:
        with pytest.raises(DialogueError, match="did not finish"):
            await talk.type("hello", limit_s=0.1)

    async def mute(socket: ServerConnection) -> None:
        await socket.wait_closed()

    async with serve(mute, "127.0.0.1", 0) as running:
        port = next(iter(running.sockets)).getsockname()[1]
        with pytest.raises(DialogueError, match="older"):
            async with dialogue(local_address("127.0.0.1", port), "d", limit_s=3):
                pass
    with pytest.raises(DialogueError, match="01 --server"):
        async with dialogue(local_address("127.0.0.1", deaf_port()), "d"):
            pass
