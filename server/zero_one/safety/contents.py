"""Contents of files by their hash, in one folder that its owner alone can read."""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from zero_one import firm

MOST_KEPT = 4 << 30
"""Bytes. Above it, what no record needs goes first, then the oldest records."""
ROOM_LEFT = 1 << 30
"""Bytes that are left free on the disk, whatever is lost by that."""
_PIECE = 1 << 20
_TICK_NS = 100_000_000
"""Two writes within one tick of the file system's clock may leave the same change time."""


class Contents:
    """Keeping a file again that did not change costs a look at its times only. Methods block.

    Contents are not forced to the disk one by one (that would cost seconds for a folder of small files): they survive
    the end of this process in any case, and after a power cut a damaged one is noticed when it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[tuple[int, int, int, int, int], str] = {}
        self._size: int | None = None

    def keep(self, path: Path, info: os.stat_result) -> str:
        """Keep a file's bytes; their digest, or empty when they could not be read or kept."""
        key = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        known = self._known.get(key)
        if known is not None and self.has(known):
            return known if _still(path, info) else ""
        began = time.time_ns()
        try:
            if shutil.disk_usage(self._ready()).free < info.st_size + ROOM_LEFT:
                return ""
            digest = self._copy(path, info)
        except OSError:
            return ""
        if settled(info.st_ctime_ns, began):
            self._known[key] = digest
        return digest

    def digest(self, path: Path) -> str:
        """The digest of a file's bytes as they are now; empty when it cannot be read."""
        try:
            with _reading(path) as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            return ""

    def write(self, digest: str, handle: int) -> None:
        """Write the bytes into an open, empty file; runs of zeros become holes. Raises OSError."""
        with open(self._at(digest), "rb") as source:
            found = _pour(source, handle)
        if found != digest:
            raise OSError("what was kept of it is damaged")

    def has(self, digest: str) -> bool:
        return bool(digest) and self._at(digest).exists()

    def size(self) -> int:
        """Bytes kept in all."""
        if self._size is None:
            self._size = sum(_allocated(file) for file in self.folder.glob("??/*"))
        return self._size

    def drop_all_but(self, digests: Iterable[str]) -> None:
        """Free what is not needed any more."""
        wanted = set(digests)
        for file in self.folder.glob("??/*"):
            if file.name not in wanted:
                file.unlink(missing_ok=True)
        self._known = {key: digest for key, digest in self._known.items() if digest in wanted}
        self._size = None

    def _at(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest

    def _ready(self) -> Path:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self.folder

    def _copy(self, path: Path, info: os.stat_result) -> str:
        handle, draft = tempfile.mkstemp(dir=self.folder, prefix=".part-")  # mode 0600
        try:
            try:
                with _reading(path) as source:
                    firm.check(source.fileno(), path)
                    if not os.path.samestat(os.fstat(source.fileno()), info):
                        raise OSError("another file took its place")
                    digest = _pour(source, handle, max(info.st_size, _PIECE))
            finally:
                os.close(handle)
            if not self.has(digest):
                self._at(digest).parent.mkdir(exist_ok=True, mode=0o700)
                os.replace(draft, self._at(digest))
                if self._size is not None:
                    self._size += _allocated(self._at(digest))
            return digest
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(draft)


def _still(path: Path, info: os.stat_result) -> bool:
    try:
        with firm.inside(path.parent) as folder:
            return os.path.samestat((folder / path.name).lstat(), info)
    except OSError:
        return False


def settled(ctime_ns: int, looked_at_ns: int) -> bool:
    """Whether a file that was looked at then, and has the same change time still, has the same bytes."""
    return looked_at_ns - ctime_ns > _TICK_NS


def _reading(path: Path) -> io.FileIO:
    """Open for reading without following a link and, where that can be had, without touching the time of access."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags | getattr(os, "O_NOATIME", 0))
    except PermissionError:  # only the owner may ask for that
        handle = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(handle).st_mode):  # a pipe would never end
        os.close(handle)
        raise OSError("no file")
    return os.fdopen(handle, "rb", buffering=0)


def _pour(source: io.FileIO | io.BufferedReader, handle: int, most: float = math.inf) -> str:
    """Copy into an open, empty file; runs of zeros become holes. Ends with the piece that goes beyond ``most`` bytes.

    Returns the SHA-256 of what was copied. Raises OSError.
    """
    running, size = hashlib.sha256(), 0
    while size <= most and (piece := source.read(_PIECE)):
        running.update(piece)
        if piece.count(0) == len(piece):
            os.lseek(handle, len(piece), os.SEEK_CUR)
        else:
            _write_all(handle, piece)
        size += len(piece)
    os.ftruncate(handle, size)
    return running.hexdigest()


def _write_all(handle: int, piece: bytes) -> None:
    view = memoryview(piece)
    while view:
        view = view[os.write(handle, view) :]


def _allocated(file: Path) -> int:
    try:
        info = file.stat()
    except OSError:
        return 0
    return min(info.st_size, getattr(info, "st_blocks", 1 << 60) * 512)
