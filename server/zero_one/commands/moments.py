"""Durations and points in time as people say them. All functions take words, none looks at the real clock."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from zero_one.commands.numbers import parse_int, parse_number, parse_ordinal, tidy

_UNITS = {
    "second": 1, "seconds": 1, "sec": 1, "secs": 1, "s": 1,
    "minute": 60, "minutes": 60, "min": 60, "mins": 60, "m": 60,
    "hour": 3600, "hours": 3600, "hr": 3600, "hrs": 3600, "h": 3600,
    "day": 86400, "days": 86400, "week": 604800, "weeks": 604800, "fortnight": 1209600,
}  # fmt: skip
WEEKDAYS = tuple(day.lower() for day in calendar.day_name)
MONTHS = tuple(month.lower() for month in calendar.month_name)
_SHORT_DAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_SHORT_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip
_PARTS = {"morning": time(9), "afternoon": time(14), "evening": time(19), "night": time(21)}
_FEASTS = {
    "christmas": (12, 25), "christmas day": (12, 25), "christmas eve": (12, 24), "boxing day": (12, 26),
    "new year": (1, 1), "new years": (1, 1), "new year's": (1, 1), "new year's day": (1, 1), "new years day": (1, 1),
    "new year's eve": (12, 31), "new years eve": (12, 31), "halloween": (10, 31), "valentine's day": (2, 14),
    "valentines day": (2, 14), "saint patrick's day": (3, 17),
}  # fmt: skip


# --- durations ------------------------------------------------------------------------------------------------------


def parse_duration(words: Sequence[str]) -> float | None:
    """Seconds that all of ``words`` say ("an hour and a half", "1h30m", "two and a half minutes"), or None."""
    words = _split_written(words)
    if words and words[-1] in ("long", "time") and len(words) > 1:
        words = words[:-1]
    total: float = 0
    last_unit = 0
    at = 0
    while at < len(words):
        if words[at] == "and" and at:
            at += 1
            if words[at:] in (["a", "half"], ["half"]) and last_unit:
                return tidy(total + last_unit / 2)
            if words[at:] in (["a", "quarter"], ["quarter"]) and last_unit:
                return tidy(total + last_unit / 4)
            if words[at:] == ["three", "quarters"] and last_unit:
                return tidy(total + last_unit * 3 / 4)
        end = next((i for i in range(at, len(words)) if words[i] in _UNITS), None)
        if end is None:
            # "one hour thirty" leaves its minutes unsaid.
            number = parse_int(words[at:])
            if last_unit in (3600, 60) and number is not None and 0 < number < 60:
                return tidy(total + number * last_unit / 60)
            return None
        unit = _UNITS[words[end]]
        count = _count(words[at:end])
        if count is None or (last_unit and unit >= last_unit):
            return None
        total += count * unit
        last_unit = unit
        at = end + 1
    return tidy(round(total, 3)) if total > 0 else None


def _split_written(words: Sequence[str]) -> list[str]:
    """ "1h30m" as "1 h 30 m", "10min" as "10 min"."""
    out: list[str] = []
    for word in words:
        if re.fullmatch(r"(\d+(\.\d+)?[a-z]+)+\d*", word):
            out += re.findall(r"\d+(?:\.\d+)?|[a-z]+", word)
        else:
            out.append(word)
    return out


def _count(words: list[str]) -> float | None:
    if words in ([], ["a"], ["an"], ["one"], ["another"]):
        return 1
    if words in (["half", "a"], ["half", "an"], ["a", "half"], ["half"], ["half", "of", "an"], ["half", "of", "a"]):
        return 0.5
    if words[-2:] in (["of", "an"], ["of", "a"]):
        words = words[:-2]
    elif words[-1] in ("an", "of") and len(words) > 1:
        words = words[:-1]
    return parse_number(words)


# --- clock times ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day as said. ``half`` is "am", "pm" or "" where the speaker left it open."""

    hour: int
    minute: int
    half: str = ""

    def time(self, morning: bool = False) -> time:
        hour = self.hour
        if self.half == "pm" and hour < 12:
            hour += 12
        elif (self.half == "am" or (morning and not self.half)) and hour == 12:
            hour = 0
        return time(hour % 24, self.minute)

    @property
    def open(self) -> bool:
        """Could be morning or afternoon."""
        return not self.half and 1 <= self.hour <= 12


