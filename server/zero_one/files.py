"""Files that are whole or absent: what is saved replaces what was there in one step, or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


def write_whole(path: Path, data: str | bytes, *, mode: int = 0o600) -> None:
    """Replace ``path`` by ``data`` so that a crash at any moment leaves either the old or the new file.

    The folder is made if it is missing (readable by its owner alone). Raises OSError; the old file is then untouched.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    raw = data.encode() if isinstance(data, str) else data
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, mode)
        put_in_place(Path(draft), path)
    except BaseException:  # interrupted too: no draft is left behind
        with contextlib.suppress(OSError):
            os.unlink(draft)
        raise


def put_in_place(draft: Path, path: Path) -> None:
    """Give a finished file (already forced to disk) its name, so that a power cut does not take it back."""
    os.replace(draft, path)
    _sync_folder(path.parent)


def set_aside(path: Path) -> Path:
    """Move a file that cannot be read out of the way and tell where it is now; nothing in it is lost."""
    aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{number}")
    os.replace(path, aside)
    return aside


class Busy(OSError):
    """Somebody else holds the lock."""


class FileLock:
    """A file that one holder at a time has, over processes. It is free again when its holder is dead, however it died.

    ``with FileLock(path):`` waits for it; ``take()`` raises Busy instead of waiting. Not for two threads on one object.
    What the holder writes into the file (``note``) tells others who it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def take(self, *, wait: bool = False, note: str = "") -> None:
        """Raises Busy, and OSError where the file cannot be made."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        while True:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
            try:
                _lock(handle, wait)
                there = os.stat(self.path) if self.path.exists() else None
                if there is None or not os.path.samestat(there, os.fstat(handle)):
                    os.close(handle)  # it was removed while we waited: the lock of a file that is gone locks nothing
                    continue
                if note:
                    os.ftruncate(handle, 0)
                    os.write(handle, note.encode())
            except BaseException:
                with contextlib.suppress(OSError):
                    os.close(handle)
                raise
            self._handle = handle
            return

    def release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            if sys.platform == "win32":
                os.lseek(handle, _FAR, os.SEEK_SET)
                msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
            os.close(handle)

    def __enter__(self) -> FileLock:
        self.take(wait=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


_FAR = 1 << 30
"""Windows locks bytes and keeps others from reading them: a byte far behind the note."""

if sys.platform == "win32":

    def _lock(handle: int, wait: bool) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return
            except OSError as error:  # LK_LOCK gives up after ten seconds
                if not wait:
                    raise Busy(error.errno or 0, "it is in use") from None

else:

    def _lock(handle: int, wait: bool) -> None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError as error:
            raise Busy(error.errno or 0, "it is in use") from None


def _sync_folder(folder: Path) -> None:
    """Without this a power cut may undo the rename. Windows cannot open folders and needs no such thing."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
