"""Words for pocketsphinx: which ones a JSGF grammar uses, and how to say those that its dictionary lacks.

The dictionary is CMU's (ARPAbet). A missing word is read by espeak-ng's rules, whose International Phonetic Alphabet is
then written in ARPAbet; where espeak-ng is missing too, the letters decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_NOT_WORDS = re.compile(
    r"""
      //[^\n]* | /\*.*?\*/            # comments
    | ^\s*\#JSGF[^;]*; | ^\s*(?:grammar|import)\s[^;]*;   # header
    | <[^>]*> | \{[^}]*\} | /[\d.eE+-]+/   # rules, tags, weights
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_WORD = re.compile(r"[^\s|()\[\]*+=;\"<>{}/]+")

# Longest first; ARPAbet has no length, no stress digits here, and one r.
_IPA = {
    "tʃ": "CH", "dʒ": "JH", "aɪ": "AY", "aʊ": "AW", "eɪ": "EY", "oʊ": "OW", "əʊ": "OW", "ɔɪ": "OY",
    "ɜː": "ER", "ɚ": "ER", "ɝ": "ER", "iː": "IY", "uː": "UW", "ɑː": "AA", "ɔː": "AO", "oː": "AO",
    "əl": "AH L", "ən": "AH N", "i": "IY", "u": "UW", "ɪ": "IH", "ʊ": "UH", "ɛ": "EH", "e": "EH", "æ": "AE", "a": "AE",
    "ɐ": "AH", "ʌ": "AH", "ə": "AH", "ɒ": "AA", "ɔ": "AO", "ɑ": "AA", "o": "OW", "ᵻ": "IH", "ɜ": "ER",
    "p": "P", "b": "B", "t": "T", "d": "D", "k": "K", "ɡ": "G", "g": "G", "f": "F", "v": "V", "θ": "TH", "ð": "DH",
    "s": "S", "z": "Z", "ʃ": "SH", "ʒ": "ZH", "h": "HH", "m": "M", "n": "N", "ŋ": "NG", "l": "L", "ɫ": "L", "ɹ": "R",
    "r": "R", "w": "W", "j": "Y", "x": "K", "ɾ": "T", "ʔ": "T", "ç": "HH Y", "ɬ": "L",
}  # fmt: skip
_IPA_PIECE = re.compile("|".join(sorted(map(re.escape, _IPA), key=len, reverse=True)))

_LETTERS = {
    "a": "EY", "b": "B IY", "c": "S IY", "d": "D IY", "e": "IY", "f": "EH F", "g": "JH IY", "h": "EY CH", "i": "AY",
    "j": "JH EY", "k": "K EY", "l": "EH L", "m": "EH M", "n": "EH N", "o": "OW", "p": "P IY", "q": "K Y UW",
    "r": "AA R", "s": "EH S", "t": "T IY", "u": "Y UW", "v": "V IY", "w": "D AH B AH L Y UW", "x": "EH K S",
    "y": "W AY", "z": "Z IY",
}  # fmt: skip


def grammar_words(jsgf: str) -> set[str]:
    """Every word a JSGF grammar (W3C JSGF 1.0) can hear."""
    bare = _NOT_WORDS.sub(" ", jsgf)
    bare = re.sub(r"\bpublic\b", " ", bare)
    return set(_WORD.findall(bare))


def lower_words(jsgf: str) -> str:
    """The same grammar with its words in lower case, as the dictionary has them; rule names and tags stay."""
    parts: list[str] = []
    last = 0
    for keep in _NOT_WORDS.finditer(jsgf):
        parts += [jsgf[last : keep.start()].lower(), keep.group()]
        last = keep.end()
    return "".join([*parts, jsgf[last:].lower()])


def arpabet(ipa: str) -> str:
    """``həlˈoʊ`` → ``HH AH L OW``; unknown signs are left out."""
    return " ".join(_IPA[piece] for piece in _IPA_PIECE.findall(ipa))


def pronounce(word: str, lookup: Callable[[str], str | None], ipa: Callable[[str], str] | None) -> str | None:
    """ARPAbet for a word that the dictionary lacks, or None for one without any sound."""
    parts = [part for part in re.split(r"[^a-z0-9']+", word) if part]
    if len(parts) > 1:
        known = [lookup(part) for part in parts]
        if all(known):
            return " ".join(str(part) for part in known)
    if ipa is not None:
        spoken = arpabet(ipa(word))
        if spoken:
            return spoken
    for cut in range(3, len(word) - 2):
        first, second = lookup(word[:cut]), lookup(word[cut:])
        if first and second:
            return f"{first} {second}"
    return " ".join(_LETTERS[letter] for letter in word if letter in _LETTERS) or None
