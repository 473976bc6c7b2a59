"""``classify``: what a piece of code would do, from its parse, in any language that a model may write."""

from __future__ import annotations

import re

from zero_one.safety.risk.model import Effect, Verdict, opaque

_ALIASES = {
    "sh": "shell", "bash": "shell", "zsh": "shell", "console": "shell", "terminal": "shell", "shellscript": "shell",
    "py": "python", "python3": "python", "ipython": "python", "jupyter": "python",
    "js": "javascript", "node": "javascript", "nodejs": "javascript", "ts": "javascript", "typescript": "javascript",
    "osascript": "applescript", "ps1": "powershell", "pwsh": "powershell", "sqlite": "sql", "postgres": "sql",
    "postgresql": "sql", "mysql": "sql",
}  # fmt: skip
_HIDING = re.compile("[\u202a-\u202e\u2066-\u2069\0]|\\w[\u200b\u2060\ufeff\u00ad]+\\w")
"""Characters that turn what is written around, end it early, or part words without being seen."""
LANGUAGES = ("python", "shell", "javascript", "sql", "applescript", "powershell")
LONGEST = 40_000
"""Characters of code that are read; a longer program is opaque."""


def language_of(name: str) -> str:
    """The name used here for a language as models and people write it."""
    lowered = name.strip().lower()
    return _ALIASES.get(lowered, lowered)


def classify(code: str, language: str) -> Verdict:
    """The verdict over ``code``. Never raises: what cannot be read is opaque, which is the highest class."""
    return Verdict.of(effects(code, language_of(language), 0))


def effects(code: str, language: str, depth: int) -> list[Effect]:
    """Effects of code, ``depth`` wrappings deep."""
    if depth > 12:
        return [opaque("code wrapped too deeply")]
    if len(code) > LONGEST:
        return [opaque("a program too long to be read")]
    code = code.lstrip("\ufeff")
    if _HIDING.search(code):
        return [opaque("characters that hide what is written")]
    try:
        if language == "shell":
            from zero_one.safety.risk.shell import Reader

            return Reader(effects, depth).read(code)
        if language == "python":
            from zero_one.safety.risk.python import read as read_python

            return read_python(code, effects, depth)
        if language == "javascript":
            from zero_one.safety.risk.javascript import read as read_javascript

            return read_javascript(code, effects, depth)
        if language == "sql":
            from zero_one.safety.risk.sql import read as read_sql

            return read_sql(code)
        if language == "powershell":
            from zero_one.safety.risk.powershell import read as read_powershell

            return read_powershell(code, effects, depth)
        if language == "applescript":
            from zero_one.safety.risk.applescript import read as read_applescript

            return read_applescript(code, effects, depth)
    except RecursionError:
        return [opaque("code nested too deeply to be read")]
    except Exception as error:  # noqa: BLE001 - a reader that fails must never let code pass: unreadable is opaque
        return [opaque(f"{language} code that could not be read ({type(error).__name__})")]
    return [opaque(f"{language} code")]
