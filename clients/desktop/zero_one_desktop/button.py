"""The talk button as a state machine without a clock: raw key edges and times in, what was meant out.

Hold mode: press and hold to talk. A press shorter than ``tap_ms`` was a tap, not words: one tap silences, two say it
again, three stop everything. Tap mode: a tap begins an utterance and the next tap ends it.

Contacts bounce and fingers slip, so a press counts once it has lasted ``debounce_ms``, and a release once nothing came
back for ``grace_ms``. Both can be longer for people who need longer. Sound is not lost by waiting: capture runs ahead.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

DEBOUNCE_MS = 30
GRACE_MS = 50
TAP_MS = 250
MULTI_TAP_MS = 350

HOLD_MS = 2_000

Mode = Literal["hold", "tap"]


@dataclass(frozen=True, slots=True)
class Begin:
    """An utterance begins. The finger came down ``ago_ms`` before."""

    ago_ms: int = 0


@dataclass(frozen=True, slots=True)
class End:
    """The utterance is over. The finger left ``ago_ms`` before."""

    ago_ms: int = 0


@dataclass(frozen=True, slots=True)
class Cancel:
    """What had begun was no utterance but a tap."""


@dataclass(frozen=True, slots=True)
class Held:
    """Tap mode: the press that ended ``ago_ms`` before was held for as long as an agreement takes."""

    ago_ms: int = 0


@dataclass(frozen=True, slots=True)
class Taps:
    """That many taps in a row, and no more."""

    count: int


Meaning = Begin | End | Cancel | Held | Taps


class _State(Enum):
    UP = "up"
    PRESSING = "pressing"  # down, not yet for debounce_ms
    HELD = "held"
    RELEASING = "releasing"  # up, not yet for grace_ms


class Button:
    """Feed ``down``, ``up`` and, at ``deadline``, ``tick``. All times are ms of one monotonic clock."""

    def __init__(
        self,
        mode: Mode = "hold",
        *,
        debounce_ms: int = DEBOUNCE_MS,
        grace_ms: int = GRACE_MS,
        tap_ms: int = TAP_MS,
        multi_tap_ms: int = MULTI_TAP_MS,
    ) -> None:
        self.mode = mode
        self._debounce, self._grace = debounce_ms, grace_ms
        self._tap, self._multi_tap = tap_ms, multi_tap_ms
        self._state = _State.UP
        self._since = 0.0
        self._down_at = 0.0
        self._taps = 0
        self._last_tap = 0.0
        self.talking = False

    @property
    def deadline(self) -> float | None:
        """When ``tick`` is due."""
        if self._state is _State.PRESSING:
            return self._since + self._debounce
        if self._state is _State.RELEASING:
            return self._since + self._grace
        if self._taps and self._state is _State.UP:
            return self._last_tap + self._multi_tap
        return None

    def down(self, now: float) -> list[Meaning]:
        """The key went down. Auto-repeat may say so again and again."""
        meant = self.tick(now)
        if self._state is _State.UP:
            self._state, self._since, self._down_at = _State.PRESSING, now, now
        elif self._state is _State.RELEASING:
            # A slip of the finger, or auto-repeat: it was never up.
            self._state = _State.HELD
        return meant + self.tick(now)

    def up(self, now: float) -> list[Meaning]:
        """The key went up."""
        meant = self.tick(now)
        if self._state is _State.PRESSING:
            self._state = _State.UP
        elif self._state is _State.HELD:
            self._state, self._since = _State.RELEASING, now
        return meant + self.tick(now)

    def tick(self, now: float) -> list[Meaning]:
        """Time has passed."""
        if self._state is _State.PRESSING and now >= self._since + self._debounce:
            self._state = _State.HELD
            return self._pressed(now)
        if self._state is _State.RELEASING and now >= self._since + self._grace:
            self._state = _State.UP
            return self._released(now)
        if self._taps and self._state is _State.UP and now >= self._last_tap + self._multi_tap:
            taps, self._taps = self._taps, 0
            return [Taps(taps)]
        return []

    def toggle(self, now: float) -> list[Meaning]:
        """Begin or end without a key: a command, or the end of a recording."""
        self.talking = not self.talking
        return [Begin() if self.talking else End()]

    def _pressed(self, now: float) -> list[Meaning]:
        ago = int(now - self._down_at)
        if self.mode == "tap" and self.talking:
            self.talking = False
            return [End(ago)]
        if self.talking:
            # It was begun by command; the key joins in.
            return []
        self.talking = True
        return [Begin(ago)]

    def _released(self, now: float) -> list[Meaning]:
        if self.mode == "tap":
            return [Held(int(now - self._since))] if self.talking and self._since - self._down_at >= HOLD_MS else []
        if not self.talking:
            return []
        self.talking = False
        if self._since - self._down_at < self._tap:
            self._taps, self._last_tap = self._taps + 1, self._since
            return [Cancel()]
        self._taps = 0
        return [End(int(now - self._since))]
