"""Acts are recorded however they end; what cannot be kept is said; which files code reaches is found in its text."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from pathlib import Path

import pytest

from zero_one.safety import snapshots
from zero_one.safety.risk import classify
from zero_one.safety.roots import roots
from zero_one.safety.trust import Trust, open_trust
from zero_one.safety.undo import Undo


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")
    return folder


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return open_trust(tmp_path / "trust", tell=lambda text: None)


async def test_a_cancelled_act_is_recorded(trust: Trust, project: Path) -> None:
    changed = asyncio.Event()

    async def act() -> None:
        async with trust.undo_around([project], "turn", "rm"):
            (project / "letter.txt").unlink()
            changed.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(act())
    await changed.wait()
    assert trust.undo.busy("")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not trust.undo.busy("")
    undone = trust.undo.undo()
    assert undone is not None
    assert undone.restored == (str(project / "letter.txt"),)


async def test_an_act_that_fails_is_recorded(trust: Trust, project: Path) -> None:
    with contextlib.suppress(ZeroDivisionError):
        async with trust.undo_around([project], "turn", "write") as kept:
            (project / "letter.txt").write_text("changed")
            raise ZeroDivisionError
    assert kept.touched == (str(project / "letter.txt"),)


async def test_a_full_disk_is_said_and_the_act_goes_on(
    trust: Trust, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("zero_one.safety.undo.write_whole", full)
    async with trust.undo_around([project], "turn", "write") as kept:
        assert "No space left" in kept.problem
        (project / "letter.txt").write_text("changed")
    assert kept.record is None


async def test_what_a_dead_process_changed_can_be_undone_after_the_start(tmp_path: Path, project: Path) -> None:
    """Its watch is on the disk, and its lock went with it."""
    dead = Undo(tmp_path / "trust" / "undo")
    watch = dead.before([project], turn="turn", label="rm letter.txt", device="kitchen")
    (project / "letter.txt").unlink()
    assert watch.lock is not None
    watch.lock.release()
    told: list[str] = []
    trust = open_trust(tmp_path / "trust", tell=told.append)
    await trust.start()
    assert "rm letter.txt (cut off)" in told[0]
    assert trust.undo.undo(device="kitchen") is not None
    assert (project / "letter.txt").read_text() == "dear"
    await trust.close()


async def test_too_large_files_are_named_before_anything_runs(
    trust: Trust, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "LARGEST_FILE", 1000)
    (project / "film.mp4").write_bytes(bytes(5000))
    assert [(f.path, f.size) for f in await trust.too_large([project])] == [(str(project / "film.mp4"), 5000)]


def test_a_folder_that_was_not_looked_through_loses_nothing_by_an_undo(
    tmp_path: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there was too much to look at, a file that was there already is not taken for one that was made."""
    for number in range(30):
        (project / f"f{number:02}").write_text("x")
    monkeypatch.setattr(snapshots, "MOST_FILES", 5)
    undo = Undo(tmp_path / "undo")
    watch = undo.before([project], turn="turn")
    assert watch.snapshot.left_out
    (project / "letter.txt").write_text("changed")
    undo.after(watch)
    undo.undo("turn")
    assert len(list(project.iterdir())) == 31


def test_what_was_changed_since_is_kept_and_comes_back(tmp_path: Path, project: Path) -> None:
    undo, file = Undo(tmp_path / "undo"), project / "letter.txt"
    watch = undo.before([project], turn="turn")
    file.write_text("by the model")
    undo.after(watch)
    file.write_text("by hand, later")
    undone = undo.undo("turn")
    assert undone is not None
    assert undone.overwrote == (str(file),)
    assert file.read_text() == "dear"
    undo.undo()
    assert file.read_text() == "by hand, later"


@pytest.mark.parametrize(
    ("code", "language", "reached"),
    [
        ("rm ~/Downloads/*.log", "shell", {"home/Downloads/a.log", "home/Downloads/b.log"}),
        ("mv a.txt ~/Documents/b.txt", "shell", {"home/Documents/b.txt"}),
        ("touch ~/n{1..3}.txt", "shell", {"home/n1.txt", "home/n2.txt", "home/n3.txt"}),
        ("chmod -R 700 ~/Downloads", "shell", {"home/Downloads"}),
        ("find ~/Downloads -name '*.tmp' -delete", "shell", {"home/Downloads"}),
        ("cd ~/Documents && rm *", "shell", {"home/Documents"}),
        ("import os\nd = os.path.expanduser('~/Downloads')\n[os.remove(d + '/' + f) for f in os.listdir(d)]", "python",
         {"home/Downloads"}),
        ("from pathlib import Path\nPath('~/x').expanduser().unlink()", "python", {"home/x"}),
        ("!rm ~/x", "python", {"home/x"}),
    ],
)  # fmt: skip
def test_what_code_names_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, language: str, reached: set[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("home/Downloads/a.log", "home/Downloads/b.log", "home/Documents/old", "home/x", "project/a.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    found = roots(classify(code, language), code, language, project=tmp_path / "project")
    assert tmp_path / "project" in found
    assert {tmp_path / name for name in reached} <= set(found)
    assert tmp_path / "home" not in found


def test_what_only_looks_keeps_nothing(tmp_path: Path) -> None:
    assert roots(classify("ls -la ~", "shell"), "ls -la ~", "shell", project=tmp_path) == []
