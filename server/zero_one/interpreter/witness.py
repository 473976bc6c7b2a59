"""What stands around the acts of a conversation: the audit log, undo, and what keeps secrets out of sight.

``safety.trust.Trust`` is one; an interpreter that is given none works without.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from zero_one.safety.redact import Redactor


class Kept(Protocol):
    """What is known of one act's files: see ``safety.trust.Kept``."""

    left_out: tuple[str, ...]
    problem: str

    @property
    def touched(self) -> tuple[str, ...]: ...


class Witness(Protocol):
    """What is used of ``safety.trust.Trust``."""

    @property
    def redactor(self) -> Redactor: ...

    def note(self, kind: str, device: str, **details: Any) -> None: ...

    def undo_around(
        self, roots: Iterable[Path], turn: str, label: str, *, device: str = "", home: Path | None = None
    ) -> AbstractAsyncContextManager[Kept]: ...

    def glance_around(
        self, folder: Path, turn: str, label: str, *, device: str = ""
    ) -> AbstractAsyncContextManager[Kept]: ...


@dataclass
class _NothingKept:
    left_out: tuple[str, ...] = ()
    problem: str = "Nothing that this changes is kept, so it cannot be undone."
    touched: tuple[str, ...] = ()


class Nobody:
    """Nothing is written down or kept; what could be undone elsewhere is asked about."""

    redactor = Redactor()

    def note(self, kind: str, device: str, **details: Any) -> None:
        return

    @asynccontextmanager
    async def undo_around(
        self, roots: Iterable[Path], turn: str, label: str, *, device: str = "", home: Path | None = None
    ) -> AsyncIterator[Kept]:
        yield _NothingKept()

    @asynccontextmanager
    async def glance_around(self, folder: Path, turn: str, label: str, *, device: str = "") -> AsyncIterator[Kept]:
        yield _NothingKept()
