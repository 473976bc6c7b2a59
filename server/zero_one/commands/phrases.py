"""How numbers, times and lists are said."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime

from zero_one.commands.days import WEEKDAYS
from zero_one.commands.numbers import tidy


def some(count: float, unit: str) -> str:
    """ "1 minute", "5 minutes"."""
    return f"{number(count)} {unit}" + ("" if count == 1 else "s")


def number(value: float) -> str:
    """At most six significant digits after the point, thousands apart."""
    if not math.isfinite(value):
        return "undefined"
    value = tidy(value)
    if isinstance(value, int):
        return f"{value:,}"
    if abs(value) >= 1e15 or abs(value) < 1e-4:
        return f"{value:.4g}"
    return f"{value:,.6f}".rstrip("0").rstrip(".")


def duration(seconds: float) -> str:
    """ "1 hour and 30 minutes"; seconds are left out from an hour on."""
    left = max(0, round(seconds))
    parts = []
    for unit, size in (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(some(count, unit))
        if unit == "minute" and seconds >= 3600:
            break
    return listed(parts[:3]) or "0 seconds"


def long(seconds: float) -> str:
    """ "10 minute", as in "the 10 minute timer"."""
    return re.sub(r"(?<=\w)s\b", "", duration(seconds))


def clock(at: datetime) -> str:
    """ "5:30 PM"."""
    return f"{at.hour % 12 or 12}:{at.minute:02d} {'AM' if at.hour < 12 else 'PM'}"


def day(at: date) -> str:
    """ "Sunday, November 22"."""
    return f"{at:%A}, {at:%B} {at.day}"


def moment(at: datetime, now: datetime) -> str:
    """ "5:30 PM", "7:00 AM tomorrow", "9:00 AM on Friday, December 4"."""
    ahead = (at.date() - now.date()).days
    if ahead == 0:
        return clock(at)
    if ahead == 1:
        return f"{clock(at)} tomorrow"
    if 1 < ahead < 7:
        return f"{clock(at)} on {at:%A}"
    return f"{clock(at)} on {day(at)}"


def days(names: Sequence[str]) -> str:
    """ "every day", "on weekdays", "every Monday and Friday"."""
    chosen = {WEEKDAYS.index(name) for name in names}
    if chosen == set(range(7)):
        return "every day"
    if chosen == set(range(5)):
        return "on weekdays"
    if chosen == {5, 6}:
        return "on weekends"
    return "every " + listed([WEEKDAYS[n].title() for n in sorted(chosen)])


def listed(parts: Sequence[str]) -> str:
    """ "a, b and c"."""
    if len(parts) < 2:
        return "".join(parts)
    return ", ".join(parts[:-1]) + f" and {parts[-1]}"


def size(count: float) -> str:
    """Bytes as "12.3 gigabytes"."""
    for unit in ("bytes", "kilobytes", "megabytes", "gigabytes"):
        if count < 1000:
            return f"{count:.3g} {unit}" if count < 100 else f"{count:.0f} {unit}"
        count /= 1000
    return f"{count:.3g} terabytes"
