"""What the button sends while a question is open and when none is, by the whole client over a real WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from support.light_server import LightServer, light_server
from zero_one.audio import devices
from zero_one.protocol import events as ev
from zero_one.protocol.lmc import Message
from zero_one_desktop.client import Client
from zero_one_desktop.options import ClientOptions

QUESTION = {
    "question": "Delete 14 files?",
    "hand": "hold",
    "word": "delete",
    "own": True,
    "answers": ["yes", "no", "edit"],
}
SPEECH = bytes(24_000 * 2 * 3 // 10)  # 300 ms
LONG_SPEECH = bytes(24_000 * 2 * 30)
"""Half a minute: however busy the machine, what is done next is done before the end of it."""


class Quiet:
    """A microphone in a silent room: it gives what it is told to."""

    def open(self, deliver: Callable[[bytes], None]) -> None:
        self.deliver = deliver

    def close(self) -> None:
        pass


@contextlib.asynccontextmanager
async def at_the_button(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Client, LightServer]]:
    monkeypatch.setattr(devices, "list_devices", list)
    monkeypatch.setattr("zero_one_desktop.client.open_microphone", lambda *_: Quiet())
    async with light_server() as server:
        options = ClientOptions(
            server.url, hotkey=None, typed=False, state_dir=tmp_path, control=tmp_path / "c.sock", quiet=True,
            save=tmp_path / "heard.wav",
        )  # fmt: skip
        client = Client(options)
        task = asyncio.create_task(client.run())
        try:
            await server.wait_for_kind(ev.Hello)
            yield client, server
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def ask(client: Client, server: LightServer, *, wait: bool = True, **more: Any) -> None:
    """The question is shown and spoken; ``wait``: until it was heard and presses count."""
    sound = SPEECH if wait else LONG_SPEECH
    await server.say(
        ev.Show(Message("server", "approval", content={**QUESTION, **more}, id="q1")),
        ev.State("speaking"), ev.SpeechStart(1), ev.SpeechPcm(1, sound), ev.SpeechEnd(1), ev.State("asking"),
    )  # fmt: skip
    async with asyncio.timeout(60):
        while client._asking.questions.asked is None or (wait and client._asking._consent.waits):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    if wait:
        await asyncio.sleep(0.75)


def down(client: Client) -> None:
    client._key(client._button.down)


def up(client: Client) -> None:
    client._key(client._button.up)


async def tap(client: Client, times: int = 1) -> None:
    """As the keyboard tells it: when a finger came and left, however late that is heard of."""
    await asyncio.sleep(times * 0.2)
    begun = asyncio.get_running_loop().time() * 1000 - times * 200
    for number in range(times):
        client._key(client._button.down, begun + number * 200)
        client._key(client._button.up, begun + number * 200 + 80)


def kinds(server: LightServer) -> list[str]:
    return [type(event).__name__ for event in server.events if not isinstance(event, ev.Hello | ev.Played | ev.Pcm)]


async def test_a_tap_is_no_at_once_and_only_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server)
        await tap(client)
        assert await server.wait_for_kind(ev.Stop) == ev.Stop(silence_only=True)
        await asyncio.sleep(0.5)
        assert kinds(server) == ["Pressed", "Cancelled", "Stop"]


async def test_two_silent_seconds_are_yes_and_the_silence_is_no_utterance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server)
        begun = asyncio.get_running_loop().time()
        down(client)
        for _ in range(21):
            await asyncio.sleep(0.1)
            client._heard(bytes(3_200))
        up(client)
        answer = await server.wait_for_kind(ev.Answer)
        await server.wait_for_kind(ev.Cancelled)
        assert (answer.id, answer.answer, answer.hand) == ("q1", "yes", "hold")
        assert 2_000 <= answer.held_ms <= (asyncio.get_running_loop().time() - begun) * 1000 + 1
        assert "Released" not in kinds(server)


async def test_a_tap_before_the_end_of_the_question_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was meant for something else: nothing is sent, and the question goes on being heard."""
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server, wait=False)
        await tap(client)
        await asyncio.sleep(0.5)
        assert kinds(server) == []
        assert client._asking.questions.own is not None


async def test_who_holds_on_before_the_end_is_heard_but_agrees_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """“No, stop!” must be possible at any time; what was said from the first moment on arrives."""
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server, wait=False)
        down(client)
        sent = b""
        for number in range(24):
            await asyncio.sleep(0.1)
            piece = bytes([number + 1]) * 320
            client._heard(piece)
            sent += piece if client._early is not None or client._talking else b""
        up(client)
        await server.wait_for_kind(ev.TailClosed)
        assert kinds(server) == ["Pressed", "Released", "TailClosed"]
        assert server.heard() == sent
        assert sent.startswith(b"\x01" * 320)


async def test_idle_one_tap_silences_two_repeat_three_stop_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        for times, meant in ((1, ev.Stop(silence_only=True)), (2, ev.Repeat()), (3, ev.Stop(everything=True))):
            server.events.clear()
            await tap(client, times)
            assert await server.wait_for_kind(type(meant)) == meant
            assert kinds(server).count(type(meant).__name__) == 1


async def test_three_taps_stop_everything_while_a_question_is_open_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server)
        await tap(client, 3)
        await server.wait_for(lambda events: ev.Stop(everything=True) in events)


async def test_a_toggled_utterance_agrees_to_nothing_however_long_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody holds anything: the server is told so, and judges the words alone."""
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server)
        await client._commanded("toggle", "")
        await asyncio.sleep(2.2)
        await client._commanded("toggle", "")
        await server.wait_for_kind(ev.TailClosed)
        assert (await server.wait_for_kind(ev.Pressed)).by == "voice"
        assert "Answer" not in kinds(server)


async def test_the_word_a_correction_and_changed_code_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server)
        client._typed("yes")
        assert "Answer" not in kinds(server), "a plain yes is not enough, and is no no either"
        client._typed("Delete")
        assert await server.wait_for_kind(ev.Answer) == ev.Answer("q1", "yes", word="delete")
        await ask(client, server, wait=False)
        client._typed("no, but only the old ones")
        assert await server.wait_for_kind(ev.Answer, 2) == ev.Answer("q1", "no", "only the old ones")
        await ask(client, server, wait=False)
        for line in ("edit", "rm a.txt", "ls", "."):
            client._typed(line)
        assert (await server.wait_for_kind(ev.Answer, 3)).code == "rm a.txt\nls"
        await ask(client, server, wait=False, word="", hand="any", answers=["yes", "no", "always"])
        client._typed("always")
        assert (await server.wait_for_kind(ev.Answer, 4)).remember


async def test_code_that_is_typed_after_its_question_is_over_is_no_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with at_the_button(tmp_path, monkeypatch) as (client, server):
        await ask(client, server, wait=False)
        client._typed("edit")
        client._typed("rm a.txt")
        over = {"answer": "no", "reason": "nobody answered in time", "by": ""}
        await server.say(ev.Show(Message("server", "approval", content=over, end=True, id="q1")))
        async with asyncio.timeout(60):
            while client._asking.questions.asked is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        for line in ("rm b.txt", ".", "what time is it"):
            client._typed(line)
        assert (await server.wait_for_kind(ev.Typed)).text == "what time is it"
        assert "Answer" not in kinds(server)
