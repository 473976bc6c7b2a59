"""One call of a program, with what handlers ask about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect
from zero_one.safety.risk.words import Word

if TYPE_CHECKING:
    from zero_one.safety.risk.shell import Reader


def _is_long(text: str, name: str) -> bool:
    """``--name``, ``--name=value``, and both cut short, as getopt takes them (``--comp=x``)."""
    given = text.partition("=")[0]
    return name.startswith("--") and (given == name or (len(given) > 4 and name.startswith(given)))


@dataclass(frozen=True)
class Call:
    reader: Reader
    program: str
    args: list[Word]
    stdin: str | None

    @property
    def texts(self) -> list[str]:
        return [a.text for a in self.args]

    @property
    def operands(self) -> list[str]:
        """Arguments that are no options. After ``--`` everything is an operand."""
        out: list[str] = []
        only = False
        for text in self.texts:
            if text == "--" and not only:
                only = True
            elif only or not text.startswith("-") or text == "-":
                out.append(text)
        return out

    @property
    def line(self) -> str:
        """The program with its first words, to name it by."""
        return f"{self.program} {' '.join(self.texts[:3])}".strip()

    def has(self, *names: str) -> bool:
        """Whether an option is given: ``-x`` also in a cluster (``-rxf``), ``--long`` also cut short."""
        for text in self.texts:
            for name in names:
                if text == name or _is_long(text, name):
                    return True
                if len(name) == 2 and re.fullmatch(r"-[A-Za-z]+", text) and name[1] in text[1:]:
                    return True
        return False

    def value(self, *names: str) -> str | None:
        """The value of an option: ``-o v``, ``-ov``, ``--out v`` or ``--out=v``."""
        texts = self.texts
        for i, text in enumerate(texts):
            for name in names:
                if text == name or (_is_long(text, name) and "=" not in text):
                    return texts[i + 1] if i + 1 < len(texts) else ""
                if _is_long(text, name):
                    return text.partition("=")[2]
                if len(name) == 2 and text.startswith(name) and not text.startswith("--") and len(text) > 2:
                    return text[2:]
        return None

    def values(self, *names: str) -> list[str]:
        """Every value of a repeatable option."""
        values = [self.texts[i + 1] for i, t in enumerate(self.texts[:-1]) if t in names]
        long = [n for n in names if n.startswith("--")]
        return values + [t.partition("=")[2] for t in self.texts if "=" in t and any(_is_long(t, n) for n in long)]

    def options(self, valued: str, valued_long: str = "") -> tuple[list[tuple[str, str]], list[str]]:
        """Options with their values, and operands, read as ``getopt`` reads them.

        ``valued``: letters of the short options that take a value (``-so FILE``, ``-sOFILE``); ``valued_long``: names
        of the long ones, with their dashes. An option without a value has "".
        """
        found: list[tuple[str, str]] = []
        operands: list[str] = []
        long = set(valued_long.split())
        todo = self.texts
        while todo:
            text, todo = todo[0], todo[1:]
            if text == "--":
                operands += todo
                break
            if text.startswith("--"):
                name, eq, value = text.partition("=")
                if not eq and name in long and todo:
                    value, todo = todo[0], todo[1:]
                found.append((name, value))
            elif text.startswith("-") and len(text) > 1:
                for i, letter in enumerate(text[1:], 1):
                    if letter not in valued:
                        found.append((f"-{letter}", ""))
                        continue
                    value, todo = (text[i + 1 :], todo) if text[i + 1 :] else ((todo or [""])[0], todo[1:])
                    found.append((f"-{letter}", value))
                    break
            else:
                operands.append(text)
        return found, operands

    def rest(self, start: int) -> list[Word]:
        return self.args[start:]

    def reading(self) -> list[Effect]:
        """Every operand is a file that is read."""
        return [e for e in (paths.reading(o) for o in self.operands) if e.risk]


Handler = Callable[[Call], list[Effect]]


def observe(call: Call) -> list[Effect]:
    """A program that only looks, whatever its arguments; secrets among them count."""
    return call.reading()


def table(handler: Handler, names: str) -> dict[str, Handler]:
    return dict.fromkeys(names.split(), handler)
