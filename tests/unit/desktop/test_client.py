"""The whole client against a small real WebSocket server: recordings in, WAV out, no sound device."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from array import array
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from support.light_server import LightServer, light_server
from support.ports import quiet_port
from zero_one.audio import devices
from zero_one.audio.formats import read_wav, write_wav
from zero_one.protocol import events as ev
from zero_one.protocol.lmc import Message
from zero_one_desktop.client import Client
from zero_one_desktop.control import send
from zero_one_desktop.options import ClientOptions


def ramp(ms: int, rate: int) -> bytes:
    """Sound in which every sample says where it is."""
    return array("h", (at % 30_000 for at in range(rate * ms // 1000))).tobytes()


REPLY = ramp(200, 24_000)


async def answer(server: LightServer, event: ev.DeviceEvent) -> None:
    """Behave as a server does: states, captions, speech."""
    if isinstance(event, ev.Pressed):
        await server.say(ev.State("listening"))
    if isinstance(event, ev.TailClosed | ev.Typed):
        await server.say(ev.State("thinking"), ev.Show(Message("assistant", "message", content="Hello.")))
        await server.say(
            ev.State("speaking"), ev.SpeechStart(1), ev.SpeechPcm(1, REPLY), ev.SpeechEnd(1), ev.State("idle")
        )


async def until(condition: Callable[[], object]) -> None:
    """Let the client go on until something is so."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110  (what is looked at belongs to the client, which has no event for tests)
            await asyncio.sleep(0.01)


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setattr(devices, "list_devices", list)
    return {
        "hotkey": None, "typed": False, "state_dir": tmp_path, "control": tmp_path / "c.sock", "timeout_s": 100.0,
        "quiet": True, "save": tmp_path / "reply.wav",
    }  # fmt: skip


