"""What a run of code gave, gathered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from zero_one.computer.languages.base import Language, Output, Place


@dataclass
class Ran:
    """The pieces of a run by kind; ``exit`` is the status, ``seconds`` how long it took."""

    pieces: list[Output] = field(default_factory=list)
    seconds: float = 0.0

    def text(self, kind: str) -> str:
        return "".join(piece.content for piece in self.pieces if piece.kind == kind)

    @property
    def output(self) -> str:
        return self.text("output")

    @property
    def error(self) -> str:
        return self.text("error")

    @property
    def exit(self) -> str:
        assert [piece.kind for piece in self.pieces].count("exit") == 1
        assert self.pieces[-1].kind == "exit"
        return self.pieces[-1].content


async def gather(pieces: AsyncIterator[Output]) -> Ran:
    loop = asyncio.get_running_loop()
    start = loop.time()
    ran = Ran([piece async for piece in pieces])
    ran.seconds = loop.time() - start
    return ran


async def run(language: Language, code: str, timeout_s: float = 100.0) -> Ran:
    return await gather(language.run(code, timeout_s=timeout_s))


async def begin(language: Language, code: str, shows: str, timeout_s: float = 100.0) -> asyncio.Task[Ran]:
    """Start a run and return once it has printed ``shows``."""
    shown = asyncio.Event()

    async def watch() -> AsyncIterator[Output]:
        seen = ""
        async for piece in language.run(code, timeout_s=timeout_s):
            seen += piece.content
            if shows in seen:
                shown.set()
            yield piece

    task = asyncio.create_task(gather(watch()))
    waiting = asyncio.create_task(shown.wait())
    await asyncio.wait({task, waiting}, timeout=100, return_when=asyncio.FIRST_COMPLETED)
    assert shown.is_set(), task
    return task


async def no_call(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
    raise AssertionError(f"nothing should call {name}")


def place(folder: Path) -> Place:
    return Place(folder, no_call)


def running(words: str) -> list[int]:
    """Processes whose command line has these words."""
    return [
        process.pid
        for process in psutil.process_iter(["cmdline", "status"])
        if words in " ".join(process.info["cmdline"] or ()) and process.info["status"] != psutil.STATUS_ZOMBIE
    ]


async def until(true: Callable[[], object], seconds: float = 60.0, seen: Callable[[], object] = lambda: "") -> None:
    """Wait for what other processes do: it can only be looked at again and again. ``seen``: what a failure shows."""
    end = asyncio.get_running_loop().time() + seconds
    while not true():
        assert asyncio.get_running_loop().time() < end, f"not within {seconds} s {seen()}"
        await asyncio.sleep(0.02)


async def gone(words: str) -> None:
    """Wait until no process with these words is left."""
    await until(lambda: not running(words), seen=lambda: f"left of {words!r}: {running(words)}")
