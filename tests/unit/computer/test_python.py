"""Python runs in a real kernel: what it prints, how it ends, what survives."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from support.needs import need
from unit.computer.runs import Ran, begin, gone, no_call, run, running, until
from zero_one.computer.languages import python as python_module
from zero_one.computer.languages.base import Place
from zero_one.computer.languages.pool import KernelPool
from zero_one.computer.languages.python import Python

pytestmark = pytest.mark.asyncio(loop_scope="module")
SOON_S = 30.0
"""At once, on a busy machine: what is waited for would else take twice as long, or for ever."""


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine must not look like deaf code."""
    monkeypatch.setattr(python_module, "INTERRUPT_GRACE_S", 60.0)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def pool() -> AsyncIterator[KernelPool]:
    kernels = KernelPool()
    kernels.start()
    yield kernels
    await kernels.close()


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def python(pool: KernelPool, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Python]:
    language = Python(Place(tmp_path_factory.mktemp("conversation"), no_call, pool))
    yield language
    await language.close()


async def test_variables_imports_and_functions_stay_from_run_to_run(python: Python) -> None:
    first = await run(python, "import math\ndef area(r):\n    return math.pi * r * r\nradius = 2\nprint('ready')")
    assert (first.output, first.exit) == ("ready\n", "0")
    second = await run(python, "print(f'{area(radius):.2f}')\nradius + 1")
    assert (second.output, second.text("result"), second.exit) == ("12.57\n", "3", "0")


async def test_it_runs_in_the_conversations_folder_and_imports_from_it(python: Python) -> None:
    (python._place.folder / "helper_of_mine.py").write_text("answer = 42\n")
    ran = await run(python, "import os, helper_of_mine\nprint(os.getcwd(), helper_of_mine.answer)")
    assert ran.output == f"{python._place.folder} 42\n"


async def test_output_comes_while_the_code_runs(python: Python) -> None:
    pieces = python.run("import time\nprint('one')\ntime.sleep(20)", timeout_s=30)
    first = await anext(pieces)
    assert first.content == "one\n"
    await pieces.aclose()


@pytest.mark.parametrize(
    ("code", "exit_", "error"),
    [
        ("1/0", "1", "ZeroDivisionError: division by zero"),
        ("def f(:", "1", "SyntaxError: invalid syntax"),
        ("if True:\nprint(1)", "1", "IndentationError"),
        ("name = input('Your name? ')", "1", "EOFError: nobody can type into this program"),
        ("import getpass; getpass.getpass()", "1", "EOFError: nobody can type into this program"),
        ("import sys; sys.exit('no such thing')", "1", "no such thing"),
        ("exit(3)", "3", ""),
        ("import sys; sys.exit(4)", "4", ""),
        ("quit()", "0", ""),
        ("exit", "0", ""),
        ("import sys; print(repr(sys.stdin.read()))", "0", ""),
    ],
)
async def test_the_way_it_ends_is_told(python: Python, code: str, exit_: str, error: str) -> None:
    await run(python, "kept = 'yes'")
    ran = await run(python, code)
    assert ran.exit == exit_
    assert error in ran.error
    assert bool(error) == bool(ran.error)
    assert "kernel_main" not in ran.error
    assert "\x1b" not in ran.error
    assert (await run(python, "kept")).text("result") == "'yes'"


async def test_a_deep_traceback_is_trimmed_and_keeps_its_end(python: Python) -> None:
    ran = await run(python, "def f(n):\n    return f(n + 1)\nf(0)")
    assert "RecursionError" in ran.error
    assert len(ran.error) < 10_000


async def test_what_children_print_is_seen_whole(python: Python) -> None:
    ran = await run(python, "import os\nstatus = os.system(\"echo 'from a child: ünï – 漢'; echo err >&2\")")
    assert ran.output == "from a child: ünï – 漢\nerr\n"


async def test_pictures_come_as_png(python: Python) -> None:
    ran = await run(python, "from PIL import Image\ndisplay(Image.new('RGB', (3, 2), 'red'))\nImage.new('L', (1, 1))")
    pictures = [base64.b64decode(piece.content) for piece in ran.pieces if piece.kind == "image"]
    assert [picture[:8] for picture in pictures] == [b"\x89PNG\r\n\x1a\n"] * 2
    assert ran.exit == "0"


