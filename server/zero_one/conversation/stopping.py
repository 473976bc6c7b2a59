"""Which words stop: what is being done for this device, or everything in the whole house."""

from __future__ import annotations

import re
from typing import Literal

_POLITE = r"(?:please|now|right now|at once|immediately|computer|hey|okay|ok|oh|no|i said|just|you|can you|could you)"
_VERB = r"(?:stop|halt|cancel|abort|kill|end|quit|cease|freeze|shut down|terminate)"
_ALL = r"(?:everything you are doing|everything|it all|all of it|all of that|all of this|all|all work|all tasks)"
_EVERYTHING = re.compile(
    rf"(?:{_POLITE} )*"
    rf"(?:{_VERB} (?:{_VERB} )*(?:doing )?{_ALL}|everything {_VERB}|{_ALL} stop|emergency stop|hard stop)"
    rf"(?: {_POLITE}| everything| everywhere)*"
)
_THIS = re.compile(
    rf"(?:{_POLITE} )*(?:(?:stop|cancel|abort|halt)(?: (?:it|that|this))?)(?: (?:stop|cancel|it|that|this|{_POLITE}))*"
)


def what_stops(text: str) -> Literal["", "this", "everything"]:
    """What these words stop, if they say nothing else: "stop everything in the oven" does not."""
    words = re.sub(r"[^a-z' ]+", " ", text.lower().replace("’", "'"))
    words = " ".join(re.sub(r"\byou're\b", "you are", words).split())
    if _EVERYTHING.fullmatch(words):
        return "everything"
    return "this" if _THIS.fullmatch(words) else ""
