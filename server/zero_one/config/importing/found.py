"""What a reader of foreign profiles finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Found:
    """``llm.model = "gpt-4o"`` on line ``line``. ``value`` is plain data or a Reference to the environment."""

    name: str
    value: Any
    line: int


@dataclass(frozen=True, slots=True)
class Left:
    """What could not be carried over, and why."""

    line: int
    what: str
    why: str


@dataclass(slots=True)
class Reading:
    found: list[Found] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    touched: bool = False
    """Whether anything of an interpreter was set or called, be it in a way that could not be read."""
