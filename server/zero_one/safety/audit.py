"""The audit log: who asked, what was heard, what ran, who agreed, how it ended.

Three files. ``chain.jsonl`` is append-only; each line holds the hash of the line before it and a salted hash of what
happened, so that nothing can be changed, dropped or moved unnoticed. ``details.jsonl`` holds what happened in words.
``head.json`` holds number and hash of the newest line, so that a cut tail is noticed too. Forgetting removes details
and says so in the chain, which stays verifiable, because it never held the words.

What it cannot prove: whoever may write these files, and takes the trouble, can compute all of it anew.

Hashes are SHA-256 over canonical JSON (sorted keys, no spaces, ASCII).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zero_one.files import alone, write_whole

_GENESIS = "0" * 64
MOST_DETAILS = 64 << 20
"""Bytes of words kept; beyond it the oldest half is forgotten, and the chain says so."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened. ``details`` is None once it was forgotten. ``at`` is seconds since 1970, UTC."""

    number: int
    at: float
    kind: str
    device: str
    details: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Event:
    """What is to be written down."""

    kind: str
    device: str
    details: Mapping[str, Any]
    at: float


@dataclass(slots=True)
class Report:
    """What verifying found. ``sound`` means that no line was changed, dropped, moved or cut off."""

    entries: int = 0
    forgotten: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.problems


