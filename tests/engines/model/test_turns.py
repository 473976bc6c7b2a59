"""Turns over real HTTP: answers, tool calls, corrections, refusals, several turns."""

from __future__ import annotations

import json

from support.scripted_model import Answer, Chunk, Raw, ScriptedModel, calls, runs, says
from support.talking import Approver, all_of, asked, codes, errors, paired, printed, spoken, user, well_formed
from zero_one.interpreter.base import Decision
from zero_one.interpreter.history import History


async def test_a_plain_answer_streams_and_is_kept(interpreter, tmp_path):
    with ScriptedModel(says("It is a fine day.")) as model:
        home = interpreter(model)
        messages = await all_of(home.respond(user("how is the day?"), Approver()))
        assert spoken(messages) == ["It is a fine day."]
        assert len([m for m in messages if m.type == "message" and m.content]) > 1, "it came in one piece"
        well_formed(messages)
        sent = model.requests[0]
        assert sent.messages[0]["role"] == "system"
        assert sent.messages[-1] == {"role": "user", "content": "how is the day?"}
        assert "run" in sent.tools
        kept = History.load(home.history.path)
        assert [e.text for e in kept] == ["how is the day?", "It is a fine day."]


async def test_a_tool_call_in_fragments_asks_runs_and_goes_back(interpreter):
    with ScriptedModel(runs(asked("echo $((6*7))"), "shell", text="Let me see."), says("Forty two.")) as model:
        home, approver = interpreter(model), Approver()
        messages = await all_of(home.respond(user("six times seven?"), approver))
        assert [q.code for q in approver.questions] == [asked("echo $((6*7))")]
        assert approver.questions[0].language == "shell"
        assert approver.questions[0].cwd == str(home.machine.folder)
        assert codes(messages) == [asked("echo $((6*7))")]
        assert [text.strip() for text in printed(messages)] == ["42"]
        assert spoken(messages) == ["Let me see.", "Forty two."]
        well_formed(messages)
        paired(model.requests[1].messages)
        assert "\n42\n" in model.requests[1].messages[-1]["content"]


async def test_nothing_runs_before_the_answer_and_no_is_final_for_that_code(interpreter, tmp_path):
    mark = tmp_path / "mark"
    code = asked(f"touch {mark}")
    with ScriptedModel(runs(code, "shell"), runs(code + "  ", "shell"), says("All right, I did not.")) as model:
        home, approver = interpreter(model), Approver(then=Decision(False, reason="the user said no"))
        messages = await all_of(home.respond(user("make a mark"), approver))
        assert not mark.exists()
        assert len(approver.questions) == 1, "the same code was put to the user again"
        assert "no" in model.requests[1].messages[-1]["content"]
        assert "just said no to exactly this" in model.requests[2].messages[-1]["content"]
        assert spoken(messages) == ["All right, I did not."]
        paired(model.requests[2].messages)


async def test_refused_code_may_be_asked_about_again_in_a_later_turn(interpreter):
    hi = asked("echo hi")
    with ScriptedModel(runs(hi, "shell"), says("No."), runs(hi, "shell"), says("Yes.")) as model:
        home, approver = interpreter(model), Approver([Decision(False)])
        await all_of(home.respond(user("say hi"), approver))
        messages = await all_of(home.respond(user("I changed my mind, do it"), approver))
        assert len(approver.questions) == 2
        assert printed(messages) == ["hi\n"]


async def test_no_but_goes_to_the_model_as_a_correction(interpreter):
    with ScriptedModel(runs(asked("echo all"), "shell"), runs("echo some", "shell"), says("Done.")) as model:
        approver = Approver([Decision(False, but="only some of them")])
        messages = await all_of(interpreter(model).respond(user("do all"), approver))
        assert "only some of them" in model.requests[1].messages[-1]["content"]
        assert printed(messages) == ["some\n"]


