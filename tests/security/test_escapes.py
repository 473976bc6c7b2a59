"""Getting out of the sandbox, tried for real under bubblewrap. Each attempt also runs outside, where it succeeds."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from security.escapes import ALWAYS, PRELUDE, WHERE_ALLOWED
from support.needs import need
from zero_one.computer.languages.base import ENDED
from zero_one.computer.processes import end_tree_now, environment
from zero_one.safety import hidden
from zero_one.safety.sandbox import Limits, Sandbox, available

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap is on Linux only")
MIB = 1 << 20
BUSY = "end = time.process_time() + 3\nwhile time.process_time() < end: pass\nout()"
CROWD = "for n in range(90):\n    subprocess.Popen(['sleep', '300'])\ntime.sleep(PAUSE); out()"
HUNGRY = "for n in range(4):\n    if not os.fork(): b = b'x' * (120 << 20); time.sleep(300)\ntime.sleep(PAUSE); out()"
SLEEP = str(3_217_000_000 + os.getpid())
"""What a program of this very run is known by."""
LONG_S = 60
"""For which a program goes on that is to be ended, on a machine however busy."""


@dataclass
class World:
    """A home with secrets, two conversations, and a host that listens; all of it thrown away."""

    box: Sandbox
    runtime: Path
    about: dict[str, Any]
    held: Any

    @property
    def home(self) -> Path:
        return Path(self.about["home"])

    def start(self, program: str, *, inside: bool, **more: Any) -> subprocess.Popen[str]:
        # Outside nobody comes to end it.
        argv = [sys.executable, "-c", f"{PRELUDE}PAUSE = {LONG_S if inside else 0}\n{program}"]
        variables = environment() | {"HOME": str(self.home), "WORLD": json.dumps(self.about)}
        return subprocess.Popen(
            self.box.wrap(argv, self.runtime) if inside else argv,
            cwd=self.box.project,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            **more,
        )

    def run(self, program: str, *, inside: bool, **more: Any) -> tuple[int, str]:
        process = self.start(program, inside=inside, **more)
        said, wrong = process.communicate(timeout=100)
        return process.returncode, said + wrong

    def out(self, program: str, *, inside: bool, **more: Any) -> bool:
        said = self.run(program, inside=inside, **more)[1]
        return "OUT" in said.splitlines()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    need("bwrap")
    assert available() == "bubblewrap", "bubblewrap is installed but cannot make namespaces here"
    home, data, runtime = tmp_path / "home", tmp_path / "home/data/01", tmp_path / "runtime"
    for path, text in {
        "victim.txt": "mine", ".ssh/id_ed25519": "SECRET", ".mozilla/firefox/key4.db": "SECRET",
        "snap/firefox/common/.mozilla/firefox/x/logins.json": "SECRET", "Documents/server.pem": "SECRET",
        "Documents/app/.env": "SECRET", "Documents/letter.txt": "Dear", "dotfiles/aws/credentials": "SECRET",
        "data/01/devices.json": "SECRET", "data/01/work/other/said.txt": "SECRET", "held.txt": "x",
    }.items():  # fmt: skip
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text)
    (home / "Documents/shortcut").symlink_to(home / ".ssh")
    (home / ".aws").symlink_to(home / "dotfiles/aws")
    project = data / "work/this"
    (project / ".output").mkdir(parents=True)
    (runtime / "cell").mkdir(parents=True)
    (runtime / "connection.json").write_text("{}")
    monkeypatch.setenv("HOME", str(home))
    sleeper = subprocess.Popen(["sleep", "300"], env={"KEY": "SECRET"})
    (home / "agent").mkdir()
    abstract = f"zero-one-{os.getpid()}"
    listeners = [socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)]
    listeners[1].bind(f"\0{abstract}")
    folder = os.open(home / "agent", os.O_RDONLY)
    listeners[2].bind(f"/proc/self/fd/{folder}/S.agent")  # the path itself may be too long for a socket's name
    for one in listeners[1:]:
        one.listen()
    about = {
        "home": str(home), "data": str(data), "runtime": str(runtime), "pid": sleeper.pid, "abstract": abstract,
        "port": listeners[0].getsockname()[1],
    }  # fmt: skip
    secrets = tuple(hidden.secrets(home, (data,)))
    box = Sandbox(project, home="read", secrets=secrets)
    with (home / "held.txt").open() as held:
        os.set_inheritable(held.fileno(), True)
        yield World(box, runtime, about, held)
    sleeper.kill()
    sleeper.wait()
    os.close(folder)
    for one in listeners:
        one.close()


@pytest.mark.parametrize("attempt", ALWAYS)
def test_an_attempt_fails_inside_and_succeeds_outside(world: World, attempt: str) -> None:
    program = ALWAYS[attempt]
    if "socket file" in attempt:  # a path that fits into a socket's name
        program = "os.chdir(WORLD['home'] + '/agent')\n" + program.replace(
            "WORLD['home'] + '/agent/S.agent'", "'S.agent'"
        )
    assert not world.out(program, inside=True)
    assert (world.home / "victim.txt").read_text() == "mine"
    assert world.box.project.is_dir()
    for left in world.box.project.iterdir():
        if left.name != ".output":
            left.unlink()
    # Files that the host has open reach a program only if the host lets them.
    if "had open" in attempt:
        assert world.out(program, inside=False, close_fds=False)
    else:
        assert world.out(program, inside=False), world.run(program, inside=False)


@pytest.mark.parametrize("attempt", WHERE_ALLOWED)
def test_an_attempt_that_needs_rights_fails_inside(world: World, attempt: str) -> None:
    assert not world.out(WHERE_ALLOWED[attempt], inside=True)


def test_most_of_these_can_be_done_outside_by_somebody(world: World) -> None:
    """Else the test above could not fail: on a machine where nothing is forbidden all but exotic ones succeed."""
    done = [attempt for attempt in WHERE_ALLOWED if world.out(WHERE_ALLOWED[attempt], inside=False)]
    assert len(done) >= (8 if os.geteuid() == 0 else 2), done


def test_what_belongs_to_it_can_be_done_inside(world: World) -> None:
    code = """
