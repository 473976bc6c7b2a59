"""Profiles of the first 01 and of Open Interpreter: what can be read is carried over, the rest listed, nothing runs."""

from __future__ import annotations

import contextlib
import textwrap
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zero_one.config import profiles
from zero_one.config.importing import Imported, import_profile
from zero_one.config.importing.python import read as read_python
from zero_one.config.problems import ConfigError

FIRST_01 = '''
from interpreter import AsyncInterpreter
interpreter = AsyncInterpreter()

interpreter.tts = "openai"
interpreter.stt = "deepgram"  # livekit only
interpreter.llm.model = "gpt-4o-mini"
interpreter.llm.supports_vision = True
interpreter.llm.supports_functions = True
interpreter.llm.context_window = 100000
interpreter.llm.max_tokens = 1000
interpreter.llm.temperature = 0
skill_path = "./skills"
interpreter.computer.skills.path = skill_path
setup_code = f"""import datetime
computer.skills.path = '{skill_path}'"""
output = interpreter.computer.run("python", setup_code)
interpreter.computer.import_computer_api = True
interpreter.auto_run = True
interpreter.loop = True
interpreter.custom_instructions = "Be as brief as possible."
interpreter.system_message = r"""
You are the 01. {{computer.skills.list()}}
""".strip()
'''

OI_YAML = """
llm:
  model: "gpt-4o"
  temperature: 0.5
  api_base: http://localhost:1234/v1
  api_key: sk-very-secret
  api_version: 2024-06-01
  max_output: 2500
  supports_functions: true
computer:
  import_computer_api: True
  languages: [python]
custom_instructions: >
  Answer in
  Portuguese.
auto_run: true
safe_mode: "off"
offline: false
verbose: true
max_budget: 0.5
start_script: |
  open("hit", "w")
version: 0.2.5
"""


def bring(tmp_path: Path, text: str | bytes, name: str = "p.py", **options: bool) -> Imported:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else textwrap.dedent(text).encode())
    return import_profile(path, **options)


def reread(tmp_path: Path, imported: Imported) -> dict[Any, Any]:
    """What our own reader makes of the converted profile."""
    path = tmp_path / "converted.yaml"
    path.write_text(imported.to_yaml("converted"))
    return profiles.read(path).values


def left(imported: Imported) -> dict[int, str]:
    return {one.line: f"{one.what}: {one.why}" for one in imported.left}


def test_a_profile_of_the_first_01(tmp_path: Path) -> None:
    imported = bring(tmp_path, FIRST_01)
    assert imported.values == {
        ("speak", "engine"): "openai",
        ("model", "name"): "gpt-4o-mini",
        ("model", "supports_vision"): True,
        ("model", "supports_functions"): True,
        ("model", "context_window"): 100000,
        ("model", "max_tokens"): 1000,
        ("model", "temperature"): 0,
        ("model", "instructions"): "Be as brief as possible.",
        ("approval", "auto_run"): True,
    }
    behind = left(imported)
    assert "deepgram" in behind[6]
    assert "skills" in behind[14]
    assert "never executed" in behind[17]
    assert "--keep-system-message" in behind[22]
    assert reread(tmp_path, imported) == imported.values


def test_its_system_message_is_added_when_asked_for(tmp_path: Path) -> None:
    imported = bring(tmp_path, FIRST_01, keep_system_message=True)
    text = imported.values["model", "instructions"]
    assert text == "Be as brief as possible.\n\nYou are the 01. {{computer.skills.list()}}"
    assert reread(tmp_path, imported)["model", "instructions"].strip() == text


def test_a_yaml_profile_of_open_interpreter(tmp_path: Path) -> None:
    imported = bring(tmp_path, OI_YAML, "p.yaml")
    assert imported.values == {
        ("model", "name"): "gpt-4o",
        ("model", "temperature"): 0.5,
        ("model", "api_base"): "http://localhost:1234/v1",
        ("model", "api_key"): "sk-very-secret",
        ("model", "api_version"): "2024-06-01",
        ("caps", "output_chars"): 2500,
        ("model", "supports_functions"): True,
        ("model", "instructions"): "Answer in Portuguese.",
        ("debug",): True,
        ("caps", "cost_usd"): 0.5,
        ("approval", "auto_run"): True,
        ("approval", "safe_mode"): "off",
    }
    behind = left(imported)
    assert {11, 12, 18, 21, 23} <= set(behind)
    assert "never executed" in behind[21]
    assert "sk-very-secret" not in "".join(behind.values())
    assert reread(tmp_path, imported) == imported.values


@pytest.mark.parametrize(
    ("text", "carried"),
    [
        ("safe_mode: ask\n", "ask"),
        ("safe_mode: auto\nauto_run: true\n", "auto"),
        ("safe_mode: off\nauto_run: true\n", "off"),
        ('safe_mode: "off"\n', None),
        ("safe_mode: off\n", None),
        ("safe_mode: never\n", None),
    ],
)
def test_safe_mode_never_opens_more_than_it_did_there(tmp_path: Path, text: str, carried: str | None) -> None:
    imported = bring(tmp_path, "model: a\n" + text, "p.yaml")
    assert imported.values.get(("approval", "safe_mode")) == carried
    assert carried is not None or 2 in left(imported)


