"""Devices that hold the button for ever, and devices that say they played what they were never sent."""

from __future__ import annotations

import asyncio

import pytest

from support.players import Device, Scene, Stage, says
from support.virtual_time import virtual
from zero_one.conversation import phrases
from zero_one.conversation.hearing import MOST_S
from zero_one.interpreter.base import Decision
from zero_one.protocol.events import Answer, Pcm, Played, Pressed, Released, TailClosed, Typed

LONGEST = MOST_S * 32_000


@virtual
async def test_a_button_that_is_held_for_ever_fills_no_memory_and_is_answered() -> None:
    stage = Stage("a long story", "and now", plays=(says("Indeed."), says("Yes.")))
    device = await stage.join()
    await stage.press()
    for _ in range(3 * LONGEST // 1_000_000):
        await stage.does(Pcm(bytes(1_000_000)))
    await asyncio.sleep(60)
    assert [len(pcm) for pcm in stage.ears.heard] == [LONGEST]
    assert stage.throat.texts == [phrases.LONG, "Indeed."]
    assert device.state == "idle", "what waits to be said is not held up by the button"
    await stage.release()
    await stage.speak(1.0)
    await device.idle()
    assert stage.throat.texts[-1] == "Yes."
    await stage.talk.close()


@virtual
async def test_the_same_id_again_and_again_fills_no_memory() -> None:
    stage = Stage("hello", plays=(says("Hello."),))
    device = await stage.join()
    for event in (Pressed("u1"), Pcm(bytes(32_000)), Released(), TailClosed()):
        await stage.does(event)
    await device.idle()
    await stage.does(Pressed("u1"))
    for _ in range(2 * LONGEST // 1_000_000):
        await stage.does(Pcm(bytes(1_000_000)))
    assert len(stage.talk._hearing._again) == LONGEST
    await stage.talk.close()


@pytest.mark.parametrize("liar", [False, True])
@virtual
async def test_only_the_device_that_speaks_says_how_much_was_heard(liar: bool) -> None:
    """Another one of the same conversation cannot make a question count as heard that is still being said."""
    decisions: list[Decision] = []

    async def play(scene: Scene) -> None:
        decisions.append(await scene.ask("Erase?", hand="press"))

    stage = Stage(plays=(play,))
    older = await stage.join()
    speaking = await stage.join()
    await stage.does(Typed("do it"))
    await speaking.until(lambda: speaking.messages("approval") and speaking.pcm())
    sender: Device = older if liar else speaking
    await stage.talk.handle(Played(stage.talk.generation, 1_000_000), sender)
    ident = speaking.messages("approval")[-1].id
    assert ident is not None
    await asyncio.sleep(0.8)  # 700 ms after it was sent, not after 300 ms of sound were heard
    await stage.talk.handle(Answer(ident, "yes"), older)
    await asyncio.sleep(0.1)
    assert [decision.approved for decision in decisions] == ([] if liar else [True])
    await stage.talk.close()
