"""Cuts a stream of text into clauses that can be spoken, each as soon as it is safe to.

Safe means one token of lookahead: ``$29.`` may go on with ``99``, so nothing is cut at a full stop until the first
character after the following space is known. Offsets count characters of the whole text, so that a position in the
sound can be mapped back to what was heard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

FIRST_COMMA = 18
"""The first clause may end at a comma from this many characters on: it decides when the voice starts."""
LATER_COMMA = 60
"""Later ones are longer: the voice is already speaking, and longer clauses sound better."""
LONGEST = 240
"""Without any punctuation a clause is cut at a space here."""

_CLOSERS = "\"'”’»)]}*_`"
_ENDERS = ".!?…"
_WIDE_ENDERS = "。！？।"
_PAUSES = ",;:—–،、，；："


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Never the end of a sentence: titles and words that always want something after them.
_OPEN_ABBREVIATIONS = _words(
    "mr mrs ms mx dr prof st mt fr rev hon gen col capt lt sgt maj pres gov sen rep messrs mme mlle sra srta hr "
    "vs v e.g i.e cf viz approx ca bzw z.b d.h u.a vgl s.a p.ej"
)
# The end of a sentence only if no number follows: "No. 5", "Fig. 2".
_NUMBER_ABBREVIATIONS = _words(
    "no nos nr fig figs vol pp p ch art op eq ver jan feb mar apr jun jul aug sep sept oct nov dec ext tel"
)
# The end of a sentence only if a capital follows: "at 5 p.m. tomorrow", "Inc. and".
_CLOSED_ABBREVIATIONS = _words(
    "etc a.m p.m inc ltd co corp jr sr u.s u.k e.u u.n dept est bros bldg ave blvd rd usw al ph.d b.a m.a min max hrs "
    "sec secs lb lbs oz ft in"
)

_WORD_BEFORE = re.compile(r"([^\W\d_][\w.]*)$")
_LIST_MARKER = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\Z")
_BLOCK_START = re.compile(r"[ \t]*(?:[-*+•][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>|```|~~~|\|)")
_FENCE = re.compile(r"[ \t]{0,3}(```+|~~~+)")


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of the text, exactly as it was (spaces too): ``start`` and ``end`` are its place in characters.

    ``code`` marks a fenced block: shown, not read out.
    """

    text: str
    start: int
    end: int
    code: bool = False


