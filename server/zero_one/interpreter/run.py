"""One turn of the model loop: think, ask, act, until it is done, impossible, or the user is needed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from zero_one.identity.access import Caller
from zero_one.interpreter.base import Approver, Decision, Question
from zero_one.interpreter.caps import Spent
from zero_one.interpreter.deeds import Deeds
from zero_one.interpreter.ends import CapReached, Enough, Hushed
from zero_one.interpreter.faults import ModelFault
from zero_one.interpreter.history import fresh_id
from zero_one.interpreter.listening import Heard, Request
from zero_one.interpreter.outlet import Outlet, Speech
from zero_one.protocol.lmc import Message

if TYPE_CHECKING:
    from zero_one.interpreter.loop import ModelInterpreter

log = logging.getLogger(__name__)
T = TypeVar("T")

MOST_BAD_CALLS = 3
"""In a row; after that the model is not asked again."""


class ModelRun:
    """See ``base.Run``. It works from the moment it is made, whether or not anybody iterates it."""

    def __init__(
        self, home: ModelInterpreter, request: str, approve: Approver, images: tuple[Message, ...], caller: Caller
    ) -> None:
        self._home, self._request, self._approve, self._images = home, request, approve, images
        self._outlet = Outlet(home.history)
        self.spent = Spent(home.settings.caps, asyncio.get_running_loop().time)
        self._deeds = Deeds(self, home, self._outlet, caller)
        self._soft: asyncio.Task[Any] | None = None
        self._hushed = self._cancelling = False
        self._pending: list[Request] = []
        self._bad = 0
        self._nudged = False
        self._task = asyncio.create_task(self._work())
        self._task.add_done_callback(lambda _: self._settle())

    def __aiter__(self) -> AsyncIterator[Message]:
        return self._outlet.messages()

    @property
    def done(self) -> bool:
        return self._task.done()

    def hush(self) -> None:
        if not self._hushed:
            self._hushed = True
            self._deeds.hush()
            if self._soft is not None:
                self._soft.cancel()

    async def cancel(self) -> None:
        self._hushed = True
        if not self._cancelling:
            self._cancelling = True
            self._task.cancel()
        if not self._task.done():
            await asyncio.wait({self._task})
        await self._home.history.saved()

    # --- the turn ----------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        try:
            await self._home.prepare(self._images)
            if notice := self._home.notice():
                self._outlet.emit(Message("server", "error", "history", notice))
            await self._turn()
        except Hushed:
            pass
        except CapReached as reached:
            self._outlet.emit(Message("server", "status", "cap", reached.cap))
            self._say(self.spent.words(reached.cap))
        except Enough as enough:
            self._say(str(enough))
        except ModelFault as fault:
            self._outlet.end()
            self._outlet.emit(Message("server", "error", fault.kind, str(fault)))
        except Exception:
            # The last line of defence: whatever went wrong in here is said aloud, and the conversation goes on.
            log.exception("a turn failed")
            self._outlet.end()
            words = (
                "Something went wrong inside me. What we said is kept; ask me again, and see the log if it stays so."
            )
            self._outlet.emit(Message("server", "error", "internal", words))
        self._outlet.end()
        await self._home.history.saved()

    def _settle(self) -> None:
        """Leave everything consistent, wherever it stopped."""
        self._outlet.close()
        for request in self._pending:
            if request.entry.note == "running":
                request.entry.note = "interrupted"

    async def _turn(self) -> None:
        while True:
            if cap := self.spent.over():
                raise CapReached(cap)
            step = fresh_id()
            self._outlet.emit(Message("server", "status", content="thinking"))
            asking = partial(self._home.ask_model, self._outlet, step, self._request)
            heard = await self._soft_scope(self._timed(asking))
            self.spent.used(heard.usage)
            self.spent.steps += 1
            self._pending = heard.requests
            if not heard.requests and not self._corrected(heard, step):
                return
            for request in heard.requests:
                if not await self._handle(request, heard.sources):
                    break
            for request in heard.requests:
                if request.entry.note == "waiting":
                    self._deeds.result(request).note("(Not run, because the one before it was not.)")
                    request.entry.note = "refused"
            await self._home.history.saved()
            self.still_wanted()

    def _corrected(self, heard: Heard, step: str) -> bool:
        """An answer without acts: True when the model should try once more instead of ending the turn."""
        if heard.wrong:
            self._count_bad()
            self._home.history.add(Message("computer", "console", "note", heard.wrong), step=step)
            return True
        if heard.reason == "content_filter":
            raise ModelFault("filtered", f"{self._home.model.who} declined to answer that. Try asking in another way.")
        if heard.text.strip():
            return False
        if self._nudged:
            raise ModelFault(
                "empty", f"{self._home.model.who} gave an empty answer. Ask me again, perhaps in other words."
            )
        self._nudged = True
        note = "(Your last answer was empty. Answer the user in a sentence, or act.)"
        self._home.history.add(Message("computer", "console", "note", note), step=step)
        return True

    async def _handle(self, request: Request, sources: tuple[str, ...]) -> bool:
        """Returns False when the acts after it should not be done either."""
        if request.act is None:
            self._deeds.result(request).note(f"Error: {request.bad}")
            request.entry.note = "failed"
            self._count_bad()
            return True
        self._bad = 0
        return await self._deeds.handle(request, request.act, sources)

    def _count_bad(self) -> None:
        self._bad += 1
        if self._bad >= MOST_BAD_CALLS:
            raise Enough(
                f"{self._home.model.who} keeps asking for things in a form I can't read, so I stopped. "
                "Nothing of that was run. Ask me again, or choose another model.".strip()
            )

    # --- for its deeds -----------------------------------------------------------------------------------------------

    async def gate(self, name: str, arguments: Mapping[str, Any]) -> None:
        """Code that this turn runs calls ``computer.<name>``. Raises HandsError where it may not."""
        await self._deeds.gate(name, arguments)

    async def ask(self, question: Question) -> Decision:
        """Put a question; it is dropped when the user speaks over it."""
        return await self._soft_scope(self.put(question))

    async def put(self, question: Question) -> Decision:
        """Put a question. Time spent waiting for the user is not the turn's."""
        clock = self.spent.clock
        began = clock()
        try:
            return await self._approve(question)
        finally:
            self.spent.waited(clock() - began)

    def still_wanted(self) -> None:
        if self._hushed:
            raise Hushed

    # --- scopes ------------------------------------------------------------------------------------------------------

    def _say(self, words: str) -> None:
        """Words of our own, as an assistant message that the model will see as its own."""
        speech = Speech(self._outlet, self._home.history, fresh_id())
        speech.say(words[:1].upper() + words[1:])
        speech.end()

    async def _timed(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Ends with the turn's seconds."""
        try:
            async with asyncio.timeout(self.spent.seconds_left) as limit:
                return await work()
        except TimeoutError:
            if limit.expired():
                raise CapReached("seconds") from None
            raise

    async def _soft_scope(self, work: Coroutine[Any, Any, T]) -> T:
        """Work that ends at once when the user speaks over the answer."""
        if self._hushed:
            work.close()
        self.still_wanted()
        task = asyncio.create_task(work)
        self._soft = task
        try:
            result = await task
        except asyncio.CancelledError:
            if self._hushed and not self._cancelling:
                raise Hushed from None
            raise
        finally:
            self._soft = None
        self.still_wanted()  # the word may have come between the result and us
        return result