open('made.txt', 'w').write('made'); os.rename('made.txt', 'kept.txt')
assert open(WORLD['home'] + '/Documents/letter.txt').read() == 'Dear'
open('/tmp/x', 'w').close()
assert subprocess.run(['sh', '-c', 'echo hello'], capture_output=True, text=True).stdout == 'hello\\n'
print('fine')"""
    assert world.run(code, inside=True) == (0, "fine\n")
    assert (world.box.project / "kept.txt").read_text() == "made"


def test_process_1_shields_itself(world: World) -> None:
    code = """
for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGHUP):
    os.kill(1, number)
for name in ('mem', 'environ', 'maps', 'exe', 'cwd', 'root', 'fd/3'):
    try:
        path = f'/proc/1/{name}'
        open(path, 'rb').read(1) if name in ('mem', 'environ', 'maps') else os.readlink(path)
        out()
    except OSError as error:
        assert error.errno in (errno.EACCES, errno.EPERM, errno.EIO), error
time.sleep(0.3)
print('still here')"""
    assert world.run(code, inside=True) == (0, "still here\n")


def test_a_terminal_of_the_host_cannot_be_typed_into(world: World) -> None:
    """With a controlling terminal outside, there is none inside."""
    pty, tty = os.openpty()

    def own() -> None:
        import fcntl
        import termios

        os.setsid()
        fcntl.ioctl(tty, termios.TIOCSCTTY, 0)

    results = []
    for inside in (True, False):
        argv = [sys.executable, "-c", "open('/dev/tty'); print('OUT')"]
        ran = subprocess.run(
            world.box.wrap(argv, world.runtime) if inside else argv,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=own,
            pass_fds=(tty,),
        )
        results.append("OUT" in ran.stdout)
    os.close(pty)
    os.close(tty)
    assert results == [False, True]
    typing = "pty, tty = os.openpty(); fcntl.ioctl(tty, 0x5412, b'x')"
    assert "Operation not permitted" in world.run(typing, inside=True)[1]


@pytest.mark.parametrize(
    ("limits", "program", "ends"),
    [
        (Limits(processes=60), CROWD, 121),
        (Limits(memory=300 * MIB), "b = bytearray(400 << 20); out()", 1),
        (Limits(memory=300 * MIB), HUNGRY, 122),
        (Limits(file_size=MIB), "open('big', 'wb').write(bytes(2 << 20)); out()", 1),
        (Limits(open_files=64), "kept = [open('/dev/null') for n in range(100)]; out()", 1),
        (Limits(cpu_s=1), BUSY, 128 + signal.SIGKILL),
        (Limits(), "open('/dev/shm/big', 'wb').write(bytes(300 << 20)); out()", 1),
    ],
    ids=["processes", "memory", "memory of all", "file", "open files", "time", "memory as a file"],
)  # fmt: skip
def test_a_limit_holds(world: World, limits: Limits, program: str, ends: int) -> None:
    world.box = replace(world.box, limits=limits)
    process = world.start(program, inside=True)
    said, wrong = process.communicate(timeout=100)
    assert "OUT" not in said.splitlines()
    # As an ordinary user the kernel itself refuses one process too many.
    assert process.returncode == ends or (ends == 121 and process.returncode == 1), (process.returncode, wrong)
    assert world.box.limits == limits
    if ends in ENDED:
        assert ENDED[ends]
    outside = world.start(program, inside=False)
    said, wrong = outside.communicate(timeout=100) if "sleep" not in program else _first_line(outside)
    assert "OUT" in said.splitlines(), wrong
    end_tree_now(outside.pid, "no mark", 0)


def _first_line(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout is not None
    return process.stdout.readline(), ""


def test_the_disk_cannot_be_filled(world: World) -> None:
    """It writes until less is free than may be, whatever others write and remove meanwhile."""
    free = os.statvfs(world.box.project)
    floor = free.f_bavail * free.f_frsize - 200 * MIB
    program = f"""