def parse_clock(words: Sequence[str]) -> Clock | None:
    """ "half past five", "quarter to eight p m", "5:30pm", "seventeen thirty", "noon", "seven in the morning"."""
    words = list(words)
    if words[:1] in (["about"], ["around"], ["exactly"]):
        words = words[1:]
    half = ""
    for tail, meaning in (
        (["in", "the", "morning"], "am"), (["in", "the", "afternoon"], "pm"), (["in", "the", "evening"], "pm"),
        (["at", "night"], "night"), (["a", "m"], "am"), (["p", "m"], "pm"), (["am"], "am"), (["pm"], "pm"),
        (["this", "morning"], "am"), (["sharp"], ""), (["hours"], "24"), (["tonight"], "night"),
        (["this", "evening"], "pm"), (["this", "afternoon"], "pm"),
    ):  # fmt: skip
        if len(words) > len(tail) and words[-len(tail) :] == tail:
            words, half = words[: -len(tail)], meaning or half
            break
    glued = re.fullmatch(r"(\d{1,2}(?:[:.]\d{2})?)(am|pm|a|p)", words[0]) if len(words) == 1 else None
    if glued:
        words, half = [glued[1]], glued[2][0] + "m"
    hour_minute = _hour_minute(words)
    if hour_minute is None:
        return None
    hour, minute = hour_minute
    if half == "night":
        half = "pm" if hour % 12 >= 5 else "am"
    if half in ("am", "pm"):
        return Clock(hour, minute, half) if 0 < hour <= 12 else (Clock(hour, minute, "24") if hour < 24 else None)
    if half == "24" or words in (["noon"], ["midday"], ["midnight"]):
        return Clock(hour, minute, "24")
    return Clock(hour, minute, "24" if hour > 12 or hour == 0 else "")


def _hour_minute(words: list[str]) -> tuple[int, int] | None:
    if not words:
        return None
    if not words:
        return None
    if words in (["noon"], ["midday"], ["twelve", "noon"]):
        return 12, 0
    if words in (["midnight"], ["twelve", "midnight"]):
        return 0, 0
    if len(words) > 1 and words[-1] in ("o'clock", "oclock"):
        words = words[:-1]
        hour = parse_int(words)
        return (hour, 0) if hour is not None and 0 < hour <= 12 else None
    if len(words) == 1:
        written = re.fullmatch(r"(\d{1,2})[:.h](\d{2})", words[0])
        if written:
            return _valid(int(written[1]), int(written[2]))
        if re.fullmatch(r"\d{3,4}", words[0]):
            return _valid(int(words[0][:-2]), int(words[0][-2:]))
    for joint, sign in (("past", 1), ("after", 1), ("to", -1), ("till", -1), ("until", -1), ("before", -1), ("of", -1)):
        if joint in words[1:-1]:
            at = words.index(joint, 1)
            minute = _minutes(words[:at])
            base = _hour_minute(words[at + 1 :])
            if minute is None or base is None or base[1]:
                return None
            if sign > 0:
                return base[0], minute
            return (base[0] - 1) % 24 or (12 if base[0] <= 12 and base[0] != 0 else 24), 60 - minute
    if words[0] == "half" and len(words) == 2:
        hour = parse_int(words[1:])
        return (hour, 30) if hour is not None and 0 < hour <= 12 else None
    for cut in range(len(words), 0, -1):
        hour, rest = parse_int(words[:cut]), words[cut:]
        if hour is None or not 0 <= hour < 24:
            continue
        if not rest:
            return hour, 0
        if rest == ["hundred"]:
            return hour, 0
        if rest[0] in ("oh", "o", "zero") and len(rest) == 2:
            minute = parse_int(rest[1:])
            return (hour, minute) if minute is not None and 0 < minute < 10 else None
        minute = parse_int(rest)
        if minute is not None and 10 <= minute < 60:
            return hour, minute
    return None


def _valid(hour: int, minute: int) -> tuple[int, int] | None:
    return (hour, minute) if hour < 24 and minute < 60 else None


def _minutes(words: list[str]) -> int | None:
    if words in (["quarter"], ["a", "quarter"]):
        return 15
    if words == ["half"]:
        return 30
    if words[-1] in ("minutes", "minute"):
        words = words[:-1]
    value = parse_int(words)
    return value if value is not None and 0 < value < 60 else None


# --- days -----------------------------------------------------------------------------------------------------------


def parse_day(words: Sequence[str], today: date) -> date | None:
    """The next day of that description: "tomorrow", "next friday", "the fifth of march", "christmas"."""
    words = [word for word in words if word not in ("on", "the", "of", "coming", "for", "upcoming")]
    said = " ".join(words)
    if said in ("today", "tonight"):
        return today
    if said in ("tomorrow", "tomorrow night"):
        return today + timedelta(days=1)
    if said in ("day after tomorrow", "overmorrow"):
        return today + timedelta(days=2)
    if said == "yesterday":
        return today - timedelta(days=1)
    if said in ("next week",):
        return today + timedelta(days=7)
    if said in ("thanksgiving", "thanksgiving day"):
        return next(day for day in (_thanksgiving(today.year), _thanksgiving(today.year + 1)) if day >= today)
    if said in _AFTER_EASTER:
        days = timedelta(days=_AFTER_EASTER[said])
        return next(day for year in (today.year, today.year + 1) if (day := _easter(year) + days) >= today)
    if said in _FEASTS:
        return _coming(today, *_FEASTS[said])
    if said == "end year":
        return date(today.year, 12, 31)
    if said == "weekend" or said in ("this weekend", "next weekend"):
        return today + timedelta(days=(5 - today.weekday()) % 7)
    bare = [word for word in words if word not in ("this", "next")]
    if len(bare) == 1 and (weekday := _weekday(bare[0])) is not None:
        ahead = (weekday - today.weekday()) % 7 or 7
        return today + timedelta(days=ahead)
    if len(words) >= 3 and words[0] == "in" and words[-1] in ("days", "day", "weeks", "week"):
        count = parse_int(words[1:-1]) if words[1:-1] != ["a"] else 1
        return None if count is None else today + timedelta(days=count * (7 if words[-1].startswith("week") else 1))
    return _calendar_day(words, today)


