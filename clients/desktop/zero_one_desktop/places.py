"""Where the client keeps its two small files; the same rule as the server's, which it does not know."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def state_dir() -> Path:
    """The device id is kept here. ``ZERO_ONE_HOME`` moves it."""
    if home := os.environ.get("ZERO_ONE_HOME"):
        return Path(home).expanduser() / "data"
    return Path(platformdirs.user_data_dir("01", appauthor=False))


def control_path() -> Path:
    """The running client listens here for ``01-client toggle``. Short, for the paths of Unix sockets are."""
    if os.environ.get("ZERO_ONE_HOME"):
        return state_dir() / "client.sock"
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(runtime) / "01-client.sock"
    return state_dir() / "client.sock"
