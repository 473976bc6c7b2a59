"""From what somebody said or typed to the plain words that the grammar knows, politeness and stumbling taken off.

``readings(text)`` gives the ways to take an utterance, the most faithful first; the first one that a template
consumes whole is what was meant. Words keep their written form, so that a note keeps its capitals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from zero_one.commands.sources import read_yaml


@dataclass(frozen=True, slots=True)
class Word:
    """One word as the grammar sees it and as it was written (empty where the writing had one word for two)."""

    norm: str
    raw: str


Words = tuple[Word, ...]

_MANNERS = read_yaml(files(__package__).joinpath("manners.yaml").read_text(encoding="utf-8"))


Phrases = dict[str, list[tuple[str, ...]]]
"""Phrases as words, longest first, by their first word (tails: by their last)."""


def _phrases(*names: str, by: int = 0) -> Phrases:
    found = {tuple(str(phrase).split()) for name in names for phrase in _MANNERS[name]}
    out: Phrases = {}
    for phrase in sorted(found, key=lambda phrase: (-len(phrase), phrase)):
        out.setdefault(phrase[by], []).append(phrase)
    return out


_LEADS, _GERUND_LEADS, _ASKS = _phrases("leads"), _phrases("gerund_leads"), _phrases("asks")
_TAILS, _NOW_TAILS = _phrases("tails", by=-1), _phrases("now_tails", "tails", by=-1)
_SOFT, _CORRECTIONS = _phrases("soft"), _phrases("corrections")
_GERUNDS: dict[str, str] = _MANNERS["gerunds"]
_WRITTEN: dict[str, str] = _MANNERS["written"]
_JOINED: dict[tuple[str, ...], str] = {tuple(apart.split()): one for apart, one in _MANNERS["joined"].items()}
_HESITATIONS, _KEEP_BEFORE_THANKS = set(_MANNERS["hesitations"]), set(_MANNERS["keep_before_thanks"])
_MAX_WORDS = 60
_EDGE = "\"'`“”‘’«»()[]{}<>,;!?…*_~|"


def split(text: str) -> Words:
    """The words of ``text``: lower case, contractions expanded, punctuation off, hesitations out."""
    text = text.replace("’", "'").replace("‘", "'").replace("–", " - ").replace("—", " - ").replace("…", " ")
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", text, flags=re.IGNORECASE)
    words: list[Word] = []
    for raw in text.split():
        bare = raw.strip(_EDGE).rstrip(".:").strip(_EDGE)
        if bare.startswith(".") and not re.match(r"\.\w", bare):
            bare = bare.lstrip(".")
        if not bare or not re.search(r"[\w+\-*/=^%°$€£]", bare):
            continue
        low = bare.lower()
        if low in _HESITATIONS or re.fullmatch(r"u+h+|u+m+|e+r+m*|h*m{2,}|a+h+", low):
            continue
        if low in _WRITTEN:
            parts = _WRITTEN[low].split()
            words += [Word(part, bare if i == 0 else "") for i, part in enumerate(parts)]
        elif re.fullmatch(r"\w+(-[a-z]+)+", low):
            words += [Word(part, piece) for part, piece in zip(low.split("-"), bare.split("-"), strict=True)]
        elif re.fullmatch(r"[a-z]+(,[a-z]+)+", low):
            words += [Word(part, part) for part in low.split(",")]
        else:
            words.append(Word(low.removesuffix("'s") if low in ("today's", "tonight's", "tomorrow's") else low, bare))
        if len(words) > _MAX_WORDS:
            return ()
    return _join(words)


def _join(words: list[Word]) -> Words:
    out: list[Word] = []
    at = 0
    while at < len(words):
        for size in (3, 2):
            key = tuple(word.norm for word in words[at : at + size])
            if key in _JOINED:
                raw = " ".join(word.raw for word in words[at : at + size])
                out += [Word(part, raw) for part in _JOINED[key].split()]
                at += size
                break
        else:
            out.append(words[at])
            at += 1
    return tuple(out)


def written() -> frozenset[str]:
    """Words that are known only as they are written ("screenshot", "stopwatch")."""
    return frozenset(word for word in _WRITTEN if word.isalpha() and len(word) > 4)


def norm(words: Words) -> str:
    return " ".join(word.norm for word in words)


def raw(words: Words) -> str:
    return " ".join(word.raw for word in words if word.raw)


def _opening(words: Words, phrases: Phrases) -> Iterator[int]:
    """The lengths of the phrases that ``words`` begin with, the longest first."""
    for phrase in phrases.get(words[0].norm, ()) if words else ():
        if tuple(word.norm for word in words[: len(phrase)]) == phrase:
            yield len(phrase)


def _closing(words: Words, phrases: Phrases) -> Iterator[int]:
    for phrase in phrases.get(words[-1].norm, ()):
        if tuple(word.norm for word in words[-len(phrase) :]) == phrase:
            yield len(phrase)


def _without_tail(words: Words, tails: Phrases) -> Words:
    while words:
        for size in _closing(words, tails):
            if size < len(words) and words[-size - 1].norm not in _KEEP_BEFORE_THANKS:
                words = words[:-size]
                break
        else:
            return words
    return words


def _leads(words: Words, depth: int = 6) -> Iterator[Words]:
    """``words`` with ever more of the opening taken off."""
    yield words
    if depth == 0:
        return
    for size in _opening(words, _GERUND_LEADS):
        after = words[size:]
        if after and after[0].norm in _GERUNDS:
            yield from _leads((Word(_GERUNDS[after[0].norm], after[0].raw), *after[1:]), depth - 1)
            return
    for phrases in (_LEADS, _ASKS):
        size = next((size for size in _opening(words, phrases) if size < len(words)), 0)
        if size:
            yield from _leads(words[size:], depth - 1)


def _unrepeated(words: Words) -> Words:
    """Stumbles said once: "set set a timer", "set a set a timer"."""
    changed = True
    while changed:
        changed = False
        for size in (3, 2, 1):
            for at in range(len(words) - 2 * size + 1):
                first, second = words[at : at + size], words[at + size : at + 2 * size]
                if norm(first) == norm(second) and not (size == 1 and first[0].norm.isdigit()):
                    words = words[:at] + words[at + size :]
                    changed = True
                    break
            if changed:
                break
    return words


def _unsoftened(words: Words) -> Words:
    out: list[Word] = []
    at = 0
    while at < len(words):
        size = next(_opening(words[at:], _SOFT), 0)
        if not size:
            out.append(words[at])
        at += size or 1
    return tuple(out)


def _restarts(words: Words) -> Iterator[Words]:
    """ "what's the, what time is it": a fresh start repeats the first word within the next few."""
    for at in range(1, min(5, len(words) - 1)):
        if words[at].norm == words[0].norm:
            yield words[at:]


def _corrected(words: Words) -> Iterator[Words]:
    """ "ten no wait fifteen minutes": the words after the correction replace some right before it."""
    for at in range(1, len(words) - 1):
        size = next((size for size in _opening(words[at:], _CORRECTIONS) if at + size < len(words)), 0)
        if size:
            for back in range(1, min(4, at) + 1):
                yield words[: at - back] + words[at + size :]


def _clipped(words: Words) -> Iterator[Words]:
    """ "what time's my alarm" as "what time is my alarm", "tomorrow morning's alarm" as "tomorrow morning alarm"."""
    if any(word.norm.endswith("'s") for word in words):
        pairs = [
            (Word(word.norm[:-2], word.raw), Word("is", "")) if word.norm.endswith("'s") else (word,) for word in words
        ]
        yield tuple(part for pair in pairs for part in pair)
        yield tuple(pair[0] for pair in pairs)


def readings(text: str) -> Iterator[Words]:
    """The ways to take ``text``, most faithful first, none twice."""
    words = split(text)
    if not words:
        return
    seen: set[str] = set()
    polite = _without_tail(words, _TAILS)
    bases = [_unrepeated(polite[:3]) + polite[3:], polite, _unrepeated(polite), _without_tail(polite, _NOW_TAILS)]
    bases += [words, _unsoftened(_unrepeated(polite)), _unrepeated(_unsoftened(_without_tail(polite, _NOW_TAILS)))]
    bases += [_without_tail(_unsoftened(_unrepeated(polite)), _NOW_TAILS)]
    bases += list(_restarts(_unrepeated(polite)))
    bases += list(_corrected(polite))
    bases += [variant for base in tuple(bases[:4]) for variant in _clipped(base)]
    for base in bases:
        for reading in _leads(base):
            if reading and (key := norm(reading)) not in seen:
                seen.add(key)
                yield reading