file, size, free = os.open('big', os.O_CREAT | os.O_WRONLY), 0, os.statvfs('.')
while free.f_bavail * free.f_frsize > {floor} - (100 << 20):
    size += 100 << 20; os.posix_fallocate(file, 0, size); free = os.statvfs('.')
time.sleep(PAUSE); out()"""
    world.box = replace(world.box, limits=Limits(free=floor))
    status, said = world.run(program, inside=True)
    assert status == 123, said
    (world.box.project / "big").unlink()
    assert world.out(program, inside=False)
    (world.box.project / "big").unlink()


def test_nothing_survives_the_end_of_the_sandbox(world: World) -> None:
    """A daemon with a session and an environment of its own outlives its parent outside, and not inside."""
    program = f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve('/bin/sh', ['sh', '-c', 'trap "" TERM HUP INT; sleep {SLEEP} & while :; do wait; done'], {{}})
    os._exit(0)
def sleeps(name):
    try:
        return open('/proc/' + name + '/cmdline').read().split('\\0')[:2] == ['sleep', '{SLEEP}']
    except OSError:
        return False
while not any(sleeps(name) for name in os.listdir('/proc') if name.isdigit()): time.sleep(0.01)
print('up', flush=True); time.sleep(300)"""
    left = {}
    for inside in (True, False):
        process = world.start(program, inside=inside)
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        left[inside] = _sleepers(until_gone_s=LONG_S if inside else 1)
        for one in left[inside]:
            with contextlib.suppress(psutil.NoSuchProcess):
                if (shell := one.parent()) is not None:
                    shell.kill()
                one.kill()
    assert left[True] == []
    assert left[False] != []


def _sleepers(until_gone_s: float = 0) -> list[psutil.Process]:
    """Those that are there; a killed one takes a moment to be gone."""
    end = time.monotonic() + until_gone_s
    while True:
        found = [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", SLEEP]]
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.05)


def test_a_host_that_dies_takes_the_sandbox_with_it(world: World) -> None:
    """Nobody is left to kill anything: the sandbox sees it by itself."""
    argv = world.box.wrap(
        [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(300)"], world.runtime
    )
    code = f"import subprocess, time; subprocess.Popen({argv!r}, stdin=subprocess.PIPE); time.sleep(300)"
    host = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=world.box.project)
    assert host.stdout is not None
    assert host.stdout.readline() == "up\n"
    below = psutil.Process(host.pid).children(recursive=True)
    assert below
    host.kill()
    host.wait()
    host.stdout.close()
    _, alive = psutil.wait_procs(below, timeout=LONG_S)
    assert not [process for process in alive if not _zombie(process)]


def _zombie(process: psutil.Process) -> bool:
    """It has ended, and only nobody has taken note of it."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
