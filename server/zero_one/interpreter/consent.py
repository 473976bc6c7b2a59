"""Whether an act may be done: judged by the table of trust, and by a person where the table says so.

One ``Consent`` serves one turn. What it grants covers exactly the code that it judged, or that a person was shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from zero_one.config.settings import ApprovalSettings
from zero_one.identity.access import Caller
from zero_one.interpreter.asking import Act, said_of_method
from zero_one.interpreter.base import Decision, Question
from zero_one.interpreter.packages import findings
from zero_one.interpreter.witness import Witness
from zero_one.safety.policy import Circumstances, Ruling, enough, rule
from zero_one.safety.question import effects_in_words, question
from zero_one.safety.risk import Risk, Verdict, classify
from zero_one.safety.risk.hands import classify_hand
from zero_one.safety.rules import Rule, Rules
from zero_one.safety.standing import seen_from

Ask = Callable[[Question], Awaitable[Decision]]


class House(Protocol):
    """What the owner has decided, and where acts take place."""

    @property
    def approval(self) -> ApprovalSettings: ...

    @property
    def rules(self) -> Rules | None: ...

    @property
    def witness(self) -> Witness: ...

    @property
    def folder(self) -> str: ...

    @property
    def sandboxed(self) -> bool: ...

    def standing(self, language: str) -> Path: ...


@dataclass(frozen=True, slots=True)
class Granted:
    """An act that may be done. ``hand`` is how a person agreed and ``by`` from which device, empty where none had to.

    ``network`` False: it must not reach the network. ``kept``: it may run only because we can put everything back.
    """

    act: Act
    verdict: Verdict
    network: bool = True
    hand: str = ""
    by: str = ""
    edited: bool = False
    kept: bool = False


class Denied(Exception):
    """It may not be done. ``refused``: nobody was asked, for nobody on this device could agree; the text says why."""

    def __init__(self, reason: str, *, but: str | None = None, refused: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.but, self.refused = reason, but, refused


class Consent:
    """``ask`` puts a question to the user; ``caller`` is the one whose turn this is."""

    def __init__(self, house: House, caller: Caller, ask: Ask) -> None:
        self._house, self._caller, self._ask = house, caller, ask
        self._one_by_one = asyncio.Lock()

    async def for_act(self, act: Act, sources: tuple[str, ...], *, unkept: str = "") -> Granted:
        """Leave to do ``act``, which the model asked for with text from ``sources`` before it. Raises Denied.

        ``unkept``: why it cannot be undone, although it is of a kind that could.
        """
        verdict, known = await self._judge(act)
        ruling = self._rule(act, verdict, sources, known, unkept)
        decision: Decision | None = None
        edited = False
        while ruling.kind == "ask":
            decision = await self._agreed(act, verdict, ruling, sources, unkept)
            changed = decision.code if not act.method else None
            if changed is None or changed == act.code:
                break
            # What a person wrote is judged like everything else; their yes covers it as far as it was given for that.
            given, act, edited = verdict, Act(act.language, changed), True
            verdict, known = await self._judge(act)
            ruling = self._rule(act, verdict, sources, known, unkept)
            if verdict.risk <= given.risk and enough(decision.hand, ruling.hand):
                break
        if ruling.kind == "refuse":
            self._note("refused", act, verdict, sources, reason=ruling.reason)
            raise Denied(ruling.reason, refused=True)
        if decision is None:
            if known is not None and self._house.rules is not None:
                await _written(self._house.rules.used, known.number)
            kept = verdict.risk is Risk.CHANGE and known is None and not self._widened and not act.method
            return Granted(act, verdict, ruling.network, kept=kept)
        if decision.remember and ruling.may_remember and self._house.rules is not None:
            made = (act.language, act.code, verdict, str(self._standing(act)), decision.by or self._caller.name)
            if await _written(self._house.rules.add, *made):
                self._note("remembered", act, verdict, sources, by=decision.by)
        return Granted(act, verdict, ruling.network, decision.hand, decision.by, edited)

    async def for_call(
        self, name: str, arguments: Mapping[str, Any], granted: Granted, sources: tuple[str, ...]
    ) -> None:
        """Leave for code that runs to call ``computer.<name>``. Raises Denied."""
        effect = await asyncio.to_thread(classify_hand, name, arguments)
        if effect.risk is Risk.OBSERVE or covers(granted, name, effect):
            return
        async with self._one_by_one:
            await self.for_act(Act.of_method(name, arguments), sources)

    # --- the parts

    async def _judge(self, act: Act) -> tuple[Verdict, Rule | None]:
        return await asyncio.to_thread(judge, act, self._house.rules, self._house.folder, self._standing(act))

    def _standing(self, act: Act) -> Path:
        """Where it will run: an earlier run may have gone elsewhere, unasked."""
        return Path(self._house.folder) if act.method else self._house.standing(act.language)

    @property
    def _widened(self) -> bool:
        approval = self._house.approval
        return approval.safe_mode != "ask" and (approval.auto_run or approval.safe_mode == "off")

    def _rule(self, act: Act, verdict: Verdict, sources: tuple[str, ...], known: Rule | None, unkept: str) -> Ruling:
        approval = self._house.approval
        circumstances = Circumstances(
            sources,
            self._caller.keyless,
            approval.auto_run,
            approval.safe_mode,
            known is not None,
            contained=bool(act.method) or (self._house.sandboxed and not unkept),
        )
        ruling = rule(verdict, circumstances)
        return ruling if self._house.rules is not None else replace(ruling, may_remember=False)

    async def _agreed(
        self, act: Act, verdict: Verdict, ruling: Ruling, sources: tuple[str, ...], unkept: str
    ) -> Decision:
        """A yes that is deliberate enough. Raises Denied."""
        found = await findings(act.code, verdict.packages)
        reason = " ".join(filter(None, (ruling.reason, unkept, found)))
        said = said_of_method(act) if act.method else ""
        where = self._standing(act)
        text = await asyncio.to_thread(question, verdict, where, ruling.hand, reason, said)
        asked = Question(
            text,
            act.language,
            act.code,
            str(where),
            verdict.risk.word,
            effects_in_words(verdict.effects),
            reason,
            ("yes", "no") if act.method else ("yes", "no", "edit"),
            ruling.hand,
            ruling.may_remember,
        )
        self._note("asked", act, verdict, sources, question=text, hand=ruling.hand)
        decision = await self._ask(asked)
        weak = decision.approved and not enough(decision.hand, ruling.hand)
        answer = "no" if not decision.approved else "too weak" if weak else "yes"
        more = {"but": decision.but, "reason": decision.reason, "edited": decision.code}
        told = {name: value for name, value in more.items() if value}
        self._house.witness.note(
            "answered", self._caller.device, answer=answer, by=decision.by, hand=decision.hand, question=text, **told
        )
        if weak:
            # The conversation takes no such answer; should one come all the same, it is worth nothing.
            raise Denied(f"the yes was given by {decision.hand}, and this needs more than that")
        if not decision.approved:
            raise Denied(decision.reason, but=decision.but)
        return decision

    def _note(self, kind: str, act: Act, verdict: Verdict, sources: tuple[str, ...], **more: Any) -> None:
        self._house.witness.note(kind, self._caller.device, **described(act, verdict), sources=list(sources), **more)


def judge(act: Act, rules: Rules | None, project: str, folder: Path) -> tuple[Verdict, Rule | None]:
    """What the act would do in ``folder``, and the owner's rule that covers it. Blocks: for a thread."""
    if act.method:
        verdict = Verdict.of([classify_hand(act.method, act.arguments)])
    else:
        verdict = seen_from(classify(act.code, act.language), folder, Path(project))
    return verdict, rules.allows(act.language, act.code, verdict, str(folder)) if rules is not None else None


