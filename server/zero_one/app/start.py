"""``01`` alone and with --server or --client: the Light Server, the desktop client, or both in one process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from zero_one.app.address import Address, named
from zero_one.app.dialogue import DialogueError
from zero_one.app.expose import ExposeError
from zero_one.app.local import interruptible, running
from zero_one.app.presence import Presence
from zero_one.app.whereabouts import near
from zero_one.config.problems import ConfigError
from zero_one.config.profiles import ensure_default
from zero_one.config.settings import Settings

if TYPE_CHECKING:
    from zero_one_desktop.options import ClientOptions


def server(settings: Settings, *, qr: bool = False, expose: bool = False) -> int:
    """Serve until Ctrl-C. ``qr``: offer a pairing code at once; ``expose``: open a way in from the internet.

    Gives the exit status.
    """
    return _run(_serve(settings, with_client=False, url=None, qr=qr, expose=expose))


def client(settings: Settings, url: str | None) -> int:
    """The desktop client alone, against a server that runs already."""
    where = named(url) if url else near(settings)
    return _run(_client_alone(settings, where))


def both(settings: Settings, url: str | None, *, qr: bool = False, expose: bool = False) -> int:
    """Server and client together. ``url`` is where the client looks, where that is not simply our server."""
    return _run(_serve(settings, with_client=True, url=url, qr=qr, expose=expose))


def _run(work: Coroutine[Any, Any, int]) -> int:
    try:
        return asyncio.run(work)
    except (DialogueError, ExposeError) as error:
        print(f"01: {error}", file=sys.stderr)
        return 1


async def _serve(settings: Settings, *, with_client: bool, url: str | None, qr: bool, expose: bool) -> int:
    try:
        ensure_default()
    except ConfigError as error:  # no reason not to serve: it would only have held comments
        _tell(str(error))
    presence = Presence(settings, _tell, qr=qr, expose=expose)
    async with (
        interruptible() as stop,
        running(settings, presence) as (where, serving),
        presence.shown(urlsplit(where.ws).port or settings.server.port),
    ):
        print(f"The Light Server listens at {where.ws}. Ctrl-C ends it.", flush=True)
        stopped = asyncio.create_task(stop.wait())
        client = asyncio.create_task(_client_beside(settings, named(url) if url else where)) if with_client else None
        try:
            await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving
        finally:
            # The client goes first, so that it does not take the server's end for a broken line.
            for task in filter(None, (client, stopped)):
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
    return 0


def _tell(text: str) -> None:
    print(f"01: {text}", file=sys.stderr, flush=True)


async def _client_beside(settings: Settings, where: Address) -> None:
    """The client in the server's process. That there is nothing to hear or speak with does not end the server."""
    from zero_one_desktop.client import run_client

    if await run_client(_options(settings, where)):
        print("The desktop client has ended; the server goes on. See 01 doctor.", file=sys.stderr, flush=True)


async def _client_alone(settings: Settings, where: Address) -> int:
    from zero_one_desktop.client import run_client

    async with interruptible() as stop:
        client = asyncio.create_task(run_client(_options(settings, where)))
        stopped = asyncio.create_task(stop.wait())
        await asyncio.wait({client, stopped}, return_when=asyncio.FIRST_COMPLETED)
        for task in (client, stopped):
            task.cancel()
        results = await asyncio.gather(client, stopped, return_exceptions=True)
    status = results[0]
    if isinstance(status, Exception):
        raise status
    return status if isinstance(status, int) else 0


def _options(settings: Settings, where: Address) -> ClientOptions:
    """The client's options from our settings."""
    from zero_one_desktop.options import ClientOptions

    button = settings.client
    return ClientOptions(
        server_url=where.ws,
        pin=where.pin,
        token=where.token,
        hotkey=None if button.hotkey.strip().lower() in {"", "none"} else button.hotkey,
        stop_hotkey=None if button.stop_hotkey.strip().lower() in {"", "none"} else button.stop_hotkey,
        mode=button.mode,
        debounce_ms=button.debounce_ms,
        release_grace_ms=button.release_grace_ms,
        pre_roll_ms=button.pre_roll_ms,
        microphone=button.microphone,
        speaker=button.speaker,
    )
