"""Amounts: money, percent, temperatures, measures; each with its singular and plural."""

from __future__ import annotations

import re

from zero_one.speech.wording.numbers import cardinal, is_one, number

N = r"[-−+]?(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d\d)+,\d{3}|\d+)(?:\.\d+)?"
"""A number as English writes it."""

_BIG = {"k": "thousand", "m": "million", "mn": "million", "b": "billion", "bn": "billion", "t": "trillion"}
_CURRENCY = {
    "$": ("dollar", "dollars", "cent", "cents"), "US$": ("U S dollar", "U S dollars", "cent", "cents"),
    "€": ("euro", "euros", "cent", "cents"), "£": ("pound", "pounds", "penny", "pence"),
    "¥": ("yen", "yen", "sen", "sen"), "₹": ("rupee", "rupees", "paisa", "paise"), "₽": ("ruble", "rubles", "", ""),
    "₩": ("won", "won", "", ""), "₿": ("bitcoin", "bitcoins", "", ""), "₺": ("lira", "lira", "", ""),
    "USD": ("U S dollar", "U S dollars", "cent", "cents"), "EUR": ("euro", "euros", "cent", "cents"),
    "GBP": ("pound", "pounds", "penny", "pence"), "CHF": ("Swiss franc", "Swiss francs", "", ""),
    "JPY": ("yen", "yen", "", ""), "INR": ("rupee", "rupees", "", ""), "CAD": ("Canadian dollar", "Canadian dollars",
    "cent", "cents"),
    "AUD": ("Australian dollar", "Australian dollars", "cent", "cents"), "CNY": ("yuan", "yuan", "", ""),
}  # fmt: skip
_CODES = "|".join(code for code in _CURRENCY if code.isalpha())
_SYMBOLS = r"US\$|[$€£¥₹₽₩₿₺]"
_SCALE = r"(?:\s?(thousand|million|billion|trillion)\b|\s?(k|K|M|mn|m|B|bn|b|T)\b)?"

_MONEY_FIRST = re.compile(rf"([-−])?({_SYMBOLS}|\b(?:{_CODES})\s)\s?({N}){_SCALE}")
_MONEY_LAST = re.compile(rf"(?<![\w.])({N}){_SCALE}\s?({_SYMBOLS}|(?:{_CODES})\b)")
_CENTS = re.compile(rf"(?<![\w.,])({N})\s?¢")
_THOUSANDS = re.compile(rf"(?<![\w.,])({N})k(?![\w/])")
_MONEY_RANGE = re.compile(rf"({_SYMBOLS})\s?({N})\s?[-–]\s?(?:{_SYMBOLS})?\s?({N})(?![\d.,]*\d)")