@pytest.mark.parametrize(
    "code",
    [
        "import time\nprint('on')\ntime.sleep(60)",
        "print('on')\nwhile True: pass",
        "import subprocess\nprint('on')\nsubprocess.run(['sleep', '61'])",
        "import threading\nprint('on', flush=True)\nthreading.Event().wait()",
        "import asyncio\nprint('on')\nawait asyncio.sleep(60)",
    ],
)
@pytest.mark.usefixtures("patient")
async def test_an_interrupt_stops_it_at_once_and_keeps_variables(python: Python, code: str) -> None:
    await run(python, "kept = 'yes'")
    task = await begin(python, code, "on")
    start = asyncio.get_running_loop().time()
    await python.interrupt()
    ran = await task
    assert asyncio.get_running_loop().time() - start < SOON_S
    assert ran.exit == "130", ran
    assert "interrupted" in ran.error
    assert (await run(python, "kept")).text("result") == "'yes'"


async def stubborn(python: Python, task: asyncio.Task[Ran]) -> None:
    start = asyncio.get_running_loop().time()
    await python.interrupt()
    ran = await task
    assert asyncio.get_running_loop().time() - start < SOON_S
    assert ran.exit == "130", ran
    assert "Variables are lost" in ran.error, ran
    assert (await run(python, "1 + 1")).text("result") == "2"


async def test_code_that_will_not_listen_is_ended_and_the_loss_is_told(python: Python) -> None:
    # It says that it is on from where it is deaf already: an interrupt before that would be heard.
    code = "import time\nwhile True:\n  try:\n    print('on')\n    time.sleep(9)\n  except BaseException:\n    pass"
    await stubborn(python, await begin(python, code, "on"))


async def test_code_that_holds_the_interpreters_lock_in_c_is_ended_and_the_loss_is_told(python: Python) -> None:
    # The pause lets the word get out before the lock is taken for good; that it was taken shows in the time it burns.
    code = "import time\nprint('on', flush=True)\ntime.sleep(1)\nsum(range(10**12))"
    task = await begin(python, code, "on")
    assert python._kernel is not None
    process = psutil.Process(python._kernel.pid)
    idle = process.cpu_times().user
    await until(lambda: process.cpu_times().user > idle + 0.3, seen=process.cpu_times)
    await stubborn(python, task)


@pytest.mark.usefixtures("patient")
async def test_a_time_limit_stops_it(python: Python) -> None:
    ran = await run(python, "import time\ntime.sleep(60)", timeout_s=0.3)
    assert (ran.exit, ran.error) == ("124", "Stopped: it ran longer than the 0.3 seconds it was given.")
    assert ran.seconds < SOON_S


async def test_closing_the_iterator_interrupts(python: Python) -> None:
    pieces = python.run("import time\nprint('on')\ntime.sleep(60)\nafter = 1", timeout_s=30)
    await anext(pieces)
    await pieces.aclose()
    assert "NameError" in (await run(python, "after")).error


@pytest.mark.parametrize(
    ("code", "exit_", "told"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "137", "killed by SIGKILL"),
        ("import os; os._exit(7)", "7", "ended by itself with exit status 7"),
        ("import ctypes; ctypes.string_at(0)", "139", "killed by SIGSEGV"),
    ],
)
async def test_a_dead_process_is_told_and_replaced(python: Python, code: str, exit_: str, told: str) -> None:
    ran = await run(python, code)
    assert ran.exit == exit_
    assert told in ran.error
    assert "Variables are lost" in ran.error
    assert (await run(python, "2 + 2")).text("result") == "4"


async def test_a_kernel_killed_from_outside_mid_run_is_told(python: Python) -> None:
    task = await begin(python, "import time\nprint('on')\ntime.sleep(60)", "on")
    assert python._kernel is not None
    os.kill(python._kernel.pid, signal.SIGKILL)
    async with asyncio.timeout(60):
        ran = await task
    assert ran.exit == "137"
    assert "killed by SIGKILL" in ran.error
    assert (await run(python, "3 + 3")).text("result") == "6"


@pytest.mark.parametrize("code", ["print('x' * 100_000_000)", "import os\nos.system('yes | head -c 100000000')"])
async def test_a_hundred_megabytes_pass_through_without_staying_in_memory(python: Python, code: str) -> None:
    await run(python, "import resource")
    before = psutil.Process().memory_info().rss
    seen = 0
    highest = before
    async for piece in python.run(code, timeout_s=110):
        seen += len(piece.content)
        highest = max(highest, psutil.Process().memory_info().rss)
    assert seen >= 100_000_000
    assert highest - before < 60_000_000


