"""What may fill a slot of a template, and what it means: one reader per slot type.

A reader gets the words that a template left for it and returns the typed values they stand for, or None, and then the
template does not match. Readers are strict on purpose: an open slot is where an open request would slip in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from zero_one.commands import days, durations, known, moments, numbers, since, sums, units, zones
from zero_one.commands.words import Word, Words, raw

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a reader may know of the world: the naive local time and what is installed here."""

    now: datetime
    here: known.Known
    entries: frozenset[str] = frozenset()
    """Open entries of the to-do list, in lower case."""


Reader = Callable[[list[str], Words, Scene], Values | None]

# A second order inside a text: the whole is more than one command, so none of ours.
_SECOND_ORDER = re.compile(
    r"\b(?:and|then|and then|and also|after that|afterwards)\s+(?:then |also )?(?:open|set|play|mute|unmute|lock|"
    r"run|delete|"
    r"show me|tell me|turn|launch|take a screen|search|google|close|start|stop|create a|write a|read me|remind me|"
    r"install|"
    r"download|summarize|translate|print)\b"
    r"|\band then\b"
)
# What only a language model could write or do.
_MODEL_WORK = re.compile(
    r"^(?:me |us )?(?:a|an|some|another) (?:\w+ )?(?:poem|story|essay|script|function|program|song|summary|recipe|"
    r"joke|report on|"
    r"code|haiku|paragraph|article|blog|steps|instructions|lyrics|speech|class|query|regex|test|tests|website|app|"
    r"plan|tutorial|list of)\b"
    r"|\bin (?:python|javascript|typescript|java|rust|go|html|css|sql|excel|bash|latex|react|swift|kotlin|ruby|word)\b"
    r"|^the (?:steps|differences?|similarities|pros|ingredients|instructions)\b"
    r"|^(?:taking|taker|app|apps|pad|book|books|card|cards|manager|scheduler|scheduling|queue|runner|management)\b"
    r"|^(?:that|which) (?:runs|prints|does|sends|reads|writes|checks|opens|uses|takes)\b"
)
_ASKING = {"what", "why", "how", "who", "whose", "which", "whether", "when", "where"}
_NOT_IN_NAMES = (
    set("that this in which and to for with at is of from on by my your me i you it as into about using like not do "
        "does the be or if then so up down out off over how what why when where who "
        "set start make create put give well hey computer please okay stop cancel pause just".split())
    | set(durations.UNITS)
)  # fmt: skip


def read(kind: str, words: Words, scene: Scene) -> Values | None:
    """The values of a slot of type ``kind`` in ``words``. KeyError for a type that does not exist."""
    return READERS[kind]([word.norm for word in words], words, scene)


def _homophones(said: list[str]) -> list[str]:
    return [numbers.HOMOPHONES.get(word, word) for word in said]


def _duration(said: list[str], words: Words, scene: Scene) -> Values | None:
    said = [word for word in said if word not in ("more", "extra", "additional", "whole", "full")]
    seconds = durations.parse_duration(said)
    if seconds is None:
        seconds = durations.parse_duration(_homophones(said))
    return None if seconds is None or seconds > 366 * 86400 else {"seconds": seconds}


def _when(said: list[str], words: Words, scene: Scene, morning: bool = False) -> Values | None:
    when = moments.parse_when(said, scene.now, morning)
    if when is None and said[0] in ("at", "by", "for"):
        when = moments.parse_when([said[0], *_homophones(said[1:])], scene.now, morning)
    return None if when is None else _moment(when)


def _moment(when: moments.When) -> Values:
    at = {"at": when.at.replace(microsecond=0).isoformat()}
    return at | {"days": [days.WEEKDAYS[day] for day in when.days]} if when.days else at


