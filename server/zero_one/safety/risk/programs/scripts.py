"""Programs with a small language of their own (sed, awk, jq, dc): what their scripts write and run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, opaque
from zero_one.safety.risk.programs.call import Call, Handler, table

# --- sed ----------------------------------------------------------------------------------------------------------

_SED_ADDRESS = re.compile(
    r"(\d+(~\d+)?|\$|[+~]\d+)|/((?:[^/\\\n]|\\.|\[[^\]\n]*\])*)/[IM]*|\\(.)((?:(?!\4)[^\\\n]|\\.)*)\4[IM]*"
)
_SED_SILENT = set("dDgGhHnNpPxz=F{}")


class _Unread(Exception):
    """A script that is not understood may do anything."""


def _sed_commands(script: str) -> Iterator[tuple[str, str]]:
    """Each command of a script with what belongs to it: ``("w", "file")``, ``("e", "command")``, ``("s", flags)``."""
    at = 0

    def line() -> str:
        nonlocal at
        end = re.compile(r"(?:[^\n\\]|\\.)*", re.S).match(script, at)
        text, at = (end[0], end.end()) if end else ("", at)
        return text

    def delimited(parts: int) -> str:
        """Past ``/…/…/``; what stands between is text."""
        nonlocal at
        mark = re.escape(script[at : at + 1])
        found = re.compile(rf"{mark}(?:(?:(?!{mark})[^\\]|\\.)*{mark}){{{parts}}}", re.S).match(script, at)
        if not script[at : at + 1] or found is None:
            raise _Unread
        at = found.end()
        return found[0]

    while at < len(script):
        if script[at] in " \t\n;":
            at += 1
            continue
        for _ in range(2):
            address = _SED_ADDRESS.match(script, at)
            at = address.end() if address else at
            comma = re.compile(r"\s*,\s*").match(script, at) if address else None
            if comma is None:
                break
            at = comma.end()
        at = len(script) - len(script[at:].lstrip(" \t!"))
        command, at = script[at : at + 1], at + 1
        if command in _SED_SILENT:
            continue
        if command in ("s", "y"):
            delimited(2)
            flags = re.compile(r"[gpiImM\de]*").match(script, at)
            given = flags[0] if flags else ""
            at += len(given)
            yield command, given
            if script[at : at + 1] == "w":
                at += 1
                yield "w", line().strip()
        elif command in ("w", "W", "r", "R", "e", "a", "i", "c", "#"):
            yield command, line().strip()
        elif command in ("b", "t", "T", ":", "q", "Q", "l", "L", "v"):
            found = re.compile(r"[^;}\n]*").match(script, at)
            at = found.end() if found else at
        else:
            raise _Unread


def _sed(call: Call) -> list[Effect]:
    options, operands = call.options("efl", "--expression --file --line-length")
    scripts = [v for n, v in options if n == "-e" or (len(n) > 4 and "--expression".startswith(n))]
    if not scripts:
        scripts, operands = operands[:1], operands[1:]
    out = [e for e in map(paths.reading, operands) if e.risk]
    if any(re.match(r"-[a-zA-Z]*i|--in-", t) for t in call.texts):
        out += [paths.writing(o) for o in operands] or [changes("process", "changes files in place")]
    if any(n == "-f" or (len(n) > 4 and "--file".startswith(n)) for n, _ in options):
        out.append(opaque("a sed script from a file"))
    try:
        for command, given in _sed_commands("\n".join(scripts)):
            if command in ("w", "W"):
                out.append(paths.writing(given))
            elif command in ("r", "R"):
                out.append(paths.reading(given))
            elif command == "e" or (command == "s" and "e" in given):
                out.append(opaque("a command inside sed"))
    except _Unread:
        out.append(opaque("a sed script that was not understood"))
    return [e for e in out if e.risk]


# --- awk ----------------------------------------------------------------------------------------------------------

_AWK = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<comment>\#[^\n]*)|(?P<number>\d[\w.]*)|(?P<name>[A-Za-z_]\w*)
    |(?P<end>[;\n{}])|(?P<operator>>>|\|\||\|&|&&|[<>=!]=|[-+*/%^]=|\+\+|--|\*\*|.)|(?P<space>\s+)""",
    re.X | re.S,
)
_AWK_REGEX = re.compile(r"/(?:[^/\\\n\[]|\\.|\[\^?\]?[^\]\n]*\])*/")
_AWK_LOADS = ("-f", "-i", "-l", "-E", "-D", "--file", "--include", "--load", "--exec", "--debug")


