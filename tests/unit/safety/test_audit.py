"""The audit log tells every change, drop and swap, survives a torn write, and forgets without breaking its chain."""

from __future__ import annotations

import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from zero_one.safety import audit
from zero_one.safety.audit import AuditLog


def _filled(folder: Path, count: int = 5) -> AuditLog:
    log = AuditLog(folder)
    for i in range(count):
        log.append("ran", "kitchen", {"code": f"print({i})", "exit": "0"}, at=1000.0 + i)
    return log


def _append_one(log: AuditLog, i: int) -> None:
    log.append("ran", "kitchen", {"code": f"print({i})", "exit": "0"}, at=1000.0 + i)


def _full(handle: int) -> None:
    raise OSError(errno.ENOSPC, "the disk is full")


def test_entries_come_back_in_order_and_verify(tmp_path: Path) -> None:
    log = _filled(tmp_path)
    assert [e.details["code"] for e in AuditLog(tmp_path).entries() if e.details] == [f"print({i})" for i in range(5)]
    report = log.verify()
    assert report.sound
    assert report.entries == 5


@pytest.mark.parametrize("file", ["chain.jsonl", "details.jsonl"])
@pytest.mark.parametrize("line", range(5))
def test_a_changed_line_is_told(tmp_path: Path, file: str, line: int) -> None:
    _filled(tmp_path)
    path = tmp_path / file
    lines = path.read_text().splitlines()
    lines[line] = lines[line].replace("kitchen", "garden").replace("print", "erase")
    path.write_text("\n".join(lines) + "\n")
    assert not AuditLog(tmp_path).verify().sound


@pytest.mark.parametrize("line", range(4))
def test_a_dropped_or_swapped_line_is_told(tmp_path: Path, line: int) -> None:
    _filled(tmp_path)
    path = tmp_path / "chain.jsonl"
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:line] + lines[line + 1 :]) + "\n")
    assert not AuditLog(tmp_path).verify().sound
    lines[line], lines[line + 1] = lines[line + 1], lines[line]
    path.write_text("\n".join(lines) + "\n")
    assert not AuditLog(tmp_path).verify().sound


def test_forgetting_removes_the_words_and_the_chain_still_verifies(tmp_path: Path) -> None:
    log = _filled(tmp_path)
    assert log.forget(since=1002, until=1003, device="desk", at=2000.0) == 2
    assert "print(2)" not in (tmp_path / "details.jsonl").read_text()
    report = AuditLog(tmp_path).verify()
    assert report.sound
    assert report.forgotten == 2
    assert [e.kind for e in log.entries()][-1] == "forgotten"


def test_what_a_wrong_clock_dated_in_the_future_is_forgotten_with_what_is_new(tmp_path: Path) -> None:
    log = _filled(tmp_path)
    log.append("ran", "desk", {"code": "print('tomorrow')"}, at=9000.0)
    assert log.forget(since=1500.0, until=2000.0, device="desk", at=2000.0) == 1
    assert "tomorrow" not in (tmp_path / "details.jsonl").read_text()
    assert AuditLog(tmp_path).verify().sound


def test_removing_words_by_hand_is_told(tmp_path: Path) -> None:
    _filled(tmp_path)
    path = tmp_path / "details.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")
    assert "nobody asked" in AuditLog(tmp_path).verify().problems[0]


