"""The ways in which a turn ends before the model is done with it."""

from __future__ import annotations

from zero_one.interpreter.caps import Cap


class Hushed(Exception):
    """The user spoke over the answer."""


class Enough(Exception):
    """The turn ends here; the text is said to the user."""


class CapReached(Exception):
    def __init__(self, cap: Cap) -> None:
        super().__init__(cap)
        self.cap = cap
