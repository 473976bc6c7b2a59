"""Each kind of sandbox as text, the secrets that are hidden, and what is said where there is no sandbox."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from zero_one.config.settings import SandboxSettings
from zero_one.safety import docker, hidden, sandbox, seatbelt, seccomp
from zero_one.safety.bubblewrap import command as bubblewrap
from zero_one.safety.cells import Housing
from zero_one.safety.sandbox import Limits, Sandbox


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    home = tmp_path / "home"
    for name in ("work/.output", ".ssh", "Music", "run/cell"):
        (home / name).mkdir(parents=True)
    (home / ".netrc").touch()
    monkeypatch.setenv("HOME", str(home))
    secrets = (home / ".ssh", home / ".netrc", tmp_path / "elsewhere")
    return Sandbox(
        home / "work", home="read", secrets=secrets, write=(home / "Music",), kind="docker", image="an/image"
    )


def test_a_container_gets_what_a_sandbox_gets_and_no_more(box: Sandbox) -> None:
    runtime, home = box.project.parent / "run", box.project.parent
    argv = docker.command(replace(box, scratch=home / "tmp", proxy=runtime / "proxy"), ["node", "x.js"], runtime)
    text = " ".join(argv)
    for given in (
        "--network none", "--read-only", "--cap-drop ALL", "--security-opt no-new-privileges", "--rm",
        f"--pids-limit {Limits().processes}", f"--memory {Limits().memory}", f"--user {os.getuid()}:{os.getgid()}",
        f"type=bind,src={home},dst={home},readonly", f"type=bind,src={home}/Music,dst={home}/Music ",
        f"--tmpfs {home}/.ssh:size=1m,mode=0500", f"type=bind,src=/dev/null,dst={home}/.netrc,readonly",
        f"type=bind,src={box.project},dst={box.project} ", f"dst={box.project}/.output,readonly",
        f"type=bind,src={runtime},dst={runtime},readonly", f"dst={runtime}/cell ", "dst=/tmp ",
        "--env http_proxy=http://",
    ):  # fmt: skip
        assert given in text, given
    for absent in (
        "docker.sock",
        "--privileged",
        "elsewhere",
        "SSH_AUTH_SOCK",
        "--env PATH",
        "network host",
        "pid host",
    ):
        assert absent not in text, absent
    assert argv[argv.index("an/image") + 1] == sys.executable
    assert argv[-3:] == ["--", "node", "x.js"]
    order = [text.index(part) for part in (f"src={home},", f"{home}/.ssh", f"src={box.project},dst={box.project} ")]
    assert order[0] > 0


def test_a_program_is_run_by_docker_and_ends_when_we_do(
    box: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stand-in for docker runs here what it is told to run there: that the words fit together, not that they hold."""
    stand_in = tmp_path / "bin/docker"
    stand_in.parent.mkdir()
    stand_in.write_text('#!/bin/sh\nwhile [ "$1" != an/image ]; do shift; done; shift\nexec "$@"\n')
    stand_in.chmod(0o755)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
    runtime = box.project.parent / "run"
    # Out there it is not alone: what it counts are all processes of this machine.
    roomy = replace(box, limits=Limits(memory=1 << 50, processes=1 << 20, open_files=256))
    argv = roomy.wrap(["sh", "-c", "echo $0 hello; exit 3", "a b"], runtime)
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("a b hello\n", 3)
    asleep = roomy.wrap(["sh", "-c", "echo up; exec sleep 300"], runtime)
    process = subprocess.Popen(asleep, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline() == "up\n"
    below = psutil.Process(process.pid).children(recursive=True)
    process.stdin.close()
    assert process.wait(60) == 1, "process 1 saw that its host is gone"
    process.stdout.close()
    for left in below:  # in a container they would have ended with process 1
        with contextlib.suppress(psutil.NoSuchProcess):
            left.kill()


def test_a_seatbelt_denies_first_and_hides_last(box: Sandbox) -> None:
    runtime, home = box.project.parent / "run", box.project.parent
    rules = seatbelt.profile(box, runtime).splitlines()
    assert rules[:2] == ["(version 1)", "(deny default)"]
    place = {part: next(n for n, rule in enumerate(rules) if part in rule) for part in (
        f'(allow file-read* (subpath "{home}"))',
        f'(deny file-read* file-write* (subpath "{home}/.ssh"))',
        f'(allow file-read* file-write* (subpath "{box.project}"))',
        f'(deny file-write* (subpath "{box.project}/.output"))',
        "(deny network*)",
        f'(allow network-outbound (remote unix-socket (subpath "{runtime}")))',
    )}  # fmt: skip
    assert list(place.values()) == sorted(place.values()), "the later rule wins"
    assert "(allow network*)" not in rules
    assert not [rule for rule in rules if rule.startswith("(allow file-read* (subpath") and "Users" in rule]
    argv = seatbelt.command(box, ["node", "x"], runtime)
    assert argv[0] == "sandbox-exec"
    assert argv[-2:] == ["node", "x"]
    quoted = seatbelt.profile(replace(box, write=(Path('/a "b'),)), runtime)
    assert '\\"b' in quoted


def test_bubblewrap_shows_no_folder_that_is_no_home(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = box.project.parent / "run"
    for home in ("/", "/usr", "relative"):
        monkeypatch.setattr(Path, "home", lambda home=home: Path(home))
        argv = bubblewrap(box, ["true"], runtime)
        text = " ".join(argv)
        assert f"--ro-bind {home} {home} " not in text.replace("--ro-bind /usr /usr ", "", 1)
        assert "--share-net" not in argv


def test_the_filter_is_whole() -> None:
    program = seccomp.program()
    assert len(program) % 8 == 0
    assert program[-8:-6] == b"\x06\x00", "the last word is an answer"


def test_secrets_are_found_by_place_by_name_and_behind_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for name in (".ssh/id_rsa", "stuff/aws/credentials", "a/b/server.pem", "a/.env", "a/b/wallet.dat", "Work/keys.kdbx",
                 "a/.env.example", "a/letter.txt", "node_modules/x/cert.pem", "a/ID_RSA"):  # fmt: skip
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).touch()
    (home / ".aws").symlink_to(home / "stuff/aws")
    (home / ".gnupg").symlink_to("/")
    data = tmp_path / "moved"
    data.mkdir()
    listener = socket.socket(socket.AF_UNIX)
    monkeypatch.chdir(home)  # the path itself may be too long for a socket's name
    listener.bind("agent.sock")
    found = {str(path.relative_to(tmp_path)) for path in hidden.secrets(home, (data,)) if path.is_relative_to(tmp_path)}
    listener.close()
    assert found == {
        "home/.ssh", "home/stuff/aws", "home/a/b/server.pem", "home/a/.env", "home/a/b/wallet.dat",
        "home/Work/keys.kdbx", "home/a/ID_RSA", "home/agent.sock", "moved",
    }  # fmt: skip
    assert Path("/") not in hidden.secrets(home, (data,))
    assert stat.S_ISSOCK((home / "agent.sock").stat().st_mode)


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("server.PEM", True), ("id_ed25519", True), ("id_ed25519.pub", False), (".env.local", True),
        (".env.example", False), ("budget.xlsx", False), ("keys.kdbx", True), ("keyboard.txt", False),
        ("client_secret_1.json", True), ("monkey.key", True), ("environment.yml", False),
    ],
)  # fmt: skip
def test_names_that_mean_a_secret(name: str, secret: bool) -> None:
    assert hidden.is_named_like_a_secret(name) is secret


