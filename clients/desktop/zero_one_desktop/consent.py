"""What a press means while a question is open: tap = no, two seconds' hold = yes, words = words. Without a clock.

Nobody agrees to what they have not heard: a press that began before the question ended, or in the moment after it,
agrees to nothing. The server holds to the same rules; here they decide what is sent at all.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from zero_one_desktop.button import HOLD_MS

DEAF_MS: Final = 700
"""Presses this soon after the question was heard were meant for something else."""


class Press(Enum):
    """What a press is worth when it begins."""

    PLAIN = "plain"  # no question is open
    EARLY = "early"  # one is, but it has not been heard yet
    COUNTS = "counts"


class Consent:
    """All times are ms of one monotonic clock."""

    def __init__(self) -> None:
        self._question = ""
        self._heard_at: float | None = None
        self._since: float | None = None

    @property
    def waits(self) -> bool:
        """A question is open and has not been heard to its end."""
        return bool(self._question) and self._heard_at is None

    def ask(self, question: str) -> None:
        """A question is open; also for one that is said again. A press that goes on began before it."""
        self._question, self._heard_at, self._since = question, None, None

    def heard(self, now: float) -> None:
        """It was heard to its end."""
        if self._question and self._heard_at is None:
            self._heard_at = now

    def close(self) -> None:
        """It is answered, or nobody can answer it any more."""
        self._question, self._heard_at, self._since = "", None, None

    def press(self, at: float) -> Press:
        """The button went down at ``at``."""
        self._since = None
        if not self._question:
            return Press.PLAIN
        if self._heard_at is None or at - self._heard_at < DEAF_MS:
            return Press.EARLY
        self._since = at
        return Press.COUNTS

    def risen(self, now: float) -> float:
        """How much of the hold is done, 0 to 1."""
        return 0.0 if self._since is None else min(1.0, max(0.0, (now - self._since) / HOLD_MS))

    def release(self, at: float) -> float:
        """The button went up at ``at``; how long it was down in ms, 0 where that means nothing."""
        since, self._since = self._since, None
        return 0.0 if since is None else max(0.0, at - since)
