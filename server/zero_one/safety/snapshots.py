"""What files looked like at one moment: names, bytes, modes and times, with every content kept once by its hash."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from zero_one import firm
from zero_one.safety.contents import Contents, settled
from zero_one.safety.risk.paths import is_secret

MOST_FILES = 20_000
MOST_BYTES = 1 << 30
LARGEST_FILE = 256 << 20
MOST_SECONDS = 10.0
"""A whole home folder is not read to its end: what is nearest to the named folder comes first."""

Kind = Literal["file", "folder", "link", "pipe"]


@dataclass(frozen=True, slots=True)
class Seen:
    """One file, folder, link or pipe. ``digest`` is the SHA-256 of a file's bytes, empty where they were not kept.

    ``links`` counts the names of a file (hard links), ``device`` and ``inode`` tell which of them are one file.
    ``user`` and ``group`` are its owners (-1: not known), ``extra`` its extended attributes (see ``firm.extra``).
    """

    kind: Kind
    mode: int
    mtime_ns: int
    atime_ns: int = 0
    ctime_ns: int = 0
    size: int = 0
    digest: str = ""
    target: str = ""
    device: int = 0
    inode: int = 0
    links: int = 1
    user: int = -1
    group: int = -1
    extra: str = ""

    def row(self) -> list[Any]:
        return [getattr(self, name) for name in self.__slots__]

    @classmethod
    def from_row(cls, row: list[Any]) -> Seen:
        """Raises TypeError and ValueError for what is none."""
        seen = cls(*row)
        numbers = (seen.mode, seen.mtime_ns, seen.atime_ns, seen.ctime_ns, seen.size, seen.inode)
        if not all(isinstance(n, int) for n in numbers) or not isinstance(seen.digest + seen.extra, str):
            raise TypeError("not a file's description")
        return seen

    @property
    def stamp(self) -> tuple[object, ...]:
        """What a program that writes a file changes in any case."""
        return self.kind, self.mode, self.mtime_ns, self.size, self.target, self.user, self.group, self.extra


@dataclass(slots=True)
class Snapshot:
    """Everything below some roots. ``left_out`` says what was too large or could not be read: it cannot be undone.

    ``listed`` are the folders of which every entry was looked at; ``absent`` are names known not to have been there.
    Only below these can a later look tell that something was made. ``skipped`` is a folder that is no part of it.
    """

    entries: dict[str, Seen] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    listed: set[str] = field(default_factory=set)
    absent: set[str] = field(default_factory=set)
    at_ns: int = 0
    skipped: str = ""

    def leave_out(self, name: str) -> None:
        self.left_out.append(name)

    def to_json(self) -> dict[str, Any]:
        return {
            "entries": {name: seen.row() for name, seen in self.entries.items()},
            "left_out": self.left_out,
            "listed": sorted(self.listed),
            "absent": sorted(self.absent),
            "at_ns": self.at_ns,
            "skipped": self.skipped,
        }

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Snapshot:
        entries = {name: Seen.from_row(row) for name, row in raw["entries"].items()}
        absent, skipped = set(raw["absent"]), str(raw.get("skipped", ""))
        return cls(entries, list(raw["left_out"]), set(raw["listed"]), absent, raw["at_ns"], skipped)

    def below(self, folder: Path) -> Snapshot:
        """The part of it that is this folder."""
        start = os.path.join(folder, "")
        entries = {n: s for n, s in self.entries.items() if n.startswith(start) or n == os.fspath(folder)}
        listed = {n for n in self.listed if n.startswith(start) or n == os.fspath(folder)}
        return Snapshot(entries, [], listed, set(), self.at_ns, self.skipped)


class Looker:
    """Takes snapshots. ``skip`` are folders that are never looked into (the undo store itself)."""

    def __init__(self, contents: Contents, skip: Callable[[Path], bool]) -> None:
        self._contents, self._skip = contents, skip

    def keep(self, roots: Iterable[Path], skipped: str = "", files: int = 0, seconds: float = 0.0) -> Snapshot:
        """Look at everything below ``roots`` and keep the bytes. Single files that fail are named in ``left_out``.

        ``skipped`` is not looked into; ``files`` and ``seconds`` are other limits than the usual ones.
        """
        out, total = Snapshot(at_ns=time.time_ns(), skipped=skipped), 0
        most = files or MOST_FILES
        roots = list(roots)
        for root in roots:
            try:
                root.lstat()
            except FileNotFoundError:
                out.absent.add(os.fspath(root))
            except OSError:
                pass
            self._parent(root, out)
        deadline = time.monotonic() + (seconds or MOST_SECONDS)
        todo = deque(roots)
        for path, info in self._walk(todo, out, twins=True):
            if len(out.entries) >= most or time.monotonic() > deadline:
                why = "there are too many files" if len(out.entries) >= most else "looking took too long"
                # Each by its own name: whoever relies on one of them must see it here, whatever else is in the way.
                for root in _not_done(roots, path, todo):
                    out.leave_out(f"{root} and what is below ({why})")
                break
            seen = look(path, info)
            if seen is None:
                continue
            if seen.kind == "file":
                cost = min(seen.size, getattr(info, "st_blocks", 1 << 60) * 512)
                if seen.size > 16 * LARGEST_FILE or cost > LARGEST_FILE or total + cost > MOST_BYTES:
                    out.leave_out(os.fspath(path))
                else:
                    digest = self._contents.keep(path, info)
                    total += cost
                    if not digest:
                        out.leave_out(os.fspath(path))
                    seen = with_digest(seen, digest)
            out.entries[os.fspath(path)] = seen
        else:
            return out
        # The walk was broken off: folders whose entries still waited were not looked at to their end.
        seen_below = {os.path.dirname(name) for name in out.entries}
        out.listed = {folder for folder in out.listed & seen_below if _all_there(folder, out.entries)}
        return out

    def _parent(self, root: Path, out: Snapshot) -> None:
        """The folder that a root lies in: its mode and time change with the root, and nothing else in it is ours."""
        try:
            seen = look(root.parent, root.parent.lstat())
        except OSError:
            return
        if seen is not None and seen.kind == "folder":
            out.entries.setdefault(os.fspath(root.parent), seen)

    def _walk(self, todo: deque[Path], out: Snapshot, *, twins: bool = False) -> Iterator[tuple[Path, os.stat_result]]:
        """Breadth first, so that what is nearest comes first where there is too much. With ``twins``, the other names
        beside a file that has several are looked at as well."""
        done: set[str] = set()
        while todo:
            path = todo.popleft()
            name = os.fspath(path)
            if name in done or name == out.skipped or self._skip(path):
                continue
            done.add(name)
            try:
                info = path.lstat()
            except OSError:
                continue
            yield path, info
            if stat.S_ISLNK(info.st_mode):
                real = Path(os.path.realpath(path))  # what is written through a link lands there
                if real.is_file() and not is_secret(os.fspath(real)):
                    todo.append(real)
            elif twins and stat.S_ISREG(info.st_mode) and info.st_nlink > 1:
                todo.extend(_twins(path, info))
            elif stat.S_ISDIR(info.st_mode):
                try:
                    todo.extend(Path(entry.path) for entry in os.scandir(path))
                    out.listed.add(name)
                except OSError as error:
                    out.leave_out(f"{name} ({error.strerror})")

    def changed(self, old: Snapshot, roots: Iterable[Path]) -> dict[str, Seen | None]:
        """How everything is now that is not as in ``old`` (None: it is gone). Folders that differ in time count."""
        now: dict[str, Seen | None] = {}
        made: set[str] = set()
        for name, was in old.entries.items():
            path = Path(name)
            try:
                seen = look(path, path.lstat())
            except OSError:
                seen = None
            if not self._same(path, was, seen, old.at_ns):
                now[name] = seen
                if seen is not None and seen.kind == "folder" != was.kind:
                    made.add(name)  # what lies in it is new as well
        looked = Snapshot(skipped=old.skipped)
        deadline = time.monotonic() + MOST_SECONDS
        for path, info in self._walk(deque(roots), looked):
            name, parent = os.fspath(path), os.path.dirname(os.fspath(path))
            if name in old.entries or not (name in old.absent or parent in old.listed or parent in made):
                continue
            if len(made) >= MOST_FILES or time.monotonic() > deadline:
                old.leave_out(f"what else was made below {_names(roots)}")
                break
            seen = look(path, info)
            if seen is not None:
                made.add(name)
                now[name] = seen
        return now

    def _same(self, path: Path, was: Seen, now: Seen | None, at_ns: int) -> bool:
        if now is None or now.stamp != was.stamp:
            return False
        moved = (now.device, now.inode) != (was.device, was.inode)
        if was.kind == "file" and moved and (was.links > 1 or now.links > 1):
            return False  # a name of another file than before
        # A program cannot set the change time of a file.
        untouched = (now.ctime_ns, now.inode) == (was.ctime_ns, was.inode) and settled(was.ctime_ns, at_ns)
        return was.kind != "file" or untouched or not was.digest or self._contents.digest(path) == was.digest


def look(path: Path, info: os.stat_result) -> Seen | None:
    """What is there, without its bytes; None for what cannot be put back (sockets, device files)."""
    mode = stat.S_IMODE(info.st_mode)
    times = (info.st_mtime_ns, info.st_atime_ns, info.st_ctime_ns)
    of = partial(Seen, user=info.st_uid, group=info.st_gid)
    if stat.S_ISDIR(info.st_mode):
        return of("folder", mode, *times, extra=firm.extra(path))
    if stat.S_ISLNK(info.st_mode):
        try:
            return of("link", 0, *times, target=os.readlink(path))
        except OSError:
            return None
    if stat.S_ISREG(info.st_mode):
        seen = of("file", mode, *times, info.st_size, extra=firm.extra(path))
        return replace(seen, device=info.st_dev, inode=info.st_ino, links=info.st_nlink)
    return of("pipe", mode, *times) if stat.S_ISFIFO(info.st_mode) else None


def with_digest(seen: Seen, digest: str) -> Seen:
    return replace(seen, digest=digest)


def outermost(roots: Iterable[Path]) -> list[Path]:
    """Absolute roots without those that lie in another one; of a root that is not there, the outermost part that is
    not. Files come first: what was named itself is kept before folders fill the room."""
    whole: set[Path] = set()
    for root in roots:
        # Under its true name only: a name that leads through a link may lead elsewhere when it is put back.
        whole.add(_outermost_missing(firm.real(Path(os.path.abspath(root)))))
    out: list[Path] = []
    for path in sorted(whole, key=lambda p: len(p.parts)):
        if not any(path.is_relative_to(other) for other in out):
            out.append(path)
    return sorted(out, key=lambda p: (p.is_dir(), len(p.parts)))


def _outermost_missing(path: Path) -> Path:
    for part in [*reversed(path.parents), path]:
        try:
            part.lstat()
        except OSError as error:
            return part if error.errno == errno.ENOENT else path
    return path


def _twins(path: Path, info: os.stat_result) -> list[Path]:
    """Other names of the same file in the same folder."""
    try:
        return [Path(e.path) for e in os.scandir(path.parent) if e.inode() == info.st_ino and e.name != path.name]
    except OSError:
        return []


def _not_done(roots: Iterable[Path], at: Path, waiting: Iterable[Path]) -> list[Path]:
    """The roots below which something was not looked at."""
    ours, found, seen = set(roots), set[Path](), set[Path]()
    for path in (at, *waiting):
        while path not in seen:
            seen.add(path)
            if path in ours:
                found.add(path)
            path = path.parent
    return sorted(found)


def _names(roots: Iterable[Path]) -> str:
    names = [os.fspath(root) for root in roots]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more" if names else "nothing"


def _all_there(folder: str, entries: dict[str, Seen]) -> bool:
    try:
        return all(entry.path in entries for entry in os.scandir(folder))
    except OSError:
        return False


def files_below(roots: Iterable[Path], *, seconds: float = 2.0) -> Iterator[Path]:
    """Files below some roots, the nearest first, for as long as one may wait with a question."""
    deadline = time.monotonic() + seconds
    todo = deque(roots)
    while todo and time.monotonic() < deadline:
        path = todo.popleft()
        if path.is_symlink() or not path.is_dir():
            yield path
            continue
        try:
            todo.extend(Path(entry.path) for entry in os.scandir(path))
        except OSError:
            continue
