"""Wrapping code in code never lowers its class, arbitrary text never raises, and nothing takes long."""

from __future__ import annotations

import base64
import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from zero_one.safety.risk import classify
from zero_one.safety.risk.guess import guess

HERE = Path(__file__).parent
ROWS = [json.loads(line) for line in (HERE / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
SHELL = [r["code"] for r in ROWS if r["lang"] == "shell"]
PYTHON = [r["code"] for r in ROWS if r["lang"] == "python" and not r["code"].lstrip().startswith(("!", "%"))]
LANGUAGES = ("python", "shell", "javascript", "sql", "applescript", "powershell", "cobol")

quick = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))

Wrap = Callable[[str], tuple[str, str]]


def b64(code: str) -> str:
    return base64.b64encode(code.encode()).decode()


SHELL_WRAPS: dict[str, Wrap] = {
    "bash -c": lambda c: (f"bash -c {shlex.quote(c)}", "shell"),
    "bash -c twice": lambda c: (f"sh -c {shlex.quote(f'bash -c {shlex.quote(c)}')}", "shell"),
    "eval": lambda c: (f"eval {shlex.quote(c)}", "shell"),
    "base64 | sh": lambda c: (f"echo {b64(c)} | base64 -d | sh", "shell"),
    "here-string": lambda c: (f"bash <<< {shlex.quote(c)}", "shell"),
    "pipe": lambda c: (f"printf '%s' {shlex.quote(c)} | bash", "shell"),
    "here-document": lambda c: (f"bash <<'END_OF_IT'\n{c}\nEND_OF_IT\n", "shell"),
    "function": lambda c: (f"go_on() {{\n{c}\n}}\ngo_on", "shell"),
    "alias": lambda c: (f"alias go={shlex.quote(c)}\ngo", "shell"),
    "sudo": lambda c: (f"sudo bash -c {shlex.quote(c)}", "shell"),
    "env": lambda c: (f"env X=1 nice -n 5 sh -c {shlex.quote(c)}", "shell"),
    "xargs": lambda c: (f"ls | xargs -I{{}} sh -c {shlex.quote(c)}", "shell"),
    "find -exec": lambda c: (f"find . -type f -exec sh -c {shlex.quote(c)} \\;", "shell"),
    "subshell": lambda c: (f"(\n{c}\n)", "shell"),
    "os.system": lambda c: (f"import os\nos.system({c!r})", "python"),
    "subprocess string": lambda c: (f"import subprocess\nsubprocess.run({c!r}, shell=True)", "python"),
    "subprocess list": lambda c: (f"import subprocess\nsubprocess.check_output(['bash', '-c', {c!r}])", "python"),
    "getattr": lambda c: (f"getattr(__import__('o' + 's'), 'sys' + 'tem')({c!r})", "python"),
    "%%bash": lambda c: (f"%%bash\n{c}", "python"),
    "execSync": lambda c: (f"require('child_process').execSync({json.dumps(c)})", "javascript"),
    "do shell script": lambda c: (
        'do shell script "' + c.replace("\\", "\\\\").replace('"', '\\"') + '"',
        "applescript",
    ),
}
PYTHON_WRAPS: dict[str, Wrap] = {
    "exec": lambda c: (f"exec({c!r})", "python"),
    "eval compile": lambda c: (f"eval(compile({c!r}, 'x', 'exec'))", "python"),
    "base64": lambda c: (f"import base64\nexec(base64.b64decode({b64(c)!r}).decode())", "python"),
    "hex": lambda c: (f"exec(bytes.fromhex({c.encode().hex()!r}).decode())", "python"),
    "reversed": lambda c: (f"exec({c[::-1]!r}[::-1])", "python"),
    "chr": lambda c: (f"exec(''.join(map(chr, {[ord(x) for x in c]!r})))", "python"),
    "function": lambda c: ("def go_on():\n    x = 1\n" + f"    exec({c!r})\ngo_on()", "python"),
    "python -c": lambda c: (f"python3 -c {shlex.quote(c)}", "shell"),
    "python here-document": lambda c: (f"python3 <<'END_OF_IT'\n{c}\nEND_OF_IT\n", "shell"),
    "python here-string": lambda c: (f"python3 - <<< {shlex.quote(c)}", "shell"),
    "subprocess python": lambda c: (f"import subprocess, sys\nsubprocess.run(['python3', '-c', {c!r}])", "python"),
}


@pytest.mark.parametrize("name", SHELL_WRAPS)
def test_wrapped_shell_keeps_its_class(name: str) -> None:
    _never_lower(SHELL, "shell", SHELL_WRAPS[name])


@pytest.mark.parametrize("name", PYTHON_WRAPS)
def test_wrapped_python_keeps_its_class(name: str) -> None:
    _never_lower(PYTHON, "python", PYTHON_WRAPS[name])


