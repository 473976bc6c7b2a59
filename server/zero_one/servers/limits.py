"""How much one connection, one address and all of them together may ask of us. No I/O; the clock is handed in."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable

Clock = Callable[[], float]
"""Seconds of a clock that only goes forward."""


class Bucket:
    """Tokens that come back at ``a_second`` each second, at most ``burst`` of them."""

    def __init__(self, burst: float, a_second: float, clock: Clock) -> None:
        self._burst, self._a_second, self._clock = burst, a_second, clock
        self._level, self._at = burst, clock()

    def _refill(self) -> None:
        now = self._clock()
        self._level = min(self._burst, self._level + (now - self._at) * self._a_second)
        self._at = now

    @property
    def full(self) -> bool:
        self._refill()
        return self._level >= self._burst

    @property
    def empty(self) -> bool:
        self._refill()
        return self._level < 1

    def take(self, tokens: float = 1) -> bool:
        """Whether there were that many."""
        self._refill()
        if self._level < tokens:
            return False
        self._level -= tokens
        return True

    def spend(self, tokens: float) -> float:
        """Take them, if need be on credit; how many seconds to wait until the credit is paid back."""
        self._refill()
        self._level -= tokens
        return max(0.0, -self._level / self._a_second)


class Attempts:
    """Wrong guesses: ``each`` for one address and ``all_`` for everybody, both coming back over ``within_s``.

    Only failures count, so a device with the right key is never kept out by its own coming and going. When everybody
    together has used up theirs, an address has one left. What is remembered is bounded: at most ``most`` addresses, the
    longest quiet one is forgotten first.
    """

    def __init__(self, each: int, all_: int, within_s: float, clock: Clock, most: int = 4096) -> None:
        self._each, self._within_s, self._clock, self._most = each, within_s, clock, most
        self._all = Bucket(all_, all_ / within_s, clock)
        self._known: OrderedDict[Hashable, Bucket] = OrderedDict()

    def exhausted(self, who: Hashable) -> bool:
        bucket = self._known.get(who)
        if bucket is None:
            return False
        return bucket.empty or (self._all.empty and not bucket.full)

    def failed(self, who: Hashable) -> None:
        bucket = self._known.pop(who, None) or Bucket(self._each, self._each / self._within_s, self._clock)
        self._known[who] = bucket  # the newest at the end
        bucket.take()
        self._all.take()
        while len(self._known) > self._most:
            self._known.popitem(last=False)


class Once:
    """Says yes to each key at most once in ``every_s`` seconds, for things that are told to a person."""

    def __init__(self, every_s: float, clock: Clock, most: int = 256) -> None:
        self._every_s, self._clock, self._most = every_s, clock, most
        self._last: OrderedDict[Hashable, float] = OrderedDict()

    def now(self, key: Hashable) -> bool:
        at, last = self._clock(), self._last.get(key)
        if last is not None and at - last < self._every_s:
            return False
        self._last.pop(key, None)
        self._last[key] = at
        while len(self._last) > self._most:
            self._last.popitem(last=False)
        return True
