"""Level 1 devices against a real server on a real connection."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.request
from typing import Any

from websockets.asyncio.client import connect

from support.light import Light, NewClient, device, light
from support.players import MS_A_CHAR, RATE, Ears, Scene, ScriptedMind, Throat, plain, says
from zero_one.conversation import Services
from zero_one.conversation.warming import LateRecognizer, LateSynthesizer
from zero_one.protocol.events import (
    Answer,
    Flush,
    Pcm,
    Played,
    Pressed,
    Released,
    Repeat,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    Stop,
    Typed,
)
from zero_one.protocol.light import Received


def house(*heard: str, plays: tuple[Any, ...] = (), **more: Any) -> Services:
    return Services(Ears(*heard, takes_s=0.01), Throat(), plain, interpreter=ScriptedMind(*plays), **more)


def mind(server: Light) -> ScriptedMind:
    assert isinstance(server.services.interpreter, ScriptedMind)
    return server.services.interpreter


def shown(client: NewClient, kind: str, role: str | None = None) -> list[Any]:
    return [
        event.message.content
        for event in client.events
        if isinstance(event, Show) and event.message.type == kind and role in (None, event.message.role)
    ]


def said(client: NewClient) -> str:
    return "".join(text for text in shown(client, "message", "assistant") if text)


def played(client: NewClient) -> bytes:
    return b"".join(event.data for event in client.events if isinstance(event, SpeechPcm))


async def speak(client: NewClient, pcm: bytes, ident: str | None = None) -> None:
    await client.send(Pressed(ident), Pcm(pcm), Released())


async def get(server: Light, path: str) -> tuple[int, str]:
    def read() -> tuple[int, str]:
        with urllib.request.urlopen(server.http + path, timeout=60) as answer:
            return answer.status, answer.read().decode()

    return await asyncio.to_thread(read)


async def test_a_spoken_turn_is_heard_shown_and_spoken() -> None:
    pcm = bytes(range(256)) * 300
    async with light(house("hello", plays=(says("Hi there."),))) as server, device(server, "d1") as client:
        await speak(client, pcm, "u1")
        await client.idle()
        assert server.services.recognizer.heard == [pcm]  # type: ignore[attr-defined]
        assert shown(client, "message", "user") == ["hello"]
        assert said(client) == "Hi there."
        assert len(played(client)) == 9 * MS_A_CHAR * RATE // 1000 * 2
        assert Received("u1") in client.events
        assert "complete" in shown(client, "status")
        states = [event.name for event in client.events if isinstance(event, State)]
        assert states == ["listening", "thinking", "speaking", "idle"]


async def test_typed_text_is_answered_aloud_too() -> None:
    async with light(house(plays=(says("Typed back."),))) as server, device(server, "d1") as client:
        await client.send(Typed("hello there", images=(("base64.png", "aGk="),)))
        await client.idle()
        assert mind(server).requests[0].content == "hello there"
        assert [image.content for image in mind(server).images[0]] == ["aGk="]
        assert said(client) == "Typed back."
        assert played(client)


async def test_a_press_flushes_and_nothing_stale_follows_and_history_is_what_was_heard() -> None:
    """The device reports what it played; the history ends there."""
    words = "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa"
    services = house("story", "thanks", plays=(says(words), says("Welcome.")))
    async with light(services) as server, device(server, "d1") as client:
        await speak(client, bytes(32_000))
        start = await client.until(lambda event: isinstance(event, SpeechStart))
        while len(played(client)) < 48 * 1500:
            await client.take()
        # It has played 24 characters of them: "alpha bravo charlie delt". It goes on playing until it is silenced.
        clock = asyncio.get_running_loop().time
        told = clock()
        await client.send(Played(start.generation, 24 * MS_A_CHAR))
        await client.socket.send(json.dumps({"role": "user", "type": "audio", "format": "bytes.raw", "start": True}))
        flush = await client.until(lambda event: isinstance(event, Flush))
        assert flush.generation > start.generation
        most = 24 + (clock() - told) * 1000 / MS_A_CHAR
        seen = len(client.events)
        await client.send(Pcm(bytes(32_000)), Released())
        await client.idle()
        after = [event for event in client.events[seen:] if isinstance(event, SpeechPcm | SpeechStart | SpeechEnd)]
        assert after
        assert all(event.generation >= flush.generation for event in after)
        texts = [(e.message.role, e.text) for e in server.conversations.get("d1").history if e.text]
        assert texts[0] == ("user", "story")
        assert texts[1][0] == "assistant"
        third = words.index("charlie")
        assert texts[1][1] in [words[: w.end()] for w in re.finditer(r"\w+", words) if third <= w.start() <= most]
        assert texts[2:] == [("user", "thanks"), ("assistant", "Welcome.")]


async def test_stop_ends_speech_model_and_code() -> None:
    async def work(scene: Scene) -> None:
        scene.say("I begin. ")
        await scene.code(60, "never")

    async with light(house(plays=(work,))) as server, device(server, "d1") as client:
        await client.send(Typed("work"))
        await client.until(lambda event: isinstance(event, State) and event.name == "acting")
        await client.send(Stop())
        await client.idle()
        assert mind(server).runs[0].cancelled
        assert "stopped" in shown(client, "status")
        assert "never" not in shown(client, "console")


async def test_approval_by_the_device_and_default_no() -> None:
    decisions = []

    async def work(scene: Scene) -> None:
        decisions.append(await scene.ask("May I run this?"))
        decisions.append(await scene.ask("And this?"))
        scene.say("Done.")

    async with light(house(plays=(work,))) as server:
        async with device(server, "d1") as client:
            await client.send(Typed("work"))
            question = await client.until(lambda e: isinstance(e, Show) and e.message.type == "approval")
            assert question.message.content["question"] == "May I run this?"
            asked = server.conversations.get("d1").questions
            async with asyncio.timeout(30):
                while asked.open is not None and asked.open.deaf:  # noqa: ASYNC110 - time passes, nothing tells of it
                    await asyncio.sleep(0.02)
            await client.send(Answer(question.message.id, "yes"))
            await client.until(
                lambda e: isinstance(e, Show) and e.message.type == "approval" and e.message.id != question.message.id
            )
            # It leaves without an answer.
        async with device(server, "d1") as client:
            await client.until(lambda e: isinstance(e, SpeechEnd))
            assert [decision.approved for decision in decisions] == [True, False]
            assert said(client).endswith("Done.")


async def test_repeat_says_it_again() -> None:
    async with light(house(plays=(says("Once more."),))) as server, device(server, "d1") as client:
        await client.send(Typed("hello"))
        await client.idle()
        before = len(played(client))
        await client.send(Repeat())
        await client.until(lambda event: isinstance(event, State) and event.name == "speaking")
        await client.idle()
        assert len(played(client)) == 2 * before


async def test_unasked_speech_reaches_the_device_and_waits_for_one_that_is_away() -> None:
    async with light(house()) as server:
        await server.conversations.announce("d1", "Your tea is ready.")
        async with device(server, "d1") as client:
            await client.until(lambda event: isinstance(event, SpeechEnd))
            assert "Your tea is ready." in shown(client, "message", "assistant")
            await client.idle()
            await server.conversations.announce("d1", "Tea again.")
            await client.until(lambda event: isinstance(event, SpeechStart))
            await client.idle()
            assert shown(client, "message", "assistant")[-1] == "Tea again."


async def test_many_devices_at_once_never_mix() -> None:
    """Eight devices, interleaved, three turns each: every word and every sample is one's own."""
    count = 8

    def factory(name: str, history: Any) -> ScriptedMind:
        one = ScriptedMind(*[says(f"{name} says {n}. ", "Yes.", every_s=0.01) for n in range(3)])
        one.history = history
        return one

    services = Services(Ears(), Throat(), plain, interpreter=factory)

    async def talk(server: Light, name: str) -> NewClient:
        async with device(server, name) as client:
            for n in range(3):
                await client.send(Typed(f"{name} asks {n}"))
                await client.idle()
            return client

    async with light(services) as server:
        clients = await asyncio.gather(*(talk(server, f"device{n}") for n in range(count)))
        for n, client in enumerate(clients):
            own = f"device{n}"
            assert said(client) == "".join(f"{own} says {k}. Yes." for k in range(3))
            assert shown(client, "message", "user") == [f"{own} asks {k}" for k in range(3)]
            length = sum(len(f"{own} says {k}.") + len("Yes.") for k in range(3))
            assert len(played(client)) == length * MS_A_CHAR * RATE // 1000 * 2
            history = [entry.text for entry in server.conversations.get(own).history]
            assert all(text.startswith(own) for text in history)


