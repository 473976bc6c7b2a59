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
    about every change. Neither touches what spends, sends or destroys. ``remembered``: a rule of the owner allows it.
    """

    sources: tuple[str, ...] = ()
    keyless: bool = False
    auto_run: bool = False
    safe_mode: SafeMode = "auto"
    remembered: bool = False

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


def rule(verdict: Verdict, given: Circumstances) -> Ruling:
    """The ruling over an act of this verdict."""
    tainted = given.tainted
    source = f"Text from {_and(given.sources)} is part of this conversation." if tainted else ""
    if verdict.risk is Risk.OBSERVE:
        return Ruling("run", network=not tainted)
    if given.keyless:
        return Ruling(
            "refuse", reason="This device has no key, so it may only ask for things to look at. Pair it first: 01 pair."
        )
    if verdict.risk is Risk.DESTROY:
        return Ruling("ask", "hold", reason=source)
    if verdict.risk is Risk.SPEND_OR_SEND:
        return Ruling("ask", "press", reason=source)
    unasked = (verdict.undoable and given.safe_mode != "ask") or given.auto_run or given.safe_mode == "off"
    if not tainted and (unasked or given.remembered):
        return Ruling("run")
    return Ruling("ask", "any", reason=source, may_remember=not tainted)


def _and(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
