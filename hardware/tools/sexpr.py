"""S-expressions as KiCad writes them: `parse` text to nested lists, `dump` them back.

Bare words become `Word` (a str), quoted strings become plain str, numbers stay `Word` until somebody
needs them; that keeps a symbol that is read and written again identical in content.
"""

from __future__ import annotations

import re
from typing import Any

Node = list[Any]

_TOKEN = re.compile(r'\s*(?:(\()|(\))|"((?:[^"\\]|\\.)*)"|([^\s()"]+))', re.S)


class Word(str):
    """A bare word or number, written without quotes."""


def parse(text: str) -> Node:
    """First list in `text`; raises ValueError when the parentheses do not balance."""
    stack: list[Node] = [[]]
    for match in _TOKEN.finditer(text):
        opening, closing, quoted, word = match.groups()
        if opening:
            stack.append([])
        elif closing:
            done = stack.pop()
            stack[-1].append(done)
        elif word is not None:
            stack[-1].append(Word(word))
        else:
            stack[-1].append(re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], quoted))
    if len(stack) != 1 or not stack[0]:
        raise ValueError("unbalanced parentheses in S-expression")
    first: Node = stack[0][0]
    return first


def dump(node: Node, depth: int = 0) -> str:
    """Text of `node`; lists that hold only atoms stay on one line."""
    pad = "\t" * depth
    if not any(isinstance(child, list) for child in node):
        return f"{pad}({' '.join(_atom(child) for child in node)})"
    head = [_atom(child) for child in node if not isinstance(child, list)]
    body = [dump(child, depth + 1) for child in node if isinstance(child, list)]
    return "\n".join([f"{pad}({' '.join(head)}", *body, f"{pad})"])


def _atom(value: Any) -> str:
    if isinstance(value, Word):
        return value
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def children(node: Node, name: str) -> list[Node]:
    """Direct sub-lists of `node` that begin with `name`."""
    return [child for child in node if isinstance(child, list) and child and child[0] == name]


def child(node: Node, name: str) -> Node | None:
    found = children(node, name)
    return found[0] if found else None


def word(text: object) -> Word:
    return Word(text)
