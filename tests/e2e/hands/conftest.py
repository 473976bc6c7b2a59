"""A desktop of one's own: an X server without a screen, a window manager, a sound server, a message bus."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e.hands.outside import Window, end, wait_for
from support.desktop import Pulse, pulse_server, xvfb_display
from support.needs import need
from zero_one.computer.hands import Hands


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of an X display whose window manager is up."""
    with xvfb_display("1000x700x24") as name:
        wait_for(lambda: b"_NET_CLIENT_LIST" in _root(name))
        yield name


def _root(display: str) -> bytes:
    need("xprop")
    return subprocess.run(["xprop", "-root", "-display", display], capture_output=True, check=False).stdout


@pytest.fixture
def desktop(display: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """DISPLAY and an empty HOME in the environment."""
    monkeypatch.setenv("DISPLAY", display)
    for name in ("WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return display


@pytest.fixture(scope="session")
def hands() -> Hands:
    return Hands()


@pytest.fixture
def window(desktop: str, tmp_path: Path) -> Iterator[Callable[[str], Window]]:
    """Open windows by title; they are gone afterwards."""
    opened: list[Window] = []

    def open_(title: str) -> Window:
        opened.append(Window(title, tmp_path))
        return opened[-1]

    yield open_
    for one in opened:
        one.end()


@pytest.fixture
def sound(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pulse]:
    """A sound server whose only outputs are null sinks; "ear" is the default."""
    with pulse_server() as pulse:
        for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "PULSE_RUNTIME_PATH", "PULSE_SERVER"):
            monkeypatch.setenv(name, pulse.env[name])
        yield pulse


@pytest.fixture
def bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a message bus of our own."""
    need("dbus-daemon")
    daemon = subprocess.Popen(
        ["dbus-daemon", "--session", "--nofork", "--print-address", f"--address=unix:path={tmp_path / 'bus'}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert daemon.stdout is not None
    address = daemon.stdout.readline().decode().strip()
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
    try:
        yield address
    finally:
        end(daemon)
        daemon.stdout.close()
