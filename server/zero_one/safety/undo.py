"""Undo: what a run of code did to files can be taken back, whichever way the code did it.

Before a run, everything that it may touch is looked at and its bytes are kept; after it, the difference is recorded.
Undoing puts bytes, modes and times back, and is itself recorded, so that it can be undone as well.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zero_one.files import set_aside, write_whole
from zero_one.safety.snapshots import Seen, Snapshot, Store

MOST_RECORDS = 50


@dataclass(frozen=True, slots=True)
class Record:
    """What one run changed: each path with how it was (None: it was not there). ``at``: seconds since 1970, UTC."""

    number: int
    turn: str
    label: str
    at: float
    before: dict[str, Seen | None]
    folders: dict[str, Seen] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    undone: bool = False

    def summary(self) -> str:
        made = sum(1 for old in self.before.values() if old is None)
        other = len(self.before) - made
        parts = [f"{n} {what}" for n, what in ((other, "changed or deleted"), (made, "made")) if n]
        return ", ".join(parts) or "no file changed"


@dataclass(frozen=True, slots=True)
class Undone:
    """What was put back (paths), taken away, and what could not be undone, with the reason."""

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Watch:
    """One run of code that is being watched; made by ``Undo.before``."""

    def __init__(self, roots: list[Path], snapshot: Snapshot) -> None:
        self.roots, self.snapshot = roots, snapshot


class Undo:
    """The records in ``folder``, newest last. Methods block: call them from a thread."""

    def __init__(self, folder: Path) -> None:
        self._index = folder / "records.json"
        self._store = Store(folder / "contents")
        self._lock = threading.Lock()
        self.lost = ""
        self.records: list[Record] = self._load()

    def before(self, roots: Iterable[Path]) -> Watch:
        """Keep what is below ``roots`` (the project folder, and every path that the code names)."""
        outer = _outermost(roots)
        with self._lock:
            return Watch(outer, self._store.take(outer))

    def after(self, watch: Watch, turn: str, label: str, *, at: float) -> Record | None:
        """Record what changed since ``watch``; None when nothing did. Raises OSError."""
        with self._lock:
            now = self._store.take(watch.roots, keep=False)
            return self._record(watch.snapshot, now, turn, label, at)

    def undo(self, turn: str | None = None, *, at: float | None = None) -> Undone | None:
        """Take back the last turn that changed files, or the named one, newest run first. None: nothing to undo."""
        with self._lock:
            open_records = [r for r in self.records if not r.undone and r.before]
            if turn is None and open_records:
                turn = open_records[-1].turn
            mine = [r for r in reversed(open_records) if r.turn == turn]
            if not mine:
                return None
            touched = [Path(p) for r in mine for p in r.before]
            watch = Watch(touched, self._store.take(touched))
            outcomes = [self._restore(r) for r in mine]
            numbers = {r.number for r in mine}
            self.records = [_undone(r) if r.number in numbers else r for r in self.records]
            now = self._store.take(touched, keep=False)
            self._record(watch.snapshot, now, f"undo of {turn}", "undo", time.time() if at is None else at)
            self._save()
        failed = dict.fromkeys(p for o in outcomes for p in o.failed)
        return Undone(
            tuple(dict.fromkeys(p for o in outcomes for p in o.restored)),
            tuple(dict.fromkeys(p for o in outcomes for p in o.removed)),
            tuple(failed),
        )

    def _record(self, old: Snapshot, new: Snapshot, turn: str, label: str, at: float) -> Record | None:
        before: dict[str, Seen | None] = {
            name: seen for name, seen in old.entries.items() if not seen.same(new.entries.get(name))
        }
        before.update({name: None for name in new.entries if name not in old.entries})
        if not before:
            return None
        parents = {os.path.dirname(name) for name in before}
        folders = {n: s for n, s in old.entries.items() if s.kind == "folder" and (n in parents or n in before)}
        number = self.records[-1].number + 1 if self.records else 1
        lost = tuple(name for name in old.left_out if name in before or not name.startswith("/"))
        record = Record(number, turn, label, at, before, folders, lost)
        self.records = [*self.records, record][-MOST_RECORDS:]
        self._save()
        self._store.drop_all_but({s.digest for r in self.records for s in r.before.values() if s is not None})
        return record

    def _restore(self, record: Record) -> Undone:
        restored: list[str] = []
        removed: list[str] = []
        failed: list[str] = []
        made = sorted((n for n, s in record.before.items() if s is None), key=len, reverse=True)
        with _writable(record.before):
            for name in made:
                try:
                    _remove(Path(name))
                    removed.append(name)
                except OSError as error:
                    failed.append(f"{name}: {error.strerror}")
            for name, seen in sorted(
                ((n, s) for n, s in record.before.items() if s is not None), key=lambda i: len(i[0])
            ):
                try:
                    self._put(Path(name), seen)
                    restored.append(name)
                except OSError as error:
                    failed.append(f"{name}: {error.strerror or error}")
        for name, seen in sorted(record.folders.items(), key=lambda i: len(i[0]), reverse=True):
            try:
                os.chmod(name, seen.mode)
                os.utime(name, ns=(seen.mtime_ns, seen.mtime_ns))
            except OSError as error:
                failed.append(f"{name}: {error.strerror}")
        return Undone(tuple(restored), tuple(removed), tuple(failed))

    def _put(self, path: Path, seen: Seen) -> None:
        if seen.kind == "file" and not self._store.has(seen.digest):
            raise OSError("it was too large to be kept")
        present = path.is_symlink() or path.exists()
        if (
            present
            and (seen.kind != "folder" or path.is_symlink() or not path.is_dir())
            and (path.is_dir() or seen.kind != "file" or path.is_symlink())
        ):
            _remove(path, tree=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        if seen.kind == "folder":
            path.mkdir(exist_ok=True)
            path.chmod(seen.mode | 0o700)
        elif seen.kind == "link":
            os.symlink(seen.target, path)
            if os.utime in os.supports_follow_symlinks:
                os.utime(path, ns=(seen.mtime_ns, seen.mtime_ns), follow_symlinks=False)
        else:
            handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".undo-")
            with os.fdopen(handle, "wb") as file:
                file.write(self._store.content(seen.digest))
            os.chmod(draft, seen.mode)
            os.utime(draft, ns=(seen.mtime_ns, seen.mtime_ns))
            os.replace(draft, path)

    def _load(self) -> list[Record]:
        if not self._index.exists():
            return []
        try:
            return [_record(row) for row in json.loads(self._index.read_text("utf-8"))["records"]]
        except (ValueError, KeyError, TypeError) as problem:
            aside = set_aside(self._index)
            self.lost = f"What could be undone could not be read ({problem}); the list is kept as {aside.name}."
            return []

    def _save(self) -> None:
        write_whole(self._index, json.dumps({"version": 1, "records": [asdict(r) for r in self.records]}))


def _record(row: dict[str, Any]) -> Record:
    before = {n: Seen(**s) if s is not None else None for n, s in row["before"].items()}
    folders = {n: Seen(**s) for n, s in row["folders"].items()}
    return Record(**{**row, "before": before, "folders": folders, "left_out": tuple(row["left_out"])})


def _undone(record: Record) -> Record:
    return Record(
        record.number, record.turn, record.label, record.at, record.before, record.folders, record.left_out, True
    )


def _outermost(roots: Iterable[Path]) -> list[Path]:
    """Absolute roots without those that lie in another one."""
    whole = sorted({Path(os.path.abspath(r)) for r in roots}, key=lambda p: len(p.parts))
    out: list[Path] = []
    for path in whole:
        if not any(path.is_relative_to(other) for other in out):
            out.append(path)
    return out


def _remove(path: Path, *, tree: bool = False) -> None:
    if path.is_dir() and not path.is_symlink():
        if tree:
            shutil.rmtree(path)
        else:
            path.rmdir()
    else:
        path.unlink(missing_ok=True)


class _writable:
    """Folders that the code made read-only must be opened to put back what was in them; their modes follow later."""

    def __init__(self, names: Iterable[str]) -> None:
        self._parents = {os.path.dirname(n) for n in names}

    def __enter__(self) -> None:
        for parent in sorted(self._parents, key=len):
            try:
                mode = os.stat(parent).st_mode
                if mode & 0o700 != 0o700:
                    os.chmod(parent, mode | 0o700)
            except OSError:
                continue

    def __exit__(self, *_: object) -> None:
        return None
