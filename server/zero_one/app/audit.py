"""``01 audit``: read the audit log, and verify that nothing in it was changed, dropped or cut off."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from zero_one.app.undo import printable
from zero_one.config.paths import data_dir
from zero_one.safety.audit import AuditLog, Entry

_LONGEST = 200
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def read(*, since: str | None, device: str | None, as_json: bool) -> int:
    """Print entries, oldest first. ``since``: "2h", "3d", or a date or time as ISO 8601. 2 for what is no time."""
    try:
        start = moment(since) if since else 0.0
    except ValueError:
        print(f"01: {since!r} is no time. Examples: 2h, 30m, 3d, 2026-11-22, 2026-11-22T10:00.", file=sys.stderr)
        return 2
    log = _open()
    if log is None:
        return 1
    entries = [e for e in log.entries() if e.at >= start and (device is None or device.casefold() in _who(e))]
    if as_json:
        rows = [{"n": e.number, "at": e.at, "kind": e.kind, "device": e.device, "details": e.details} for e in entries]
        print(json.dumps(rows, indent=2))
    elif not entries:
        print("The audit log has no such entries.")
    for entry in () if as_json else entries:
        print(printable(line(entry)))
    if log.lost:
        print(f"01: {log.lost}", file=sys.stderr)
    return 0


def verify(*, as_json: bool) -> int:
    """0 when the log is sound, 1 when something is wrong with it."""
    log = _open()
    if log is None:
        return 1
    report = log.verify()
    if as_json:
        rows = {"sound": report.sound, "entries": report.entries, "forgotten": report.forgotten}
        print(json.dumps({**rows, "problems": report.problems, "lost": log.lost}, indent=2))
        return 0 if report.sound else 1
    forgotten = f", the words of {report.forgotten} of them forgotten on request" if report.forgotten else ""
    if report.sound:
        print(f"The audit log is sound: {report.entries} entries{forgotten}; none changed, dropped or cut off.")
    else:
        print(f"The audit log is NOT sound: {len(report.problems)} problems in {report.entries} entries{forgotten}.")
        for problem in report.problems[:50]:
            print(f"  {problem}")
    if log.lost:
        print(f"01: {log.lost}", file=sys.stderr)
    return 0 if report.sound else 1


def _open() -> AuditLog | None:
    try:
        return AuditLog(data_dir() / "trust" / "audit")
    except OSError as error:
        print(f"01: the audit log cannot be read: {error}.", file=sys.stderr)
        return None


def moment(text: str) -> float:
    """Seconds since 1970 of a time, or of so long ago. Raises ValueError."""
    if match := re.fullmatch(r"(\d{1,6})\s?([smhdw])", text.strip()):
        return (datetime.now() - timedelta(seconds=int(match[1]) * _UNITS[match[2]])).timestamp()
    return datetime.fromisoformat(text.strip()).timestamp()


def _who(entry: Entry) -> str:
    details = entry.details or {}
    return f"{entry.device} {details.get('by', '')} {details.get('name', '')}".casefold()


def line(entry: Entry) -> str:
    """One entry for people: when, what, on which device, and its details on lines of their own where they are long."""
    when = datetime.fromtimestamp(entry.at).strftime("%Y-%m-%d %H:%M:%S")
    head = f"{entry.number:>6}  {when}  {entry.kind:<10} {entry.device}"
    if entry.details is None:
        return f"{head}  (forgotten)"
    return head + "".join(f"\n        {name}: {_value(value)}" for name, value in _telling(entry.details).items())


def _telling(details: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in details.items() if value not in (None, "", [], {}, False)}


def _value(value: Any) -> str:
    if isinstance(value, list):
        value = ", ".join(map(_value, value[:10])) + (f" and {len(value) - 10} more" if len(value) > 10 else "")
    text = value if isinstance(value, str) else json.dumps(value)
    text = " ⏎ ".join(text.strip().splitlines())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
