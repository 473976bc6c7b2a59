"""How a conversation stops: what it does for its own device, or all of it because somebody stopped the whole house."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager

from zero_one.conversation import phrases
from zero_one.conversation.parts import Parts
from zero_one.conversation.turn import Turn
from zero_one.protocol.lmc import Message


class Stopper:
    """``cancel`` takes back what is being said; ``at_once`` makes what happens inside one change."""

    def __init__(
        self, parts: Parts, cancel: Callable[[], None], at_once: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._its, self._cancel, self._at_once = parts, cancel, at_once

    def stop(self) -> None:
        """All that was asked for here ends: speech, model, running code, an open question."""
        its = self._its
        working = its.brain.working or its.turns.busy
        ended = self._end_at_once("the user stopped everything", here=True)
        its.audience.show(Message("server", "status", content="stopped"))
        if working:
            its.mouth.notice(phrases.STOPPED)
        its.tasks.spawn(self._finish(ended))

    async def halt(self, by: str, *, here: bool) -> list[str]:
        """The hard stop: languages and every process that they started end too. See ``desk.Member``."""
        its = self._its
        going_on = {
            "a question": its.questions.open is not None,
            "speech": its.mouth.speaking,
            "running code": its.brain.acting,
            "an answer in the making": its.turns.busy or (its.brain.working and not its.brain.acting),
        }
        what = [name for name, there in going_on.items() if there]
        with self._at_once():
            ended = self._end_at_once(f"{by} stopped everything", here=here)
            its.audience.show(Message("server", "status", content="stopped"))
            if what:
                its.mouth.notice(phrases.STOPPED if here else phrases.STOPPED_BY.format(by=by))
        await its.brain.stop()
        open_tasks = [turn.task for turn in ended if turn.task is not None and not turn.task.done()]
        if open_tasks:
            await asyncio.wait(open_tasks)
        await self._told(ended)
        return [f"{its.device}: {name}" for name in what]

    def _end_at_once(self, reason: str, *, here: bool) -> list[Turn]:
        """No sound, no question, nothing heard or waited for any more. Running code ends after this."""
        its = self._its
        its.questions.refuse(reason)
        left = its.hearing.left_over()
        utterance = its.hearing.current
        if here or (utterance is not None and utterance.released_at is not None):
            self._cancel()
        its.turns.interrupt()
        ended = its.turns.stop()
        for turn in ended[:1]:
            turn.slips += left.slips
        return ended

    async def _finish(self, ended: list[Turn]) -> None:
        await self._its.brain.end_work()
        await self._told(ended)

    async def _told(self, ended: list[Turn]) -> None:
        for turn in ended:
            self._its.audience.show(Message("server", "status", content="complete", id=turn.id))
            self._its.memory.mailbox.end(turn.id)
        await self._its.memory.save([slip for turn in ended for slip in turn.slips])