class AuditLog:
    """The log in ``folder``. Safe for several threads and processes; methods block and raise OSError."""

    def __init__(self, folder: Path) -> None:
        self._chain, self._details, self._top = folder / "chain.jsonl", folder / "details.jsonl", folder / "head.json"
        self._lock, self._shared = threading.Lock(), folder / "lock"
        self.lost: str = ""
        """What opening the log found missing, in words; empty when nothing was."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._next, self._head = 1, _GENESIS
        self._size = -1
        with self._alone():
            self._catch_up(opening=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock, alone(self._shared):
            yield

    def _catch_up(self, *, opening: bool = False) -> None:
        """Know the newest entry, whoever wrote it."""
        size = _size(self._chain)
        if size == self._size:
            return
        cut = [file.name for file in (self._details, self._chain) if _mend(file)]
        last = _last(self._chain)
        self._next = last["n"] + 1 if last else 1
        self._head = str(last["hash"]) if last else _GENESIS
        self._size = _size(self._chain)
        words = ["The last entry was cut off while it was written and could not be kept."] if cut else []
        top = self._read_top()
        if top is None:
            if self._next > 1:
                words.append("The record of the audit log's length was gone, so entries may be missing at its end.")
        elif top[0] >= self._next:
            words.append(f"The audit log was cut: entries {self._next} to {top[0]} are gone.")
            # Going on behind the gap, so that verifying goes on telling of it.
            self._next, self._head = top[0] + 1, top[1]
        if opening:
            self.lost = " ".join(words)
            self._finish_forgetting()

    def _finish_forgetting(self) -> None:
        """A crash may have come between saying that words are forgotten and removing them."""
        gone = self._forgotten()
        if gone and any(d["n"] in gone for d in _lines(self._details)):
            kept = [d for d in _lines(self._details) if d["n"] not in gone]
            write_whole(self._details, "".join(_canonical(d) + "\n" for d in kept))

    def _forgotten(self) -> set[int]:
        """Numbers of the entries whose words the chain says were removed."""
        numbers = {link.get("n") for link in _lines(self._chain) if link.get("kind") == "forgotten"}
        told = (d.get("details") for d in _lines(self._details) if numbers and d.get("n") in numbers)
        return {n for words in told if isinstance(words, dict) for n in _numbers(words.get("numbers"))}

    def _read_top(self) -> tuple[int, str] | None:
        try:
            top = json.loads(self._top.read_text("utf-8"))
            return int(top["n"]), str(top["hash"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def append(self, kind: str, device: str, details: Mapping[str, Any], *, at: float) -> int:
        """Add an entry and return its number; it is on the disk when this returns."""
        return self.extend([Event(kind, device, details, at)])

    def extend(self, events: Sequence[Event]) -> int:
        """Add entries in one write; the number of the last. After a failure none of them was added."""
        with self._alone():
            self._catch_up()
            return self._extend(events)

    def _extend(self, events: Sequence[Event]) -> int:
        kept_lines, links = [], []
        number, head = self._next - 1, self._head
        for event in events:
            number += 1
            kept = {"n": number, "salt": secrets.token_hex(16), "details": dict(event.details)}
            link = {"n": number, "at": event.at, "kind": event.kind, "device": event.device}
            link |= {"digest": _hash(kept), "prev": head}
            head = link["hash"] = _hash(link)
            kept_lines.append(kept)
            links.append(link)
        # Details first: a chain line without its details would look like tampering, the other way round is harmless.
        # The length comes last: a crash in between leaves it behind the chain, which is harmless as well.
        if self._next == 1 and not self._top.exists():
            write_whole(self._top, json.dumps({"n": 0, "hash": _GENESIS}))
        _append(self._details, kept_lines)
        _append(self._chain, links)
        self._next, self._head, self._size = number + 1, head, _size(self._chain)
        write_whole(self._top, json.dumps({"n": number, "hash": head}))
        return number

    def entries(self) -> Iterator[Entry]:
        """Every entry, oldest first."""
        known = {d["n"]: d["details"] for d in _lines(self._details) if isinstance(d.get("details"), dict)}
        for link in _lines(self._chain):
            if isinstance(link.get("n"), int) and isinstance(link.get("at"), int | float):
                number = link["n"]
                yield Entry(
                    number, link["at"], str(link.get("kind")), str(link.get("device")), known.get(number)
                )  # fmt: skip

    def forget(
        self, *, since: float, until: float, device: str, at: float, which: Callable[[str, str], bool] | None = None
    ) -> int:
        """Remove the words of the entries between two times; the chain says that, and when. Returns how many.

        ``which(kind, device)`` narrows it. That something was forgotten is never forgotten. ``at`` is now: what a clock
        that went wrong dated later than that counts as of now.
        """

        def gone(link: Mapping[str, Any]) -> bool:
            fits = since <= min(float(link["at"]), max(at, since)) <= until and link["kind"] != "forgotten"
            return fits and (which is None or which(str(link["kind"]), str(link["device"])))

        with self._alone():
            self._catch_up()
            return self._forget(gone, device, at)

    def _forget(self, gone: Callable[[Mapping[str, Any]], bool], device: str, at: float) -> int:
        numbers = {e["n"] for e in _lines(self._chain) if isinstance(e.get("at"), int | float) and gone(e)}
        details = list(_lines(self._details))
        present = sorted({d["n"] for d in details} & numbers)
        if present:
            # Said before it is done: words that are gone without a word would look like tampering.
            self._extend([Event("forgotten", device, {"numbers": _ranges(present)}, at)])
            newest = next(d for d in _lines(self._details, newest_first=True))
            kept = [d for d in details if d["n"] not in numbers]
            write_whole(self._details, "".join(_canonical(d) + "\n" for d in [*kept, newest]))
        return len(present)

    def shorten(self, *, at: float) -> int:
        """Forget the oldest half of the words where they have become too many. Returns how many entries that were."""
        if _size(self._details) <= MOST_DETAILS:
            return 0
        with self._alone():
            self._catch_up()
            numbers = sorted(d["n"] for d in _lines(self._details) if isinstance(d.get("n"), int))
            middle = numbers[len(numbers) // 2] if numbers else 0
            return self._forget(lambda e: e["n"] < middle and e["kind"] != "forgotten", "", at)

    def verify(self) -> Report:
        """Check every link, every kept detail and the end."""
        with self._alone():
            self._catch_up()
            return self._verify()

    def _verify(self) -> Report:
        report = Report()
        details: dict[Any, dict[str, Any]] = {}
        for kept in _lines(self._details):
            details[kept.get("n")] = kept
        allowed = self._forgotten()
        previous, expected = _GENESIS, 1
        for link in _lines(self._chain):
            report.entries += 1
            number = link.get("n")
            body = {k: v for k, v in link.items() if k != "hash"}
            if number != expected:
                missing = f"{expected}" if number == expected + 1 else f"{expected} and those up to the next one"
                report.problems.append(f"Entry {missing} is missing: entry {number} follows in its place.")
                expected = number if isinstance(number, int) else expected
                previous = str(link.get("prev"))
            if link.get("prev") != previous or not hmac.compare_digest(_hash(body), str(link.get("hash"))):
                report.problems.append(f"Entry {number} was changed, or the one before it was.")
            kept_one = details.pop(number, None) if isinstance(number, int) else None
            if kept_one is None and number in allowed:
                report.forgotten += 1
            elif kept_one is None:
                report.problems.append(f"The details of entry {number} are gone, and nobody asked to forget them.")
            elif _hash(kept_one) != link.get("digest"):
                report.problems.append(f"The details of entry {number} were changed.")
            previous, expected = str(link.get("hash")), expected + 1
        top = self._read_top()
        if top is None and expected > 1:
            report.problems.append("The record of the log's length is gone, so entries may be missing at its end.")
        elif top is not None and top[0] >= expected:
            report.problems.append(f"The end was cut off: entries {expected} to {top[0]} are gone.")
        return report


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _hash(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _ranges(numbers: Sequence[int]) -> list[list[int]]:
    """``[1, 2, 3, 7]`` as ``[[1, 3], [7, 7]]``."""
    out: list[list[int]] = []
    for number in numbers:
        if out and number == out[-1][1] + 1:
            out[-1][1] = number
        else:
            out.append([number, number])
    return out


def _numbers(ranges: Any) -> Iterator[int]:
    for pair in ranges if isinstance(ranges, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(n, int) for n in pair):
            yield from range(pair[0], pair[1] + 1)


def _append(file: Path, values: Sequence[Mapping[str, Any]]) -> None:
    """All of the lines or none: what a full disk took only in part is taken back."""
    raw = "".join(_canonical(value) + "\n" for value in values).encode()
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        before = os.fstat(handle).st_size
        try:
            written = 0
            while written < len(raw):
                written += os.write(handle, raw[written:])
            os.fsync(handle)
        except OSError:
            os.ftruncate(handle, before)
            raise
    finally:
        os.close(handle)


def _mend(file: Path) -> bool:
    """Drop a last line that was cut while it was written; it is kept beside the log. Whether there was one."""
    if not file.exists():
        return False
    with file.open("rb+") as log:
        end = log.seek(0, os.SEEK_END)
        tail, at = b"", end
        while at and b"\n" not in tail:
            step = min(at, 65536)
            at = log.seek(at - step)
            tail = log.read(step) + tail
        whole = at + tail.rfind(b"\n") + 1
        if whole == end:
            return False
        log.seek(whole)
        write_whole(file.with_suffix(".cut"), log.read())
        log.truncate(whole)
        log.flush()
        os.fsync(log.fileno())
    return True


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def _last(file: Path) -> dict[str, Any] | None:
    """The newest line that can be read."""
    for line in _lines(file, newest_first=True):
        if isinstance(line.get("n"), int) and "hash" in line:
            return line
    return None


def _lines(file: Path, *, newest_first: bool = False) -> Iterator[dict[str, Any]]:
    if not file.exists():
        return
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in reversed(list(lines)) if newest_first else lines:
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                value = {"n": None, "details": {}}
            if isinstance(value, dict):
                yield value
