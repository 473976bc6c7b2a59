"""Spoken arithmetic: "twelve times seven", "15 percent of 80", "the square root of two plus one"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from zero_one.commands.numbers import HOMOPHONES, ORDINALS, SMALL, parse_number, singular, tidy

_BINARY: list[tuple[tuple[str, ...], str]] = [
    (tuple(phrase.split()), sign)
    for phrase, sign in (
        ("to the power of", "^"), ("to the power", "^"), ("multiplied with", "*"), ("lots of", "*"),
        ("percent out of", "%of"), ("subtract", "-"), ("add", "+"), ("percentage of", "%of"),
        ("raised to the power of", "^"), ("raised to the", "^"), ("raised to", "^"),
        ("multiplied by", "*"), ("divided by", "/"), ("times by", "*"), ("divide by", "/"), ("multiply by", "*"),
        ("percent off", "off"), ("percent of", "%of"), ("percent on", "%of"), ("percent from", "off"), ("added to",
        "+"), ("plus", "+"), ("minus", "-"),
        ("times", "*"), ("over", "/"), ("modulo", "mod"), ("mod", "mod"), ("take away", "-"), ("less", "-"),
        ("and", "+?"), ("x", "*"), ("+", "+"), ("-", "-"), ("*", "*"), ("/", "/"), ("÷", "/"), ("×", "*"), ("^", "^"),
        ("**", "^"), ("of", "of"), ("by", "*?"),
    )
]  # fmt: skip
_AFTER = {"squared": 2, "cubed": 3}
_BEFORE: list[tuple[tuple[str, ...], str]] = [
    (tuple(phrase.split()), name)
    for phrase, name in (
        ("the square root of", "sqrt"), ("square root of", "sqrt"), ("square root", "sqrt"), ("root of", "sqrt"),
        ("the root of", "sqrt"), ("the cube root of", "cbrt"), ("cube root of", "cbrt"), ("twice", "double"),
        ("double", "double"), ("triple", "triple"), ("half of", "half"), ("a half of", "half"), ("one half of", "half"),
        ("a third of", "third"), ("one third of", "third"), ("a quarter of", "quarter"), ("a fifth of", "fifth"),
        ("a tenth of", "tenth"), ("two thirds of", "two thirds"), ("three quarters of", "three quarters"),
        ("the square of", "square"), ("the cube of", "cube"), ("the factorial of", "factorial"),
        ("factorial of", "factorial"),
        ("the cube root", "cbrt"), ("cube root", "cbrt"), ("the square root", "sqrt"),
        ("one fifth of", "fifth"), ("one quarter of", "quarter"), ("quarter of", "quarter"), ("third of", "third"),
        ("one tenth of", "tenth"), ("an eighth of", "eighth"), ("three fourths of", "three quarters"),
        ("one sixth of", "sixth"), ("a sixth of", "sixth"), ("the half of", "half"), ("a fourth of", "quarter"),
        ("two fifths of", "two fifths"), ("thrice", "triple"), ("quadruple", "quadruple"),
    )
]  # fmt: skip
_SCALE = {
    "double": 2, "triple": 3, "half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1,
    "two thirds": 2 / 3, "three quarters": 0.75, "eighth": 0.125, "sixth": 1 / 6, "two fifths": 0.4, "quadruple": 4,
}  # fmt: skip
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?|\.\d+)|([-+*/^%()x×÷])")


@dataclass(frozen=True, slots=True)
class Sum:
    """``expression`` in signs ("12 * 7"), ``result`` as a number."""

    expression: str
    result: float


Token = float | str


def work_out(words: Sequence[str]) -> Sum | None:
    """The value of an expression that ``words`` are from end to end. None for a lone number and for anything else."""
    words = _verbs(_without_currency(list(words)))
    tokens = _tokens(words)
    if tokens is None:
        tokens = _tokens([HOMOPHONES.get(word, word) for word in words])
    if tokens is None or len(tokens) < 2:
        return None
    try:
        parser = _Parser(tokens)
        value = parser.sum()
        if parser.at != len(tokens) or isinstance(value, complex):
            return None
    except (ValueError, IndexError, OverflowError):
        return None
    except ZeroDivisionError:
        value = math.nan
    if isinstance(value, float) and math.isfinite(value):
        value = tidy(round(value, 10))
    return Sum(_written(tokens), value)


_CURRENCIES = {"dollar", "dollars", "bucks", "buck", "euro", "euros", "quid", "pounds", "cents", "yen"}


def _without_currency(words: list[str]) -> list[str]:
    """ "fifteen percent of forty dollars", "$40": the sum is the same in any money."""
    words = [re.sub(r"^[$€£](?=[\d.])", "", word) for word in words if word not in _CURRENCIES]
    words = words[1:] if words[:1] == ["a"] and words[-1:] != ["half"] and len(words) > 3 and "tip" in words else words
    for tip in (["percent", "tip"], ["percent", "discount"], ["percent", "tax"]):
        at = next((i for i in range(len(words)) if words[i : i + 2] == tip), None)
        if at is not None and words[at + 2 : at + 3] in (["on"], ["for"], ["of"]):
            return [*words[: at + 1], "of", *words[at + 3 :]]
        if len(words) > 2 and words[0].endswith("%") and words[1] == tip[1] and words[2] in ("on", "for"):
            return [words[0], "of", *words[3:]]
    return words


def _verbs(words: list[str]) -> list[str]:
    """ "add 5 and 3", "subtract 4 from 10", "divide 20 by 4", "multiply 6 by 7" in the order of the signs."""
    if not words:
        return words
    verb, rest = words[0], words[1:]
    joints = {"add": ("and", "to", "plus"), "multiply": ("by", "and", "times", "with"), "divide": ("by", "and"),
    "subtract": ("from",),
              "take": ("from",), "sum": ("and",)}  # fmt: skip
    if verb == "the":
        verb, rest = (rest[0], rest[1:]) if rest else ("", [])
    if [verb, *rest[:1]] in (["sum", "of"], ["product", "of"], ["difference", "between"], ["quotient", "of"]):
        verb = {"sum": "add", "product": "multiply", "quotient": "divide"}.get(verb, verb)
        rest = rest[1:]
    if verb in ("add", "sum", "total") and (parts := _listed(rest)):
        return parts
    if len(words) > 3 and words[2] == "of" and words[0] not in ("a", "the") and (under := _denominator(words[1])):
        return [words[0], "divided", "by", str(under), "times", *words[3:]]
    if verb == "difference" and "and" in rest:
        at = rest.index("and")
        return [*rest[:at], "minus", *rest[at + 1 :]]
    if (many := singular(words[-1:])) != words[-1:] and len(words) > 1:  # "six sevens"
        return [*words[:-1], "times", *many]
    if "into" in words[1:-1] and (at := words.index("into", 1)):  # "eight into fifty six"
        first = words[:at]
        for lead in (["how", "many", "times", "does"], ["how", "many", "times", "will"], ["how", "often", "does"]):
            if first[: len(lead)] == lead:
                first = first[len(lead) :]
        first = first[:-1] if first[-1:] in (["go"], ["goes"], ["fit"]) else first
        if words[0] != "divide":
            return [*words[at + 1 :], "divided", "by", *first]
        return [*words[1:at], "divided", "by", *words[at + 1 :]]
    for joint in joints.get(verb, ()):
        if joint in rest[1:]:
            at = len(rest) - 1 - rest[::-1].index(joint) if verb != "add" else rest.index(joint, 1)
            first, second = rest[:at], rest[at + 1 :]
            if verb in ("subtract", "take"):
                first, second = second, first
            sign = {"add": "plus", "sum": "plus", "multiply": "times", "divide": "divided by"}.get(verb, "minus")
            return [*first, *sign.split(), *second]
    return words


def _listed(words: list[str]) -> list[str]:
    """ "up 12 15 and 20" with a sign between all of its numbers, or nothing where there is anything else."""
    if words[:1] in (["up"], ["together"]):
        words = words[1:]
    out: list[str] = []
    at = 0
    while at < len(words):
        if words[at] in ("and", "plus") and out:
            at += 1
            continue
        size = 1 if words[at].replace(".", "").isdigit() else _longest(words, at)
        if not size:
            return []
        out += (["plus"] if out else []) + words[at : at + size]
        at += size
    return out if "plus" in out else []


def _denominator(word: str) -> int | None:
    """8 for "eighths"."""
    single = word.removesuffix("s")
    return {"half": 2, "halve": 2, "quarter": 4}.get(single) or (ORDINALS.get(single) if word.endswith("s") else None)


def _tokens(words: list[str]) -> list[Token] | None:
    tokens: list[Token] = []
    at = 0
    wants_value = True
    while at < len(words):
        word = words[at]
        if wants_value:
            before = next((b for b in _BEFORE if tuple(words[at : at + len(b[0])]) == b[0]), None)
            if before:
                tokens.append(before[1])
                at += len(before[0])
                continue
            if word in ("(", "open"):
                return None
            if re.search(r"\d", word) and not re.fullmatch(r"-?\d+(\.\d+)?%?", word):
                written = _read_written(word)
                if written is None:
                    return None
                tokens += written
                at += 1
                wants_value = isinstance(tokens[-1], str) and tokens[-1] not in (")", "%", "^2", "^3", "!")
                continue
            size = _longest(words, at)
            if size == 0:
                return None
            text = [part.rstrip("%") for part in words[at : at + size]]
            value = parse_number(text)
            if value is None:
                return None
            tokens.append(value)
            at += size
            if words[at - 1].endswith("%"):
                if at < len(words) and words[at] in ("of", "off"):
                    tokens.append("%of" if words[at] == "of" else "off")
                    at += 1
                    continue
                tokens.append("%")
            wants_value = False
            continue
        if word in _AFTER:
            tokens.append(f"^{_AFTER[word]}")
            at += 1
            continue
        if word == "factorial":
            tokens.append("!")
            at += 1
            continue
        if words[at : at + 2] == ["to", "the"] and at + 2 < len(words):
            power = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "tenth": 10}.get(words[at + 2])
            if power:
                tokens += ["^", float(power)]
                at += 3 + (words[at + 3 : at + 4] == ["power"])
                continue
        binary = next((b for b in _BINARY if tuple(words[at : at + len(b[0])]) == b[0]), None)
        if binary is None:
            if word in ("percent", "%"):
                tokens.append("%")
                at += 1
                continue
            if re.search(r"\d", word) and (written := _read_written(word)) and isinstance(written[0], str):
                tokens += written
                at += 1
                continue
            return None
        if binary[1] in ("+?", "of") or (binary[1] == "*?" and False):
            return None
        tokens.append("*" if binary[1] == "*?" else binary[1])
        at += len(binary[0])
        wants_value = True
    return None if wants_value else tokens


def _longest(words: list[str], at: int) -> int:
    for size in range(min(12, len(words) - at), 0, -1):
        piece = [part.rstrip("%") for part in words[at : at + size]]
        if all(piece) and parse_number(piece) is not None and (piece[0] not in ("a", "an") or size > 1):
            return size
    return 0


def _read_written(word: str) -> list[Token] | None:
    """ "2+2*3" and "(4-1)/3" written without spaces."""
    out: list[Token] = []
    at = 0
    for found in _WRITTEN.finditer(word):
        if found.start() != at:
            return None
        at = found.end()
        sign = {"x": "*", "×": "*", "÷": "/"}.get(found[0], found[0])
        out.append(float(found[1]) if found[1] else sign)
    return out if at == len(word) and out else None


def _written(tokens: list[Token]) -> str:
    names = {"%of": "% of", "off": "% off", "sqrt": "√", "cbrt": "∛", "^2": "²", "^3": "³"}
    parts = [f"{tidy(t)}" if not isinstance(t, str) else names.get(t, t) for t in tokens]
    text = " ".join(parts)
    return re.sub(r" (?=[²³!%)])|(?<=[√∛(]) ", "", text)


class _Parser:
    """Precedence climbing: sums, products (with percent of and off), powers, roots and signs."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def sum(self) -> float:
        value = self.product()
        while self.peek() in ("+", "-"):
            sign = self.take()
            other = self.product()
            if self.tokens[self.at - 1] == "%":
                other *= value  # "80 plus 15 percent" raises 80 by 15 percent of itself
            value = value + other if sign == "+" else value - other
        return value

    def product(self) -> float:
        value = self.power()
        while self.peek() in ("*", "/", "mod", "%of", "off"):
            sign = self.take()
            other = self.power()
            if sign == "*":
                value *= other
            elif sign == "/":
                value /= other
            elif sign == "mod":
                value = math.fmod(value, other)
            elif sign == "%of":
                value = value / 100 * other
            else:
                value = other * (1 - value / 100)
        return value

    def power(self) -> float:
        value = self.factor()
        if self.peek() == "^":
            self.take()
            exponent = self.power()
            if abs(value) > 1e6 or abs(exponent) > 1000:
                raise OverflowError
            value = float(value**exponent)
        return value

    def factor(self) -> float:
        token = self.take()
        if token == "-":
            return -self.factor()
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise ValueError("unbalanced")
        elif isinstance(token, str):
            value = self._function(token, self.factor())
        else:
            value = float(token)
        while self.peek() in ("^2", "^3", "!", "%"):
            value = self._suffix(str(self.take()), value)
        return value

    @staticmethod
    def _suffix(sign: str, value: float) -> float:
        if sign == "%":
            return value / 100
        if sign == "!":
            if value != int(value) or not 0 <= value <= 100:
                raise ValueError("factorial")
            return float(math.factorial(int(value)))
        return value ** int(sign[1])

    @staticmethod
    def _function(name: str, value: float) -> float:
        if name in _SCALE:
            return value * _SCALE[name]
        if name == "sqrt":
            return math.sqrt(value)
        if name == "cbrt":
            return math.cbrt(value)
        if name == "factorial":
            return _Parser._suffix("!", value)
        if name in ("square", "cube"):
            return value ** (2 if name == "square" else 3)
        raise ValueError(name)


def is_number_word(word: str) -> bool:
    return word in SMALL or bool(re.fullmatch(r"\d+(\.\d+)?", word))
