"""PowerShell's words: pipelines of commands, commands of words, with brackets as groups of pipelines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Text:
    """One word. ``inner``: scripts that stand inside it (``"$(…)"``); ``sure``: nothing of it is computed."""

    text: str
    kind: str = "word"
    inner: list[list[list[list[Item]]]] = field(default_factory=list)

    @property
    def sure(self) -> bool:
        return self.kind == "single" or (not self.inner and "$" not in self.text and not self.text.startswith("@"))


@dataclass
class Group:
    """``( … )``, ``{ … }``, ``$( … )``, ``@( … )``, ``@{ … }``; ``joined``: no space stands before it."""

    kind: str
    lines: list[list[list[Item]]]
    joined: bool = False

    @property
    def first(self) -> Item | None:
        return next((item for line in self.lines for command in line for item in command), None)


Item = Text | Group
_TOKEN = re.compile(
    r"""(?P<comment><\#.*?(?:\#>|\Z)|(?<![\w$`])\#[^\n]*)
    |(?P<here1>@'\r?\n.*?\r?\n'@)|(?P<here2>@"\r?\n.*?\r?\n"@)
    |(?P<single>'(?:[^']|'')*')|(?P<double>"(?:[^"`]|`.|"")*")
    |(?P<open>\$\(|@\(|@\{|\(|\{)|(?P<close>[)}])
    |(?P<end>;|\r?\n|&&|\|\|)|(?P<pipe>\|)
    |(?P<continued>`\r?\n)|(?P<space>[ \t\r\f\v\u00a0]+)
    |(?P<redirect>[\d*]?>>?(?:&\d)?)(?=\s|\$|[\w.'"~/\\])
    |(?P<type>\[[\w.,\[\]` ]+\](?:::\w+)?(?:\.\w+)*)
    |(?P<comma>,)
    |(?P<word>(?:[^\s'"(){};|,`$@]|`.|\$(?!\()\{?[\w:]*\}?|@(?![({'"]))+)
    |(?P<other>.)""",
    re.S | re.X,
)


def pipelines(code: str, depth: int = 0) -> list[list[list[Item]]]:
    """The pipelines of a script, each a list of commands, each a list of words and groups."""
    stack: list[tuple[str, bool, list[list[list[Item]]]]] = [("", False, [[[]]])]
    spaced = True
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "other", match[0]
        lines = stack[-1][2]
        command = lines[-1][-1]
        if kind in ("comment", "space", "continued", "comma"):
            spaced = True
            continue
        if kind == "open":
            stack.append((text[-1], not spaced, [[[]]]))
        elif kind == "close":
            if len(stack) > 1:
                opened, joined, inner = stack.pop()
                stack[-1][2][-1][-1].append(Group(opened, inner, joined))
        elif kind == "end":
            lines.append([[]])
        elif kind == "pipe":
            lines[-1].append([])
        elif kind in ("single", "here1"):
            command.append(
                Text(text[1:-1].replace("''", "'") if kind == "single" else text[2:-2].strip("\r\n"), "single")
            )
        elif kind in ("double", "here2"):
            command.append(_expandable(text[1:-1] if kind == "double" else text[2:-2].strip("\r\n"), depth))
        else:
            plain = re.sub(r"`(.)", r"\1", text)
            last = command[-1] if command else None
            if not spaced and isinstance(last, Group) and plain.startswith((".", "::")):
                command.append(Text(f"$_{plain}"))  # a member of what stands in the brackets
            else:
                command.append(Text(plain))
        spaced = False
    while len(stack) > 1:  # brackets that were not closed
        opened, joined, inner = stack.pop()
        stack[-1][2][-1][-1].append(Group(opened, inner, joined))
    return [[c for c in line if c] for line in stack[0][2] if any(line)]


def _expandable(text: str, depth: int) -> Text:
    inner: list[list[list[list[Item]]]] = []
    if "$(" in text and depth < 12:
        inner = [pipelines(part, depth + 1) for part in _subexpressions(text)]
    return Text(re.sub(r'`(.)|""', lambda m: m[1] or '"', text), "double", inner)


def _subexpressions(text: str) -> list[str]:
    """What stands in each ``$( … )`` of a text, brackets counted."""
    out: list[str] = []
    at = text.find("$(")
    while at >= 0:
        level, end = 0, len(text)
        for i in range(at + 1, len(text)):
            level += {"(": 1, ")": -1}.get(text[i], 0)
            if level == 0:
                end = i
                break
        out.append(text[at + 2 : end])
        at = text.find("$(", end)
    return out
