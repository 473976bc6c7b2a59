"""Other interfaces than OpenAI's, through the same litellm."""

from __future__ import annotations

from support.scripted_model import ScriptedModel, fails, runs, says
from support.talking import Approver, all_of, errors, printed, spoken, user


async def test_ollamas_own_interface(interpreter):
    with ScriptedModel(runs("echo hi", "shell"), says("It said hi.")) as model:
        home = interpreter(model.url, name="ollama/llama3.2", context_window=12000)
        messages = await all_of(home.respond(user("say hi"), Approver()))
        assert printed(messages) == ["hi\n"]
        assert spoken(messages) == ["It said hi."]
        first, second = model.requests
        assert first.path == "/api/chat"
        assert first.body["options"]["num_ctx"] == 12000
        assert "run" in first.tools
        assert "hi" in str(second.messages[-1]["content"])


async def test_an_ollama_model_without_tools_gets_text_mode(interpreter):
    refusal = fails(400, "registry.ollama.ai/library/gemma:2b does not support tools")
    with ScriptedModel(refusal, says("```shell run\necho hi\n```"), says("Hi.")) as model:
        home = interpreter(model.url, name="ollama/gemma:2b")
        messages = await all_of(home.respond(user("say hi"), Approver()))
        assert printed(messages) == ["hi\n"]


async def test_an_ollama_model_that_is_not_there_is_named(interpreter):
    with ScriptedModel(fails(404, "model 'nothing' not found")) as model:
        [error] = errors(await all_of(interpreter(model.url, name="ollama/nothing").respond(user("hi"), Approver())))
        assert error.format == "no_model"
        assert "nothing" in error.content
