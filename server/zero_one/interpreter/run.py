"""One turn of the model loop: think, ask, act, until it is done, impossible, or the user is needed."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from zero_one.interpreter.acting import Result, act_out
from zero_one.interpreter.asking import Act
from zero_one.interpreter.base import Approver, Decision, Question
from zero_one.interpreter.caps import Cap, Spent
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
MOST_SAME_FAILURES = 2
MOST_REFUSALS = 3


class _Hushed(Exception):
    """The user spoke over the answer."""


class _Enough(Exception):
    """The turn ends here; the text is said to the user."""


class _CapReached(Exception):
    def __init__(self, cap: Cap) -> None:
        super().__init__(cap)
        self.cap = cap


class ModelRun:
    """See ``base.Run``. It works from the moment it is made, whether or not anybody iterates it."""

    def __init__(self, home: ModelInterpreter, request: str, approve: Approver, images: tuple[Message, ...]) -> None:
        self._home, self._request, self._approve, self._images = home, request, approve, images
        self._outlet = Outlet(home.history)
        self._spent = Spent(home.settings.caps, asyncio.get_running_loop().time)
        self._soft: asyncio.Task[Any] | None = None
        self._hushed = self._cancelling = False
        self._pending: list[Request] = []
        self._failures: Counter[tuple[str, str]] = Counter()
        self._refused: set[tuple[str, str]] = set()
        self._refusals = self._bad = self._stubborn = 0
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
        except _Hushed:
            pass
        except _CapReached as reached:
            self._outlet.emit(Message("server", "status", "cap", reached.cap))
            self._say(self._spent.words(reached.cap))
        except _Enough as enough:
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
            if cap := self._spent.over():
                raise _CapReached(cap)
            step = fresh_id()
            self._outlet.emit(Message("server", "status", content="thinking"))
            heard = await self._soft_scope(self._timed(self._home.ask_model(self._outlet, step, self._request)))
            self._spent.used(heard.usage)
            self._spent.steps += 1
            self._pending = heard.requests
            if not heard.requests and not self._corrected(heard, step):
                return
            for request in heard.requests:
                if not await self._handle(request):
                    break
            for request in heard.requests:
                if request.entry.note == "waiting":
                    Result(self._outlet, self._home.history, request.entry).note(
                        "(Not run, because the one before it was not.)"
                    )
                    request.entry.note = "refused"
            await self._home.history.saved()
            self._still_wanted()

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

    # --- one act -----------------------------------------------------------------------------------------------------

    async def _handle(self, request: Request) -> bool:
        """Ask about it and do it. Returns False when the acts after it should not be done either."""
        result = Result(self._outlet, self._home.history, request.entry)
        if request.act is None:
            result.note(f"Error: {request.bad}")
            request.entry.note = "failed"
            self._count_bad()
            return True
        self._bad = 0
        act = request.act
        self._outlet.whole(Message("assistant", "code", act.language, act.code, id=request.entry.message.id))
        if self._again(act, request, result):
            return False
        approved = await self._agreed(act, request, result)
        if approved is None:
            return False
        if self._spent.seconds_left <= 0:
            raise _CapReached("seconds")
        went_well = await self._do(approved, request, result)
        if not went_well:
            self._failures[act.signature] += 1
        return went_well

    def _count_bad(self) -> None:
        self._bad += 1
        if self._bad >= MOST_BAD_CALLS:
            raise _Enough(
                f"{self._home.model.who} keeps asking for things in a form I can't read, so I stopped. "
                "Nothing of that was run. Ask me again, or choose another model.".strip()
            )

    def _again(self, act: Act, request: Request, result: Result) -> bool:
        """Whether it was refused, or has failed often enough, in this turn already."""
        if act.signature in self._refused:
            result.note("(Not run. The user has just said no to exactly this. Do something else, or ask them.)")
            request.entry.note = "refused"
        elif self._failures[act.signature] >= MOST_SAME_FAILURES:
            times = self._failures[act.signature]
            result.note(
                f"(Not run. Exactly this has failed {times} times. Try another way, or say what is in the way.)"
            )
            request.entry.note = "failed"
        else:
            return False
        self._stubborn += 1
        if self._stubborn >= 2:
            raise _Enough(
                "I keep coming back to the same thing that doesn't work, so I stopped. How would you like to go on?"
            )
        return True

    async def _agreed(self, act: Act, request: Request, result: Result) -> Act | None:
        """What to run, or None when the answer was no."""
        described = await asyncio.to_thread(self._home.describe, act)  # parsing is no work for the loop
        if not described.ask:
            return act
        question = Question(
            described.text,
            act.language,
            act.code,
            self._home.host.folder,
            described.risk,
            described.effects,
            described.reason,
            described.answers,
        )
        decision = await self._ask(question)
        if not decision.approved:
            self._refuse(act, decision, request, result)
            return None
        if decision.code is None or decision.code == act.code or act.method:
            return act
        result.note(f"(The user changed the code before it ran. What ran is this:)\n{decision.code}\n")
        self._outlet.whole(Message("user", "code", act.language, decision.code, id=fresh_id()))
        return Act(act.language, decision.code)

    async def _ask(self, question: Question) -> Decision:
        clock = self._spent.clock
        began = clock()
        try:
            return await self._soft_scope(_awaited(self._approve, question))
        finally:
            self._spent.waited(clock() - began)

    def _refuse(self, act: Act, decision: Decision, request: Request, result: Result) -> None:
        request.entry.note = "refused"
        if decision.but:
            result.note(f"(Not run. The user said no, but: {decision.but})")
        else:
            self._refusals += 1
            self._refused.add(act.signature)
            why = f" ({decision.reason})" if decision.reason else ""
            result.note(
                f"(Not run. The answer was no{why}. Do not try this again in other words; do without it, or ask.)"
            )
        if self._refusals >= MOST_REFUSALS:
            raise _Enough("All right, I leave it. Tell me how you would like it done.")

    async def _do(self, act: Act, request: Request, result: Result) -> bool:
        caps = self._home.settings.caps
        timeout_s = round(max(0.1, min(caps.code_seconds, self._spent.seconds_left)), 1)
        async with self._home.hands_free(self):
            self._still_wanted()
            request.entry.note = "running"
            self._outlet.emit(Message("server", "status", content="running"))
            went_well = await act_out(act, result, self._home.machine, self._home.hands, timeout_s)
        self._outlet.end()
        request.entry.note = "" if went_well else "failed"
        self._spent.done[act.language if not act.method else "hand work"] += 1
        self._spent.failed += not went_well
        return went_well

    # --- scopes ------------------------------------------------------------------------------------------------------

    def _say(self, words: str) -> None:
        """Words of our own, as an assistant message that the model will see as its own."""
        speech = Speech(self._outlet, self._home.history, fresh_id())
        speech.say(words[:1].upper() + words[1:])
        speech.end()

    async def _timed(self, work: Coroutine[Any, Any, T]) -> T:
        """Ends with the turn's seconds."""
        try:
            async with asyncio.timeout(self._spent.seconds_left) as limit:
                return await work
        except TimeoutError:
            if limit.expired():
                raise _CapReached("seconds") from None
            raise

    async def _soft_scope(self, work: Coroutine[Any, Any, T]) -> T:
        """Work that ends at once when the user speaks over the answer."""
        if self._hushed:
            work.close()
        self._still_wanted()
        task = asyncio.create_task(work)
        self._soft = task
        try:
            result = await task
        except asyncio.CancelledError:
            if self._hushed and not self._cancelling:
                raise _Hushed from None
            raise
        finally:
            self._soft = None
        self._still_wanted()  # the word may have come between the result and us
        return result

    def _still_wanted(self) -> None:
        if self._hushed:
            raise _Hushed


async def _awaited(approve: Approver, question: Question) -> Decision:
    return await approve(question)
