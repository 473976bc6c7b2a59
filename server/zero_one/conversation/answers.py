"""What a spoken or typed answer to an approval question means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_LEAD = r"(?:(?:um+|uh+|er+|well|oh|okay so|so|please|hey|right|ah+)[ ,.!]+)*"
_YES = re.compile(
    rf"{_LEAD}(?:yes|yeah|yep|yup|yes please|sure|sure thing|of course|okay|ok|go ahead|go for it|do it|please do|"
    r"do that|run it|fine|that's fine|that is fine|sounds good|absolutely|definitely|correct|approved?|affirmative|"
    r"by all means|certainly|make it so|you can|you may|yes you (?:can|may))"
    r"(?:[ ,.!]+(?:yes|yeah|please|sure|okay|ok|do|do it|do that|go ahead|go for it|run it|thanks|thank you|"
    r"that's fine|fine|of course|it's fine|you can|you may))*[ .!]*",
    re.I,
)
_NOES = (
    "no nope nah no_way no_thanks no_thank_you don't do_not never never_mind cancel stop negative don't_do_it "
    "don't_do_that do_not_do_it do_not_do_that don't_run_it don't_run_that leave_it forget_it rather_not "
    "i'd_rather_not please_don't not_now not_yet wait hold_on abort nein non"
)
# The longest first: "never mind" is not "never" with the correction "mind".
_NO_WORDS = "|".join(word.replace("_", " ") for word in sorted(_NOES.split(), key=len, reverse=True))
_NO = re.compile(rf"{_LEAD}(?:{_NO_WORDS})\b", re.I)
_ALWAYS = re.compile(
    rf"{_LEAD}(?:(?:yes|yeah|yep|sure|okay|ok)[ ,.!]+(?:and )?)?(?:always|from now on|"
    r"always (?:allow|do|run) (?:it|this|that)|allow (?:it|this|that) always|(?:allow|do) always)(?: please)?[ .!]*",
    re.I,
)
_BUT = re.compile(r"^[ ,.;:!–—-]*(?:but|and|instead|rather|just|only|please)?[ ,:]*", re.I)
_AGAIN = re.compile(
    rf"{_LEAD}(?:sorry[ ,.!?]+)?(?:what|pardon|pardon me|sorry|excuse me|huh|come again|say again|"
    r"(?:(?:can|could|would) you )?(?:please )?(?:say|repeat|ask)(?: (?:it|that|this|the question))?"
    r"(?: again| once more)?|"
    r"what (?:did you say|was that|was the question|do you want(?: to do)?|are you asking)|once more|again)"
    r"(?: please)?[ .!?]*",
    re.I,
)
_NO_BUT = "thanks thank you please no nope don't do not stop cancel it that way just leave then"
_FILLERS = frozenset(_NO_BUT.split())


@dataclass(frozen=True, slots=True)
class Heard:
    """``unclear`` is neither: the caller takes it as a no, with the words as its ``but``."""

    answer: Literal["yes", "no", "unclear"]
    but: str | None = None
    always: bool = False


def read_answer(text: str) -> Heard:
    """Read an answer. Only a plain yes is a yes: a yes with a condition ("yes, but …") is a no with a correction."""
    text = text.strip().replace("’", "'")
    if _YES.fullmatch(text):
        return Heard("yes")
    if _ALWAYS.fullmatch(text):
        return Heard("yes", always=True)
    no = _NO.match(text)
    if no is None:
        return Heard("unclear", text or None)
    rest = _BUT.sub("", text[no.end() :], count=1).strip()
    words = re.sub(r"[^\w' ]", " ", rest.lower()).split()
    return Heard("no", rest if any(word not in _FILLERS for word in words) else None)


def asks_again(text: str) -> bool:
    """Whether this asks to hear the question once more."""
    return _AGAIN.fullmatch(text.strip().replace("’", "'")) is not None
