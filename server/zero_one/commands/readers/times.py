"""Durations, moments, days and stretches of the past."""

from __future__ import annotations

import re
from datetime import timedelta

from zero_one.commands import days, durations, moments, numbers, since
from zero_one.commands.scene import Reader, Scene, Values
from zero_one.commands.words import Words

_NOT_IN_NAMES = (
    set("that this in which and to for with at is of from on by my your me i you it as into about using like not do "
        "does the be or if then so up down out off over how what why when where who "
        "set start make create put give well hey computer please okay stop cancel pause just".split())
    | set(durations.UNITS)
)  # fmt: skip
_NO_NAMES = frozenset(
    "new countdown timer timers quick another all every current any first short long one other second next".split()
)
_VAGUE = frozenset("whole full good solid".split())
_MORE = frozenset("more extra additional further another".split())
_LONGEST_S = 366 * 86400
_MOST_BARE_MINUTES = 180


def duration(said: list[str], words: Words, scene: Scene) -> Values | None:
    said = [word for word in said if word not in _VAGUE]
    if said[:1] in (["about"], ["around"], ["exactly"], ["roughly"]):
        said = said[1:]
    seconds = durations.parse_duration(said)
    if seconds is None:
        seconds = durations.parse_duration(numbers.homophones(said))
    return None if seconds is None or seconds > _LONGEST_S else {"seconds": seconds}


def minutes(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A duration, or a number alone where only minutes can be meant: "a timer for twenty"."""
    if found := duration(said, words, scene):
        return found
    number = numbers.parse_number(said)
    if number is None or not 0 < number <= _MOST_BARE_MINUTES:
        return None
    return {"seconds": numbers.tidy(number * 60)}


def added(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Time that comes on top, said as such or not: "two more minutes", "another ten", "a minute"."""
    return minutes([word for word in said if word not in _MORE] or ["one"], words, scene)


def longer(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A duration that asks for more: "five more minutes", "another ten minutes"."""
    if not any(word in _MORE for word in said):
        return None
    return duration([word for word in said if word not in _MORE], words, scene)


def name(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A short name for a timer: "pasta", "the green tea"."""
    while said and said[0] in ("the", "my", "a", "an"):
        said, words = said[1:], words[1:]
    if not 1 <= len(said) <= 3 or said[0] in _NO_NAMES or any(word in _NOT_IN_NAMES for word in said):
        return None
    if any(numbers.parse_number([word]) is not None for word in said):
        return None
    return {"name": " ".join(said)}


def named_duration(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "ten minute pasta" in "a ten minute pasta timer"."""
    for cut in range(len(said) - 1, 0, -1):
        long, called = duration(said[:cut], words[:cut], scene), name(said[cut:], words[cut:], scene)
        if long and called:
            return {**long, **called}
    return None


def when(said: list[str], words: Words, scene: Scene, morning: bool = False) -> Values | None:
    found = moments.parse_when(said, scene.now, morning)
    if found is None and said[0] in ("at", "by", "for"):
        found = moments.parse_when([said[0], *numbers.homophones(said[1:])], scene.now, morning)
    if found is None:
        return None
    at = {"at": found.at.replace(microsecond=0).isoformat()}
    return at | {"days": [days.WEEKDAYS[day] for day in found.days]} if found.days else at


def clock(said: list[str], words: Words, scene: Scene, morning: bool = False) -> Values | None:
    """A time with or without "at" ("wake me half six"), or a time away ("an alarm for fifteen minutes")."""
    if said[0] == "to":
        said = ["at", *said[1:]]
    away = duration(said[1:], words[1:], scene) if said[0] == "for" and said[-2] != "hundred" else None
    if away:
        at = scene.now + timedelta(seconds=away["seconds"])
        return {"at": at.replace(microsecond=0).isoformat()}
    if said[0] in ("at", "for", "by", "in", "on"):
        return when(said, words, scene, morning)
    return when(said, words, scene, morning) or when(["at", *said], words, scene, morning)


def waking(said: list[str], words: Words, scene: Scene) -> Values | None:
    return clock(said, words, scene, morning=True)


def ringing(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Which alarms are meant: those of a day or of a part of it ("tomorrow morning"), or the one of a time."""
    span = days.parse_span(said, scene.now)
    if span is None:
        return clock(said, words, scene)
    return {"since": span[0].isoformat(), "until": span[1].isoformat()}


def weekdays(said: list[str], words: Words, scene: Scene) -> Values | None:
    found = days.parse_days(said)
    return None if found is None else {"days": [days.WEEKDAYS[day] for day in found]}


def day(said: list[str], words: Words, scene: Scene) -> Values | None:
    found = days.parse_day(said, scene.now.date())
    return None if found is None else {"date": found.isoformat()}


def past(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A stretch of time behind us: "the last ten minutes", "since this morning"."""
    found = since.parse_stretch(said, scene.now) or since.parse_stretch(numbers.homophones(said), scene.now)
    if found is None:
        return None
    at = {"since": found.since.replace(microsecond=0).isoformat(), "words": found.words}
    return at | {"until": found.until.isoformat()} if found.until is not None else at


def stretch(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Where nothing else says what is meant, only "the last hour" is: "delete today" could be a file."""
    bare = said[1:] if said[:1] in (["the"], ["my"], ["our"]) else said
    return past(said, words, scene) if bare[:1] in (["last"], ["past"], ["previous"]) else None


def recent(said: list[str], words: Words, scene: Scene) -> Values | None:
    """After "what I", what makes it the last thing said: "just said", "said just now", "told you a minute ago"."""
    text = " ".join(word for word in said if word not in ("to", "you", "that"))
    told = r"(?:said|told|asked|mentioned|talked about|discussed|spoke about|did|dictated|typed)"
    if re.fullmatch(rf"just {told}|{told} (?:just now|a moment ago|right now|before|last)|{told}", text):
        return {"last": True} if said else None
    match = re.fullmatch(rf"(?:{told} )?(.+) ago", text)
    seconds = durations.parse_duration(match[1].split()) if match else None
    if not seconds:
        return None
    at = scene.now - timedelta(seconds=seconds)
    return {"since": at.replace(microsecond=0).isoformat(), "words": "what was said since then"}


READERS: dict[str, Reader] = {
    "duration": duration, "minutes": minutes, "added": added, "longer": longer, "name": name,
    "named_duration": named_duration, "when": when, "clock": clock, "waking": waking,
    "ringing": ringing, "days": weekdays, "day": day, "past": past, "stretch": stretch, "recent": recent,
}  # fmt: skip
