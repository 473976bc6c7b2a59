"""Code in the answers of models that cannot call tools: fenced blocks in a streamed text.

A block is run only when the model clearly asks for it: its opening fence stands at the very start of a line, its info
string holds the word ``run`` (```` ```python run ````), and it is closed. A block inside another, in a list, in a
quotation or in an indented passage never runs. Fences follow CommonMark 0.31, section 4.5. The one exception is
``clearly_meant``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

MARK = "run"

_FENCE = re.compile(r"^(?P<before>(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*)(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_MAY_BE_FENCE = re.compile(r"^(?:[ \t]|>|[-*+](?:[ \t]|$)|\d{1,9}(?:[.)](?:[ \t]|$)|$))*(?:`{0,2}$|~{0,2}$|`{3}|~{3})")


@dataclass(frozen=True, slots=True)
class Prose:
    """Text to be said and shown, blocks that do not run included."""

    text: str


@dataclass(frozen=True, slots=True)
class Wanted:
    """A closed block that asks to be run. ``language`` is as the resolver named it."""

    language: str
    code: str


@dataclass(frozen=True, slots=True)
class Offered:
    """A closed, unmarked block in a language that could run, at the end of an answer: perhaps it was meant to run.

    ``shown`` is its text as prose, for when it was not.
    """

    language: str
    code: str
    shown: str


@dataclass(frozen=True, slots=True)
class Unrunnable:
    """The model asked for something that cannot run; ``why`` is for the model."""

    why: str


Event = Prose | Wanted | Offered | Unrunnable


@dataclass(slots=True)
class _Block:
    fence: str
    language: str | None  # None: a quotation, or a language that cannot run here
    wanted: bool
    top: bool
    lines: list[str]
    code: list[str]

    def closed_by(self, line: str) -> bool:
        found = _FENCE.match(line)
        if found is None or found["info"].strip() or found["fence"][0] != self.fence[0]:
            return False
        if self.top and (found["before"].strip() or len(found["before"].expandtabs(4)) > 3):
            return False
        return len(found["fence"]) >= len(self.fence)


class FenceReader:
    """Reads a streamed answer. ``resolve`` turns an info string's language into one that can run, or None."""

    def __init__(self, resolve: Callable[[str], str | None]) -> None:
        self._resolve = resolve
        self._line = ""
        self._passing = False  # the current line is prose and passes on as it comes
        self._block: _Block | None = None
        self._held: list[str] = []  # an unmarked block and blank lines after it, until it is known what follows
        self._offer: Offered | None = None

    def feed(self, text: str) -> list[Event]:
        """Take a piece of the answer in. After a ``Wanted`` nothing more is to be fed: the model waits for output."""
        events: list[Event] = []
        for piece in text.splitlines(keepends=True) if "\r" not in text else _lines(text):
            self._line += piece
            if piece.endswith("\n"):
                line, self._line = self._line, ""
                passing, self._passing = self._passing, False
                events += [Prose(line)] if passing else self._take(line)
            elif self._passing:
                events.append(Prose(self._line))
                self._line = ""
            elif self._block is None and not _MAY_BE_FENCE.match(self._line):
                events += self._release()
                events.append(Prose(self._line))
                self._line, self._passing = "", True
        return _joined(events)

    def finish(self) -> list[Event]:
        """The answer is over."""
        events: list[Event] = []
        if self._line:
            line, self._line = self._line, ""
            events += [Prose(line)] if self._passing else self._take(line)
        block, self._block = self._block, None
        if block is not None:
            self._offer = None
            events += [Prose("".join([*self._held, *block.lines]))]
            if block.wanted:
                events.append(Unrunnable("The block was not closed, so it was not run. Write it again, whole."))
        else:
            offer, shown = self._offer, "".join(self._held)
            if offer is not None:
                events.append(replace(offer, shown=shown))
            elif shown:
                events.append(Prose(shown))
            self._held, self._offer = [], None
        return _joined(events)

    def _take(self, line: str) -> list[Event]:
        bare = line.rstrip("\r\n")
        if self._block is None:
            opened = self._open(bare, line)
            if opened is not None:
                events = self._release()
                self._block = opened
                return events
            if self._held and not bare.strip():
                self._held.append(line)
                return []
            return [*self._release(), Prose(line)]
        block = self._block
        block.lines.append(line)
        if not block.closed_by(bare):
            block.code.append(line)
            return []
        self._block = None
        return self._closed(block)

    def _open(self, bare: str, line: str) -> _Block | None:
        found = _FENCE.match(bare)
        if found is None or (found["fence"][0] == "`" and "`" in found["info"]):
            return None
        words = [word.strip("{}.,;:") for word in re.split(r"[\s:,]+", found["info"].strip()) if word.strip("{}.,;:")]
        wanted = MARK in (word.lower() for word in words)
        names = [word for word in words if word.lower() != MARK]
        top = not found["before"]
        name = names[0] if names else ""
        return _Block(found["fence"], self._resolve(name) if name else None, wanted, top, [line], [name])

    def _closed(self, block: _Block) -> list[Event]:
        name, *lines = block.code
        code = "".join(lines)
        shown = "".join(block.lines)
        if block.wanted and block.top and block.language and code.strip():
            return [Wanted(block.language, code.rstrip("\r\n"))]
        if block.wanted and not block.top:
            return [
                Prose(shown),
                Unrunnable("A block that is to be run must begin at the start of a line. It was not run."),
            ]
        if block.wanted and code.strip():
            return [Prose(shown), Unrunnable(f"{name or 'A block without a language'} cannot be run here.")]
        if block.top and block.language and code.strip():
            self._held, self._offer = [shown], Offered(block.language, code.rstrip("\r\n"), shown)
            return []
        return [Prose(shown)]

    def _release(self) -> list[Event]:
        held, self._held, self._offer = self._held, [], None
        return [Prose("".join(held))] if held else []


