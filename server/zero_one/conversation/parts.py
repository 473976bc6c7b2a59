"""What a conversation is made of, for those of its parts that work with most of the others."""

from __future__ import annotations

from dataclasses import dataclass

from zero_one.conversation import phrases
from zero_one.conversation.audience import Audience
from zero_one.conversation.brain import Brain
from zero_one.conversation.desk import Desk
from zero_one.conversation.hearing import Hearing
from zero_one.conversation.links import Link
from zero_one.conversation.memory import Memory
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.questions import Questions
from zero_one.conversation.services import Services
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turns import Turns
from zero_one.identity.access import Caller
from zero_one.protocol.events import Typed
from zero_one.protocol.lmc import Message


@dataclass(frozen=True, slots=True)
class Parts:
    device: str
    services: Services
    desk: Desk
    tasks: Tasks
    audience: Audience
    memory: Memory
    mouth: Mouth
    questions: Questions
    turns: Turns
    brain: Brain
    hearing: Hearing

    def caller(self, link: Link | None) -> Caller:
        """Who is there; without a link nobody knows, and that one may only speak."""
        return link.caller if link is not None else Caller(self.device)

    def wrong(self, link: Link | None, text: str) -> None:
        """Tell one device what it may not, or did wrong."""
        self.audience.tell(link, Message("server", "error", content=text))

    def may_not_approve(self, link: Link | None) -> None:
        self.wrong(link, phrases.MAY_NOT_APPROVE)

    def note(self, kind: str, caller: Caller | None, text: str) -> None:
        """Into the audit log: what was heard or typed, and by whom."""
        if text:
            by = caller.name or caller.device if caller is not None else self.device
            self.services.note(kind, self.device, {"text": text, "by": by})

    def not_taken(self, event: Typed, caller: Caller) -> str:
        """Why a typed message is not taken from this device, or nothing."""
        if not caller.may("speak"):
            return phrases.MAY_NOT_SPEAK
        local = not caller.paired and not caller.keyless
        return phrases.NO_PATHS if not local and any(format_ == "path" for format_, _ in event.images) else ""