def test_names_from_before_open_interpreter_0_2(tmp_path: Path) -> None:
    text = "model: gpt-4\ntemperature: 0\ncontext_window: 8000\nllm_supports_vision: true\n"
    text += "local: true\nllm.max_tokens: 50\n"
    imported = bring(tmp_path, text, "p.yaml")
    assert imported.values == {
        ("model", "name"): "gpt-4",
        ("model", "temperature"): 0,
        ("model", "context_window"): 8000,
        ("model", "supports_vision"): True,
        ("model", "max_tokens"): 50,
    }


def test_json_profiles_are_read_too(tmp_path: Path) -> None:
    assert bring(tmp_path, '{"llm": {"model": "x"}}', "p.json").values == {("model", "name"): "x"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('interpreter.llm.model = "a" + "b"', "ab"),
        ('x = "a"\ninterpreter.llm.model = f"{x}-{1}"', "a-1"),
        ('interpreter.llm.model = """\n a \n""".strip()', "a"),
        ('m: str = "a"\ninterpreter.llm.model: str = m', "a"),
        ('interpreter.llm.model = m = "a"', "a"),
        ('interpreter.llm.model, interpreter.llm.max_tokens = "a", 5', "a"),
        ('setattr(interpreter.llm, "model", "a")', "a"),
        ('llm = interpreter.llm\nllm.model = "a"', "a"),
        ('from interpreter import interpreter as i\ni.llm.model = "a"', "a"),
        ('import interpreter\ninterpreter.interpreter.llm.model = "a"', "a"),
        ('from interpreter import OpenInterpreter\nagent = OpenInterpreter()\nagent.llm.model = "a"', "a"),
        ('import interpreter as oi\nagent = oi.AsyncInterpreter(auto_run=True)\nagent.llm.model = "a"', "a"),
        ('interpreter.llm.model = "x"; interpreter.llm.model = "a"', "a"),
        ('x = "a"\nx += "b"\ninterpreter.llm.model = x', "ab"),
        ('interpreter.llm.model = "ollama/" "a"', "ollama/a"),
        ('interpreter.llm.model = "claude-3.5"', "anthropic/claude-3-5-sonnet-20240620"),
    ],
)
def test_ways_to_say_the_same(tmp_path: Path, text: str, value: str) -> None:
    assert bring(tmp_path, text).values["model", "name"] == value


