"""Wrapping code in code never lowers its class, arbitrary text never raises, and nothing takes long."""

from __future__ import annotations

import base64
import codecs
import gzip
import json
import shlex
import time
import zlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from zero_one.safety.risk import Risk, classify
from zero_one.safety.risk.guess import guess

HERE = Path(__file__).parent
ROWS = [json.loads(line) for line in (HERE / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
SHELL = [r["code"] for r in ROWS if r["lang"] == "shell"]
PYTHON = [r["code"] for r in ROWS if r["lang"] == "python" and not r["code"].lstrip().startswith(("!", "%"))]
LANGUAGES = ("python", "shell", "javascript", "sql", "applescript", "powershell", "cobol")

quick = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def b64_of(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


Wrap = Callable[[str], tuple[str, str]]


def b64(code: str) -> str:
    return base64.b64encode(code.encode()).decode()


def b64_run(code: str) -> str:
    return shlex.quote(f"echo {b64(code)} | base64 -d | sh")


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
    "env -S": lambda c: (f"env -S {shlex.quote('bash -c ' + shlex.quote(c))}", "shell"),
    "xargs -0": lambda c: (f"echo {shlex.quote(c)} | xargs -0 bash -c", "shell"),
    "parallel": lambda c: (f"echo {shlex.quote(c)} | parallel", "shell"),
    "process substitution": lambda c: (f"bash <(echo {shlex.quote(c)})", "shell"),
    "source": lambda c: (f"source <(printf '%s' {shlex.quote(c)})", "shell"),
    "hex": lambda c: (f"echo {c.encode().hex()} | xxd -r -p | sh", "shell"),
    "rot13": lambda c: (
        f"echo {shlex.quote(codecs.encode(c, 'rot13'))} | tr 'A-Za-z' 'N-ZA-Mn-za-m' | sh",
        "shell",
    ),
    "gzip": lambda c: (
        f"echo {base64.b64encode(gzip.compress(c.encode())).decode()} | base64 -d | gunzip | sh",
        "shell",
    ),
    "octal": lambda c: ("printf '" + "".join(f"\\{b:03o}" for b in c.encode()) + "' | sh", "shell"),
    "dollar quotes": lambda c: ("eval $'" + "".join(f"\\x{b:02x}" for b in c.encode()) + "'", "shell"),
    "variable": lambda c: (f'X={shlex.quote(c)}\neval "$X"', "shell"),
    "variable of a variable": lambda c: (f'X={shlex.quote(c)}\nY=X\neval "${{!Y}}"', "shell"),
    "array": lambda c: (f'A=(bash -c {shlex.quote(c)})\n"${{A[@]}}"', "shell"),
    "argument": lambda c: (f'f() {{ eval "$1"; }}\nf {shlex.quote(c)}', "shell"),
    "arguments": lambda c: (f'f() {{ "$@"; }}\nf bash -c {shlex.quote(c)}', "shell"),
    "file": lambda c: (f"cat > /tmp/x.sh <<'END_OF_IT'\n{c}\nEND_OF_IT\nbash /tmp/x.sh", "shell"),
    "case": lambda c: (f"case x in x)\n{c}\n;; esac", "shell"),
    "in the background": lambda c: (f"{{\n{c}\n}} &\nwait", "shell"),
    "timeout": lambda c: (f"timeout 10 bash -lc {shlex.quote(c)}", "shell"),
    "script": lambda c: (f"script -qc {shlex.quote(c)} /dev/null", "shell"),
    "su": lambda c: (f"su - root -c {shlex.quote(c)}", "shell"),
    "docker exec": lambda c: (f"docker exec web sh -c {shlex.quote(c)}", "shell"),
    "ssh": lambda c: (f"ssh localhost {shlex.quote(c)}", "shell"),
    "watch": lambda c: (f"watch -n 5 {shlex.quote(c)}", "shell"),
    "at": lambda c: (f"echo {shlex.quote(c)} | at now", "shell"),
    "trap": lambda c: (f"trap {shlex.quote(c)} EXIT", "shell"),
    "strace": lambda c: (f"strace -f -o /dev/null bash -c {shlex.quote(c)}", "shell"),
    "systemd-run": lambda c: (f"systemd-run --user --wait bash -c {shlex.quote(c)}", "shell"),
    "tmux": lambda c: (f"tmux new-session -d {shlex.quote(c)}", "shell"),
    "awk": lambda c: (f"awk {shlex.quote('BEGIN{system(' + json.dumps(c) + ')}')}", "shell"),
    "perl": lambda c: (f"perl -e {shlex.quote('system(' + json.dumps(c) + ')')}", "shell"),
    "python": lambda c: (f"python3 -c {shlex.quote(f'import os; os.system({c!r})')}", "shell"),
    "node": lambda c: (
        f"node -e {shlex.quote('require(`child_process`).execSync(' + json.dumps(c) + ')')}",
        "shell",
    ),
    "makefile": lambda c: (f"make -f - <<'END_OF_IT'\nall:\n\tbash -c {b64_run(c)}\nEND_OF_IT", "shell"),
    "byte order mark": lambda c: ("\ufeff" + c, "shell"),
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
    "zlib": lambda c: (
        f"import zlib, base64\nexec(zlib.decompress(base64.b64decode({b64_of(zlib.compress(c.encode()))!r})))",
        "python",
    ),
    "rot13": lambda c: (f"import codecs\nexec(codecs.decode({codecs.encode(c, 'rot13')!r}, 'rot_13'))", "python"),
    "joined": lambda c: (f"exec(''.join({[c[i : i + 7] for i in range(0, len(c), 7)]!r}))", "python"),
    "replaced": lambda c: (f"exec({c.replace('e', '§')!r}.replace('§', 'e'))", "python"),
    "formatted": lambda c: (f"exec('{{}}{{}}'.format({c[:10]!r}, {c[10:]!r}))", "python"),
    "per cent": lambda c: (f"exec('%s%s' % ({c[:10]!r}, {c[10:]!r}))", "python"),
    "f-string": lambda c: (f"a = {c[:10]!r}\nb = {c[10:]!r}\nexec(f'{{a}}{{b}}')", "python"),
    "builtins": lambda c: (f"import builtins\ngetattr(builtins, 'ex' + 'ec')({c!r})", "python"),
    "inside of builtins": lambda c: (f"__builtins__.__dict__['exec']({c!r})", "python"),
    "another name": lambda c: (f"run = exec\nrun({c!r})", "python"),
    "lambda": lambda c: (f"(lambda s: exec(s))({c!r})", "python"),
    "map": lambda c: (f"list(map(exec, [{c!r}]))", "python"),
    "thread": lambda c: (f"import threading\nthreading.Thread(target=exec, args=({c!r},)).start()", "python"),
    "timeit": lambda c: (f"import timeit\ntimeit.timeit({c!r}, number=1)", "python"),
    "class": lambda c: (f"class A:\n    def __init__(self):\n        exec({c!r})\nA()", "python"),
    "decorator": lambda c: (f"def d(f):\n    exec({c!r})\n    return f\n@d\ndef g(): pass", "python"),
    "partial": lambda c: (f"from functools import partial\npartial(exec, {c!r})()", "python"),
    "table": lambda c: (f"t = {{'x': exec}}\nt['x']({c!r})", "python"),
    "wide letters": lambda c: (f"ｅｘｅｃ({c!r})", "python"),
    "input": lambda c: (f"import subprocess\nsubprocess.run(['python3', '-'], input={c!r}, text=True)", "python"),
    "written, then run": lambda c: (
        f"open('/tmp/x.py', 'w').write({c!r})\nimport subprocess\nsubprocess.run(['python3', '/tmp/x.py'])",
        "python",
    ),
    "carriage returns": lambda c: (c.replace("\n", "\r\n"), "python"),
    "subprocess python": lambda c: (f"import subprocess, sys\nsubprocess.run(['python3', '-c', {c!r}])", "python"),
}


@pytest.mark.parametrize("name", SHELL_WRAPS)
def test_wrapped_shell_keeps_its_class(name: str) -> None:
    _never_lower(SHELL, "shell", name, SHELL_WRAPS[name])


@pytest.mark.parametrize("name", PYTHON_WRAPS)
def test_wrapped_python_keeps_its_class(name: str) -> None:
    _never_lower(PYTHON, "python", name, PYTHON_WRAPS[name])


@lru_cache(maxsize=1000)
def plainly(code: str, language: str) -> Risk:
    return classify(code, language).risk


def _never_lower(snippets: list[str], language: str, name: str, wrap: Wrap) -> None:
    """Each wrapping is tried on a third of the snippets, another third by its name."""
    lowered = []
    for code in snippets[len(name) % 3 :: 3]:
        plain, wrapped = plainly(code, language), classify(*wrap(code)).risk
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
    assert max(slow.values()) < 3, {name: round(took, 1) for name, took in slow.items() if took > 2}
