"""Undo puts back bytes, modes and times, whatever was done to the files."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from zero_one.safety.undo import Undo


def _state(folder: Path) -> dict[str, tuple[object, ...]]:
    out: dict[str, tuple[object, ...]] = {}
    for path in [folder, *sorted(folder.rglob("*"))]:
        info = path.lstat()
        if path.is_symlink():
            out[str(path)] = ("link", os.readlink(path))
        elif path.is_dir():
            out[str(path)] = ("folder", info.st_mode, info.st_mtime_ns)
        else:
            out[str(path)] = ("file", info.st_mode, info.st_mtime_ns, path.read_bytes())
    return out


def _tree(folder: Path, rng: random.Random) -> None:
    folder.mkdir()
    for i in range(rng.randint(3, 9)):
        where = folder / rng.choice(["", "a", "a/b", "c"])
        where.mkdir(parents=True, exist_ok=True)
        file = where / f"f{i}.txt"
        file.write_bytes(rng.randbytes(rng.randint(0, 200)))
        file.chmod(rng.choice([0o644, 0o600, 0o755, 0o444]))
        os.utime(file, ns=(10**18 + i, 10**18 + i * 7))
    (folder / "link").symlink_to("a")


def _act(folder: Path, rng: random.Random) -> None:
    paths = [p for p in folder.rglob("*") if p.exists() or p.is_symlink()]
    target = rng.choice(paths) if paths else folder / "x"
    match rng.randint(0, 8):
        case 0 if not target.is_dir() or target.is_symlink():
            target.unlink()
        case 1 if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        case 2 if target.is_file():
            target.chmod(0o644)
            target.write_bytes(rng.randbytes(50))
        case 3 if not target.is_symlink():
            target.rename(folder / f"moved{rng.getrandbits(40)}")
        case 4:
            (folder / f"new{rng.getrandbits(40)}").write_text("new")
        case 5 if target.is_file():
            target.chmod(0o700)
        case 6:
            (folder / "deep" / "er").mkdir(parents=True, exist_ok=True)
        case 7 if target.is_file():
            os.utime(target, ns=(1, 1))
        case 8 if target.is_file() and not target.is_symlink():
            target.unlink()
            target.mkdir()
        case _:
            (folder / f"other{rng.getrandbits(40)}").write_text("other")


@pytest.mark.parametrize("seed", range(60))
def test_random_changes_are_taken_back_whole(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    folder = tmp_path / "project"
    _tree(folder, rng)
    undo = Undo(tmp_path / "undo")
    before = _state(folder)
    for run in range(3):
        watch = undo.before([folder])
        for _ in range(rng.randint(1, 6)):
            _act(folder, rng)
        undo.after(watch, "turn", f"run {run}", at=float(run))
    after = _state(folder)
    reopened = Undo(tmp_path / "undo")
    if after == before:
        return
    outcome = reopened.undo(at=10.0)
    assert outcome is None or not outcome.failed
    assert _state(folder) == before
    if outcome is not None:  # and undoing the undo brings the changes back, but for the times of folders
        reopened.undo(at=11.0)
        assert {k: v for k, v in _state(folder).items() if v[0] != "folder"} == {
            k: v for k, v in after.items() if v[0] != "folder"
        }


def test_only_the_last_turn_is_taken_back(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    undo = Undo(tmp_path / "undo")
    for turn in ("one", "two"):
        watch = undo.before([folder])
        (folder / turn).write_text(turn)
        undo.after(watch, turn, "write", at=1.0)
    outcome = undo.undo()
    assert outcome is not None
    assert sorted(p.name for p in folder.iterdir()) == ["one"]


def test_what_was_too_large_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zero_one.safety.snapshots.LARGEST_FILE", 10)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "big").write_text("x" * 100)
    undo = Undo(tmp_path / "undo")
    watch = undo.before([folder])
    (folder / "big").unlink()
    record = undo.after(watch, "t", "rm", at=1.0)
    assert record is not None
    assert record.left_out == (str(folder / "big"),)
    outcome = undo.undo()
    assert outcome is not None
    assert "too large" in outcome.failed[0]


def test_a_damaged_list_is_kept_and_told(tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    undo = Undo(tmp_path / "undo")
    watch = undo.before([folder])
    (folder / "x").write_text("x")
    undo.after(watch, "t", "write", at=1.0)
    (record,) = (tmp_path / "undo" / "records").iterdir()
    record.write_bytes(record.read_bytes()[:-9])
    again = Undo(tmp_path / "undo")
    assert again.undo() is None
    assert "could not be read" in again.lost
