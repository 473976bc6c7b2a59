"""Undo: what a run of code did to files can be taken back, whichever way the code did it.

Before a run, everything that it may touch is looked at and its bytes are kept; after it, the difference is recorded.
Undoing puts bytes, modes and times back, and is itself recorded, so that it can be undone as well. A process that dies
in between leaves a pending watch, which the next one completes.
"""

from __future__ import annotations

import json
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from zero_one import firm
from zero_one.files import alone, hold, set_aside, write_whole
from zero_one.safety import snapshots
from zero_one.safety.contents import MOST_KEPT, Contents
from zero_one.safety.records import Record, Records
from zero_one.safety.restore import Undone, restore
from zero_one.safety.snapshots import Looker, Snapshot, outermost

if TYPE_CHECKING:
    from filelock import BaseFileLock

__all__ = ["Record", "TooLarge", "Undo", "Undone", "Watch"]

OURS = ".output"
"""The folder among the project's files that holds what we wrote ourselves."""
LIGHT = 2_000, 0.5
"""Files and seconds: limits of a look before a run that is expected to change nothing."""


@dataclass(frozen=True, slots=True)
class TooLarge:
    """A file that would not be kept. ``size`` in bytes."""

    path: str
    size: int


@dataclass(slots=True)
class Watch:
    """One run of code that is being watched; made by ``Undo.before``.

    ``home`` is the folder in which what is changed after it, and before the next one, still counts to it.
    """

    ident: str
    roots: list[Path]
    snapshot: Snapshot
    turn: str = ""
    label: str = ""
    device: str = ""
    at: float = 0.0
    lock: BaseFileLock | None = None
    home: Path | None = None


