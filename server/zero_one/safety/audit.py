"""The audit log: who asked, what was heard, what ran, who agreed, how it ended.

Two files. ``chain.jsonl`` is append-only; each line holds the hash of the line before it and a salted hash of what
happened, so that nothing can be changed, dropped or moved unnoticed. ``details.jsonl`` holds what happened in words.
Forgetting removes details and says so in the chain, which stays verifiable, because it never held the words.

Hashes are SHA-256 over canonical JSON (sorted keys, no spaces, UTF-8).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zero_one.files import write_whole

_GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened. ``details`` is None once it was forgotten. ``at`` is seconds since 1970, UTC."""

    number: int
    at: float
    kind: str
    device: str
    details: Mapping[str, Any] | None


@dataclass(slots=True)
class Report:
    """What verifying found. ``sound`` means that no line was changed, dropped or moved."""

    entries: int = 0
    forgotten: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        return not self.problems


class AuditLog:
    """The log in ``folder``.

    Appending is safe from several threads; a write cut short by a crash is told and mended.
    """

    def __init__(self, folder: Path) -> None:
        self._chain, self._details = folder / "chain.jsonl", folder / "details.jsonl"
        self._lock = threading.Lock()
        self.lost: str = ""
        """What opening the log had to drop, in words; empty when nothing was."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for file in (self._details, self._chain):
            self._mend(file)
        last = None
        for line in _lines(self._chain):
            last = line
        self._next = last["n"] + 1 if last else 1
        self._head = last["hash"] if last else _GENESIS

    def _mend(self, file: Path) -> None:
        """Drop a last line that was cut while it was written; it is kept beside the log."""
        if not file.exists():
            return
        raw = file.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if whole == raw:
            return
        file.with_suffix(".cut").write_bytes(raw[len(whole) :])
        write_whole(file, whole)
        self.lost = "The last entry was cut off while it was written and could not be kept."

    def append(self, kind: str, device: str, details: Mapping[str, Any], *, at: float) -> int:
        """Add an entry and return its number; it is on the disk when this returns. Blocks; raises OSError."""
        with self._lock:
            number, salt = self._next, secrets.token_hex(16)
            kept = {"n": number, "salt": salt, "details": dict(details)}
            # Details first: a chain line without its details would look like tampering, the other way round
            # is harmless.
            _append(self._details, kept)
            link = {"n": number, "at": at, "kind": kind, "device": device, "digest": _digest(kept), "prev": self._head}
            link["hash"] = _hash(link)
            _append(self._chain, link)
            self._next, self._head = number + 1, link["hash"]
            return number

    def entries(self) -> Iterator[Entry]:
        """Every entry, oldest first."""
        known = {d["n"]: d["details"] for d in _lines(self._details)}
        for link in _lines(self._chain):
            yield Entry(link["n"], link["at"], link["kind"], link["device"], known.get(link["n"]))

    def forget(self, *, since: float, until: float, device: str, at: float) -> int:
        """Remove the words of the entries between two times; the chain says that, and when. Returns how many."""
        with self._lock:
            gone = {e["n"] for e in _lines(self._chain) if since <= e["at"] <= until and e["kind"] != "forgotten"}
            kept = [d for d in _lines(self._details) if d["n"] not in gone]
            present = sum(1 for d in _lines(self._details) if d["n"] in gone)
            write_whole(self._details, "".join(_canonical(d) + "\n" for d in kept))
        if gone:
            self.append("forgotten", device, {"numbers": sorted(gone)}, at=at)
        return present

    def verify(self) -> Report:
        """Check every link and every kept detail."""
        report = Report()
        details = {d["n"]: d for d in _lines(self._details)}
        allowed = {n for d in details.values() for n in d["details"].get("numbers", ()) if isinstance(n, int)}
        previous, expected = _GENESIS, 1
        for link in _lines(self._chain):
            report.entries += 1
            number = link.get("n")
            body = {k: v for k, v in link.items() if k != "hash"}
            if number != expected:
                report.problems.append(f"Entry {expected} is missing: entry {number} follows in its place.")
                expected = number if isinstance(number, int) else expected
            if link.get("prev") != previous or not hmac.compare_digest(_hash(body), str(link.get("hash"))):
                report.problems.append(f"Entry {number} was changed, or the one before it was.")
            kept = details.pop(number, None) if isinstance(number, int) else None
            if kept is None and number in allowed:
                report.forgotten += 1
            elif kept is None:
                report.problems.append(f"The details of entry {number} are gone, and nobody asked to forget them.")
            elif _digest(kept) != link.get("digest"):
                report.problems.append(f"The details of entry {number} were changed.")
            previous, expected = str(link.get("hash")), expected + 1
        return report


def _canonical(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _hash(link: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(link).encode()).hexdigest()


def _digest(kept: Mapping[str, Any]) -> str:
    return hashlib.sha256(_canonical(kept).encode()).hexdigest()


def _append(file: Path, value: Mapping[str, Any]) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(handle, (_canonical(value) + "\n").encode())
        os.fsync(handle)
    finally:
        os.close(handle)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    if not file.exists():
        return
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                value = json.loads(line)
            except ValueError:
                value = {"n": None, "details": {}}
            if isinstance(value, dict):
                yield value
