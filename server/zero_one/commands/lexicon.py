"""Words that are English (the embedded recogniser's dictionary), for spelling and for what the recogniser can hear."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path


@functools.cache
def dictionary() -> frozenset[str]:
    """About 126,000 words in lower case; empty where pocketsphinx is not installed."""
    try:
        import pocketsphinx
    except ImportError:
        return frozenset()
    path = Path(pocketsphinx.get_model_path("en-us/cmudict-en-us.dict"))
    with path.open(encoding="utf-8") as lines:
        return frozenset(line.split(maxsplit=1)[0] for line in lines if "(" not in line.split(maxsplit=1)[0])


def has_word(word: str) -> bool:
    known = dictionary()
    return not known or word in known


def correct(word: str, vocabulary: Iterable[str]) -> str:
    """The word of ``vocabulary`` that ``word`` is a slip of the finger away from, or ``word`` itself.

    Only words of four letters or more that are no English words are touched, so no real word becomes a command.
    """
    if len(word) < 4 or not word.isalpha() or word in dictionary() or not dictionary():
        return word
    close = [other for other in vocabulary if len(other) > 3 and _slips(word, other) <= (2 if len(word) > 7 else 1)]
    return min(close, key=lambda other: (_slips(word, other), other)) if close else word


def _slips(one: str, other: str) -> int:
    """Edit distance with neighbouring letters swapped counted once (optimal string alignment)."""
    if abs(len(one) - len(other)) > 2:
        return 3
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