class Undo:
    """The records in ``folder``. Safe for threads and processes. Methods block: call them from a thread."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._pending = folder, folder / "pending"
        self._contents = Contents(folder / "contents")
        self._records = Records(folder / "records")
        own = {folder, Path(os.path.realpath(folder))}
        self._looker = Looker(self._contents, lambda path: path in own)
        self._lock, self._shared = threading.RLock(), folder / "lock"
        self._deep = 0
        self._running: dict[str, str] = {}
        self._glances: dict[str, Watch] = {}
        self._trailing: dict[str, Watch] = {}

    @property
    def lost(self) -> str:
        """What could not be read, in words."""
        return self._records.lost

    @property
    def records(self) -> list[Record]:
        """Oldest first."""
        with self._alone():
            return self._records.all()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock:
            self._deep += 1
            try:
                if self._deep == 1:
                    with alone(self._shared):
                        yield
                else:
                    yield
            finally:
                self._deep -= 1

    # --- watching a run

    def before(
        self,
        roots: Iterable[Path],
        *,
        turn: str = "",
        label: str = "",
        device: str = "",
        light: bool = False,
        home: Path | None = None,
    ) -> Watch:
        """Keep what is below ``roots`` (the project folder, and every path that the code names). Raises OSError.

        ``light``: nothing is expected to change, so little time is spent, and a crash loses it.
        """
        outer = outermost(roots)
        home = firm.real(Path(os.path.abspath(home))) if home is not None else None
        ours = os.fspath(home / OURS) if home is not None else ""
        with self._alone():  # until it is on the disk, what was kept for it would look as if nobody needed it
            self._settle(device)
            snapshot = self._looker.keep(outer, ours, *(LIGHT if light else ()))
            watch = Watch(uuid.uuid4().hex, outer, snapshot, turn, label, device, time.time(), home=home)
            if light:
                self._glances[watch.ident] = watch
            else:
                self._write_pending(watch)
            self._running[watch.ident] = device
        return watch

    def _settle(self, device: str | None) -> None:
        """What was changed since the last run of a device (None: of each) ended was left behind by it: its turn's."""
        for one in [device] if device is not None else [*self._trailing]:
            watch = self._trailing.pop(one, None)
            if watch is None or watch.home is None:
                continue
            known = {name for r in self._records.all() if r.turn == watch.turn for name in r.before}
            changed = self._looker.changed(watch.snapshot, [watch.home])
            late = {name: seen for name, seen in changed.items() if name not in known}
            record = Record.of(watch.snapshot, late)
            if record is not None and record.before:
                named = replace(watch, ident=uuid.uuid4().hex, label=f"{watch.label} (afterwards)")
                self._add(record, named, ())

    def busy(self, device: str) -> bool:
        """Whether something that this device asked for runs now, in this process: it is recorded when it is over."""
        return device in self._running.values()

    def _write_pending(self, watch: Watch) -> None:
        watch.lock = hold(self._pending / f"{watch.ident}.lock")
        body = {
            "roots": [os.fspath(root) for root in watch.roots],
            "snapshot": watch.snapshot.to_json(),
            "turn": watch.turn,
            "label": watch.label,
            "device": watch.device,
            "at": watch.at,
        }
        try:
            write_whole(self._pending / f"{watch.ident}.json", json.dumps(body))
        except OSError:
            self._done(watch)
            raise

    def after(
        self, watch: Watch, turn: str | None = None, label: str | None = None, *, at: float | None = None
    ) -> Record | None:
        """Record what changed since ``watch``; None when nothing did. Raises OSError, then it can be done again."""
        with self._alone():
            record = self._record(
                replace(
                    watch,
                    turn=watch.turn if turn is None else turn,
                    label=watch.label if label is None else label,
                    at=time.time() if at is None else at,
                )
            )
            if watch.home is not None:
                self._trailing[watch.device] = replace(watch, snapshot=watch.snapshot.below(watch.home), lock=None)
        self._done(watch)
        return record

    def _record(self, watch: Watch, undoes: tuple[int, ...] = ()) -> Record | None:
        record = Record.of(watch.snapshot, self._looker.changed(watch.snapshot, watch.roots))
        if record is None or any(r.watch == watch.ident for r in self._records.all()):
            return None
        return self._add(record, watch, undoes)

    def _add(self, record: Record, watch: Watch, undoes: tuple[int, ...]) -> Record:
        record = replace(record, turn=watch.turn, label=watch.label, device=watch.device, at=watch.at)
        record = self._records.add(replace(record, watch=watch.ident, undoes=undoes))
        self._make_room()
        return record

    def discard(self, watch: Watch) -> None:
        """The run never began."""
        self._done(watch)

    def _done(self, watch: Watch) -> None:
        self._running.pop(watch.ident, None)
        self._glances.pop(watch.ident, None)
        (self._pending / f"{watch.ident}.json").unlink(missing_ok=True)
        if watch.lock is not None:
            _remove(watch.lock)
            watch.lock = None

    def recover(self) -> list[Record]:
        """Complete the watches of processes that died in the middle: what they changed can be undone as well."""
        out = []
        for file in sorted(self._pending.glob("*.json")):
            try:
                lock = hold(file.with_suffix(".lock"))
            except TimeoutError:
                continue  # its process lives
            watch = _read_pending(file)
            if watch is None:
                self._records.lost = "What a run changed that was cut off could not be read, so it cannot be undone."
                _remove(lock)
                continue
            watch.lock = lock
            record = self.after(watch, label=f"{watch.label} (cut off)", at=watch.at)
            if record is not None:
                out.append(record)
        for stray in self._pending.glob("*.lock"):
            if not stray.with_suffix(".json").exists():
                with suppress(TimeoutError):
                    _remove(hold(stray))
        return out

    def too_large(self, roots: Iterable[Path]) -> list[TooLarge]:
        """Files that would not be kept, the largest first, so that it can be said before anything runs."""
        found = []
        for path in snapshots.files_below(outermost(roots)):
            try:
                size = path.lstat().st_size
            except OSError:
                continue
            if size > snapshots.LARGEST_FILE:
                found.append(TooLarge(os.fspath(path), size))
        return sorted(found, key=lambda f: -f.size)

    # --- taking back

    def last(self, device: str | None = None, *, further: bool = False) -> Record | None:
        """The newest record that can be undone, of this device or of any; with ``further`` never an undo itself."""
        with self._alone():
            self._settle(device)
        fitting = [r for r in self.records if r.open and (device is None or r.device == device)]
        fitting = [r for r in fitting if not (further and r.undoes)]
        return fitting[-1] if fitting else None

    def undo(
        self,
        turn: str | None = None,
        *,
        number: int | None = None,
        device: str | None = None,
        at: float | None = None,
        by: str = "",
    ) -> Undone | None:
        """Take back the last turn that changed files (of ``device``), or the named one, or one record of it.

        None: there is nothing to undo. Raises OSError where the store itself fails; nothing was restored then.
        """
        with self._alone():
            self._settle(device)
            records = self._records.all()
            fitting = [r for r in records if r.open and (device is None or r.device == device)]
            if number is not None:
                mine = [r for r in fitting if r.number == number]
            else:
                turn = fitting[-1].turn if turn is None and fitting else turn
                mine = [r for r in records if r.turn == turn and not r.undone]
                mine = mine if any(r.before for r in mine) else []
            if not mine:
                return None
            turn = mine[-1].turn
            named = turn if turn.startswith("undo of ") else f"undo of {turn}"
            undoing = f"{named} {uuid.uuid4().hex[:6]}" if turn.startswith("undo of ") else named
            touched = [Path(name) for r in mine for name in r.before]
            watch = self.before(touched, turn=undoing, label=_label(mine), device=by or mine[-1].device)
            watch.at = time.time() if at is None else at
            outcome = restore(mine, self._contents)
            self._records.mark([r.number for r in mine], undone=True)
            undone_again = [number for r in mine for number in r.undoes]
            self._records.mark(undone_again, undone=False)
            if not undone_again or outcome.overwrote:  # what is in force again can be undone by its own record
                self._record(watch, tuple(r.number for r in mine))
        self._done(watch)
        return outcome

    # --- forgetting

    def forget(self, chosen: Callable[[Record], bool]) -> int:
        """Drop records and what only they needed. Returns how many."""
        with self._alone():
            gone = [r.number for r in self._records.all() if chosen(r)]
            self._records.drop(gone)
            self._contents.drop_all_but(self._needed())
        return len(gone)

    def _needed(self) -> set[str]:
        needed = {s.digest for r in self._records.all() for s in r.before.values() if s is not None}
        pending = [_read_pending(file, aside=False) for file in self._pending.glob("*.json")]
        for watch in (*pending, *self._glances.values(), *self._trailing.values()):
            if watch is not None:
                needed |= {seen.digest for seen in watch.snapshot.entries.values()}
        return needed

    def _make_room(self) -> None:
        self._records.drop(r.number for r in self._records.all()[: -Records.MOST])
        if self._contents.size() <= MOST_KEPT:
            return
        self._contents.drop_all_but(self._needed())
        while self._contents.size() > MOST_KEPT and (records := self._records.all()):
            self._records.drop([records[0].number])
            self._contents.drop_all_but(self._needed())


def _remove(lock: BaseFileLock) -> None:
    """While it is held: whoever waits for it sees that it is gone, and makes another."""
    with suppress(OSError):  # Windows removes no file that is open
        os.unlink(lock.lock_file)
    lock.release()


def _label(records: list[Record]) -> str:
    label = records[-1].label
    return label if label.startswith("undo: ") else f"undo: {label}"


def _read_pending(file: Path, *, aside: bool = True) -> Watch | None:
    try:
        raw = json.loads(file.read_text("utf-8"))
        return Watch(
            file.stem,
            [Path(root) for root in raw["roots"]],
            Snapshot.from_json(raw["snapshot"]),
            raw["turn"],
            raw["label"],
            raw["device"],
            raw["at"],
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        if aside:
            set_aside(file)
    except OSError:
        pass
    return None
