"""The server in this process: started, waited for, stopped; and Ctrl-C that ends it cleanly."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from zero_one.app.address import Address, local_address
from zero_one.app.dialogue import DialogueError
from zero_one.app.expose import ExposeError
from zero_one.app.presence import Presence
from zero_one.config.settings import Settings
from zero_one.identity.certificate import CertificateError


@asynccontextmanager
async def running(
    settings: Settings, presence: Presence | None = None, *, typed: bool = False
) -> AsyncIterator[tuple[Address, asyncio.Task[None]]]:
    """A server of our own. Gives its address once it listens, and its task; ends it on the way out.

    ``presence``: others are to know of it. ``typed``: for words typed here only. Raises DialogueError where it
    cannot be started.
    """
    from zero_one.app.serve import serve
    from zero_one.servers.listener import ListenError

    stop = asyncio.Event()
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def listening(port: int) -> None:
        if not ready.done():
            ready.set_result(port)

    presence = presence or Presence(settings, lambda text: None)
    try:
        await presence.prepare()
    except CertificateError as error:
        raise DialogueError(f"The server cannot speak TLS, so it did not start. {error}") from error
    except (ExposeError, OSError) as error:
        raise DialogueError(str(error)) from error
    outside, listener = presence.outside, presence.listener
    task = asyncio.create_task(
        serve(settings, stop, ready=listening, outside=listener, speaks=presence.spoken, typed=typed,
              outside_tls=outside.context() if outside else None)
    )  # fmt: skip
    try:
        either: set[asyncio.Future[Any]] = {task, ready}
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            await task
            raise RuntimeError("The server ended before it listened.")
        yield local_address(settings.server.host, ready.result(), presence.pin), task
    except ListenError as error:
        raise DialogueError(str(error)) from error
    finally:
        stop.set()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def interruptible() -> AsyncIterator[asyncio.Event]:
    """An event that Ctrl-C or a termination signal sets, once; a second Ctrl-C interrupts at once."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    caught: list[signal.Signals] = []

    def request() -> None:
        stop.set()
        for number in caught:
            loop.remove_signal_handler(number)
        caught.clear()

    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows' event loop has no signal handlers; there Ctrl-C raises KeyboardInterrupt, which ends us too.
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, request)
            caught.append(number)
    try:
        yield stop
    finally:
        for number in caught:
            loop.remove_signal_handler(number)
