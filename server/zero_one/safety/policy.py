"""What happens to an act of a given class: the table of trust. It is code, so that no model and no page can change it.

| class                     | the user's own words | tainted context     | device without a key |
|---------------------------|----------------------|---------------------|----------------------|
| observe                   | run                  | run, no network     | run                  |
| change, undoable by us    | run                  | ask                 | refuse               |
| change, otherwise         | ask                  | ask                 | refuse               |
| spend_or_send             | ask, a hand agrees   | the same            | refuse               |
| destroy                   | ask, a held hand     | the same            | refuse               |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zero_one.safety.risk.model import Risk, Verdict

SafeMode = Literal["off", "ask", "auto"]
Hand = Literal["any", "press", "hold"]
"""How a yes is given: by voice or hand, by any press of a hand, or by a deliberate one (2 s hold, slide, typing)."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the ruling depends on beside the act. ``sources`` name where foreign text in the context came from.

    ``auto_run`` and ``safe_mode`` are the old tools' settings, taken from the owner's profile and never from a remote:
    ``auto_run`` (or ``safe_mode: off``) lets changes run unasked while nothing foreign is in the context, ``ask`` asks
    about every change, whatever ``auto_run`` says. None touches what spends, sends or destroys. ``remembered``: a rule
    of the owner allows it. ``contained``: it stays within what we can put back and can be kept off the network,
    because it runs in a sandbox or is no program at all.
    """

    sources: tuple[str, ...] = ()
    keyless: bool = False
    auto_run: bool = False
    safe_mode: SafeMode = "auto"
    remembered: bool = False
    contained: bool = True

    @property
    def tainted(self) -> bool:
        return bool(self.sources)


@dataclass(frozen=True, slots=True)
class Ruling:
    """Run it, ask first, or refuse. ``network`` False: it must not reach the network while it runs."""

    kind: Literal["run", "ask", "refuse"]
    hand: Hand = "any"
    network: bool = True
    reason: str = ""
    may_remember: bool = False


NO_KEY = "This device has no key, so it may only look. Pair it: 01 pair"
_NO_SANDBOX = "It cannot be kept off the network here."


def rule(verdict: Verdict, given: Circumstances) -> Ruling:
    """The ruling over an act of this verdict."""
    tainted = given.tainted
    source = f"Text from {_and(given.sources)} is part of this conversation." if tainted else ""
    if verdict.risk is Risk.OBSERVE:
        reaches_out = any(effect.kind == "fetch" for effect in verdict.effects)
        if tainted and reaches_out and not given.contained and not given.keyless:
            return Ruling("ask", "any", reason=f"{source} {_NO_SANDBOX}")
        if tainted and reaches_out and not given.contained:
            return Ruling("refuse", reason=NO_KEY)
        return Ruling("run", network=not tainted)
    if given.keyless:
        return Ruling("refuse", reason=NO_KEY)
    if verdict.risk is Risk.DESTROY:
        return Ruling("ask", "hold", reason=source)
    if verdict.risk is Risk.SPEND_OR_SEND:
        return Ruling("ask", "press", reason=source)
    if not tainted and (given.remembered or _unasked(verdict, given)):
        return Ruling("run")
    return Ruling("ask", "any", reason=source, may_remember=not tainted)


def _unasked(verdict: Verdict, given: Circumstances) -> bool:
    """Whether a change of one's own words needs no question. The old tool, too, let ``ask`` win over ``auto_run``."""
    if given.safe_mode == "ask":
        return False
    return given.auto_run or given.safe_mode == "off" or (verdict.undoable and given.contained)


_STRENGTH: dict[str, int] = {"any": 0, "voice": 0, "press": 1, "hold": 2}


def enough(given: str, needed: Hand) -> bool:
    """Whether a yes given by ``voice``, ``press`` or ``hold`` is as deliberate as the ruling asks for."""
    return _STRENGTH.get(given, 0) >= _STRENGTH[needed]


def _and(names: tuple[str, ...]) -> str:
    """Named as one says it; of many sources only the first few."""
    if len(names) > _MOST_NAMED:
        names = (*names[:_MOST_NAMED], "other places")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_MOST_NAMED = 3
