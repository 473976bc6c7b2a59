"""A conversation's languages in their sandboxes: what stays, what is carried, what is let out, what is said of it."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.needs import need
from unit.computer.runs import Ran, gather, gone, running, until
from zero_one.computer.hands import Hands
from zero_one.computer.languages import callback, shell_state
from zero_one.computer.languages import python as python_module
from zero_one.computer.languages import shell as shell_module
from zero_one.computer.terminal import Terminal
from zero_one.config.settings import SandboxSettings
from zero_one.safety.cells import Housing
from zero_one.safety.risk.classify import classify

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap is on Linux only")


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[int]:
    server = http.server.ThreadingHTTPServer(("127.0.0.2", 0), Web)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    need("bwrap")
    home = tmp_path / "home"
    (home / "Documents").mkdir(parents=True)
    (home / ".ssh").mkdir()
    (home / ".ssh/id_ed25519").write_text("SECRET")
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not look like deaf code, nor like a caller who says nothing."""
    monkeypatch.setattr(python_module, "INTERRUPT_GRACE_S", 60.0)
    for module, name in ((python_module, "_CARRY_S"), (shell_module, "_CARRY_S"), (callback, "_PATIENCE_S")):
        monkeypatch.setattr(module, name, 60.0)


class Room:
    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    async def run(self, language: str, code: str, *, agreed: bool = True, network: bool = True) -> Ran:
        needs = classify(code, language) if agreed else None
        return await gather(self.terminal.run(language, code, timeout_s=100, network=network, needs=needs))


@pytest_asyncio.fixture
async def room(home: Path, tmp_path: Path, web: int) -> AsyncIterator[Room]:
    data = tmp_path / "data"
    housing = Housing(SandboxSettings(hosts=(f"127.0.0.2:{web}",)), (data,))
    assert housing.trouble == ""
    folder = data / "work/kitchen"
    terminal = Terminal(folder, Hands(), cells=housing.rooms(folder))
    yield Room(terminal)
    await terminal.close()


async def test_variables_stay_inside_and_plain_ones_come_along(room: Room, home: Path) -> None:
    """Python, over three scopes: what is data comes along both ways, what is not stays and is named."""
    first = """
import json, sqlite3
from pathlib import Path
notes = {'a': [1, 2.5, None, True, b'\\x00\\xff', ('x', {'y'})], 'when': __import__('datetime').date(2030, 1, 2)}
def helper(): return 1
base = sqlite3.connect(':memory:')
class Mine: pass
os_name = 'posix'
"""
    assert (await room.run("python", first)).exit == "0"
    where = home / "Documents/notes.json"
    ran = await room.run("python", f"Path('{where}').write_text(json.dumps(list(notes)))\nseen = notes['a'][4]")
    assert ran.exit == "0", ran
    assert where.read_text() == '["a", "when"]'
    assert "Not brought there, because they are no plain data: " in ran.output
    named = ran.output.partition("data: ")[2].partition(".)")[0]
    assert set(named.split(", ")) == {"helper", "base", "Mine"}
    ran = await room.run("python", "helper(), notes['a'], seen, str(notes['when'])")
    assert ran.text("result").replace("\n", "") == (
        "(1, [1, 2.5, None, True, b'\\x00\\xff', ('x', {'y'})], b'\\x00\\xff', '2030-01-02')"
    )
    assert "process" not in ran.output, "everything was there already"


async def test_what_was_not_agreed_to_cannot_be_done_and_is_explained(room: Room, home: Path) -> None:
    """A wrong verdict does not hurt: without a grant the same code changes nothing."""
    target = home / "Documents/x.txt"
    for language, code in {
        "python": f"open('{target}', 'w').write('x')",
        "shell": f"echo x > '{target}'",
        "javascript": f"require('fs').writeFileSync('{target}', 'x')",
    }.items():
        if language not in room.terminal.languages:
            need("node")
        ran = await room.run(language, code, agreed=False)
        assert ran.exit != "0"
        assert "(This ran in a sandbox which can write only in " in ran.error
        assert not target.exists()
        ran = await room.run(language, code)
        assert (ran.exit, target.read_text().strip()) == ("0", "x"), ran
        target.unlink()
        ran = await room.run(language, code, agreed=False)
        assert not target.exists(), "a grant holds for its run only"


