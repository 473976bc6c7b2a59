"""What one turn has used of what it may use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from zero_one.config.settings import CapSettings
from zero_one.interpreter.model import Usage

Cap = Literal["steps", "seconds", "cost"]


@dataclass
class Spent:
    """A turn's steps, seconds and cost. ``clock`` is in seconds; time spent waiting for the user does not count."""

    caps: CapSettings
    clock: Callable[[], float]
    steps: int = 0
    cost_usd: float = 0.0
    tokens: int = 0
    done: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    _began: float = 0.0
    _away: float = 0.0

    def __post_init__(self) -> None:
        self._began = self.clock()

    def waited(self, seconds: float) -> None:
        self._away += seconds

    def used(self, usage: Usage) -> None:
        self.cost_usd += usage.cost_usd
        self.tokens += usage.prompt + usage.completion

    @property
    def seconds_left(self) -> float:
        return max(0.0, self.caps.seconds - (self.clock() - self._began - self._away))

    def over(self) -> Cap | None:
        """The cap that was reached, if any."""
        if self.steps >= self.caps.steps:
            return "steps"
        if self.seconds_left <= 0:
            return "seconds"
        if self.caps.cost_usd is not None and self.cost_usd >= self.caps.cost_usd and self.tokens:
            return "cost"
        return None

    def words(self, cap: Cap) -> str:
        """What to say at a cap: why, what was done, and whether to go on."""
        why = {
            "steps": f"I have taken {self.steps} {_plural('step', self.steps)}, as many as I may for one request.",
            "seconds": f"I have worked for {_duration(self.caps.seconds)}, as long as I may for one request.",
            "cost": f"This request has cost about {_money(self.cost_usd)}, as much as it may.",
        }[cap]
        acts = [f"{count} {_plural('piece', count)} of {name}" for name, count in self.done.items()]
        what = f"So far I ran {_and(acts)}" if acts else "Nothing has been run yet"
        if self.failed:
            what += f", of which {self.failed} failed"
        return f"{why} {what}. Shall I go on?"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        count = max(1, round(seconds))
        return f"{count} {_plural('second', count)}"
    count = round(seconds / 60)
    return f"{count} {_plural('minute', count)}"


def _money(usd: float) -> str:
    return f"${usd:.2f}" if usd >= 0.01 else f"{usd * 100:.2g} cents"
