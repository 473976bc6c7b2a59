"""Hardware tests run on their own: they need KiCad 9 and `.venv-hardware`, never the `zero_one` package."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "hardware" / "tools"), str(ROOT / "hardware")]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def pins() -> dict[str, Any]:
    return tomllib.loads((ROOT / "hardware" / "pins.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def board() -> Any:
    """The netlist that KiCad exports from the committed schematic."""
    import netlist

    return netlist.load()
