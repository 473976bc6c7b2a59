"""AppleScript, which is not parsed in full: what is not recognised as looking counts as destroying."""

from __future__ import annotations

import re
from collections.abc import Callable

from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, sends

Classify = Callable[[str, str, int], list[Effect]]

_TEXT = r'"(?:[^"\\]|\\.)*"'
_LOOKS = re.compile(
    r"""(?ix)^\s*(
      (return|get|log|count)\b.* | set\s+\w+\s+to\s+(?!.*\bdo\ shell).* | end(\ \w+)?
    | tell\ (application|app)\s+"[^"]+"(\s+to\s+(get|return|count)\b.*)? | tell\ .+
    | display\ (dialog|notification|alert)\b.* | (if|else|repeat|try|on\ error|considering|ignoring)\b.* | --.*
    | the\ .*
    | [\w\s()"']+\ of\ [\w\s()"']+ | (current\ date|volume\ settings|name\ of|version\ of|path\ to)\b.* | )\s*$"""
)
_DESTROYS = re.compile(
    r"(?i)\b(delete|erase|empty\s+(the\s+)?trash|shut\s*down|restart|log\s*out|eject|move\b.*\btrash)\b"
)
_SENDS = re.compile(r"(?i)\bsend\b|make new outgoing message|\bpost\b")
_CHANGES = re.compile(
    r"(?i)\b(keystroke|key code|click|perform action|open|activate|launch|quit|close|make|save|duplicate|move"
    r"|set volume|set the clipboard|play|pause|next track|reopen|say|beep|set .* of .* to|start|stop|put|reveal"
    r"|select)\b"
)
_OPAQUE = re.compile(r"(?i)\b(run script|load script|store script|osascript|system attribute|keychain|password)\b")
_SHELL = re.compile(r'(?i)do (shell )?script\s+("((?:[^"\\]|\\.)*)"|\S+)([^\n]*)')


def _looks(line: str) -> bool:
    plain = " ".join(line.split())
    return len(plain) <= 400 and _LOOKS.match(plain) is not None


def read(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of an AppleScript, line by line; shell commands inside are read as such."""
    out: list[Effect] = []
    for match in _SHELL.finditer(code):
        if match[3] is None or "&" in match[4]:
            out.append(opaque("a shell command that is computed"))
        else:
            out += classify(re.sub(r"\\(.)", r"\1", match[3]), "shell", depth + 1)
        if match[1] is None:
            out.append(changes("process", "types into a terminal"))
        if "administrator" in match[4].lower():
            out.append(destroys("system", "with the rights of the administrator"))
    plain = re.sub(_TEXT, '""', code)
    if _DESTROYS.search(plain):
        out.append(destroys("delete", "AppleScript"))
    if _SENDS.search(plain) or re.search(r"(?i)mailto:", code):
        out.append(sends("AppleScript"))
    if re.search(r"(?i)\blogin item", plain) and re.search(r"(?i)\b(make|set|delete)\b", plain):
        out.append(Effect("persist", "something that starts at login", Risk.SPEND_OR_SEND))
    if _CHANGES.search(plain):
        out.append(changes("device", "AppleScript"))
    if _OPAQUE.search(plain):
        out.append(opaque("AppleScript code"))
    lines = (line for line in plain.split("\n") if not re.search(r"(?i)do (shell )?script", line))
    if not out and not all(_looks(line) for line in lines):
        out.append(opaque("AppleScript that was not understood"))
    return out
