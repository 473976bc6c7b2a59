"""``computer.*`` called by running code: what was granted covers what was seen, and nothing more."""

from __future__ import annotations

import asyncio

import pytest

from support.fake_model import call, finished
from support.interpreter_desk import KEYLESS
from support.talking import all_of, errors, printed, user, well_formed
from zero_one.computer.hands import HandsError
from zero_one.interpreter.base import Decision
from zero_one.interpreter.model import Text

HELD = Decision(True, hand="hold")


def python(code: str):
    return call(code, language="python")


@pytest.mark.parametrize(
    ("code", "called", "questions"),
    [
        # Granted and called alike, or with arguments that were not known before: covered.
        ("computer.mouse.click(1, 2)", ("mouse.click", {"x": 1, "y": 2}), 1),
        ("x = 3\ncomputer.mouse.click(x, x)", ("mouse.click", {"x": 3, "y": 3}), 1),
        ("t = words()\ncomputer.keyboard.type(t)", ("keyboard.type", {"text": "hello"}), 1),
        ("computer.volume.set(30)", ("volume.set", {"percent": 30}), 0),
        # Looking at the screen is an observation, whoever does it.
        ("print(1)", ("windows.list", {}), 0),
        # Code that was granted as looking, or for something else, clicks and types only if that is agreed to.
        ("print(1)", ("mouse.click", {"x": 1, "y": 2}), 1),
        ("computer.volume.set(30)", ("keyboard.type", {"text": "hello"}), 1),
        ("computer.mouse.click(1, 2)", ("keyboard.type", {"text": "hello"}), 2),
        # What was read in the code is what may be done, not the same with something else.
        ("computer.windows.close('Draft')", ("windows.close", {"window": "Draft"}), 1),
        ("computer.windows.close('Draft')", ("windows.close", {"window": "Terminal"}), 2),
        ("computer.mouse.click(where(), 2)", ("mouse.click", {"x": 7, "y": 2}), 1),
        # A milder grant of the same method covers nothing graver.
        ("computer.keyboard.type('hello')", ("keyboard.type", {"text": "rm -rf ~"}), 2),
    ],
)
async def test_what_is_covered_and_what_is_asked_about(desk, code, called, questions):
    here = desk()
    here.approver.then = HELD
    here.machine.calls[code] = [called]
    await here.do(python(code))
    assert len(here.questions) == questions
    assert here.hands.done == [called]
    if questions and here.questions[-1].language == "computer":
        assert here.questions[-1].code.startswith(f"computer.{called[0]}(")
        assert here.questions[-1].answers == ("yes", "no")


async def test_a_dangerous_text_typed_by_agreed_code_needs_a_held_hand(desk):
    here = desk()
    code = "computer.keyboard.type('hello')"
    here.machine.calls[code] = [("keyboard.type", {"text": "rm -rf ~"})]
    messages = await here.do(python(code))
    assert [question.hand for question in here.questions] == ["any", "hold"]
    assert not here.hands.done
    assert "was not done" in printed(messages)[0]


async def test_a_no_to_a_call_is_an_error_in_the_code_which_goes_on(desk):
    here = desk()
    here.machine.calls["print(1)"] = [("mouse.click", {"x": 1, "y": 2}), ("windows.list", {})]
    here.approver.answers = [Decision(False, but="use the keyboard")]
    messages = await here.do(python("print(1)"))
    assert here.hands.done == [("windows.list", {})]
    assert "computer.mouse.click was not done: the user said no, but: use the keyboard" in printed(messages)[0]


async def test_agreed_code_that_cannot_be_seen_through_covers_what_it_calls(desk):
    here = desk()
    here.approver.then = HELD
    here.machine.calls["exec(x)"] = [("mouse.click", {"x": 1, "y": 2})]
    await here.do(python("exec(x)"))
    assert len(here.questions) == 1
    assert here.hands.done


async def test_a_device_without_a_key_clicks_nothing_through_code_either(desk):
    here = desk()
    here.machine.calls["print(1)"] = [("mouse.click", {"x": 1, "y": 2}), ("windows.list", {})]
    messages = await here.do(python("print(1)"), caller=KEYLESS)
    assert here.hands.done == [("windows.list", {})]
    assert not here.questions
    assert len(errors(messages)) == 1


async def test_a_call_while_tainted_is_asked_about_with_the_source(desk):
    here = desk()
    here.machine.calls["print(1)"] = [("volume.set", {"percent": 90})]
    await here.do(python("print(1)"))
    assert not here.questions
    await here.do("curl https://news.example", python("print(1)"))
    assert "a web page at news.example" in here.questions[0].text


async def test_after_the_code_is_over_nothing_is_covered(desk):
    here = desk()
    await here.do(python("computer.mouse.click(1, 2)"))
    with pytest.raises(HandsError, match="code that is over"):
        await here.machine.call("mouse.click", {"x": 1, "y": 2})


@pytest.mark.parametrize("how", ["hush", "cancel"])
async def test_a_question_of_running_code_ends_with_the_users_word(desk, how):
    """Hushed, the code goes on without what it asked for; cancelled, all of it is gone."""
    here, asked = desk(), asyncio.Event()

    async def never(question):
        asked.set()
        await asyncio.Event().wait()

    here.machine.calls["print(1)"] = [("mouse.click", {"x": 1, "y": 2})]
    here.model.answers = [[finished(python("print(1)"))], [Text("Never said."), finished()]]
    run = here.home.respond(user("do it"), never)
    await asked.wait()
    if how == "hush":
        run.hush()
    else:
        await run.cancel()
    messages = await all_of(run)
    well_formed(messages)
    assert not here.hands.done
    assert here.machine.running == 0
    assert here.machine.ended == (["print(1)"] if how == "hush" else [])
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not others, f"left running: {others}"