async def test_the_shell_takes_folder_and_variables_along(room: Room, home: Path) -> None:
    await room.run("shell", "mkdir -p sub; cd sub; A='one two'; export B=three; C=(1 2); f() { :; }; MY_TOKEN=secret")
    ran = await room.run("shell", f"pwd; echo \"$A|$B|\"; sh -c 'echo $B'; echo y > {home}/Documents/y; D=4")
    assert ran.output.startswith(
        "(This runs in another process. Not brought there, because they are no plain data: C, f.)\n"
    )
    assert ran.output.partition(")\n")[2] == f"{room.terminal.folder}/sub\none two|three|\nthree\n"
    assert (
        await room.run("shell", "echo $D $A; f; echo ${C[1]}; pwd")
    ).output == f"4 one two\n2\n{room.terminal.folder}/sub\n"


def test_a_secret_of_the_shell_is_not_carried() -> None:
    shown = "A\ufffd\ufffd1\ufffdMY_TOKEN\ufffdx\ufffdsecret\ufffdPATH\ufffdx\ufffd/evil\ufffd1X\ufffd\ufffd2\ufffd"
    assert json.loads(shell_state.read(shown, "/f", {})) == {"folder": "/f", "values": {"A": [False, "1"]}, "lost": []}


async def test_outside_it_is_the_machine_and_nothing_written_inside_steers_it(room: Room) -> None:
    """What was agreed to runs outside; code from the sandbox must not come along in a program's or module's clothes."""
    inside = """
mkdir -p bin; printf '#!/bin/sh\\necho HIJACKED\\n' > bin/kill; chmod +x bin/kill
export PATH="$PWD/bin:$PATH" BASH_ENV="$PWD/evil" PYTHONPATH="$PWD" LD_PRELOAD="$PWD/x.so" GIT_PAGER="$PWD/bin/kill"
n='a[$(echo HIJACKED >&2)]'; ps() { echo HIJACKED; }; ok=fine
echo "print('HIJACKED')" > wave.py; echo "print('HIJACKED')" > colorsys.py
"""
    await room.run("shell", inside, agreed=False)
    ran = await room.run(
        "shell", "/usr/bin/env kill 999999; kill 999999; echo $((n)); ps -p 1 >/dev/null; echo $ok; ls /boot"
    )
    assert "HIJACKED" not in ran.output + ran.error
    assert "fine\n" in ran.output
    await room.run("python", "import sys; sys.path.insert(0, '.')\nimport wave\nprint = eval = 'HIJACKED'\nx = 1")
    ran = await room.run(
        "python", "import os, colorsys, wave\nos.kill(os.getpid(), 0)\nprint(x, os.path.exists('/boot'))"
    )
    assert ran.output.endswith("1 True\n"), ran
    assert "HIJACKED" not in ran.output
    ran = await room.run("python", "import os\nos.path.exists('/boot')")
    assert ran.text("result") == "False"


async def test_in_a_wider_sandbox_installed_modules_come_before_those_of_the_folder(room: Room, home: Path) -> None:
    """Code in the usual sandbox could leave a module there under the name of an installed one."""
    make = "open('psutil.py', 'w').write('print(\\'HIJACKED\\')'); open('mine.py', 'w').write('x = 5')"
    assert (await room.run("python", make, agreed=False)).exit == "0"
    code = f"import psutil, mine\nopen('{home}/Documents/x', 'w').write(str(mine.x))\nprint(psutil.__name__, mine.x)"
    assert (await room.run("python", code)).output == "psutil 5\n"


async def test_the_network_is_there_for_the_run_that_may_have_it(room: Room, web: int) -> None:
    code = f"import urllib.request\nprint(urllib.request.urlopen('http://127.0.0.2:{web}/').read())"
    assert "b'hello'" in (await room.run("python", code)).output
    for ran in (await room.run("python", code, network=False), await room.run("python", code, agreed=False)):
        assert "hello" not in ran.output
        assert "HTTP Error 403" in ran.error
    loop = f"""
import http.client, threading, time, urllib.request
def go():
    while True:
        try:
            seen.append(urllib.request.urlopen('http://127.0.0.2:{web}/').read())
        except OSError as error:
            seen.append(error)
        time.sleep(0.01)
seen = []
threading.Thread(target=go, daemon=True).start()
while not seen: time.sleep(0.01)
print(seen[0])"""
    assert "hello" in (await room.run("python", loop)).output
    # The first answer may be to what was asked before.
    later = "del seen[:]\nwhile len(seen) < 5: time.sleep(0.01)\nprint({str(one)[:14] for one in seen[1:]})"
    ran = await room.run("python", later, network=False)
    assert ran.output == "{'HTTP Error 403'}\n", "what an earlier run left in the background is cut off, too"


