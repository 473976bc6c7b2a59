"""Days as people say them."""

from __future__ import annotations

import calendar
import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from zero_one.commands.numbers import parse_int, parse_ordinal

WEEKDAYS = tuple(day.lower() for day in calendar.day_name)
MONTHS = tuple(month.lower() for month in calendar.month_name)
_SHORT_DAYS = {
    "mon": 0, "tue": 1, "tues": 1, "wed": 2, "weds": 2, "thu": 3, "thur": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6,
}  # fmt: skip
_SHORT_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9, "oct": 10, "nov": 11,
    "dec": 12,
}  # fmt: skip
_FEASTS = {
    "christmas": (12, 25), "christmas day": (12, 25), "christmas eve": (12, 24), "boxing day": (12, 26),
    "new year": (1, 1), "new years": (1, 1), "new year's": (1, 1), "new year's day": (1, 1), "new years day": (1, 1),
    "new year's eve": (12, 31), "new years eve": (12, 31), "halloween": (10, 31), "valentine's day": (2, 14),
    "valentines day": (2, 14), "saint patrick's day": (3, 17), "saint patricks day": (3, 17),
    "st patrick's day": (3, 17), "st patricks day": (3, 17), "xmas": (12, 25), "xmas day": (12, 25),
    "xmas eve": (12, 24), "independence day": (7, 4), "april fools day": (4, 1), "april fool's day": (4, 1),
    "april fools": (4, 1), "bonfire night": (11, 5), "guy fawkes night": (11, 5), "epiphany": (1, 6),
    "groundhog day": (2, 2), "veterans day": (11, 11), "christmas morning": (12, 25), "new year day": (1, 1),
    "bastille day": (7, 14), "halloween night": (10, 31), "all saints day": (11, 1), "cinco de mayo": (5, 5),
    "valentine's": (2, 14), "valentines": (2, 14), "st valentine's day": (2, 14), "nye": (12, 31),
}  # fmt: skip


_SPANS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14}


def parse_day(words: Sequence[str], today: date) -> date | None:
    """The next day of that description: "tomorrow", "next friday", "the fifth of march", "christmas"."""
    words = [word for word in words if word not in ("on", "the", "of", "coming", "for", "upcoming")]
    if words[:1] == ["by"] and len(words) > 1:
        words = words[1:]
    if words[-2:] in (["from", "now"], ["from", "today"]):
        words = ["in", *words[:-2]]
    elif len(words) > 2 and words[-2] == "from" and (words[-1] == "tomorrow" or _weekday(words[-1]) is not None):
        start, away = parse_day(words[-1:], today), parse_day(["in", *words[:-2]], today)
        return start + (away - today) if start and away else None
    if len(words) == 2 and words[1] in ("week", "fortnight") and _weekday(words[0]) is not None:  # "friday week"
        return (parse_day(words[:1], today) or today) + timedelta(days=7 if words[1] == "week" else 14)
    if [word for word in words if word != "this"] in (["end", "month"], ["last", "day", "month"]):
        return today.replace(day=calendar.monthrange(today.year, today.month)[1])
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
    if said in ("day before yesterday",):
        return today - timedelta(days=2)
    if said == "end year":
        return date(today.year, 12, 31)
    if said == "weekend" or said in ("this weekend", "next weekend"):
        return today + timedelta(days=(5 - today.weekday()) % 7)
    if len(words) == 2 and "last" in words and (weekday := _weekday(words[words[0] == "last"])) is not None:
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    if words[:2] == ["a", "week"] and len(words) == 3 and _weekday(words[2]) is not None:  # "a week on tuesday"
        return (parse_day(words[2:], today) or today) + timedelta(days=7)
    bare = [word for word in words if word not in ("this", "next")]
    if len(bare) == 1 and (weekday := _weekday(bare[0])) is not None:
        ahead = (weekday - today.weekday()) % 7 or 7
        return today + timedelta(days=ahead)
    if len(words) >= 2 and words[0] == "in" and words[-1] in _SPANS:
        count = 1 if words[1:-1] in ([], ["a"], ["one"]) else parse_int(words[1:-1])
        return None if count is None else today + timedelta(days=count * _SPANS[words[-1]])
    return _calendar_day(words, today)


# Hours of a day at which its part begins and ends; a night goes on after midnight.
_HOURS = {"morning": (3, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 28)}


def parse_span(words: Sequence[str], now: datetime) -> tuple[datetime, datetime] | None:
    """From when to when "tomorrow", "monday morning" or "tonight" last; None where a time of day is said."""
    said = [word for word in words if word not in ("for", "on", "in", "the", "of", "this", "at", "early")]
    if said[:1] == ["tonight"]:
        said = ["night", *said[1:]]
    part = next((word for word in said if word in _HOURS), None)
    day_words = [word for word in said if word != part]
    if len(said) - len(day_words) > 1 or not said:
        return None
    day = parse_day(day_words, now.date()) if day_words else now.date()
    if day is None or day < now.date():
        return None
    begin, end = _HOURS[part] if part else (0, 24)
    midnight = datetime.combine(day, time())
    if not day_words and midnight + timedelta(hours=end) <= now:  # "in the morning", said at noon
        midnight += timedelta(days=1)
    return midnight + timedelta(hours=begin), midnight + timedelta(hours=end)


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


def parse_days(words: Sequence[str]) -> tuple[int, ...] | None:
    """Weekday numbers of "every day", "on weekdays", "every monday and friday"."""
    said = [word for word in words if word not in ("on", "the", "every", "each", "and", "all", "for")]
    text = " ".join(words)
    if text in (
        "every day",
        "each day",
        "daily",
        "every single day",
        "every morning",
        "each morning",
        "everyday",
        "every evening",
        "every night",
        "each night",
        "each evening",
        "nightly",
        "every afternoon",
    ):
        return tuple(range(7))
    if said in (["weekdays"], ["weekday"], ["workdays"], ["workday"], ["work", "days"], ["school", "days"]):
        return tuple(range(5))
    if said in (["weekends"], ["weekend"]):
        return 5, 6
    span = re.fullmatch(r"(\w+) (?:to|through|till|until|thru) (\w+)", " ".join(said).removeprefix("from "))
    if span and (first := _weekday(span[1])) is not None and (last := _weekday(span[2])) is not None:
        return tuple(sorted({(first + n) % 7 for n in range((last - first) % 7 + 1)}))
    plural = words and (words[0] in ("every", "each") or len(said) > 1 or all(word.endswith("s") for word in said))
    found = [_weekday(word) if _weekday(word) is not None else _weekday(word.rstrip("s")) for word in said]
    if not plural or not found or any(day is None for day in found):
        return None
    return tuple(sorted({day for day in found if day is not None}))