def _lines(text: str) -> list[str]:
    return [part for part in re.split(r"(?<=\n)", text) if part]


def _joined(events: list[Event]) -> list[Event]:
    out: list[Event] = []
    for event in events:
        if isinstance(event, Prose) and out and isinstance(out[-1], Prose):
            out[-1] = Prose(out[-1].text + event.text)
        elif not isinstance(event, Prose) or event.text:
            out.append(event)
    return out


_ACTING = re.compile(
    r"\b(let me|let's|i('ll| will| am going to|'m going to)|one moment|first,? i|now i)\b|"
    r"\b(runn?|check|look|list|open|read|count|search|find|gett?|fetch|creat|calculat|comput|start|writ|sav|mov|copy|"
    r"download|play|sett?|tak|mak|try|do|work)ing\b",
    re.I,
)
_EXPLAINING = re.compile(
    r"\b(show|explain|example|for instance|such as|looks? like|like (this|so)|would (be|look)|how to|if you|"
    r"you (can|could|would|should|might|need|must)|use (this|the following)|here('s| is) (how|the|a|what|an)|"
    r"(don't|do not|never) run)\b",
    re.I,
)
_WANTS_TO_SEE = re.compile(
    r"\b(show|write|give|read|print|spell|dictate)\b.{0,30}"
    r"\b(code|script|snippet|function|program|command|example|line|query)|"
    r"\b(how (do|does|would|can|could|should|to|is)|explain|what('s| is| does| would) (the )?(code|command|this|that)|"
    r"example|teach|don't run|without running)\b",
    re.I,
)


def clearly_meant(request: str, before: str) -> bool:
    """Whether an unmarked block that ends an answer is an act and not an illustration.

    ``before`` is the answer's prose up to it, ``request`` what the user asked. In doubt it is an illustration.
    """
    if _WANTS_TO_SEE.search(request):
        return False
    last = before.strip().split("\n\n")[-1]
    if _EXPLAINING.search(last):
        return False
    return not before.strip() or bool(_ACTING.search(last))
