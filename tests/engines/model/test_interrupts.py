"""Interrupts reach the model and the code at once, and leave a history that the next call can be made from."""

from __future__ import annotations

import asyncio
import os

import psutil

from support.scripted_model import Answer, Chunk, Gate, ScriptedModel, calls, runs, says
from support.talking import Approver, all_of, errors, paired, printed, spoken, user, well_formed
from support.talking import asked as put
from zero_one.interpreter.base import Decision


def gated(gate: Gate) -> Answer:
    return Answer((Chunk({"content": "One, two, "}), gate, Chunk({"content": "three."}), Chunk({}, "stop")))


async def until(run, role: str, kind: str, seen: list) -> None:
    """Read messages until the first content of this kind."""
    async for message in run:
        seen.append(message)
        if message.role == role and message.type == kind and message.content:
            return


async def test_cancel_in_the_middle_of_the_stream_drops_the_call(interpreter):
    gate = Gate()
    with ScriptedModel(gated(gate), says("Fine.")) as model:
        home, seen = interpreter(model), []
        run = home.respond(user("count"), Approver())
        await until(run, "assistant", "message", seen)
        await gate.wait_reached()
        await run.cancel()
        assert await asyncio.to_thread(model.hung_up.wait, 60), "the model call lived on"
        seen += [message async for message in run]
        well_formed(seen)
        assert spoken(seen) == ["One, two,"]
        await all_of(home.respond(user("and now?"), Approver()))
        assert {"role": "assistant", "content": "One, two,"} in model.requests[1].messages


async def test_hush_drops_the_call_and_what_was_not_heard_is_forgotten(interpreter):
    gate = Gate()
    with ScriptedModel(gated(gate), says("Fine.")) as model:
        home, seen = interpreter(model), []
        run = home.respond(user("count"), Approver())
        await until(run, "assistant", "message", seen)
        await gate.wait_reached()
        run.hush()
        seen += [message async for message in run]
        assert await asyncio.to_thread(model.hung_up.wait, 60)
        well_formed(seen)
        [said] = {m.id for m in seen if m.role == "assistant"}
        assert home.history.cut_heard(said, 4)
        await all_of(home.respond(user("stop, what time is it?"), Approver()))
        _, _, said, asked = model.requests[1].messages
        assert said == {"role": "assistant", "content": "One,—"}
        assert "spoke over" in asked["content"]
        assert asked["content"].endswith("stop, what time is it?")


async def test_cancel_in_the_middle_of_code_ends_its_processes(interpreter, tmp_path):
    seconds = f"31536.{os.getpid()}"
    code = f"echo begun; sleep {seconds} & sleep {seconds}"
    with ScriptedModel(runs(code, "shell"), says("It was stopped.")) as model:
        home, seen = interpreter(model), []
        run = home.respond(user("work"), Approver())
        await until(run, "computer", "console", seen)
        await run.cancel()
        async with asyncio.timeout(60):  # who is killed is gone a moment later, and nobody tells
            while [  # noqa: ASYNC110
                p.pid for p in psutil.process_iter(["cmdline"]) if seconds in (p.info["cmdline"] or [])
            ]:
                await asyncio.sleep(0.05)
        seen += [message async for message in run]
        well_formed(seen)
        await all_of(home.respond(user("what happened?"), Approver()))
        chat = model.requests[1].messages
        paired(chat)
        assert "begun" in chat[3]["content"]
        assert "interrupted" in chat[3]["content"]


async def test_cancel_in_the_middle_of_python_keeps_its_variables(interpreter):
    loop = "kept = 7\nprint('begun', flush=True)\nwhile True: pass"
    with ScriptedModel(runs(loop), runs("print(kept)"), says("Seven.")) as model:
        home, seen = interpreter(model), []
        run = home.respond(user("work"), Approver())
        await until(run, "computer", "console", seen)
        await run.cancel()
        messages = await all_of(home.respond(user("what was kept?"), Approver()))
        assert printed(messages) == ["7\n"]


