"""Never silent: when an answer takes long and nothing is being said, say that it goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from zero_one.conversation import phrases
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.services import Services
from zero_one.conversation.turn import Turn

AFTER_S = (8.0, 20.0, 40.0)
"""Seconds of silence before the first, second and every further time."""
_LOOK_S = 1.0


class Progress:
    """Watches one turn. ``quiet`` tells when nothing should be said now (a question is open, nobody is there)."""

    def __init__(self, turn: Turn, mouth: Mouth, services: Services, quiet: Callable[[], bool]) -> None:
        self._turn, self._mouth, self._services, self._quiet = turn, mouth, services, quiet

    async def watch(self) -> None:
        """Returns when the turn is over."""
        turn, clock = self._turn, self._services.clock
        since, said = clock(), 0
        while not turn.done and not turn.over and not turn.muted:
            if self._mouth.speaking or self._quiet():
                since = clock()
            left = since + AFTER_S[min(said, len(AFTER_S) - 1)] - clock()
            if left > 0:
                if turn.task is not None:
                    await asyncio.wait([turn.task], timeout=min(left, _LOOK_S))
                continue
            said += 1
            self._mouth.notice(self._words())
            since = clock()

    def _words(self) -> str:
        if not self._services.ready():
            return phrases.STILL_WARMING
        return phrases.STILL_ACTING if self._turn.acting else phrases.STILL_THINKING
