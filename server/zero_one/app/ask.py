"""``01 ask "text"``: the same turn, typed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from zero_one.app.address import Address, answers, named, warm
from zero_one.app.dialogue import DialogueError, Turn, dialogue
from zero_one.app.local import running
from zero_one.app.screen import Screen, Terminal
from zero_one.app.whereabouts import near
from zero_one.config.settings import Settings

DEVICE = "01-ask"
_WARM_S = 60.0


def run(settings: Settings, text: str, *, url: str | None) -> int:
    """Ask, print the answer, give the exit status."""
    try:
        turn = asyncio.run(_ask(settings, text, named(url) if url else None))
    except DialogueError as error:
        print(f"01: {error}", file=sys.stderr)
        return 1
    return 1 if turn.errors else 0


async def _ask(settings: Settings, text: str, other: Address | None) -> Turn:
    async with server(settings, other) as where, dialogue(where, DEVICE) as talk:
        screen = Screen()
        talk.on_message = screen.message
        talk.asked = Terminal().ask
        talk.reads = True
        if not talk.ready and other is None:
            await warm(where, _WARM_S)  # rather than being asked for patience on standard output
        turn = await talk.type(text, limit_s=settings.caps.seconds + settings.model.timeout_s)
        screen.finish()
        return turn


@asynccontextmanager
async def server(settings: Settings, other: Address | None) -> AsyncIterator[Address]:
    """The server that was named, the one that runs already, or one of our own for as long as it is needed."""
    where = other or near(settings)
    if other is not None or (settings.server.port and await answers(where)):
        yield where
        return
    own = settings.model_copy(update={"server": settings.server.model_copy(update={"port": 0})})
    async with running(own, typed=True) as (found, _):
        yield found
