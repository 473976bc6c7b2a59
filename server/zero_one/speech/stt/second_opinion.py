"""Did they really say a command? A command grammar hears a command in everything, so two others are asked.

Three decoders hear the same sound: the grammar (G), free dictation (L) and bare phones (A, which fits any sound best).
If G is right, its score per frame is close to A's over the whole utterance *and* over its worst word, L's words sound
like G's even when spelled otherwise ("said the valiant" / "set the volume"), and where A hears speech G has no silence.
Together these five numbers tell a command from open speech far better than a threshold on G's score; the weights
are a logistic regression over synthesised commands and open sentences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

_LOG_BASE = math.log(1.0001)
"""pocketsphinx counts in logarithms of this base."""
_FILLERS = frozenset({"<sil>", "<s>", "</s>", "SIL", "(NULL)", "[NOISE]", "[SPEECH]", "++NOISE++", "+NSN+", "+SPN+"})

_BIAS = 10.81
_WEIGHTS = (-0.0946, -0.0303, -4.40, -3.88, -3.00)
"""Fitted on flite's slt and awb; on rms and kal16 they accept 69 of 69 rightly heard commands and 0 of 71 open
sentences. The bias puts the border at even odds."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One word or phone: frames (10 ms) ``first`` to ``last``, acoustic score in pocketsphinx's logarithm."""

    word: str
    first: int
    last: int
    score: float

    @property
    def is_filler(self) -> bool:
        return self.word in _FILLERS


@dataclass(frozen=True, slots=True)
class Decoding:
    text: str
    segments: tuple[Segment, ...]
    frames: int

    def words(self) -> list[str]:
        return [segment.word for segment in self.segments if not segment.is_filler]

    def per_frame(self, frames: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        scores = np.zeros(frames)
        for segment in self.segments:
            if 0 <= segment.first <= segment.last:
                scores[segment.first : segment.last + 1] = segment.score / (segment.last - segment.first + 1)
        return scores


def log_score(probability: float) -> float:
    return math.log(max(probability, 1e-300)) / _LOG_BASE


def features(
    grammar: Decoding, free: Decoding, phones: Decoding, spell: Callable[[str], Sequence[str]]
) -> tuple[float, float, float, float, float]:
    """Lag per frame, the worst word's lag, distance to L's sounds, distance to A's phones, silence over speech."""
    frames = grammar.frames
    lag = phones.per_frame(frames) - grammar.per_frame(frames)
    speech = np.zeros(frames, dtype=bool)
    for segment in phones.segments:
        if not segment.is_filler and segment.first >= 0:
            speech[segment.first : segment.last + 1] = True
    spoken = [segment for segment in grammar.segments if not segment.is_filler and segment.first >= 0]
    mean = float(lag[speech].mean()) if speech.any() else 200.0
    worst = max((float(lag[word.first : word.last + 1].mean()) for word in spoken), default=200.0)
    said = [phone for word in grammar.words() for phone in spell(word)]
    heard = [phone for word in free.words() for phone in spell(word)]
    loop = phones.words()
    silent = sum(
        int(speech[s.first : s.last + 1].sum()) for s in grammar.segments if s.word == "<sil>" and s.first >= 0
    )
    return mean, worst, _apart(said, heard), _apart(said, loop), silent / max(1, int(speech.sum()))


def belief(numbers: Sequence[float]) -> float:
    """0 to 1: how sure it is that the grammar heard right."""
    total = _BIAS + sum(weight * number for weight, number in zip(_WEIGHTS, numbers, strict=True))
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, total))))


def _apart(one: Sequence[str], other: Sequence[str]) -> float:
    """Levenshtein distance over the longer length, 0 to 1."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1] / max(len(one), len(other), 1)
