"""The journal keeps the order, waits for nobody, and tells a full disk once."""

from __future__ import annotations

import asyncio
import errno
import threading
from pathlib import Path

import pytest

from zero_one.safety import audit
from zero_one.safety.audit import AuditLog
from zero_one.safety.journal import Journal
from zero_one.safety.redact import Redactor


async def test_notes_are_written_in_their_order_and_secrets_are_not(tmp_path: Path) -> None:
    journal = Journal(tmp_path, clean=Redactor(["hunter2hunter2"]).text, now=lambda: 5.0)
    for i in range(300):
        journal.note("ran", "kitchen", {"code": f"print({i}) # hunter2hunter2", "exit": i})
    await journal.close()
    entries = list(AuditLog(tmp_path).entries())
    assert [e.details["exit"] for e in entries if e.details] == list(range(300))
    assert "hunter2" not in (tmp_path / "details.jsonl").read_text()
    assert AuditLog(tmp_path).verify().sound


async def test_a_note_returns_while_the_disk_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hangs, real = threading.Event(), audit._append

    def slow(file: Path, values: object) -> None:
        assert hangs.wait(60)
        real(file, values)  # type: ignore[arg-type]

    monkeypatch.setattr(audit, "_append", slow)
    journal = Journal(tmp_path)
    journal.note("ran", "kitchen", {})
    written = asyncio.create_task(journal.write("ran", "kitchen", {"last": True}))
    await asyncio.sleep(0)
    assert not written.done()
    hangs.set()
    assert await written
    assert [e.details for e in AuditLog(tmp_path).entries()] == [{}, {"last": True}]
    await journal.close()


async def test_a_full_disk_is_told_once_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    journal = Journal(tmp_path, tell=told.append)

    def full(file: Path, values: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(audit, "_append", full)
        assert not await journal.write("ran", "kitchen", {"n": 1})
        assert not await journal.write("ran", "kitchen", {"n": 2})
    assert len(told) == 1
    assert "No space left" in told[0]
    assert await journal.write("ran", "kitchen", {"n": 3})
    first, second = AuditLog(tmp_path).entries()
    assert (first.kind, first.details) == ("lost", {"words": "2 entries could not be written before this one."})
    assert second.details == {"n": 3}
    await journal.close()


async def test_what_was_lost_is_told_and_written_down(tmp_path: Path) -> None:
    AuditLog(tmp_path).append("ran", "kitchen", {}, at=1.0)
    with (tmp_path / "chain.jsonl").open("ab") as file:
        file.write(b'{"n": 2, "at')
    told: list[str] = []
    journal = Journal(tmp_path, tell=told.append)
    await journal.write("ran", "kitchen", {})
    await journal.close()
    assert "cut off" in told[0]
    assert [e.kind for e in AuditLog(tmp_path).entries()] == ["ran", "mended", "ran"]


async def test_long_and_strange_details_are_cut_and_made_json(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    await journal.write("ran", "kitchen", {"code": "x" * 50_000, "files": {Path("/a")}, "bytes": b"q"})
    await journal.close()
    (entry,) = AuditLog(tmp_path).entries()
    assert entry.details is not None
    assert len(entry.details["code"]) < 21_000
    assert entry.details["files"] == ["/a"]
