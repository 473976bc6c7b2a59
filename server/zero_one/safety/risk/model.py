"""The words of risk: classes, effects and the verdict over a piece of code."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal


class Risk(IntEnum):
    """How bad it is if this was not wanted. Ordered: the class of a program is the highest of its effects."""

    OBSERVE = 0
    CHANGE = 1
    SPEND_OR_SEND = 2
    DESTROY = 3

    @property
    def word(self) -> str:
        return self.name.lower()


Kind = Literal[
    "read",
    "write",
    "move",
    "delete",
    "fetch",
    "send",
    "spend",
    "process",
    "package",
    "credential",
    "device",
    "system",
    "persist",
    "opaque",
]


@dataclass(frozen=True, slots=True)
class Effect:
    """One thing the code does. ``what`` names its target for a person.

    ``file``: ``what`` is the path of a file or folder exactly as the code writes it: relative to the folder it runs in,
    perhaps with ``~`` in front, perhaps a glob. One effect names one path, so moving is two: ``move`` of what goes and
    ``write`` of where it goes. A path that is computed is told in words, never looks like a path, and is no ``file``.
    ``undoable``: a change that we can put back ourselves, because it touches nothing but that file or folder. What
    deletes is never called undoable, though what was there is kept when it can be.
    """

    kind: Kind
    what: str
    risk: Risk
    undoable: bool = False
    file: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """The class of a program and every effect that was found in it, worst first."""

    risk: Risk
    effects: tuple[Effect, ...]

    @property
    def undoable(self) -> bool:
        """Whether everything it changes can be put back by us."""
        return self.risk <= Risk.CHANGE and all(e.undoable for e in self.effects if e.risk > Risk.OBSERVE)

    @property
    def touched(self) -> tuple[str, ...]:
        """Paths, as written, of every file and folder that is written, moved or deleted, each once."""
        changing = (e.what for e in self.effects if e.file and e.kind in ("write", "move", "delete"))
        return tuple(dict.fromkeys(changing))

    @property
    def packages(self) -> tuple[str, ...]:
        return tuple(e.what for e in self.effects if e.kind == "package")

    @classmethod
    def of(cls, effects: Iterable[Effect]) -> Verdict:
        unique = sorted(dict.fromkeys(effects), key=lambda e: -e.risk)
        return cls(unique[0].risk if unique else Risk.OBSERVE, tuple(unique))


def opaque(what: str) -> Effect:
    """Code that could not be seen through: it may do anything, so it counts as the worst."""
    return Effect("opaque", what, Risk.DESTROY)


def changes(kind: Kind, what: str, *, undoable: bool = False) -> Effect:
    return Effect(kind, what, Risk.CHANGE, undoable)


def sends(what: str) -> Effect:
    return Effect("send", what, Risk.SPEND_OR_SEND)


def destroys(kind: Kind, what: str) -> Effect:
    return Effect(kind, what, Risk.DESTROY)


def reads(what: str) -> Effect:
    return Effect("read", what, Risk.OBSERVE)


_ACTING_ADDRESS = re.compile(
    r"https?://[^?#]*/(send([A-Z_]\w*)?|(delete|remove|create|update|post|set|add)[A-Z_]\w*|trigger|unlock\w*|pay|transfer|purchase|checkout|buy"
    r"|create|delete|destroy|remove|unsubscribe|vote|publish|reboot|restart|shutdown|toggle|turn_?o(n|ff)|execute|cm)(/|[?#]|$)"
)


def fetches(what: str) -> Effect:
    """An address is asked. One whose path says what to do (``…/sendMessage?text=…``) does it."""
    return sends(what) if _ACTING_ADDRESS.match(what) else Effect("fetch", what, Risk.OBSERVE)
