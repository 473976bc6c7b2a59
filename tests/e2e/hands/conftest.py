"""A desktop of one's own: an X server without a screen, a window manager, a sound server, a message bus."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from e2e.hands.outside import Window, end, need, wait_for
from zero_one.computer.hands import Hands


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """The name of an X display with a window manager on it."""
    need("Xvfb", "openbox")
    theirs, ours = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(ours), "-screen", "0", "1000x700x24", "-nolisten", "tcp"],
        pass_fds=(ours,),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(ours)
    with os.fdopen(theirs) as told:
        name = f":{told.readline().strip()}"
    manager = subprocess.Popen(
        ["openbox"],
        env=os.environ | {"DISPLAY": name},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: b"_NET_CLIENT_LIST" in _root(name))
        yield name
    finally:
        end(manager)
        end(server)


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
def sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A sound server whose only output is a null sink."""
    need("pulseaudio", "pactl")
    socket = tmp_path / "pulse"
    private = {"HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(tmp_path)}
    server = subprocess.Popen(
        [
            *("pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no", "--log-level=error"),
            *("-L", "module-null-sink sink_name=quiet"),
            *("-L", f"module-native-protocol-unix auth-anonymous=1 socket={socket}"),
        ],
        env=os.environ | private,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    monkeypatch.setenv("PULSE_SERVER", f"unix:{socket}")
    try:
        wait_for(
            lambda: (
                b"quiet" in subprocess.run(["pactl", "list", "short", "sinks"], capture_output=True, check=False).stdout
            )
        )
        yield
    finally:
        end(server)


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
