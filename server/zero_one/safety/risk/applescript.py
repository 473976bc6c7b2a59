"""AppleScript, which is not parsed in full: what is not recognised as looking counts as destroying."""

from __future__ import annotations

import re
from collections.abc import Callable

from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, sends

Classify = Callable[[str, str, int], list[Effect]]

_TEXT = r'"(?:[^"\\]|\\.)*"'
_LOOKS = re.compile(
    r"""(?ix)^\s*(
      \(?(current\ date|system\ (info|version|attribute)|info\ for|list\ (folder|disks)|choose\ (from|file|folder|color)
      |offset\ of|(the\ )?(clipboard|length|number|words?|characters?|paragraphs?|items?|text|first|last|every|id|unit)
      |short\ user|long\ user|home\ directory|host\ name|read\ |exists\ |random\ number|round\ |time\ to\ GMT
      |output\ volume
      |POSIX\ (path|file)|quoted\ form|my|using\ terms|with\ timeout|exit\ repeat)\b.*
      | application\ "".* | set\ AppleScript's\ text\ item.* |
      (return|get|log|count)\b.*
    | set\s+((the\ )?(end|beginning|item\ \w+)\ of\ )?\w+\s+to\s+(?!.*\bdo\ shell)(?!.*\b[a-z]\w*\().*
    | set\ \{[\w\s:,]+\}\ to\ \(?current\ date\)?
    | end(\ \w+)?
    | tell\ (?!.*\bto\b).+ | tell\ .*?\bto\s+(get|return|count|exists|name\ of|version\ of
      |(the\ )?(id|name|title|properties|bounds|index|text|url|number)\ of|set\s+\w+\s+to)\b.*
    | (on|to)\ \w+\s*\([\w\s,]*\) | display\ (dialog|notification|alert)\b.*
    | (if|else|repeat|try|on\ error|considering|ignoring)\b.* | --.*
    | the\ .*
    | [\w\s()"']+\ of\ [\w\s()"']+ | use\ (AppleScript|scripting).* | ["\d{(-].* | property\ .* | global\ .* | local\ .*
    | (current\ date|volume\ settings|name\ of|version\ of|path\ to)\b.* | )\s*$"""
)
_DESTROYS = re.compile(
    r"(?i)\bset\s+eof\b|\bevery\s+(application\s+)?process\b.*\b(quit|close|kill)"
    r"|\b(quit|close)\b.*\bevery\s+(application|process)"
    r"|\b(delete|remove|erase|empty\s+(the\s+)?trash|shut\s*down|restart|log\s*out|eject|move\b.*\btrash)\b"
)
_SENDS = re.compile(
    r"(?i)\bsend\b|\b(forward|reply|call|redirect|bounce|share|publish|upload)\b(?!\s+of)"
    r"|new (screen|audio|movie) recording|\bdo javascript\b"
    r"|hidden answer|SecurityAgent|keystroke\s+return|\breturn\b.*\bkeystroke|key code (36|76)\b"
    r"|keystroke.*&\s*(return|linefeed|enter)|make new outgoing message|\bpost\b"
)
_CHANGES = re.compile(
    r"(?i)\bset\b.*\b(picture|desktop|name|value|bounds|position|size|visible|volume|dark mode|status)\b.*\bto\b"
    r"|\b(keystroke|key code|click|perform action|open|activate|launch|quit|close|make|save|duplicate|move"
    r"|set volume|set the clipboard|play|pause|next track|reopen|say|beep|set .* of .* to|start(?!\s+date)|stop"
    r"|put|reveal|select)\b"
)
_OPAQUE = re.compile(r"(?i)\b(run script|load script|store script|osascript|system attribute|keychain|password)\b")
_SHELL = re.compile(r'(?i)do (shell )?script\s+("((?:[^"\\]|\\.)*)"|\S+)([^\n]*)')


def _looks(line: str) -> bool:
    plain = " ".join(line.split())
    return len(plain) <= 400 and _LOOKS.match(plain) is not None


_TYPED = re.compile(
    r'(?i)\b(write text|keystroke|do javascript|input text|execute javascript)\s+("((?:[^"\\]|\\.)*)"|[^\s"]+)([^\n]*)'
)