def _clock(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A time with or without "at" ("wake me half six")."""
    if said[0] == "to":
        said = ["at", *said[1:]]
    if said[0] in ("at", "for", "by", "in", "on"):
        return _when(said, words, scene)
    return _when(said, words, scene) or _when(["at", *said], words, scene)


def _waking(said: list[str], words: Words, scene: Scene) -> Values | None:
    if said[0] in ("at", "for", "by", "in", "on"):
        return _when(said, words, scene, morning=True)
    return _when(said, words, scene, morning=True) or _when(["at", *said], words, scene, morning=True)


def _days(said: list[str], words: Words, scene: Scene) -> Values | None:
    found = days.parse_days(said)
    return None if found is None else {"days": [days.WEEKDAYS[day] for day in found]}


def _day(said: list[str], words: Words, scene: Scene) -> Values | None:
    day = days.parse_day(said, scene.now.date())
    return None if day is None else {"date": day.isoformat()}


def _level(said: list[str], words: Words, scene: Scene) -> Values | None:
    """0 to 100: "fifty", "50%", "half", "max"."""
    if said and said[-1] == "percent":
        said = said[:-1]
    text = " ".join(said).removesuffix("%")
    fixed = {
        "max": 100, "maximum": 100, "full": 100, "the max": 100, "the maximum": 100, "min": 0, "minimum": 0, "half": 50,
        "halfway": 50, "full volume": 100, "a half": 50, "half way": 50, "a quarter": 25, "three quarters": 75,
    }  # fmt: skip
    value = fixed.get(text)
    if value is None:
        value = numbers.parse_int(text.split())
    if value is None:
        value = numbers.parse_int(_homophones(text.split()))
    return None if value is None or not 0 <= value <= 100 else {"level": int(value)}


def _number(said: list[str], words: Words, scene: Scene) -> Values | None:
    value = numbers.parse_int(said)
    return None if value is None else {"number": value}


def _count(said: list[str], words: Words, scene: Scene) -> Values | None:
    value = numbers.parse_int(said)
    return None if value is None or not 1 <= value <= 100 else {"count": value}


def _sides(said: list[str], words: Words, scene: Scene) -> Values | None:
    value = numbers.parse_int(said)
    return None if value is None or not 2 <= value <= 1000 else {"sides": value}


def _range(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "one and ten", "1 to 100"."""
    for at in range(1, len(said) - 1):
        if said[at] in ("and", "to", "through", "-"):
            low, high = numbers.parse_int(said[:at]), numbers.parse_int(said[at + 1 :])
            if low is not None and high is not None and low < high:
                return {"low": low, "high": high}
    glued = re.fullmatch(r"(\d+)-(\d+)", said[0]) if len(said) == 1 else None
    return {"low": int(glued[1]), "high": int(glued[2])} if glued and int(glued[1]) < int(glued[2]) else None


def _name(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A short name for a timer: "pasta", "the green tea"."""
    while said and said[0] in ("the", "my", "a", "an"):
        said, words = said[1:], words[1:]
    if not 1 <= len(said) <= 3 or any(word in _NOT_IN_NAMES for word in said):
        return None
    if any(numbers.parse_number([word]) is not None for word in said):
        return None
    if said[0] in (
        "new",
        "countdown",
        "timer",
        "timers",
        "quick",
        "another",
        "all",
        "every",
        "current",
        "any",
        "first",
        "short",
    ):
        return None
    return {"name": " ".join(said)}


def _longer(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A duration that asks for more: "five more minutes", "another ten minutes"."""
    if not any(word in ("more", "another", "extra") for word in said):
        return None
    return _duration([word for word in said if word != "another"], words, scene)


def _named_duration(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "ten minute pasta" in "a ten minute pasta timer"."""
    for cut in range(len(said) - 1, 0, -1):
        duration, name = _duration(said[:cut], words[:cut], scene), _name(said[cut:], words[cut:], scene)
        if duration and name:
            return {**duration, **name}
    return None


def _text(said: list[str], words: Words, scene: Scene) -> Values | None:
    """What somebody wants kept word for word."""
    if not 1 <= len(said) <= 40 or _SECOND_ORDER.search(" ".join(said)):
        return None
    if said[0] == "to" and said[1:2] and said[1] in ("the", "my", "our", "his", "her", "a", "all"):
        return None  # a letter to somebody
    if _MODEL_WORK.search(" ".join(said)):
        return None
    if len(said) == 1 and said[0] in ("it", "this", "that", "me", "to", "a", "the", "them", "one", "for", "down", "of"):
        return None
    return {"text": raw(words)}


_GROCERIES = frozenset(
    "milk bread eggs egg cheese butter coffee tea sugar salt pepper flour rice pasta apples apple bananas tomatoes "
    "potatoes onions "
    "carrots chicken fish beef water juice wine beer oil garlic lemons oranges cereal yogurt cream honey jam soap "
    "shampoo "
    "toothpaste paper towels toilet detergent batteries bananas lettuce cucumbers chocolate cookies".split()
)


def _grocery(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Things from a shop: said alone ("add milk") they can only mean the list."""
    if not any(word in _GROCERIES for word in said) or not set(said) <= _GROCERIES | {"and", "some", "a", "of", "more"}:
        return None
    return {"text": raw(words)}


def _entry(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Something that is on the to-do list now: only then "the laundry is done" is a command."""
    said_text = " ".join(word for word in said if word not in ("the", "my", "a"))
    return {"text": raw(words)} if any(said_text and said_text in entry for entry in scene.entries) else None


def _item(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A thing on a list: short, and no question."""
    if len(said) > 12 or said[0] in _ASKING:
        return None
    return _text(said, words, scene)


def _reminder(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A deed and its time in either order: "call mom at five", "in ten minutes to call mom"."""
    if said[0] in _ASKING:
        return None
    for cut in range(len(said) - 1, 0, -1):
        if said[cut] in ("to", "that", "about", "i"):
            keep = cut if said[cut] == "i" else cut + 1
            deed, when = words[keep:], said[:cut]
            moment = _when(when, words[:cut], scene) or _when(["at", *when], words[:cut], scene)
            if deed and moment and (text := _text([w.norm for w in deed], deed, scene)):
                if any(_hides_time(said[keep:], scene)):
                    continue
                return {**text, **moment}
    if said[0] not in ("to", "that", "about", "of") or said[1:2] in (["why"], ["how"], ["what"], ["who"]):
        return None
    joint, said, words = said[0], said[1:], words[1:]
    for cut in range(1, len(said)):
        moment = _when(said[cut:], words[cut:], scene)
        if moment and (text := _text(said[:cut], words[:cut], scene)):
            return {**text, **moment}
    if any(_hides_time(said, scene)) or not said or said[0] in ("the", "a", "how") or joint == "of":
        return None  # "remind me of the plot" asks to be told
    return _text(said, words, scene)


def _deed(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A reminder after which no "to" was said: "reminder: call dad at seven"."""
    return _deadline(["to", *said], (Word("to", ""), *words), scene)


def _deadline(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A reminder that names its time; "tell me about the war" does not."""
    found = _reminder(said, words, scene)
    return found if found and "at" in found else None


def _hides_time(said: list[str], scene: Scene) -> list[bool]:
    """True for each place where "and" goes on after a time: what follows is a second request."""
    return [
        True
        for at, word in enumerate(said)
        if word in ("and", "then") and any(_when(said[start:at], (), scene) for start in range(1, at))
    ]


def _expression(said: list[str], words: Words, scene: Scene) -> Values | None:
    if said in (["9/11"], ["24/7"], ["50/50"]):
        return None
    found = sums.work_out(said)
    return None if found is None else {"expression": found.expression, "result": found.result}


def _measure(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "five miles to kilometres", "100 fahrenheit in celsius"."""
    found = units.convert(said)
    return None if found is None else found.slots()


def _units(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "feet are in a mile", "grams in two pounds" after "how many"."""
    found = units.how_many(said)
    return None if found is None else found.slots()


def _place(said: list[str], words: Words, scene: Scene) -> Values | None:
    found = zones.find(" ".join(said))
    return None if found is None else {"place": found.name, "zone": found.zone}


def _app(said: list[str], words: Words, scene: Scene) -> Values | None:
    name = scene.here.app(" ".join(said))
    return None if name is None else {"app": name}


def _site(said: list[str], words: Words, scene: Scene) -> Values | None:
    url = known.site(said)
    return None if url is None else {"url": url}


def _folder(said: list[str], words: Words, scene: Scene) -> Values | None:
    path = scene.here.folder(" ".join(said))
    return None if path is None else {"folder": str(path)}


def _file(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Something that names a file by itself: "report dot pdf", "notes.txt", "~/todo.md"."""
    name = known.file_name(said, raw(words))
    return None if name is None else {"file": name}


def _title(said: list[str], words: Words, scene: Scene) -> Values | None:
    """The name of a file where the template says that a file is meant: "budget", "tax return"."""
    if (exact := known.file_name(said, raw(words))) is not None:
        return {"file": exact}
    if " ".join(said) in known.GENERIC or said[-1] in ("manager", "browser", "explorer") or "dot" in said:
        return None
    if not 1 <= len(said) <= 4 or any(word in _NOT_IN_TITLES or word in _ASKING for word in said):
        return None
    return {"file": raw(words)}


_NOT_IN_TITLES = set(
    "that which and then is are was were in into to for from with by about using all every any some it this i you "
    "modified containing larger bigger older than new empty every what how why of on or not if how".split()
)


def _word(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A word or two to be spelled."""
    return {"word": raw(words)} if 1 <= len(said) <= 2 and all(re.fullmatch(r"[a-z'-]+", w) for w in said) else None


def _ordinal(said: list[str], words: Words, scene: Scene) -> Values | None:
    if said == ["last"]:
        return {"position": -1}
    value = numbers.parse_ordinal(said) or numbers.parse_int(said)
    return None if not value or value < 1 else {"position": int(value)}


def _past(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A stretch of time behind us: "the last ten minutes", "since this morning"."""
    found = since.parse_stretch(said, scene.now) or since.parse_stretch(_homophones(said), scene.now)
    if found is None:
        return None
    at = {"since": found.since.replace(microsecond=0).isoformat(), "words": found.words}
    return at | {"until": found.until.isoformat()} if found.until is not None else at


def _stretch(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Where nothing else says what is meant, only "the last hour" is: "delete today" could be a file."""
    bare = said[1:] if said[:1] in (["the"], ["my"], ["our"]) else said
    return _past(said, words, scene) if bare[:1] in (["last"], ["past"], ["previous"]) else None


def _recent(said: list[str], words: Words, scene: Scene) -> Values | None:
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


def _further(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "the one before", "one more": the change before the one that was undone already."""
    fits = re.fullmatch(
        r"(?:the )?(?:one|thing|change|step) before|(?:one|another) more(?: thing| change| step)?"
        r"|another (?:one|thing|change|step)|more|the (?:previous|earlier) one",
        " ".join(said),
    )
    return {"further": True} if fits else None


READERS: dict[str, Reader] = {
    "duration": _duration, "longer": _longer, "when": _when, "clock": _clock, "waking": _waking, "days": _days,
    "day": _day,
    "named_duration": _named_duration, "level": _level, "step": _level, "number": _number, "count": _count,
    "sides": _sides, "range": _range, "name": _name, "text": _text,
    "item": _item, "entry": _entry, "grocery": _grocery, "reminder": _reminder, "deadline": _deadline, "deed": _deed,
    "expression": _expression, "measure": _measure, "units": _units,
    "place": _place, "app": _app, "site": _site, "folder": _folder, "file": _file, "title": _title, "word": _word,
    "ordinal": _ordinal, "past": _past, "stretch": _stretch, "recent": _recent, "further": _further,
}  # fmt: skip