async def test_edited_code_is_what_runs_and_the_model_is_told(interpreter):
    with ScriptedModel(runs(asked("echo theirs"), "shell"), says("Done.")) as model:
        approver = Approver([Decision(True, code="echo mine")])
        messages = await all_of(interpreter(model).respond(user("go"), approver))
        assert printed(messages) == ["mine\n"]
        told = model.requests[1].messages[-1]["content"]
        assert "user changed the code" in told
        assert "echo mine" in told
        well_formed(messages)


async def test_three_refusals_end_the_turn(interpreter):
    with ScriptedModel(*(runs(asked(f"echo {n}"), "shell") for n in range(5))) as model:
        approver = Approver(then=Decision(False))
        messages = await all_of(interpreter(model).respond(user("go"), approver))
        assert len(approver.questions) == 3
        assert len(model.requests) == 3
        assert "I leave it" in spoken(messages)[-1]


async def test_failing_first_code_goes_back_and_is_corrected(interpreter):
    with ScriptedModel(runs("print(undefined_name)"), runs("print('now it works')"), says("It works.")) as model:
        messages = await all_of(interpreter(model).respond(user("print it"), Approver()))
        failure = model.requests[1].messages[-1]["content"]
        assert "NameError" in failure
        assert "exit status 1" in failure
        assert "now it works" in printed(messages)[-1]
        assert spoken(messages) == ["It works."]


async def test_variables_last_over_turns(interpreter):
    with ScriptedModel(runs("basket = ['pear']"), says("Kept."), runs("print(basket[0])"), says("A pear.")) as model:
        home = interpreter(model)
        await all_of(home.respond(user("keep a pear"), Approver()))
        messages = await all_of(home.respond(user("what is in the basket?"), Approver()))
        assert printed(messages) == ["pear\n"]
        paired(model.requests[3].messages)
        assert [m["content"] for m in model.requests[3].messages if m["role"] == "user"] == [
            "keep a pear",
            "what is in the basket?",
        ]


async def test_parallel_calls_run_in_order_and_share_an_answer(interpreter):
    both = calls(("run", {"language": "shell", "code": "echo one"}), ("run", {"language": "bash", "code": "echo two"}))
    with ScriptedModel(both, says("Both.")) as model:
        messages = await all_of(interpreter(model).respond(user("two things"), Approver()))
        assert printed(messages) == ["one\n", "two\n"]
        chat = model.requests[1].messages
        paired(chat)
        assert [m["content"] for m in chat if m["role"] == "tool"] == ["one", "two"]


async def test_after_a_failed_call_the_ones_behind_it_are_not_run(interpreter):
    codes = "exit 3", asked("echo two")
    both = calls(*(("run", {"language": "shell", "code": code}) for code in codes))
    with ScriptedModel(both, says("The first failed.")) as model:
        approver = Approver()
        messages = await all_of(interpreter(model).respond(user("two things"), approver))
        assert not approver.questions, "it was asked about before its turn came"
        assert printed(messages) == []
        first, second = (m["content"] for m in model.requests[1].messages if m["role"] == "tool")
        assert "exit status 3" in first
        assert "Not run" in second


async def test_unknown_tools_and_languages_are_told_to_the_model(interpreter):
    wrong = calls(("launch_rocket", {"now": True}), ("run", {"language": "cobol", "code": "DISPLAY 'HI'."}))
    with ScriptedModel(wrong, says("I can't do that.")) as model:
        approver = Approver()
        messages = await all_of(interpreter(model).respond(user("go"), approver))
        assert not approver.questions
        rocket, cobol = (m["content"] for m in model.requests[1].messages if m["role"] == "tool")
        assert "no tool named launch_rocket" in rocket
        assert "cobol cannot be run" in cobol
        assert "shell" in cobol
        assert spoken(messages) == ["I can't do that."]


