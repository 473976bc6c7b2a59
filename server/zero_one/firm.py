"""Files by exactly the path that is named: no link is followed on the way, whoever puts one there meanwhile.

Sandboxed code may swap a folder of its own for a link at any moment. On Linux the kernel tells the true path of what
was opened, so that nothing can be swapped in between; elsewhere the path is looked at right before.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_PATH = getattr(os, "O_PATH", 0)
_OPENED = "/proc/self/fd"


class Elsewhere(OSError):
    """A link stands where there was a folder, so the path leads elsewhere."""

    def __init__(self) -> None:
        super().__init__(errno.ELOOP, "a link leads elsewhere from there now")


def real(path: Path) -> Path:
    """The path with the links of its folders followed; what it names itself may be a link."""
    return Path(os.path.realpath(path.parent)) / path.name


def check(handle: int, path: str | os.PathLike[str]) -> None:
    """Raises Elsewhere when what is open is not what lies at this very path."""
    name = os.path.abspath(path)
    try:
        true = os.readlink(f"{_OPENED}/{handle}")
    except OSError:
        true = os.path.realpath(name)
    if os.path.normcase(true) != os.path.normcase(name):
        raise Elsewhere


@contextmanager
def inside(folder: Path) -> Iterator[Path]:
    """A path of this very folder that stays its own until the end. Raises Elsewhere, and OSError where it is none."""
    if not _PATH or not os.path.isdir(_OPENED):
        if os.path.realpath(folder) != os.path.abspath(folder):
            raise Elsewhere
        yield folder
        return
    handle = os.open(folder, _PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        check(handle, folder)
        yield Path(f"{_OPENED}/{handle}")
    finally:
        os.close(handle)


def mark(path: Path) -> tuple[int, int] | None:
    """Device and inode of what lies at this very path; None where a link is on the way, or nothing is there."""
    try:
        if not _PATH:
            info = path.lstat()
            return (info.st_dev, info.st_ino) if path.resolve() == path else None
        handle = os.open(path, _PATH | _NOFOLLOW | os.O_CLOEXEC)
        try:
            check(handle, path)
            info = os.fstat(handle)
        finally:
            os.close(handle)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def read(path: Path) -> bytes:
    """The bytes of the file that lies at this very path. Raises Elsewhere, and OSError for what is no file."""
    handle = os.open(path, os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        check(handle, path)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "no file")
        return file.read()


def make_folders(folder: Path) -> None:
    """With those above it that are missing, none of them through a link. Raises Elsewhere and OSError."""
    if os.path.lexists(folder):
        return
    make_folders(folder.parent)
    with inside(folder.parent) as parent:
        (parent / folder.name).mkdir(exist_ok=True)


def set_mode(path: Path, mode: int) -> None:
    """Of a file, folder or pipe, never of what a link leads to."""
    if os.chmod in os.supports_follow_symlinks:
        os.chmod(path, mode, follow_symlinks=False)
        return
    if not _PATH or not os.path.isdir(_OPENED):
        if path.is_symlink():
            raise Elsewhere
        os.chmod(path, mode)
        return
    handle = os.open(path, _PATH | _NOFOLLOW | os.O_CLOEXEC)
    try:
        if stat.S_ISLNK(os.fstat(handle).st_mode):
            raise Elsewhere
        os.chmod(f"{_OPENED}/{handle}", mode)
    finally:
        os.close(handle)


def set_times(path: Path, atime_ns: int, mtime_ns: int) -> None:
    """Of what is there itself, be it a link; nothing happens to links where that cannot be done."""
    if os.utime in os.supports_follow_symlinks:
        os.utime(path, ns=(atime_ns, mtime_ns), follow_symlinks=False)
    elif not path.is_symlink():
        os.utime(path, ns=(atime_ns, mtime_ns))


_EXTRA = ("user.", "system.posix_acl_")
_MOST_EXTRA = 64 * 1024


def extra(path: Path) -> str:
    """Extended attributes of a file or folder that its owner can set (access lists among them), as JSON; empty where
    there are none, or more than is kept."""
    if not hasattr(os, "listxattr"):
        return ""
    found: dict[str, str] = {}
    try:
        for name in os.listxattr(path, follow_symlinks=False):
            if name.startswith(_EXTRA):
                found[name] = os.getxattr(path, name, follow_symlinks=False).hex()
    except OSError:
        return ""  # a file system without them, or one that is not ours to read
    told = json.dumps(found, sort_keys=True) if found else ""
    return told if len(told) <= _MOST_EXTRA else ""


def set_extra(path: Path, wanted: str) -> None:
    """Make the extended attributes what ``extra`` told. Of a file that its owner may write. Raises OSError."""
    there = extra(path)
    if there == wanted or not hasattr(os, "listxattr"):
        return
    new: dict[str, str] = json.loads(wanted or "{}")
    old: dict[str, str] = json.loads(there or "{}")
    for name in old.keys() - new.keys():
        os.removexattr(path, name, follow_symlinks=False)
    for name, value in new.items():
        if name.startswith(_EXTRA) and old.get(name) != value:
            os.setxattr(path, name, bytes.fromhex(value), follow_symlinks=False)


def set_owner(path: Path, user: int, group: int) -> None:
    """Of what is there itself, be it a link, unless they are so already. Raises OSError where we may not."""
    now = path.lstat()
    if hasattr(os, "lchown") and user >= 0 and (now.st_uid, now.st_gid) != (user, group):
        os.lchown(path, user, group)
