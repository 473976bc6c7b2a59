"""One worker thread per engine, shared fairly by every conversation.

Engines are not thread-safe and two of them at once would only slow each other down, so each has one thread. Jobs are
taken in this order: urgent ones first (somebody has let go of the button and waits), then the owner that was served
longest ago, then the oldest. So a long monologue cannot starve a short question.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

Emit = Callable[[bytes], bool]
"""Hand a piece of PCM on; false means that nobody listens any more and the engine should stop."""


@dataclass(slots=True)
class _Job:
    owner: object
    work: Callable[[], Any]
    future: Future[Any]
    urgent: bool
    number: int


class Worker:
    """A daemon thread with a fair queue. It starts with the first job."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._wake = threading.Condition()
        self._jobs: list[_Job] = []
        self._served: dict[int, int] = {}
        self._ticks = itertools.count(1)
        self._thread: threading.Thread | None = None
        self._closed = False

    def submit(self, owner: object, work: Callable[[], T], *, urgent: bool = False) -> Future[T]:
        """Queue ``work`` for ``owner``. Cancelling the future before it runs takes it out of the queue."""
        future: Future[T] = Future()
        with self._wake:
            if self._closed:
                future.set_exception(RuntimeError(f"{self._name} is closed"))
                return future
            self._jobs.append(_Job(owner, work, future, urgent, next(self._ticks)))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
            self._wake.notify()
        return future

    async def do(self, owner: object, work: Callable[[], T], *, urgent: bool = False) -> T:
        """Run ``work`` in the thread and wait for it."""
        return await asyncio.wrap_future(self.submit(owner, work, urgent=urgent))

    def forget(self, owner: object) -> None:
        """Drop what ``owner`` has queued and its place in the round."""
        with self._wake:
            for job in self._jobs:
                if job.owner is owner:
                    job.future.cancel()
            self._jobs = [job for job in self._jobs if job.owner is not owner]
            self._served.pop(id(owner), None)

    async def close(self) -> None:
        """Let the running job end, drop the others."""
        with self._wake:
            self._closed = True
            for job in self._jobs:
                job.future.cancel()
            self._jobs.clear()
            self._wake.notify()
        thread = self._thread
        if thread is not None:
            await asyncio.to_thread(thread.join, 10)

    def _take(self) -> _Job | None:
        with self._wake:
            while not self._jobs and not self._closed:
                self._wake.wait()
            if not self._jobs:
                return None
            job = min(self._jobs, key=lambda j: (not j.urgent, self._served.get(id(j.owner), 0), j.number))
            self._jobs.remove(job)
            self._served[id(job.owner)] = next(self._ticks)
            if len(self._served) > 256:  # owners come and go; only the order of the recent ones matters
                for key in sorted(self._served, key=self._served.__getitem__)[:128]:
                    del self._served[key]
            return job

    def _run(self) -> None:
        while (job := self._take()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                result = job.work()
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever waits for the future
                job.future.set_exception(error)
            else:
                job.future.set_result(result)
            del job


async def stream(worker: Worker, produce: Callable[[Emit], None]) -> AsyncIterator[bytes]:
    """Run ``produce`` in the worker and yield what it emits as it comes. Closing the iterator stops it."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[bytes | None] = asyncio.Queue()
    stopped = threading.Event()

    def put(piece: bytes | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is gone: nobody listens
            loop.call_soon_threadsafe(pieces.put_nowait, piece)

    def emit(piece: bytes) -> bool:
        if stopped.is_set() or loop.is_closed():
            return False
        put(piece)
        return True

    future = worker.submit(object(), lambda: None if stopped.is_set() else produce(emit), urgent=True)
    future.add_done_callback(lambda _: put(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        with contextlib.suppress(CancelledError):
            future.result()
    finally:
        stopped.set()
        future.cancel()
