"""The front of a conversation, as an answer in the making sees it (``brain.Stage``): what is shown, said and asked."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from zero_one.commands.base import Reply
from zero_one.conversation import phrases
from zero_one.conversation.audience import Audience
from zero_one.conversation.memory import Memory
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.questions import Questions
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turn import Turn
from zero_one.interpreter.base import Decision, Question
from zero_one.protocol.lmc import Message

_LATE_CHARS = 200


class Front:
    """``announce`` speaks up when there is room; ``settle`` is told of every change."""

    def __init__(
        self,
        device: str,
        audience: Audience,
        mouth: Mouth,
        questions: Questions,
        memory: Memory,
        tasks: Tasks,
        announce: Callable[[str], Awaitable[None]],
        settle: Callable[[], None],
    ) -> None:
        self.device, self.settle = device, settle
        self._audience, self._mouth, self._questions = audience, mouth, questions
        self._memory, self._tasks, self._announce = memory, tasks, announce

    def show(self, message: Message) -> None:
        self._audience.show(message)

    def tell(self, turn: Turn, text: str, *, final: bool = False) -> None:
        self._mouth.tell(turn, text, final=final)

    def trouble(self, where: str, text: str, *, shown: bool = False) -> None:
        self._mouth.trouble(where, text, shown=shown)

    async def ask(self, turn: Turn, question: Question) -> Decision:
        if turn.over:
            return Decision(False, reason="the user began something else")
        return await self._questions.ask(question)

    def refuse(self, reason: str) -> None:
        self._questions.refuse(reason)

    def effect(self, turn: Turn, reply: Reply) -> None:
        self._mouth.effect(turn, reply)

    def accepted(self, turn: Turn, text: str) -> None:
        slips, turn.slips = turn.slips, []
        self._memory.mailbox.begin(turn.id, text)
        self._tasks.spawn(self._memory.save(slips))

    def finished_late(self, turn: Turn) -> None:
        output = " ".join((turn.late or "").split())
        if len(output) > _LATE_CHARS:
            output = "… " + output[-_LATE_CHARS:].split(" ", 1)[-1]
        words = phrases.DONE_LATE.format(output=output) if output else phrases.DONE_LATE_SILENT
        self._tasks.spawn(self._announced(words))

    async def _announced(self, words: str) -> None:
        await self._announce(words)

    def history_told(self, trouble: str) -> None:
        self._memory.told(trouble)
