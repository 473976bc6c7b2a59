"""The question about one act, put into words by code.

``Describe`` is where the risk classifier comes in: it sees the act and says what is asked, or that nothing needs to be.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from zero_one.safety.question import effects_in_words
from zero_one.safety.risk import Verdict, classify
from zero_one.safety.risk.hands import classify_hand

PURE_FACTS = frozenset(
    {
        "display.size",
        "mouse.position",
        "system.about",
        "system.battery",
        "system.clock",
        "system.cpu",
        "system.disk",
        "system.memory",
        "system.network",
        "system.uptime",
        "volume.get",
    }
)
"""Methods of ``computer`` that only read a fact of the machine, harmless even with a hosted model: not asked about.

Not among them on purpose: screenshots, clipboard, window titles, processes and file names, which may be private."""

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
    """What a model wants done: code in a language, or a method of ``computer`` (then the language is ``computer``)."""

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
        verdict = Verdict.of([classify_hand(act.method, act.arguments)])
        return Described(
            _method_question(act),
            risk=verdict.risk.word,
            effects=effects_in_words(verdict.effects),
            answers=("yes", "no"),
        )
    lines = len([line for line in act.code.splitlines() if line.strip()])
    name = _NAMES.get(act.language, act.language)
    size = f"a line of {name}" if lines <= 1 else f"{lines} lines of {name}"
    said = first_effect(act.language, act.code)
    verdict = classify(act.code, act.language)
    return Described(
        f"Run {size}: {said}?" if said else f"Run {size}?",
        risk=verdict.risk.word,
        effects=effects_in_words(verdict.effects),
    )


_SPOKEN = {
    "clipboard.copy": "Copy that to the clipboard",
    "clipboard.set": "Put {text} on the clipboard",
    "clipboard.view": "Let the model read your clipboard",
    "display.lock": "Lock the screen",
    "display.screenshot": "Let the model see your screen",
    "files.find": "Look for files named {name}",
    "files.list": "List the files in {path}",
    "files.recent": "List your latest files",
    "keyboard.hotkey": "Press {keys}",
    "keyboard.press": "Press {key}",
    "keyboard.type": "Type {text}",
    "mouse.click": "Click at {x}, {y}",
    "mouse.double": "Double-click at {x}, {y}",
    "mouse.move": "Move the mouse to {x}, {y}",
    "notify.send": "Show the notification {title}",
    "opener.app": "Open {name}",
    "opener.file": "Open the file {path}",
    "opener.folder": "Open the folder {path}",
    "opener.url": "Open the page {address}",
    "system.processes": "Let the model see what is running",
    "volume.set": "Set the volume to {percent} percent",
    "windows.close": "Close the window {window}",
    "windows.focus": "Switch to {window}",
    "windows.list": "Let the model see which windows are open",
}


def _method_question(act: Act) -> str:
    values = {name: _quote(_value(value)) for name, value in act.arguments.items() if value not in (None, "", [], {})}
    if phrase := _SPOKEN.get(act.method):
        try:
            return phrase.format_map(values) + "?"
        except KeyError:
            pass  # an argument was left at its default: said in the general form
    what = act.method.replace(".", " ").replace("_", " ")
    said = ", ".join(f"{name} {value}" for name, value in list(values.items())[:4])
    return f"Use {what} with {said}?" if said else f"Use {what}?"


def _value(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)


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
