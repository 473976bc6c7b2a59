"""Durations as people say them. All functions take words, none looks at the real clock."""

from __future__ import annotations

import re
from collections.abc import Sequence

from zero_one.commands.numbers import parse_int, parse_number, tidy

UNITS = {
    "second": 1, "seconds": 1, "sec": 1, "secs": 1, "s": 1,
    "minute": 60, "minutes": 60, "min": 60, "mins": 60, "m": 60,
    "hour": 3600, "hours": 3600, "hr": 3600, "hrs": 3600, "h": 3600,
    "day": 86400, "days": 86400, "week": 604800, "weeks": 604800, "fortnight": 1209600,
}  # fmt: skip


def parse_duration(words: Sequence[str]) -> float | None:
    """Seconds that all of ``words`` say ("an hour and a half", "1h30m", "two and a half minutes"), or None."""
    words = _split_written(words)
    if len(words) == 1 and (written := re.fullmatch(r"(?:(\d{1,2}):)?(\d{1,2}):(\d{2})", words[0])):
        return int(written[1] or 0) * 3600 + int(written[2]) * 60 + int(written[3])
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
        end = next((i for i in range(at, len(words)) if words[i] in UNITS), None)
        if end is None:
            # "one hour thirty" leaves its minutes unsaid.
            number = parse_int(words[at:])
            if last_unit in (3600, 60) and number is not None and 0 < number < 60:
                return tidy(total + number * last_unit / 60)
            return None
        unit = UNITS[words[end]]
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
    if words in ([], ["a"], ["an"], ["one"], ["another"], ["just", "a"], ["just", "one"]):
        return 1
    if words in (["three", "quarters", "of", "an"], ["three", "quarter"], ["three", "quarters", "of", "a"]):
        return 0.75
    if words in (["a", "few"], ["few"], ["some"]):
        return 3
    if words in (["half", "a"], ["half", "an"], ["a", "half"], ["half"], ["half", "of", "an"], ["half", "of", "a"]):
        return 0.5
    if words[-2:] in (["of", "an"], ["of", "a"]):
        words = words[:-2]
    elif words[-1] in ("an", "of") and len(words) > 1:
        words = words[:-1]
    return parse_number(words)
