"""A conversation's terminal: which languages it has, what passes through it, and the gate before the hands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from unit.computer.runs import gather, gone, running, until
from zero_one.computer.hands import Hands, method
from zero_one.computer.languages.base import Output, Place
from zero_one.computer.output import Limits
from zero_one.computer.terminal import Terminal


@method("observe")
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


def numbers() -> Hands:
    module = ModuleType("extra.numbers")
    add.__module__ = module.__name__
    module.add = add  # type: ignore[attr-defined]
    hands = Hands()
    hands.add(module)
    return hands


@pytest_asyncio.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    opened = Terminal(tmp_path / "conversation", numbers(), limits=Limits(head=100, tail=100))
    yield opened
    await opened.close()


async def test_languages_share_the_folder_and_are_found_by_other_names(terminal: Terminal) -> None:
    assert {"python", "shell"} <= set(terminal.languages)
    assert "applescript" not in terminal.languages or __import__("sys").platform == "darwin"
    assert terminal.folder.stat().st_mode & 0o777 == 0o700
    await gather(terminal.run("bash", "echo from the shell > note.txt"))
    ran = await gather(terminal.run("PY", "open('note.txt').read()"))
    assert ran.text("result") == "'from the shell\\n'"


async def test_an_unknown_language_is_told_with_what_there_is(terminal: Terminal) -> None:
    ran = await gather(terminal.run("cobol", "DISPLAY 'HI'."))
    assert ran.exit == "127"
    assert "cobol cannot be run on this machine. It has python, shell" in ran.error


async def test_long_output_is_cut_in_the_middle_and_kept_whole(terminal: Terminal) -> None:
    ran = await gather(terminal.run("shell", "seq 1 5000; echo end >&2; exit 3"))
    assert ran.output.startswith("1\n2\n3\n")
    assert ran.output.endswith("5000\nend\n")
    assert len(ran.output) < 500
    assert ran.exit == "3"
    kept = terminal.folder / ".output" / "0001-shell.txt"
    assert str(kept) in ran.output
    assert kept.read_text() == "".join(f"{number}\n" for number in range(1, 5001)) + "end\n"


async def test_the_tail_comes_before_the_error_that_followed_it(terminal: Terminal) -> None:
    ran = await gather(terminal.run("python", "for n in range(500):\n    print('line', n)\n1/0"))
    kinds = [piece.kind for piece in ran.pieces]
    assert kinds[-2:] == ["error", "exit"]
    assert "line 499\n" in ran.output
    assert "ZeroDivisionError" in ran.error


async def test_an_interrupt_stops_every_language(terminal: Terminal) -> None:
    runs = [
        asyncio.create_task(gather(terminal.run("shell", "echo $$ > shell.pid; sleep 3801"))),
        asyncio.create_task(gather(terminal.run("python", "open('python.pid', 'w').close()\nwhile True: pass"))),
    ]
    await until(lambda: len(list(terminal.folder.glob("*.pid"))) == 2 and running("sleep 3801"))
    await terminal.interrupt()
    assert [ran.exit for ran in await asyncio.gather(*runs)] == ["130", "130"]
    await gone("sleep 3801")


async def test_the_gate_stands_before_every_call_out_of_code(tmp_path: Path) -> None:
    asked: list[tuple[str, Mapping[str, Any]]] = []

    async def allow(name: str, arguments: Mapping[str, Any]) -> None:
        asked.append((name, arguments))
        if arguments.get("b") == 13:
            raise PermissionError("Not thirteen.")

    terminal = Terminal(tmp_path, numbers(), allow=allow)
    code = """
print(computer.numbers.add(1), computer.numbers.add(1, b=5))
for arguments in ({"b": 13, "a": 1}, {"a": "x"}, {"c": 1}):
    try:
        computer.numbers.add(**arguments)
    except RuntimeError as error:
        print(error)
try:
    computer.numbers.subtract(1)
except RuntimeError as error:
    print(error)
print('numbers' in dir(computer), 'computer.numbers: add')
"""
    ran = await gather(terminal.run("python", code))
    assert await terminal.call("numbers.add", {"a": 2, "b": 2}) == 4
    await terminal.close()
    lines = ran.output.splitlines()
    assert lines[0] == "2 6"
    assert lines[1] == "Not thirteen."
    assert lines[2].startswith("computer.numbers.add was called wrongly: a: Input should be a valid integer")
    assert "It takes a, b." in lines[3]
    assert lines[4] == "There is no computer.numbers.subtract. There is numbers.add."
    assert lines[5] == "True computer.numbers: add"
    assert asked[0] == ("numbers.add", {"a": 1})
    assert asked[1] == ("numbers.add", {"a": 1, "b": 5})
    assert asked[-1] == ("numbers.add", {"a": 2, "b": 2})


class Echo:
    """A language of another package."""

    name: ClassVar[str] = "echo"
    aliases: ClassVar[tuple[str, ...]] = ("parrot",)

    def __init__(self, place: Place) -> None:
        self.closed = False

    @classmethod
    def available(cls) -> bool:
        return True

    async def run(self, code: str, *, timeout_s: float) -> AsyncIterator[Output]:
        yield Output("output", code)
        yield Output("exit", "0")

    async def interrupt(self) -> None: ...

    async def close(self) -> None:
        self.closed = True


async def test_others_add_languages_and_hands_by_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        def __init__(self, thing: Any) -> None:
            self.load = lambda: thing

    module = ModuleType("extra.numbers")
    add.__module__ = module.__name__
    module.add = add  # type: ignore[attr-defined]
    groups = {"zero_one.languages": [Entry(Echo)], "zero_one.hands": [Entry(module)]}
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: groups.get(group, []))
    hands = Hands()
    assert await hands.call("numbers.add", a=1, b=2) == 3
    terminal = Terminal(tmp_path, hands)
    ran = await gather(terminal.run("parrot", "hello"))
    await terminal.close()
    assert (ran.output, ran.exit) == ("hello", "0")
