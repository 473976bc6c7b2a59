"""The thread in which litellm lives.

Importing litellm takes seconds, and its calls spend CPU time between their awaits. Neither may be felt by the loop that
carries sound, so it gets a thread with an event loop of its own: one per process, as its connections belong to a loop.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")
log = logging.getLogger(__name__)
_LONGEST_GOODBYE_S = 5.0

_lock = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def _backstage() -> asyncio.AbstractEventLoop:
    global _loop
    with _lock:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="litellm", daemon=True).start()
        return _loop


def litellm() -> Any:
    """The litellm module, imported on first use; call it backstage only. It fetches and reports nothing."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # its other mode reads .env files by itself
    module: Any = importlib.import_module("litellm")
    if not getattr(module, "_zero_one_quiet", False):
        module.telemetry = False
        module.suppress_debug_info = True
        module.drop_params = True  # a model that takes no temperature is no reason to fail
        for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.ERROR)
        module._zero_one_quiet = True
    return module


async def call(function: Callable[[], T]) -> T:
    """Run ``function`` backstage; its result or exception comes back."""

    async def run() -> T:
        return function()

    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(run(), _backstage()))


class Line:
    """What a coroutine backstage hands over, piece by piece."""

    def __init__(self) -> None:
        self._front = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Any] = asyncio.Queue()

    def put(self, item: Any) -> None:
        """Called backstage."""
        try:
            self._front.call_soon_threadsafe(self._queue.put_nowait, item)
        except RuntimeError:
            return  # the front loop has closed; nobody listens any more

    async def get(self) -> Any:
        return await self._queue.get()


@asynccontextmanager
async def running(work: Callable[[Line], Coroutine[Any, Any, None]]) -> AsyncIterator[Line]:
    """Run ``work`` backstage for as long as the context lasts; leaving cancels it and waits until it is gone.

    What ``work`` raises arrives on the line as an exception object, its end as None.
    """
    line, gone = Line(), asyncio.Event()
    front, back = asyncio.get_running_loop(), _backstage()
    tasks: list[asyncio.Task[None]] = []

    async def guarded() -> None:
        try:
            await work(line)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is raised on the other side
            line.put(error)
        else:
            line.put(None)

    def ended(_: object) -> None:
        try:
            front.call_soon_threadsafe(gone.set)
        except RuntimeError:
            return

    def begin() -> None:
        task = back.create_task(guarded())
        task.add_done_callback(ended)
        tasks.append(task)

    back.call_soon_threadsafe(begin)
    try:
        yield line
    finally:
        back.call_soon_threadsafe(lambda: tasks[0].cancel())
        try:
            async with asyncio.timeout(_LONGEST_GOODBYE_S):
                await gone.wait()
        except TimeoutError:
            log.warning("a model call did not end within %s s of being dropped", _LONGEST_GOODBYE_S)
