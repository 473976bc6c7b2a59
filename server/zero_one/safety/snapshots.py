"""What files looked like at one moment: names, bytes, modes and times, with every content kept once by its hash."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from zero_one.files import write_whole

MOST_FILES = 20_000
MOST_BYTES = 1 << 30
LARGEST_FILE = 256 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """One file, folder or link. ``digest`` is the SHA-256 of a file's bytes, empty where they were not kept."""

    kind: Literal["file", "folder", "link"]
    mode: int
    mtime_ns: int
    size: int = 0
    digest: str = ""
    target: str = ""

    def same(self, other: Seen | None) -> bool:
        """Whether nothing needs restoring. A folder's time changes with its entries and is set at the end."""
        if other is None or self.kind != other.kind or self.mode != other.mode:
            return False
        if self.kind == "folder":
            return True
        if self.kind == "link":
            return self.target == other.target
        return (self.digest, self.size, self.mtime_ns) == (other.digest, other.size, other.mtime_ns)


@dataclass(slots=True)
class Snapshot:
    """Everything below some roots. ``left_out`` names what was too large or could not be read: it cannot be undone."""

    entries: dict[str, Seen] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


class Store:
    """Contents by hash, in one folder. Taking a snapshot again costs only what changed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[tuple[int, int, int, int, int], str] = {}

    def take(self, roots: Iterable[Path], *, keep: bool = True) -> Snapshot:
        """Look at everything below ``roots``; with ``keep`` the bytes are kept too. Blocks; never raises OSError for
        single files, they are named in ``left_out``."""
        out, total = Snapshot(), 0
        for path, info in _walk(roots, self._folder):
            if len(out.entries) >= MOST_FILES:
                out.left_out.append(f"everything after {MOST_FILES} files")
                break
            name = os.fspath(path)
            if stat.S_ISDIR(info.st_mode):
                out.entries[name] = Seen("folder", stat.S_IMODE(info.st_mode), info.st_mtime_ns)
            elif stat.S_ISLNK(info.st_mode):
                out.entries[name] = Seen("link", 0, info.st_mtime_ns, target=os.readlink(path))
            elif stat.S_ISREG(info.st_mode):
                total += info.st_size
                if info.st_size > LARGEST_FILE or total > MOST_BYTES:
                    out.left_out.append(name)
                    digest = ""
                else:
                    digest = self._digest(path, info, keep)
                    if not digest:
                        out.left_out.append(name)
                out.entries[name] = Seen("file", stat.S_IMODE(info.st_mode), info.st_mtime_ns, info.st_size, digest)
        return out

    def content(self, digest: str) -> bytes:
        """Raises OSError when it is not kept."""
        return (self._folder / digest[:2] / digest).read_bytes()

    def has(self, digest: str) -> bool:
        return bool(digest) and (self._folder / digest[:2] / digest).exists()

    def drop_all_but(self, digests: set[str]) -> None:
        """Free the contents that no record needs any more."""
        for file in self._folder.glob("??/*"):
            if file.name not in digests:
                file.unlink(missing_ok=True)
        self._known = {key: digest for key, digest in self._known.items() if digest in digests}

    def _digest(self, path: Path, info: os.stat_result, keep: bool) -> str:
        # The change time cannot be set by a program, so an unchanged stamp means unchanged bytes.
        key = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        known = self._known.get(key)
        if known is not None and (not keep or self.has(known)):
            return known
        try:
            raw = path.read_bytes()
        except OSError:
            return ""
        digest = hashlib.sha256(raw).hexdigest()
        if keep and not self.has(digest):
            try:
                write_whole(self._folder / digest[:2] / digest, raw)
            except OSError:
                return ""
        self._known[key] = digest
        return digest


def _walk(roots: Iterable[Path], skip: Path) -> Iterator[tuple[Path, os.stat_result]]:
    seen: set[str] = set()
    for root in roots:
        todo = [root]
        while todo:
            path = todo.pop()
            name = os.fspath(path)
            if name in seen or path == skip:
                continue
            seen.add(name)
            try:
                info = path.lstat()
            except OSError:
                continue
            yield path, info
            if stat.S_ISDIR(info.st_mode):
                try:
                    todo.extend(Path(entry.path) for entry in os.scandir(path))
                except OSError:
                    continue