def _awk_tokens(script: str) -> list[tuple[str, str]]:
    out: list[tuple[str, str]] = []
    at = 0
    while at < len(script):
        before = out[-1] if out else ("end", ";")
        value = before[0] in ("number", "string", "name", "regex") or before[1] in (")", "]", "$", "++", "--")
        keyword = before[1] in ("print", "printf", "return", "in", "case", "getline")
        regex = _AWK_REGEX.match(script, at) if script[at] == "/" and (not value or keyword) else None
        match = regex or _AWK.match(script, at)
        if match is None:
            return [*out, ("operator", "@")]
        at = match.end()
        kind = "regex" if regex else match.lastgroup or "operator"
        if kind not in ("space", "comment") and not (kind == "operator" and match[0].isspace()):
            out.append((kind, match[0]))
    return out


def _awk(call: Call) -> list[Effect]:
    options, operands = call.options("FvfileEoO", "--field-separator --assign --file --include --load --exec --source")
    names = {n for n, _ in options}
    scripts = [v for n, v in options if n in ("-e", "--source")]
    if not scripts and not names & {"-f", "--file", "-E", "--exec"}:
        scripts, operands = operands[:1], operands[1:]
    out = [e for e in map(paths.reading, operands) if e.risk]
    if ("-i", "inplace") in options or ("--include", "inplace") in options:
        out += [paths.writing(o) for o in operands] or [changes("process", "changes files in place")]
    elif names & set(_AWK_LOADS):
        return [opaque("an awk script from a file")]
    if names & {"-o", "-d", "-p", "--pretty-print", "--dump-variables", "--profile"}:
        out.append(changes("process", "writes out what awk knows"))
    return out + [effect for script in scripts for effect in _awk_effects(call, _awk_tokens(script))]


def _awk_effects(call: Call, tokens: list[tuple[str, str]]) -> list[Effect]:
    out: list[Effect] = []
    printing, depth = False, 0
    for i, (kind, text) in enumerate(tokens):
        after = tokens[i + 1 : i + 4] + [("end", "")] * 3
        if kind == "name" and text in ("print", "printf"):
            printing, depth = True, 0
        elif kind == "end":
            printing = False
        elif text in ("(", "["):
            depth += 1
        elif text in (")", "]"):
            depth -= 1
        if kind == "name" and text == "system":
            alone = after[1][0] == "string" and after[2][1] == ")"
            out += _awk_runs(call, after[1][1] if alone else None)
        elif text == "@" and kind == "operator":
            out.append(opaque("a function whose name is computed inside awk"))
        elif text in ("|", "|&"):
            told = tokens[i - 1] if after[0][1] == "getline" else after[0]
            joined = tokens[i - 2][0] if after[0][1] == "getline" and i > 1 else after[1][0]
            out += _awk_runs(call, told[1] if told[0] == "string" and joined not in ("string", "name") else None)
        elif text in (">", ">>") and printing and depth <= 0:
            plain = after[0][0] == "string" and after[1][0] not in ("string", "name")
            out.append(paths.writing(after[0][1][1:-1] if plain else "$COMPUTED"))
        elif text == "ENVIRON" and not (after[0][1] == "[" and after[1][0] == "string"):
            out.append(Effect("credential", "every variable of the environment", Risk.SPEND_OR_SEND))
        elif kind == "string" and "/inet" in text:
            out.append(opaque("a network connection inside awk"))
        elif kind == "string" and paths.is_secret(text[1:-1]):
            out.append(paths.reading(text[1:-1]))
    return [e for e in out if e.risk]


def _awk_runs(call: Call, literal: str | None) -> list[Effect]:
    if literal is None:
        return [opaque("a command made inside awk")]
    call.reader.nested(re.sub(r"\\(.)", r"\1", literal[1:-1]), "shell")
    return []


# --- jq and dc ----------------------------------------------------------------------------------------------------

_JQ_ENVIRONMENT = re.compile(
    r"(?<![.\w\"$-])env(?![\w\":-])(?!\s*\.\s*(HOME|USER|PATH|LANG|PWD|SHELL)\b)|\$ENV(?!\s*\.\s*(HOME|USER|PATH|LANG|PWD|SHELL)\b)"
)


def _jq(call: Call) -> list[Effect]:
    operands = call.operands
    out = [e for e in map(paths.reading, (t for t in call.texts if t not in operands[:1])) if e.risk]
    if operands and _JQ_ENVIRONMENT.search(operands[0]):
        out.append(Effect("credential", "variables of the environment", Risk.SPEND_OR_SEND))
    target = call.value("--output-file")
    return [*out, paths.writing(target)] if target else out


def _dc(call: Call) -> list[Effect]:
    scripts = [*call.texts, *([call.stdin] if call.stdin is not None else [])]
    if call.stdin is not None and "\0" in call.stdin:
        return [changes("process", "what dc is told")]
    for command in re.findall(r"!(?![<=>])([^\n]*)", "\n".join(scripts)):
        call.reader.nested(command, "shell")
    return call.reading()


TABLE: dict[str, Handler] = {
    **table(_sed, "sed gsed"),
    **table(_awk, "awk gawk mawk nawk"),
    **table(_jq, "jq gojq jaq"),
    "dc": _dc,
}
