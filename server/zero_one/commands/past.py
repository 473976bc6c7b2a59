"""What commands need to take back what was done and to forget what was said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from zero_one.safety.records import Record
from zero_one.safety.restore import Undone


@dataclass(frozen=True, slots=True)
class Forgotten:
    """How much went: messages of the conversation, recordings, details of the audit log, kept copies of files."""

    messages: int = 0
    recordings: int = 0
    entries: int = 0
    copies: int = 0
    problems: tuple[str, ...] = ()

    @property
    def anything(self) -> bool:
        return bool(self.messages or self.recordings or self.entries or self.copies)


class Past(Protocol):
    """Times are seconds since 1970. ``device`` None: of every device. Methods raise OSError."""

    def busy(self, device: str) -> bool:
        """Whether code runs that this device asked for: what it changes is known when it is over."""

    async def undo(self, device: str | None, *, by: str, further: bool = False) -> Undone | None:
        """Take back the last turn that changed files; with ``further`` never an undo itself. None: there is none."""

    async def redo(self, device: str | None, *, by: str) -> Undone | None:
        """Take back the last undo, if nothing was changed since."""

    async def records(self) -> list[Record]:
        """What could be undone, newest first."""

    async def forget(self, device: str | None, since: float, until: float, *, by: str) -> Forgotten: ...

    async def last_said(self, device: str) -> float | None:
        """When the last exchange before this one began."""


class NoPast:
    """Nothing was done and nothing is remembered."""

    def busy(self, device: str) -> bool:
        return False

    async def undo(self, device: str | None, *, by: str, further: bool = False) -> Undone | None:
        return None

    async def redo(self, device: str | None, *, by: str) -> Undone | None:
        return None

    async def records(self) -> list[Record]:
        return []

    async def forget(self, device: str | None, since: float, until: float, *, by: str) -> Forgotten:
        return Forgotten()

    async def last_said(self, device: str) -> float | None:
        return None
