"""The way out to one connected device: a queue that a slow device fills without holding anybody else up."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Protocol

from zero_one.identity.access import Caller
from zero_one.protocol.events import Flush, ServerEvent, Show, SpeechEnd, SpeechPcm, SpeechStart

log = logging.getLogger(__name__)

STUCK_S = 10.0
"""A device that takes nothing for this long is cut off; it may reconnect."""
MAX_QUEUED = 8 * 1024 * 1024
"""Bytes (about) that may wait for one device."""

TOO_SLOW = "You did not read what was sent to you, so this connection is closed. Connect again to go on."


class Link(Protocol):
    """A connection, as a conversation sees it. ``send`` may wait while the device is slow."""

    rate_out: int
    """Hz of the sound it wants."""
    features: frozenset[str]
    caller: Caller
    """Who is there, and what that one may do."""

    async def send(self, event: ServerEvent) -> None:
        """Raises ConnectionError when the device is gone."""

    async def close(self, reason: str) -> None: ...


class Outlet:
    """Owns one link's queue and the task that empties it. ``on_lost`` is called when the link failed."""

    def __init__(self, link: Link, on_lost: Callable[[Link], None], on_slow: Callable[[], None]) -> None:
        self.link = link
        self._on_lost, self._on_slow = on_lost, on_slow
        self._queue: deque[ServerEvent] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self._done = False
        self._task = asyncio.get_running_loop().create_task(self._run())

    def put(self, event: ServerEvent) -> None:
        """Queue an event. A flush overtakes the sound that it makes stale."""
        if isinstance(event, Flush):
            for old in [e for e in self._queue if _stale(e, event.generation)]:
                self._queue.remove(old)
                self._size -= _size(old)
        self._queue.append(event)
        self._size += _size(event)
        self._news.set()

    async def drain(self, seconds: float) -> None:
        """Give what is queued a moment to go out, for an orderly end."""
        self._done = True
        self._news.set()
        await asyncio.wait([self._task], timeout=seconds)
        self._task.cancel()

    def cancel(self) -> None:
        if asyncio.current_task() is not self._task:  # which is about to tell the device why, and ends by itself
            self._task.cancel()

    async def _run(self) -> None:
        try:
            while True:
                if not self._queue:
                    if self._done:
                        return
                    self._news.clear()
                    await self._news.wait()
                    continue
                event = self._queue.popleft()
                async with asyncio.timeout(STUCK_S):
                    await self.link.send(event)
                self._size -= _size(event)
                if self._size > MAX_QUEUED:
                    raise TimeoutError
        except TimeoutError:
            log.warning("a device reads too slowly and is cut off")
            self._on_slow()
            self._on_lost(self.link)
            await self.link.close(TOO_SLOW)
        except ConnectionError as gone:
            log.debug("a device is gone: %s", gone)
            self._on_lost(self.link)


def _stale(event: ServerEvent, floor: int) -> bool:
    return isinstance(event, SpeechStart | SpeechPcm | SpeechEnd) and event.generation < floor


def _size(event: ServerEvent) -> int:
    if isinstance(event, SpeechPcm):
        return len(event.data)
    if isinstance(event, Show):
        content = event.message.content
        return len(content) if isinstance(content, str | bytes) else 256
    return 64