async def test_curl_and_node_find_the_proxy_by_themselves(room: Room, web: int) -> None:
    need("curl", "node")
    assert (await room.run("shell", f"curl -s http://127.0.0.2:{web}/")).output == "hello"
    ran = await room.run("shell", f"curl -sS --noproxy '*' --max-time 5 http://127.0.0.2:{web}/")
    assert "hello" not in ran.output, "its own loopback is not the host's"


async def test_secrets_and_other_conversations_are_not_there(room: Room, home: Path, tmp_path: Path) -> None:
    other = tmp_path / "data/work/study"
    other.mkdir()
    (other / "said.txt").write_text("SECRET")
    code = f"cat {home}/.ssh/* {other}/* {tmp_path}/data/work/../work/study/said.txt; ls {tmp_path}/data/work"
    ran = await room.run("shell", code, agreed=False)
    assert "SECRET" not in ran.output
    assert ran.output.endswith("kitchen\n")


async def test_a_secret_that_comes_later_is_hidden_from_what_starts_later(room: Room, home: Path) -> None:
    await room.run("shell", "true")
    (home / ".aws").mkdir()
    (home / ".aws/credentials").write_text("SECRET")
    assert "SECRET" not in (await room.run("shell", "cat ~/.aws/credentials", agreed=False)).output


async def test_a_stop_ends_all_of_it(room: Room) -> None:
    task = asyncio.create_task(room.run("python", "import subprocess; subprocess.run(['setsid', 'sleep', '3933'])"))
    await until(lambda: running("sleep 3933"))
    await room.terminal.interrupt()
    assert (await task).exit == "130"
    await room.run("shell", "setsid env -i sleep 3934 & disown; nohup sleep 3935 &")
    await until(lambda: running("sleep 3934") and running("sleep 3935"))
    await room.terminal.close()
    for number in (3933, 3934, 3935):
        await gone(f"sleep {number}")


async def test_limits_end_it_with_words(home: Path, tmp_path: Path) -> None:
    housing = Housing(SandboxSettings(processes=40), (tmp_path / "data",))
    terminal = Terminal(tmp_path / "work", Hands(), cells=housing.rooms(tmp_path / "work"))
    many = "for n in $(seq 80); do sleep 3936 & done 2>/dev/null; wait"
    ran = await gather(terminal.run("shell", many, timeout_s=100))
    # As an ordinary user the kernel itself refuses the next process.
    assert "it started too many processes" in ran.error or "Resource temporarily unavailable" in ran.output + ran.error
    assert (await gather(terminal.run("shell", "echo fine"))).output == "fine\n"
    await terminal.close()


async def test_a_kernel_that_lies_is_read_as_a_stranger(room: Room) -> None:
    """Code can speak as its kernel: nonsense from there ends no conversation, and the next run works."""
    code = """
import zmq, json, os
kernel = get_ipython().kernel
session, sock = kernel.session, kernel.iopub_socket
parent = kernel.get_parent()
contents = [{}, {'text': 5}, {'data': {'text/plain': 7}}, {'execution_state': []}]
contents.append({'ename': [], 'evalue': 1, 'traceback': 'x'})
for content in contents:
    for kind in ('stream', 'display_data', 'execute_result', 'error', 'status', 'nonsense', 5):
        try:
            session.send(sock, kind, content, parent=parent)
        except Exception: pass
for parts in ([b''], [b'<IDS|MSG>'], [b'<IDS|MSG>', b'', b'{}', b'{}', b'{}', b'{}'], [b'[' * 100000] * 6):
    sock.send_multipart(parts)
deep = b'<IDS|MSG>', b'', b'[' * 200000, b'{}', b'{}', b'{}'
sock.send_multipart(list(deep))
"""
    ran = await room.run("python", code, agreed=False)
    assert ran.exit in ("0", "1"), ran
    again = await room.run("python", "print('fine')", agreed=False)
    assert "fine\n" in again.output


async def test_a_socket_of_the_host_put_in_place_of_the_hands_changes_nothing(room: Room) -> None:
    """The folder that holds the way to the hands can only be read."""
    code = """
import json, os
folder = os.path.dirname(json.__file__)
place = computer._address
for act in (lambda: os.unlink(place), lambda: os.rename(place, str(place) + 'x'), lambda: open(place, 'w')):
    try:
        act(); print('OUT')
    except OSError as error:
        print(error.strerror)
"""
    assert set((await room.run("python", code, agreed=False)).output.split("\n")) == {"Read-only file system", ""}


