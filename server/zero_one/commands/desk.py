"""What the commands work with, and how a command is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from zero_one.commands.alerts import Alerts
from zero_one.commands.base import Reply
from zero_one.commands.clock import Clock
from zero_one.commands.grammar import CommandInfo
from zero_one.commands.past import NoPast, Past
from zero_one.commands.store import ListFile
from zero_one.identity.access import Caller, owner


class Hands(Protocol):
    """The part of ``zero_one.computer.hands.Hands`` that commands use."""

    async def call(self, name: str, /, **arguments: Any) -> Any: ...


@dataclass(slots=True)
class Desk:
    """Everything a command may touch."""

    hands: Hands
    clock: Clock
    alerts: Alerts
    notes: ListFile
    todo: ListFile
    home: Path
    infos: Callable[[], list[CommandInfo]]
    past: Past = field(default_factory=NoPast)
    stopwatches: dict[str, tuple[datetime, float | None]] = field(default_factory=dict)
    """By device: when it started, and the seconds it stopped at (None while it runs)."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One command said on one device, by ``caller``."""

    slots: Mapping[str, Any]
    device: str
    desk: Desk
    caller: Caller = field(default_factory=lambda: owner(""))

    def at(self) -> datetime:
        """The slot ``at`` as a moment of the desk's clock."""
        return self.desk.clock.local(datetime.fromisoformat(self.slots["at"]))


Handler = Callable[[Ask], Awaitable[Reply]]
HANDLERS: dict[str, Handler] = {}


def command(name: str) -> Callable[[Handler], Handler]:
    """Register the function that runs the command ``name`` of the grammar."""

    def register(handler: Handler) -> Handler:
        HANDLERS[name] = handler
        return handler

    return register
