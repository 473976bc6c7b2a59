"""The audit log tells every change, drop and swap, survives a torn write, and forgets without breaking its chain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zero_one.safety.audit import AuditLog


def _filled(folder: Path, count: int = 5) -> AuditLog:
    log = AuditLog(folder)
    for i in range(count):
        log.append("ran", "kitchen", {"code": f"print({i})", "exit": "0"}, at=1000.0 + i)
    return log


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


def test_removing_words_by_hand_is_told(tmp_path: Path) -> None:
    _filled(tmp_path)
    path = tmp_path / "details.jsonl"
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")
    assert "nobody asked" in AuditLog(tmp_path).verify().problems[0]


@pytest.mark.parametrize("file", ["chain.jsonl", "details.jsonl"])
def test_the_last_write_cut_at_every_byte_leaves_a_sound_log(tmp_path: Path, file: str) -> None:
    """A crash leaves at most the last entry half written: it is dropped, told, and the log goes on."""
    for cut in range(1, 60, 7):
        folder = tmp_path / str(cut)
        _filled(folder, 3)
        path = folder / file
        raw = path.read_bytes()
        last = len(raw) - raw.rstrip(b"\n").rfind(b"\n") - 1
        path.write_bytes(raw[: -min(cut, last)])
        if file == "details.jsonl":  # the chain line follows the details, so it cannot have been written
            chain = folder / "chain.jsonl"
            lines = chain.read_bytes().splitlines(keepends=True)
            chain.write_bytes(b"".join(lines[:-1]))
        log = AuditLog(folder)
        log.append("ran", "kitchen", {"code": "after"}, at=1.0)
        assert log.verify().sound
        assert [e.details["code"] for e in log.entries() if e.details][-1] == "after"


def test_the_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    _filled(tmp_path, 1)
    assert (tmp_path / "chain.jsonl").stat().st_mode & 0o077 == 0
    assert json.loads((tmp_path / "chain.jsonl").read_text())["n"] == 1
