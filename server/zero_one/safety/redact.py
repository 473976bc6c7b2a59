"""Secrets are taken out of what the model and the logs see."""

from __future__ import annotations

from collections.abc import Iterable

MASK = "[secret]"


class Redactor:
    """``known`` are values that are secret because we know them to be: keys of the profile, of the environment."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = sorted({value for value in known if len(value) >= 8}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text with a mask in the place of every secret."""
        for value in self._known:
            text = text.replace(value, MASK)
        return text
