"""Tasks with an owner: what fails is logged, and nothing outlives ``close``."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Tasks:
    """``owner`` is whose tasks they are, for the log."""

    def __init__(self, owner: str) -> None:
        self._owner = owner
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._reap)
        return task

    def _reap(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a task of %s failed", self._owner, exc_info=error)

    async def close(self) -> None:
        """Cancel what still runs and wait for its end."""
        running = list(self._tasks)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running)
