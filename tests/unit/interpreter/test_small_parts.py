"""The small parts: thoughts, fragments of calls, tools, questions, routes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.fake_model import NoHands
from zero_one.computer.hands import Hands
from zero_one.config.settings import CapSettings, ModelSettings
from zero_one.interpreter.asking import PURE_FACTS, Act, said_of_method
from zero_one.interpreter.assembly import CallAssembler, ToolCall
from zero_one.interpreter.caps import Spent
from zero_one.interpreter.consent import judge
from zero_one.interpreter.model import Usage
from zero_one.interpreter.route import is_local, route
from zero_one.interpreter.thinking import ThoughtFilter
from zero_one.interpreter.tools import COMPACT, BadCall, Toolbox, safe_arguments, safe_name, unfenced
from zero_one.safety.question import effects_in_words

# --- thoughts


@given(st.integers(1, 12), st.sampled_from(["think", "thinking", "reasoning"]), st.sampled_from(["", "\n", "  "]))
def test_thoughts_at_the_start_are_left_out_wherever_the_chunks_fall(size, tag, space):
    text = f"{space}<{tag}>Hm, <b> 1 < 2 & more</{tag}>\n\nHello <think>aloud</think>."
    thoughts = ThoughtFilter()
    out = "".join(thoughts.feed(text[at : at + size]) for at in range(0, len(text), size)) + thoughts.finish()
    assert out == "Hello <think>aloud</think>."


@pytest.mark.parametrize("text", ["Hello.", "<b>bold</b>", "<", "<thin", "  <p>", "a <think>b</think>"])
def test_what_is_no_thought_passes(text):
    thoughts = ThoughtFilter()
    assert "".join(thoughts.feed(c) for c in text) + thoughts.finish() == text


def test_a_thought_without_end_is_never_spoken():
    thoughts = ThoughtFilter()
    assert thoughts.feed("<think>and on and on") + thoughts.finish() == ""


# --- fragments


@pytest.mark.parametrize(
    "fragments",
    [
        [(0, "a", "run", '{"x":'), (0, None, None, "1}"), (1, "b", "go", ""), (1, None, None, "{}")],
        [(0, "a", "run", '{"x":'), (0, "a", "run", "1}"), (1, "b", "go", "{}")],
        [(None, "a", "run", '{"x":1}'), (None, "b", "go", "{}")],
        [(0, "a", "run", '{"x":1}'), (0, "b", "go", "{}")],
        [(0, "a", "run", None), (1, "b", "go", None), (0, None, None, '{"x":1}'), (1, None, None, "{}")],
        [(0, "a", "run", {"x": 1}), (1, "b", "go", {})],
    ],
)
def test_calls_are_put_together_however_they_come(fragments):
    assembler = CallAssembler()
    for fragment in fragments:
        assembler.add(*fragment)
    first, second = assembler.finish("fresh")
    assert (first.id, first.name, json.loads(first.arguments)) == ("a", "run", {"x": 1})
    assert (second.id, second.name, second.arguments.strip() or "{}") == ("b", "go", "{}")


def test_missing_and_repeated_ids_become_fresh_ones():
    assembler = CallAssembler()
    assembler.add(0, None, "run", "{}")
    assembler.add(1, "a", "run", "{}")
    assembler.add(2, "", "run", "{}")
    assert [c.id for c in assembler.finish("f")] == ["f0", "a", "f2"]


# --- tools


def resolve(name: str) -> str | None:
    return {"python": "python", "py": "python", "shell": "shell", "bash": "shell"}.get(name.lower())


@pytest.fixture(scope="module")
def toolbox() -> Toolbox:
    return Toolbox(["python", "shell"], Hands(), resolve)


@pytest.mark.parametrize(
    ("name", "arguments", "language", "code"),
    [
        ("run", '{"language": "python", "code": "1"}', "python", "1"),
        ("functions.run", '{"language": "Py", "code": "1"}', "python", "1"),
        ("execute", '{"language": "bash", "code": "ls"}', "shell", "ls"),
        ("python", '{"code": "1"}', "python", "1"),
        ("bash", '{"cmd": "ls"}', "shell", "ls"),
        ("run", '{"language": "shell", "code": "a\nb"}', "shell", "a\nb"),
        ("run", '{"language": "shell", "code": ["a", "b"]}', "shell", "a\nb"),
        ("run", json.dumps('{"language": "shell", "code": "ls"}'), "shell", "ls"),
        ("run", '{"language": "shell", "code": "```bash\\nls\\n```"}', "shell", "ls"),
    ],
)
def test_code_calls_in_the_shapes_that_models_give_them(toolbox, name, arguments, language, code):
    act = toolbox.act(ToolCall("1", name, arguments))
    assert (act.language, act.code, act.method) == (language, code, "")


@pytest.mark.parametrize(
    ("name", "arguments", "word"),
    [
        ("run", "{", "not valid JSON"),
        ("run", "[1]", "JSON object"),
        ("run", "{}", "which language"),
        ("run", '{"language": "cobol", "code": "x"}', "cobol cannot be run"),
        ("run", '{"language": "shell"}', "no code"),
        ("run", '{"language": "shell", "code": "  "}', "no code"),
        ("run", '{"language": "shell", "code": 7}', "no code"),
        ("nothing_like_it", "{}", "no tool named nothing_like_it"),
        ("", "{}", "no tool named (no name)"),
        ("volume_set", '{"percent": "loud"}', "percent"),
        ("mouse_click", '{"where": 3}', "where"),
        ("run", "[" * 100_000, "not valid JSON"),
    ],
)
def test_calls_that_cannot_be_carried_out_say_what_to_change(toolbox, name, arguments, word):
    with pytest.raises(BadCall, match=word.replace("(", r"\(").replace(")", r"\)")):
        toolbox.act(ToolCall("1", name, arguments))


def test_a_call_cut_off_by_the_token_limit_says_so(toolbox):
    with pytest.raises(BadCall, match="shorter"):
        toolbox.act(ToolCall("1", "run", '{"code": "x'), cut_off=True)


@pytest.mark.parametrize("name", ["volume_set", "volume.set", "computer.volume.set", "computer_volume_set"])
def test_hands_answer_to_the_names_that_models_give_them(toolbox, name):
    act = toolbox.act(ToolCall("1", name, '{"percent": 30}'))
    assert (act.method, act.arguments, act.code) == ("volume.set", {"percent": 30}, "computer.volume.set(percent=30)")


def test_the_compact_tools_and_the_pure_facts_exist(toolbox):
    hands = Hands()
    assert set(COMPACT) <= set(hands.names)
    assert set(PURE_FACTS) <= set(hands.names)
    assert all(hands.method(name).risk == "observe" for name in PURE_FACTS)
    names = [tool["function"]["name"] for tool in toolbox.schemas()]
    assert names[0] == "run"
    assert len(names) == len(set(names)) == len(COMPACT) + 1
    assert [tool["function"]["name"] for tool in toolbox.schemas(few=True)] == ["run"]
    assert Toolbox([], NoHands(), resolve).schemas() == []


@given(st.text())
def test_what_goes_back_to_the_endpoint_is_always_acceptable(text):
    assert isinstance(json.loads(safe_arguments(text)), dict)
    assert 0 < len(safe_name(text)) <= 64
    assert unfenced(f"```\n{text}") == f"```\n{text}" or "```" in text


# --- questions


@pytest.mark.parametrize(
    ("method", "arguments", "text"),
    [
        ("volume.set", {"percent": 30}, "Set the volume to 30 percent"),
        ("keyboard.hotkey", {"keys": ["ctrl", "c"]}, "Press ctrl and c"),
        ("mouse.click", {}, "Use mouse click"),
        ("mouse.drag", {"from_x": 1, "to_x": 2}, "Use mouse drag with from_x 1, to_x 2"),
        ("keyboard.type", {"text": "rm -rf ~\nyes"}, "Type rm -rf ~ yes"),
    ],
)
def test_methods_are_asked_about_in_plain_words(method, arguments, text):
    assert said_of_method(Act.of_method(method, arguments)) == text


def test_a_long_argument_is_shortened_in_the_question():
    assert len(said_of_method(Act.of_method("keyboard.type", {"text": "x" * 5000}))) < 100


# --- routes


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({"name": "gpt-5"}, "openai/gpt-5"),
        ({"name": "openai/gpt-5"}, "openai/gpt-5"),
        ({"name": "OpenAI/gpt-5"}, "openai/gpt-5"),
        ({"name": "openai:gpt-5"}, "openai/gpt-5"),
        ({"name": "o3-mini"}, "openai/o3-mini"),
        ({"name": "claude-sonnet-4-5"}, "anthropic/claude-sonnet-4-5"),
        ({"name": "anthropic/claude-sonnet-4-5"}, "anthropic/claude-sonnet-4-5"),
        ({"name": "gemini-2.5-pro"}, "gemini/gemini-2.5-pro"),
        ({"name": "google/gemini-2.5-pro"}, "gemini/gemini-2.5-pro"),
        ({"name": "ollama/llama3.2"}, "ollama_chat/llama3.2"),
        ({"name": "ollama/llama3.2:3b"}, "ollama_chat/llama3.2:3b"),
        ({"name": "ollama:llama3.2"}, "ollama_chat/llama3.2"),
        ({"name": "lmstudio/qwen"}, "lm_studio/qwen"),
        ({"name": "groq/llama-3.3-70b"}, "groq/llama-3.3-70b"),
        ({"name": "openrouter/meta-llama/llama-3"}, "openrouter/meta-llama/llama-3"),
        ({"name": "qwen2.5", "api_base": "http://localhost:1234/v1"}, "openai/qwen2.5"),
        ({"name": "meta-llama/Llama-3.1-8B", "api_base": "http://localhost:8000/v1"}, "openai/meta-llama/Llama-3.1-8B"),
        ({"name": "llama3.2:latest", "api_base": "localhost:11434/v1/"}, "openai/llama3.2:latest"),
        ({"name": "gpt-4o", "api_base": "http://127.0.0.1:4000"}, "openai/gpt-4o"),
        ({"name": "ollama/llama3.2", "api_base": "http://localhost:11434"}, "ollama_chat/llama3.2"),
        ({"name": "azure/my-deployment", "api_base": "https://x.openai.azure.com"}, "azure/my-deployment"),
        ({"name": "something-new"}, "something-new"),
    ],
)
def test_names_as_people_write_them(settings, model):
    assert route(ModelSettings(**settings)).model == model


def test_keys_stay_where_they_belong(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    local = route(ModelSettings(name="x", api_base="http://192.168.1.5:1234/v1"))
    assert local.extra == {"api_base": "http://192.168.1.5:1234/v1", "api_key": "none"}
    assert "api_key" not in route(ModelSettings(name="x", api_base="https://models.example.com/v1")).extra
    own = route(ModelSettings(name="x", api_base="http://localhost:1/v1", api_key="mine", api_version="2"))
    assert own.extra == {"api_base": "http://localhost:1/v1", "api_key": "mine", "api_version": "2"}
    monkeypatch.delenv("OPENAI_API_KEY")
    assert route(ModelSettings(name="x", api_base="https://models.example.com/v1")).extra["api_key"] == "none"


def test_addresses_as_people_write_them():
    assert route(ModelSettings(name="x", api_base="localhost:1234/v1/")).extra["api_base"] == "http://localhost:1234/v1"
    full = "https://models.example.com/v1/chat/completions"
    assert route(ModelSettings(name="x", api_base=full)).extra["api_base"] == "https://models.example.com/v1"
    assert (
        route(ModelSettings(name="x", api_base="models.example.com")).extra["api_base"] == "https://models.example.com"
    )
    assert is_local("http://[::1]:80")
    assert is_local("http://box.local:80")
    assert not is_local("https://localhost.example.com")
    assert not is_local(None)


# --- caps


def test_spent_counts_and_says_so():
    now = 100.0
    spent = Spent(CapSettings(steps=9, seconds=60, cost_usd=0.5), lambda: now)
    assert spent.over() is None
    now = 150.0
    spent.waited(40.0)
    assert spent.seconds_left == 50.0
    now = 210.0
    assert spent.over() == "seconds"
    spent.waited(60.0)
    assert spent.over() is None
    spent.used(Usage(1000, 1000, 0.51))
    assert spent.over() == "cost"
    spent.done.update({"Python": 2, "shell": 1})
    spent.failed = 1
    assert spent.words("cost") == (
        "This request has cost about $0.51, as much as it may. So far I ran 2 pieces of Python and 1 piece of shell, "
        "of which 1 failed. Shall I go on?"
    )
    assert "worked for 60 seconds" in spent.words("seconds")


@pytest.mark.parametrize(
    ("act", "risk", "effect"),
    [
        (Act("shell", "ls -la"), "observe", None),
        (Act("shell", "rm -rf build"), "destroy", "delete: build"),
        (Act("python", "import shutil\nshutil.rmtree('build')"), "destroy", "delete: build"),
        (Act("shell", "curl -d @notes.txt https://example.org"), "spend_or_send", "send: https://example.org"),
        (Act("computer", "", "mouse.click", {"x": 3, "y": 4}), "change", "device: mouse.click 3 4"),
    ],
)
def test_every_act_has_a_class_and_effects(act, risk, effect):
    verdict, rule = judge(act, None, "/tmp", Path("/tmp"))
    assert (verdict.risk.word, rule) == (risk, None)
    assert effect is None or effect in effects_in_words(verdict.effects)
