"""The clock that commands live by; tests give another one."""

from __future__ import annotations

import asyncio
from datetime import datetime
from typing import Protocol

_LONGEST_NAP_S = 30.0
"""The wall clock may jump (suspend, a corrected clock), so a long wait looks again this often."""


class Clock(Protocol):
    def now(self) -> datetime:
        """The time, with this place's offset."""

    def local(self, naive: datetime) -> datetime:
        """A local time with the offset it has on that day."""

    async def wait_until(self, at: datetime) -> None:
        """Return at ``at`` or, after a jump of the clock, soon after."""


class SystemClock:
    """The real one."""

    def now(self) -> datetime:
        return datetime.now().astimezone()

    def local(self, naive: datetime) -> datetime:
        return naive.astimezone()

    async def wait_until(self, at: datetime) -> None:
        while (left := (at - self.now()).total_seconds()) > 0:  # noqa: ASYNC110 (time itself is waited for)
            await asyncio.sleep(min(left, _LONGEST_NAP_S))
