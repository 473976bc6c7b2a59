"""The command line: what it costs, what its flags mean, what its exit status says."""

from __future__ import annotations

import io
import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from zero_one import __version__, cli
from zero_one.servers.listener import ListenError, listen

HEAVY = {"numpy", "pydantic", "litellm", "yaml", "rich", "asyncio", "fastapi", "websockets", "httpx", "pocketsphinx"}


def run(*arguments: str) -> int:
    try:
        return cli.main(list(arguments))
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 1


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What would have been started, instead of starting it."""
    from zero_one.app import start

    calls: list[tuple[Any, ...]] = []
    monkeypatch.setattr(start, "server", lambda settings, **more: calls.append(("server", settings, more)) or 0)
    monkeypatch.setattr(start, "client", lambda settings, url: calls.append(("client", settings, url)) or 0)
    monkeypatch.setattr(start, "both", lambda settings, url, **more: calls.append(("both", settings, more)) or 0)
    return calls


# --- cost -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--help"], ["version"], ["--version"], ["demo", "--help"], ["--multimodal"]])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    """Whoever only asks for help waits for no package."""
    script = (
        "import sys\nfrom zero_one.cli import main\n"
        f"try: main({arguments!r})\nexcept SystemExit: pass\n"
        "print('MODULES', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = set(done.stdout.rpartition("MODULES")[2].split())
    assert "zero_one.cli" in modules
    assert not modules & HEAVY


def test_help_takes_little_more_cpu_than_the_interpreter_itself() -> None:
    """About eight times as much; with one heavy package it would be thirty times and more. A slow machine takes longer
    for both."""
    resource = pytest.importorskip("resource") if sys.platform == "win32" else __import__("resource")

    def seconds(*command: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return float(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    ours, bare = (str(Path(sys.executable).parent / "01"), "--help"), (sys.executable, "-c", "pass")
    taken = [(seconds(*ours), seconds(*bare)) for _ in range(4)]
    assert min(own for own, _ in taken) < 25 * min(least for _, least in taken), taken


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("version") == 0
    assert run("--version") == 0
    assert capsys.readouterr().out == f"01 {__version__}\n" * 2


# --- flags of the first 01 --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ([], "both"),
        (["--server"], "server"),
        (["--server", "light"], "server"),
        (["--server", "--client"], "both"),
        (["--client"], "client"),
        (["--client", "light-python"], "client"),
        (["--server-url", "box:10101"], "client"),
        (["--client", "--server-url", "wss://box"], "client"),
        (["--debug", "--server"], "server"),
    ],
)
def test_what_is_started(started: list[tuple[Any, ...]], arguments: list[str], what: str) -> None:
    assert run(*arguments) == 0
    assert [call[0] for call in started] == [what]


def test_the_first_01s_flags_for_other_machines_reach_the_server(started: list[tuple[Any, ...]]) -> None:
    assert run("--server", "--qr", "--expose", "--domain", "x.example", "--server-host", "0.0.0.0") == 0
    _, settings, more = started[0]
    assert (settings.server.host, settings.server.domain) == ("0.0.0.0", "x.example")
    assert more == {"qr": True, "expose": True}


def test_without_a_tunnel_program_nothing_is_exposed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    assert run("--server", "--expose", "--server-port", "0") == 1
    assert "needs the program ngrok" in capsys.readouterr().err
    assert run("--server", "--expose", "--server-port", "0", "--set", "server.expose=ssh") == 1
    assert "set server.expose_to" in capsys.readouterr().err


def test_flags_reach_the_settings(started: list[tuple[Any, ...]]) -> None:
    arguments = ["--server", "--server-host", "localhost", "--server-port", "1234", "--debug", "--profile", "fast.py"]
    assert run(*arguments, "--set", "speak.rate=1.5") == 0
    settings = started[0][1]
    assert (settings.server.host, settings.server.port, settings.debug) == ("localhost", 1234, True)
    assert settings.caps.steps == 10, "the profile fast"
    assert settings.speak.rate == 1.5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--qr", "--client"], "belong to a server"),
        (["--expose", "--server-url", "box"], "belong to a server"),
        (["--multimodal"], "livekit"),
        (["--server", "livekit"], "not part of this version"),
        (["ask", "x", "--set", "server.kind=livekit"], "not part of this version"),
        (["--server", "--server-port", "x"], "whole number from 0 to 65535"),
        (["--server", "--server-port", "70000"], "whole number from 0 to 65535"),
        (["--server", "dark"], "invalid choice"),
        (["--client", "browser"], "invalid choice"),
        (["--profile", "nope"], "There are: default"),
        (["--profile", "https://x.example/p.yaml"], "nothing is ever fetched"),
        (["--set", "model.nmae=x"], "Did you mean `model.name`"),
        (["--server-url", "ftp://x"], "no server address"),
        (["--bogus"], "unrecognized"),
        (["--sevrer"], "Did you mean `--server`?"),
        (["doctr"], "Did you mean `doctor`?"),
        (["server"], "Did you mean `--server`?"),
        (["demo", "--server-port", "5"], "before the command"),
        (["models", "fetch"], "See: 01 models fetch --help"),
        (["--server-host", ""], "not empty"),
        (["nonsense"], "invalid choice"),
        (["ask"], "what should be asked"),
        (["models", "fetch", "bse"], "Did you mean `base`"),
    ],
)
def test_what_cannot_be_had_is_said_in_a_line_with_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert run(*arguments) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""
    assert "Traceback" not in said.err
    assert len(said.err.splitlines()) <= 2, "a slip is no reason to print the whole help"


def test_letters_that_a_terminal_does_not_know_end_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a Windows console, or under LC_ALL=C."""
    into = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(into, encoding="ascii"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"gr\xf6\xdfe\n"), encoding="utf-8"))
    assert cli.main(["commands", "--match", "tür 日本"]) == 1
    print("✓", sys.stdin.read(), flush=True)
    assert b"?" in into.getvalue()