_WORDS: dict[str, tuple[str, str]] = {
    "km/h": ("kilometer per hour", "kilometers per hour"), "kmh": ("kilometer per hour", "kilometers per hour"),
    "kph": ("kilometer per hour", "kilometers per hour"), "mph": ("mile per hour", "miles per hour"),
    "m/s": ("meter per second", "meters per second"), "m/s²": ("meter per second squared", "meters per second squared"),
    "ft/s": ("foot per second", "feet per second"), "km": ("kilometer", "kilometers"), "m": ("meter", "meters"),
    "cm": ("centimeter", "centimeters"), "mm": ("millimeter", "millimeters"), "µm": ("micrometer", "micrometers"),
    "nm": ("nanometer", "nanometers"), "mi": ("mile", "miles"), "ft": ("foot", "feet"), "yd": ("yard", "yards"),
    "in": ("inch", "inches"), "km²": ("square kilometer", "square kilometers"), "m²": ("square meter", "square meters"),
    "m2": ("square meter", "square meters"), "km2": ("square kilometer", "square kilometers"),
    "cm²": ("square centimeter", "square centimeters"), "m³": ("cubic meter", "cubic meters"),
    "m3": ("cubic meter", "cubic meters"), "cm³": ("cubic centimeter", "cubic centimeters"),
    "sq ft": ("square foot", "square feet"), "kg": ("kilogram", "kilograms"), "g": ("gram", "grams"),
    "mg": ("milligram", "milligrams"), "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"), "oz": ("ounce", "ounces"),
    "L": ("liter", "liters"), "l": ("liter", "liters"), "ml": ("milliliter", "milliliters"),
    "mL": ("milliliter", "milliliters"), "cl": ("centiliter", "centiliters"), "gal": ("gallon", "gallons"),
    "tbsp": ("tablespoon", "tablespoons"), "tsp": ("teaspoon", "teaspoons"), "s": ("second", "seconds"),
    "sec": ("second", "seconds"), "secs": ("second", "seconds"), "ms": ("millisecond", "milliseconds"),
    "µs": ("microsecond", "microseconds"), "us": ("microsecond", "microseconds"), "ns": ("nanosecond", "nanoseconds"),
    "min": ("minute", "minutes"), "mins": ("minute", "minutes"), "h": ("hour", "hours"), "hr": ("hour", "hours"),
    "hrs": ("hour", "hours"), "d": ("day", "days"), "wk": ("week", "weeks"), "yr": ("year", "years"),
    "yrs": ("year", "years"), "B": ("byte", "bytes"), "kB": ("kilobyte", "kilobytes"), "KB": ("kilobyte", "kilobytes"),
    "MB": ("megabyte", "megabytes"), "GB": ("gigabyte", "gigabytes"), "TB": ("terabyte", "terabytes"),
    "PB": ("petabyte", "petabytes"), "KiB": ("kibibyte", "kibibytes"), "MiB": ("mebibyte", "mebibytes"),
    "GiB": ("gibibyte", "gibibytes"), "TiB": ("tebibyte", "tebibytes"), "kb": ("kilobyte", "kilobytes"),
    "mb": ("megabyte", "megabytes"), "gb": ("gigabyte", "gigabytes"), "tb": ("terabyte", "terabytes"),
    "kbit": ("kilobit", "kilobits"), "Mbit": ("megabit", "megabits"), "Gbit": ("gigabit", "gigabits"),
    "kbps": ("kilobit per second", "kilobits per second"), "Mbps": ("megabit per second", "megabits per second"),
    "Gbps": ("gigabit per second", "gigabits per second"), "Hz": ("hertz", "hertz"), "kHz": ("kilohertz", "kilohertz"),
    "MHz": ("megahertz", "megahertz"), "GHz": ("gigahertz", "gigahertz"), "W": ("watt", "watts"),
    "kW": ("kilowatt", "kilowatts"), "MW": ("megawatt", "megawatts"), "kWh": ("kilowatt hour", "kilowatt hours"),
    "Wh": ("watt hour", "watt hours"), "mAh": ("milliamp hour", "milliamp hours"), "mA": ("milliamp", "milliamps"),
    "A": ("amp", "amps"), "V": ("volt", "volts"), "mV": ("millivolt", "millivolts"), "kV": ("kilovolt", "kilovolts"),
    "J": ("joule", "joules"), "kJ": ("kilojoule", "kilojoules"), "kcal": ("kilocalorie", "kilocalories"),
    "cal": ("calorie", "calories"), "Pa": ("pascal", "pascals"), "kPa": ("kilopascal", "kilopascals"),
    "hPa": ("hectopascal", "hectopascals"), "psi": ("P S I", "P S I"), "bar": ("bar", "bar"), "dB": ("decibel",
    "decibels"),
    "rpm": ("R P M", "R P M"), "fps": ("frame per second", "frames per second"), "px": ("pixel", "pixels"),
    "MP": ("megapixel", "megapixels"), "pt": ("point", "points"), "dpi": ("D P I", "D P I"), "ha": ("hectare",
    "hectares"),
    "°C": ("degree Celsius", "degrees Celsius"), "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "K": ("kelvin", "kelvin"),
    "ºC": ("degree Celsius", "degrees Celsius"), "º": ("degree", "degrees"), "°": ("degree", "degrees"),
    "%": ("percent", "percent"), "‰": ("per mille", "per mille"), "ppm": ("part per million", "parts per million"),
    "N": ("newton", "newtons"), "Nm": ("newton meter", "newton meters"), "t": ("ton", "tons"), "kΩ": ("kiloohm",
    "kiloohms"),
}  # fmt: skip
_NEEDS_NO_SPACE = frozenset({"d", "A", "K", "B", "N", "t", "in", "us", "pt", "MP"})
"""These are words or letters too: as units only when they touch the number (``in`` not even then, nor ``K``, which is
a thousand more often than a kelvin and then said as the letter)."""
_UNIT = "|".join(re.escape(unit) for unit in sorted(_WORDS, key=len, reverse=True) if unit not in _NEEDS_NO_SPACE)
_TIGHT = "|".join(re.escape(unit) for unit in sorted(_NEEDS_NO_SPACE - {"in", "us", "K"}, key=len, reverse=True))
_PER = r"(?:/(s|sec|h|hr|hour|min|minute|day|week|month|year|kg|km|person|GB|MB|l|L)\b)?"
_END = r"(?![\w²³]|/\w)"
_RANGE = re.compile(rf"(?<![\w.,/-])({N})\s?(?:[-–]|to)\s?({N})\s?({_UNIT}|{_TIGHT}){_PER}{_END}")
_AMOUNT = re.compile(rf"(?<![\w.,])({N})[\s-]?({_UNIT}){_PER}{_END}")
_AMOUNT_TIGHT = re.compile(rf"(?<![\w.,])({N})({_TIGHT}){_PER}{_END}")
_DURATION = re.compile(r"(?<![\w.])(\d+)h\s?(\d+)(?:m(?:in)?)?\b(?:\s?(\d+)s\b)?|(?<![\w.])(\d+)m\s?(\d+)s\b")
_FEET = re.compile(r"(?<![\w.])(\d+)['′]\s?(\d+)(?:[\"″]|'')|(?<![\w.])(\d+(?:\.\d+)?)[\"″](?=\s|[,.)]|$)(?<=\d[\"″])")
_PER_WORDS = {
    "s": "second", "sec": "second", "h": "hour", "hr": "hour", "min": "minute", "kg": "kilogram", "km": "kilometer",
    "GB": "gigabyte", "MB": "megabyte", "l": "liter", "L": "liter",
}  # fmt: skip
_SIZE = re.compile(rf"(?<![\w.])({N})\s?[x×]\s?({N})(?:\s?[x×]\s?({N}))?(?=\b)(?!\w)|(?<![\w.])({N})\s?[x×](?![\w])")


