"""Words to be said back, for those who cannot press: fresh for every question and for every attempt.

A recording, a television or a page that is read out cannot know them. The words are common and have two syllables or
three; ``secrets`` chooses.
"""

from __future__ import annotations

import re
import secrets

ATTEMPTS = 3

WORDS = tuple(
    """amber apple autumn basket blanket bottle butter button candle carpet castle cherry chicken copper
    corner cotton dragon eagle engine farmer finger flower forest garden giant guitar hammer harbor honey
    island jacket jungle kitchen ladder lemon letter lion market mirror monkey morning mountain ocean
    orange pencil pepper picnic pocket rabbit river rocket saddle salmon shadow silver spider summer tiger
    tunnel turtle valley velvet window winter yellow""".split()
)
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SPOKEN_DIGITS = ("two", "three", "four", "five", "six", "seven", "nine")  # "eight" and "one" are easily something else
_SAME = {"to": "two", "too": "two", "for": "four", "fore": "four", "won": "one", "ate": "eight"}
_LEAD = frozenset("um uh er well okay ok so please yes say it is it's the words are".split())


def fresh() -> str:
    """Two words and a digit, never the same twice in a row but by the rarest chance."""
    first = secrets.choice(WORDS)
    second = secrets.choice([word for word in WORDS if word != first])
    return f"{first} {second} {secrets.choice(SPOKEN_DIGITS)}"


def same(said: str, wanted: str) -> bool:
    """Whether exactly ``wanted`` was said; case, punctuation, and the spelling of a number do not matter."""
    heard, want = _words(said), wanted.split()
    while len(heard) > len(want) and heard[0] in _LEAD:
        heard = heard[1:]
    if len(heard) != len(want):
        return False
    last = _SAME.get(heard[-1], heard[-1])
    return heard[:-1] == want[:-1] and last == want[-1]


def _words(text: str) -> list[str]:
    words = re.findall(r"[a-z']+|\d", text.lower().replace("’", "'").replace("harbour", "harbor"))
    return [_DIGITS[int(word)] if word.isdigit() else word for word in words]