class ClauseCutter:
    """Feed text, get clauses. The clauses joined are the text, to the character."""

    def __init__(self) -> None:
        self._text = ""
        self._offset = 0
        self._scan = 0
        self._spoken = False

    @property
    def cut_to(self) -> int:
        """Characters handed out as clauses so far."""
        return self._offset

    def feed(self, text: str) -> list[Clause]:
        """Add text; returns the clauses that are now safe to speak."""
        self._text += text
        return self._drain(final=False)

    def finish(self) -> list[Clause]:
        """The text is over: returns what is left."""
        clauses = self._drain(final=True)
        if self._text:
            clauses.append(self._take(len(self._text)))
        return clauses

    def _drain(self, *, final: bool) -> list[Clause]:
        clauses: list[Clause] = []
        while self._text:
            cut = self._fence(final)
            if cut is None:
                cut = self._boundary(final)
            if not cut:
                break
            code = cut < 0
            clauses.append(self._take(abs(cut), code=code))
        return clauses

    def _take(self, length: int, *, code: bool = False) -> Clause:
        text, self._text = self._text[:length], self._text[length:]
        clause = Clause(text, self._offset, self._offset + length, code)
        self._offset += length
        self._scan = 0
        if not code and any(c.isalnum() for c in text):
            self._spoken = True
        return clause

    # --- code fences

    def _fence(self, final: bool) -> int | None:
        """At a fence: minus its length when it is closed, 0 while it is open, None where there is none."""
        opening = _FENCE.match(self._text.lstrip("\n"))
        if not opening:
            # Two backticks at the start of a line may become three.
            return 0 if not final and re.fullmatch(r"\s{0,3}(`{1,2}|~{1,2})", self._text) else None
        lead = len(self._text) - len(self._text.lstrip("\n"))
        closing = re.compile(rf"\n[ \t]{{0,3}}{re.escape(opening[1])}[`~]*[ \t]*(\n|\Z)").search(
            self._text, lead + opening.end()
        )
        if closing and (closing[1] or final):
            return -closing.end()
        return -len(self._text) if final else 0

    # --- ends of clauses

    def _boundary(self, final: bool) -> int:
        """Length of the first safe clause, 0 where none is safe yet."""
        text = self._text
        limit = LATER_COMMA if self._spoken else FIRST_COMMA
        i = self._scan
        while i < len(text):
            char = text[i]
            if char == "\n":
                cut = self._newline(i, final)
            elif char in _WIDE_ENDERS:
                cut = self._past_closers(i + 1)
            elif char in _ENDERS:
                cut = self._ender(i, final)
            elif char in _PAUSES and i + 1 >= limit:
                cut = self._pause(i)
            elif char == " " and i >= LONGEST:
                cut = i + 1
            else:
                cut = 0
            if cut is None:  # more text is needed to know
                self._scan = i
                return 0
            if cut:
                return cut
            i += 1
        self._scan = i
        return 0

    def _past_closers(self, i: int) -> int:
        while i < len(self._text) and self._text[i] in _CLOSERS + "」』）":
            i += 1
        return i

    def _newline(self, i: int, final: bool) -> int | None:
        """A line break ends a clause between paragraphs, and around list items, headings and fences."""
        text = self._text
        if not text[:i].strip():
            return 0
        rest = text[i + 1 :]
        if rest.startswith("\n") or text[:i].rstrip()[-1:] in _ENDERS + ":" + _WIDE_ENDERS:
            return i + 1
        line = text[:i].rsplit("\n", 1)[-1]
        if _BLOCK_START.match(line):
            return i + 1
        if not final and len(rest.lstrip(" \t")) < 4 and "\n" not in rest:
            return None
        return i + 1 if _BLOCK_START.match(rest) else 0

    def _ender(self, i: int, final: bool) -> int | None:
        text = self._text
        end = i + 1
        while end < len(text) and text[end] in _ENDERS:
            end += 1
        end = self._past_closers(end)
        if end >= len(text):
            return len(text) if final else None
        if not text[end].isspace():
            return 0
        after = end
        while after < len(text) and text[after] in " \t":
            after += 1
        if after >= len(text):
            return len(text) if final else None
        if self._inside_code(i):
            return 0
        follower = text[after]
        if follower == "\n":
            return end
        if text[i] == "." and not self._full_stop(i, follower):
            return 0
        if text[i] in "!?…" and follower.islower():
            return 0
        return after

    def _full_stop(self, i: int, follower: str) -> bool:
        """Whether the dot at ``i``, with ``follower`` the first character after the space, ends a sentence."""
        text = self._text
        if text[i + 1 : i + 2] == "." or text[i - 1 : i] == ".":
            return not follower.islower()
        line = text[:i].rsplit("\n", 1)[-1]
        if _LIST_MARKER.match(line + ". "):
            return False
        word = _WORD_BEFORE.search(text[:i])
        if word is None:
            return not follower.islower() or not text[i - 1 : i].isalnum()
        lower = word[1].lower()
        if lower in _OPEN_ABBREVIATIONS or (len(lower) == 1 and word[1].isupper() and lower != "i"):
            return False
        if lower in _NUMBER_ABBREVIATIONS:
            return not (follower.isdigit() or follower.islower())
        if lower in _CLOSED_ABBREVIATIONS or "." in lower:
            return not (follower.islower() or follower.isdigit())
        return True

    def _pause(self, i: int) -> int | None:
        text = self._text
        wide = text[i] in "،、，；："
        if i + 1 >= len(text):
            return i + 1 if wide else None
        if not wide and not text[i + 1].isspace():
            return 0
        if self._inside_code(i):
            return 0
        end = i + 1
        while end < len(text) and text[end] in " \t":
            end += 1
        return end

    def _inside_code(self, i: int) -> bool:
        """Inside `inline code`, as long as its backtick is not just a stray one."""
        last = self._text.rfind("`", 0, i)
        return self._text.count("`", 0, i) % 2 == 1 and i - last < 120
