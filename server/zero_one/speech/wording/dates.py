"""Dates and times of day in English words."""

from __future__ import annotations

import re

from zero_one.speech.wording.numbers import cardinal, ordinal, year

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTH_NUMBER = {month[:3].lower(): index for index, month in enumerate(MONTHS, 1)}
_MONTH = (
    r"(Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_CLOCK = r"([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(?:\.\d+)?)?"
_DAY_HALF = r"(?:\s*([ap])\.?\s?m\b\.?)"

_ISO = re.compile(
    rf"(?<![\w-])(\d{{4}})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ]{_CLOCK}\s?(Z|UTC|[+-]\d\d:?\d\d)?)?(?![\w-])"
)
_DOTTED = re.compile(r"(?<![\d.])(0?[1-9]|[12]\d|3[01])\.(0?[1-9]|1[0-2])\.(\d{4}|\d{2})(?!\.?\d)")
_SLASHED = re.compile(r"(?<![\d/.])(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?![\d/])")
_YEAR_FIRST = re.compile(r"(?<![\d/])(\d{4})/(\d{1,2})/(\d{1,2})(?![\d/])")
_DAY_MONTH = re.compile(
    rf"\b(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?: of)?\s+{_MONTH}(?:,?\s+(\d{{4}})(?![\d:.,]\d))?", re.IGNORECASE
)
_MONTH_DAY = re.compile(
    rf"\b{_MONTH}\s+(0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?(?![\d:%]|[.,]\d|\s*(?:GB|MB|percent))"
    r"(?:,?\s+(\d{4})(?![\d:]|[.,]\d))?"
)
_MONTH_YEAR = re.compile(rf"\b{_MONTH},?\s+([12]\d{{3}})(?![\d:]|[.,]\d)")
_DECADE = re.compile(
    r"(?<![\w$€£.,])'?((?:1[1-9]|20)\d0)'?s\b|(?:(?<=the )|(?<=early )|(?<=late )|(?<=mid )|(?<!\w)')(\d0)'?s\b"
)
_YEARS = re.compile(r"(?<![\w$€£.,:-])(1[1-9]\d\d|20\d\d)\s?[-–]\s?(1[1-9]\d\d|20\d\d|\d\d)(?![\w%]|[.,:-]\d)")
_YEAR_WORD = re.compile(
    r"\b((?:in|since|by|until|till|before|after|from|during|year|of|for|to|early|late|mid|around|circa|between|and|spring|Q[1-4]|"
    r"summer|autumn|fall|winter|copyright)\s+|\()(1[1-9]\d\d|20\d\d)\b"
    r"(?!\s*(?:[a-zA-Z°%$€£]+s\b|[KMGT]i?[Bb]\b|[kcm]m\b|kg\b|g\b|ms\b|percent|people|rpm|[x×*/+=]))(?![\d%°$€£]|[.,:]\d)",
    re.IGNORECASE,
)
_CIRCA = re.compile(r"(?<![\w.])ca?\.\s?(?=[12]\d{3}\b)")
_TIME_RANGE = re.compile(rf"(?<![\d:.]){_CLOCK}{_DAY_HALF}?\s?[-–]\s?(?=\d)", re.IGNORECASE)
_TIME = re.compile(rf"(?<![\d:.]){_CLOCK}{_DAY_HALF}?(?![\d:])(?:\s*(?:o'clock|hrs|h)\b)?", re.IGNORECASE)
_HOUR = re.compile(rf"(?<![\d:.,$])(1[0-2]|0?[1-9])(?:\s?[-–]\s?(1[0-2]|0?[1-9]))?{_DAY_HALF}", re.IGNORECASE)


def say(text: str) -> str:
    """Every date and time of ``text`` as words."""
    text = _CIRCA.sub("around ", text)
    text = _ISO.sub(_iso, text)
    text = _DOTTED.sub(lambda m: _date(m[3], int(m[2]), int(m[1])), text)
    text = _YEAR_FIRST.sub(lambda m: _date(m[1], int(m[2]), int(m[3]), m[0]), text)
    text = _SLASHED.sub(_slashed, text)
    text = _DAY_MONTH.sub(_day_month, text)
    text = _MONTH_DAY.sub(lambda m: _spoken(_MONTH_NUMBER[m[1][:3].lower()], int(m[2]), m[3]), text)
    text = _MONTH_YEAR.sub(lambda m: f"{MONTHS[_MONTH_NUMBER[m[1][:3].lower()] - 1]} {year(int(m[2]))}", text)
    text = _YEARS.sub(_years, text)
    text = _DECADE.sub(_decade, text)
    text = _YEAR_WORD.sub(lambda m: f"{m[1]}{year(int(m[2]))}", text)
    text = _TIME_RANGE.sub(lambda m: f"{_clock(m)} to ", text)
    text = _TIME.sub(_clock, text)
    text = re.sub(r"(?<=\d)(\s?[ap]\.?m\.?)\s?[-–]\s?(?=\d)", r"\1 to ", text, flags=re.IGNORECASE)
    return _HOUR.sub(_hour, text)


def _iso(match: re.Match[str]) -> str:
    said = _date(match[1], int(match[2]), int(match[3]))
    if match[4]:
        zone = match[7] or ""
        said += f" at {clock(int(match[4]), int(match[5]), int(match[6] or 0))}"
        said += " U T C" if zone in ("Z", "UTC") else ""
    return said


def _date(years: str, month: int, day: int, otherwise: str = "") -> str:
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return otherwise or f"{years} {month} {day}"
    return _spoken(month, day, years if len(years) == 4 else ("20" if int(years) < 70 else "19") + years)


def _slashed(match: re.Match[str]) -> str:
    first, second = int(match[1]), int(match[2])
    if first > 12:  # day first, as most of the world writes it; else the American order
        first, second = second, first
    return _date(match[3], first, second, match[0])


def _spoken(month: int, day: int, years: str | None) -> str:
    said = f"{MONTHS[month - 1]} {ordinal(day)}"
    return f"{said}, {year(int(years))}" if years else said


def _day_month(match: re.Match[str]) -> str:
    if match[2] in ("may", "march", "mar", "sep", "dec", "jan", "oct", "apr", "nov", "aug", "jun"):
        return match[0]  # "5 may be enough"
    return _spoken(_MONTH_NUMBER[match[2][:3].lower()], int(match[1]), match[3])


def _years(match: re.Match[str]) -> str:
    second = match[2] if len(match[2]) == 4 else match[1][:2] + match[2]
    if int(second) <= int(match[1]):
        return match[0]
    return f"{year(int(match[1]))} to {year(int(second))}"


def _decade(match: re.Match[str]) -> str:
    said = year(int(match[1])) if match[1] else cardinal(int(match[2]))
    if said.endswith("y"):
        return f"{said[:-1]}ies"
    return f"{said}s"


def _clock(match: re.Match[str]) -> str:
    return clock(int(match[1]), int(match[2]), int(match[3] or 0), (match[4] or "").lower())


def clock(hour: int, minute: int, second: int = 0, half: str = "") -> str:
    """14:05 → fourteen oh five; 7:00 → seven o'clock; 7:00 pm → seven P M."""
    suffix = f" {half.upper()} M" if half else ""
    if not half and minute == 0 and not second and hour in (0, 24):
        return "midnight"
    said = cardinal(hour) if hour else ("twelve" if half else "zero")
    if minute:
        said += f" oh {cardinal(minute)}" if minute < 10 else f" {cardinal(minute)}"
    elif not half and not second:
        said += " o'clock" if hour <= 12 else " hundred"
    elif second:
        said += " oh zero"
    if second:
        said += f" and {cardinal(second)} second{'' if second == 1 else 's'}"
    return said + suffix


def _hour(match: re.Match[str]) -> str:
    first = cardinal(int(match[1]))
    said = f"{first} to {cardinal(int(match[2]))}" if match[2] else first
    return f"{said} {match[3].upper()} M"
