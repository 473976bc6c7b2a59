"""When to try again. Named states, and every constant explained where it stands."""

from __future__ import annotations

import random
from enum import Enum
from typing import Final

# A server that is restarted on purpose is back within a second: the first try must not wait longer.
FIRST_DELAY_S: Final = 0.5
# Doubling reaches the cap after five failures, so that a flapping network is not hammered.
FACTOR: Final = 2.0
# Nobody who sees their server come back should wait longer than this.
LONGEST_DELAY_S: Final = 15.0
# Up to half of each delay is taken off at random: clients of one server do not come back in one moment.
JITTER: Final = 0.5
# A connection that held this long was good; one that breaks sooner counts as another failure.
STABLE_AFTER_S: Final = 5.0
# A machine that is asleep or gone answers nothing at all.
CONNECT_TIMEOUT_S: Final = 8.0


class LinkState(Enum):
    """Where a link stands."""

    CONNECTING = "connecting"
    GREETING = "greeting"
    CONNECTED = "connected"
    WAITING = "waiting"
    CLOSED = "closed"


class Backoff:
    """Delays between tries."""

    def __init__(self, rng: random.Random | None = None) -> None:
        self._rng = rng or random.Random()
        self._failures = 0

    def failed(self, lasted_s: float = 0.0) -> float:
        """Seconds to wait after a connection that failed or broke after ``lasted_s``."""
        if lasted_s >= STABLE_AFTER_S:
            self._failures = 0
        delay = min(LONGEST_DELAY_S, FIRST_DELAY_S * FACTOR ** min(self._failures, 16))
        self._failures += 1
        return delay * (1 - JITTER * self._rng.random())
