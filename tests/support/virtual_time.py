"""An event loop whose clock jumps to the next timer instead of waiting: long dialogues in milliseconds.

``loop.time()`` moves only when nothing else is to be done. Worker threads (saving a file) still take real time: while
one is under way the clock stands still, so that results never depend on how fast the machine is.
"""

from __future__ import annotations

import asyncio
import functools
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.DefaultSelector):
    """Polls; and where it would have waited for a timer, moves the clock there."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.under_way = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or self.under_way:
            # Nothing is scheduled, or a thread works: really wait for it.
            return super().select(timeout if timeout is None else min(timeout, 0.05))
        ready = super().select(0)
        if not ready:
            self.now += max(0.0, timeout)
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Use it through ``run``. Timers due at the same moment fire in the order in which they were set."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        self._order = 0
        super().__init__(self._jumping)
        self._clock_resolution = 1e-12

    def time(self) -> float:
        return self._jumping.now

    def call_at(self, when: float, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> asyncio.TimerHandle:
        self._order += 1
        return super().call_at(when + self._order * 1e-10, callback, *args, **kwargs)

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._jumping.under_way += 1
        future.add_done_callback(self._landed)
        return future

    def _landed(self, _: Future[Any] | asyncio.Future[Any]) -> None:
        self._jumping.under_way -= 1


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in virtual time. Every task that it leaves behind is an error."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(_strict(work))


async def _strict(work: Coroutine[Any, Any, T]) -> T:
    result = await work
    left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert not left, f"left running: {left}"
    return result


def virtual(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that runs in virtual time."""

    @functools.wraps(test)
    def in_virtual_time(*args: Any, **kwargs: Any) -> None:
        run(test(*args, **kwargs))

    return in_virtual_time
