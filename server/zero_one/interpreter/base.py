"""What a conversation needs to know of the interpreter."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from zero_one.identity.access import Caller
from zero_one.protocol.events import Hand
from zero_one.protocol.lmc import Message
from zero_one.safety.policy import Hand as NeededHand


@dataclass(frozen=True, slots=True)
class Question:
    """An approval question about one piece of code or one tool call, paraphrased by code, not by the model.

    ``hand`` is how a yes must be given at least; ``may_remember``: "always" is a possible answer.
    """

    text: str
    language: str
    code: str
    cwd: str
    risk: str = "change"
    effects: tuple[str, ...] = ()
    reason: str = ""
    answers: tuple[str, ...] = ("yes", "no", "edit")
    hand: NeededHand = "any"
    may_remember: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer. ``but`` goes back to the model as a correction; ``code`` replaces what would have run.

    ``hand`` is how it was given and ``by`` the name of the device that gave it. ``remember``: allow this always.
    """

    approved: bool
    but: str | None = None
    code: str | None = None
    reason: str = ""
    hand: Hand = "voice"
    by: str = ""
    remember: bool = False


Approver = Callable[[Question], Awaitable[Decision]]


class Run(Protocol):
    """One turn of the model loop, from the request to the last word.

    Iterating yields streamed LMC messages: assistant ``message`` (to be spoken), assistant ``code``, computer
    ``console`` and ``image``, server ``status`` and ``error``. The history is written as they happen.
    """

    def __aiter__(self) -> AsyncIterator[Message]: ...

    def hush(self) -> None:
        """The user spoke over the answer: drop the model call at once, let running code finish into the history."""

    async def cancel(self) -> None:
        """Stop everything, code too. Returns when all of it is gone."""


class Interpreter(Protocol):
    """One per conversation. Its kernels and history belong to that conversation alone."""

    def respond(
        self, request: Message, approve: Approver, *, images: tuple[Message, ...] = (), caller: Caller | None = None
    ) -> Run:
        """Begin a turn. The request is appended to the history. ``caller`` None: the owner at this machine."""

    async def close(self) -> None: ...
