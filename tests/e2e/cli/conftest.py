"""A newcomer's machine: an empty home, and no way out but loopback."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zero_one.config.providers import usual_names

NO_NETWORK = '''
"""Read by Python at its start: this process reaches loopback only, and every attempt at more is written down."""
import os
import socket

_connect, _look_up = socket.socket.connect, socket.getaddrinfo


def _refuse(host):
    with open(os.environ["ATTEMPTS"], "a") as file:
        print(host, file=file)
    raise OSError(101, "Network is unreachable")


def connect(self, address):
    if isinstance(address, tuple) and not str(address[0]).startswith(("127.", "::1")):
        _refuse(address[0])
    return _connect(self, address)


def getaddrinfo(host, *rest, **more):
    if host not in (None, "localhost", b"localhost") and not str(host).startswith(("127.", "::1")):
        _refuse(host)
    return _look_up(host, *rest, **more)


socket.socket.connect, socket.getaddrinfo = connect, getaddrinfo
'''


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    """The environment of a process with an empty home, no display, no keys and no way out."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(NO_NETWORK)
    (tmp_path / "empty").mkdir()
    gone = usual_names() | {"DISPLAY", "WAYLAND_DISPLAY", "PULSE_SERVER"}
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in gone and not name.startswith(("ZERO_ONE_", "XDG_", "HF_"))
    }
    home = str(tmp_path / "empty")
    attempts = str(tmp_path / "attempts")
    return {**kept, "HOME": home, "USERPROFILE": home, "PYTHONPATH": str(tmp_path / "site"), "ATTEMPTS": attempts}
