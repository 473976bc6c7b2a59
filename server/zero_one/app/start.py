"""``01`` alone and with --server or --client: the Light Server, the desktop client, or both in one process."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

from zero_one.app.address import Address, address, local_address
from zero_one.app.dialogue import DialogueError
from zero_one.app.local import interruptible, running
from zero_one.config.profiles import ensure_default
from zero_one.config.settings import Settings


def server(settings: Settings) -> int:
    """Serve until Ctrl-C. Gives the exit status."""
    return _run(_serve(settings, with_client=False, url=None))


def client(settings: Settings, url: str | None) -> int:
    """The desktop client alone, against a server that runs already."""
    where = address(url) if url else local_address(settings.server.host, settings.server.port)
    return _run(_client_alone(settings, where))


def both(settings: Settings, url: str | None) -> int:
    """Server and client together. ``url`` is where the client looks, where that is not simply our server."""
    return _run(_serve(settings, with_client=True, url=url))


def _run(work: Coroutine[Any, Any, int]) -> int:
    try:
        return asyncio.run(work)
    except DialogueError as error:
        print(f"01: {error}", file=sys.stderr)
        return 1


async def _serve(settings: Settings, *, with_client: bool, url: str | None) -> int:
    ensure_default()
    async with interruptible() as stop, running(settings, stop) as (where, task):
        print(f"The Light Server listens at {where.ws}. Ctrl-C ends it.", flush=True)
        waiting = {task}
        if with_client:
            waiting.add(asyncio.create_task(_client_beside(settings, address(url) if url else where, stop)))
        try:
            await task
        finally:
            for one in waiting - {task}:
                one.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
    return 0


async def _client_beside(settings: Settings, where: Address, stop: asyncio.Event) -> None:
    """The client in the server's process. That there is no microphone or display does not end the server."""
    from zero_one_desktop.client import run_client

    await run_client(options(settings, where))


async def _client_alone(settings: Settings, where: Address) -> int:
    from zero_one_desktop.client import run_client

    return int(await run_client(options(settings, where)) or 0)


def options(settings: Settings, where: Address) -> object:
    """The client's options from ours."""
    raise NotImplementedError