async def test_calls_of_the_hands_are_bounded_and_end_with_their_run(room: Room) -> None:
    asked: list[str] = []
    hold = asyncio.Event()

    async def allow(name: str, arguments: Any) -> None:
        asked.append(name)
        if name == "system.uptime":
            (room.terminal.folder / "asked").touch()
            await hold.wait()

    room.terminal.allow = allow
    code = """
import json, os, socket, threading, time
place = json.loads(open(computer._address).read())
def raw(data, wait=True):
    s = socket.socket(socket.AF_UNIX); s.connect(place['path']); s.settimeout(60)
    try:
        s.sendall(data)
        return s.makefile().readline()
    except OSError as error:
        return type(error).__name__
def call(**more):
    usual = {'token': place['token'], 'name': 'system.cpu', 'positional': [], 'named': {}}
    return raw(json.dumps(usual | more).encode() + b'\\n')
print(*('error' in call(**bad) for bad in ({'token': 'wrong'}, {'token': None}, {'name': 5}, {'positional': 'ab'})))
bad = b'[' * 100000, b'\\xff'
print('error' in call(named=[]), *('error' in raw(one + b'\\n') for one in bad), 'result' in call())
print(len(raw(b'x' * (5 << 20))) < 30)
held = [socket.socket(socket.AF_UNIX) for n in range(40)]
for s in held:
    s.connect(place['path'])
print('served' if 'result' in call() else 'refused')
for s in held: s.close()
while 'result' not in call(): pass
late = threading.Thread(target=lambda: computer.system.uptime()); late.start()
while not os.path.exists('asked'): time.sleep(0.01)
"""
    ran = await room.run("python", code, agreed=False)
    said = [line for line in ran.output.splitlines() if set(line.split()) <= {"True", "False", "refused", "served"}]
    assert said == ["True True True True", "True True True True", "True", "refused"], ran
    assert asked.count("system.uptime") == 1
    begun = len(asked)
    hold.set()
    ran = await room.run("python", "late.join(60); print(late.is_alive())", agreed=False)
    assert ran.output.endswith("False\n")
    assert len(asked) == begun, "what was asked for in the first run is not done in the second"


async def test_the_sandbox_of_one_conversation_has_no_way_to_the_hands_of_another(
    room: Room, home: Path, tmp_path: Path
) -> None:
    housing = Housing(SandboxSettings(), (tmp_path / "data",))
    folder = tmp_path / "data/work/study"
    other = Terminal(folder, Hands(), cells=housing.rooms(folder))
    ran = await gather(other.run("python", "print(open(computer._address).read()); print(computer._address)"))
    place, address = ran.output.splitlines()
    code = f"""
import os, socket
for path in ({address!r}, {json.loads(place)["path"]!r}):
    print(os.path.exists(path))
"""
    assert (await room.run("python", code, agreed=False)).output == "False\nFalse\n"
    await other.close()


async def test_warming_has_the_first_python_ready(home: Path, tmp_path: Path) -> None:
    housing = Housing(SandboxSettings(), (tmp_path / "data",))
    terminal = Terminal(tmp_path / "work", Hands(), cells=housing.rooms(tmp_path / "work"))
    terminal.warm()
    terminal.warm()
    assert (await gather(terminal.run("python", "1 + 1"))).text("result") == "2"
    assert len(running(str(tmp_path / "work"))) == len(running("kernel_main")) or running("kernel_main")
    await terminal.close()
    closed = Terminal(tmp_path / "more", Hands(), cells=housing.rooms(tmp_path / "more"))
    closed.warm()
    await closed.close()


async def test_without_a_sandbox_it_says_so(home: Path, tmp_path: Path) -> None:
    housing = Housing(SandboxSettings(kind="off"), (tmp_path / "data",))
    terminal = Terminal(tmp_path / "work", Hands(), cells=housing.rooms(tmp_path / "work"))
    assert not terminal.sandboxed
    assert terminal.lacks() == ""
    assert housing.trouble == "The sandbox is off (sandbox.kind), so every change is asked about."
    ran = await gather(terminal.run("shell", f"echo x > {home}/Documents/x; cat {home}/Documents/x"))
    assert ran.output == "x\n"
    await terminal.close()


def test_a_sandbox_tells_what_it_lacks(home: Path, tmp_path: Path) -> None:
    lacks = Housing(SandboxSettings(), ()).rooms(tmp_path).lacks()
    assert str(tmp_path) in lacks
    assert "no network" in lacks
    assert "home folder to read only" in lacks
    lacks = Housing(SandboxSettings(network=True, home="hidden", write=("~/Music",)), ()).rooms(tmp_path).lacks()
    assert "public internet" in lacks
    assert "an empty home folder" in lacks
    assert os.path.expanduser("~/Music") in lacks
