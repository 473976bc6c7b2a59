"""What stands around every act, in one bundle: the audit log, undo, and what keeps secrets out of sight."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from zero_one.safety.journal import Journal
from zero_one.safety.redact import Redactor
from zero_one.safety.undo import Record, TooLarge, Undo, Watch

log = logging.getLogger(__name__)


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

    async def start(self) -> None:
        """Complete what a process that died in the middle of something left behind, and say so."""
        try:
            records = await asyncio.to_thread(self.undo.recover)
        except OSError as error:
            self.tell(f"What was changed before I was ended could not be recorded for undo: {error.strerror or error}.")
            return
        if self.undo.lost:
            self.tell(self.undo.lost)
        for record in records:
            self.tell(
                f"I was ended in the middle of: {record.label}. What it changed can be undone ({record.summary()})."
            )
            self.note("recovered", record.device, turn=record.turn, label=record.label, files=list(record.before))

    async def too_large(self, roots: Iterable[Path]) -> list[TooLarge]:
        """Files below ``roots`` that are too large to be kept for undo, to be said in the question."""
        wanted = list(roots)
        return await asyncio.to_thread(self.undo.too_large, wanted)

    @asynccontextmanager
    async def undo_around(
        self,
        roots: Iterable[Path],
        turn: str,
        label: str,
        *,
        device: str = "",
        home: Path | None = None,
    ) -> AsyncIterator[Kept]:
        """What is below ``roots`` is kept before the body runs; the difference is recorded after it, however it ends.

        What changes in ``home`` afterwards, before the next act of this device, counts to it as well.

        ``turn`` is what "undo that" takes back as one; ``label`` is the act in a few words ("rm ~/Downloads/*.log").
        A disk that fails is told and spoils nothing: then ``problem`` says that this act cannot be undone.
        """
        label = self.redact(label)
        before = partial(self.undo.before, list(roots), turn=turn, label=label, device=device, home=home)
        async with self._around(before) as kept:
            yield kept

    @asynccontextmanager
    async def glance_around(self, folder: Path, turn: str, label: str, *, device: str = "") -> AsyncIterator[Kept]:
        """``undo_around`` for code that was read as merely looking: should it change its folder all the same, that can
        be taken back, too. It costs a short look and promises nothing."""
        label = self.redact(label)
        before = partial(self.undo.before, [folder], turn=turn, label=label, device=device, home=folder, light=True)
        async with self._around(before) as kept:
            yield kept

    @asynccontextmanager
    async def _around(self, before: Callable[[], Watch]) -> AsyncIterator[Kept]:
        kept = Kept()
        watch = await self._watch(before, kept)
        try:
            yield kept
        finally:
            if watch is not None:
                await self._record(watch, kept)

    async def _watch(self, before: Callable[[], Watch], kept: Kept) -> Watch | None:
        starting = asyncio.ensure_future(asyncio.to_thread(before))
        try:
            watch = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait({starting})
            if not starting.cancelled() and starting.exception() is None:
                await asyncio.to_thread(self.undo.discard, starting.result())
            raise
        except OSError as error:
            kept.problem = f"What this changes could not be kept for undo: {error.strerror or error}."
            self.tell(kept.problem)
            return None
        kept.left_out = tuple(watch.snapshot.left_out)
        return watch

    async def _record(self, watch: Watch, kept: Kept) -> None:
        """Also when we are cancelled meanwhile: what was changed by then was changed."""
        recording = asyncio.ensure_future(asyncio.to_thread(self.undo.after, watch))
        try:
            try:
                await asyncio.shield(recording)
            except asyncio.CancelledError:
                await asyncio.wait({recording})
                raise
            finally:
                if recording.done() and not recording.cancelled() and recording.exception() is None:
                    kept.record = recording.result()
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
