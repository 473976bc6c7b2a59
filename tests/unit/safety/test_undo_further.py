"""What undo keeps beside bytes, modes and times, and what it takes back that no verdict spoke of."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zero_one import firm
from zero_one.safety import undo as undo_module
from zero_one.safety.trust import Trust, open_trust
from zero_one.safety.undo import Undo

posix = pytest.mark.skipif(os.name != "posix", reason="links and attributes of POSIX")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha")
    return folder


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return open_trust(tmp_path / "trust")


@pytest.fixture
def undo(trust: Trust) -> Undo:
    return trust.undo


def marked(path: Path, value: str) -> None:
    try:
        os.setxattr(path, "user.colour", value.encode())
    except (OSError, AttributeError):
        pytest.skip("a file system without extended attributes")


def test_only_our_own_folder_of_outputs_is_left_out(undo: Undo, project: Path) -> None:
    """Other programs call their results ``.output``, too."""
    built = project / "site" / ".output" / "index.html"
    ours = project / ".output" / "0001-shell.txt"
    for file in (built, ours):
        file.parent.mkdir(parents=True)
        file.write_text("built")
    watch = undo.before([project], turn="one", home=project)
    for file in (built, ours):
        file.unlink()
    built.parent.rmdir()
    undo.after(watch)
    assert undo.undo() is not None
    assert built.read_text() == "built"
    assert not ours.exists()
    assert undo.undo() is not None  # and that again
    assert not built.parent.exists()


@posix
@pytest.mark.parametrize("kind", ["link", "file"])
def test_a_folder_that_took_the_place_of_something_goes_with_all_that_is_in_it(
    undo: Undo, project: Path, kind: str
) -> None:
    place = project / "place"
    place.symlink_to("a.txt") if kind == "link" else place.write_text("was a file")
    watch = undo.before([project], turn="one")
    place.unlink()
    (place / "deep").mkdir(parents=True)
    (place / "deep" / "new.txt").write_text("new")
    undo.after(watch)
    undone = undo.undo()
    assert undone is not None
    assert not undone.failed
    assert place.is_symlink() if kind == "link" else place.read_text() == "was a file"


@posix
@pytest.mark.parametrize("mode", [0o644, 0o444])
def test_extended_attributes_come_back(undo: Undo, project: Path, mode: int) -> None:
    file = project / "a.txt"
    folder = project / "sub"
    folder.mkdir()
    for path in (file, folder):
        marked(path, "blue")
    file.chmod(mode)
    before = file.lstat().st_mtime_ns, file.lstat().st_mode
    watch = undo.before([project], turn="one")
    os.unlink(file)
    file.write_text("alpha")
    os.setxattr(folder, "user.colour", b"red")
    os.setxattr(folder, "user.more", b"more")
    undo.after(watch)
    undone = undo.undo()
    assert undone is not None
    assert not undone.failed
    assert os.getxattr(file, "user.colour") == os.getxattr(folder, "user.colour") == b"blue"
    assert os.listxattr(folder) == ["user.colour"]
    assert (file.lstat().st_mtime_ns, file.lstat().st_mode) == before


@posix
def test_an_owner_that_cannot_be_put_back_is_told(undo: Undo, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project / "a.txt"
    watch = undo.before([project], turn="one")
    file.write_text("changed")
    undo.after(watch)

    def refuse(path: Path, user: int, group: int) -> None:
        assert (user, group) == (file.stat().st_uid, file.stat().st_gid)
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(firm, "set_owner", refuse)
    undone = undo.undo()
    assert undone is not None
    assert file.read_text() == "alpha"
    assert undone.failed == (f"{file}: it is back, but not its owner or its attributes: Operation not permitted",)


async def test_what_is_written_in_the_background_after_the_end_counts_to_the_turn(trust: Trust, project: Path) -> None:
    """Until the next act: what somebody changes after that is not the first one's."""
    async with trust.undo_around([project], "one", "make &", device="desk", home=project):
        (project / "made.txt").write_text("made")
    (project / "a.txt").write_text("changed late")
    (project / "late.txt").write_text("made late")
    async with trust.undo_around([project], "two", "ls > b.txt", device="desk", home=project):
        (project / "b.txt").write_text("b")
    (project / "b.txt").write_text("b, once more")
    for turn, left in (("two", ["a.txt", "late.txt", "made.txt"]), ("one", ["a.txt"])):
        undone = trust.undo.undo(turn)
        assert undone is not None
        assert not undone.failed
        assert sorted(os.listdir(project)) == left
    assert (project / "a.txt").read_text() == "alpha"


async def test_code_that_was_read_as_looking_and_changed_its_folder_can_be_taken_back(
    trust: Trust, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_module, "LIGHT", (2_000, 60.0))  # a busy machine's glance is long
    async with trust.glance_around(project, "one", "ls", device="desk") as kept:
        (project / "a.txt").unlink()
    assert kept.touched == (str(project / "a.txt"),)
    async with trust.glance_around(project, "two", "ls", device="desk") as kept:
        pass
    assert not kept.touched
    last = trust.undo.last("desk")
    assert last is not None
    assert last.turn == "one"
    assert trust.undo.undo() is not None
    assert (project / "a.txt").read_text() == "alpha"


async def test_a_glance_at_a_large_folder_is_short(
    trust: Trust, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undo_module, "LIGHT", (5, 60.0))
    for n in range(20):
        (project / f"{n}.txt").write_text(str(n))
    async with trust.glance_around(project, "one", "ls", device="desk") as kept:
        pass
    assert kept.left_out
    assert trust.undo.last("desk") is None
