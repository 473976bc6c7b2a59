"""Finding and listing files, fast and by the words people say."""

from __future__ import annotations

import datetime
import os
import re
import time
from collections import deque
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from zero_one.computer import places
from zero_one.computer.method import HandsError, method

Kind = Literal["any", "file", "folder"]
LIMIT_S = 3.0
"""How long a search may take; what was found by then is what there is."""

_SKIPPED = {
    "node_modules", "__pycache__", "site-packages", "venv", "Library", "AppData", "snap", "proc", "sys", "dev",
    "Trash", "cache", "Cache", "Caches", "target", "bower_components",
}  # fmt: skip
_FILLER = set(
    "the a an my file files called named document folder directory of with for from in about to and is".split()
)
_ENOUGH = 0.72  # likeness below which two words are different words


@method("observe")
def find(
    name: Annotated[str, Field(description="the file's name, part of it, words of it, or a pattern such as *.pdf")],
    where: Annotated[str, Field(description="folder to search: a path, or downloads, documents, desktop, …")] = "~",
    kind: Kind = "any",
    limit: Annotated[int, Field(ge=1, le=200)] = 10,
) -> list[dict[str, Any]]:
    """Find files and folders by name below a folder (the home folder unless said); hidden ones are skipped.

    Best match first, the most recently changed first among equals: path, name, kind, size (bytes), modified (ISO 8601).
    """
    start = _folder(where)
    score = _scorer(name)
    found: list[tuple[float, float, os.DirEntry[str]]] = []
    for entry in _walk(start, time.monotonic() + LIMIT_S):
        if kind != "any" and entry.is_dir(follow_symlinks=False) != (kind == "folder"):
            continue
        points = score(entry.name)
        if points > 0:
            try:
                found.append((points, entry.stat(follow_symlinks=False).st_mtime, entry))
            except OSError:
                continue
    found.sort(key=lambda one: (-one[0], -one[1]))
    return [_described(Path(entry.path)) for _, _, entry in found[:limit]]


@method("observe")
def list_(path: str = "~", limit: Annotated[int, Field(ge=1, le=2000)] = 200) -> list[dict[str, Any]]:
    """What is in a folder, folders first, then by name; as find gives it. Hidden files are left out."""
    folder = _folder(path)
    try:
        entries = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError as error:
        raise HandsError(f"{folder} cannot be listed: {error.strerror}.") from None
    entries.sort(key=lambda entry: (not entry.is_dir(), entry.name.lower()))
    return [_described(Path(entry.path)) for entry in entries[:limit]]


@method("observe")
def recent(where: str = "~", limit: Annotated[int, Field(ge=1, le=200)] = 10) -> list[dict[str, Any]]:
    """The files changed last below a folder, newest first; as find gives it."""
    newest: list[tuple[float, str]] = []
    for entry in _walk(_folder(where), time.monotonic() + LIMIT_S):
        try:
            if entry.is_file(follow_symlinks=False):
                newest.append((entry.stat(follow_symlinks=False).st_mtime, entry.path))
        except OSError:
            continue
    newest.sort(reverse=True)
    return [_described(Path(path)) for _, path in newest[:limit]]


def _folder(where: str) -> Path:
    folder = places.named(where) or Path(where).expanduser()
    if not folder.is_dir():
        raise HandsError(f"There is no folder {folder}.")
    return folder.resolve()


def _walk(start: Path, until: float) -> Iterator[os.DirEntry[str]]:
    """Breadth first, so that what lies near the top is found before the time is up."""
    waiting = deque([str(start)])
    while waiting:
        try:
            with os.scandir(waiting.popleft()) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    yield entry
                    if entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue  # not ours to read
        if time.monotonic() > until:
            return


def _scorer(wanted: str) -> Any:
    """A function from a file's name to how well it is meant: 0 means not at all."""
    low = wanted.strip().lower()
    if any(sign in low for sign in "*?["):
        import fnmatch

        pattern = re.compile(fnmatch.translate(low))
        return lambda name: 1.0 if pattern.match(name.lower()) else 0.0
    low = low.replace(" dot ", ".")
    words = [word for word in _words(low) if word not in _FILLER] or _words(low)
    if not words:
        raise HandsError("No name to look for was given.")

    def score(name: str) -> float:
        plain = name.lower()
        if plain == low:
            return 10.0
        stem = plain.rpartition(".")[0] or plain
        if stem == low or _words(stem) == words:
            return 9.0
        if low in plain:
            return 7.0 + len(low) / len(plain)
        there = _words(plain)
        likeness = [max((_alike(word, other) for other in there), default=0.0) for word in words]
        if min(likeness) >= _ENOUGH:
            return 3.0 * sum(likeness) / len(likeness) + len(words) / (len(there) or 1)
        joined = "".join(words)
        if len(joined) > 3 and joined in "".join(there):
            return 2.5
        return 0.0

    return score


def _words(text: str) -> list[str]:
    """Words of a name: cut at signs, at letter-digit borders, as spoken names have them."""
    return re.findall(r"[^\W\d_]+|\d+", text)


def _alike(word: str, other: str) -> float:
    if word == other:
        return 1.0
    if len(word) > 2 and (other.startswith(word) or (word.startswith(other) and len(other) > 3)):
        return 0.9
    if abs(len(word) - len(other)) > 3 or min(len(word), len(other)) < 4:
        return 0.0
    return SequenceMatcher(None, word, other).ratio()


def _described(path: Path) -> dict[str, Any]:
    try:
        facts = path.stat()
        size, modified = facts.st_size, facts.st_mtime
    except OSError:
        size, modified = 0, 0.0
    when = datetime.datetime.fromtimestamp(modified).astimezone().isoformat(timespec="seconds")
    return {
        "path": str(path),
        "name": path.name,
        "kind": "folder" if path.is_dir() else "file",
        "size": size,
        "modified": when,
    }