@pytest.mark.parametrize(
    ("expression", "reference"),
    [
        ('os.environ["K"]', "${K}"),
        ('os.environ.get("K")', "${K}"),
        ('os.getenv("K", "none")', "${K:-none}"),
        ('os.getenv("K") or "none"', "${K:-none}"),
        ('environ["K"]', "${K}"),
        ('getenv("K")', "${K}"),
        ('operating.getenv("K")', "${K}"),
    ],
)
def test_lookups_in_the_environment_become_references(
    tmp_path: Path, expression: str, reference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The value itself is never read at import, so that no key is written into a profile."""
    monkeypatch.setenv("K", "sk-very-secret")
    text = (
        f"import os\nimport os as operating\nfrom os import environ, getenv\ninterpreter.llm.api_key = {expression}\n"
    )
    imported = bring(tmp_path, text)
    assert str(imported.values["model", "api_key"]) == reference
    assert "sk-very-secret" not in imported.to_yaml("x")
    assert str(reread(tmp_path, imported)["model", "api_key"]) == reference


@pytest.mark.parametrize(
    "text",
    [
        'open("hit", "w")',
        '__import__("os").system("touch hit")',
        'interpreter.llm.model = open("hit", "w").name',
        'interpreter.llm.model = f"{open(chr(104) + chr(105) + chr(116), chr(119))}"',
        'interpreter.llm.model = [open("hit", "w") for _ in "a"][0]',
        'interpreter.llm.model = (lambda: open("hit", "w"))()',
        'if open("hit", "w"):\n    interpreter.llm.model = "x"',
        'class A:\n    f = open("hit", "w")',
        'def f(a=open("hit", "w")): pass',
        '@open("hit", "w").write\ndef f(): pass',
        'import subprocess; subprocess.run(["touch", "hit"])',
        'interpreter.computer.run("shell", "touch hit")',
        'assert open("hit", "w")',
        'with open("hit", "w"): pass',
        'interpreter.llm.model = "a" * 10**12',
        'interpreter.llm.model = "%1000000000d" % 1',
        'interpreter.llm.model = "{:>1000000000}".format(1)',
        'interpreter.llm.model = f"{1:>1000000000}"',
        "interpreter.llm.max_tokens = 10 ** 10 ** 10",
    ],
)
def test_nothing_is_ever_executed(tmp_path: Path, text: str) -> None:
    """Each would leave a file, or eat the machine, were any of it evaluated."""
    imported = bring(tmp_path, "interpreter.llm.temperature = 0\n" + text)
    assert not Path("hit").exists()
    assert set(imported.values) == {("model", "temperature")}
    assert any(one.line >= 2 for one in imported.left), "it must be listed"


def test_a_profile_of_which_nothing_can_be_carried_over_is_still_told(tmp_path: Path) -> None:
    """As one that only replaces the languages by classes of its own."""
    imported = bring(tmp_path, "class Mine:\n    name = 'x'\ninterpreter.computer.languages = [Mine]\n")
    assert imported.values == {}
    assert "computer.languages" in left(imported)[3]
    assert reread(tmp_path, imported) == {}


def test_text_that_grows_without_end_is_left_behind(tmp_path: Path) -> None:
    text = 'x = "aaaaaaaa"\n' + "x = x + x\n" * 40 + "interpreter.llm.model = x\ninterpreter.llm.temperature = 1\n"
    assert set(bring(tmp_path, text).values) == {("model", "temperature")}


def test_settings_under_a_condition_are_listed_not_guessed(tmp_path: Path) -> None:
    text = """
    import platform
    if platform.system() == "Darwin":
        interpreter.llm.model = "mac"
        who = "x"
    for i in range(3):
        interpreter.llm.max_tokens = i
    interpreter.custom_instructions = who
    interpreter.llm.temperature = 1
    """
    imported = bring(tmp_path, text)
    assert set(imported.values) == {("model", "temperature")}
    behind = left(imported)
    assert "depends on the `if`" in behind[4]
    assert "depends on the `for`" in behind[7]
    assert "only known when it runs" in behind[8]


def test_what_is_out_of_range_is_left_behind_with_what_is_allowed(tmp_path: Path) -> None:
    imported = bring(
        tmp_path, 'interpreter.llm.temperature = 9\ninterpreter.llm.model = 5\ninterpreter.max_output = "x"\n'
    )
    assert imported.values == {}
    assert "a number from 0 to 2" in left(imported)[1]
    assert "must be text" in left(imported)[2]


def test_keys_are_never_shown(tmp_path: Path) -> None:
    text = """
    import os
    os.environ["OPENAI_API_KEY"] = "sk-very-secret"
    interpreter.llm.api_key = "sk-very-secret" + unknown
    interpreter.llm.api_key = ["sk-very-secret"]
    interpreter.llm.model = "x"
    """
    imported = bring(tmp_path, text)
    assert ".env" in left(imported)[3]
    assert "sk-very-secret" not in imported.to_yaml("x")


@pytest.mark.parametrize(
    ("name", "blob", "words"),
    [
        ("p.py", b"\xff\xfe\x00", "not UTF-8"),
        ("p.py", b"x = \0", "NUL"),
        ("p.py", b"interpreter.llm.model = \n", "not valid Python"),
        ("p.py", b"(" * 50_000, "not"),
        ("p.py", b"x = " + b"-" * 100_000 + b"1", "nested too deeply|not valid"),
        ("p.py", b"x = " + b"1+" * 50_000 + b"1", "nested too deeply|not valid"),
        ("p.py", b"#" * 400_000, "larger than"),
        ("p.py", b"print('hello')\n", "sets anything"),
        ("p.py", b"", "sets anything"),
        ("p.yaml", b"a: [", "never closed"),
        ("p.yaml", b"a: !!python/name:os.system x", "never executed|nothing in them is executed"),
        ("p.yaml", b"just text", "name: value"),
        ("p.exe", b"x", "ends in"),
    ],
)
def test_hostile_files_end_in_one_clear_line(tmp_path: Path, name: str, blob: bytes, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        bring(tmp_path, blob, name)
    assert len(str(caught.value)) < 400
    assert str(tmp_path / name) in str(caught.value)


def test_control_characters_do_not_reach_the_terminal_or_the_file(tmp_path: Path) -> None:
    imported = bring(tmp_path, 'interpreter.nonsense = "\\x1b[2J\\u0085x"\ninterpreter.llm.model = "x"\n')
    assert "\x1b" not in imported.to_yaml("x")
    assert reread(tmp_path, imported) == {("model", "name"): "x"}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "interpreter",
                ".llm",
                ".model",
                " = ",
                '"a"',
                "(",
                ")",
                "\n",
                "if x:\n  ",
                "+",
                "f'{",
                "}'",
                "os.getenv",
                "[",
                "]",
                ",",
            ]
        ),
        max_size=25,
    )
)
def test_any_python_is_read_or_refused_clearly(parts: list[str]) -> None:
    """No wording makes the reader fail in another way than with a clear error."""
    with contextlib.suppress(ConfigError):
        read_python("".join(parts), "p.py")
