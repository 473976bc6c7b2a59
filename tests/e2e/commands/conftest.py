"""A home, a desktop with a sound server, stand-ins for what opens and locks, and a clock that tests turn by hand."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from e2e.hands.outside import WINDOW
from support.desktop import Pulse, pulse_server, xvfb_display

ZONE = ZoneInfo("Europe/Berlin")


class HandClock:
    """It is Sunday, 22 November 2026, 10:00 in Berlin until ``turn`` says otherwise."""

    def __init__(self) -> None:
        self._at = datetime(2026, 11, 22, 10, 0, tzinfo=ZONE)
        self._turned = asyncio.Event()

    def now(self) -> datetime:
        return self._at

    def local(self, naive: datetime) -> datetime:
        return naive.replace(tzinfo=ZONE)

    async def wait_until(self, at: datetime) -> None:
        while self._at < at:
            await self._turned.wait()

    def turn(self, seconds: float) -> None:
        self._at = (self._at.astimezone(ZoneInfo("UTC")) + timedelta(seconds=seconds)).astimezone(ZONE)
        self._turned.set()
        self._turned = asyncio.Event()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """HOME with a few files; programs on PATH that write down what they were asked to open or to lock."""
    home = tmp_path / "home"
    for folder in ("Downloads", "Documents", "Pictures", "bin", "share/applications"):
        (home / folder).mkdir(parents=True)
    (home / "Documents/budget.txt").write_text("12 eggs")
    for program, line in (("xdg-open", f'echo "$1" >> "{home}/opened"'), ("xflock4", f'echo yes > "{home}/locked"')):
        (home / "bin" / program).write_text(f"#!/bin/sh\n{line}\n")
        (home / "bin" / program).chmod(0o755)
    for app in ("Calculator", "Terminal"):
        (home / f"share/applications/{app}.desktop").write_text(
            f"[Desktop Entry]\nType=Application\nName={app}\nExec={sys.executable} {WINDOW} {app} {home}/{app}.log\n"
        )
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "share"))
    for name in ("XDG_CONFIG_HOME", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_SESSION_ID"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def display(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with xvfb_display("1000x700x24") as name:
        monkeypatch.setenv("DISPLAY", name)
        yield name


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    """A sound server whose loudspeaker is a null sink."""
    with pulse_server() as pulse:
        for name in ("XDG_RUNTIME_DIR", "PULSE_RUNTIME_PATH", "PULSE_SERVER"):
            monkeypatch.setenv(name, pulse.env[name])
        yield pulse
