"""Putting files back as they were: bytes, modes, times, links.

Since they were recorded, sandboxed code may have put a link where one of their folders was: nothing is put back, taken
away or touched through it (see ``firm``).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from zero_one import firm
from zero_one.safety.contents import Contents
from zero_one.safety.records import Record
from zero_one.safety.snapshots import Seen, look


@dataclass(frozen=True, slots=True)
class Undone:
    """What was put back (paths), what was taken away, what could not be undone, with the reason; and what had been
    changed once more since: that version is kept, and undoing again brings it back."""

    restored: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    overwrote: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    label: str = ""
    turn: str = ""


@dataclass(slots=True)
class _Work:
    """``target`` is how each path shall be (None: not there), ``folders`` whose mode and time are set at the end."""

    target: dict[str, Seen | None] = field(default_factory=dict)
    left: dict[str, Seen | None] = field(default_factory=dict)
    folders: dict[str, Seen] = field(default_factory=dict)
    linked: dict[str, tuple[str, ...]] = field(default_factory=dict)
    opened: dict[str, int] = field(default_factory=dict)
    restored: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    overwrote: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def restore(records: Sequence[Record], contents: Contents) -> Undone:
    """Bring everything that these records changed to how it was before the first of them. Never raises OSError: what
    failed is named."""
    work = _Work()
    for record in sorted(records, key=lambda r: -r.number):
        for name, seen in record.after.items():
            work.left.setdefault(name, seen)
        work.target |= record.before  # what an older run found counts
        work.target |= {name: seen for name, seen in record.folders.items() if name in work.target}
        work.folders |= record.folders
        work.folders |= {name: seen for name, seen in record.before.items() if seen and seen.kind == "folder"}
        work.linked |= {name: names for names in record.linked for name in names}
    _see_what_came_since(work)
    _open_folders(work)
    for name in sorted((n for n, s in work.target.items() if s is None), key=_depth, reverse=True):
        _attempt(work, name, lambda path: _take_away(path, work))
    _clear_the_way(work)
    for name, wanted in sorted(work.target.items(), key=lambda item: _depth(item[0])):
        if wanted is not None:
            with contextlib.suppress(OSError):  # told when the thing itself is put back
                firm.make_folders(Path(name).parent)
            _attempt(work, name, partial(_put, name=name, seen=wanted, work=work, contents=contents))
    for name, seen in sorted(work.folders.items(), key=lambda item: _depth(item[0]), reverse=True):
        now = _now(name) if work.target.get(name, seen) is not None else None
        if now is not None and now.kind == "folder":
            _attempt(work, name, partial(_finish_folder, seen=seen))
    for name, mode in work.opened.items():
        if name not in work.folders:
            with contextlib.suppress(OSError), _held(name) as path:
                firm.set_mode(path, mode)
    return Undone(
        tuple(work.restored),
        tuple(work.removed),
        tuple(work.overwrote),
        tuple(dict.fromkeys(work.failed)),
        records[-1].label,
        records[-1].turn,
    )


_SOMETHING = Seen("folder", 0, 0)


def _depth(name: str) -> int:
    return name.count(os.sep)


@contextlib.contextmanager
def _held(name: str) -> Iterator[Path]:
    """A path of ``name`` whose folder nobody can swap for a link meanwhile. Raises OSError."""
    path = Path(name)
    with firm.inside(path.parent) as folder:
        yield folder / path.name


def _now(name: str) -> Seen | None:
    try:
        with _held(name) as path:
            return _seen(path)
    except OSError:
        return None


def _seen(path: Path) -> Seen | None:
    try:
        return look(path, path.lstat())
    except OSError:
        return None


def _see_what_came_since(work: _Work) -> None:
    for name, left in work.left.items():
        now = _now(name)
        if now is not None and now.kind != "folder" and (left is None or left.stamp != now.stamp):
            work.overwrote.append(name)


def _open_folders(work: _Work) -> None:
    """Folders that the code made read-only must be opened to put back what was in them; their modes follow later."""
    for name in sorted({os.path.dirname(n) for n in work.target} | set(work.folders), key=_depth):
        with contextlib.suppress(OSError), _held(name) as path:
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) and mode & 0o700 != 0o700:
                firm.set_mode(path, stat.S_IMODE(mode) | 0o700)
                work.opened[name] = stat.S_IMODE(mode)


def _attempt(work: _Work, name: str, do: Callable[[Path], list[str] | None]) -> None:
    try:
        with _held(name) as path:
            said = do(path)
    except FileNotFoundError as error:
        if work.target.get(name, _SOMETHING) is not None:  # what shall not be there is not, nor its folder
            work.failed.append(f"{name}: {error.strerror or error}")
    except OSError as error:
        work.failed.append(f"{name}: {error.strerror or error}")
    else:
        if said is not None:
            said.append(name)


def _take_away(path: Path, work: _Work) -> list[str] | None:
    try:
        info = path.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(info.st_mode):
        try:
            path.rmdir()
        except OSError as error:
            raise OSError(error.errno, "something else lies in it by now") from error
    else:
        path.unlink()
    return work.removed


def _clear_the_way(work: _Work) -> None:
    """Where a file has become a folder or the other way round, what is there now goes; a folder only if it is empty."""
    for name, wanted in sorted(work.target.items(), key=lambda item: _depth(item[0]), reverse=True):
        now = _now(name)
        if wanted is None or now is None or now.kind == wanted.kind:
            continue
        # What is in the way is told when the thing itself is put back.
        with contextlib.suppress(OSError), _held(name) as path:
            path.rmdir() if now.kind == "folder" else path.unlink()


def _put(path: Path, name: str, seen: Seen, work: _Work, contents: Contents) -> list[str]:
    now = _seen(path)
    if now is not None and now.kind != seen.kind:
        raise OSError("something else is in its place")
    if seen.kind == "folder":
        path.mkdir(exist_ok=True)
        firm.set_mode(path, seen.mode | 0o700)
        _set_extra(path, seen)
    elif seen.kind == "link":
        if now is None or now.target != seen.target:
            _replace(path, lambda draft: os.symlink(seen.target, draft))
        firm.set_owner(path, seen.user, seen.group)
        firm.set_times(path, seen.atime_ns, seen.mtime_ns)
    elif seen.kind == "pipe":
        if now is None:
            os.mkfifo(path)
        firm.set_owner(path, seen.user, seen.group)
        firm.set_mode(path, seen.mode)
        firm.set_times(path, seen.atime_ns, seen.mtime_ns)
    else:
        _put_file(path, name, seen, now, work, contents)
    return work.restored


def _put_file(path: Path, name: str, seen: Seen, now: Seen | None, work: _Work, contents: Contents) -> None:
    same_bytes = now is not None and now.size == seen.size and contents.digest(path) == seen.digest
    if not same_bytes and not contents.has(seen.digest):
        raise OSError("it was too large to be kept" if not seen.digest else "what was kept of it is gone")
    twin = _twin(name, seen, work)
    if twin is not None:
        _replace(path, partial(_link, twin))
        return
    if same_bytes and now is not None and not (seen.links == 1 and now.links > 1):
        pass
    elif now is not None and (now.device, now.inode) == (seen.device, seen.inode):
        firm.set_mode(path, seen.mode | 0o600)
        handle = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            if not os.path.samestat(os.fstat(handle), path.lstat()) or os.fstat(handle).st_ino != seen.inode:
                raise OSError("it is being changed")
            os.ftruncate(handle, 0)
            contents.write(seen.digest, handle)
        finally:
            os.close(handle)
    else:

        def write(draft: Path) -> None:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                contents.write(seen.digest, handle)
            finally:
                os.close(handle)

        _replace(path, write)
    _set_extra(path, seen)
    firm.set_mode(path, seen.mode)
    firm.set_times(path, seen.atime_ns, seen.mtime_ns)


def _set_extra(path: Path, seen: Seen) -> None:
    """Owner and extended attributes, before the mode: a change of the owner takes bits from that."""
    try:
        if firm.extra(path) != seen.extra:
            firm.set_mode(path, seen.mode | 0o600)
            firm.set_extra(path, seen.extra)
        firm.set_owner(path, seen.user, seen.group)
    except OSError as error:
        firm.set_mode(path, seen.mode)
        firm.set_times(path, seen.atime_ns, seen.mtime_ns)
        raise OSError(error.errno, f"it is back, but not its owner or its attributes: {error.strerror}") from error


def _twin(name: str, seen: Seen, work: _Work) -> str | None:
    """Another name of the same file that is there and as it shall be; None when this name is one already, or is the
    first to be put back."""
    own = _now(name)
    for other_name in work.linked.get(name, ()):
        if other_name == name:
            continue
        other = _now(other_name)
        ready = other_name in work.restored or other_name not in work.target
        if other is not None and other.kind == "file" and ready:
            if own is not None and (own.device, own.inode) == (other.device, other.inode):
                return None
            if (other.mode, other.size, other.mtime_ns) == (seen.mode, seen.size, seen.mtime_ns):
                return other_name
    return None


def _link(twin: str, draft: Path) -> None:
    with _held(twin) as source:
        follow = {"follow_symlinks": False} if os.link in os.supports_follow_symlinks else {}
        os.link(source, draft, **follow)


def _replace(path: Path, make: Callable[[Path], None]) -> None:
    """Make it under another name beside, then put it in its place in one step."""
    draft = path.with_name(f".undo-{secrets.token_hex(8)}")
    try:
        make(draft)
        os.replace(draft, path)
        # A rename onto another name of the same file does nothing and leaves both.
    finally:
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()


def _finish_folder(path: Path, seen: Seen) -> None:
    firm.set_mode(path, seen.mode)
    firm.set_times(path, seen.atime_ns, seen.mtime_ns)
