"""From a share of the sound back to the words: where a text that was cut off ends."""

from __future__ import annotations

from collections.abc import Iterable

from zero_one.conversation.speech import Unheard


def position(text: str, share: float) -> int:
    """Characters of ``text`` heard when ``share`` (0 to 1) of its sound was: whole words only."""
    if share >= 1:
        return len(text)
    at = int(len(text) * share)
    if at and not text[at - 1].isspace() and not text[at : at + 1].isspace():
        # A word cut in the middle was not heard.
        at = max(text.rfind(" ", 0, at), text.rfind("\n", 0, at)) + 1
    return len(text[:at].rstrip())


def heard_of(owner: object, unheard: Iterable[Unheard], everything: int) -> int:
    """Characters of ``owner``'s text that were heard; ``everything`` where none of its lines was cut."""
    for item in unheard:
        if item.line.owner is owner:
            return item.line.start + position(item.line.text, item.share)
    return everything