async def test_hush_lets_running_code_finish_into_the_history(interpreter, tmp_path):
    go = tmp_path / "go"
    code = f"echo begun; while [ ! -e {go} ]; do sleep 0.05; done; echo ended"
    with ScriptedModel(runs(code, "shell"), says("Here."), says("It ended.")) as model:
        home, seen = interpreter(model), []
        run = home.respond(user("work"), Approver())
        await until(run, "computer", "console", seen)
        run.hush()
        assert spoken(await all_of(home.respond(user("are you there?"), Approver()))) == ["Here."]
        chat = model.requests[1].messages
        paired(chat)
        assert "still running" in chat[3]["content"]
        go.touch()
        seen += [message async for message in run]
        assert printed(seen) == ["begun\nended\n"]
        assert len(model.requests) == 2, "the model was called for the turn that was spoken over"
        await all_of(home.respond(user("and now?"), Approver()))
        paired(model.requests[2].messages)
        assert "ended" in model.requests[2].messages[3]["content"]


async def test_new_code_takes_the_place_of_code_that_still_runs(interpreter):
    with ScriptedModel(runs("echo begun; sleep 1000", "shell"), runs("echo new", "shell"), says("New.")) as model:
        home, seen = interpreter(model), []
        old = home.respond(user("work"), Approver())
        await until(old, "computer", "console", seen)
        old.hush()
        messages = await all_of(home.respond(user("something else"), Approver()))
        assert printed(messages) == ["new\n"]
        assert old.done
        paired(model.requests[2].messages)


async def test_hush_while_a_question_is_open_runs_nothing(interpreter, tmp_path):
    mark, asked = tmp_path / "mark", asyncio.Event()

    async def never(question):
        asked.set()
        await asyncio.Event().wait()
        return Decision(True)

    with ScriptedModel(runs(put(f"touch {mark}"), "shell"), says("I did not.")) as model:
        home = interpreter(model)
        run = home.respond(user("mark it"), never)
        await asked.wait()
        run.hush()
        well_formed(await all_of(run))
        assert not mark.exists()
        await all_of(home.respond(user("did you?"), Approver()))
        paired(model.requests[1].messages)
        assert "was not run" in model.requests[1].messages[3]["content"]


async def test_of_two_calls_the_second_is_not_run_after_an_interrupt(interpreter, tmp_path):
    mark = tmp_path / "mark"
    both = calls(
        ("run", {"language": "shell", "code": "echo begun; sleep 1000"}),
        ("run", {"language": "shell", "code": f"touch {mark}"}),
    )
    with ScriptedModel(both, says("Neither.")) as model:
        home, seen = interpreter(model), []
        run = home.respond(user("both"), Approver())
        await until(run, "computer", "console", seen)
        await run.cancel()
        assert not mark.exists()
        await all_of(home.respond(user("and?"), Approver()))
        paired(model.requests[1].messages)


async def test_a_raising_approver_is_a_no_and_a_spoken_error(interpreter, tmp_path):
    mark = tmp_path / "mark"

    async def broken(question):
        raise RuntimeError("the screen fell off")

    with ScriptedModel(runs(put(f"touch {mark}"), "shell"), says("Fine.")) as model:
        home = interpreter(model)
        messages = await all_of(home.respond(user("mark it"), broken))
        assert not mark.exists()
        assert errors(messages)[0].format == "internal"
        assert spoken(await all_of(home.respond(user("hello"), Approver()))) == ["Fine."]
        paired(model.requests[1].messages)


async def test_closing_stops_a_turn_that_nobody_listens_to(interpreter):
    with ScriptedModel(runs(put("sleep 1000"), "shell")) as model:
        home, asked = interpreter(model), asyncio.Event()

        async def approve(question):
            asked.set()
            return Decision(True)

        run = home.respond(user("work"), approve)
        await asked.wait()
        await home.close()
        assert run.done
