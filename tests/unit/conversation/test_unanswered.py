"""A request that was confirmed and not answered when the server ended, however it ended, is named after its return."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path

import pytest

from support.players import Device, Scene, Stage, says
from support.virtual_time import virtual
from zero_one.app.past import forget_histories
from zero_one.conversation import Conversation, phrases
from zero_one.protocol.events import SpeechStart, Stop, Typed

ASKED = "tidy up my downloads"
TOLD = phrases.UNANSWERED.format(text=ASKED)


async def works(scene: Scene) -> None:
    await scene.code(60, "done")


async def asks(scene: Scene) -> None:
    await scene.ask("Delete it?")


def kept_in(folder: Path) -> str:
    return "".join(file.read_text() for file in folder.glob("*.json*"))


def copied(folder: Path, to: Path) -> Path:
    """What a kill at this moment would leave."""
    shutil.copytree(folder, to)
    return to


@pytest.mark.parametrize("doing", [works, asks, says("One ", "moment.", every_s=30)])
@pytest.mark.parametrize("how", ["killed", "ended"])
@virtual
async def test_what_was_not_answered_is_named_after_a_restart_once(doing: object, how: str, tmp_path: Path) -> None:
    before = Stage(plays=(doing,), folder=tmp_path / "one")  # type: ignore[arg-type]
    device = await before.join()
    await before.does(Typed(ASKED, id="m1"))
    await asyncio.sleep(10)
    if how == "killed":
        folder = copied(tmp_path / "one", tmp_path / "two")
        await before.talk.close()
    else:
        await before.talk.close()
        folder = tmp_path / "one"
    assert device.messages("message")
    for told in (True, False):
        after = Stage(plays=(says("Hello."),), folder=folder)
        back = await after.join()
        await asyncio.sleep(30)
        assert (after.throat.texts == [TOLD]) == told
        assert (TOLD in back.shown("message", "assistant")) == told
        await after.talk.close()


@pytest.mark.parametrize("end", ["answered", "stopped", "stopped everything"])
@virtual
async def test_what_was_answered_or_stopped_is_not(end: str, tmp_path: Path) -> None:
    before = Stage(plays=(says("Done.") if end == "answered" else works,), folder=tmp_path)
    device = await before.join()
    await before.does(Typed(ASKED, id="m1"))
    await asyncio.sleep(1)
    if end != "answered":
        await before.does(Stop(everything="everything" in end))
    await asyncio.sleep(1)
    await device.idle()
    assert '"open": {}' in kept_in(tmp_path)
    await before.talk.close()
    after = Stage(folder=tmp_path)
    await after.join()
    await asyncio.sleep(30)
    assert after.throat.texts == []
    await after.talk.close()


@virtual
async def test_what_was_to_be_forgotten_is_not_quoted(tmp_path: Path) -> None:
    before = Stage(plays=(works,), folder=tmp_path)
    await before.join()
    await before.does(Typed(ASKED, id="m1"))
    await asyncio.sleep(1)
    await before.talk.forget(0, 1e12)
    await before.talk.close()
    assert ASKED not in kept_in(tmp_path)
    after = Stage(folder=tmp_path)
    await after.talk.forget(0, 1e12)
    await after.join()
    await asyncio.sleep(30)
    assert after.throat.texts == []
    await after.talk.close()


@virtual
async def test_what_was_to_be_forgotten_while_nobody_was_there_is_not_quoted_either(tmp_path: Path) -> None:
    before = Stage(plays=(works,), folder=tmp_path)
    await before.join()
    await before.does(Typed(ASKED, id="m1"))
    await asyncio.sleep(1)
    await before.talk.close()
    assert ASKED in kept_in(tmp_path)
    forget_histories(tmp_path, None, set(), 0, 1e12)
    assert ASKED not in kept_in(tmp_path)
    assert "m1" in kept_in(tmp_path), "and what was taken once is still known"


@virtual
async def test_who_only_looks_in_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    stage = Stage(folder=tmp_path)
    await stage.talk.detach(await stage.join())
    await stage.talk.close()
    assert not os.listdir(tmp_path)


@virtual
async def test_generations_never_go_back_not_even_with_the_clock(tmp_path: Path) -> None:
    """A device drops sound that seems older than what it has heard: it would hear nothing any more."""
    services = Stage(plays=(says("Hello."), says("Hello.")), folder=tmp_path).services
    generations: list[int] = []
    for clock in (1_800_000_000, 1_000):
        talk, device = Conversation("device", services, generation=clock), Device()
        await talk.attach(device)
        await talk.handle(Typed("hello"), device)
        await device.idle()
        await talk.close()
        generations.append(next(event.generation for _, event in device.events if isinstance(event, SpeechStart)))
    assert generations[0] < generations[1]
