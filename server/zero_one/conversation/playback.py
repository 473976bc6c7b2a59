"""Where the listener is: an estimate of how much of what was sent has been heard."""

from __future__ import annotations

from collections.abc import Callable

Clock = Callable[[], float]
"""Seconds that only grow; the event loop's ``time`` in production, so that tests can virtualise it."""


class Playback:
    """One burst of sound (one generation). All times in ms of sound since its start.

    Without reports, a device is taken to play what it has as soon as it has it, and to pause where it has nothing. A
    report (``played_ms``) moves the estimate to where the device says it is.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._anchor_at = clock()
        self._anchor_ms = 0.0
        self.sent_ms = 0.0

    def heard_ms(self) -> float:
        return min(self.sent_ms, self._anchor_ms + (self._clock() - self._anchor_at) * 1000)

    def ahead_ms(self) -> float:
        """How much has been sent but not yet heard."""
        return self.sent_ms - self.heard_ms()

    def sent(self, ms: float) -> None:
        """``ms`` more of sound went out. If the listener had run dry, the clock starts again here."""
        heard = self.heard_ms()
        self._anchor_at, self._anchor_ms = self._clock(), heard
        self.sent_ms += ms

    def report(self, played_ms: float) -> None:
        """The device says how much it has played."""
        self._anchor_at, self._anchor_ms = self._clock(), min(max(played_ms, 0.0), self.sent_ms)