@contextlib.asynccontextmanager
async def running(client: Client) -> AsyncIterator[asyncio.Task[int]]:
    task = asyncio.create_task(client.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def recording(tmp_path: Path, ms: int = 300) -> Path:
    write_wav(tmp_path / "words.wav", ramp(ms, 16_000), 16_000)
    return tmp_path / "words.wav"


async def test_a_recording_is_spoken_and_the_answer_saved_bit_by_bit(tmp_path: Path, options: dict[str, Any]) -> None:
    async with light_server(answer) as server:
        status = await Client(ClientOptions(server.url, wav=(recording(tmp_path),), **options)).run()
        assert status == 0
        assert server.heard() == ramp(300, 16_000)
        kinds = [type(event).__name__ for event in server.events if not isinstance(event, ev.Pcm)]
        assert kinds[:4] == ["Hello", "Pressed", "Released", "TailClosed"]
        played = [event for event in server.events if isinstance(event, ev.Played)]
    assert read_wav(tmp_path / "reply.wav", 24_000) == REPLY
    assert all(event.generation == 1 and event.played_ms <= 200 for event in played)


async def test_several_things_are_said_one_after_the_other(tmp_path: Path, options: dict[str, Any]) -> None:
    async with light_server(answer) as server:
        client = Client(ClientOptions(server.url, wav=(recording(tmp_path, 60),), say=("and typed",), **options))
        assert await client.run() == 0
        assert [event.text for event in server.events if isinstance(event, ev.Typed)] == ["and typed"]
    assert read_wav(tmp_path / "reply.wav", 24_000) == REPLY + REPLY


async def test_nothing_said_is_lost_when_the_server_dies_in_the_middle_of_it(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    server = LightServer(answer)
    port = quiet_port()  # nobody else gets it while nobody listens there
    await server.start(port)
    client = Client(ClientOptions(server.url, wav=(recording(tmp_path, 1_000),), **options))
    async with running(client) as task:
        await server.wait_for_kind(ev.Pcm, 5)
        await server.stop()
        again = LightServer(answer)
        await again.start(port)
        try:
            assert await asyncio.wait_for(task, 100) == 0
            assert again.heard() == ramp(1_000, 16_000)
            ids = [event.id for one in (server, again) for event in one.events if isinstance(event, ev.Pressed)]
            assert len(ids) == 2
            assert ids[0] == ids[1]
        finally:
            await again.stop()


async def test_words_spoken_before_there_is_a_server_arrive(tmp_path: Path, options: dict[str, Any]) -> None:
    server = LightServer(answer)
    port = quiet_port()  # nobody else gets it while nobody listens there
    await server.start(port)
    await server.stop()
    client = Client(ClientOptions(f"127.0.0.1:{port}", say=("later",), stay=True, **options))
    async with running(client):
        await until(lambda: client._told_down)
        client._ask("kept for you")
        await server.start(port)
        typed = await server.wait_for_kind(ev.Typed)
        await server.stop()
    assert typed.text == "kept for you"


async def test_a_press_silences_at_once_and_stale_sound_never_plays(tmp_path: Path, options: dict[str, Any]) -> None:
    async with light_server() as server:
        client = Client(
            ClientOptions(server.url, wav=(recording(tmp_path, 100),), **{**options, "once": False}, stay=True)
        )
        async with running(client):
            await server.wait_for_kind(ev.Hello)
            await server.say(ev.SpeechStart(5), ev.SpeechPcm(5, ramp(30_000, 24_000)))
            await until(lambda: client._player.playing)
            await until(lambda: client._speaker.position_ms > 100)
            client._ask("something else")
            assert not client._player.playing
            silent_from = client._speaker.position_ms
            assert 100 < silent_from < 30_000
            played = await server.wait_for_kind(ev.Played)
            typed = await server.wait_for_kind(ev.Typed)
            assert server.events.index(played) < server.events.index(typed)
            played = [event for event in server.events if isinstance(event, ev.Played)][-1]
            assert played.played_ms == silent_from
            await server.say(ev.SpeechPcm(5, ramp(2_000, 24_000)))
            await server.say(ev.Flush(6), ev.SpeechStart(6), ev.SpeechPcm(6, REPLY), ev.SpeechEnd(6))
            await until(lambda: client._player._floor == 6 and not client._player.playing)
    heard = read_wav(tmp_path / "reply.wav", 24_000)
    assert heard.endswith(REPLY)
    assert abs(len(heard) // 48 - silent_from - 200) <= 2


async def test_the_server_speaks_up_unasked(tmp_path: Path, options: dict[str, Any]) -> None:
    async with light_server() as server:
        client = Client(ClientOptions(server.url, say=("x",), stay=True, **options))
        async with running(client):
            await server.wait_for_kind(ev.Hello)
            await server.say(ev.State("speaking"), ev.SpeechStart(2), ev.SpeechPcm(2, REPLY), ev.SpeechEnd(2))
            await server.wait_for(lambda events: any(e == ev.Played(2, 200) for e in events))
    assert read_wav(tmp_path / "reply.wav", 24_000) == REPLY


async def test_questions_are_answered_by_typing_and_the_default_is_no(options: dict[str, Any]) -> None:
    content = {"question": "May I?", "code": "rm x", "language": "shell", "risk": "change"}
    read, write = os.pipe()
    async with light_server() as server:
        client = Client(ClientOptions(server.url, **options))
        from zero_one_desktop.lines import read_lines

        async with running(client):
            await server.wait_for_kind(ev.Hello)
            read_lines(read, client._typed, lambda: None)
            for number, line in enumerate(["y\n", "\n", "no, but ask first\n"], 1):
                await server.say(ev.Show(Message("server", "approval", content=content, id=f"q{number}")))
                await until(lambda: client._asking.questions.asked)
                os.write(write, line.encode())
                await server.wait_for_kind(ev.Answer, number)
        os.close(write)
    assert [event for event in server.events if isinstance(event, ev.Answer)] == [
        ev.Answer("q1", "yes"), ev.Answer("q2", "no"), ev.Answer("q3", "no", "ask first"),
    ]  # fmt: skip


async def test_commands_of_another_process_work_on_the_running_client(tmp_path: Path, options: dict[str, Any]) -> None:
    async with light_server() as server:
        client = Client(ClientOptions(server.url, **options))
        async with running(client):
            await server.wait_for_kind(ev.Hello)
            assert await asyncio.to_thread(send, tmp_path / "c.sock", "say", "hello there") == "said"
            await asyncio.to_thread(send, tmp_path / "c.sock", "stop")
            assert (await server.wait_for_kind(ev.Typed)).text == "hello there"
            assert await server.wait_for_kind(ev.Stop) == ev.Stop(everything=True)


async def test_a_server_that_knows_no_hello_is_spoken_to_at_level_0(tmp_path: Path, options: dict[str, Any]) -> None:
    async with light_server(answer) as server:
        server.silent = True
        assert await Client(ClientOptions(server.url, wav=(recording(tmp_path, 60),), **options)).run() == 0
        assert server.heard() == ramp(60, 16_000)
    assert read_wav(tmp_path / "reply.wav", 24_000) == REPLY


async def test_no_answer_is_a_failure_that_says_so(options: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    async with light_server() as server:
        client = Client(ClientOptions(server.url, say=("x",), **{**options, "timeout_s": 0.3, "quiet": False}))
        assert await client.run() == 1
    assert "No complete answer" in capsys.readouterr().out


async def test_a_recording_that_is_none_is_named(tmp_path: Path, options: dict[str, Any]) -> None:
    (tmp_path / "no.wav").write_text("hello")
    assert await Client(ClientOptions(wav=(tmp_path / "no.wav",), **options)).run() == 2


async def test_a_line_from_a_pipe_is_asked_and_answered_by_a_client_of_its_own(tmp_path: Path) -> None:
    """As a script would use it: no terminal, no sound device, the answer as text and as a file."""
    gone = {"DISPLAY", "WAYLAND_DISPLAY", "PULSE_SERVER", "XDG_RUNTIME_DIR"}
    env = {name: value for name, value in os.environ.items() if name not in gone} | {"ZERO_ONE_HOME": str(tmp_path)}
    async with light_server(answer) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "zero_one_desktop", "--server-url", server.url, "--once", "--save", "reply.wav",
            env=env, cwd=tmp_path,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, _ = await asyncio.wait_for(process.communicate(b"what time is it"), 100)
        assert process.returncode == 0
        assert (await server.wait_for_kind(ev.Typed)).text == "what time is it"
    assert "01: Hello.\n" in out.decode()
    assert read_wav(tmp_path / "reply.wav", 24_000) == REPLY
