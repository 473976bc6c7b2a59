"""The one interface of every language that can be run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["output", "result", "image", "error", "exit"]


@dataclass(frozen=True, slots=True)
class Output:
    """A piece of what a run produced.

    ``output`` is text as it was printed (stdout and stderr as they came), ``result`` the value of the last expression,
    ``image`` a base64 PNG, ``error`` a traceback or a plain reason, ``exit`` the last piece of a run: its content is the
    exit status as a decimal string ("0" means success; Python errors are "1", a time-out "124", an interrupt "130").
    """

    kind: Kind
    content: str


class Language(Protocol):
    """One language in one conversation; state (variables, working folder) lives as long as it does."""

    name: str
    aliases: tuple[str, ...]

    def run(self, code: str, *, timeout_s: float) -> AsyncIterator[Output]:
        """Run code, yielding pieces as they come, ``exit`` last. Closing the iterator interrupts the run."""

    async def interrupt(self) -> None:
        """Stop what runs now; state is kept where the language can keep it."""

    async def close(self) -> None: ...
