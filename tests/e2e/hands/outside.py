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


LIMIT_S = 60.0
"""How long a busy machine may take for what is done at once elsewhere."""


def wait_for(look: Callable[[], T], seen: Callable[[], object] = lambda: "") -> T:
    """The first true answer of ``look``; what other programs do can only be looked at again and again. ``seen`` is told
    where it never comes."""
    end = time.monotonic() + LIMIT_S
    while not (found := look()):
        assert time.monotonic() < end, f"still waiting for {look} after {LIMIT_S} s; seen was {seen()!r}"
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
    out, _ = await asyncio.wait_for(process.communicate((stdin or "").encode()), LIMIT_S)
    assert process.returncode == 0, f"{command} ended with {process.returncode}"
    return (out or b"").decode()


async def copied(text: str) -> None:
    """Another program puts text on the clipboard. It returns before the clipboard is its own."""
    await said_by("xclip", "-selection", "clipboard", "-in", stdin=text, quiet=True)
    until = asyncio.get_running_loop().time() + LIMIT_S
    shown = b""
    while shown != text.encode():
        assert asyncio.get_running_loop().time() < until, f"{text!r} never came to the clipboard, {shown!r} did"
        ask = await asyncio.create_subprocess_exec(
            "xclip", "-selection", "clipboard", "-out",
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        shown, _ = await asyncio.wait_for(ask.communicate(), LIMIT_S)


def end(process: subprocess.Popen[bytes]) -> None:
    """It and its children, of which any may have ended by itself."""
    try:
        children = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        children = []
    for one in (*children, process):
        try:
            one.kill()
        except psutil.NoSuchProcess:
            continue
    process.wait(LIMIT_S)


READY = {"ready", "focus", "painted"}
"""What a window says once it can be looked at and written in."""


def events_in(log: Path) -> list[str]:
    """What a window has said so far."""
    return log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []


class Window:
    """A real window of another process, and what it says has happened to it."""

    def __init__(self, title: str, folder: Path) -> None:
        self.title = title
        self._log = folder / f"{title}.log"
        self._process = subprocess.Popen([sys.executable, str(WINDOW), title, str(self._log)], stdin=subprocess.DEVNULL)
        wait_for(lambda: set(self.events()) >= READY, self.events)

    def events(self) -> list[str]:
        return events_in(self._log)

    def saw(self, event: str) -> None:
        """Wait until the window has seen an event; fails with what it saw instead."""
        try:
            wait_for(lambda: event in self.events())
        except AssertionError:
            raise AssertionError(f"{event!r} not among {self.events()}") from None

    @property
    def open(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        if self.open:
            end(self._process)
