"""What a conversation needs to know of spoken commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Effect = Literal["", "stop", "cancel", "repeat", "louder", "quieter", "faster", "slower", "volume"]


@dataclass(frozen=True, slots=True)
class Match:
    """A wording taken for a command, with the slots it filled."""

    command: str
    slots: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a command did. ``say`` is spoken, ``show`` (or ``say``) is displayed, ``effect`` is for the
    conversation itself.

    ``value`` belongs to an effect that needs a number (volume percent). ``asks``: nothing was done yet, for it has to
    be agreed to first.
    """

    say: str
    show: str = ""
    effect: Effect = ""
    value: float | None = None
    failed: bool = False
    asks: Proposal | None = None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a command would do, were it agreed to: the ``question`` that is said, what it is in one line (``act``), and
    ``then`` does it."""

    question: str
    act: str
    then: Callable[[], Awaitable[Reply]]


Announce = Callable[[str, str], Awaitable[None]]
"""``await announce(device, text)``: speak up unasked on a device, now or when it is next there."""
