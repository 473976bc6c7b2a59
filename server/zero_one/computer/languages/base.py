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
    """What is used of ``safety.risk.model.Effect``: a kind ("write", "delete", "send", …) and its target in words."""

    @property
    def kind(self) -> str: ...

    @property
    def what(self) -> str: ...


class Needs(Protocol):
    """What is used of ``safety.risk.model.Verdict``: the effects of an act that was ruled to run, or was agreed to."""

    @property
    def effects(self) -> Sequence[Effect]: ...


Wrap = Callable[[list[str], Path], list[str]]
"""``wrap(argv, runtime_folder)``: the command that runs ``argv`` in a sandbox which shows it ``runtime_folder``."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a language runs: the conversation's folder (its working folder), and the way back to the host's hands."""

    folder: Path
    call: Call
    pool: KernelPool | None = None


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