@pytest.mark.parametrize("file", ["details.jsonl", "chain.jsonl", "head.json"])
def test_a_crash_at_every_byte_of_an_append_leaves_a_sound_log(tmp_path: Path, file: str) -> None:
    """Details, then chain, then head: whatever was written of the last entry, the log is sound, tells, and goes on."""
    order = ["details.jsonl", "chain.jsonl", "head.json"]
    _filled(tmp_path / "two", 2)
    shutil.copytree(tmp_path / "two", tmp_path / "three")
    _append_one(AuditLog(tmp_path / "three"), 2)
    before = {name: (tmp_path / "two" / name).read_bytes() for name in order}
    after = {name: (tmp_path / "three" / name).read_bytes() for name in order}
    at = order.index(file)
    # head.json is replaced whole, so of it there is the old one or the new one
    cuts = range(len(before[file]), len(after[file]) + 1, 3) if file != "head.json" else [len(after[file])]
    for cut in cuts:
        folder = tmp_path / str(cut)
        folder.mkdir()
        for name in order:
            known = after if order.index(name) < at else before
            (folder / name).write_bytes(after[file][:cut] if name == file else known[name])
        log = AuditLog(folder)
        assert bool(log.lost) == (len(before[file]) < cut < len(after[file]))
        _append_one(log, 9)
        assert AuditLog(folder).verify().sound
        assert [e.details["code"] for e in log.entries() if e.details][-1] == "print(9)"


@pytest.mark.parametrize("keep", [0, 1, 4])
def test_a_cut_tail_is_told_and_goes_on_being_told(tmp_path: Path, keep: int) -> None:
    _filled(tmp_path)
    for name in ("chain.jsonl", "details.jsonl"):
        lines = (tmp_path / name).read_text().splitlines(keepends=True)
        (tmp_path / name).write_text("".join(lines[:keep]))
    log = AuditLog(tmp_path)
    assert f"entries {keep + 1} to 5" in log.lost
    assert not log.verify().sound
    _append_one(log, 9)
    assert not AuditLog(tmp_path).verify().sound


def test_a_removed_head_is_told(tmp_path: Path) -> None:
    _filled(tmp_path)
    (tmp_path / "head.json").unlink()
    log = AuditLog(tmp_path)
    assert "length" in log.lost
    assert not log.verify().sound


def test_two_processes_write_one_chain(tmp_path: Path) -> None:
    one, other = AuditLog(tmp_path), AuditLog(tmp_path)
    for i in range(4):
        _append_one(one if i % 2 else other, i)
    report = one.verify()
    assert report.sound
    assert report.entries == 4


def test_a_write_that_the_disk_takes_in_part_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = _filled(tmp_path, 2)
    real = os.write
    with monkeypatch.context() as patch:
        patch.setattr("zero_one.safety.audit.os.write", lambda handle, raw: real(handle, raw[:7]))
        patch.setattr("zero_one.safety.audit.os.fsync", _full)
        with pytest.raises(OSError, match="full"):
            _append_one(log, 2)
    _append_one(log, 3)
    assert AuditLog(tmp_path).verify().sound
    assert AuditLog(tmp_path).lost == ""


def test_a_crash_while_forgetting_forgets_in_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = _filled(tmp_path)
    real, calls = audit.write_whole, []

    def dies_at_the_words(path: Path, data: str) -> None:
        calls.append(path.name)
        if path.name == "details.jsonl":
            raise KeyboardInterrupt
        real(path, data)

    monkeypatch.setattr(audit, "write_whole", dies_at_the_words)
    with pytest.raises(KeyboardInterrupt):
        log.forget(since=1002, until=1003, device="desk", at=2000.0)
    monkeypatch.undo()
    report = AuditLog(tmp_path).verify()
    assert report.sound
    assert report.forgotten == 2
    assert "print(2)" not in (tmp_path / "details.jsonl").read_text()


def test_too_many_words_are_shortened_and_the_chain_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = _filled(tmp_path, 40)
    monkeypatch.setattr(audit, "MOST_DETAILS", 1000)
    assert log.shorten(at=5000.0) == 20
    assert log.verify().sound
    assert [e.details is None for e in log.entries()][:40] == [True] * 20 + [False] * 20


def test_odd_words_survive(tmp_path: Path) -> None:
    log = AuditLog(tmp_path)
    log.append("ran", "a\nb", {"code": "\ud800\u2028 \x00 ünï"}, at=1.0)
    assert log.verify().sound
    assert [e.details for e in log.entries()] == [{"code": "\ud800\u2028 \x00 ünï"}]


def test_the_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    _filled(tmp_path, 1)
    assert (tmp_path / "chain.jsonl").stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "chain.jsonl").read_text())["n"] == 1
