"""From a request to an answer: a spoken command, else the interpreter, else what to configure."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from zero_one.commands.base import Proposal, Reply
from zero_one.conversation import phrases
from zero_one.conversation.services import Services
from zero_one.conversation.turn import Turn
from zero_one.interpreter.base import Decision, Interpreter, Question
from zero_one.interpreter.history import History
from zero_one.interpreter.sources import of_command
from zero_one.protocol.lmc import Message

log = logging.getLogger(__name__)


_PATIENCE_S = 5.0


class Stage(Protocol):
    """What an answer needs of its conversation."""

    device: str

    def show(self, message: Message) -> None: ...

    def tell(self, turn: Turn, text: str, *, final: bool = False) -> None:
        """Speak (and account for) more of the turn's text; ``final`` closes what has no end yet."""

    def trouble(self, where: str, text: str, *, shown: bool = False) -> None:
        """Say that something failed, and show it unless it is ``shown`` already."""

    async def ask(self, turn: Turn, question: Question) -> Decision: ...

    def refuse(self, reason: str) -> None:
        """No to the question that may be open."""

    def effect(self, turn: Turn, reply: Reply) -> None:
        """What a command does to the voice."""

    def accepted(self, turn: Turn, text: str) -> None:
        """Its request, this text, is in the history."""

    def finished_late(self, turn: Turn) -> None:
        """Its code ended after the user had gone on to something else."""

    def history_told(self, trouble: str) -> None:
        """The run has said that the history could not be saved."""

    def settle(self) -> None: ...


class Brain:
    """One per conversation. Turns whose run is not finished, be it only their code, are kept track of."""

    def __init__(self, services: Services, history: History, stage: Stage) -> None:
        self._services, self._history, self._stage = services, history, stage
        self._interpreter: Interpreter | None = None
        self._working: list[Turn] = []

    @property
    def working(self) -> bool:
        return bool(self._working)

    @property
    def acting(self) -> bool:
        """Whether code runs now."""
        return any(turn.acting for turn in self._working)

    async def answer(self, turn: Turn, text: str, images: tuple[tuple[str, str], ...] = ()) -> None:
        """Answer a request, to its end."""
        commands = self._services.commands
        match = commands.match(text) if commands is not None and not images else None
        if commands is not None and match is not None:
            log.debug("%s: %r is the command %s", self._stage.device, text, match.command)
            self._remember(Message("user", "message", content=text))
            self._stage.accepted(turn, text)
            reply = await commands.run(match, self._stage.device, turn.caller)
            if reply.asks is not None:
                reply = await self._agreed(turn, reply.asks)
            await self._reply(turn, reply, of_command(match.command))
        elif self._services.interpreter is not None:
            if self._interpreter is None:
                self._interpreter = self._services.interpreter(self._stage.device, self._history)
            await self._think(turn, text, images, self._interpreter)
        else:
            self._remember(Message("user", "message", content=text))
            self._stage.accepted(turn, text)
            self._say(turn, phrases.NO_MODEL.format(text=text.rstrip(".!? ")))

    def commanded(self, text: str) -> bool:
        """Whether this is a command that ends nothing: one that was meant for what was going on before is late."""
        match = self._services.commands.match(text) if self._services.commands is not None else None
        return match is not None and match.command not in ("talk.stop", "talk.cancel")

    async def end_work(self) -> None:
        """Stop model and code of every run that is not finished, and wait until all of it is gone."""
        for turn in list(self._working):
            if turn.run is not None:
                await turn.run.cancel()
            if turn.task is not None and turn.task is not asyncio.current_task():
                await asyncio.wait([turn.task], timeout=_PATIENCE_S)
                # A run that does not end although it is cancelled must not take the conversation with it.
                turn.task.cancel()

    async def stop(self) -> None:
        """The hard stop: every run, every language and every process that they started is gone when this returns."""
        interpreter, self._interpreter = self._interpreter, None
        await self.end_work()
        if interpreter is not None:
            await interpreter.close()

    async def close(self) -> None:
        await self.end_work()
        if self._interpreter is not None:
            await self._interpreter.close()

    def _remember(self, message: Message, sources: tuple[str, ...] = ()) -> str | None:
        return self._history.add(message, sources=sources).message.id

    def _say(self, turn: Turn, text: str, show: str = "", sources: tuple[str, ...] = ()) -> None:
        """A whole answer at once; ``sources`` name whose words it repeats, where they are not ours or the user's."""
        turn.begin(self._remember(Message("assistant", "message", content=text), sources))
        self._stage.show(Message("assistant", "message", content=show or text))
        self._stage.tell(turn, text, final=True)

    async def _agreed(self, turn: Turn, proposal: Proposal) -> Reply:
        """What a command does only after a yes."""
        question = Question(
            proposal.question, "shell", proposal.act, "", "change", (proposal.act,), answers=("yes", "no")
        )
        decision = await self._stage.ask(turn, question)
        if decision.approved:
            return await proposal.then()
        return Reply(phrases.LEFT if not turn.over else "")

    async def _reply(self, turn: Turn, reply: Reply, sources: tuple[str, ...]) -> None:
        if reply.effect in ("stop", "cancel"):
            self._stage.refuse("the user stopped everything")
            await self.end_work()
        self._stage.effect(turn, reply)
        if reply.failed:
            turn.failed = True
            self._stage.show(Message("server", "error", content=reply.show or reply.say))
        if reply.say:
            self._say(turn, reply.say, reply.show, sources)
        elif reply.show:
            self._stage.show(Message("assistant", "message", content=reply.show))

    # --- the model

    async def _think(
        self, turn: Turn, text: str, images: tuple[tuple[str, str], ...], interpreter: Interpreter
    ) -> None:
        pictures = tuple(Message("user", "image", format_, content) for format_, content in images)
        request = Message("user", "message", content=text)
        turn.run = interpreter.respond(
            request, lambda question: self._stage.ask(turn, question), images=pictures, caller=turn.caller
        )
        self._working.append(turn)
        self._stage.accepted(turn, text)
        try:
            async for message in turn.run:
                self._take(turn, message)
        finally:
            turn.acting = False
            self._working.remove(turn)
            self._stage.tell(turn, "", final=True)
            turn.cut(self._history)
            if turn.late is not None and not turn.stopped and not self.acting:
                self._stage.finished_late(turn)
            self._stage.settle()

    def _take(self, turn: Turn, message: Message) -> None:
        """One streamed message of the run: shown always, spoken where it is the assistant's word or a failure."""
        self._stage.show(message)
        if turn.over and message.role == "computer":
            printed = message.content if message.type == "console" and message.format == "output" else ""
            turn.late = (turn.late or "") + (printed if isinstance(printed, str) else "")
        if message.role == "assistant" and message.type == "message":
            turn.acting = False
            if message.start or not turn.parts or (message.id is not None and turn.parts[-1].id != message.id):
                if turn.text:
                    self._stage.tell(turn, "\n")
                turn.begin(message.id)
            if isinstance(message.content, str) and message.content:
                turn.spans.mark("first_token")
                self._stage.tell(turn, message.content)
            if message.end:
                self._stage.tell(turn, "", final=True)
        elif message.type == "code":
            self._stage.tell(turn, "", final=True)
            turn.acting = message.end or turn.acting
        elif message.role == "computer":
            turn.acting = True
        elif message.type == "error" and isinstance(message.content, str):
            if message.format == "history":
                self._stage.history_told(message.content)
            else:
                turn.failed = True
            self._stage.trouble("interpreter", message.content, shown=True)
        self._stage.settle()
