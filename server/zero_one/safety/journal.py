"""Writing to the audit log from a running server: in order, on one thread, without making anybody wait."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol, TypeVar

from zero_one.safety.audit import AuditLog, Event

log = logging.getLogger(__name__)
T = TypeVar("T")

LONGEST_TEXT = 20_000
"""Characters kept of any one text; of longer ones the beginning, and how much was left out."""


class Note(Protocol):
    """Write down that something happened; returns at once. ``details`` is JSON."""

    def __call__(self, kind: str, device: str, details: Mapping[str, Any]) -> None: ...


def nothing_noted(kind: str, device: str, details: Mapping[str, Any]) -> None:
    """A ``Note`` where nothing is written down."""


class Journal:
    """The audit log in ``folder``. Everything goes to the disk on one worker thread, in the order of the calls.

    A disk that is full or fails is told once through ``tell`` (again after it worked in between); what could not be
    written is counted, and the count is the first thing written when it works again. ``clean`` takes secrets out of
    every text.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tell: Callable[[str], None] = log.warning,
        clean: Callable[[str], str] = lambda text: text,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._folder, self._tell, self._clean, self._now = folder, tell, clean, now
        self._log: AuditLog | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="audit")
        self._lock = threading.Lock()
        self._waiting: deque[Event] = deque()
        self._working = False
        self._dropped = 0
        self._failing = False

    def note(self, kind: str, device: str, details: Mapping[str, Any]) -> None:
        """Write it down soon; returns at once, from any thread. Never raises for what the disk does."""
        self._add(kind, device, details)

    def _add(self, kind: str, device: str, details: Mapping[str, Any]) -> None:
        event = Event(kind, device, _json(details, self._clean), self._now())
        with self._lock:
            self._waiting.append(event)
            if self._working:
                return
            self._working = True
        try:
            self._thread.submit(self._drain)
        except RuntimeError:  # closed: what comes after the end is written by the one who says it
            self._drain()

    async def write(self, kind: str, device: str, details: Mapping[str, Any]) -> bool:
        """Write it down and return when it is on the disk; False when the disk would not take it."""
        self._add(kind, device, details)
        await self.flush()
        return not self._failing

    async def flush(self) -> None:
        """Return when everything noted up to now was written."""
        await self._on_thread(self._drain)

    async def use(self, work: Callable[[AuditLog], T]) -> T:
        """Do something with the log, after everything noted up to now. Raises OSError."""

        def do() -> T:
            self._drain()
            return work(self._open())

        return await self._on_thread(do)

    async def _on_thread(self, work: Callable[[], T]) -> T:
        try:
            future: Future[T] = self._thread.submit(work)
        except RuntimeError:
            return await asyncio.to_thread(work)
        return await asyncio.wrap_future(future)

    async def close(self) -> None:
        """Everything noted is on the disk, and the thread is gone."""
        await self.flush()
        await asyncio.to_thread(self._thread.shutdown)

    # --- on the thread

    def _open(self) -> AuditLog:
        if self._log is None:
            self._log = AuditLog(self._folder)
            self._log.shorten(at=self._now())
            if self._log.lost:
                self._tell(self._log.lost)
                self._log.append("mended", "", {"words": self._log.lost}, at=self._now())
        return self._log

    def _drain(self) -> None:
        while True:
            with self._lock:
                events = list(self._waiting)
                self._waiting.clear()
                if not events:
                    self._working = False
                    return
            self._write(events)

    def _write(self, events: list[Event]) -> None:
        if self._dropped:
            words = f"{self._dropped} entries could not be written before this one."
            events = [Event("lost", "", {"words": words}, self._now()), *events]
        try:
            self._open().extend(events)
        except (OSError, ValueError) as error:
            self._dropped += len(events) - bool(self._dropped)
            if not self._failing:
                self._failing = True
                reason = getattr(error, "strerror", None) or error
                self._tell(f"The audit log cannot be written: {reason}. What is done goes on, but is not written down.")
        else:
            self._dropped, self._failing = 0, False


def _json(value: Any, clean: Callable[[str], str]) -> Any:
    """The value as JSON with clean texts; what JSON does not know becomes text."""
    if isinstance(value, str):
        text = value if len(value) <= LONGEST_TEXT else f"{value[:LONGEST_TEXT]} … ({len(value)} characters in all)"
        return clean(text)
    if isinstance(value, Mapping):
        return {str(name): _json(item, clean) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_json(item, clean) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return clean(str(value))
