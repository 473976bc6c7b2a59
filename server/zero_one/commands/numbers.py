"""Spoken and written numbers: "ten", "10", "two and a half", "a hundred and five", "three point one four"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
SMALL: dict[str, int] = {word: value for value, word in enumerate(_ONES)}
SMALL |= {word: 10 * (value + 2) for value, word in enumerate(_TENS)}
SMALL |= {"fourty": 40, "oh": 0, "nought": 0, "nil": 0}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINAL_ONES = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
ORDINALS: dict[str, int] = {word: value for value, word in enumerate(_ORDINAL_ONES) if value}
ORDINALS |= {"twentieth": 20, "thirtieth": 30}
_FRACTIONS = {"half": 0.5, "quarter": 0.25}
_DIGITS = re.compile(r"^[+-]?\d+(?:\.\d+)?$|^\.\d+$")
# What a recogniser writes for a number word when nothing else tells it better. Used only inside slots.
HOMOPHONES = {"for": "four", "fore": "four", "to": "two", "too": "two", "won": "one", "ate": "eight", "tree": "three"}
_PLURALS = {word.removesuffix("y") + ("ies" if word.endswith("y") else "es" if word.endswith("x") else "s"): word
            for word in SMALL}  # fmt: skip


def homophones(words: Sequence[str]) -> list[str]:
    """``words`` with what sounds like a number written as one."""
    return [HOMOPHONES.get(word, word) for word in words]


def singular(words: Sequence[str]) -> list[str]:
    """``words`` with plural numbers ("six sevens", "two d twenties") as numbers."""
    return [_PLURALS.get(word, word) for word in words]


def tidy(value: float) -> float:
    """An int where the value is whole, so that slots read 600 and not 600.0."""
    if isinstance(value, float) and math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        return int(value)
    return value


def parse_number(words: Sequence[str]) -> float | None:
    """The number that all of ``words`` say, or None. ``["two", "and", "a", "half"]`` is 2.5."""
    words = list(words)
    if not words:
        return None
    if words[0] in ("minus", "negative") and len(words) > 1:
        value = parse_number(words[1:])
        return None if value is None else -value
    if "point" in words:
        return _decimal(words)
    if len(words) > 3 and words[-3:] in (["and", "a", "half"], ["and", "a", "quarter"]):
        whole = parse_number(words[:-3])
        return None if whole is None else whole + _FRACTIONS[words[-1]]
    if len(words) > 3 and words[-3:] == ["and", "three", "quarters"]:
        whole = parse_number(words[:-3])
        return None if whole is None else whole + 0.75
    if words in (["a", "half"], ["half"], ["one", "half"], ["1/2"]):
        return 0.5
    if words in (["a", "quarter"], ["quarter"], ["one", "quarter"]):
        return 0.25
    if words == ["three", "quarters"]:
        return 0.75
    if words[-1] == "dozen":
        many = (
            1
            if words in (["a", "dozen"], ["dozen"])
            else 0.5
            if words == ["half", "a", "dozen"]
            else parse_number(words[:-1])
        )
        return None if many is None else many * 12
    if words in (["a", "couple"], ["a", "couple", "of"], ["couple"], ["couple", "of"]):
        return 2
    return _whole(words)


def parse_int(words: Sequence[str]) -> int | None:
    """As ``parse_number``, but whole numbers only."""
    value = parse_number(words)
    return int(value) if value is not None and value == int(value) else None


def _decimal(words: list[str]) -> float | None:
    at = words.index("point")
    whole = _whole(words[:at]) if at else 0
    digits = ""
    for word in words[at + 1 :]:
        if word.isdigit():
            digits += word
        elif word in SMALL and SMALL[word] < 20:
            digits += str(SMALL[word])
        elif word in SMALL:
            digits += str(SMALL[word] // 10) if at + 1 < len(words) - 1 else str(SMALL[word])
        else:
            return None
    if whole is None or not digits:
        return None
    return float(f"{int(whole)}.{digits}")


def _whole(words: list[str]) -> float | None:
    """English cardinals, with digits allowed anywhere a word could stand ("2 thousand", "three hundred and 5")."""
    if len(words) == 1 and (number := _written(words[0])) is not None:
        return number
    if words[0] in ("a", "an") and len(words) > 1 and words[1] in _SCALES:
        words = ["one", *words[1:]]
    total: float = 0
    group: float = 0
    room = 10**18  # the next addend must be smaller than the last one's place, so "five ten" is no number
    limit: float = room
    expect_number = True
    for word in words:
        if word == "and":
            if expect_number or (group % 100 and total == 0):
                return None
            expect_number = True
            continue
        if word in _SCALES:
            scale = _SCALES[word]
            if expect_number and group == 0:
                return None
            if scale == 100:
                if not 0 < group < 100:
                    return None
                group *= 100
                limit = 100
            else:
                total += group * scale
                group = 0
                limit = scale if scale > 1000 else 1000
            expect_number = False
            continue
        value = SMALL.get(word)
        if value is None:
            written = _written(word)
            if written is None or written < 0:
                return None
            if written >= limit or group % 100:
                return None
            group += written
            limit = 1
            expect_number = False
            continue
        if value >= limit or (group % 100 and not (group % 100 >= 20 and group % 10 == 0 and 0 < value < 10)):
            return None
        group += value
        limit = 10 if value >= 20 else 1
        expect_number = False
    return None if expect_number else total + group


def _written(word: str) -> float | None:
    plain = word.replace(",", "")
    if not _DIGITS.match(plain):
        return SMALL.get(word)
    return tidy(float(plain)) if "." in plain else int(plain)


def parse_ordinal(words: Sequence[str]) -> int | None:
    """ "third", "3rd", "twenty first", "21st" as 3, 3, 21, 21."""
    if len(words) == 1:
        written = re.fullmatch(r"(\d{1,3})(st|nd|rd|th)?", words[0])
        return int(written[1]) if written else ORDINALS.get(words[0])
    if len(words) == 2 and words[0] in ("twenty", "thirty") and words[1] in ORDINALS and ORDINALS[words[1]] < 10:
        return SMALL[words[0]] + ORDINALS[words[1]]
    return None


def in_words(number: int) -> str:
    """The words of 0 to 999,999, as a recogniser's grammar needs them (no hyphens, no "and")."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10 - 2] + (f" {_ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        return f"{_ONES[number // 100]} hundred" + (f" {in_words(number % 100)}" if number % 100 else "")
    return f"{in_words(number // 1000)} thousand" + (f" {in_words(number % 1000)}" if number % 1000 else "")
