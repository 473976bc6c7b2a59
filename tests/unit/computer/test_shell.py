"""The shell runs for real: statuses, state, prompts that must not hang, and an end for everything it started."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from support.needs import need
from unit.computer.runs import begin, gone, place, run, running, until
from zero_one.computer.languages.script import JavaScript
from zero_one.computer.languages.shell import Shell

pytestmark = pytest.mark.skipif(not Shell.available(), reason="Windows has PowerShell instead")


@pytest_asyncio.fixture(params=["bash", "sh"])
async def either(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Shell]:
    """bash, and the plain sh of systems without it."""
    program = shutil.which("dash" if request.param == "sh" else "bash") or "/bin/sh"
    monkeypatch.setattr(Shell, "_program", staticmethod(lambda: program))
    language = Shell(place(tmp_path))
    yield language
    await language.close()


@pytest_asyncio.fixture
async def shell(tmp_path: Path) -> AsyncIterator[Shell]:
    language = Shell(place(tmp_path))
    yield language
    await language.close()


@pytest.mark.parametrize(
    ("code", "exit_", "output"),
    [
        ("true", "0", ""),
        ("false", "1", ""),
        ("(exit 42)", "42", ""),
        ("echo one; echo two >&2; exit 3", "3", "one\ntwo\n"),
        ("ls /no/such/place", "2", "No such file or directory"),
        ("no_such_program --at-all", "127", "not found"),
        ("echo 'never closed", "2", "1: "),
        ('echo "never closed', "2", "1: "),
        ("if then fi", "2", "yntax error"),
        ("for x in 1 2; do echo $x", "2", "yntax error"),
        ("cat <<END\nhello", "0", "hello"),
        ("set -e\nfalse\necho not here", "1", ""),
        ('set -eu\necho "$NOT_SET_AT_ALL"\necho not here', None, "NOT_SET_AT_ALL"),
        ("kill -TERM $$", "143", ""),
        ("exec echo replaced", "0", "replaced\n"),
        ("", "0", ""),
        ("# only a comment", "0", ""),
        ("printf 'no newline'", "0", "no newline"),
    ],
)
async def test_the_status_is_the_real_one_and_the_next_run_works(
    either: Shell, code: str, exit_: str | None, output: str
) -> None:
    ran = await run(either, code)
    assert ran.exit == exit_ if exit_ else ran.exit != "0"
    assert output in ran.output
    assert "not here" not in ran.output
    assert (await run(either, "echo fine")).output == "fine\n"


async def test_folder_and_environment_stay_also_after_exit(either: Shell, tmp_path: Path) -> None:
    (tmp_path / "a folder").mkdir()
    await run(either, "cd 'a folder'; export KIND=kept")
    assert (await run(either, "pwd; echo $KIND")).output == f"{tmp_path}/a folder\nkept\n"
    assert (await run(either, "exit 9")).exit == "9"
    assert (await run(either, "pwd; echo $KIND")).output == f"{tmp_path}/a folder\nkept\n"
    assert (await run(either, "cd /; export KIND=new; exit 0")).exit == "0"
    assert (await run(either, "pwd; echo $KIND")).output == "/\nnew\n"


async def test_variables_and_functions_of_bash_stay_too(shell: Shell) -> None:
    await run(shell, "plain=1; list=(a 'b c'); greet() { echo \"hello $1\"; }; alias x=y")
    await run(shell, "exit 1")
    assert (await run(shell, "echo $plain ${list[1]}; greet you")).output == "1 b c\nhello you\n"


@pytest.mark.parametrize(
    "code",
    [
        'read name; echo "got:$name"',
        "cat",
        "python3",
        "sudo -S -k true",
        "bash",
        "head -1",
        "python3 -c 'input()'",
        "tee x",
    ],
)
async def test_what_waits_for_input_sees_the_end_of_it(shell: Shell, code: str) -> None:
    ran = await run(shell, code)
    assert ran.exit != "124", ran


async def test_there_is_no_terminal_to_ask_for_a_password_on(shell: Shell) -> None:
    ran = await run(shell, "test -t 0 || test -t 1 || test -t 2 || echo none; (: </dev/tty) 2>/dev/null || echo no tty")
    assert ran.output == "none\nno tty\n"


async def test_output_comes_while_the_script_runs(shell: Shell) -> None:
    pieces = shell.run("echo first; sleep 3741", timeout_s=100)
    async with asyncio.timeout(60):
        assert (await anext(pieces)).content == "first\n"
    await pieces.aclose()
    await gone("sleep 3741")


async def test_background_jobs_do_not_hold_a_run_and_end_with_the_shell(tmp_path: Path) -> None:
    shell = Shell(place(tmp_path))
    ran = await run(shell, "sleep 3701 & setsid sleep 3702 & nohup sleep 3703 2>/dev/null & (sleep 3704 &); echo on")
    assert (ran.output, ran.exit) == ("on\n", "0")
    jobs = [f"sleep 370{number}" for number in (1, 2, 3, 4)]
    await until(lambda: all(running(job) for job in jobs), seen=lambda: [(job, running(job)) for job in jobs])
    await shell.close()
    for job in jobs:
        await gone(job)


async def test_what_a_background_job_prints_later_goes_to_a_file(shell: Shell, tmp_path: Path) -> None:
    await run(shell, "(until [ -e go ]; do sleep 0.02; done; echo LATE; touch said) &")
    ran = await run(shell, "touch go; until [ -e said ]; do sleep 0.02; done; echo second")
    assert ran.output == "second\n"
    found = tmp_path.joinpath(".output").glob
    await until(lambda: any(file.read_text() for file in found("background-*-0001.txt")))
    (kept,) = found("background-*-0001.txt")
    assert kept.read_text() == "LATE\n"
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_an_interrupt_ends_the_whole_tree_and_nothing_after_it_runs(shell: Shell, tmp_path: Path) -> None:
    await run(shell, "before=kept; cd /tmp")
    code = "cd /usr; before=changed; sh -c 'sleep 3711 & echo on; sleep 3712'; touch wrong; echo wrong"
    task = await begin(shell, code.replace("touch wrong", f"touch {tmp_path}/wrong"), "on")
    start = asyncio.get_running_loop().time()
    await shell.interrupt()
    ran = await task
    assert asyncio.get_running_loop().time() - start < 30, "the code itself takes an hour"
    assert ran.exit == "130"
    assert "interrupted" in ran.error
    assert "wrong" not in ran.output
    await gone("sleep 3711")
    await gone("sleep 3712")
    assert not (tmp_path / "wrong").exists()
    assert (await run(shell, "pwd; echo $before")).output == "/usr\nkept\n"


async def test_a_child_that_ignores_signals_is_ended_too(shell: Shell) -> None:
    task = await begin(shell, "trap '' INT TERM HUP; echo on; while :; do sleep 3721; done", "on")
    await shell.interrupt()
    assert (await task).exit == "130"
    await gone("sleep 3721")


async def test_a_time_limit_ends_it(shell: Shell) -> None:
    ran = await run(shell, "sleep 3731; echo not here", timeout_s=0.2)
    assert (ran.exit, ran.output) == ("124", "")
    assert "longer than the 0.2 seconds" in ran.error
    await gone("sleep 3731")


async def test_interrupting_when_nothing_runs_does_nothing(shell: Shell) -> None:
    await shell.interrupt()
    await run(shell, "x=1")
    await shell.interrupt()
    assert (await run(shell, "echo $x")).output == "1\n"


async def test_a_hundred_megabytes_and_binary_pass_through(shell: Shell) -> None:
    before = psutil.Process().memory_info().rss
    seen, highest, status = 0, before, ""
    async for piece in shell.run(
        "head -c 100000000 /dev/zero | tr '\\0' 'a'; head -c 50000 /dev/urandom", timeout_s=110
    ):
        seen += len(piece.content) if piece.kind == "output" else 0
        status = piece.content if piece.kind == "exit" else status
        highest = max(highest, psutil.Process().memory_info().rss)
    assert seen > 100_000_000
    assert status == "0"
    assert highest - before < 40_000_000


async def test_text_is_utf8_and_what_is_not_is_marked(shell: Shell) -> None:
    ran = await run(shell, "printf 'a\\0b\\377 \\303\\274 \\360\\237\\216\\210'")
    assert ran.output == "a\ufffdb\ufffd ü 🎈"
    assert (await run(shell, "echo a\0b")).error == "The script holds a NUL byte, which no shell can read."


async def test_secrets_of_the_host_are_not_in_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "hunter2")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/agent")
    shell = Shell(place(tmp_path))
    ran = await run(shell, "env | grep -c hunter2; echo $SSH_AUTH_SOCK")
    await shell.close()
    assert ran.output == "0\n/run/agent\n"


async def test_a_working_folder_that_is_gone_is_no_dead_end(shell: Shell, tmp_path: Path) -> None:
    await run(shell, "mkdir sub; cd sub; rmdir ../sub")
    await run(shell, "exit 1")
    ran = await run(shell, "pwd; echo fine")
    assert "fine" in ran.output


async def test_descriptors_of_ours_are_not_seen(shell: Shell) -> None:
    ran = await run(shell, "ls /proc/self/fd | wc -l; echo done >&4")
    assert ran.output.startswith("4\n")  # 0, 1, 2 and the folder that ls reads
    assert "done" not in ran.output.splitlines()
    assert (await run(shell, "echo fine")).output == "fine\n"


async def test_javascript_runs_as_one_program_per_run(tmp_path: Path) -> None:
    need("node")
    language = JavaScript(place(tmp_path))
    ran = await run(language, "const fs = require('fs'); setTimeout(() => console.log(process.cwd()), 10)")
    assert (ran.output, ran.exit) == (f"{tmp_path}\n", "0")
    assert (await run(language, "process.exit(4)")).exit == "4"
    wrong = await run(language, "throw new Error('so it goes')")
    assert wrong.exit == "1"
    assert "so it goes" in wrong.output
    task = await begin(language, "console.log('on'); while (true) {}", "on")
    await language.interrupt()
    assert (await task).exit == "130"
    assert (await run(language, "while (true) {}", timeout_s=0.3)).exit == "124"
    await language.close()


@pytest.mark.parametrize("name", ["cat", "builtin", "alias", "printf", "command", "read"])
async def test_what_a_script_defines_never_decides_what_the_next_one_is(
    either: Shell, tmp_path: Path, name: str
) -> None:
    """A function prints words; no later script may turn out to be these words, in this shell or in the one after it."""
    await run(either, f"{name}() {{ echo 'touch planted; echo planted'; }}")
    outputs = [(await run(either, code)).output for code in ("echo one", "exit 3", "echo two", "echo three")]
    assert "".join(outputs).count("planted") == 0
    assert not (tmp_path / "planted").exists()
    assert outputs[-1] == "three\n"


async def test_a_shell_that_runs_nothing_any_more_says_so_and_is_replaced(shell: Shell) -> None:
    await run(shell, "readonly __run")
    ran = await run(shell, "echo unheard")
    assert (ran.output, ran.exit) == ("", "1")
    assert ran.error.startswith("The script was not run")
    ran = await run(shell, "echo heard")
    assert (ran.output, ran.exit, ran.error) == ("heard\n", "0", "")
