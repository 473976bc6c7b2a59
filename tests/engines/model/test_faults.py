"""Endpoints that refuse, hang, drop, limit, lie: each ends in a clear spoken error, and the conversation goes on."""

from __future__ import annotations

import asyncio

import pytest

from support.scripted_model import (
    Answer,
    Chunk,
    Raw,
    ScriptedModel,
    drops,
    fails,
    hangs,
    refusing_url,
    runs,
    says,
)
from support.talking import Approver, all_of, errors, paired, printed, spoken, user, well_formed
from zero_one.interpreter.model import LiteLlm


async def ask(home, text="hello?"):
    messages = await all_of(home.respond(user(text), Approver()))
    well_formed(messages)
    return messages


async def test_a_refusing_endpoint_is_said_in_plain_words(interpreter):
    messages = await ask(interpreter(refusing_url()))
    [error] = errors(messages)
    assert error.format == "refused"
    assert error.content.startswith("I can't reach the model scripted at 127.0.0.1")
    assert [m for m in messages if m.format == "retry"], "the wait before the retries was silent"


async def test_an_endpoint_that_comes_back_while_we_retry_is_no_failure(interpreter):
    with ScriptedModel(drops(), says("Back.")) as model:
        messages = await ask(interpreter(model))
        assert spoken(messages) == ["Back."]
        assert not errors(messages)


@pytest.mark.parametrize("before", [(), (Chunk({"role": "assistant"}),), (Chunk({"content": "Well, "}),)])
async def test_a_hanging_endpoint_is_given_up_after_its_silence(interpreter, before):
    with ScriptedModel(hangs(*before), says("Now I am here.")) as model:
        home = interpreter(model, timeout_s=2.0)
        await home.warm()
        messages = await ask(home)
        assert errors(messages)[0].format == "hanging"
        assert len(model.requests) == 1, "a call that already cost its time was repeated"
        assert await asyncio.to_thread(model.hung_up.wait, 60), "the dead call was not dropped"
        home.model = LiteLlm(home.settings.model.model_copy(update={"timeout_s": 60.0}))
        assert spoken(await ask(home, "and now?")) == ["Now I am here."]


async def test_a_line_that_breaks_in_the_middle_keeps_what_was_said(interpreter):
    with ScriptedModel(drops(Chunk({"content": "The first half"})), says("The second half.")) as model:
        home = interpreter(model)
        messages = await ask(home)
        assert spoken(messages) == ["The first half"]
        assert errors(messages)[0].format == "dropped"
        assert len(model.requests) == 1, "retried although part of it had been said"
        await ask(home, "go on")
        assert {"role": "assistant", "content": "The first half"} in model.requests[1].messages


async def test_a_call_cut_in_the_middle_of_its_arguments_runs_nothing(interpreter):
    half = {"index": 0, "id": "a", "type": "function", "function": {"name": "run", "arguments": '{"language": "sh'}}
    with ScriptedModel(drops(Chunk({"tool_calls": [half]})), says("Fine.")) as model:
        home = interpreter(model)
        messages = await ask(home)
        assert errors(messages)
        assert not printed(messages)
        await ask(home)
        paired(model.requests[-1].messages)


@pytest.mark.parametrize(
    ("answer", "kind", "word"),
    [
        (fails(401, "Incorrect API key provided"), "unauthorised", "key"),
        (fails(403, "forbidden"), "unauthorised", "key"),
        (fails(404, "The model `scripted` does not exist"), "no_model", "name"),
        (fails(402, "payment required"), "no_credit", "credit"),
        (fails(429, "You exceeded your current quota", code="insufficient_quota"), "no_credit", "credit"),
        (fails(429, "slow down", headers={"Retry-After": "3600"}), "busy", "minute"),
        (fails(400, "something is odd"), "bad_request", "log"),
        (fails(400, "blocked by content management policy", code="content_filter"), "filtered", "another way"),
        (Answer((Raw("{this is not json"),)), "unreadable", "can't read"),
        (says("", finish="content_filter"), "filtered", "another way"),
    ],
)
async def test_errors_that_no_retry_helps_are_said_at_once(interpreter, answer, kind, word):
    with ScriptedModel(answer) as model:
        messages = await ask(interpreter(model))
        [error] = errors(messages)
        assert error.format == kind
        assert word in error.content
        assert len(model.requests) == 1
        assert model.surplus == 0


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_passing_trouble_is_retried_and_then_forgotten(interpreter, status):
    with ScriptedModel(fails(status), fails(status, headers={"Retry-After": "0.01"}), says("Here.")) as model:
        messages = await ask(interpreter(model))
        assert spoken(messages) == ["Here."]
        assert not errors(messages)


async def test_lasting_trouble_is_retried_a_few_times_only(interpreter):
    with ScriptedModel(*(fails(503) for _ in range(9))) as model:
        messages = await ask(interpreter(model))
        assert errors(messages)[0].format == "server"
        assert len(model.requests) == 3


async def test_a_context_that_is_too_long_is_trimmed_once_and_stays_trimmed(interpreter):
    too_long = fails(400, "This model's maximum context length is 4096 tokens", code="context_length_exceeded")
    big = "seq 1 3000"
    with ScriptedModel(runs(big, "shell"), says("Many numbers."), too_long, says("Yes."), says("Still yes.")) as model:
        home = interpreter(model, context_window=32000)
        await ask(home, "count " + "and count " * 300)
        messages = await ask(home, "did you count?")
        assert spoken(messages) == ["Yes."]
        assert not errors(messages)
        sizes = [len(str(request.messages)) for request in model.requests]
        assert sizes[3] < sizes[2]
        assert model.requests[3].messages[-1]["content"] == "did you count?"
        paired(model.requests[3].messages)
        await ask(home, "really?")
        assert len(model.requests) == 5, "the lesson was forgotten"


async def test_a_context_that_stays_too_long_ends_in_words(interpreter):
    too_long = fails(400, "prompt is too long: 9000 tokens > 4096 maximum")
    with ScriptedModel(too_long, too_long) as model:
        [error] = errors(await ask(interpreter(model)))
        assert error.format == "too_long"
        assert len(model.requests) == 2


async def test_a_model_without_tools_is_found_out_and_gets_text_mode(interpreter):
    text = says("Let me look.\n\n```shell run\necho found\n```\n")
    with ScriptedModel(fails(400, "llama does not support tools"), text, says("Found it."), says("Again.")) as model:
        home = interpreter(model)
        messages = await ask(home)
        assert printed(messages) == ["found\n"]
        assert spoken(messages) == ["Let me look.", "Found it."]
        await ask(home)
        assert [bool(request.tools) for request in model.requests] == [True, False, False, False]
        assert "word run" in model.requests[1].messages[0]["content"]


async def test_no_key_is_sent_to_a_local_endpoint(interpreter, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-another-service")
    with ScriptedModel(says("Hi.")) as model:
        await ask(interpreter(model))
        assert "sk-secret" not in str(model.requests[0].headers)


async def test_after_every_fault_the_next_turn_works(interpreter):
    with ScriptedModel(fails(401), says("Fine now.")) as model:
        home = interpreter(model)
        await ask(home, "first")
        assert spoken(await ask(home, "second")) == ["Fine now."]
        told = "\n".join(m["content"] for m in model.requests[1].messages if m["role"] == "user")
        assert "first" in told
        assert "second" in told
