"""What a conversation is doing, and which changes make sense: an explicit table, so that a wrong one is an error."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum


class Doing(StrEnum):
    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    ACTING = "acting"
    ASKING = "asking"
    SPEAKING = "speaking"


_ANY_WORK = frozenset({Doing.THINKING, Doing.ACTING, Doing.ASKING, Doing.SPEAKING})

TRANSITIONS: dict[Doing, frozenset[Doing]] = {
    # Unasked speech is idle -> speaking; typed text is idle -> thinking.
    Doing.IDLE: frozenset({Doing.LISTENING, Doing.THINKING, Doing.SPEAKING}),
    # A cancelled press goes back to the work it did not end (running code, an open question).
    Doing.LISTENING: frozenset({Doing.IDLE}) | _ANY_WORK,
    Doing.THINKING: frozenset({Doing.IDLE, Doing.LISTENING}) | _ANY_WORK,
    Doing.ACTING: frozenset({Doing.IDLE, Doing.LISTENING}) | _ANY_WORK,
    Doing.ASKING: frozenset({Doing.IDLE, Doing.LISTENING}) | _ANY_WORK,
    Doing.SPEAKING: frozenset({Doing.IDLE, Doing.LISTENING}) | _ANY_WORK,
}


class ImpossibleTransition(RuntimeError):
    """The conversation tried a change that the table does not have: a bug, never the user's fault."""


class Machine:
    """Holds the state; tells ``on_change`` about each change, once."""

    def __init__(self, on_change: Callable[[Doing], None]) -> None:
        self.now = Doing.IDLE
        self._on_change = on_change

    def to(self, state: Doing) -> None:
        """Change state. Staying is no change. Raises ImpossibleTransition."""
        if state is self.now:
            return
        if state not in TRANSITIONS[self.now]:
            raise ImpossibleTransition(f"{self.now} -> {state}")
        self.now = state
        self._on_change(state)