async def test_garbage_arguments_go_back_and_are_corrected(interpreter):
    with ScriptedModel(
        calls(("run", '{"language": "shell", "code": "ec')), runs("echo ok", "shell"), says("Ok.")
    ) as model:
        messages = await all_of(interpreter(model).respond(user("go"), Approver()))
        assert "not valid JSON" in model.requests[1].messages[-1]["content"]
        for message in model.requests[1].messages:
            for call in message.get("tool_calls", []):
                assert isinstance(json.loads(call["function"]["arguments"]), dict), "garbage went back to the endpoint"
        assert printed(messages) == ["ok\n"]


async def test_garbage_arguments_without_end_are_capped(interpreter):
    with ScriptedModel(*(calls(("run", "]{")) for _ in range(9))) as model:
        messages = await all_of(interpreter(model).respond(user("go"), Approver()))
        assert len(model.requests) == 3
        assert "can't read" in spoken(messages)[-1]


async def test_the_same_failing_code_is_stopped(interpreter):
    with ScriptedModel(*(runs(asked("exit 1"), "shell") for _ in range(9))) as model:
        approver = Approver()
        messages = await all_of(interpreter(model).respond(user("go"), approver))
        assert len(approver.questions) == 2, "it ran more often than twice"
        assert len(model.requests) == 4
        assert "stopped" in spoken(messages)[-1]


async def test_an_empty_answer_is_asked_for_again_once(interpreter):
    with ScriptedModel(says(""), says("Here I am.")) as model:
        messages = await all_of(interpreter(model).respond(user("hello?"), Approver()))
        assert spoken(messages) == ["Here I am."]
        assert "empty" in model.requests[1].messages[-1]["content"]
    with ScriptedModel(says(""), says("   \n")) as model:
        messages = await all_of(interpreter(model).respond(user("hello?"), Approver()))
        assert "empty answer" in errors(messages)[0].content


async def test_reasoning_is_never_spoken(interpreter):
    thinking = (Chunk({"reasoning_content": "The user wants "}), Chunk({"reasoning_content": "a greeting."}))
    tags = says("<think>\nI should greet.\n</think>\n\nHello again.", size=3)
    with ScriptedModel(Answer((*thinking, Chunk({"content": "Hello."}), Chunk({}, "stop"))), tags) as model:
        home = interpreter(model)
        assert spoken(await all_of(home.respond(user("hi"), Approver()))) == ["Hello."]
        assert spoken(await all_of(home.respond(user("hi"), Approver()))) == ["Hello again."]
        assert "greet" not in json.dumps([e.to_dict() for e in home.history])


async def test_whole_calls_without_index_and_repeated_ids_are_told_apart(interpreter):
    def one(code: str) -> Chunk:
        function = {"name": "run", "arguments": json.dumps({"language": "shell", "code": code})}
        return Chunk({"tool_calls": [{"index": 0, "id": f"id{code[-1]}", "type": "function", "function": function}]})

    with ScriptedModel(Answer((one("echo 1"), one("echo 2"), Chunk({}, "stop"))), says("Both.")) as model:
        messages = await all_of(interpreter(model).respond(user("go"), Approver()))
        assert printed(messages) == ["1\n", "2\n"]
        paired(model.requests[1].messages)


async def test_instructions_of_the_profile_come_after_our_own_prompt(interpreter):
    with ScriptedModel(says("Arr.")) as model:
        await all_of(interpreter(model, instructions="Talk like a pirate.").respond(user("hi"), Approver()))
        system = model.requests[0].messages[0]["content"]
        assert system.endswith("Talk like a pirate.")
        assert "voice assistant" in system


async def test_keep_alive_lines_and_odd_chunks_do_no_harm(interpreter):
    odd = Raw('{"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}')
    with ScriptedModel(
        Answer((odd, Chunk({"content": "Fine."}), odd, Chunk({"content": None}), Chunk({}, "stop")))
    ) as model:
        assert spoken(await all_of(interpreter(model).respond(user("hi"), Approver()))) == ["Fine."]