def _weekday(word: str) -> int | None:
    return WEEKDAYS.index(word) if word in WEEKDAYS else _SHORT_DAYS.get(word)


def _month(word: str) -> int | None:
    return MONTHS.index(word) if word in MONTHS and word else _SHORT_MONTHS.get(word)


def _calendar_day(words: list[str], today: date) -> date | None:
    if not words:
        return None
    if written := re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", words[0]):
        try:
            return date(int(written[1]), int(written[2]), int(written[3]))
        except ValueError:
            return None
    year = None
    if len(words) > 2 and re.fullmatch(r"(19|20)\d{2}", words[-1]):
        year, words = int(words[-1]), words[:-1]
    month_at = next((i for i, word in enumerate(words) if _month(word)), None)
    if month_at is None:
        day = parse_ordinal(words) if len(words) <= 2 and not words[0].isdigit() else None
        if day is None or not 1 <= day <= 31:
            return None
        for ahead in range(62):
            there = today + timedelta(days=ahead)
            if there.day == day and ahead:
                return there
        return None
    rest = words[:month_at] + words[month_at + 1 :]
    day = (parse_ordinal(rest) or parse_int(rest)) if rest else 1
    month = _month(words[month_at])
    if month is None or day is None or (month_at not in (0, len(words) - 1)):
        return None
    try:
        return date(year, month, day) if year else _coming(today, month, day)
    except ValueError:
        return None


def _thanksgiving(year: int) -> date:
    """The fourth Thursday of November."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar (Meeus, Jones and Butcher)."""
    century, rest = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = (golden + 11 * epact + 22 * weekday) // 451
    month, day = divmod(epact + weekday - 7 * shift + 114, 31)
    return date(year, month, day + 1)


_AFTER_EASTER = {"easter": 0, "easter sunday": 0, "easter monday": 1, "good friday": -2, "pentecost": 49}


def _coming(today: date, month: int, day: int) -> date:
    for year in range(today.year, today.year + 9):
        if (month, day) == (2, 29) and not calendar.isleap(year):
            continue
        there = date(year, month, day)
        if there >= today:
            return there
    raise ValueError("no such day")


# --- when -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class When:
    """A moment: ``at`` is naive local time; ``days`` are weekday numbers (0 = Monday) of a repeating one."""

    at: datetime
    days: tuple[int, ...] = ()


def parse_days(words: Sequence[str]) -> tuple[int, ...] | None:
    """Weekday numbers of "every day", "on weekdays", "every monday and friday"."""
    said = [word for word in words if word not in ("on", "the", "every", "each", "and", "all", "for")]
    text = " ".join(words)
    if text in ("every day", "each day", "daily", "every single day", "every morning", "each morning", "everyday"):
        return tuple(range(7))
    if said in (["weekdays"], ["weekday"], ["workdays"], ["workday"], ["work", "days"], ["school", "days"]):
        return tuple(range(5))
    if said in (["weekends"], ["weekend"]):
        return 5, 6
    plural = words and (words[0] in ("every", "each") or all(word.endswith("s") for word in said))
    found = [_weekday(word) if _weekday(word) is not None else _weekday(word.rstrip("s")) for word in said]
    if not plural or not found or any(day is None for day in found):
        return None
    return tuple(sorted({day for day in found if day is not None}))


def parse_when(words: Sequence[str], now: datetime, morning: bool = False) -> When | None:
    """The moment all of ``words`` say, after the naive local ``now``.

    A clock time without am or pm is the next such time; ``morning`` (someone wants to be woken) prefers before noon.
    """
    words = list(words)
    if not words:
        return None
    if words[0] in ("in", "after", "within") and (seconds := parse_duration(words[1:])) is not None:
        return When(now + timedelta(seconds=seconds))
    for tail in (["from", "now"], ["later"]):
        if words[-len(tail) :] == tail and (seconds := parse_duration(words[: -len(tail)])) is not None:
            return When(now + timedelta(seconds=seconds))
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
        clock = parse_clock(clock_words) if clock_words else None
        if clock is None:
            return None
    if not day_words:
        return None if clock is None else When(_next(clock, now, morning))
    days = parse_days(day_words)
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
    if words == ["first", "thing"]:
        return "morning", []
    if words[-4:] == ["first", "thing", "in", "the"]:
        return None, words
    if len(words) >= 2 and words[-1] in _PARTS:
        rest = words[:-1]
        if rest in (["this"], ["in", "the"], ["later", "this"]):
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
        early_today = day == now.date() and at <= now
        if early_today or (not repeating and clock.hour < 7):
            at += timedelta(hours=12)
    return at
