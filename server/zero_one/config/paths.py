"""Where things are kept on this machine. ``ZERO_ONE_HOME`` moves all of it into one folder."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_APP = "01"


def _base(kind: str, default: str) -> Path:
    home = os.environ.get("ZERO_ONE_HOME")
    return Path(home).expanduser() / kind if home else Path(default)


def config_dir() -> Path:
    """Profiles and settings that the user edits."""
    return _base("config", platformdirs.user_config_dir(_APP, appauthor=False))


def profiles_dir() -> Path:
    """The user's own profiles, one YAML file each."""
    return config_dir() / "profiles"


def data_dir() -> Path:
    """Conversations, timers, notes: what must survive."""
    return _base("data", platformdirs.user_data_dir(_APP, appauthor=False))


def cache_dir() -> Path:
    """What can be fetched or made again."""
    return _base("cache", platformdirs.user_cache_dir(_APP, appauthor=False))


def models_dir() -> Path:
    """Downloaded models and voices; ``ZERO_ONE_MODELS`` names another folder."""
    named = os.environ.get("ZERO_ONE_MODELS")
    return Path(named).expanduser() if named else cache_dir() / "models"


def private_dir(path: Path) -> Path:
    """Create ``path`` so that only its owner can read it."""
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path
