"""Numbers in words: cardinals, decimals, ordinals, years, digits one by one."""

from __future__ import annotations

import re
from functools import lru_cache

_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_MAX = 10**18


@lru_cache(maxsize=4096)
def cardinal(number: int, language: str = "en") -> str:
    from num2words import num2words

    if abs(number) >= _MAX:
        return digits(str(number))
    return _tidy(str(num2words(number, lang=language)))


@lru_cache(maxsize=1024)
def ordinal(number: int) -> str:
    from num2words import num2words

    if abs(number) >= _MAX:
        return digits(str(number))
    return _tidy(str(num2words(number, to="ordinal", lang="en")))


def year(number: int) -> str:
    """1999 → nineteen ninety-nine, 2005 → two thousand five, 2024 → twenty twenty-four, 1900 → nineteen hundred."""
    if 2000 <= number <= 2009 or not 1000 <= number <= 2999:
        return cardinal(number)
    century, rest = divmod(number, 100)
    if rest == 0:
        return cardinal(number) if century % 10 == 0 else f"{cardinal(century)} hundred"
    return f"{cardinal(century)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


def digits(text: str) -> str:
    """Every digit by itself; other signs are left out."""
    return " ".join(_DIGITS[int(sign)] for sign in text if sign.isascii() and sign.isdigit())


def number(text: str, language: str = "en") -> str:
    """``-1,234.50`` as it is said. ``text`` holds ASCII digits, commas as thousands, one point, a sign."""
    sign = "minus " if text[:1] in "-−" and text[:1] else ""
    bare = text.lstrip("+-−").replace(",", "").replace(" ", "").replace("_", "")
    whole, _, part = bare.partition(".")
    if len(whole) > 1 and whole.startswith("0") and not part:
        return sign + digits(whole)
    said = cardinal(int(whole or "0"), language) if len(whole) <= 18 else digits(whole)
    return f"{sign}{said} point {digits(part)}" if part else f"{sign}{said}"


def is_one(text: str) -> bool:
    return text.lstrip("+-−") == "1"


def _tidy(words: str) -> str:
    return re.sub(r"\s+", " ", words.replace(",", "")).strip()
