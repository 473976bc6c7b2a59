"""A typed answer to an approval question. No clear yes is a no, and nothing is a no."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message

_NO = re.compile(r"^\s*(?:no|n|nope|nein|non)\b[\s,.;:!-]*(?:but\b[\s,:]*)?(?P<but>.*)$", re.IGNORECASE | re.DOTALL)
_YES = frozenset({"y", "yes", "yeah", "yep", "ok", "okay", "sure", "do it", "go ahead"})


@dataclass(frozen=True, slots=True)
class Asked:
    """An open question as the terminal shows it. ``deliberate``: only the whole word yes agrees."""

    id: str
    question: str
    language: str = ""
    code: str = ""
    cwd: str = ""
    risk: str = ""
    effects: tuple[str, ...] = ()
    reason: str = ""
    expires_s: int = 0

    @property
    def deliberate(self) -> bool:
        return self.risk == "destroy"

    @property
    def prompt(self) -> str:
        agree = "yes, in full" if self.deliberate else "y"
        left = f" within {self.expires_s} s" if self.expires_s else ""
        return f"{agree} agrees; n, or “no, but …” to correct it; Enter alone is no. Answer{left}:"


@dataclass(slots=True)
class Questions:
    """The question that is open, if any; the newest one counts."""

    asked: Asked | None = field(default=None)

    def show(self, message: Message) -> Asked | None:
        """Take an approval message. The new question, or None when it only closed one."""
        content: dict[str, Any] = message.content if isinstance(message.content, dict) else {}
        ident = message.id or str(content.get("id") or "")
        if message.end:
            if self.asked is not None and self.asked.id in (ident, ""):
                self.asked = None
            return None
        effects = content.get("effects")
        seconds = content.get("expires", content.get("timeout_s", 0))
        self.asked = Asked(
            ident,
            str(content.get("question") or "May I do this?"),
            str(content.get("language") or ""),
            str(content.get("code") or ""),
            str(content.get("cwd") or ""),
            str(content.get("risk") or ""),
            tuple(str(one) for one in effects) if isinstance(effects, list) else (),
            str(content.get("reason") or ""),
            int(seconds) if isinstance(seconds, int | float) and 0 < seconds < 1e6 else 0,
        )
        return self.asked

    def answer(self, line: str) -> Answer | None:
        """What a typed line says to the open question; None where none is open."""
        if self.asked is None:
            return None
        asked, self.asked = self.asked, None
        return read_answer(asked, line)


def read_answer(asked: Asked, line: str) -> Answer:
    """Yes only for a clear yes; what is neither yes nor no is a no whose words go back as a correction."""
    said = line.strip()
    plain = said.lower().strip(" .!")
    if plain == "yes" or (not asked.deliberate and plain in _YES):
        return Answer(asked.id, "yes")
    if not said or plain in _YES:
        return Answer(asked.id, "no")
    match = _NO.match(said)
    but = match.group("but").strip() if match else said
    return Answer(asked.id, "no", but or None)
