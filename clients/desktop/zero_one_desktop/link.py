"""The connection to the server: it is made again for as long as the client lives."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import Callable

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from zero_one.protocol.light import HELLO_WAIT_MS, MAX_TEXT_FRAME, ClientEvent, ClientSide, Frame, Problem, Welcome
from zero_one_desktop.options import is_near
from zero_one_desktop.pin import WrongCertificate
from zero_one_desktop.reconnect import CONNECT_TIMEOUT_S, Backoff, LinkState
from zero_one_desktop.target import Target

log = logging.getLogger(__name__)

# Frames that the network has not taken yet; a link this far behind is as good as broken.
_QUEUE = 4096


class _Connect(connect):
    """Never goes on to another address because a server says so: the key is for this one."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


class Link:
    """Runs until cancelled. ``on_event`` gets what the server says; ``on_up(level)`` and ``on_down(why)`` frame it."""

    def __init__(
        self,
        target: Target,
        make_side: Callable[[int], ClientSide],
        *,
        on_event: Callable[[ClientEvent], None],
        on_up: Callable[[int], None],
        on_down: Callable[[str], None],
        backoff: Backoff | None = None,
    ) -> None:
        self.state = LinkState.CLOSED
        self.side = make_side(0)
        self._target, self._make_side = target, make_side
        self._way = 0
        self._on_event, self._on_up, self._on_down = on_event, on_up, on_down
        self._backoff = backoff or Backoff()
        self._frames: asyncio.Queue[Frame] = asyncio.Queue(_QUEUE)
        self._hurry = asyncio.Event()

    def send(self, frames: list[Frame]) -> None:
        """Send in order. Without a connection, frames are dropped: the outbox keeps what matters."""
        if self.state not in (LinkState.GREETING, LinkState.CONNECTED):
            return
        for frame in frames:
            with contextlib.suppress(asyncio.QueueFull):
                self._frames.put_nowait(frame)

    def hurry(self) -> None:
        """Somebody wants to speak: try again now."""
        self._hurry.set()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while True:
                self.state = LinkState.CONNECTING
                url = self._target.urls[self._way % len(self._target.urls)]
                began, why = loop.time(), "the server closed the connection"
                lasted = 0.0
                try:
                    token = self._target.token
                    async with _Connect(
                        url,
                        additional_headers={"Authorization": f"Bearer {token}"} if token else None,
                        ssl=self._target.context(url),
                        open_timeout=CONNECT_TIMEOUT_S,
                        close_timeout=1,
                        max_size=MAX_TEXT_FRAME,
                        compression=None,
                        proxy=None if is_near(url) else True,
                    ) as connection:
                        began = loop.time()
                        await self._talk(connection)
                        why = closed_because(connection.close_code, connection.close_reason)
                        lasted = loop.time() - began
                except InvalidStatus as refusal:
                    why = refused(refusal.response.status_code)
                except WrongCertificate as problem:
                    why = changed(self._target.name or url, url, problem.shown)
                except ssl.SSLCertVerificationError as problem:
                    why = unproven(url, problem.verify_message)
                except ConnectionRefusedError:
                    why = f"nothing listens at {url}; start it there with: 01 --server"
                except (OSError, TimeoutError, WebSocketException) as problem:
                    why = str(problem) or type(problem).__name__
                self.state = LinkState.WAITING
                if not lasted:
                    self._way += 1
                    if self._way % len(self._target.urls):
                        # Another address of the same server may answer at once.
                        log.debug("no link to %s (%s)", url, why)
                        continue
                self._on_down(why)
                delay = self._backoff.failed(lasted)
                log.debug("link down (%s), next try in %.1f s", why, delay)
                self._hurry.clear()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._hurry.wait(), delay)
        finally:
            self.state = LinkState.CLOSED

    async def _talk(self, connection: ClientConnection) -> None:
        self.state = LinkState.GREETING
        self.side = self._make_side(self.side.floor)
        self._frames = asyncio.Queue(_QUEUE)
        await connection.send(self.side.greeting())
        writer = asyncio.create_task(self._write(connection))
        # A server of the first 01 answers no hello: after a moment it is taken as one.
        patience = asyncio.get_running_loop().call_later(HELLO_WAIT_MS / 1000, self._up)
        try:
            async for frame in connection:
                for event in self.side.receive(frame):
                    if isinstance(event, Problem):
                        log.warning("the server sent what cannot be read: %s", event.text)
                        continue
                    if isinstance(event, Welcome):
                        patience.cancel()
                        self._on_event(event)
                        self._up()
                    else:
                        self._on_event(event)
        except ConnectionClosed:
            pass
        except asyncio.CancelledError:
            await connection.close(1001, "the client ends")
            raise
        finally:
            patience.cancel()
            writer.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionClosed):
                await writer

    def _up(self) -> None:
        if self.state is LinkState.GREETING:
            self.state = LinkState.CONNECTED
            self._on_up(self.side.level)

    async def _write(self, connection: ClientConnection) -> None:
        while True:
            await connection.send(await self._frames.get())


def refused(status: int) -> str:
    """An HTTP answer instead of a WebSocket, in words."""
    if status in (401, 403):
        return f"the server refused this device (HTTP {status}); pair it first, or check its token"
    return f"there is no Light Server at this address (HTTP {status})"


def changed(name: str, url: str, shown: str) -> str:
    """Another certificate than the pinned one, in words."""
    return (
        f"{name} at {url} shows another certificate than when you paired (now {shown[:16]}…). Either its certificate "
        "was made anew, or somebody is in between. Nothing was sent; your key and what you said are kept. Compare with "
        "what 01 pair shows on that computer, and if it was made anew, pair again with 01-client pair"
    )


def unproven(url: str, why: str) -> str:
    """A certificate that no authority vouches for, and no pin to compare with, in words."""
    return f"the certificate at {url} proves nothing to this client ({why}); pair with that server: 01-client pair"


def closed_because(code: int | None, reason: str | None) -> str:
    """Why the server ended the connection, in words."""
    if code == 1009:
        return "the server found a frame too large"
    if code == 1008 or (code is not None and 4400 <= code < 4500):
        return f"the server refused this device ({reason or code}); pair it first, or check its token"
    if code in (1001, 1012):
        return "the server is stopping"
    return f"the server closed the connection{f' ({reason})' if reason else ''}"
