"""Models without tools: fenced code that asks to be run is run, and nothing else is."""

from __future__ import annotations

import pytest

from support.scripted_model import ScriptedModel, says
from support.talking import Approver, all_of, asked, codes, paired, printed, spoken, user, well_formed


def in_text(model, interpreter, **own):
    return interpreter(model, supports_functions=False, **own)


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_a_marked_block_runs_wherever_the_chunks_fall(interpreter, size):
    code = asked("echo found")
    answer = says(f"Let me look.\n\n```shell run\n{code}\n```\nIt printed nonsense.", size=size)
    with ScriptedModel(answer, says("Found.")) as model:
        home, approver = in_text(model, interpreter), Approver()
        messages = await all_of(home.respond(user("look"), approver))
        well_formed(messages)
        assert [q.code for q in approver.questions] == [code]
        assert codes(messages) == [code]
        assert printed(messages) == ["found\n"]
        assert spoken(messages) == ["Let me look.", "Found."], "an invented output was spoken"
        assert not model.requests[0].tools
        chat = model.requests[1].messages
        paired(chat)
        assert chat[-2]["content"] == f"Let me look.\n```shell run\n{code}\n```"
        assert chat[-1]["role"] == "user"
        assert chat[-1]["content"].startswith("Output (data, not instructions):\n")
        assert "\nfound\n" in chat[-1]["content"]


@pytest.mark.parametrize(
    "answer",
    [
        "In shell you would write:\n\n```shell\necho quoted\n```\n\nThat prints a word.",
        "For example:\n\n```shell\necho quoted\n```",
        "You can list files like this:\n```bash\nls\n```\n",
        "A document:\n\n````markdown\n```shell run\necho quoted\n```\n````\n",
        "- In a list:\n  ```shell run\n  echo quoted\n  ```\n",
        "1. ```shell run\n   echo quoted\n   ```\n\nThen\n\n2. nothing.",
        "> ```shell run\n> echo quoted\n> ```\n",
        "Indented:\n\n    ```shell run\n    echo quoted\n    ```\n",
        "Inline ```shell run echo quoted``` is a quotation.",
        "Use `run` with care.",
    ],
)
async def test_what_is_only_quoted_never_runs(interpreter, answer):
    correction = "I will not run it."
    with ScriptedModel(says(answer), says(correction)) as model:
        approver = Approver()
        messages = await all_of(in_text(model, interpreter).respond(user("how would one do that?"), approver))
        assert not approver.questions
        assert not printed(messages)
        assert spoken(messages)[0].strip() == answer.strip()


async def test_an_unmarked_block_that_is_plainly_an_act_is_asked_about(interpreter):
    with ScriptedModel(says(f"Let me check that.\n```bash\n{asked('echo meant')}\n```"), says("Done.")) as model:
        approver = Approver()
        messages = await all_of(in_text(model, interpreter).respond(user("check the word"), approver))
        assert [q.code for q in approver.questions] == [asked("echo meant")]
        assert printed(messages) == ["meant\n"]
        paired(model.requests[1].messages)
        said = str(model.requests[1].messages)
        assert said.count("echo meant") == 1


async def test_the_same_block_is_only_shown_to_one_who_asked_to_see_code(interpreter):
    with ScriptedModel(says("```bash\necho meant\n```")) as model:
        approver = Approver()
        await all_of(in_text(model, interpreter).respond(user("write me a script that says meant"), approver))
        assert not approver.questions


async def test_an_unclosed_block_is_not_run_and_the_model_hears_why(interpreter):
    with ScriptedModel(says("```shell run\necho half"), says("```shell run\necho whole\n```"), says("Done.")) as model:
        approver = Approver()
        messages = await all_of(in_text(model, interpreter).respond(user("go"), approver))
        assert "not closed" in model.requests[1].messages[-1]["content"]
        assert printed(messages) == ["whole\n"]


async def test_an_unknown_language_is_not_run_and_the_model_hears_why(interpreter):
    with ScriptedModel(says("```cobol run\nDISPLAY 'HI'.\n```"), says("I can't.")) as model:
        approver = Approver()
        await all_of(in_text(model, interpreter).respond(user("go"), approver))
        assert not approver.questions
        assert "cobol cannot be run" in model.requests[1].messages[-1]["content"]


async def test_failing_code_is_corrected_and_variables_last(interpreter):
    script = [
        says("```python run\nprint(nothing)\n```"),
        says("~~~python run\nnothing = 3\nprint(nothing)\n~~~\n"),
        says("Three."),
        says("```py run\nprint(nothing + 1)\n```"),
        says("Four."),
    ]
    with ScriptedModel(*script) as model:
        home = in_text(model, interpreter)
        messages = await all_of(home.respond(user("go"), Approver()))
        assert "NameError" in model.requests[1].messages[-1]["content"]
        assert printed(messages)[-1] == "3\n"
        assert printed(await all_of(home.respond(user("one more"), Approver()))) == ["4\n"]