def test_where_there_is_none_it_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_found", [None])
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: None)
    monkeypatch.setattr(sandbox.sys, "platform", "linux")
    assert "sudo apt-get install -y bubblewrap" in Housing(SandboxSettings(), ()).trouble
    assert "This machine has no" not in Housing(SandboxSettings(), ()).trouble
    monkeypatch.setattr(sandbox.shutil, "which", lambda name: "/usr/bin/bwrap")
    assert "does not let programs make namespaces" in Housing(SandboxSettings(), ()).trouble
    monkeypatch.setattr(sandbox.sys, "platform", "win32")
    assert "on this system" in Housing(SandboxSettings(), ()).trouble
    with pytest.raises(RuntimeError, match="on this system"):
        Sandbox(Path("/x"), kind=None).wrap(["true"], Path("/y"))
    monkeypatch.setattr(sandbox, "_found", ["bubblewrap"])
    assert Housing(SandboxSettings(kind="seatbelt"), ()).trouble == (
        "This machine has no seatbelt, so every change is asked about."
    )
    assert Housing(SandboxSettings(), ()).trouble == ""


def test_the_settings_become_limits() -> None:
    housing = Housing(SandboxSettings(memory_mb=256, processes=32, file_mb=3, free_disk_mb=5), ())
    config = json.loads(sandbox.inside(Sandbox(Path("/p"), limits=housing.limits()), ["x"])[4])
    assert config["memory"] == 256 << 20
    assert (config["processes"], config["file_size"], config["free"]) == (32, 3 << 20, 5 << 20)
