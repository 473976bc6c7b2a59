"""Other interfaces than OpenAI's, through the same litellm."""

from __future__ import annotations

from support.scripted_model import Answer, Chunk, ScriptedModel, drops, fails, hangs, runs, says
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


async def test_a_server_that_does_not_stream_is_understood(interpreter):
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "run", "arguments": '{"language":"sh","code":"echo hi"}'},
    }
    whole = [
        {
            "message": {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
            "finish_reason": "tool_calls",
        },
        {"message": {"role": "assistant", "content": "It said hi."}},
    ]
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    answers = [Answer(body={"id": "1", "object": "chat.completion", "choices": [one], "usage": usage}) for one in whole]
    with ScriptedModel(*answers) as model:
        messages = await all_of(interpreter(model).respond(user("say hi"), Approver()))
        assert printed(messages) == ["hi\n"]
        assert spoken(messages) == ["Let me see.", "It said hi."]


async def test_a_stream_without_a_finish_reason_is_complete_when_it_says_so(interpreter):
    with ScriptedModel(Answer((Chunk({"content": "Fine"}), Chunk({"content": " then"})), usage=None)) as model:
        messages = await all_of(interpreter(model).respond(user("hi"), Approver()))
        assert spoken(messages) == ["Fine then"]
        assert not errors(messages)


async def test_a_line_that_goes_dead_after_the_last_word_spoils_nothing(interpreter):
    words = (Chunk({"content": "All done."}), Chunk({}, "stop"))
    with ScriptedModel(drops(*words), hangs(*words)) as model:
        home = interpreter(model)
        for _ in range(2):
            messages = await all_of(home.respond(user("hi"), Approver()))
            assert spoken(messages) == ["All done."]
            assert not errors(messages)


async def test_proxies_of_the_environment_are_not_used_for_a_server_nearby(interpreter, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ScriptedModel(says("Here.")) as model:
        assert spoken(await all_of(interpreter(model).respond(user("hi"), Approver()))) == ["Here."]
