"""Timers, alarms and reminders: one list, one waiting task, kept on disk, spoken when due or, late, at the next
start."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from zero_one.commands import phrases
from zero_one.commands.base import Announce
from zero_one.commands.clock import Clock
from zero_one.commands.days import WEEKDAYS
from zero_one.commands.store import ListFile

_log = logging.getLogger(__name__)
Kind = Literal["timer", "alarm", "reminder"]
_LATE_S = 5.0
"""From this late on, the announcement says how late it is."""


@dataclass(slots=True)
class Alert:
    """``due`` is seconds since the epoch. ``paused`` holds the seconds left of a paused timer. ``days`` repeat."""

    number: int
    kind: Kind
    device: str
    due: float
    text: str = ""
    seconds: float = 0
    days: tuple[str, ...] = ()
    at: str = ""
    paused: float | None = None

    @property
    def called(self) -> str:
        return f"{self.text} timer" if self.kind == "timer" and self.text else self.kind


class Alerts:
    """Call ``load`` once, then ``start``; every change is on disk when the coroutine that made it returns."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._file = ListFile(path)
        self._clock = clock
        self._alerts: list[Alert] = []
        self._changed = asyncio.Event()
        self._announce: Announce | None = None
        self._task: asyncio.Task[None] | None = None
        self._last_rung: Alert | None = None

    # --- life -------------------------------------------------------------------------------------------------------

    def load(self) -> None:
        self._file.load()
        for item in self._file.items:
            try:
                self._alerts.append(Alert(**{**item, "days": tuple(item.get("days", ()))}))
            except TypeError:
                _log.warning("A saved alert could not be read and was left out: %s", item)

    async def start(self, announce: Announce) -> None:
        self._announce = announce
        self._task = asyncio.create_task(self._watch(), name="alerts")

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    # --- the list ---------------------------------------------------------------------------------------------------

    def now(self) -> datetime:
        return self._clock.now()

    def of(self, kind: Kind, text: str | None = None) -> list[Alert]:
        """Open alerts of a kind, the next one first; ``text`` picks by name."""
        found = [a for a in self._alerts if a.kind == kind and (text is None or _alike(a.text, text))]
        return sorted(found, key=lambda alert: alert.due)

    def left(self, alert: Alert) -> float:
        """Seconds until it is due."""
        return alert.paused if alert.paused is not None else max(0.0, alert.due - self.now().timestamp())

    async def add(
        self, kind: Kind, device: str, due: datetime, text: str = "", seconds: float = 0, days: tuple[str, ...] = ()
    ) -> Alert:
        number = max((alert.number for alert in self._alerts), default=0) + 1
        alert = Alert(number, kind, device, due.timestamp(), text, seconds, days, f"{due:%H:%M}" if days else "")
        self._alerts.append(alert)
        await self._save()
        return alert

    async def remove(self, gone: Callable[[Alert], bool]) -> list[Alert]:
        out = [alert for alert in self._alerts if gone(alert)]
        if out:
            self._alerts = [alert for alert in self._alerts if alert not in out]
            await self._save()
        return out

    async def extend(self, alert: Alert, seconds: float) -> None:
        if alert.paused is not None:
            alert.paused += seconds
        else:
            alert.due += seconds
        alert.seconds += seconds
        await self._save()

    async def pause(self, alert: Alert) -> None:
        alert.paused = self.left(alert)
        await self._save()

    async def resume(self, alert: Alert) -> None:
        alert.due = self.now().timestamp() + (alert.paused or 0)
        alert.paused = None
        await self._save()

    async def snooze(self, device: str, seconds: float) -> Alert | None:
        """What rang last rings again after ``seconds``; None when nothing rang yet."""
        last = self._last_rung
        if last is None:
            return None
        due = self.now() + timedelta(seconds=seconds)
        return await self.add(last.kind, device, due, last.text, seconds)

    # --- ringing ----------------------------------------------------------------------------------------------------

    async def _watch(self) -> None:
        while True:
            self._changed.clear()
            running = [alert for alert in self._alerts if alert.paused is None]
            if not running:
                await self._changed.wait()
                continue
            due = min(running, key=lambda alert: alert.due)
            if due.due <= self.now().timestamp():
                await self._ring(due)
                continue
            at = datetime.fromtimestamp(due.due, UTC)
            waits = [asyncio.create_task(self._changed.wait()), asyncio.create_task(self._clock.wait_until(at))]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
                await asyncio.gather(*waits, return_exceptions=True)

    async def _ring(self, alert: Alert) -> None:
        """Speak first, forget afterwards: a crash in between says it twice rather than never."""
        assert self._announce is not None
        try:
            await self._announce(alert.device, self._words(alert))
        except (OSError, RuntimeError, ValueError):
            _log.exception("The %s could not be announced", alert.called)
        self._last_rung = alert
        if alert not in self._alerts:
            return  # cancelled while it was being said
        if alert.days:
            alert.due = self._next(alert).timestamp()
        else:
            self._alerts.remove(alert)
        try:
            await self._save()
        except OSError:
            _log.exception("The list of alerts could not be saved to %s", self._file.path)

    def _words(self, alert: Alert) -> str:
        late = self.now().timestamp() - alert.due
        if alert.kind == "timer":
            what = f"Your {alert.text} timer" if alert.text else f"Your {phrases.long(alert.seconds)} timer"
            if late >= _LATE_S:
                return f"{what} ended {phrases.duration(late)} ago, while I was away."
            return f"{what} is done."
        when = phrases.clock(self._local(alert.due))
        if alert.kind == "alarm":
            if late >= _LATE_S:
                return f"Your alarm for {when} should have rung {phrases.duration(late)} ago, but I was away."
            return f"It's {when}. This is your alarm."
        if late >= _LATE_S:
            return f"I am {phrases.duration(late)} late with a reminder for {when}: {alert.text}."
        return f"This is your reminder: {alert.text}."

    def _local(self, epoch: float) -> datetime:
        return datetime.fromtimestamp(epoch, self.now().tzinfo)

    def _next(self, alert: Alert) -> datetime:
        now = self.now()
        hour, minute = map(int, alert.at.split(":"))
        for ahead in range(8):
            day = (now + timedelta(days=ahead)).date()
            at = self._clock.local(datetime(day.year, day.month, day.day, hour, minute))
            if WEEKDAYS[day.weekday()] in alert.days and at > now:
                return at
        raise ValueError("no such weekday")

    async def _save(self) -> None:
        self._changed.set()
        self._file.items = [asdict(alert) for alert in self._alerts]
        await self._file.save()


def _alike(name: str, said: str) -> bool:
    """ "eggs" is the "egg" timer."""
    return name.lower().rstrip("s") == said.lower().rstrip("s")
