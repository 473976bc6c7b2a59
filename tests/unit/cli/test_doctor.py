"""`01 doctor`: finds what is there and what is not, names one command for each, and never hangs."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest

from support.ports import deaf_port, quiet_port
from zero_one import cli
from zero_one.app import address, doctor
from zero_one.app.checks import machine, parts
from zero_one.app.checks.finding import Finding, ok
from zero_one.config.resolve import resolve
from zero_one.config.settings import Settings


class Pages(BaseHTTPRequestHandler):
    """A small web server with the pages of a test."""

    pages: ClassVar[dict[str, str]] = {}

    def do_GET(self) -> None:
        text = self.pages.get(self.path)
        self.send_response(200 if text is not None else 404)
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, dict[str, str]]]:
    """It answers at once, but a busy machine may take longer for that than a user is kept waiting for others."""
    for module in (machine, parts):
        monkeypatch.setattr(module, "get", lambda url, timeout_s=0.0, context=None: address.get(url, 60.0, context))
    found: dict[str, str] = {}
    server = HTTPServer(("127.0.0.1", 0), type("Handler", (Pages,), {"pages": found}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_address[1], found
    server.shutdown()
    thread.join()
    server.server_close()


def settings(**sections: dict[str, object]) -> Settings:
    return resolve(
        flags={(name, key): value for name, inside in sections.items() for key, value in inside.items()}
    ).settings


def found(findings: Iterator[Finding], name: str) -> Finding:
    return next(one for one in findings if one.name == name)


def test_it_looks_at_everything_and_shows_no_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "gsk-very-secret")
    monkeypatch.setenv("ZERO_ONE_SERVER_PORT", "0")
    cli.main(["doctor", "--json"])
    out = capsys.readouterr().out
    areas = {one["area"] for one in json.loads(out)}
    wanted = {"configuration", "keys", "language model", "hearing", "speaking", "sound", "display", "permissions"}
    assert wanted | {"server", "code", "folders", "disk"} <= areas
    assert "GROQ_API_KEY" in out
    assert "gsk-very-secret" not in out
    cli.main(["doctor"])
    assert "GROQ_API_KEY" in capsys.readouterr().out


def test_it_imports_nothing_heavy() -> None:
    script = (
        "import sys\nfrom zero_one.cli import main\nmain(['--server-port', '0', 'doctor', '--json'])\n"
        "print('MODULES', *sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    heavy = {
        "litellm",
        "numpy",
        "faster_whisper",
        "ctranslate2",
        "piper",
        "onnxruntime",
        "pynput",
        "pyautogui",
        "fastapi",
    }
    assert not heavy & set(done.stdout.rpartition("MODULES")[2].split())


def test_a_check_that_hangs_or_breaks_is_told_and_holds_nothing_up() -> None:
    forever = threading.Event()

    def hangs() -> list[Finding]:
        forever.wait()
        return []

    def breaks() -> list[Finding]:
        raise RuntimeError("oh")

    begun = time.monotonic()
    got = doctor.gather({"a": hangs, "b": breaks, "c": lambda: [ok("c", "x", "fine")]}, limit_s=5)
    forever.set()
    assert time.monotonic() - begun < 60
    assert [(one.area, one.state) for one in got] == [("a", "could be better"), ("b", "could be better"), ("c", "ok")]
    assert "oh" in got[1].text


def test_a_broken_profile_is_a_finding_and_the_rest_is_still_told(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = home / "config" / "profiles"
    folder.mkdir(parents=True)
    (folder / "default.yaml").write_text("model:\n  nmae: x\n")
    assert cli.main(["doctor", "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    wrong = next(one for one in rows if one["state"] == "missing")
    assert "default.yaml:2" in wrong["text"]
    assert wrong["fix"] == f"01 profiles check {folder / 'default.yaml'}"
    assert any(one["area"] == "disk" for one in rows)


def test_a_port_that_is_free_ours_or_somebody_elses(pages: tuple[int, dict[str, str]]) -> None:
    port, answers = pages
    assert "is free" in found(machine.port(settings(server={"port": quiet_port()})), "port").text
    other = found(machine.port(settings(server={"port": port})), "port")
    assert (other.state, other.fix) == ("missing", f"01 --server-port {other.fix.split()[-1]}")
    assert int(other.fix.split()[-1]) > port
    answers["/ping"] = "pong"
    answers["/health"] = '{"status": "ready", "engines": {"hear": {"engine": "pocketsphinx", "state": "ready"}}}'
    ours = list(machine.port(settings(server={"port": port})))
    assert [one.state for one in ours] == ["ok", "ok"]
    assert "hear: pocketsphinx ready" in ours[1].text


def test_a_port_whose_owner_never_answers_does_not_hang() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        got = found(machine.port(settings(server={"port": silent.getsockname()[1]})), "port")
    assert got.state == "missing"
    assert time.monotonic() - begun < 60


def test_a_named_server_that_is_not_there(pages: tuple[int, dict[str, str]]) -> None:
    port, answers = pages
    assert found(machine.remote(f"127.0.0.1:{port}"), "answer").state == "missing"
    answers["/ping"] = '"pong"'
    assert found(machine.remote(f"http://127.0.0.1:{port}/"), "answer").state == "ok"


def test_the_model_and_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert found(parts.model(settings()), "model").fix == "01 --profile local"
    monkeypatch.setattr(parts.shutil, "which", lambda name: None)
    monkeypatch.setattr(parts, "get", lambda *_, **__: None)
    assert "ollama" in found(parts.model(settings()), "model").fix, (
        "a profile for a program that is not there mends nothing"
    )
    monkeypatch.setenv("GROQ_API_KEY", "x")
    assert found(parts.model(settings()), "model").fix == "01 --profile groq"
    missing = found(parts.model(settings(model={"name": "gpt-5"})), "key")
    assert (missing.state, missing.fix) == ("missing", "export OPENAI_API_KEY=...")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    assert found(parts.model(settings(model={"name": "gpt-5"})), "key").state == "ok"


def test_a_local_model_that_is_not_pulled_or_not_served(pages: tuple[int, dict[str, str]]) -> None:
    port, answers = pages
    wanted = {"name": "ollama/llama3.2", "api_base": f"http://127.0.0.1:{port}"}
    answers["/api/tags"] = '{"models": [{"name": "mistral"}]}'
    assert found(parts.model(settings(model=wanted)), "server").fix == "ollama pull llama3.2"
    answers["/api/tags"] = '{"models": [{"name": "llama3.2:latest"}]}'
    assert found(parts.model(settings(model=wanted)), "server").state == "ok"
    nobody = found(parts.model(settings(model={**wanted, "api_base": f"http://127.0.0.1:{deaf_port()}"})), "server")
    assert (nobody.state, nobody.fix) == ("missing", "ollama serve")


@pytest.mark.parametrize(
    ("flag", "mend"),
    [
        ({"profile": "nope"}, "01 profiles list"),
        ({"flags": {("model", "temperature"): "hot"}}, "01 doctor"),
    ],
)
def test_a_wrong_flag_is_mended_at_the_command_line(flag: dict[str, Any], mend: str) -> None:
    _, wrong = parts.configuration(lambda: resolve(**flag))
    assert [one.fix for one in wrong] == [mend]


def test_a_service_of_ones_own_needs_no_key_but_has_to_answer(pages: tuple[int, dict[str, str]]) -> None:
    base = f"http://127.0.0.1:{pages[0]}/v1"
    for engine in ("auto", "openai"):
        hears = list(parts.hearing(settings(hear={"engine": engine, "api_base": base})))
        assert found(iter(hears), "service").state == "ok"
        assert not [one for one in hears if one.state == "missing"]
    with socket.create_server(("127.0.0.1", 0)) as probe:
        gone = f"http://127.0.0.1:{probe.getsockname()[1]}"
    assert found(parts.speaking(settings(speak={"api_base": gone})), "service").state == "missing"


def test_no_mending_command_touches_a_folder_of_the_system(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A folder that is not there yet is made; the one above it keeps its owner."""
    monkeypatch.setenv("ZERO_ONE_HOME", str(tmp_path / "a" / "b"))
    monkeypatch.setattr(parts.os, "access", lambda *_: False)
    fix = found(parts.folders(), "data").fix
    assert fix == f"sudo install -d -o $USER {tmp_path / 'a' / 'b' / 'data'}"
    (tmp_path / "a").write_text("a file")
    assert "is a file" in found(parts.folders(), "data").text