async def test_ping_health_and_metrics() -> None:
    async with light(house(plays=(says("Hi."),))) as server:
        assert await get(server, "/ping") == (200, "pong")
        status, health = await get(server, "/health")
        assert (status, json.loads(health)["status"]) == (200, "ready")
        async with device(server, "d1") as client:
            await client.send(Typed("hello"))
            await client.idle()
            _, numbers = await get(server, "/metrics")
        assert 'zero_one_turn_seconds_count{stage="first_audio"} 1.0' in numbers
        assert "zero_one_links 1.0" in numbers
        assert 'zero_one_turns_total{end="done"} 1.0' in numbers


async def test_it_listens_before_it_is_warm_and_what_is_said_meanwhile_is_answered() -> None:
    ears, voice = LateRecognizer(), LateSynthesizer()
    services = Services(
        ears, voice, plain, interpreter=ScriptedMind(says("Awake now.")), ready=lambda: ears.ready and voice.ready
    )
    real = Ears("are you awake")
    pcm = bytes(range(256)) * 250
    async with light(services) as server:
        async with connect(server.url) as socket:
            await socket.send(json.dumps({"type": "hello", "protocol": 1, "device": "d0"}))
            assert json.loads(await socket.recv())["ready"] is False
        assert json.loads((await get(server, "/health"))[1])["status"] == "warming"
        async with device(server, "d1") as client:
            await speak(client, pcm)
            await client.until(lambda e: isinstance(e, Show) and e.message.content == "warming")
            ears.set(real)
            voice.set(Throat())
            await client.idle()
            assert real.heard == [pcm]
            assert said(client) == "Awake now."
            assert played(client)


