"""The real interpreter behind the real server: code asks first, runs, is stopped; and the history is what was heard."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from support import scripted_model
from support.light import Light, NewClient, device, light
from support.players import MS_A_CHAR, Ears, Throat, plain
from support.scripted_model import ScriptedModel, hangs, runs
from zero_one.computer.hands import Hands
from zero_one.computer.terminal import Terminal
from zero_one.config.settings import ModelSettings, Settings
from zero_one.conversation import Services
from zero_one.interpreter.history import History
from zero_one.interpreter.loop import ModelInterpreter
from zero_one.interpreter.model import LiteLlm
from zero_one.protocol.events import (
    Answer,
    Cancelled,
    Pcm,
    Played,
    Pressed,
    Released,
    Show,
    SpeechPcm,
    SpeechStart,
    State,
    Stop,
    Typed,
)


def house(model: ScriptedModel, folder: Path, *heard: str) -> Services:
    settings = Settings(model=ModelSettings(name="openai/scripted", api_base=model.url, api_key="test"))

    def interpreter(name: str, history: History) -> ModelInterpreter:
        hands = Hands()
        return ModelInterpreter(LiteLlm(settings.model), Terminal(folder / name, hands), hands, history, settings)

    ears = Ears(*heard, takes_s=0.01)
    return Services(ears, Throat(), plain, settings=settings, interpreter=interpreter, folder=folder / "conversations")


async def approval(client: NewClient) -> Any:
    event = await client.until(
        lambda e: isinstance(e, Show) and e.message.type == "approval" and not e.message.end, 300
    )
    return event.message


async def agree(server: Light, client: NewClient) -> Any:
    """Say yes to the open question, as soon as one may: some time after it was spoken."""
    question = await approval(client)
    asked = server.conversations.get("d1").questions
    async with asyncio.timeout(60):
        while asked.open is not None and asked.open.deaf:  # noqa: ASYNC110 - time passes, nothing tells of it
            await asyncio.sleep(0.02)
    await client.send(Answer(question.id, "yes"))
    return question


def printed(client: NewClient) -> str:
    parts = [e.message.content for e in client.events if isinstance(e, Show) and e.message.type == "console"]
    return "".join(part for part in parts if isinstance(part, str))


CHANGES = "open('asked.txt', 'w').write('x')\n"
"""Puts code to the user: there is no sandbox and no undo here."""


async def test_code_that_changes_something_asks_first_runs_and_its_result_is_spoken(tmp_path: Path) -> None:
    script = (runs(CHANGES + "print(6 * 7)"), scripted_model.says("It is 42."))
    with ScriptedModel(*script) as model:
        services = house(model, tmp_path)
        async with light(services) as server, device(server, "d1") as client:
            await client.send(Typed("what is six times seven"))
            question = await agree(server, client)
            assert question.content["code"] == CHANGES + "print(6 * 7)"
            assert question.content["risk"] == "change"
            assert "42" not in printed(client)
            await client.idle(300)
            assert "42" in printed(client)
            assert services.synthesizer.texts[-1] == "It is 42."  # type: ignore[attr-defined]
            states = [event.name for event in client.events if isinstance(event, State)]
            assert "asking" in states
            assert "acting" in states


async def test_code_that_only_looks_runs_at_once(tmp_path: Path) -> None:
    with ScriptedModel(runs("print(6 * 7)"), scripted_model.says("It is 42.")) as model:
        async with light(house(model, tmp_path)) as server, device(server, "d1") as client:
            await client.send(Typed("what is six times seven"))
            await client.idle(300)
            assert "42" in printed(client)
            assert not [e for e in client.events if isinstance(e, Show) and e.message.type == "approval"]


async def test_no_means_that_nothing_runs(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    with ScriptedModel(runs(f"open({str(mark)!r}, 'w')"), scripted_model.says("All right.")) as model:
        async with light(house(model, tmp_path)) as server, device(server, "d1") as client:
            await client.send(Typed("write the file"))
            await client.send(Answer((await approval(client)).id, "no"))
            await client.idle(300)
            assert not mark.exists()


async def test_stop_ends_running_code(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    code = f"import time\nprint('begun', flush=True)\ntime.sleep(900)\nopen({str(mark)!r}, 'w')"
    with ScriptedModel(runs(code)) as model:
        async with light(house(model, tmp_path)) as server, device(server, "d1") as client:
            await client.send(Typed("work"))
            await agree(server, client)
            while "begun" not in printed(client):
                await client.take(60)
            await client.send(Stop())
            await client.idle(300)
            assert not mark.exists()
            assert not server.conversations.get("d1")._brain.working


async def test_spoken_over_the_history_that_the_model_sees_next_is_what_was_heard(tmp_path: Path) -> None:
    """The model still writes when the button is pressed; 17 characters were played: "alpha bravo charl"."""
    words = "alpha bravo charlie delta echo foxtrot golf hotel. India juliet kilo lima. "
    script = (hangs(*scripted_model.says(words).steps[:-1]), scripted_model.says("Fine."))
    with ScriptedModel(*script) as model:
        async with light(house(model, tmp_path, "and now")) as server, device(server, "d1") as client:
            await client.send(Typed("tell me"))
            start = await client.until(lambda event: isinstance(event, SpeechStart), 300)
            while sum(len(e.data) for e in client.events if isinstance(e, SpeechPcm)) < 48 * 17 * MS_A_CHAR:
                await client.take()
            clock = asyncio.get_running_loop().time
            told = clock()
            await client.send(Played(start.generation, 17 * MS_A_CHAR))
            await client.send(Pressed(), Pcm(bytes(32_000)), Released())
            await client.state("listening")
            # It went on playing until it was silenced; a word that was begun counts.
            most = 17 + (clock() - told) * 1000 / MS_A_CHAR + len("charlie")
            await client.idle(300)
            said = [m for m in model.requests[-1].messages if m["role"] == "assistant"]
            heard = str(said[0]["content"]).rstrip("—")
            assert heard.startswith("alpha bravo")
            assert words.startswith(heard)
            assert len(heard) <= most
            asked = [m["content"] for m in model.requests[-1].messages if m["role"] == "user"]
            assert "and now" in str(asked[-1])


async def test_code_outlives_a_press_and_a_lost_link_and_is_told_at_the_return(tmp_path: Path) -> None:
    go = tmp_path / "go"
    wait = f"import os, time\nwhile not os.path.exists({str(go)!r}): time.sleep(0.05)\n"
    code = CHANGES + "print('begun', flush=True)\n" + wait + "print('forty', 'two')"
    with ScriptedModel(runs(code), scripted_model.says("All done now.")) as model:
        async with light(house(model, tmp_path)) as server:
            async with device(server, "d1") as client:
                await client.send(Typed("work"))
                await agree(server, client)
                while "begun" not in printed(client):
                    await client.take(60)
            conversation = server.conversations.get("d1")
            async with asyncio.timeout(60):
                while not conversation._audience.away:  # noqa: ASYNC110 - nothing tells that the server has noticed
                    await asyncio.sleep(0.02)
            turn = conversation._turns.now
            assert turn is not None
            assert turn.task is not None
            assert not turn.done
            go.touch()
            await asyncio.wait_for(turn.task, 120)
            async with device(server, "d1") as client:
                await client.until(lambda event: isinstance(event, SpeechPcm), 60)
                assert "forty two" in printed(client)
                await client.send(Pressed())
                await client.send(Cancelled())
