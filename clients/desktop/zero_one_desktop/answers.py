"""The questions that are open, and what a typed line says to one. No clear yes is a no, and nothing is a no."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message

_NO = re.compile(r"^\s*(?:no|n|nope|nein|non)\b[\s,.;:!-]*(?:but\b[\s,:]*)?(?P<but>.*)$", re.IGNORECASE | re.DOTALL)
_YES = frozenset({"y", "yes", "yeah", "yep", "ok", "okay", "sure", "do it", "go ahead"})
_ALWAYS = frozenset({"always", "yes always", "yes, always", "always allow", "always allow this"})
_EDIT = re.compile(r"^\s*edit\b[ \t]*(?P<code>.*)$", re.IGNORECASE | re.DOTALL)
END_OF_CODE = "."

Needed = Literal["any", "press", "hold"]
"""What agrees: anything, a hand, or a deliberate hand."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question as the terminal shows it. ``word``: only that, typed, agrees. ``own``: it belongs to what was
    said to this device; otherwise ``device`` says to whose. ``say``: words that agree when they are spoken."""

    id: str
    question: str
    language: str = ""
    code: str = ""
    cwd: str = ""
    risk: str = ""
    effects: tuple[str, ...] = ()
    reason: str = ""
    expires_s: int = 0
    hand: Needed = "any"
    word: str = ""
    say: str = ""
    answers: tuple[str, ...] = ()
    own: bool = True
    device: str = ""

    @property
    def typed_yes(self) -> str:
        """What is typed to agree. A server that names no word wants the whole word yes for what destroys."""
        return self.word or ("yes" if self.risk == "destroy" else "y")

    @property
    def prompt(self) -> str:
        return self.how()

    def how(self, *, button: bool = True) -> str:
        """How to answer it; ``button``: there is one to hold."""
        button = button and self.own
        ways = [f"type {self.typed_yes}"]
        if button:
            ways += ["hold the button for 2 s"] if self.hand != "any" else ["say yes", "hold the button for 2 s"]
            ways += [f"say “{self.say}”"] if self.say else []
        more = [word for word, offered in (("always", "always"), ("edit", "edit")) if offered in self.answers]
        also = f" You may also type {' or '.join(more)}." if more else ""
        no = "a tap, n, or Enter alone is no" if button else "n or Enter alone is no"
        left = f" Answer within {self.expires_s} s." if self.expires_s else ""
        return f"To agree, {', or '.join(ways)}; {no}; “no, but …” corrects it.{also}{left}"


@dataclass(slots=True)
class Questions:
    """The questions that are open, by id. What is typed answers this device's own, or else the newest."""

    _open: dict[str, Asked] = field(default_factory=dict)
    _editing: Asked | None = None
    _lines: list[str] = field(default_factory=list)
    _too_late: bool = False

    @property
    def own(self) -> Asked | None:
        """The question about what was said to this device."""
        return next((one for one in reversed(self._open.values()) if one.own), None)

    @property
    def asked(self) -> Asked | None:
        return self.own or next(reversed(self._open.values()), None)

    def show(self, message: Message) -> Asked | None:
        """Take an approval message. The new question, or None when it only closed one."""
        content: dict[str, Any] = message.content if isinstance(message.content, dict) else {}
        ident = message.id or str(content.get("id") or "")
        if message.end:
            self.close(ident or next(reversed(self._open), ""))
            return None
        asked = _read(ident, content)
        # One that is asked again, with other words to say, is the newest.
        self._open.pop(ident, None)
        self._open[ident] = asked
        return asked

    def close(self, ident: str) -> Asked | None:
        """It was answered, here or elsewhere."""
        gone = self._open.pop(ident, None)
        if gone is not None and gone is self._editing:
            # What is still typed of the code is neither an answer nor a request.
            self._editing, self._too_late = None, True
        return gone

    def forget(self) -> None:
        """The link is down: whatever is still open will be shown again."""
        for ident in list(self._open):
            self.close(ident)

    def answer(self, line: str) -> Answer | str | None:
        """What a typed line says to the open question: an answer, or what to tell who typed it; None where none is
        open. Answered here it is over here; where that was not enough, the server goes on asking."""
        if self._too_late:
            self._too_late = line.strip() != END_OF_CODE
            return "" if self._too_late else "The question is over already; the code that you typed goes nowhere."
        asked = self._editing or self.asked
        if asked is None:
            return None
        if self._editing is not None:
            if line.strip() != END_OF_CODE:
                self._lines.append(line)
                return ""
            code, self._editing = "\n".join(self._lines), None
        else:
            edit = _EDIT.match(line) if "edit" in asked.answers else None
            if edit is None:
                given = read_answer(asked, line)
                if not asked.own and isinstance(given, Answer) and given.but == line.strip():
                    return None  # a request of our own, not a correction for another room
                if isinstance(given, Answer):
                    self._open.pop(asked.id, None)
                return given
            code = edit["code"].strip()
            if not code:
                self._editing, self._lines = asked, []
                return f"Type the code as it should be, then a line with only “{END_OF_CODE}”."
        self._open.pop(asked.id, None)
        return Answer(asked.id, "edit", code=code) if code.strip() else Answer(asked.id, "no")


def read_answer(asked: Asked, line: str) -> Answer | str:
    """Yes only for a clear yes; what is neither yes nor no is a no whose words go back as a correction.

    A plain yes where a certain word is asked for is neither; what is asked for comes back as a text.
    """
    said = line.strip()
    plain = said.lower().strip(" .!")
    if asked.word:
        if plain == asked.word.casefold():
            return Answer(asked.id, "yes", word=asked.word)
        if plain in _YES or plain in _ALWAYS:
            return f"A yes is not enough for this. Type {asked.word} to agree, or n."
    elif plain == "yes" or (asked.risk != "destroy" and plain in _YES):
        return Answer(asked.id, "yes")
    elif plain in _ALWAYS and "always" in asked.answers:
        return Answer(asked.id, "yes", remember=True)
    if not said or plain in _YES or plain in _ALWAYS:
        return Answer(asked.id, "no")
    match = _NO.match(said)
    but = match.group("but").strip() if match else said
    return Answer(asked.id, "no", but or None)


def _read(ident: str, content: dict[str, Any]) -> Asked:
    def text(name: str) -> str:
        value = content.get(name)
        return value if isinstance(value, str) else ""

    def texts(name: str) -> tuple[str, ...]:
        value = content.get(name)
        return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()

    seconds = content.get("expires", content.get("timeout_s", 0))
    needed: Needed = "hold" if content.get("hand") == "hold" else "press" if content.get("hand") == "press" else "any"
    return Asked(
        ident, text("question") or "May I do this?", text("language"), text("code"), text("cwd"), text("risk"),
        texts("effects"), text("reason"), int(seconds) if isinstance(seconds, int | float) and 0 < seconds < 1e6 else 0,
        needed, text("word"), text("say"), texts("answers"), content.get("own") is not False, text("device"),
    )  # fmt: skip