def covers(granted: Granted, name: str, effect: Any) -> bool:
    """Whether what was granted for code covers its call of ``computer.<name>``, which turned out to do ``effect``.

    It does where the verdict held this very effect, or one of the same method and kind that is no milder, as far as its
    arguments could be read: what was computed may be anything, what stood there may not turn out to be something else.
    And where a person agreed to code that cannot be seen through. Everything else is news, and is ruled on its own.
    """
    for known in granted.verdict.effects:
        if known == effect:
            return True
        if known.kind == "opaque" and granted.hand:
            return True
        if known.risk < effect.risk or (known.undoable and not effect.undoable):
            continue
        if known.kind == effect.kind and known.what.split(" ")[0] == name and _within(known.what, effect.what):
            return True
        if name == "opener.url" and known.what == "a computed address":
            return True
    return False


def _within(read: str, real: str) -> bool:
    """Whether the words of ``read`` come in ``real`` in their order; arguments that are computed are not among them."""
    words = iter(real.split())
    return all(word in words for word in read.split())


def described(act: Act, verdict: Verdict) -> dict[str, Any]:
    """An act for the audit log."""
    effects = [f"{effect.kind}: {effect.what}" for effect in verdict.effects]
    return {"language": act.language, "code": act.code, "risk": verdict.risk.word, "effects": effects}


async def _written(write: Callable[..., Any], *values: Any) -> bool:
    """A rule that cannot be written down is not made; what was agreed to is done all the same."""
    try:
        return await asyncio.to_thread(write, *values) is not None
    except OSError:
        return False
