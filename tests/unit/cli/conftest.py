"""Every test here has a home of its own and none of the tester's keys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zero_one.config.providers import usual_names


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("ZERO_ONE_") or name in usual_names():
            monkeypatch.delenv(name)
    monkeypatch.setenv("ZERO_ONE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path / "home"
