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


def corrections(words: Iterable[str], vocabulary: frozenset[str]) -> dict[str, list[str]]:
    """For each word that is no English word, up to three words of ``vocabulary`` that are a slip of the finger away.

    Real words are left alone, so no sentence becomes a command by being "corrected". Empty without a dictionary.
    """
    if not dictionary():
        return {}
    found: dict[str, list[str]] = {}
    for word in words:
        if len(word) < 4 or not word.isalpha() or word in dictionary() or word in vocabulary:
            continue
        most = 2.0 if len(word) > 7 else 1.0
        near = sorted((_slips(word, other), other) for other in vocabulary if len(other) > 3)
        close = [other for slips, other in near if slips <= most][:3]
        if close:
            found[word] = close
    return found


def _slips(one: str, other: str) -> float:
    """Edit distance in which swapped neighbours count least (optimal string alignment)."""
    if abs(len(one) - len(other)) > 2:
        return 3
    rows: list[list[float]] = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row: list[float] = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[j - 1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 0.8)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
