"""``01 undo``: take back what runs of code did to files, and list what could be."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from zero_one.commands.areas.past import NOT_FILES, shown
from zero_one.config.paths import data_dir
from zero_one.safety.audit import AuditLog
from zero_one.safety.records import Record
from zero_one.safety.undo import Undo

COMMAND_LINE = "command line"


def listing(*, as_json: bool) -> int:
    """Every recorded change, newest first."""
    undo = Undo(_folder())
    try:
        records = [r for r in reversed(undo.records) if r.before]
    except OSError as error:
        return _failed(error)
    if as_json:
        print(json.dumps([_row(record) for record in records], indent=2, ensure_ascii=True))
    elif not records:
        print(f"There is nothing to undo. {NOT_FILES}")
    for record in () if as_json else records:
        when = datetime.fromtimestamp(record.at).strftime("%Y-%m-%d %H:%M")
        state = "undone" if record.undone else "can be undone"
        print(f"{record.number:>5}  {when}  {printable(record.label)}")
        print(f"       {record.summary()}; {state}; turn {record.turn}, {printable(record.device) or 'this computer'}")
        for lost in record.left_out[:5]:
            print(f"       NOT kept: {printable(lost)}")
    if undo.lost:
        print(f"01: {undo.lost}", file=sys.stderr)
    return 1 if undo.lost else 0


def run(which: str | None, *, as_json: bool) -> int:
    """Undo the last turn that changed files, a numbered record, or a named turn. 1 where not all could be undone."""
    undo = Undo(_folder())
    try:
        if which is not None and which.isdigit():
            undone = undo.undo(number=int(which), by=COMMAND_LINE)
        else:
            undone = undo.undo(which, by=COMMAND_LINE)
    except OSError as error:
        return _failed(error)
    if undo.lost:
        print(f"01: {undo.lost}", file=sys.stderr)
    if undone is None:
        what = "There is nothing to undo." if which is None else f"There is nothing to undo under {which!r}."
        print(f"01: {what} `01 undo --list` lists what there is. {NOT_FILES}", file=sys.stderr)
        return 1
    details = {k: v for k, v in asdict(undone).items() if v}
    try:
        AuditLog(data_dir() / "trust" / "audit").append("undone", COMMAND_LINE, details, at=time.time())
    except OSError as error:
        print(f"01: this could not be written into the audit log: {error.strerror or error}.", file=sys.stderr)
    print(json.dumps(asdict(undone), indent=2) if as_json else printable(shown([undone])))
    if not as_json and not undone.failed:
        print("Run `01 undo` once more to have it back as it was a moment ago.")
    return 1 if undone.failed else 0


def printable(text: str) -> str:
    """File names may hold control characters: none reaches the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text)


def _row(record: Record) -> dict[str, object]:
    return {
        "number": record.number,
        "turn": record.turn,
        "label": record.label,
        "device": record.device,
        "at": record.at,
        "undone": record.undone,
        "summary": record.summary(),
        "files": {name: "made" if seen is None else "changed" for name, seen in record.before.items()},
        "left_out": list(record.left_out),
    }


def _folder() -> Path:
    return data_dir() / "trust" / "undo"


def _failed(error: OSError) -> int:
    print(f"01: what can be undone could not be read or written: {error}. Nothing was changed.", file=sys.stderr)
    return 1
