"""The question about one act, put into words by code.

``Describe`` is where the risk classifier comes in: it sees the act and says what would be asked, or that nothing needs to be.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PURE_FACTS = frozenset(
    {
        "system.time",
        "system.battery",
        "system.disk",
        "system.memory",
        "system.cpu",
        "system.uptime",
        "system.network",
        "system.info",
        "display.size",
        "mouse.position",
        "volume.get",
    }
)
"""Methods of ``computer`` that only read a fact of the machine, harmless even in the hands of a hosted model: not asked about.

Not among them on purpose: screenshots, clipboard, window titles and file names, which may be private."""

_NAMES = {
    "python": "Python",
    "shell": "shell",
    "javascript": "JavaScript",
    "applescript": "AppleScript",
    "powershell": "PowerShell",
    "ruby": "Ruby",
    "r": "R",
    "html": "HTML",
    "sql": "SQL",
    "java": "Java",
}
_LONGEST_QUOTE = 80


@dataclass(frozen=True, slots=True)
class Act:
    """What a model wants done: code in a language, or a method of ``computer`` (language ``computer``) with arguments."""

    language: str
    code: str
    method: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> tuple[str, str]:
        """Equal for acts that differ in white space at line ends only."""
        return self.language, "\n".join(line.rstrip() for line in self.code.strip().splitlines())


@dataclass(frozen=True, slots=True)
class Described:
    """``ask`` False: it may go ahead. The rest are the parts of the question."""

    text: str
    ask: bool = True
    risk: str = "change"
    effects: tuple[str, ...] = ()
    reason: str = ""
    answers: tuple[str, ...] = ("yes", "no", "edit")


Describe = Callable[[Act], Described]


def describe(act: Act) -> Described:
    """Ask about everything but pure facts."""
    if act.method:
        if act.method in PURE_FACTS:
            return Described(f"Read {act.method}?", ask=False, risk="observe")
        return Described(_method_question(act), answers=("yes", "no"))
    lines = len([line for line in act.code.splitlines() if line.strip()])
    name = _NAMES.get(act.language, act.language)
    size = f"a line of {name}" if lines <= 1 else f"{lines} lines of {name}"
    said = first_effect(act.language, act.code)
    return Described(f"Run {size}: {said}?" if said else f"Run {size}?")


def _method_question(act: Act) -> str:
    hand, _, verb = act.method.partition(".")
    verb = verb.replace("_", " ")
    values = [
        f"{name} {_quote(str(value))}" for name, value in act.arguments.items() if value not in (None, "", [], {})
    ]
    what = f"{hand} {verb}" if hand not in ("opener", "files") else verb
    return f"Use {what}" + (f" with {', '.join(values[:4])}?" if values else "?")


def first_effect(language: str, code: str) -> str:
    """The first line that does something, for the question; imports, definitions and comments do nothing yet."""
    if language == "python":
        found = _first_python(code)
        if found is not None:
            return _quote(found)
    skip = re.compile(
        r"^\s*($|#|//|--|set -|import |from |use strict|\"use strict\"|'use strict'|cd\b[^;&|]*$|export \w+=)"
    )
    return _quote(next((line.strip() for line in code.splitlines() if not skip.match(line)), ""))


def _first_python(code: str) -> str | None:
    try:
        body = ast.parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    quiet = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for statement in body:
        if isinstance(statement, quiet):
            continue
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue
        if isinstance(statement, ast.Assign | ast.AnnAssign) and not any(
            isinstance(n, ast.Call) for n in ast.walk(statement)
        ):
            continue
        return (ast.get_source_segment(code, statement) or "").strip().splitlines()[0]
    return ""


def _quote(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"
