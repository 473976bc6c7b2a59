"""One turn: a request and everything said in answer to it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from uuid import uuid4

from zero_one.conversation.clauses import ClauseCutter
from zero_one.conversation.mailbox import Slip
from zero_one.conversation.spans import Spans
from zero_one.identity.access import Caller
from zero_one.interpreter.base import Run
from zero_one.interpreter.history import History


@dataclass(slots=True)
class Part:
    """One assistant message within the turn's text: its id in the history, where it starts, how long it is."""

    id: str | None
    start: int
    length: int = 0


@dataclass(eq=False, slots=True)
class Turn:
    """``text`` is all that the assistant has said in it; ``heard`` how many of its characters were heard, once its
    speech was cut off (None while it was not). ``muted``: nothing more of it is spoken. ``over``: a newer request or a
    stop took its place; ``stopped``: it was a stop. ``caller``: who asked. ``slips``: what its request came as and
    is not confirmed yet. ``late``: what its code printed since then."""

    spans: Spans
    id: str = field(default_factory=lambda: uuid4().hex[:12])
    text: str = ""
    cutter: ClauseCutter = field(default_factory=ClauseCutter)
    parts: list[Part] = field(default_factory=list)
    heard: int | None = None
    muted: bool = False
    over: bool = False
    stopped: bool = False
    failed: bool = False
    acting: bool = False
    done: bool = False
    caller: Caller | None = None
    slips: list[Slip] = field(default_factory=list)
    late: str | None = None
    run: Run | None = None
    task: asyncio.Task[None] | None = None

    def begin(self, message_id: str | None) -> None:
        self.parts.append(Part(message_id, len(self.text)))

    def add(self, text: str) -> None:
        self.text += text
        if self.parts:
            self.parts[-1].length += len(text)

    def mute(self, heard: int) -> None:
        """Its speech was cut off after ``heard`` characters."""
        self.muted = True
        self.heard = heard if self.heard is None else min(self.heard, heard)

    def cut(self, history: History) -> None:
        """Make the history what was heard. Safe to call again when the history has grown."""
        if self.heard is None:
            return
        for part in self.parts:
            if part.id is not None and self.heard < part.start + part.length:
                history.cut_heard(part.id, max(0, self.heard - part.start))
