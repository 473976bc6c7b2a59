"""``desk(auto_run=True, …)`` opens a conversation of the interpreter with these settings of ``approval``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.interpreter_desk import Open, opener


@pytest.fixture
def desk(tmp_path: Path) -> Open:
    return opener(tmp_path)
