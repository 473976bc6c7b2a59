"""Which files a piece of code may touch beside the project folder, so that they are kept before it runs.

The verdict names its targets for a person ("permissions of ~/x", "a.txt to b.txt"), so every part of them, and every
text and word of the code itself, that reads as a path is taken for one. One too many costs a look, one too few cannot
be undone.
"""

from __future__ import annotations

import ast
import glob
import itertools
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path

from zero_one.safety.risk.model import Risk, Verdict

MOST = 2000
_CHANGING = frozenset({"write", "move", "delete", "opaque", "process", "persist", "package", "system"})
_OFF_LIMITS = ("/proc", "/sys", "/dev")
_ABOUT = re.compile(r"^(?:permissions of|times of|owner of|what is found in|files in|what|link) (.*?)(?: holds)?$")
_EXISTING_ONLY = 400


def roots(verdict: Verdict, code: str, language: str, *, project: Path, cwd: Path | None = None) -> list[Path]:
    """The project folder and every path that the code seems to change. ``cwd`` is where the code stands really.

    Blocks for a moment (wild cards are looked up). Empty when it only looks.
    """
    if verdict.risk is Risk.OBSERVE:
        return []
    here = cwd or project
    out: dict[Path, None] = {project: None}
    if here != project:
        out |= dict.fromkeys(_without_breadth(here) if here.is_dir() else [here])
    changing = [e.what for e in verdict.effects if e.kind in _CHANGING]
    if not changing:
        return list(out)
    looked_at = {_expand(e.what) for e in verdict.effects if e.kind == "read"}
    for text in changing:
        for part in _parts(text):
            _add(part, here, out, must_be=False)
    for text in itertools.islice(_texts(code, language), _EXISTING_ONLY):
        if _expand(text) not in looked_at:
            _add(text, here, out, must_be=True)
    return list(out)[:MOST]


def _expand(text: str) -> str:
    return os.path.expandvars(os.path.expanduser(text))


def _parts(what: str) -> Iterator[str]:
    """The paths in an effect's words."""
    yield what
    yield from what.split(" to ")
    if match := _ABOUT.match(what):
        yield match[1]


def _add(text: str, here: Path, out: dict[Path, None], *, must_be: bool) -> None:
    """``must_be``: only what is there, or is plainly a path."""
    text = text.strip()
    if not text or "\n" in text or "\0" in text or len(text) > 1000:
        return
    for name in map(_expand, _braces(text)):
        path = here / name
        if "://" in name or "$" in name or _forbidden(path):
            continue
        if any(c in name for c in "*?["):
            for found in itertools.islice(glob.iglob(os.path.join(glob.escape(os.fspath(here)), name)), MOST):
                out.setdefault(Path(found), None)
        if os.path.lexists(path):
            for part in _without_breadth(path) if must_be else [path]:
                out.setdefault(part, None)
        elif name.startswith(("/", "./", "../")) if must_be else _likely(name):
            out.setdefault(path, None)


def _without_breadth(path: Path) -> list[Path]:
    """A whole home or disk that is only mentioned is not looked through: of a home, the files that lie in it openly."""
    real, home = Path(os.path.realpath(path)), Path(os.path.realpath(Path.home()))
    if real == home:
        return [Path(entry.path) for entry in os.scandir(real) if not entry.is_dir(follow_symlinks=False)]
    broad = home.is_relative_to(real) or len(real.parts) <= 2
    return [] if broad and real.is_dir() else [path]


def _forbidden(path: Path) -> bool:
    name = os.path.normpath(path)
    return any(name == folder or name.startswith(folder + os.sep) for folder in _OFF_LIMITS)


def _likely(name: str) -> bool:
    return " " not in name or os.sep in name or "." in name


def _braces(text: str) -> Iterable[str]:
    """``a{1..3}.txt`` and ``{a,b}.txt`` as the shell writes them out; at most some hundreds."""
    match = re.search(r"\{([^{}]*(?:,|\.\.)[^{}]*)\}", text)
    if match is None:
        return [text]
    inner = match[1]
    if steps := re.fullmatch(r"(-?\d{1,6})\.\.(-?\d{1,6})", inner):
        low, high = int(steps[1]), int(steps[2])
        width = len(steps[1]) if steps[1].startswith("0") else 0
        numbers = range(low, high + 1) if low <= high else range(low, high - 1, -1)
        choices = [str(n).zfill(width) for n in itertools.islice(numbers, 300)]
    else:
        choices = inner.split(",")
    rest = [text[: match.start()] + choice + text[match.end() :] for choice in choices]
    return itertools.islice(itertools.chain.from_iterable(_braces(r) for r in rest), 300)


def _texts(code: str, language: str) -> Iterator[str]:
    """Words and texts of the code that may be paths."""
    if language in ("python", "py"):
        try:
            tree = ast.parse(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            tree = None
        if tree is not None:
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
                    if " " in node.value and len(node.value) < 2000:
                        yield from _words(node.value)
            return
    yield from _words(code)


def _words(text: str) -> Iterator[str]:
    for line in text.splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            words = line.split()
        for word in words:
            yield word
            stripped = word.strip("\"'`(),;:[]{}<>&|")
            if stripped != word:
                yield stripped
            if "=" in word:
                yield word.partition("=")[2]