def test_engines_that_are_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each missing engine or model names the command that brings it."""
    assert found(parts.hearing(settings()), "model").fix == "01 models fetch base"
    assert found(parts.hearing(settings(hear={"engine": "faster-whisper"})), "model").state == "missing"
    assert found(parts.speaking(settings()), "voice").fix.startswith("01 models fetch en_US")
    unknown = found(parts.hearing(settings(hear={"engine": "deepgram"})), "engine")
    assert unknown.state == "missing"
    assert "pocketsphinx" in unknown.text
    assert "OPENAI_API_KEY" in found(parts.speaking(settings(speak={"engine": "openai"})), "engine").text
    monkeypatch.setattr(parts, "_has", lambda *modules: False)
    monkeypatch.setattr(parts.shutil, "which", lambda name: None)
    gone = found(parts.hearing(settings()), "engine")
    assert gone.state == "missing"
    assert "install" in gone.fix
    assert found(parts.kernels(), "shell").state == "missing"


def test_every_missing_tool_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(machine.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    got = list(machine.tools())
    assert len(got) >= 6
    assert all(one.fix.startswith("sudo apt-get install -y ") for one in got)


@pytest.mark.parametrize(
    ("display", "wayland", "word"),
    [(":0", "", "X11"), ("", "wayland-0", "Wayland"), (":0", "wayland-0", "Wayland"), ("", "", "none")],
)
def test_the_display(monkeypatch: pytest.MonkeyPatch, display: str, wayland: str, word: str) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setenv("WAYLAND_DISPLAY", wayland)
    assert word in found(machine.display(Settings()), "display").text


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_are_told_what_to_allow(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert found(machine.permissions(), "microphone").fix
    assert list(machine.tools()) == []


def test_a_sound_system_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_DEVICES_S", 0.2)
    monkeypatch.setattr(machine, "_LIST_DEVICES", "import threading; threading.Event().wait()")
    got = list(machine.sound())
    assert "did not answer" in got[0].text