async def test_a_reader_who_stops_reading_holds_the_code_back(python: Python) -> None:
    pieces = python.run("for _ in range(1000):\n    print('x' * 100_000)", timeout_s=30)
    await anext(pieces)
    before = psutil.Process().memory_info().rss
    await asyncio.sleep(0.5)
    assert psutil.Process().memory_info().rss - before < 60_000_000
    await pieces.aclose()
    assert (await run(python, "5")).exit == "0"


async def test_a_giant_result_is_cut(python: Python) -> None:
    ran = await run(python, "'y' * 50_000_000")
    assert 1_000_000 < len(ran.text("result")) < 1_100_000
    assert "characters left out" in ran.text("result")


async def test_late_output_of_a_thread_is_not_taken_for_the_next_runs(python: Python) -> None:
    code = "import threading\ngo = threading.Event()\n"
    code += "def late():\n    go.wait()\n    print('LATE')\n    done.set()\n"
    code += "done = threading.Event()\nthreading.Thread(target=late).start()"
    await run(python, code)
    ran = await run(python, "go.set()\ndone.wait(60)\nprint('second')")
    assert ran.output == "second\n"


async def test_a_pool_from_an_earlier_run_prints_into_the_run_that_uses_it(python: Python) -> None:
    await run(
        python,
        "from concurrent.futures import ThreadPoolExecutor\npool = ThreadPoolExecutor(1)\npool.submit(int).result()",
    )
    assert (await run(python, "pool.submit(print, 'here').result()")).output == "here\n"


async def test_secrets_of_the_host_are_not_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "MY_SECRET", "aws_secret_access_key"):
        monkeypatch.setenv(name, "hunter2")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:hunter2@localhost/db")
    monkeypatch.setenv("PLAIN_SETTING", "kept")
    python = Python(Place(tmp_path, no_call))
    try:
        ran = await run(
            python,
            "import os\nprint([k for k, v in os.environ.items() if 'hunter2' in v], os.environ['PLAIN_SETTING'])",
        )
    finally:
        await python.close()
    assert ran.output == "[] kept\n"