def _typed(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Text that is typed or handed to a terminal or a page: there, it may be a command."""
    out: list[Effect] = []
    for verb, _, text, rest in _TYPED.findall(code):
        javascript = "javascript" in verb.lower()
        if not text or (
            rest.lstrip().startswith("&") and not re.match(r"\s*&\s*(return|linefeed|enter|tab)\b", rest, re.I)
        ):
            computed = opaque("a script that is computed") if javascript else changes("device", f"{verb}: computed")
            out.append(opaque("a command that is computed") if verb.lower() == "write text" else computed)
            continue
        plain = re.sub(r"\\(.)", r"\1", text)
        found = classify(plain, "javascript" if javascript else "shell", depth + 1)
        grave = [e for e in found if e.risk > Risk.CHANGE and "not parse" not in e.what]
        prose = verb.lower() == "keystroke" and not re.search(r"[-/|~;&>$]", plain)
        out += [] if prose else grave
    return out


_PARTS = r"(?:time|day|month|year|hours|minutes|seconds)"


def _dates(plain: str) -> str:
    """``set time of d to 0`` of a date that this script has made changes a variable, and is written as one."""
    given: dict[str, list[str]] = {}
    for name, value in re.findall(r"(?im)^\s*set\s+(\w+)\s+to\s+(.+)$", plain):
        given.setdefault(name.lower(), []).append(value.lower())
    for value, name in re.findall(r"(?im)^\s*copy\s+(.+?)\s+to\s+(\w+)\s*$", plain):
        given.setdefault(name.lower(), []).append(value.lower())
    other = re.findall(r"(?i)\brepeat\s+with\s+(\w+)|\b(?:on|to)\s+\w+\s*\(([^)]*)\)|\bset\s+\{([^}]*)\}", plain)
    taken = set(re.findall(r"\w+", " ".join(" ".join(o) for o in other).lower()))
    dates: set[str] = set()
    for _ in range(4):
        date = rf"\b(?:current\s+date|{'|'.join(sorted(dates)) or '(?!)'})\b"
        made = re.compile(rf"(?:{date}|\b(?:day|week|hour|minute)s\b|[-+*()\d\s])+")
        dates |= {
            name
            for name, values in given.items()
            if name not in taken and all(made.fullmatch(v) and re.search(date, v) for v in values)
        }
    if not dates:
        return plain
    names = "|".join(sorted(dates))
    part = rf"(?:{_PARTS}\s+of\s+({names})|({names})'s\s+{_PARTS})"
    plain = re.sub(rf"(?im)^(\s*)set\s+{part}\s+to\b", lambda m: f"{m[1]}set {m[2] or m[3]} to", plain)
    return re.sub(rf"(?im)^(\s*)copy\s+({names})\s+to\s+({names})\s*$", r"\1set \3 to \2", plain)


def read(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of an AppleScript, line by line; shell commands inside are read as such."""
    code = re.sub(r"\(\*.*?\*\)", " ", code, flags=re.S).replace("\u00ac\n", " ")
    if any(len(line) > 2000 for line in code.split("\n")):
        return [opaque("AppleScript with a line too long to be read")]
    out = _typed(code, classify, depth)
    for match in _SHELL.finditer(code):
        if match[3] is None or "&" in match[4]:
            out.append(opaque("a shell command that is computed"))
        else:
            out += classify(re.sub(r"\\(.)", r"\1", match[3]), "shell", depth + 1)
        if match[1] is None:
            out.append(changes("process", "types into a terminal"))
        if "administrator" in match[4].lower():
            out.append(destroys("system", "with the rights of the administrator"))
    plain = _dates(re.sub(r"(?m)--.*$", "", re.sub(_TEXT, '""', code)))
    for address in re.finditer(r'(?i)open location\s+("([^"]*)"|\S+)([^\n]*)', code):
        computed = address[2] is None or "&" in address[3]
        if computed or re.match(r"(?i)(mailto|tel|sms|facetime|imessage):", address[2]) or len(address[2] or "") > 400:
            out.append(sends(address[2] or "a computed address"))
    if re.search(r"(?i)SecurityAgent|moz_cookies|login\.keychain", code):
        out.append(Effect("credential", "what others type", Risk.SPEND_OR_SEND))
    if re.search(r"(?i)hidden answer", plain):
        out.append(Effect("credential", "a password", Risk.SPEND_OR_SEND))
    if _DESTROYS.search(plain):
        out.append(destroys("delete", "AppleScript"))
    if _SENDS.search(plain) or re.search(r"(?i)mailto:", code):
        out.append(sends("AppleScript"))
    if re.search(r"(?i)\blogin item", plain) and re.search(r"(?i)\b(make|set|delete)\b", plain):
        out.append(Effect("persist", "something that starts at login", Risk.SPEND_OR_SEND))
    growing = re.sub(
        r"(?im)^\s*set\s+(the\s+)?(end|beginning|item\s+\w+)\s+of\s+\w+\s+to\b(?=\s+[\w\s\"'()&]+$)", "copy", plain
    )
    if _CHANGES.search(growing):
        out.append(changes("device", "AppleScript"))
    if _OPAQUE.search(plain):
        out.append(opaque("AppleScript code"))
    handlers = {name.lower() for name in re.findall(r"(?im)^\s*(?:on|to)\s+(\w+)\s*\(", plain)}
    called = re.compile(rf"(?i)^\s*(my\s+)?({'|'.join(map(re.escape, handlers)) or '(?!)'})\s*\([^()]*\)\s*$")
    if handlers:
        plain = re.sub(rf"(?i)\b(my\s+)?({'|'.join(map(re.escape, handlers))})\(", "(", plain)
    plain = "\n".join("" if called.match(line) else line for line in plain.split("\n"))
    lines = (line for line in plain.split("\n") if not re.search(r"(?i)do (shell )?script", line))
    if not out and not all(_looks(line) for line in lines):
        out.append(opaque("AppleScript that was not understood"))
    return out