def _never_lower(snippets: list[str], language: str, wrap: Wrap) -> None:
    lowered = []
    for code in snippets[::2]:
        plain, wrapped = classify(code, language).risk, classify(*wrap(code)).risk
        if wrapped < plain:
            lowered.append((plain.word, wrapped.word, wrap(code)[0][:300]))
    assert not lowered, "\n".join(map(str, lowered))


@seed(1)
@quick
@given(st.sampled_from(SHELL), st.lists(st.sampled_from(sorted(SHELL_WRAPS)[:16]), min_size=2, max_size=4))
def test_wrappings_upon_wrappings_keep_the_class(code: str, names: list[str]) -> None:
    plain = classify(code, "shell").risk
    language = "shell"
    for name in names:
        if language == "shell":
            code, language = SHELL_WRAPS[name](code)
    assert classify(code, language).risk >= plain, code


@seed(2)
@quick
@given(st.text(max_size=300), st.sampled_from(LANGUAGES))
def test_any_text_gets_a_verdict(text: str, language: str) -> None:
    verdict = classify(text, language)
    assert "could not be read (" not in str(verdict.effects)
    assert guess(text) in LANGUAGES


@seed(3)
@settings(quick, max_examples=250)
@given(st.data())
def test_mutated_snippets_get_a_verdict(data: st.DataObject) -> None:
    """Cut, doubled, spliced and sprinkled with syntax: a reader never fails on the pieces."""
    row = data.draw(st.sampled_from(ROWS))
    code = row["code"]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(code)))
        match data.draw(st.sampled_from(["cut", "insert", "splice", "double"])):
            case "cut":
                code = code[:at] + code[at + data.draw(st.integers(1, 10)) :]
            case "insert":
                code = (
                    code[:at]
                    + data.draw(st.sampled_from(list("'\"`$(){}[]|&;<>\\\n\0#!%~*?=:,. é")) | st.text(max_size=3))
                    + code[at:]
                )
            case "splice":
                other = data.draw(st.sampled_from(ROWS))["code"]
                code = code[:at] + other[data.draw(st.integers(0, len(other))) :]
            case _:
                code = code[:at] + code[: at + 1] + code[at:]
    verdict = classify(code, data.draw(st.sampled_from([row["lang"], *LANGUAGES])))
    assert "could not be read (" not in str(verdict.effects), code


@pytest.mark.parametrize(
    ("code", "language"),
    [
        ("printf '%%s\\n' \"rm -rf /\" a", "shell"),
        ("$'\\x.m' -rf /srv", "shell"),
        ("$'\\u' a; $'\\9'", "shell"),
        (r'f("C:\Users\x")', "javascript"),
    ],
)
def test_texts_that_once_stopped_a_reader(code: str, language: str) -> None:
    """Found by mutation: a printf that takes no argument, escapes cut short."""
    assert "could not be read (" not in str(classify(code, language).effects)


LONG = {
    "letters": "a" * 39_000,
    "spaces": " " * 39_000 + "x",
    "open brackets": "(" * 10_000,
    "open braces": "{" * 10_000,
    "quotes": "'\"" * 10_000,
    "backslashes": "\\" * 39_000,
    "dollars": "$(" * 5_000,
    "additions": "+".join(["1"] * 5_000),
    "strings added": "+".join(["'a'"] * 3_000),
    "pipes": "a|" * 5_000 + "a",
    "slashes": "/a" * 10_000,
    "comments": "/*" * 10_000,
    "dashes": "-- \n" * 5_000,
    "awk": "awk '" + "/x" * 10_000 + "'",
    "sed": "sed '" + "s/a/b/;" * 4_000 + "'",
    "braces to expand": "echo " + "{a,b}" * 2_000,
    "lines": "x = 1\n" * 5_000,
    "commands": "ls -la /tmp\n" * 2_000,
    "select": "select " + "(" * 2_000 + "1" + ")" * 2_000,
    "powers": "exec(" + "9**" * 2_000 + "9)",
    "multiplied": "exec('a' * 10**9 * 10**9)",
    "mixed": 'tell application "x"\n' + 'set a to "b" & ' * 2_500,
    "far too long": "a" * 5_000_000,
}


@pytest.mark.parametrize("language", LANGUAGES[:6])
def test_long_inputs_take_no_long_time(language: str) -> None:
    """No pattern goes back and forth without end: a pathological text takes seconds at most, even on a busy machine."""
    slow = {}
    for name, text in LONG.items():
        start = time.process_time()
        classify(text, language)
        guess(text)
        slow[name] = time.process_time() - start
    assert max(slow.values()) < 6, {name: round(took, 1) for name, took in slow.items() if took > 2}
