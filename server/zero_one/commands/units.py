"""Unit conversion by definition (SI and the international yard and pound, US volumes)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from zero_one.commands.numbers import HOMOPHONES, parse_number, tidy

# dimension: {unit: (factor to the base unit, names)}
_TABLE: dict[str, dict[str, tuple[float, str]]] = {
    "length": {
        "millimeter": (0.001, "mm millimeter millimeters millimetre millimetres"),
        "centimeter": (0.01, "cm centimeter centimeters centimetre centimetres centimetre"),
        "meter": (1, "m meter meters metre metres"),
        "kilometer": (1000, "km kms kilometer kilometers kilometre kilometres k"),
        "inch": (0.0254, "inch inches"),
        "foot": (0.3048, "ft foot feet"),
        "yard": (0.9144, "yd yard yards"),
        "mile": (1609.344, "mi mile miles"),
        "nautical mile": (1852, "nautical-mile nautical-miles"),
    },
    "mass": {
        "milligram": (1e-6, "mg milligram milligrams"),
        "gram": (0.001, "g gram grams gramme grammes"),
        "kilogram": (1, "kg kgs kilo kilos kilogramme kilogrammes kilogram kilograms"),
        "tonne": (1000, "t tonne tonnes metric-tons metric-ton"),
        "ounce": (0.028349523125, "oz ounce ounces"),
        "pound": (0.45359237, "lb lbs pound pounds"),
        "stone": (6.35029318, "st stone stones"),
        "ton": (907.18474, "ton tons"),
    },
    "volume": {
        "milliliter": (0.001, "ml milliliter milliliters millilitre millilitres"),
        "centiliter": (0.01, "cl centiliter centiliters centilitre centilitres"),
        "liter": (1, "l liter liters litre litres"),
        "teaspoon": (0.00492892159375, "tsp teaspoon teaspoons"),
        "tablespoon": (0.01478676478125, "tbsp tablespoon tablespoons"),
        "fluid ounce": (0.0295735295625, "fluid-ounce fluid-ounces"),
        "cup": (0.2365882365, "cup cups"),
        "pint": (0.473176473, "pint pints"),
        "deciliter": (0.1, "dl deciliter deciliters decilitre decilitres"),
        "quart": (0.946352946, "quart quarts"),
        "gallon": (3.785411784, "gallon gallons"),
    },
    "time": {
        "millisecond": (0.001, "ms millisecond milliseconds"),
        "second": (1, "second seconds sec secs"),
        "minute": (60, "minute minutes min mins"),
        "hour": (3600, "hour hours hr hrs"),
        "day": (86400, "day days"),
        "week": (604800, "week weeks"),
        "fortnight": (1209600, "fortnight fortnights"),
        "year": (31557600, "year years"),
    },
    "speed": {
        "kilometer per hour": (1 / 3.6, "kmh kph km/h kilometers-per-hour kilometres-per-hour kilometers-an-hour"),
        "mile per hour": (0.44704, "mph miles-per-hour miles-an-hour"),
        "meter per second": (1, "m/s meters-per-second metres-per-second"),
        "knot": (0.514444444444, "knot knots"),
    },
    "data": {
        "bit": (0.125, "bit bits"),
        "byte": (1, "byte bytes"),
        "kilobyte": (1e3, "kb kilobyte kilobytes"),
        "megabyte": (1e6, "mb megabyte megabytes megs"),
        "gigabyte": (1e9, "gb gigabyte gigabytes"),
        "terabyte": (1e12, "tb terabyte terabytes"),
        "kibibyte": (1024, "kib kibibyte kibibytes"),
        "mebibyte": (1024**2, "mib mebibyte mebibytes"),
        "gibibyte": (1024**3, "gib gibibyte gibibytes"),
    },
    "area": {
        "square meter": (1, "square-meter square-meters square-metre square-metres"),
        "square kilometer": (1e6, "square-kilometer square-kilometers square-kilometre square-kilometres"),
        "square foot": (0.09290304, "square-foot square-feet"),
        "square mile": (2589988.110336, "square-mile square-miles"),
        "acre": (4046.8564224, "acre acres"),
        "hectare": (10000, "hectare hectares"),
    },
    "temperature": {
        "degree Celsius": (1, "c celsius centigrade degrees-celsius degrees-centigrade degree-celsius °c degrees-c"),
        "degree Fahrenheit": (1, "f fahrenheit degrees-fahrenheit degree-fahrenheit °f degrees-f"),
        "kelvin": (1, "kelvin kelvins degrees-kelvin"),
    },
}
_NAMES: dict[tuple[str, ...], tuple[str, str]] = {
    tuple(name.split("-")): (dimension, unit)
    for dimension, table in _TABLE.items()
    for unit, (_, names) in table.items()
    for name in names.split()
}
_PLURALS = {"foot": "feet", "inch": "inches", "square foot": "square feet", "stone": "stone", "kelvin": "kelvin"}


@dataclass(frozen=True, slots=True)
class Conversion:
    value: float
    source: str
    target: str
    result: float

    def slots(self) -> dict[str, Any]:
        return {"value": self.value, "from": self.source, "to": self.target, "result": self.result}


def plural(unit: str, count: float) -> str:
    """ "mile", 5 as "miles"."""
    if count == 1:
        return unit
    if unit in _PLURALS:
        return _PLURALS[unit]
    head, _, tail = unit.partition(" per ")
    if head.startswith("degree "):
        return head.replace("degree ", "degrees ")
    return (head + "s") + (f" per {tail}" if tail else "")


def convert(words: Sequence[str]) -> Conversion | None:
    """ "5 miles to kilometers", "a mile in feet", "100km in miles", "72 degrees fahrenheit to celsius"."""
    words = _apart(words)
    if words[0] == "from" and "to" in words[2:] and (far := _from_to(words[1:])):
        return far
    if found := _asked_after(words):
        return found
    for at in range(1, len(words) - 1):
        if words[at] in ("to", "in", "into", "as", "is", "for"):
            rest = words[at + 1 :]
            if words[at] == "is" and rest[0] == "in":
                rest = rest[1:]
            target = _unit(rest)
            amount = _amount(words[:at])
            if target and amount:
                return _between(*amount, target)
    return None


_ASKED = [phrase.split() for phrase in (
    "is how many", "are how many", "makes how many", "equals how many", "is how much in", "are how much in",
    "what is that in", "how much is that in", "how many is that in", "how much is it in", "what is it in",
    "what is this in",
    "how many", "what would that be in", "how long is that in", "how far is that in", "how hot is that in",
    "how cold is that in", "how heavy is that in", "how tall is that in",
)]  # fmt: skip
_MOST_TOLD = 4


def _asked_after(words: list[str]) -> Conversion | None:
    """ "three gallons is how many litres", "I weigh 70 kilos, what is that in pounds"."""
    for phrase in _ASKED:
        for at in range(1, len(words) - len(phrase)):
            if words[at : at + len(phrase)] != phrase or not (target := _unit(words[at + len(phrase) :])):
                continue
            for told in range(min(_MOST_TOLD, at - 1)):
                if amount := _amount(words[told:at]):
                    return _between(*amount, target)
    return None


def _from_to(words: list[str]) -> Conversion | None:
    """ "miles to kilometers ten" after "from"."""
    at = words.index("to")
    source = _unit(words[:at])
    for size in (1, 2, 3):
        target = _unit(words[at + 1 : at + 1 + size])
        value = parse_number(words[at + 1 + size :])
        if source and target and value is not None:
            return _between(value, source, target)
    return None


def how_many(words: Sequence[str]) -> Conversion | None:
    """ "feet are in a mile", "grams are there in two pounds", "ounces in a cup", "minutes in three hours"."""
    words = _apart(words)
    for size in (1, 2, 3):
        target = _unit(words[:size])
        rest = words[size:]
        for joint in (["are", "there", "in"], ["is", "there", "in"], ["are", "in"], ["is", "in"], ["in"], ["are"],
        ["is"],
                      ["make", "up"], ["make"], ["to"], ["equal"], ["go", "into"], ["fit", "in"], ["tall", "is"],
                      ["long", "is"], ["is", "it", "in"], ["does", "it", "take", "to", "make"], ["per"],
                      ["do", "i", "get", "from"], ["in", "each"], ["inside"], ["would", "be"], ["for"],
                      ["are", "there", "to"], ["have", "i", "got", "in"], ["does"],
                      ["do", "you", "get", "in"]):  # fmt: skip
            if target and rest[: len(joint)] == joint and (amount := _amount(rest[len(joint) :])):
                return _between(*amount, target)
    return None


def _apart(words: Sequence[str]) -> list[str]:
    out: list[str] = []
    for word in words:
        head = word.rstrip("abcdefghijklmnopqrstuvwxyz/°")
        if head and head != word and head.replace(".", "").lstrip("-").isdigit() and (word[len(head) :],) in _NAMES:
            out += [head, word[len(head) :]]
        else:
            out.append(word)
    return out


def _unit(words: list[str]) -> tuple[str, str] | None:
    return _NAMES.get(tuple(words))


def _amount(words: list[str]) -> tuple[float, tuple[str, str]] | None:
    if found := _compound(words):
        return found
    for size in (3, 2, 1):
        unit = _unit(words[-size:]) if len(words) >= size else None
        if unit:
            count = words[:-size]
            if count[-1:] == ["degrees"]:
                count = count[:-1]
            if count[-2:] in (["of", "an"], ["of", "a"]):
                count = count[:-2]
            if count in ([], ["a"], ["an"], ["one"], ["each"], ["every"]):
                return 1, unit
            if count in (["half", "a"], ["half", "an"]):
                return 0.5, unit
            value = parse_number(count)
            if value is None:
                value = parse_number([HOMOPHONES.get(word, word) for word in count])
            return None if value is None else (value, unit)
    return None


_SMALLER = {"foot": "inch", "pound": "ounce", "stone": "pound", "hour": "minute", "minute": "second", "yard": "foot"}


def _compound(words: list[str]) -> tuple[float, tuple[str, str]] | None:
    """ "five foot ten", "six feet and two inches", "two hours thirty minutes"."""
    for at in range(1, len(words) - 1):
        unit = _unit(words[at : at + 1])
        if unit is None or unit[1] not in _SMALLER:
            continue
        smaller = (unit[0], _SMALLER[unit[1]])
        rest = words[at + 1 :]
        rest = rest[1:] if rest[0] == "and" else rest
        rest = rest[:-1] if rest and _unit(rest[-1:]) == smaller else rest
        whole, part = parse_number(words[:at]), parse_number(rest)
        if whole is not None and part is not None:
            table = _TABLE[unit[0]]
            return tidy(whole + part * table[smaller[1]][0] / table[unit[1]][0]), unit
    return None


def _between(value: float, source: tuple[str, str], target: tuple[str, str]) -> Conversion | None:
    if source[0] != target[0]:
        return None
    if source[0] == "temperature":
        result = _from_kelvin(target[1], _to_kelvin(source[1], value))
    else:
        table = _TABLE[source[0]]
        result = value * table[source[1]][0] / table[target[1]][0]
    return Conversion(tidy(value), source[1], target[1], tidy(float(f"{result:.8g}")))


def _to_kelvin(unit: str, value: float) -> float:
    return {"kelvin": value, "degree Celsius": value + 273.15}.get(unit, (value - 32) * 5 / 9 + 273.15)


def _from_kelvin(unit: str, value: float) -> float:
    return {"kelvin": value, "degree Celsius": value - 273.15}.get(unit, (value - 273.15) * 9 / 5 + 32)
