"""The acts of one turn: each is judged, perhaps asked about, done, and written down."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zero_one import firm
from zero_one.computer.hands import HandsError
from zero_one.interpreter.acting import Result, act_out
from zero_one.interpreter.asking import Act
from zero_one.interpreter.base import Decision, Question
from zero_one.interpreter.consent import Consent, Denied, Granted, described
from zero_one.interpreter.ends import CapReached, Enough, Hushed
from zero_one.interpreter.history import fresh_id
from zero_one.interpreter.listening import Request
from zero_one.interpreter.sources import Reading, of_hand, reading, united
from zero_one.protocol.lmc import Message
from zero_one.safety.risk import Risk
from zero_one.safety.roots import roots as roots_of

if TYPE_CHECKING:
    from zero_one.identity.access import Caller
    from zero_one.interpreter.loop import ModelInterpreter
    from zero_one.interpreter.outlet import Outlet
    from zero_one.interpreter.run import ModelRun
    from zero_one.interpreter.witness import Kept

MOST_SAME_FAILURES = 2
MOST_REFUSALS = 3


class Deeds:
    """What one turn does. ``sources`` name the foreign text that the model had before it when it asked for it."""

    def __init__(self, run: ModelRun, home: ModelInterpreter, outlet: Outlet, caller: Caller) -> None:
        self._run, self._home, self._outlet, self._caller = run, home, outlet, caller
        self.turn = fresh_id()
        self._consent = Consent(home, caller, run.ask)
        self._calls = Consent(home, caller, self._ask_for_call)
        self._failures: Counter[tuple[str, str]] = Counter()
        self._refused: set[tuple[str, str]] = set()
        self._refusals = self._stubborn = 0
        self._told_why: set[str] = set()
        self._now: tuple[Granted, Result, tuple[str, ...]] | None = None
        self._open: set[asyncio.Task[Decision]] = set()

    async def handle(self, request: Request, act: Act, sources: tuple[str, ...]) -> bool:
        """Ask about it and do it. Returns False when the acts after it should not be done either."""
        result = self.result(request, sources)
        self._outlet.whole(Message("assistant", "code", act.language, act.code, id=request.entry.message.id))
        if self._again(act, request, result):
            return False
        try:
            granted = await self._consent.for_act(act, sources)
            if self._run.spent.seconds_left <= 0:
                raise CapReached("seconds")
            went_well = await self._do(granted, request, result, sources)
        except Denied as denied:
            self._deny(act, denied, request, result)
            return False
        if not went_well:
            self._failures[act.signature] += 1
        return went_well

    def result(self, request: Request, sources: tuple[str, ...] = ()) -> Result:
        return Result(self._outlet, self._home.history, request.entry, sources, self._home.witness.redactor)

    def hush(self) -> None:
        """Questions of running code are dropped; it goes on without what it asked for."""
        for task in self._open:
            task.cancel()

    # --- before ------------------------------------------------------------------------------------------------------

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
            raise Enough(
                "I keep coming back to the same thing that doesn't work, so I stopped. How would you like to go on?"
            )
        return True

    def _deny(self, act: Act, denied: Denied, request: Request, result: Result) -> None:
        request.entry.note = "refused"
        if denied.but:
            result.note(f"(Not run. The user said no, but: {denied.but})")
        else:
            self._refusals += 1
            self._refused.add(act.signature)
            why = f" ({denied.reason})" if denied.reason else ""
            if denied.refused:
                self._tell(denied.reason)
                result.note(
                    f"(Not run, and nobody can agree to it from here: {denied.reason}. The user has been told.)"
                )
            else:
                result.note(
                    f"(Not run. The answer was no{why}. Do not try this again in other words; do without it, or ask.)"
                )
        if self._refusals >= MOST_REFUSALS:
            raise Enough("All right, I leave it. Tell me how you would like it done.")

    def _tell(self, why: str) -> None:
        """Said aloud, once a turn."""
        if why not in self._told_why:
            self._told_why.add(why)
            self._outlet.end()
            self._outlet.emit(Message("server", "error", "refused", f"{why}."))

    # --- the act -----------------------------------------------------------------------------------------------------

    async def _do(self, granted: Granted, request: Request, result: Result, sources: tuple[str, ...]) -> bool:
        found = await asyncio.to_thread(reading, granted.act, granted.verdict)
        act, project = granted.act, Path(self._home.folder)
        label = act.code.strip().partition("\n")[0][:80]
        if granted.verdict.risk is Risk.OBSERVE:
            if act.method:
                return await self._act(granted, request, result, sources, found)
            async with self._home.witness.glance_around(project, self.turn, label, device=self._caller.device) as kept:
                went_well = await self._act(granted, request, result, sources, found)
            self._touched(kept)
            return went_well
        cwd = self._home.standing(act.language)
        roots = await asyncio.to_thread(roots_of, granted.verdict, act.code, act.language, project=project, cwd=cwd)
        around = self._home.witness.undo_around(roots, self.turn, label, device=self._caller.device, home=project)
        async with around as kept:
            real = tuple(str(firm.real(root)) for root in roots[1:])  # under these names they are kept
            lost = [name for name in kept.left_out if name.startswith(real)]
            unkept = kept.problem or (f"Too large to be put back: {', '.join(lost[:2])}." if lost else "")
            if granted.kept and unkept:
                again = await self._consent.for_act(act, sources, unkept=unkept)
                found = await asyncio.to_thread(reading, again.act, again.verdict)
                granted = again
            went_well = await self._act(granted, request, result, sources, found)
        self._touched(kept)
        return went_well

    def _touched(self, kept: Kept) -> None:
        if kept.touched:
            self._home.witness.note("touched", self._caller.device, turn=self.turn, files=list(kept.touched))

    async def _act(
        self, granted: Granted, request: Request, result: Result, sources: tuple[str, ...], found: Reading
    ) -> bool:
        act, spent = granted.act, self._run.spent
        if granted.edited:
            result.note(f"(The user changed the code before it ran. What ran is this:)\n{act.code}\n")
            self._outlet.whole(Message("user", "code", act.language, act.code, id=fresh_id()))
        timeout_s = round(max(0.1, min(self._home.settings.caps.code_seconds, spent.seconds_left)), 1)
        status = ""
        try:
            async with self._home.hands_free(self._run):
                self._run.still_wanted()
                # What its language keeps from now on may hold some of it; its output may hold what was kept before.
                recalled = self._home.remember(act.language, united(sources, found.sources), recall=found.recalls)
                result.sources = united(sources, found.sources, recalled)
                request.entry.note = "running"
                status = "interrupted"
                self._outlet.emit(Message("server", "status", content="running"))
                self._now = granted, result, sources
                status = await act_out(granted, result, self._home.machine, self._home.hands, timeout_s)
        finally:
            self._now = None
            self.hush()
            if status:
                self._ran(granted, status)
        self._outlet.end()
        went_well = status == "0"
        request.entry.note = "" if went_well else "failed"
        spent.done[act.language if not act.method else "hand work"] += 1
        spent.failed += not went_well
        return went_well

    def _ran(self, granted: Granted, status: str) -> None:
        agreed = {"hand": granted.hand, "by": granted.by} if granted.hand else {}
        self._home.witness.note(
            "ran",
            self._caller.device,
            **described(granted.act, granted.verdict),
            status=status,
            turn=self.turn,
            network=granted.network,
            **agreed,
        )

    # --- calls out of running code -----------------------------------------------------------------------------------

    async def gate(self, name: str, arguments: Mapping[str, Any]) -> None:
        """``computer.<name>`` is called by the code that runs now. Raises HandsError where it may not be."""
        if self._now is None:
            raise HandsError(f"computer.{name} was called by code that is over.", "Run it again.")
        granted, result, sources = self._now
        try:
            await self._calls.for_call(name, arguments, granted, sources)
        except Denied as denied:
            if denied.refused:
                self._tell(denied.reason)
            why = f"the user said no, but: {denied.but}" if denied.but else denied.reason or "the user said no"
            raise HandsError(f"computer.{name} was not done: {why}.", "Do without it, or ask the user.") from None
        except Hushed:
            raise HandsError(f"computer.{name} was not done: the user is busy with something else.") from None
        brought = of_hand(name)
        if brought:
            result.taint(brought)
            self._home.remember(granted.act.language, brought)

    async def _ask_for_call(self, question: Question) -> Decision:
        """A question of running code; it is over when the code is, or when the user speaks."""
        self._run.still_wanted()
        task = asyncio.ensure_future(self._run.put(question))
        self._open.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
                raise
            raise Hushed from None
        finally:
            self._open.discard(task)
