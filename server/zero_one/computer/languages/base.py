"""The one interface of every language that can be run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

if TYPE_CHECKING:
    from zero_one.computer.languages.pool import KernelPool

Kind = Literal["output", "result", "image", "error", "exit"]

TIMED_OUT = "124"
"""Exit status of a run that was stopped at its time limit, as ``timeout(1)`` gives it."""
ENDED = {
    121: "it started too many processes",
    122: "it used too much memory",
    123: "the disk was nearly full",
}
"""Exit statuses of a sandbox that ended its program, and why."""
INTERRUPTED = "130"
"""Exit status of a run that was interrupted: 128 + SIGINT, as shells give it."""


@dataclass(frozen=True, slots=True)
class Output:
    """A piece of what a run produced.

    ``output`` is text as it was printed (stdout and stderr as they came), ``result`` the value of the last expression,
    ``image`` a base64 PNG, ``error`` a traceback or a plain reason, ``exit`` the last piece of a run: its content is
    the exit status as a decimal string ("0" is success; Python errors are "1", a time-out "124", an interrupt "130").
    """

    kind: Kind
    content: str


Call = Callable[[str, list[Any], dict[str, Any]], Awaitable[Any]]
"""``await call("mouse.click", [10, 20], {"button": "left"})``: what code inside a language asks of ``computer.*``, with
its arguments by position and by name. The gate stands behind it."""


class Effect(Protocol):
    """What is used of ``safety.risk.model.Effect``: a kind ("write", "delete", "send", …), its target in words (or a
    path, where ``file``), how bad it would be (0: not at all), and whether we can put it back."""

    @property
    def kind(self) -> str: ...

    @property
    def what(self) -> str: ...

    @property
    def risk(self) -> int: ...

    @property
    def undoable(self) -> bool: ...

    @property
    def file(self) -> bool: ...


class Needs(Protocol):
    """What is used of ``safety.risk.model.Verdict``: the effects of an act that was ruled to run, or was agreed to."""

    @property
    def effects(self) -> Sequence[Effect]: ...


Wrap = Callable[[list[str], Path], list[str]]
"""``wrap(argv, runtime_folder)``: the command that runs ``argv`` in a sandbox which shows it ``runtime_folder``; of
that, only its folder ``cell`` can be written there, so that nothing in there can be a trap for us."""


@dataclass(frozen=True, slots=True)
class Scope:
    """What a run may change: the conversation's folder and ``write`` (folders and files), or anything: ``outside``."""

    write: frozenset[Path] = frozenset()
    outside: bool = False

    @property
    def inside(self) -> bool:
        """Whether it is the scope of every run that needs nothing."""
        return not self.write and not self.outside


@dataclass(frozen=True, slots=True)
class Reach:
    """Which part of the network a run may reach: none, named public hosts, or all that is public.

    ``private`` are hosts of this machine or network ("printer.local", "10.0.0.5:631") that the profile names.
    """

    hosts: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    public: bool = False


class Cell(Protocol):
    """One sandbox, or the lack of one, for one language of one conversation."""

    @property
    def wrap(self) -> Wrap | None: ...

    def reach(self, reach: Reach) -> None:
        """Open and close the network for it, from now on; connections that are no longer allowed end."""

    def explain(self, text: str) -> str:
        """A line to be added when ``text``, the end of a failed run's output, shows that the sandbox was in its way."""

    async def stale(self) -> bool:
        """Whether it shows what it should no longer show: a new one has to take its place."""

    async def close(self) -> None: ...


class Cells(Protocol):
    """Where the code of one conversation runs; ``safety.cells`` has the real ones."""

    @property
    def sandboxed(self) -> bool: ...

    def scope(self, needs: Needs | None, code: str, folder: Path) -> Scope:
        """What a run of this code in this folder may change, by the verdict that was ruled over."""

    def reach(self, needs: Needs | None, code: str, network: bool) -> Reach:
        """What of the network that run may reach."""

    async def open(self, scope: Scope) -> Cell: ...

    def lacks(self) -> str:
        """In words, what code in here cannot have; for the model."""

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a language runs: the conversation's folder (its working folder), and the way back to the host's hands.

    ``wrap`` puts what it starts into a sandbox. ``wider``: that lets more be done than the conversation's usual one,
    and ``outside``: it runs in none although the conversation has one; nothing that sandboxed code wrote may steer it.
    """

    folder: Path
    call: Call
    pool: KernelPool | None = None
    wrap: Wrap | None = None
    wider: bool = False
    outside: bool = False


Imports = Literal["first", "last", "none"]
"""When a Python finds modules of the working folder: before those that are installed, after them, or not at all."""


class KernelDied(RuntimeError):
    """A kernel's process is gone or never came up."""


class Language(Protocol):
    """One language in one conversation; state (variables, working folder) lives as long as it does."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]

    def __init__(self, place: Place) -> None: ...

    @classmethod
    def available(cls) -> bool:
        """Whether this machine has what the language needs."""

    def run(self, code: str, *, timeout_s: float) -> AsyncIterator[Output]:
        """Run code, yielding pieces as they come, ``exit`` last. Closing the iterator interrupts the run."""

    async def interrupt(self) -> None:
        """Stop what runs now; state is kept where the language can keep it."""

    async def close(self) -> None: ...
