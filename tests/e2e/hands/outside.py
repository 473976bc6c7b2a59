"""Looking at the desktop from outside: windows of other processes, and waiting for what they say."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

T = TypeVar("T")
WINDOW = Path(__file__).with_name("window.py")


def wait_for(look: Callable[[], T], seconds: float = 10.0) -> T:
    """The first true answer of ``look``; what other programs do can only be looked at again and again."""
    end = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < end, f"still waiting for {look} after {seconds} s"
        time.sleep(0.02)
    return found


async def said_by(*command: str, stdin: str | None = None, quiet: bool = False) -> str:
    """What a program prints; ``quiet`` for one that stays behind and would hold the pipe."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL if quiet else asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    out, _ = await asyncio.wait_for(process.communicate((stdin or "").encode()), 10)
    assert process.returncode == 0, f"{command} ended with {process.returncode}"
    return (out or b"").decode()


def end(process: subprocess.Popen[bytes]) -> None:
    for one in (*psutil.Process(process.pid).children(recursive=True), process):
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
    process.wait(10)


class Window:
    """A real window of another process, and what it says has happened to it."""

    def __init__(self, title: str, folder: Path) -> None:
        self.title = title
        self._log = folder / f"{title}.log"
        self._process = subprocess.Popen([sys.executable, str(WINDOW), title, str(self._log)], stdin=subprocess.DEVNULL)
        wait_for(lambda: {"ready", "focus"} <= set(self.events()), 20.0)

    def events(self) -> list[str]:
        return self._log.read_text(encoding="utf-8").splitlines() if self._log.exists() else []

    def saw(self, event: str) -> None:
        """Wait until the window has seen an event; fails with what it saw instead."""
        try:
            wait_for(lambda: event in self.events(), 5.0)
        except AssertionError:
            raise AssertionError(f"{event!r} not among {self.events()}") from None

    @property
    def open(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        if self.open:
            end(self._process)
