"""Numbers, levels, sums and measures."""

from __future__ import annotations

import re

from zero_one.commands import numbers, sums, units
from zero_one.commands.scene import Reader, Scene, Values
from zero_one.commands.words import Words

_LEVELS = {
    "max": 100, "maximum": 100, "full": 100, "the max": 100, "the maximum": 100, "min": 0, "minimum": 0, "half": 50,
    "the minimum": 0, "halfway": 50, "full volume": 100, "a half": 50, "half way": 50, "half volume": 50,
    "a quarter": 25, "one quarter": 25, "a third": 33, "one third": 33, "two thirds": 67, "three quarters": 75,
    "nothing": 0, "off": 0, "its maximum": 100, "its lowest": 0, "the lowest": 0, "the highest": 100, "full blast": 100,
}  # fmt: skip


def level(said: list[str], words: Words, scene: Scene) -> Values | None:
    """0 to 100: "fifty", "50%", "half", "max", "seven out of ten"."""
    if said and said[0] in ("about", "around", "roughly", "exactly"):
        said = said[1:]
    if said and said[-1] == "percent":
        said = said[:-1]
    text = " ".join(said).removesuffix("%")
    if text.endswith((" out of ten", " out of 10")):
        tenths = numbers.parse_int(said[:-3])
        return {"level": tenths * 10} if tenths is not None and 0 <= tenths <= 10 else None
    value = _LEVELS.get(text)
    if value is None:
        value = numbers.parse_int(text.split())
    if value is None:
        value = numbers.parse_int(numbers.homophones(text.split()))
    return None if value is None or not 0 <= value <= 100 else {"level": int(value)}


_LOUDEST = (
    r"all the way up|up all the way|(?:up )?to (?:the |its )?max(?:imum)?|(?:up )?to (?:the )?full|"
    r"(?:all the way )?to the top|"
    r"up (?:full|to full)|(?:up )?as (?:high|loud|far) as (?:it|you|possible)(?: (?:goes|can|gets|can be|can go|go))?|"
    r"(?:to |at )?full(?: blast)?|max(?:imum|imize)?(?: out)?|(?:the |its )?(?:highest|loudest|max)|full up|fully up|"
    r"all the way to (?:the )?(?:max|full|top)"
)
_MIDDLE = r"(?:up |down )?(?:to )?(?:the )?(?:half ?way(?: up| down)?|half|medium|middle)"
_LOWEST = (
    r"all the way down|down all the way|(?:down )?to (?:the |its )?min(?:imum)?|min(?:imum)?|(?:the |its )?lowest|"
    r"(?:down )?as (?:low|quiet|far down) as (?:it|you|possible)(?: (?:goes|can|gets|can be|can go|go))?|to nothing|"
    r"(?:all the way )?to the bottom"
)


def extreme(said: list[str], words: Words, scene: Scene) -> Values | None:
    """A level that needs no number: "all the way up", "halfway", "as loud as it goes"."""
    text = " ".join(said)
    for value, pattern in ((100, _LOUDEST), (50, _MIDDLE), (0, _LOWEST)):
        if re.fullmatch(pattern, text):
            return {"level": value}
    return None


def blast(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "full blast" says by itself what is meant."""
    return {"level": 100} if said in (["full", "blast"], ["max", "blast"], ["maximum", "blast"]) else None


def number(said: list[str], words: Words, scene: Scene) -> Values | None:
    value = numbers.parse_int(said)
    return None if value is None else {"number": value}


def count(said: list[str], words: Words, scene: Scene) -> Values | None:
    value = numbers.parse_int(said)
    return None if value is None or not 1 <= value <= 100 else {"count": value}


def sides(said: list[str], words: Words, scene: Scene) -> Values | None:
    value = numbers.parse_int(said)
    return None if value is None or not 2 <= value <= 1000 else {"sides": value}


def dice(said: list[str], words: Words, scene: Scene) -> Values | None:
    """Dice with their number of sides: "three six sided dice", "2d6", "two d twenties"."""
    if said[-1] in ("die", "dice"):
        said = said[:-1]
    text = " ".join(said)
    written = re.fullmatch(r"(?:(.*?)\s?)d ?(\w+(?: \w+)?)", text)
    sided = re.fullmatch(r"(?:(.*?) )?(\w+(?: \w+)?) sided", text)
    for found in (written, sided):
        if not found:
            continue
        many = numbers.parse_int((found[1] or "one").split()) if found[1] not in ("a", "an", "the") else 1
        each = numbers.parse_int(numbers.singular(found[2].split()))
        if many is not None and each is not None and 1 <= many <= 100 and 2 <= each <= 1000:
            return {"count": many, "sides": each} if many != 1 else {"sides": each}
    return None


def between(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "one and ten", "1 to 100"."""
    for at in range(1, len(said) - 1):
        if said[at] in ("and", "to", "through", "-"):
            low, high = numbers.parse_int(said[:at]), numbers.parse_int(said[at + 1 :])
            if low is not None and high is not None and low < high:
                return {"low": low, "high": high}
    glued = re.fullmatch(r"(\d+)-(\d+)", said[0]) if len(said) == 1 else None
    return {"low": int(glued[1]), "high": int(glued[2])} if glued and int(glued[1]) < int(glued[2]) else None


def ceiling(said: list[str], words: Words, scene: Scene) -> Values | None:
    """The highest of numbers that begin with one."""
    value = numbers.parse_int(said)
    return None if value is None or value < 2 else {"low": 1, "high": value}


def ordinal(said: list[str], words: Words, scene: Scene) -> Values | None:
    if said in (["last"], ["final"], ["bottom"]):
        return {"position": -1}
    if said == ["top"]:
        return {"position": 1}
    value = numbers.parse_ordinal(said) or numbers.parse_int(said)
    return None if not value or value < 1 else {"position": int(value)}


def expression(said: list[str], words: Words, scene: Scene) -> Values | None:
    if said in (["9/11"], ["24/7"], ["50/50"]):
        return None
    found = sums.work_out(said)
    return None if found is None else {"expression": found.expression, "result": found.result}


def measure(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "five miles to kilometres", "100 fahrenheit in celsius"."""
    found = units.convert(said)
    return None if found is None else found.slots()


def units_of(said: list[str], words: Words, scene: Scene) -> Values | None:
    """ "feet are in a mile", "grams in two pounds" after "how many"."""
    found = units.how_many(said)
    return None if found is None else found.slots()


READERS: dict[str, Reader] = {
    "level": level, "step": level, "extreme": extreme, "blast": blast, "number": number, "count": count, "sides": sides,
    "dice": dice, "range": between, "ceiling": ceiling, "ordinal": ordinal, "expression": expression,
    "measure": measure, "units": units_of,
}  # fmt: skip
