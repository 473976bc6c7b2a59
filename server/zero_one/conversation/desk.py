"""What the conversations of a house share: questions that any of their devices may answer, and one word that stops all.

A question is spoken only where it came up; it is shown to every connected device that may approve, and the first valid
answer counts, wherever it was given.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from zero_one.conversation.tasks import Tasks
from zero_one.protocol.lmc import Message
from zero_one.safety.journal import Note, nothing_noted

if TYPE_CHECKING:
    from zero_one.conversation.questions import Questions


class Member(Protocol):
    """A conversation, as the others know it."""

    device: str

    @property
    def questions(self) -> Questions: ...

    @property
    def approvers(self) -> bool:
        """Whether a connected device of it may approve."""

    def show_approvers(self, message: Message) -> None:
        """Show it on the devices that may approve."""

    async def halt(self, by: str, *, here: bool) -> list[str]:
        """Stop everything it does, at once; ``by`` says who wanted it, ``here`` that it was its own device.

        Returns what was stopped, in words, when all of it is gone."""


class Desk:
    """``enter`` and ``leave``: a conversation begins, and is over."""

    def __init__(self, note: Note = nothing_noted) -> None:
        self._note = note
        self._members: list[Member] = []
        self._tasks = Tasks("the house")

    def enter(self, member: Member) -> None:
        self._members.append(member)

    def leave(self, member: Member) -> None:
        self._members.remove(member)

    # --- questions

    @property
    def attended(self) -> bool:
        """Whether anybody who may approve is connected, anywhere."""
        return any(member.approvers for member in self._members)

    def tell_others(self, questions: Questions, message: Message) -> None:
        for member in self._members:
            if member.questions is not questions:
                member.show_approvers(message)

    def asked_elsewhere(self, questions: Questions) -> list[Message]:
        """The questions of other conversations that are open now."""
        others = [member.questions for member in self._members if member.questions is not questions]
        return [other.open.message(own=False) for other in others if other.open is not None]

    def with_open(self, ident: str) -> Questions | None:
        """Where the question of this id is open."""
        found = (member.questions for member in self._members)
        return next((its for its in found if its.open is not None and its.open.id == ident), None)

    def unattended(self) -> None:
        """A device left: where nobody is there any more who could answer, the answer is no."""
        if not self.attended:
            for member in self._members:
                member.questions.refuse("nobody is there any more who could answer")

    # --- stopping

    def begin_to_stop(self, by: str, origin: Member | None) -> None:
        self._tasks.spawn(self.stop_everything(by, origin))

    async def stop_everything(self, by: str, origin: Member | None = None) -> list[str]:
        """Stop all that is being done in every conversation. ``by`` says who wanted it, ``origin`` whose device.

        Returns what was stopped, when all of it is gone: no model call, no process, no sound, no open question.
        """
        halts = [member.halt(by, here=member is origin) for member in list(self._members)]
        stopped = [what for each in await asyncio.gather(*halts) for what in each]
        self._note("stopped", origin.device if origin is not None else "", {"by": by, "what": stopped})
        return stopped

    async def close(self) -> None:
        await self._tasks.close()
