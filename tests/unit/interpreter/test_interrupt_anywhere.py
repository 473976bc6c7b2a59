"""Interrupted at any step of a turn, the loop leaves nothing running and a history that can be gone on from."""

from __future__ import annotations

import asyncio

import pytest

from support.fake_model import FakeMachine, FakeModel, NoHands, call, finished
from support.talking import all_of, paired, user, well_formed
from zero_one.config.settings import Settings
from zero_one.interpreter.base import Decision
from zero_one.interpreter.history import History
from zero_one.interpreter.loop import ModelInterpreter
from zero_one.interpreter.model import Text


def answers():
    return [
        [Text("Let me "), Text("see."), finished(call("touch one", "a"), call("touch two", "b"))],
        [finished(call("fail here", "c"))],
        [Text("That did not work; "), Text("trying again."), finished(call("touch three", "d"))],
        [Text("It is "), Text("done."), finished()],
    ]


async def approve(question):
    await asyncio.sleep(0)
    return Decision("two" not in question.code, but="not that one" if "two" in question.code else None)


def home(tmp_path) -> tuple[ModelInterpreter, FakeModel, FakeMachine]:
    model, machine = FakeModel(answers()), FakeMachine(tmp_path)
    return ModelInterpreter(model, machine, NoHands(), History(), Settings()), model, machine


async def interrupted_after(ticks: int, tmp_path, how: str) -> bool:
    """Run the turn for so many ticks of the loop, interrupt it, and check. False when it had ended by then."""
    talker, model, machine = home(tmp_path)
    run = talker.respond(user("do it"), approve)
    seen = []
    reader = asyncio.create_task(_read(run, seen))
    for _ in range(ticks):
        await asyncio.sleep(0)
    went_on = not run.done
    if how == "hush":
        begun = list(machine.begun)
        run.hush()
        calls = len(model.asked)
        await reader
        assert machine.begun == begun, "code was begun after the user had spoken over it"
        assert machine.ended == machine.begun, "running code did not finish"
        assert len(model.asked) == calls, "the model was called after the user had spoken over it"
    elif how == "cancel":
        await asyncio.gather(run.cancel(), run.cancel())
        await reader
    else:
        run.hush()
        await asyncio.sleep(0)
        await run.cancel()
        await reader
    assert run.done
    assert model.under_way == 0
    assert machine.running == 0
    well_formed(seen)
    assert all(entry.note != "running" for entry in talker.history)
    model.answers = [[Text("Yes."), finished()]]
    well_formed(await all_of(talker.respond(user("are you there?"), approve)))
    paired(model.asked[-1])
    assert model.asked[-1][-1]["content"].endswith("are you there?")
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not others, f"left running: {others}"
    return went_on


async def _read(run, seen):
    seen.extend([message async for message in run])


@pytest.mark.parametrize("how", ["cancel", "hush", "both"])
async def test_interrupted_at_every_tick(tmp_path, how):
    ticks = 0
    while await interrupted_after(ticks, tmp_path, how):
        ticks += 1
    assert ticks > 45, f"the turn took only {ticks} ticks; was it all there?"


async def test_uninterrupted_it_comes_to_its_end(tmp_path):
    talker, model, machine = home(tmp_path)
    messages = await all_of(talker.respond(user("do it"), approve))
    assert machine.ended == ["touch one", "fail here", "touch three"]
    assert [m.content for m in messages if m.role == "assistant" and m.type == "message" and m.content][-2:] == [
        "It is",
        " done.",
    ]
    for asked in model.asked:
        paired(asked)
