"""The turns of one conversation: begun, guarded to their end, and ended when they must be."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from zero_one.conversation import phrases
from zero_one.conversation.audience import Audience
from zero_one.conversation.memory import Memory
from zero_one.conversation.mouth import Mouth
from zero_one.conversation.progress import Progress
from zero_one.conversation.services import Services
from zero_one.conversation.tasks import Tasks
from zero_one.conversation.turn import Turn
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import SpeechError

log = logging.getLogger(__name__)

Work = Callable[[Turn], Coroutine[Any, Any, None]]


class Turns:
    """``now`` is the newest one, over or not. ``quiet`` tells when nothing should be said in between; ``on_change`` is
    called when one is over."""

    def __init__(
        self,
        device: str,
        services: Services,
        audience: Audience,
        mouth: Mouth,
        memory: Memory,
        tasks: Tasks,
        quiet: Callable[[], bool],
        on_change: Callable[[], None],
    ) -> None:
        self.now: Turn | None = None
        self._device, self._services, self._audience, self._mouth = device, services, audience, mouth
        self._memory, self._tasks, self._quiet, self._on_change = memory, tasks, quiet, on_change
        self._open: list[Turn] = []

    @property
    def busy(self) -> bool:
        return self.now is not None and not self.now.done

    def begin(self, turn: Turn, work: Work) -> None:
        """From now on this is the conversation's turn."""
        self.now = turn
        self._mouth.begin()
        self.beside(turn, work)
        self._tasks.spawn(Progress(turn, self._mouth, self._services, self._quiet).watch())

    def beside(self, turn: Turn, work: Work) -> None:
        """A turn that takes nothing from the one that is going on."""
        self._open.append(turn)
        turn.task = self._tasks.spawn(self._guard(turn, work))

    def interrupt(self) -> None:
        """A new request begins: silence, and the model call is dropped. Running code goes on for now."""
        turn = self.now
        self._mouth.flush(turn, over=True)
        if turn is not None and not turn.done:
            turn.over = True
            if turn.run is not None:
                turn.run.hush()

    def stop(self) -> list[Turn]:
        """End what is not running code yet: hearing, commands, waiting. Returns the turns that were open."""
        ended = list(self._open)
        current = asyncio.current_task()
        for turn in ended:
            turn.over = turn.stopped = True
            if turn.run is None and turn.task is not None and turn.task is not current:
                turn.task.cancel()
        return ended

    async def _guard(self, turn: Turn, work: Work) -> None:
        """Run a turn so that whatever happens, it ends and the user is told."""
        try:
            await work(turn)
        except SpeechError as error:
            turn.failed = True
            self._mouth.trouble("hearing", str(error))
        except Exception:  # the last line of defence: logged, told, and the conversation goes on
            log.exception("a turn of %s failed", self._device)
            turn.failed = True
            self._mouth.trouble("turn", phrases.INTERNAL)
        finally:
            self._end(turn)
        if "first_clause" not in turn.spans.ms:
            turn.spans.log(self._device)
        if not turn.over:
            self._audience.show(Message("server", "status", content="complete", id=turn.id))
        slips, turn.slips = turn.slips, []
        self._memory.mailbox.end(turn.id)
        await self._memory.save(slips)

    def _end(self, turn: Turn) -> None:
        turn.done = True
        self._open.remove(turn)
        self._mouth.tell(turn, "", final=True)
        if turn is self.now:
            self._mouth.queue.expect_more(False)
        end = "failed" if turn.failed else "interrupted" if turn.over else "done"
        self._services.metrics.turns.labels(end).inc()
        self._on_change()
