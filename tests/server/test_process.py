"""The real server as a process of its own, with its real engines: killed in the middle of a word, and started again."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from support.light import Light, NewClient, device
from support.players import Ears, Throat, plain
from support.voices import say
from zero_one.conversation import Conversations, Services
from zero_one.protocol.events import Pcm, Pressed, Released, Show, SpeechPcm, Typed
from zero_one.protocol.light import Received

SERVE = """
import asyncio
from zero_one.app.local import interruptible
from zero_one.app.serve import serve
from zero_one.config.settings import HearSettings, ServerSettings, Settings, SpeakSettings
settings = Settings(
    server=ServerSettings(port=0),
    hear=HearSettings(engine="pocketsphinx"),
    speak=SpeakSettings(engine="espeak-ng"),
)

async def main():
    async with interruptible() as stop:
        await serve(settings, stop, ready=lambda port: print(port, flush=True))

asyncio.run(main())
"""


@asynccontextmanager
async def serving(home: Path) -> AsyncIterator[tuple[Light, asyncio.subprocess.Process]]:
    """The server process, as soon as it listens; killed on the way out if it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SERVE,
        env={**os.environ, "ZERO_ONE_HOME": str(home), "HOME": str(home)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        port = int(await asyncio.wait_for(process.stdout.readline(), 120))
        services = Services(Ears(), Throat(), plain)  # only to say where it is
        yield Light(port, Conversations(services), services), process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def words(client: NewClient, role: str) -> list[str]:
    return [
        event.message.content
        for event in client.events
        if isinstance(event, Show) and event.message.role == role and event.message.type == "message"
        if event.message.format is None
    ]


def history(home: Path) -> list[dict[str, str]]:
    (file,) = (home / "data" / "conversations").glob("kitchen-*.jsonl")
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def test_killed_in_the_middle_of_a_word_and_started_again_nothing_said_is_lost(tmp_path: Path) -> None:
    """The history is whole, the utterance is sent again and answered, and an orderly stop leaves nothing behind."""
    spoken = await asyncio.to_thread(say, "what time is it")
    home = tmp_path / "home"
    async with serving(home) as (server, process), device(server, "kitchen") as client:
        await client.send(Typed("what is two plus two", id="m1"))
        await client.idle(120)
        assert "4" in words(client, "assistant")[-1] or "four" in words(client, "assistant")[-1].lower()
        await client.send(Pressed("u1"), Pcm(spoken[: len(spoken) // 2]))
        await client.state("listening")
        process.send_signal(signal.SIGKILL)
        await process.wait()
    before = history(home)
    assert before[0]["content"] == "what is two plus two"

    async with serving(home) as (server, process):
        async with device(server, "kitchen") as client:
            # What the server did not confirm is said again, from its beginning; what it did confirm is not repeated.
            await client.send(Typed("what is two plus two", id="m1"))
            await client.send(Pressed("u1"), Pcm(spoken), Released())
            await client.until(lambda event: event == Received("u1"), 120)
            await client.idle(120)
            assert words(client, "user") == ["what time is it"]
            assert words(client, "assistant")
            assert any(isinstance(event, SpeechPcm) for event in client.events)
        after = history(home)
        assert after[: len(before)] == before
        assert [entry["content"] for entry in after if entry["role"] == "user"] == [
            "what is two plus two",
            "what time is it",
        ]
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), 90) == 0