def is_unit(word: str) -> bool:
    return word in _WORDS


def say(text: str) -> str:
    """Every amount of ``text`` as words."""
    text = _MONEY_RANGE.sub(lambda m: f"{number(m[2])} to {_money(m[1], m[3], '', '')}", text)
    text = _MONEY_FIRST.sub(lambda m: ("minus " if m[1] else "") + _money(m[2].strip(), m[3], m[4], m[5]), text)
    text = _MONEY_LAST.sub(lambda m: _money(m[4], m[1], m[2], m[3]), text)
    text = _CENTS.sub(lambda m: f"{number(m[1])} {'cent' if is_one(m[1]) else 'cents'}", text)
    text = _THOUSANDS.sub(lambda m: f"{number(m[1])} thousand", text)
    text = _DURATION.sub(_duration, text)
    text = _FEET.sub(_feet, text)
    text = _RANGE.sub(lambda m: f"{number(m[1])} to {_amount(m[2], m[3], m[4])}", text)
    text = _AMOUNT.sub(lambda m: _amount(m[1], m[2], m[3], attributive="-" in m[0][len(m[1]) :]), text)
    text = _AMOUNT_TIGHT.sub(lambda m: _amount(m[1], m[2], m[3]), text)
    return _SIZE.sub(_size, text)


def _money(sign: str, amount: str, word: str | None, short: str | None) -> str:
    one, many, cent, cents = _CURRENCY[sign]
    scale = word or (_BIG[short.lower()] if short else "")
    if scale:
        return f"{number(amount)} {scale} {many}"
    whole, _, part = amount.replace(",", "").partition(".")
    if len(part) != 2 or not cent:
        part_words = f" point {number(part)}" if part and not cent else ""
        said = number(amount) if not part_words else number(whole) + part_words
        return f"{said} {one if is_one(amount) else many}"
    small = int(part)
    pieces = []
    if int(whole or "0") or not small:
        pieces.append(f"{number(whole)} {one if is_one(whole) else many}")
    if small:
        pieces.append(f"{cardinal(small)} {cent if small == 1 else cents}")
    return " and ".join(pieces)


def _amount(amount: str, unit: str, per: str | None, *, attributive: bool = False) -> str:
    one, many = _WORDS[unit]
    said = f"{number(amount)} {one if is_one(amount) or attributive else many}"
    return f"{said} per {_PER_WORDS.get(per, per)}" if per else said


def _duration(match: re.Match[str]) -> str:
    hours, minutes, seconds = (match[1], match[2], match[3]) if match[1] else (None, match[4], match[5])
    parts = ((hours, "hour"), (minutes, "minute"), (seconds, "second"))
    return " ".join(f"{number(count)} {name}{'' if is_one(count) else 's'}" for count, name in parts if count)


def _feet(match: re.Match[str]) -> str:
    if match[1]:
        return f"{number(match[1])} feet {number(match[2])}"
    return f"{number(match[3])} inch{'' if is_one(match[3]) else 'es'}"


def _size(match: re.Match[str]) -> str:
    if match[4]:
        return f"{number(match[4])} times"
    return " by ".join(number(part) for part in match.groups()[:3] if part)
