"""Wordings in any order: every word must belong to the command, and its telling words must be there.

Templates fix an order of words; people do not. A command may add ``loose`` to the grammar: ``must`` (groups of words,
at least one of each group is said) and ``may`` (further words that fit), as a question (``ask``) or an order (``do``).
One word outside these and the small words below, and it is no match: "how does a battery work" has "does" and "work".
With ``slot`` some run of the words must fill a slot of that kind, and the rest is as above; ``not`` are words that
would make it something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from zero_one.commands import slots
from zero_one.commands.scene import Scene, Values
from zero_one.commands.words import Words

_ASK_WORDS = frozenset(
    "how what which is are was am be been the my our your i we you it me us do did have has had got much many more "
    "long longer "
    "left remaining there any some still now right currently current on in at of for to with this that here doing "
    "going "
    "looking tell show give check see know let get can could total amount status level so far like just about "
    "exactly computer "
    "please okay today all".split()
)
_DO_WORDS = frozenset(
    "the my our your this that these it all of please on in for to me us you i a an up down off out now just so get "
    "go make "
    "do have let can could need want would like be give some any more bit little another one again back there here "
    "with and "
    "okay right away every everything set put take turn tad notch slightly will should keep".split()
)
# A question about what one has or wants to know, not about what a thing is: "what is memory" asks for an essay.
_OWN = frozenset(
    "my our the this i we left free much many current level status usage any got have check show full still today "
    "now it "
    "you enough used".split()
)
_MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class Loose:
    """One command's words. ``kind`` decides which small words go with them."""

    command: str
    kind: Literal["ask", "do"]
    must: tuple[frozenset[str], ...]
    may: frozenset[str]
    slot: str = ""
    never: frozenset[str] = frozenset()

    @classmethod
    def read(cls, command: str, entry: Mapping[str, Any]) -> Loose:
        """From the grammar's ``{ask|do: [group, …], may: words, slot: kind, not: words}``, words apart by spaces."""
        kind: Literal["ask", "do"] = "ask" if "ask" in entry else "do"
        return cls(
            command,
            kind,
            tuple(frozenset(str(group).split()) for group in entry[kind]),
            frozenset(str(entry.get("may", "")).split()),
            str(entry.get("slot", "")),
            frozenset(str(entry.get("not", "")).split()),
        )

    def fits(self, words: Words, scene: Scene) -> tuple[int, Values]:
        """0 when ``words`` are not this command, else how many of them tell so, and what its slot says."""
        if len(words) > _MOST_WORDS or not all(any(word.norm in group for word in words) for group in self.must):
            return 0, {}
        if not self.slot:
            return self._telling(words), {}
        known = self._known()
        strange = [at for at, word in enumerate(words) if word.norm not in known]
        for size in range(len(words) - 1, 0, -1):
            for at in range(len(words) - size + 1):
                if strange and not at <= strange[0] <= strange[-1] < at + size:
                    continue
                if told := self._telling(words[:at] + words[at + size :]):
                    values = slots.read(self.slot, words[at : at + size], scene)
                    if values is not None:
                        return told, values
        return 0, {}

    def _known(self) -> frozenset[str]:
        small = _ASK_WORDS if self.kind == "ask" else _DO_WORDS
        return (frozenset().union(*self.must) | self.may | small) - self.never

    def _telling(self, words: Words) -> int:
        said = {word.norm for word in words}
        if not all(said & group for group in self.must) or not said <= self._known():
            return 0
        if self.kind == "ask" and not self.slot and not said & _OWN:
            return 0
        return len(said & (frozenset().union(*self.must) | self.may))
