"""What stands around every act, in one bundle: the audit log, undo, and what keeps secrets out of sight."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from zero_one.safety.journal import Journal
from zero_one.safety.redact import Redactor
from zero_one.safety.undo import Record, Undo

log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(slots=True)
class Kept:
    """What is known of one act's files. ``left_out``: what cannot be undone, in words, known before the act runs.
    ``record`` is there once the act is over and changed something. ``problem``: why nothing could be kept at all."""

    left_out: tuple[str, ...] = ()
    record: Record | None = None
    problem: str = ""

    @property
    def touched(self) -> tuple[str, ...]:
        """Paths that the act changed, for the audit log."""
        return tuple(self.record.before) if self.record is not None else ()


@dataclass(slots=True)
class Trust:
    """One per server, made by ``open_trust``."""

    journal: Journal
    undo: Undo
    redactor: Redactor = field(default_factory=Redactor)
    tell: Callable[[str], None] = log.warning
    now: Callable[[], float] = time.time

    def note(self, kind: str, device: str, **details: Any) -> None:
        """Write into the audit log that something happened. Returns at once, never raises for the disk."""
        self.journal.note(kind, device, details)

    def redact(self, text: str) -> str:
        """The text without secrets."""
        return self.redactor.text(text)

    @asynccontextmanager
    async def undo_around(
        self, roots: Iterable[Path], turn: str, label: str, *, device: str = ""
    ) -> AsyncIterator[Kept]:
        """What is below ``roots`` is kept before the body runs; the difference is recorded after it, however it ends.

        ``turn`` is what "undo that" takes back as one; ``label`` is the act in a few words ("rm ~/Downloads/*.log").
        A disk that fails is told and spoils nothing: then ``problem`` says that this act cannot be undone.
        """
        kept = Kept()
        watch = None
        try:
            watch = await _to_the_end(lambda: self.undo.before(roots))
            kept.left_out = tuple(watch.snapshot.left_out)
        except OSError as error:
            kept.problem = f"What this changes could not be kept for undo: {error.strerror or error}."
            self.tell(kept.problem)
        try:
            yield kept
        finally:
            if watch is not None:
                open_watch = watch
                try:
                    kept.record = await _to_the_end(lambda: self.undo.after(open_watch, turn, label, at=self.now()))
                except OSError as error:
                    kept.problem = f"What was changed could not be recorded for undo: {error.strerror or error}."
                    self.tell(kept.problem)

    async def close(self) -> None:
        await self.journal.close()


def open_trust(folder: Path, *, tell: Callable[[str], None] = log.warning, secrets: Iterable[str] = ()) -> Trust:
    """Everything is kept in ``folder``: ``audit`` and ``undo``. Cheap; files are read when they are needed."""
    redactor = Redactor(secrets)
    journal = Journal(folder / "audit", tell=tell, clean=redactor.text)
    return Trust(journal, Undo(folder / "undo"), redactor, tell)


async def _to_the_end(work: Callable[[], T]) -> T:
    """Run it in a thread and wait until it is over, also when we are cancelled meanwhile."""
    task = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
