"""Which words a template cannot do without, read from its text alone.

hassil takes a millisecond to parse a template, and there are more than a thousand; most are never needed, since none of
their words was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Needs = tuple[frozenset[str], ...]
"""Of each of these groups at least one word must be said."""

_TOKEN = re.compile(r"[\[\]()|]|<\w+>|\{\w+\}|[^\s\[\]()|<>{}]+")


def needs(template: str, rule: Callable[[str], Needs]) -> Needs:
    """What ``template`` needs; ``rule`` knows what the rule of a name needs."""
    tokens = _TOKEN.findall(template)
    found, _ = _alternatives(tokens, 0, rule)
    return found


def _alternatives(tokens: list[str], at: int, rule: Callable[[str], Needs]) -> tuple[Needs, int]:
    """What everything up to the closing bracket needs, and where it ends."""
    ways: list[list[frozenset[str]]] = [[]]
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token in ")]":
            break
        if token == "|":
            ways.append([])
        elif token in "([":
            inner, at = _alternatives(tokens, at, rule)
            if token == "(":
                ways[-1] += inner
        elif token[0] == "<":
            ways[-1] += rule(token[1:-1])
        elif token[0] != "{":
            ways[-1].append(frozenset((token,)))
    if len(ways) == 1:
        return tuple(ways[0]), at
    if not all(ways):
        return (), at
    return (frozenset[str]().union(*(min(way, key=len) for way in ways)),), at