async def test_computer_calls_go_out_to_the_host_and_their_errors_come_back(tmp_path: Path, pool: KernelPool) -> None:
    asked: list[Any] = []

    async def call(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        asked.append((name, positional, named))
        if name == "mouse.click":
            raise PermissionError("The user said no.")
        return {"path": "/a", "sizes": [1, 2]}

    python = Python(Place(tmp_path, call, pool))
    try:
        ran = await run(python, "computer.files.find('letter', limit=3)['sizes']")
        refused = await run(python, "try:\n    computer.mouse.click(1, y=2)\nexcept RuntimeError as e:\n    print(e)")
        threaded = "import threading\nt = threading.Thread(target=lambda: print(computer.a.b()))\nt.start(); t.join()"
        from_thread = await run(python, threaded)
        later = await run(
            python,
            "import threading, time\ndef sneak():\n    go.wait()\n    computer.mouse.move(1, 1)\n"
            "go = threading.Event()\nthreading.Thread(target=sneak).start()",
        )
    finally:
        await python.close()
    assert asked == [("files.find", ["letter"], {"limit": 3}), ("mouse.click", [1], {"y": 2}), ("a.b", [], {})]
    assert ran.text("result") == "[1, 2]"
    assert refused.output == "The user said no.\n"
    assert "/a" in from_thread.output
    assert later.exit == "0"


async def test_waiting_for_the_user_is_not_the_codes_own_time(tmp_path: Path, pool: KernelPool) -> None:
    async def call(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        await asyncio.sleep(4)
        return "at last"

    python = Python(Place(tmp_path, call, pool))
    try:
        ran = await run(python, "computer.ask.user()", timeout_s=3)
    finally:
        await python.close()
    assert (ran.text("result"), ran.exit) == ("'at last'", "0")


async def test_an_interrupt_ends_a_call_that_waits(tmp_path: Path, pool: KernelPool) -> None:
    cancelled = asyncio.Event()
    asked = asyncio.Event()

    async def call(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        asked.set()
        try:
            await asyncio.sleep(60)
        finally:
            cancelled.set()

    python = Python(Place(tmp_path, call, pool))
    try:
        task = asyncio.create_task(run(python, "computer.ask.user()"))
        await asyncio.wait_for(asked.wait(), 60)
        await python.interrupt()
        assert (await task).exit == "130"
        await asyncio.wait_for(cancelled.wait(), 60)
    finally:
        await python.close()


async def test_closing_ends_the_kernel_and_what_it_started(tmp_path: Path, pool: KernelPool) -> None:
    python = Python(Place(tmp_path, no_call, pool))
    await run(
        python, "import subprocess\nsubprocess.Popen(['sleep', '3601'])\nsubprocess.Popen(['setsid', 'sleep', '3602'])"
    )
    assert python._kernel is not None
    runtime = python._kernel.runtime
    await python.close()
    await gone("sleep 3601")
    await gone("sleep 3602")
    assert not runtime.exists()


async def test_an_interrupt_while_its_kernel_starts_is_kept(tmp_path: Path) -> None:
    python = Python(Place(tmp_path, no_call))
    task = asyncio.create_task(run(python, "open('ran', 'w')"))
    await until(python._turn.locked)
    await python.interrupt()
    ran = await task
    await python.close()
    assert (ran.exit, ran.error) == ("130", "Stopped: it was interrupted before it began.")
    assert not (tmp_path / "ran").exists()


HOST = """
import asyncio, sys
from pathlib import Path
from support.needs import need
from unit.computer.runs import no_call, run
from zero_one.computer.languages import python as python_module
from zero_one.computer.languages.base import Place
from zero_one.computer.languages.{module} import {language}

async def main():
    language = {language}(Place(Path(sys.argv[1]), no_call))
    await run(language, {code!r})
    print("up", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.parametrize(
    ("module", "language", "code"),
    [
        ("python", "Python", "import subprocess; subprocess.Popen(['sleep', '3611'])"),
        ("shell", "Shell", "sleep 3611 &"),
    ],
)
async def test_nothing_is_left_when_the_host_is_killed(tmp_path: Path, module: str, language: str, code: str) -> None:
    host = HOST.format(module=module, language=language, code=code)
    tests = str(Path(__file__).parents[2])
    process = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", host, str(tmp_path)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": tests, "TMPDIR": str(tmp_path)},
    )
    assert process.stdout is not None
    assert await asyncio.to_thread(process.stdout.readline) == b"up\n"
    children = psutil.Process(process.pid).children()
    assert children
    # A job in the background begins by itself. The host has these words in its own command line.
    await until(lambda: set(running("sleep 3611")) - {process.pid})
    process.kill()
    await asyncio.to_thread(process.wait)
    process.stdout.close()
    await gone("sleep 3611")
    await until(lambda: not [child for child in children if alive(child)], seen=lambda: children)
    await until(lambda: not list(tmp_path.glob("01-*")), seen=lambda: list(tmp_path.glob("01-*")))


def alive(process: psutil.Process) -> bool:
    """Nobody may be there to take in a process that has ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


async def test_the_pool_gives_a_ready_kernel_at_once(tmp_path: Path) -> None:
    pool = KernelPool()
    pool.start()
    assert pool._spare is not None
    spare = await asyncio.shield(pool._spare)
    python = Python(Place(tmp_path, no_call, pool))
    try:
        ran = await run(python, "1")
        assert ran.text("result") == "1"
        assert python._kernel is spare
    finally:
        await python.close()
        await pool.close()
    pool.start()
    assert pool._spare is None


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap is on Linux only")
async def test_in_a_sandbox_without_network_it_runs_is_interrupted_and_reaches_the_hands(
    tmp_path: Path, patient: None
) -> None:
    need("bwrap")

    def wrap(argv: list[str], runtime: Path) -> list[str]:
        writable = [option for path in (runtime, tmp_path) for option in ("--bind", str(path), str(path))]
        inside = [
            "bwrap",
            "--unshare-all",
            "--die-with-parent",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
        ]
        return [*inside, *writable, "--", *argv]

    async def call(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        return [name, *positional]

    pool = KernelPool(wrap)
    python = Python(Place(tmp_path, call, pool))
    try:
        ran = await run(python, "computer.system.disk('/')")
        assert ran.text("result") == "['system.disk', '/']", ran
        offline = (
            "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 9), 1)\nexcept OSError as e:\n    print(e)"
        )
        assert "unreachable" in (await run(python, offline)).output
        task = await begin(python, "kept = 1\nimport subprocess\nprint('on')\nsubprocess.run(['sleep', '3621'])", "on")
        await python.interrupt()
        assert (await task).exit == "130"
        assert (await run(python, "kept")).text("result") == "1"
        await run(python, "subprocess.Popen(['sleep', '3622'])")
    finally:
        await python.close()
        await pool.close()
    await gone("sleep 3621")
    await gone("sleep 3622")