async def test_open_interpreters_typed_form_works_without_a_hello() -> None:
    """Start, content, end; the answer streamed; then the status ``complete``."""
    async with light(house(plays=(says("Hi ", "you."),))) as server, connect(server.url) as socket:
        for part in ({"start": True}, {"content": "hello"}, {"end": True}):
            await socket.send(json.dumps({"role": "user", "type": "message", **part}))
        frames: list[dict[str, Any]] = []
        while not frames or frames[-1].get("content") != "complete":
            frame = await asyncio.wait_for(socket.recv(), 60)
            assert isinstance(frame, str)
            frames.append(json.loads(frame))
        words = [f for f in frames if f["role"] == "assistant" and f["type"] == "message"]
        assert words[0].get("start")
        assert "".join(f.get("content", "") for f in words) == "Hi you."
        assert words[-1].get("end")
        assert frames[-1] == {"role": "server", "type": "status", "content": "complete"} | (
            {"id": frames[-1]["id"]} if "id" in frames[-1] else {}
        )


async def test_a_device_may_change_its_rate_at_its_return() -> None:
    async with light(house(plays=(says("Sixteen."), says("Sixteen.")))) as server:
        sizes = []
        for rate in (16_000, 48_000):
            async with device(server, "d1", rate_out=rate) as client:
                await client.send(Typed("hello"))
                await client.idle()
                assert next(e for e in client.events if isinstance(e, SpeechStart)).rate == rate
                sizes.append(len(played(client)) / rate)
        assert abs(sizes[0] - sizes[1]) < 0.01
