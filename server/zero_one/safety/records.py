"""What runs of code changed, one JSON file a run, so that a damaged one takes no other with it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from zero_one.files import set_aside, write_whole
from zero_one.safety.snapshots import Seen, Snapshot

_MOST_NAMED = 50


@dataclass(frozen=True, slots=True)
class Record:
    """What one run changed: each path with how it was (None: it was not there). ``at``: seconds since 1970, UTC.

    ``after`` is how it was left, without bytes. ``folders`` are those whose time changed because something in them did;
    ``linked`` are the names of each file with several. ``left_out`` cannot be undone.
    """

    number: int = 0
    turn: str = ""
    label: str = ""
    device: str = ""
    at: float = 0.0
    watch: str = ""
    undone: bool = False
    undoes: tuple[int, ...] = ()
    before: dict[str, Seen | None] = field(default_factory=dict)
    after: dict[str, Seen | None] = field(default_factory=dict)
    folders: dict[str, Seen] = field(default_factory=dict)
    linked: tuple[tuple[str, ...], ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def open(self) -> bool:
        """Whether it can be undone."""
        return not self.undone and bool(self.before)

    def summary(self) -> str:
        made = sum(1 for old in self.before.values() if old is None)
        gone = sum(1 for name, old in self.before.items() if old is not None and self.after.get(name) is None)
        other = len(self.before) - made - gone
        parts = [f"{n} {what}" for n, what in ((gone, "deleted"), (other, "changed"), (made, "made")) if n]
        return ", ".join(parts) or "no file changed"

    @classmethod
    def of(cls, old: Snapshot, now: dict[str, Seen | None]) -> Record | None:
        """The difference; None when there is none."""
        before: dict[str, Seen | None] = {}
        folders: dict[str, Seen] = {}
        for name, seen in now.items():
            was = old.entries.get(name)
            if was is not None and seen is not None and was.kind == "folder" and _same_but_time(was, seen):
                folders[name] = was  # only its time changed
            else:
                before[name] = was
        for name in [*before]:
            parent = os.path.dirname(name)
            if parent in old.entries and old.entries[parent].kind == "folder":
                folders.setdefault(parent, old.entries[parent])
        if not before and not folders:
            return None
        groups: dict[tuple[int, int], list[str]] = {}
        for name, was in old.entries.items():
            if was.kind == "file" and was.links > 1:
                groups.setdefault((was.device, was.inode), []).append(name)
        linked = [tuple(names) for names in groups.values() if len(names) > 1 and any(n in before for n in names)]
        lost = tuple(name for name in old.left_out if name in before or not os.path.lexists(name))
        lost, more = lost[:_MOST_NAMED], (f"and {len(lost) - _MOST_NAMED} more",) if len(lost) > _MOST_NAMED else ()
        return cls(
            before=before,
            after={name: now[name] for name in before},
            folders=folders,
            linked=tuple(linked),
            left_out=lost + more,
        )

    def to_json(self) -> dict[str, Any]:
        raw = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("before", "after", "folders"):
            raw[name] = {n: s.row() if s is not None else None for n, s in raw[name].items()}
        return {"version": 1, **raw}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Record:
        """Raises KeyError, TypeError, ValueError for what is none."""
        kept = {name: raw[name] for name in (f.name for f in fields(cls))}
        for name in ("before", "after", "folders"):
            kept[name] = {n: Seen.from_row(s) if s is not None else None for n, s in kept[name].items()}
        kept["undoes"], kept["left_out"] = tuple(kept["undoes"]), tuple(kept["left_out"])
        kept["linked"] = tuple(tuple(names) for names in kept["linked"])
        if not isinstance(kept["number"], int) or not isinstance(kept["turn"], str):
            raise TypeError("not a record")
        return cls(**kept)


def _same_but_time(was: Seen, now: Seen) -> bool:
    return replace(was, mtime_ns=now.mtime_ns).stamp == now.stamp


class Records:
    """The files in ``folder``. What another process wrote is seen at the next call."""

    MOST = 100

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[tuple[int, int, int], Record]] = {}
        self.lost = ""

    def all(self) -> list[Record]:
        """Oldest first. A file that cannot be read is set aside, and ``lost`` says so."""
        read: dict[str, tuple[tuple[int, int, int], Record]] = {}
        for file in self._folder.glob("????????.json"):
            try:
                info = file.stat()
                stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
                known = self._read.get(file.name)
                if known is not None and known[0] == stamp:
                    read[file.name] = known
                else:
                    read[file.name] = (stamp, Record.from_json(json.loads(file.read_text("utf-8"))))
            except FileNotFoundError:
                continue
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as problem:
                aside = set_aside(file)
                self.lost = f"One of the things that could be undone could not be read ({problem}); it is {aside.name}."
        self._read = read
        return sorted((record for _, record in read.values()), key=lambda r: r.number)

    def add(self, record: Record) -> Record:
        """Raises OSError."""
        records = self.all()
        record = replace(record, number=records[-1].number + 1 if records else 1)
        self._write(record)
        return record

    def mark(self, numbers: Iterable[int], *, undone: bool) -> None:
        wanted = set(numbers)
        for record in self.all():
            if record.number in wanted:
                self._write(replace(record, undone=undone))

    def drop(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._file(number).unlink(missing_ok=True)

    def _file(self, number: int) -> Path:
        return self._folder / f"{number:08d}.json"

    def _write(self, record: Record) -> None:
        write_whole(self._file(record.number), json.dumps(record.to_json()))
