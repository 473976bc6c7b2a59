"""``01 risk``: what a piece of code would do, how grave that is, and what would be asked before it runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

from zero_one.safety.policy import Circumstances, Ruling, rule
from zero_one.safety.question import question
from zero_one.safety.risk import Risk, Verdict, classify
from zero_one.safety.risk.guess import guess

_CASES = (
    ("on your own words", Circumstances()),
    ("with text from elsewhere in the conversation", Circumstances(sources=("a web page",))),
    ("for a device without a key", Circumstances(keyless=True)),
)


def run(file: str, language: str | None, *, as_json: bool) -> int:
    """Explain the code in ``file`` (``-``: standard input). 0 done, 1 when it cannot be read."""
    try:
        code = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        print(f"01: {file} cannot be read: {error.strerror or error}. Nothing was classified.", file=sys.stderr)
        return 1
    text = code.decode("utf-8", "replace")
    known = language or guess(text, "" if file == "-" else file)
    verdict = classify(text, known)
    print(json.dumps(row(verdict), ensure_ascii=False) if as_json else explain(verdict, known, Path.cwd()))
    return 0


def lines(source: Iterable[bytes], out: TextIO) -> int:
    """One ``{"lang", "code"}`` a line in, one verdict (or ``{"error"}``) a line out, each written at once."""
    for line in source:
        out.write(json.dumps(_answer(line), ensure_ascii=True) + "\n")
        out.flush()
    return 0


def row(verdict: Verdict) -> dict[str, Any]:
    """``{"risk", "effects": [{"kind", "what", "risk", "undoable", "file"}], "undoable", "packages", "touched"}``.

    ``touched``: the paths that are written, moved or deleted, as the code writes them.
    """
    return {
        "risk": verdict.risk.word,
        "effects": [
            {"kind": e.kind, "what": e.what, "risk": e.risk.word, "undoable": e.undoable, "file": e.file}
            for e in verdict.effects
        ],
        "undoable": verdict.undoable,
        "packages": list(verdict.packages),
        "touched": list(verdict.touched),
    }


def explain(verdict: Verdict, language: str, cwd: Path) -> str:
    """The verdict for a person, with what would be asked in each case."""
    said = [f"{verdict.risk.word}  ({language})"]
    said += [f"  {_effect(e.kind, e.what, e.risk, e.undoable)}" for e in verdict.effects] or ["  no effect was found"]
    said.append("")
    said += [f"{name}: {_ruling(rule(verdict, given), verdict, cwd)}" for name, given in _CASES]
    return "\n".join(said)


def _answer(line: bytes) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except (ValueError, RecursionError) as error:
        return {"error": f"not JSON: {error}"}
    if not isinstance(given, dict):
        return {"error": 'not an object with "lang" and "code"'}
    code, language = given.get("code"), given.get("lang")
    if not isinstance(code, str) or not (language is None or isinstance(language, str)):
        return {"error": '"code" must be a text, and "lang" a text or absent'}
    return row(classify(code, language or guess(code)))


def _effect(kind: str, what: str, risk: Risk, undoable: bool) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in what).split())
    undo = "" if risk is Risk.OBSERVE else ", can be undone" if undoable else ", cannot be undone"
    return f"{kind}: {plain[:100]}  [{risk.word}{undo}]"


def _ruling(ruling: Ruling, verdict: Verdict, cwd: Path) -> str:
    if ruling.kind == "run":
        return "runs" if ruling.network else "runs, with no network"
    if ruling.kind == "refuse":
        return f"refused. {ruling.reason}"
    return f"asks: {question(verdict, cwd, ruling.hand, ruling.reason)}"
