"""What may fill a slot of a template, and what it means: one reader per slot type.

A reader gets the words that a template left for it and returns the typed values they stand for, or None, and then the
template does not match. Readers are strict on purpose: an open slot is where an open request would slip in.
"""

from __future__ import annotations

from zero_one.commands.readers import amounts, names, texts, times
from zero_one.commands.scene import Reader, Scene, Values
from zero_one.commands.words import Words

READERS: dict[str, Reader] = {**times.READERS, **amounts.READERS, **names.READERS, **texts.READERS}


def read(kind: str, words: Words, scene: Scene) -> Values | None:
    """The values of a slot of type ``kind`` in ``words``. KeyError for a type that does not exist."""
    return READERS[kind]([word.norm for word in words], words, scene)
