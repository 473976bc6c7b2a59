"""What the model is given of a history: always well formed, within its budget, the newest request in it."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from support.talking import paired
from zero_one.interpreter.chat import CUT_NOTE, LEFT_OUT_NOTE, Form, chat, shorten, tokens
from zero_one.interpreter.history import History
from zero_one.protocol.lmc import Message

PLENTY = Form(budget=1_000_000)


def user(text: str) -> Message:
    return Message("user", "message", content=text)


def said(text: str, ident: str | None = None) -> Message:
    return Message("assistant", "message", content=text, id=ident)


def ran(
    history: History, code: str, output: str, step: str, call: str = "c", note: str = "", tool: str = "run"
) -> None:
    arguments = json.dumps({"language": "shell", "code": code}) if tool else ""
    history.add(
        Message("assistant", "code", "shell", code), step=step, call=call, tool=tool, arguments=arguments, note=note
    )
    if output:
        history.add(Message("computer", "console", "output", output), step=step, call=call)


def long_history(turns: int = 20, output: int = 3000) -> History:
    history = History()
    for n in range(turns):
        history.add(user(f"request {n}"))
        history.add(said(f"Working on {n}."), step=f"s{n}")
        ran(history, f"echo {n}", "x" * output, f"s{n}", f"c{n}")
        history.add(said(f"Done with {n}."), step=f"t{n}")
    history.add(user("and now?"))
    return history


def test_a_turn_with_tools():
    history = History()
    history.add(user("hi"))
    history.add(said("Let me see."), step="s")
    ran(history, "ls", "a\nb\n", "s")
    history.add(said("Two."), step="t")
    system, *rest = chat("SYSTEM", history.entries, PLENTY)
    assert system == {"role": "system", "content": "SYSTEM"}
    call = {"name": "run", "arguments": '{"language": "shell", "code": "ls"}'}
    assert rest == [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [{"id": "c", "type": "function", "function": call}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "a\nb"},
        {"role": "assistant", "content": "Two."},
    ]


def test_a_history_of_one_kind_of_model_can_be_read_by_the_other():
    history = History()
    history.add(user("hi"))
    ran(history, "ls", "a\n", "s", tool="")
    paired(chat("S", history.entries, PLENTY))
    as_text = chat("S", history.entries, Form(tools=False, budget=10_000))
    assert as_text[2] == {"role": "assistant", "content": "```shell run\nls\n```"}
    assert as_text[3]["role"] == "user"
    assert "tool_calls" not in str(as_text)


def test_output_of_older_steps_is_shortened_before_anything_is_left_out():
    history = long_history(4)
    full = tokens(chat("S", history.entries, PLENTY))
    messages = chat("S", history.entries, Form(budget=full - 100))
    results = [m["content"] for m in messages if m["role"] == "tool"]
    assert len(results) == 4, "something was left out"
    assert len(results[0]) < 500
    assert LEFT_OUT_NOTE not in messages[0]["content"]


def test_then_the_oldest_go_and_the_newest_request_stays():
    messages = chat("S", long_history(40).entries, Form(budget=2000))
    paired(messages)
    assert tokens(messages) <= 2100
    assert LEFT_OUT_NOTE in messages[0]["content"]
    assert messages[1]["role"] == "user"
    assert messages[1]["content"] != "request 0"
    assert messages[-1] == {"role": "user", "content": "and now?"}


def test_a_window_too_small_for_anything_still_gets_the_request():
    messages = chat("S" * 4000, long_history(5).entries, Form(budget=600))
    assert messages[-1]["content"] == "and now?"
    assert len(messages) == 2


def test_the_mark_of_an_interrupted_answer_is_with_the_next_request():
    history = History()
    history.add(user("count"))
    history.add(said("One, two, three", "a"), step="s")
    history.cut_heard("a", 4)
    history.add(user("stop"))
    assert chat("S", history.entries, PLENTY)[2:] == [
        {"role": "assistant", "content": "One,—"},
        {"role": "user", "content": f"{CUT_NOTE}\nstop"},
    ]
    history.cut_heard("a", 0)
    assert chat("S", history.entries, PLENTY)[2] == {"role": "assistant", "content": "—"}


def test_shorten_keeps_head_and_tail():
    text = "".join(f"{n}\n" for n in range(5000))
    short = shorten(text, 500)
    assert len(short) <= 540
    assert short.startswith("0\n1\n")
    assert short.endswith("4999\n")
    assert shorten("short", 500) == "short"


NOTES = st.sampled_from(["", "waiting", "running", "interrupted", "refused", "failed"])
STEP = st.one_of(
    st.builds(lambda t: ("user", t), st.text(max_size=30)),
    st.builds(lambda t: ("say", t), st.text(max_size=2000)),
    st.builds(lambda o, n, k: ("run", o, n, k), st.text(max_size=6000), NOTES, st.integers(1, 3)),
    st.just(("image",)),
    st.just(("cut",)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEP, max_size=25), st.integers(300, 6000), st.booleans(), st.booleans())
def test_whatever_happened_the_chat_is_well_formed(steps, budget, tools, vision):
    history, last = History(), None
    for n, step in enumerate(steps):
        if step[0] == "user":
            history.add(user(step[1]))
        elif step[0] == "say":
            last = history.add(said(step[1]), step=f"s{n}").message.id
        elif step[0] == "run":
            for k in range(step[3]):
                ran(history, "ls", step[1], f"s{n}", f"c{k}", step[2])
        elif step[0] == "image":
            history.add(Message("computer", "image", "base64.png", "AAAA"), step=f"s{n - 1}", call="c0")
        elif last is not None:
            history.cut_heard(last, 3)
    history.add(user("the newest request"))
    messages = chat("SYSTEM", history.entries, Form(tools, vision, 1000, budget))
    paired(messages)
    assert messages[0]["role"] == "system"
    assert "the newest request" in str(messages[-1]["content"])
    assert all(m["role"] != "tool" and not m.get("tool_calls") for m in messages) or tools
    json.dumps(messages)
