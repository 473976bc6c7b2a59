"""A turn of the interpreter with a scripted model, a machine and hands that only remember, and everybody's notes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.fake_model import FakeHands, FakeMachine, FakeModel, call, finished
from support.talking import Approver, all_of, user
from zero_one.config.settings import ApprovalSettings, Settings
from zero_one.identity.access import Caller, owner
from zero_one.interpreter.assembly import ToolCall
from zero_one.interpreter.base import Question
from zero_one.interpreter.history import History
from zero_one.interpreter.loop import ModelInterpreter
from zero_one.interpreter.model import Text
from zero_one.interpreter.witness import Nobody
from zero_one.protocol.lmc import Message
from zero_one.safety.redact import Redactor
from zero_one.safety.rules import Rules

KEYLESS = Caller("box", "a box without a key")
PAIRED = Caller("phone", "Ann's phone", frozenset({"speak", "captions", "approve"}), keyless=False, paired="a1")
OWNER = owner("desk")


@dataclass
class KeptFiles:
    left_out: tuple[str, ...] = ()
    problem: str = ""
    touched: tuple[str, ...] = ()


@dataclass
class Recorder(Nobody):
    """Remembers what it was told; undo works unless ``problem`` or ``left_out`` say otherwise."""

    notes: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    watched: list[tuple[list[Path], str]] = field(default_factory=list)
    problem: str = ""
    left_out: tuple[str, ...] = ()
    redactor: Redactor = field(default_factory=lambda: Redactor(["sk-not-for-you"]))

    def note(self, kind: str, device: str, **details: Any) -> None:
        self.notes.append((kind, device, details))

    @asynccontextmanager
    async def undo_around(
        self, roots: Iterable[Path], turn: str, label: str, *, device: str = "", home: Path | None = None
    ) -> AsyncIterator[KeptFiles]:
        self.watched.append((list(roots), label))
        yield KeptFiles(self.left_out, self.problem)

    def kinds(self) -> list[str]:
        return [kind for kind, _, _ in self.notes]


@dataclass
class Desk:
    """One conversation. ``do`` is a turn in which the model wants these acts and then says something."""

    home: ModelInterpreter
    model: FakeModel
    machine: FakeMachine
    hands: FakeHands
    witness: Recorder
    rules: Rules
    approver: Approver = field(default_factory=Approver)

    async def do(
        self, *acts: str | ToolCall, request: str = "do it", caller: Caller = OWNER, words: str = "Done."
    ) -> list[Message]:
        """Each act is an answer of its own, in shell or as a call."""
        answers = [[finished(call(act, f"c{n}") if isinstance(act, str) else act)] for n, act in enumerate(acts)]
        self.model.answers = [*answers, [Text(words), finished()]]
        return await all_of(self.home.respond(user(request), self.approver, caller=caller))

    @property
    def questions(self) -> list[Question]:
        return self.approver.questions

    def told(self) -> str:
        """All that the model was given last."""
        return "\n".join(str(message.get("content")) for message in self.model.asked[-1])


Open = Callable[..., Desk]


def opener(folder: Path) -> Open:
    """``open(auto_run=True, …)`` opens a conversation with these settings of ``approval``."""

    def make(history: History | None = None, window: int = 16_000, **approval: Any) -> Desk:
        model, hands = FakeModel([]), FakeHands()
        model.known = model.known.__class__(window, True, False)
        machine = FakeMachine(folder / "work", hands=hands)
        witness, rules = Recorder(), Rules(folder / "trust" / "rules.json")
        settings = Settings(approval=ApprovalSettings(**approval))
        home = ModelInterpreter(
            model, machine, hands, history if history is not None else History(), settings, witness=witness, rules=rules
        )
        return Desk(home, model, machine, hands, witness, rules)

    return make
