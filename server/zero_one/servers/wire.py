"""uvicorn's two protocols with what they lack: a limit on how long a request head may take, and on what piles up."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from zero_one.servers.limits import Bucket

HEAD_S = 10.0
"""A request head that is not complete by then is not waited for. uvicorn itself waits forever once a byte came."""
MOST_WAITING = 64 * 1024
"""Bytes of pongs that may wait for a peer that does not read; it gets no more until it does."""
MOST_BESIDES, BESIDES_A_S = 4096, 200
"""Control frames and pieces of messages that may come at once, and in a second. A device pings now and then; a
photograph comes in some hundred pieces. One that sends more fills the memory with pieces, or our time with pongs."""
GOODBYE_S = 5.0
"""How long the other end has to take what it was sent before the end."""
STRANGERS_MOST = 64 * 1024
"""Bytes of a frame of somebody from elsewhere, until it is clear who that is: a hello is far smaller."""


class HttpWire(H11Protocol):
    """``on_lost`` is called once when the connection is gone, after an upgrade too."""

    def __init__(self, *, on_lost: Callable[[], None], **how: Any) -> None:
        super().__init__(**how)
        self._on_lost = on_lost
        self._head_timer: asyncio.TimerHandle | None = None
        self.ws_protocol_class = functools.partial(WebSocketWire, on_lost=on_lost)  # type: ignore[assignment]

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)
        self._on_lost()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._forget_head()
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self._expect_head()
        super().on_response_complete()

    def _expect_head(self) -> None:
        self._forget_head()
        self._head_timer = self.loop.call_later(HEAD_S, self._head_late)

    def _forget_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _head_late(self) -> None:
        """Unless a request came and is being answered; what follows the answer has a time of its own."""
        self._head_timer = None
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.abort()


class WebSocketWire(WebSocketsSansIOProtocol):
    """Sees to it that a connection ends when it should, whatever the other end does, and that what is not paced further
    in (control frames, pieces of messages) comes in moderation."""

    def __init__(self, *, on_lost: Callable[[], None], **how: Any) -> None:
        super().__init__(**how)
        self._on_lost = on_lost
        self._cut_timer: asyncio.TimerHandle | None = None
        self._besides = Bucket(MOST_BESIDES, BESIDES_A_S, self.loop.time)
        place = self.app_state["place"]
        place.cut = self.cut
        if place.stranger:
            self._limit(STRANGERS_MOST)
            place.then.append(lambda: self._limit(self.config.ws_max_size))

    def _limit(self, most: int) -> None:
        self.conn.max_message_size = most

    def connection_lost(self, exc: Exception | None) -> None:
        if self._cut_timer is not None:
            self._cut_timer.cancel()
        super().connection_lost(exc)
        self._on_lost()

    def cut(self) -> None:
        """End it now. An orderly end waits until the other end has read everything, which may be never."""
        self.transport.abort()

    def _cut_soon(self) -> None:
        if self._cut_timer is None:
            self._cut_timer = self.loop.call_later(GOODBYE_S, self.cut)

    # --- what comes besides whole messages

    def handle_cont(self, event: Any) -> None:
        if not self._too_many():
            super().handle_cont(event)

    def handle_ping(self) -> None:
        """A flood of pings from a peer that reads no pongs must not fill our memory."""
        if self._too_many() or self.transport.get_write_buffer_size() > MOST_WAITING:
            self.conn.data_to_send()
            return
        super().handle_ping()

    def _too_many(self) -> bool:
        if self.close_sent:
            return True
        if self._besides.take():
            return False
        self.conn.fail(1008, "Too many pings or pieces of messages.")
        self.handle_parser_exception()
        return True

    # --- the end

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self._cut_soon()

    def handle_parser_exception(self) -> None:
        super().handle_parser_exception()
        self._cut_soon()

    async def send(self, message: Any) -> None:
        await super().send(message)
        if self.close_sent:
            self._cut_soon()
            if self.initial_response is not None:
                self.handshake_complete = True  # a refusal is an answer too; uvicorn would report it as a missing one
