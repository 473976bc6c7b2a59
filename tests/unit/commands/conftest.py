"""A command book on a frozen clock: Sunday, 22 November 2026, 10:00 in Berlin."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from zero_one.commands.book import CommandBook
from zero_one.commands.known import Known

ZONE = ZoneInfo("Europe/Berlin")


class Frozen:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.at = datetime(2026, 11, 22, 10, 0, tzinfo=ZONE)

    def now(self) -> datetime:
        return self.at

    def local(self, naive: datetime) -> datetime:
        return naive.replace(tzinfo=ZONE)

    async def wait_until(self, at: datetime) -> None:
        raise AssertionError("nothing waits here")


class NoHands:
    """Commands that only match need no hands."""

    async def call(self, name: str, /, **arguments: Any) -> Any:
        raise AssertionError(f"{name} was called")


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> CommandBook:
    home = tmp_path_factory.mktemp("home")
    return CommandBook(NoHands(), home, Frozen(), Known(home, frozenset({"xterm"})))


def data(name: str) -> Any:
    return yaml.safe_load(Path(__file__).with_name(name).read_text(encoding="utf-8"))
