"""What a slot's reader is given and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from zero_one.commands import known
from zero_one.commands.words import Words

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a reader may know of the world: the naive local time and what is installed here."""

    now: datetime
    here: known.Known
    entries: frozenset[str] = frozenset()
    """Open entries of the to-do list, in lower case."""


Reader = Callable[[list[str], Words, Scene], Values | None]
"""From the plain words of a slot (never none), the same words as written, and the scene."""
