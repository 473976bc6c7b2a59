"""Files that are whole or absent: what is saved replaces what was there in one step, or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


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


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait until this file is nobody else's, over threads and processes. It is free again when its holder is dead.

    Raises OSError where the file cannot be made.
    """
    with _lock(path, -1):
        yield


def hold(path: Path) -> BaseFileLock:
    """Take this file for as long as nobody calls ``release``. Raises filelock.Timeout, an OSError, where it is held."""
    lock = _lock(path, 0)
    lock.acquire()
    return lock


def _lock(path: Path, timeout: float) -> BaseFileLock:
    import filelock

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # What one thread takes another may release.
    return filelock.FileLock(path, timeout, mode=0o600, thread_local=False)


def _sync_folder(folder: Path) -> None:
    """Without this a power cut may undo the rename. Windows cannot open folders and needs no such thing."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
