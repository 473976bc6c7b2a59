"""Caps: on each, the user hears what was done and is asked whether to go on, and going on works."""

from __future__ import annotations

from support.scripted_model import ScriptedModel, hangs, runs, says
from support.talking import Approver, all_of, asked, printed, spoken, user, well_formed


async def test_steps(interpreter):
    with ScriptedModel(*(runs(f"echo {n}", "shell") for n in range(3)), says("All four.")) as model:
        home = interpreter(model, caps={"steps": 3})
        messages = await all_of(home.respond(user("count"), Approver()))
        well_formed(messages)
        assert len(model.requests) == 3
        assert spoken(messages)[-1] == (
            "I have taken 3 steps, as many as I may for one request. So far I ran 3 pieces of shell. Shall I go on?"
        )
        assert [m.content for m in messages if m.format == "cap"] == ["steps"]
        assert spoken(await all_of(home.respond(user("yes"), Approver()))) == ["All four."]
        assert "Shall I go on?" in str(model.requests[3].messages[-2]["content"])


async def test_seconds_end_a_model_that_talks_on(interpreter):
    with ScriptedModel(hangs()) as model:
        home = interpreter(model, caps={"seconds": 0.5})
        await home.warm()
        messages = await all_of(home.respond(user("think hard"), Approver()))
        assert "Nothing has been run yet. Shall I go on?" in spoken(messages)[-1]


async def test_seconds_end_code_that_runs_on(interpreter):
    with ScriptedModel(runs("echo begun; sleep 1000", "shell")) as model:
        home = interpreter(model, caps={"seconds": 10.0})  # enough to have begun by then
        await home.warm()
        messages = await all_of(home.respond(user("work long"), Approver()))
        assert printed(messages)[0].startswith("begun\n")
        assert "Shall I go on?" in spoken(messages)[-1]


async def test_waiting_for_the_user_is_not_counted(interpreter):
    with ScriptedModel(runs(asked("echo hi"), "shell"), says("Done.")) as model:
        home = interpreter(model, caps={"seconds": 30.0})
        await home.warm()
        clock = {"ahead": 0.0}

        async def slow(question):
            clock["ahead"] += 3600.0
            return await Approver()(question)

        run = home.respond(user("go"), slow)
        real = run.spent.clock
        run.spent.clock = lambda: real() + clock["ahead"]
        assert spoken(await all_of(run)) == ["Done."]


async def test_code_seconds_stop_one_piece_and_the_model_is_told(interpreter):
    with ScriptedModel(runs("echo begun; sleep 1000", "shell"), says("It took too long.")) as model:
        home = interpreter(model, caps={"code_seconds": 6.0})
        messages = await all_of(home.respond(user("go"), Approver()))
        assert "longer than" in model.requests[1].messages[-1]["content"]
        assert "begun" in model.requests[1].messages[-1]["content"]
        assert spoken(messages) == ["It took too long."]


async def test_cost(interpreter):
    expensive = [runs(f"echo {n}", "shell") for n in range(3)]
    with ScriptedModel(*expensive) as model:
        # gpt-4o's price is in the table; 10 + 5 tokens of it cost a few thousandths of a cent.
        home = interpreter(model, name="gpt-4o", caps={"cost_usd": 0.0001})
        messages = await all_of(home.respond(user("go"), Approver()))
        assert len(model.requests) == 2
        assert "has cost about" in spoken(messages)[-1]
        assert spoken(messages)[-1].endswith("Shall I go on?")


async def test_output_is_shortened_for_the_model_but_streamed_to_the_user(interpreter):
    with ScriptedModel(runs("seq 1 2000", "shell"), says("Many.")) as model:
        messages = await all_of(interpreter(model, caps={"output_chars": 400}).respond(user("count"), Approver()))
        told = model.requests[1].messages[-1]["content"]
        assert len(told) < 500
        assert told.startswith("1\n2\n")
        assert told.endswith("2000")
        assert "characters left out" in told
        assert len(printed(messages)[0]) > 5000