@pytest.mark.parametrize("place", ["gone/reply.wav", "."])
def test_where_the_answer_cannot_be_written_is_said_before_it_is_spoken(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo", "--once", "--reply", place) == 1
    said = capsys.readouterr()
    assert "--reply FILE" in said.err
    assert said.out == ""


def test_a_port_that_cannot_be_had_is_told_in_plain_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        with pytest.raises(ListenError, match=f"Port {port} on 127.0.0.1 is in use"):
            listen("127.0.0.1", port)
    with pytest.raises(ListenError, match="no address of this computer"):
        listen("192.0.2.1", 0)


def test_a_server_for_other_machines_does_not_start_without_its_tls(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "config" / "profiles"
    folder.mkdir(parents=True)
    (folder / "open.yaml").write_text(
        "server: {host: 0.0.0.0, port: 0, tls_certificate: no.pem, tls_key: no-key.pem}\n"
    )
    assert run("--server", "--profile", "open") != 0
    said = capsys.readouterr().err
    assert "cannot speak TLS" in said
    assert "no.pem cannot be read" in said


def test_a_broken_profile_fails_with_its_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = home / "config" / "profiles"
    folder.mkdir(parents=True)
    (folder / "default.yaml").write_text("model:\n  nmae: x\n")
    assert run("--server") == 1
    assert f"{folder / 'default.yaml'}:2: model.nmae" in capsys.readouterr().err


def test_ctrl_c_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from zero_one.app import start

    def interrupted(settings: object, url: object, **more: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "both", interrupted)
    assert run() == 130
    assert capsys.readouterr().err == ""


# --- profiles -------------------------------------------------------------------------------------------------------


def test_profiles_lifecycle(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """create, check, list, show, and show again after an edit."""
    assert run("profiles", "create", "mine", "--from", "fast") == 0
    assert run("profiles", "create", "mine") == 1
    assert "already" in capsys.readouterr().err
    assert run("profiles", "check") == 0
    path = home / "config" / "profiles" / "mine.yaml"
    assert run("profiles", "list", "--json") == 0
    rows = json.loads(capsys.readouterr().out.partition("valid\n")[2])
    assert {"name": "mine", "built_in": False, "path": str(path)}.items() <= next(
        r for r in rows if r["name"] == "mine"
    ).items()
    path.write_text("caps: {steps: 0}\n")
    assert run("profiles", "check", "mine") == 1
    assert f"{path}:1: caps.steps: given 0; it must be a whole number, 1 or more." in capsys.readouterr().err
    assert run("profiles") == 0
    assert "invalid: " in capsys.readouterr().out


def test_show_names_every_source_and_no_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    Path(".env").write_text("ZERO_ONE_SPEAK_VOLUME=40\n")
    assert run("profiles", "show", "openai", "--json", "--set", "caps.steps=3", "--server-port", "5") == 2
    capsys.readouterr()
    assert run("--server-port", "5", "profiles", "show", "openai", "--json", "--set", "caps.steps=3") == 0
    out = capsys.readouterr().out
    shown = json.loads(out)["settings"]
    assert "sk-very-secret" not in out
    assert shown["model.api_key"] == {"value": "(set, not shown)", "source": "environment OPENAI_API_KEY"}
    assert shown["caps.steps"] == {"value": 3, "source": "flag --set caps.steps"}
    assert shown["server.port"] == {"value": 5, "source": "flag --server-port"}
    assert shown["speak.volume"]["source"] == f"ZERO_ONE_SPEAK_VOLUME ({Path('.env').absolute()})"
    assert shown["model.name"]["source"].startswith("profile ")
    assert shown["hear.engine"] == {"value": "auto", "source": "default"}
    assert run("profiles", "show") == 0
    assert "speak.volume" in capsys.readouterr().out


def test_import(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("old.py").write_text(
        'from interpreter import interpreter\ninterpreter.llm.model = "gpt-4o"\n'
        'interpreter.auto_run = True\nopen("hit", "w")\n'
    )
    assert run("profiles", "import", "old.py", "--dry-run") == 0
    assert "name: gpt-4o" in capsys.readouterr().out
    assert not (home / "config" / "profiles" / "old.yaml").exists()
    assert run("profiles", "import", "old.py") == 0
    out = capsys.readouterr().out
    assert "line 2: llm.model = 'gpt-4o' -> model.name" in out
    assert "line 3: auto_run = True -> approval.auto_run" in out
    assert "line 4: open('hit', 'w')" in out
    assert not Path("hit").exists()
    assert run("profiles", "check", "old") == 0
    assert run("profiles", "import", "old.py") == 1
    assert "--force" in capsys.readouterr().err
    assert run("profiles", "import", "gone.py") == 1
    assert "no such file" in capsys.readouterr().err


def test_a_home_that_is_a_file_is_told_in_a_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.write_text("no folder")
    assert run("profiles", "create", "mine") == 1
    said = capsys.readouterr().err
    assert "cannot be written" in said
    assert len(said.splitlines()) == 1


def test_a_line_of_a_dotenv_that_says_nothing_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path(".env").write_text("ZERO_ONE_SPEAK_VOLUME=40\nthis is no line\n")
    assert run("profiles", "show") == 0
    said = capsys.readouterr()
    assert f"{Path('.env').absolute()}:2: this is no `NAME=value` line" in said.err
    assert "40" in said.out


def test_the_profiles_flag_lists_the_folder(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And makes a default profile to edit; a missing file manager is no failure."""
    monkeypatch.setenv("PATH", "")
    assert run("--profiles") == 0
    out = capsys.readouterr().out
    assert "no file manager" in out
    assert str(home / "config" / "profiles") in out
    assert (home / "config" / "profiles" / "default.yaml").exists()


# --- commands -------------------------------------------------------------------------------------------------------


def test_match_says_what_a_wording_is_taken_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("commands", "--match", "what time is it", "--json") == 0
    row = json.loads(capsys.readouterr().out)
    assert row["text"] == "what time is it"
    assert row["command"]
    assert row["slots"] == {}
    assert run("commands", "--match", "write a long poem about my grandmother's garden", "--json") == 1
    assert json.loads(capsys.readouterr().out)["command"] is None


def test_match_reads_one_wording_a_line() -> None:
    """One JSON object a line, at once, whatever the bytes."""
    wordings = [b"what time is it", b"", b"\xff\xfe", "wie spät ist es".encode(), b"set a timer for five minutes"]
    lines = wordings + [b"tell me something about number %d" % n for n in range(60)]
    program = [str(Path(sys.executable).parent / "01"), "commands", "--match", "-"]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(lines[0] + b"\n")
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        assert first["command"], "the answer comes before the input ends"
        rest, _ = process.communicate(b"\n".join(lines[1:]))
    assert process.returncode == 0
    rows = [first, *map(json.loads, rest.splitlines())]
    assert len(rows) == len(lines)
    assert [row["text"] for row in rows[:2]] == ["what time is it", ""]
    assert all(set(row) == {"text", "command", "slots"} for row in rows)
    assert rows[4]["command"]
    assert rows[4]["slots"]


def test_commands_lists_what_can_be_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("commands", "--json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) >= 30
    assert all(row["examples"] and row["description"] for row in rows)
    assert run("commands") == 0
    assert f"{len(rows)} commands" in capsys.readouterr().out


def test_a_reader_that_leaves_is_no_failure() -> None:
    program = f"{Path(sys.executable).parent / '01'} commands | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", program], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_rules_are_listed_and_taken_back(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from zero_one.app.rules import rules_file
    from zero_one.safety.risk import classify
    from zero_one.safety.rules import Rules

    assert run("rules") == 0
    assert "Nothing is allowed for always" in capsys.readouterr().out
    code = "pip install cowsay"
    Rules(rules_file()).add("shell", code, classify(code, "shell"), "/home/ann", "Ann's phone")
    assert run("rules") == 0
    out = capsys.readouterr().out
    assert "1  shell: pip install cowsay" in out
    assert "from Ann's phone; not used yet" in out
    assert run("rules", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["code"] == code
    assert run("rules", "revoke", "2") == 1
    assert "There is no rule 2. There is 1." in capsys.readouterr().err
    assert run("rules", "revoke", "1") == 0
    assert "asked about again" in capsys.readouterr().out
    assert list(Rules(rules_file())) == []
    rules_file().write_text("{")
    assert run("rules") == 1
    assert "damaged" in capsys.readouterr().err


def test_the_old_flags_are_settings(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for flags in (["-y"], ["--auto-run"]):
        assert run(*flags, "profiles", "show", "--json") == 0
        shown = json.loads(capsys.readouterr().out)["settings"]
        assert shown["approval.auto_run"] == {"value": True, "source": "flag --auto-run"}
    assert run("profiles", "show", "--json", "--safe-mode", "ask") == 0
    assert json.loads(capsys.readouterr().out)["settings"]["approval.safe_mode"]["value"] == "ask"
