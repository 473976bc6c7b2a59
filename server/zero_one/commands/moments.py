"""Points in time as people say them: a day, a time of day, or both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from zero_one.commands.days import parse_day, parse_days
from zero_one.commands.durations import parse_duration
from zero_one.commands.numbers import parse_number
from zero_one.commands.timesofday import Clock, parse_clock

_PARTS = {"morning": time(9), "afternoon": time(14), "evening": time(19), "night": time(21)}
_LATER = timedelta(hours=3)
_MOST_BARE_MINUTES = 180
# Times of a day that have names. Whoever means it to the minute says the minute.
_NAMED = {
    "first thing": time(9), "breakfast": time(8), "breakfast time": time(8), "lunch": time(12), "lunchtime": time(12),
    "lunch time": time(12), "after lunch": time(13), "before lunch": time(11, 30), "after work": time(17, 30),
    "dinner": time(18), "dinner time": time(18), "dinnertime": time(18), "after dinner": time(19, 30),
    "bedtime": time(22), "bed time": time(22), "before bed": time(22), "before i go to bed": time(22),
    "end of day": time(17), "the end of the day": time(17), "after breakfast": time(9), "before dinner": time(17, 30),
    "tea time": time(16), "teatime": time(16), "mid morning": time(10, 30), "mid afternoon": time(15),
    "the end of day": time(17), "before noon": time(11), "before work": time(8), "after school": time(15, 30),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class When:
    """A moment: ``at`` is naive local time; ``days`` are weekday numbers (0 = Monday) of a repeating one."""

    at: datetime
    days: tuple[int, ...] = ()


def parse_when(words: Sequence[str], now: datetime, morning: bool = False) -> When | None:
    """The moment all of ``words`` say, after the naive local ``now``.

    A clock time without am or pm is the next such time; ``morning`` (someone wants to be woken) prefers before noon.
    """
    words = list(words)
    if not words:
        return None
    if words[0] in ("in", "after", "within") and (seconds := parse_duration(words[1:])) is not None:
        return When(now + timedelta(seconds=seconds))
    if words[0] == "in" and (bare := parse_number(words[1:])) and 0 < bare <= _MOST_BARE_MINUTES:
        return When(now + timedelta(minutes=bare))  # "in twenty"
    if words in (["later"], ["later", "today"], ["later", "on"], ["some", "time", "today"], ["in", "a", "while"],
                 ["sometime", "today"], ["in", "a", "bit"], ["later", "on", "today"]):  # fmt: skip
        return When(now + (_LATER if "today" in words or "later" in words else timedelta(minutes=15)))
    if words in (["this", "time", "tomorrow"], ["same", "time", "tomorrow"], ["at", "the", "same", "time", "tomorrow"]):
        return When(now + timedelta(days=1))
    for tail in (["from", "now"], ["later"]):
        if words[-len(tail) :] == tail and (seconds := parse_duration(words[: -len(tail)])) is not None:
            return When(now + timedelta(seconds=seconds))
    words = [word for word in words if word != "early"] or words
    for cut in range(len(words) + 1):
        for first, rest in ((words[:cut], words[cut:]), (words[cut:], words[:cut])):
            found = _day_and_clock(first, rest, now, morning)
            if found:
                return found
    return None


def _day_and_clock(day_words: list[str], clock_words: list[str], now: datetime, morning: bool) -> When | None:
    clock = None
    if clock_words:
        if clock_words[0] in ("at", "by", "for"):
            clock_words = clock_words[1:]
        elif not day_words and not _spells_a_time(clock_words):
            return None
        clock = _named(clock_words) or parse_clock(clock_words) if clock_words else None
        if clock is None:
            return None
    if not day_words:
        return None if clock is None else When(_next(clock, now, morning))
    days = parse_days(day_words)
    if days is not None and clock is None:
        usual = next((_PARTS[word.rstrip("s")] for word in day_words if word.rstrip("s") in _PARTS), time(9))
        clock = Clock(usual.hour, usual.minute, "24")
    if days is not None and clock is not None:
        morning = morning or "morning" in day_words
        at = min(_on_day(clock, now.date() + timedelta(days=n), now, morning, True) for n in range(8)
                 if (now.date() + timedelta(days=n)).weekday() in days
                 and _on_day(clock, now.date() + timedelta(days=n), now, morning, True) > now)  # fmt: skip
        return When(at, days)
    part, day_words = _part_of_day(day_words)
    day = parse_day(day_words, now.date()) if day_words else now.date()
    if day is None or (clock is None and part is None and day <= now.date()):
        return None
    if clock is None:
        at = datetime.combine(day, _PARTS[part] if part else time(9))
        if at <= now and not day_words:
            at = now + timedelta(hours=1) if part in ("evening", "night") else at + timedelta(days=1)
        return When(at)
    if part and clock.open:
        clock = Clock(clock.hour, clock.minute, "am" if part == "morning" or clock.hour == 12 else "pm")
    at = _on_day(clock, day, now, morning, False)
    return When(at) if at > now else None


def _named(words: list[str]) -> Clock | None:
    at = _NAMED.get(" ".join(words))
    return Clock(at.hour, at.minute, "24") if at else None


def _spells_a_time(words: list[str]) -> bool:
    """Without "at", a bare number is not a time: "remind me to count to ten" ends in no hour."""
    return (
        len(words) > 1
        or ":" in words[0]
        or words[0] in ("noon", "midnight", "midday")
        or bool(re.fullmatch(r"\d{1,2}([:.]\d{2})?(am|pm)", words[0]))
    )


def _part_of_day(words: list[str]) -> tuple[str | None, list[str]]:
    if words == ["tonight"]:
        return "night", []
    if words[:2] == ["first", "thing"] and words[2:3] != ["in"]:
        return "morning", [word for word in words[2:] if word != "morning"]
    if words[-4:] == ["first", "thing", "in", "the"]:
        return None, words
    if len(words) >= 2 and words[-1] in _PARTS:
        rest = words[:-1]
        if rest in (["this"], ["in", "the"], ["later", "this"], ["later", "in", "the"], ["for", "the"]):
            return words[-1], []
        if rest[-2:] == ["in", "the"]:
            rest = rest[:-2]
        return words[-1], rest
    return None, words


def _next(clock: Clock, now: datetime, morning: bool) -> datetime:
    at = datetime.combine(now.date(), clock.time(morning))
    step = timedelta(hours=12) if clock.open and not morning else timedelta(days=1)
    while at <= now:
        at += step
    while at - step > now:
        at -= step
    return at


def _on_day(clock: Clock, day: date, now: datetime, morning: bool, repeating: bool) -> datetime:
    at = datetime.combine(day, clock.time(morning))
    if clock.open and not morning and clock.hour < 12:
        early_today = day == now.date() and at <= now and not repeating
        if early_today or (not repeating and clock.hour < 7):
            at += timedelta(hours=12)
    return at
