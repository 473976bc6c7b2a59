"""Links, pipes and floods that sandboxed code leaves in its folder lead nothing of the host's out of it."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PIL import Image

from zero_one import firm
from zero_one.app import data
from zero_one.app.past import forget_files
from zero_one.computer import display, opener, tools
from zero_one.computer.hands import Hands, HandsError
from zero_one.computer.languages.base import Scope
from zero_one.computer.terminal import Terminal
from zero_one.config.paths import data_dir
from zero_one.conversation.mailbox import safe_name
from zero_one.interpreter.pictures import picture
from zero_one.protocol.lmc import Message
from zero_one.safety import grants, snapshots
from zero_one.safety.risk.classify import classify
from zero_one.safety.roots import roots
from zero_one.safety.undo import Undo

posix = pytest.mark.skipif(os.name != "posix", reason="links need no leave there only")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "d").mkdir(parents=True)
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """Where planted links lead. Modes and times are such that any touch shows."""
    folder = tmp_path / "home" / ".ssh"
    folder.mkdir(parents=True)
    for name in ("file", "id_rsa", "gone", "made"):
        (folder / name).write_text(f"outside {name}")
        (folder / name).chmod(0o600)
        os.utime(folder / name, ns=(10**18, 10**18))
    os.utime(folder, ns=(10**18, 10**18))
    return folder


@pytest.fixture
def undo(tmp_path: Path) -> Undo:
    return Undo(tmp_path / "trust" / "undo")


def looks(folder: Path) -> dict[str, tuple[object, ...]]:
    out: dict[str, tuple[object, ...]] = {"": (folder.lstat().st_mode, folder.lstat().st_mtime_ns)}
    for path in sorted(folder.iterdir()):
        info = path.lstat()
        out[path.name] = (info.st_mode, info.st_mtime_ns, path.read_bytes() if path.is_file() else "")
    return out


def run(undo: Undo, project: Path, change: Callable[[], object], *roots: Path) -> None:
    watch = undo.before([project, *roots], turn="one", label="what a turn did", device="desk")
    change()
    undo.after(watch)


def kept_bytes(tmp_path: Path) -> set[bytes]:
    return {file.read_bytes() for file in (tmp_path / "trust").rglob("contents/??/*")}


def lead_away(folder: Path, outside: Path) -> None:
    folder.rename(folder.with_name("moved"))
    folder.symlink_to(outside)


# --- undo: writing through what was planted after it was recorded


@posix
def test_undo_puts_nothing_back_through_a_folder_that_became_a_link(undo: Undo, project: Path, outside: Path) -> None:
    d = project / "d"
    (d / "file").write_text("mine")
    (d / "gone").write_text("mine too")
    (d / "modes").write_text("x")

    def change() -> None:
        (d / "file").write_text("changed")
        (d / "gone").unlink()
        (d / "made").write_text("made")
        (d / "modes").chmod(0o777)

    run(undo, project, change)
    lead_away(d, outside)
    before = looks(outside)
    undone = undo.undo()
    assert undone is not None
    assert looks(outside) == before
    for name in ("file", "gone", "made", "modes"):
        assert any(line.startswith(f"{d / name}:") for line in undone.failed), name
    assert not undone.removed


@posix
def test_undo_makes_no_folders_behind_a_planted_link(undo: Undo, project: Path, outside: Path) -> None:
    deep = project / "d" / "e" / "f"
    deep.mkdir(parents=True)
    (deep / "file").write_text("mine")
    run(undo, project, lambda: (deep / "file").unlink())
    (deep).rmdir()
    deep.parent.rmdir()
    lead_away(project / "d", outside)
    before = looks(outside)
    assert undo.undo() is not None
    assert looks(outside) == before


@posix
def test_the_link_that_a_turn_made_is_taken_away_and_its_folder_comes_back(
    undo: Undo, project: Path, outside: Path
) -> None:
    (project / "d" / "file").write_text("mine")

    def change() -> None:
        (project / "d" / "file").unlink()
        (project / "d").rmdir()
        (project / "d").symlink_to(outside)

    before = looks(outside)
    run(undo, project, change)
    undone = undo.undo()
    assert undone is not None
    assert not undone.failed
    assert (project / "d" / "file").read_text() == "mine"
    assert looks(outside) == before


@posix
def test_a_file_that_became_a_link_or_a_pipe_is_replaced_and_not_written_through(
    undo: Undo, project: Path, outside: Path
) -> None:
    for name in ("file", "pipe"):
        (project / "d" / name).write_text("mine")
    run(undo, project, lambda: [(project / "d" / name).write_text("changed") for name in ("file", "pipe")])
    for name in ("file", "pipe"):
        (project / "d" / name).unlink()
    (project / "d" / "file").symlink_to(outside / "file")
    os.mkfifo(project / "d" / "pipe")
    before = looks(outside)
    undone = undo.undo()
    assert undone is not None
    assert not undone.failed
    assert looks(outside) == before
    for name in ("file", "pipe"):
        assert stat.S_ISREG((project / "d" / name).lstat().st_mode)
        assert (project / "d" / name).read_text() == "mine"


@posix
def test_a_swap_in_the_middle_of_undoing_is_too_late(project: Path, outside: Path) -> None:
    """What is held stays the folder that it was, whatever stands at its name by now."""
    d = project / "d"
    before = looks(outside)
    with firm.inside(d) as held:
        if held == d:
            pytest.fail("this system cannot hold a folder")
        lead_away(d, outside)
        (held / "file").write_text("put back")
        firm.set_mode(held / "file", 0o644)
    assert looks(outside) == before
    assert (project / "moved" / "file").read_text() == "put back"


@posix
def test_modes_and_times_are_never_those_of_what_a_link_leads_to(project: Path, outside: Path) -> None:
    link = project / "link"
    link.symlink_to(outside / "file")
    before = looks(outside)
    with pytest.raises(OSError):
        firm.set_mode(link, 0o777)
    firm.set_times(link, 5, 5)
    assert looks(outside) == before


# --- snapshots: reading what was planted before


@posix
def test_no_secret_is_kept_by_way_of_a_planted_link(undo: Undo, project: Path, outside: Path, tmp_path: Path) -> None:
    (project / "link").symlink_to(outside / "id_rsa")
    (project / "folder").symlink_to(outside)
    run(undo, project, lambda: (project / "d" / "new").write_text("new"))
    assert b"outside id_rsa" not in kept_bytes(tmp_path)


@posix
def test_a_secret_does_not_come_into_the_project_by_undoing(undo: Undo, project: Path, outside: Path) -> None:
    """A name that leads through a link is kept under its true name, so it is put back only there."""
    link = project / "link"
    link.symlink_to(outside)

    def change() -> None:
        link.unlink()
        link.mkdir()

    run(undo, project, change, link / "id_rsa")
    link.rmdir()
    link.mkdir()
    undo.undo()
    copies = [path for path in project.rglob("*") if path.is_file() and not path.parent.is_symlink()]
    assert all(path.read_text() != "outside id_rsa" for path in copies if path.resolve().is_relative_to(project))


@posix
def test_a_folder_swapped_between_looking_and_reading_is_not_read(
    undo: Undo, project: Path, outside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "d" / "id_rsa").write_text("harmless")
    keep = undo._contents.keep

    def swapped(path: Path, info: os.stat_result) -> str:
        if path == project / "d" / "id_rsa":
            lead_away(project / "d", outside)
            info = path.lstat()  # as a walk that was led astray earlier has it
        return keep(path, info)

    monkeypatch.setattr(undo._contents, "keep", swapped)
    run(undo, project, lambda: None)
    assert b"outside id_rsa" not in kept_bytes(tmp_path)


@posix
def test_pipes_do_not_hang_a_snapshot(undo: Undo, project: Path) -> None:
    (project / "file").write_text("x")
    os.mkfifo(project / "pipe")
    run(undo, project, lambda: (project / "file").write_text("y"))
    (project / "file").unlink()
    os.mkfifo(project / "file")
    assert undo._contents.digest(project / "file") == ""


# --- snapshots: a flood that hides what is not kept


def test_what_was_not_reached_for_the_flood_before_it_is_named(
    undo: Undo, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "MOST_FILES", 50)
    for n in range(60):
        (project / f"{n}").write_text("")
    far = tmp_path / "home" / "u" / "documents"
    (far / "deep").mkdir(parents=True)
    (far / "deep" / "letter").write_text("dear")
    watch = undo.before([project, far])
    assert any(line.startswith(os.fspath(far)) for line in watch.snapshot.left_out)
    undo.discard(watch)


def test_a_crowd_of_files_that_cannot_be_kept_hides_no_other(
    undo: Undo, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "LARGEST_FILE", 1 << 10)
    for n in range(60):
        (project / f"{n}").write_bytes(b"x" * 8192)
    far = tmp_path / "home" / "u" / "documents" / "deep"
    far.mkdir(parents=True)
    (far / "letter").write_bytes(b"x" * 8192)
    watch = undo.before([project, far.parent])
    assert os.fspath(far / "letter") in watch.snapshot.left_out
    undo.discard(watch)


# --- hands: what a path is judged by is where it goes


@pytest.fixture
def hands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hands:
    """Those of a computer with a screen, on which nothing is really opened."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setattr(tools, "need_screen", lambda: None)
    monkeypatch.setattr(display, "_grab", lambda: Image.new("RGB", (2, 2)))
    (tmp_path / "home").mkdir(exist_ok=True)
    return Hands()


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    out: list[str] = []
    monkeypatch.setattr(opener, "_open", lambda target, nobody: out.append(target))
    monkeypatch.setattr(opener, "_start", lambda command, name: out.append(command[0]))
    return out


@posix
@pytest.mark.parametrize("path", ["link/shot.png", "link/new/shot.png", "link/../shot.png"])
async def test_no_picture_is_saved_through_a_planted_folder(
    hands: Hands, project: Path, outside: Path, path: str
) -> None:
    (project / "link").symlink_to(outside)
    before = looks(outside)
    with pytest.raises(HandsError, match="could not be saved"):
        await hands.call("display.screenshot", path=f"{project}/{path}")
    assert looks(outside) == before


@posix
async def test_no_picture_is_written_over_a_file_or_what_a_link_leads_to(
    hands: Hands, project: Path, outside: Path
) -> None:
    (project / "shot.png").symlink_to(outside / "file")
    (project / "new.png").symlink_to(outside / "new")
    (project / "mine.png").write_text("mine")
    before = looks(outside)
    for name in ("shot", "new", "mine"):
        saved = await hands.call("display.screenshot", path=str(project / f"{name}.png"))
        assert saved["path"] == str(project / f"{name} (2).png")
    assert looks(outside) == before
    assert (project / "mine.png").read_text() == "mine"


async def test_a_picture_without_a_folder_lies_with_the_pictures(hands: Hands, tmp_path: Path) -> None:
    saved = await hands.call("display.screenshot", path="shot")
    assert saved["path"] == str(tmp_path / "home" / "Pictures" / "shot.png")


@posix
async def test_a_program_is_not_opened_under_a_harmless_name(hands: Hands, project: Path, opened: list[str]) -> None:
    (project / "evil.desktop").write_text("[Desktop Entry]\nExec=evil\n")
    (project / "report.pdf").symlink_to("evil.desktop")
    (project / "report").write_text("[Desktop Entry]\nExec=evil\n")
    (project / "real.pdf").write_text("%PDF")
    for name in ("report.pdf", "report"):
        with pytest.raises(HandsError, match="is a program"):
            await hands.call("opener.file", path=str(project / name))
    assert await hands.call("opener.file", path=str(project / "real.pdf")) == str(project / "real.pdf")
    assert opened == [str(project / "real.pdf")]


async def test_a_path_is_no_application(hands: Hands, project: Path, opened: list[str]) -> None:
    (project / "calculator").write_text("#!/bin/sh\n")
    (project / "calculator").chmod(0o755)
    with pytest.raises(HandsError):
        await hands.call("opener.app", name=str(project / "calculator"))
    assert opened == []


async def test_a_file_is_no_page_however_its_address_is_spaced(hands: Hands, opened: list[str]) -> None:
    with pytest.raises(HandsError, match="is no address"):
        await hands.call("opener.url", address="fi le:///home/u/evil.desktop")
    assert await hands.call("opener.url", address="https://example.org/a b") == "https://example.org/ab"


# --- sandboxes: what is granted is what was named


@posix
@pytest.mark.parametrize("way", ["link/x", "far/x", "two/x"])
def test_an_absolute_path_through_a_planted_link_grants_nothing(tmp_path: Path, project: Path, way: str) -> None:
    home = tmp_path / "home"
    (home / "Documents").mkdir(parents=True)
    (project / "link").symlink_to(home / "Documents")
    (project / "far").symlink_to("../home/Documents")
    (project / "two").symlink_to("link")
    code = f"echo x > {project}/{way}"
    assert grants.scope(classify(code, "shell"), code, project, project) == Scope()


@posix
def test_a_link_to_what_starts_by_itself_is_no_change_of_a_document(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    (home / "Documents").mkdir(parents=True)
    (home / ".config" / "autostart").mkdir(parents=True)
    (home / "Documents" / "letters").symlink_to(home / ".config" / "autostart")
    (home / "Archive").mkdir()
    (home / "Documents" / "old").symlink_to(home / "Archive")
    bad, good = (f"echo x > {home}/Documents/{name}/x" for name in ("letters", "old"))
    assert grants.scope(classify(bad, "shell"), bad, project, project) == Scope()
    granted = grants.scope(classify(good, "shell"), good, project, project)
    assert granted == Scope(frozenset({home / "Archive"}))


# --- forgetting, exporting, wiping; names of conversations


@posix
def test_forgetting_removes_nothing_behind_a_planted_folder_of_outputs(tmp_path: Path, outside: Path) -> None:
    work = tmp_path / "data" / "work" / safe_name("desk")
    work.mkdir(parents=True)
    (work / ".output").symlink_to(outside)
    before = looks(outside)
    forget_files(tmp_path / "data", None, 0.0, 1e12, [])
    assert looks(outside) == before


def test_no_two_devices_share_a_name_of_a_file() -> None:
    ids = ["a/b", "a_b", "a-b", "A-b", "a.b", "a-b.", "a-b ", "a-b..", "../a-b", "con", "CON", "con.txt", "", " ", "é"]
    ids += ["e\u0301", "x" * 300, "x" * 301, "a\x00b", "\ud800", "*", "a-b-", "[a-b]", "~", "."]
    names = [safe_name(one) for one in ids]
    assert len({name.casefold() for name in names}) == len(ids)
    assert all(len(name) < 64 and not set(name) & set("./\\*?[]~ ") for name in names)


# --- where the shell went, and pictures


@posix
async def test_a_folder_that_the_shell_went_to_unasked_is_named_and_kept(hands: Hands, tmp_path: Path) -> None:
    """Relative paths of the next act count from there: the question and undo must know."""
    far = tmp_path / "home" / "Documents"
    far.mkdir(parents=True)
    (far / "letter.txt").write_text("dear")
    terminal = Terminal(tmp_path / "work", hands)
    try:
        async for _ in terminal.run("shell", f"cd {far}"):
            pass
        assert terminal.folder_of("shell") == far
        assert terminal.folder_of("python") == tmp_path / "work"
    finally:
        await terminal.close()
    code = "sed -i s/dear/hello/ letter.txt"
    kept = roots(classify(code, "shell"), code, "shell", project=tmp_path / "work", cwd=far)
    assert far in kept or far / "letter.txt" in kept


def test_a_home_that_the_shell_went_to_is_not_looked_through(hands: Hands, tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "Documents").mkdir()
    code = "echo x > note.txt"
    kept = roots(classify(code, "shell"), code, "shell", project=tmp_path / "work", cwd=home)
    assert home not in kept
    assert home / "note.txt" in kept


@posix
@pytest.mark.parametrize("what", ["pipe", "endless"])
def test_what_is_no_file_is_never_read_as_a_picture(project: Path, what: str) -> None:
    os.mkfifo(project / "pipe")
    (project / "endless").symlink_to("/dev/zero")
    shown = picture(Message("user", "image", "path", str(project / what)))
    assert shown.type == "message"
    assert "no file" in str(shown.content)


@posix
def test_an_export_reads_nothing_that_was_swapped_for_a_link_meanwhile(
    tmp_path: Path, project: Path, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZERO_ONE_HOME", str(tmp_path / "01"))
    work = data_dir() / "work" / "desk"
    (work / "d").mkdir(parents=True)
    for name in ("a", "d/id_rsa", "z"):
        (work / name).write_text(name)
    os.mkfifo(work / "pipe")
    found = data._files

    def swapped(folder: Path) -> Iterator[Path]:
        for file in found(folder):
            if file.name == "id_rsa":
                lead_away(work / "d", outside)
            yield file

    monkeypatch.setattr(data, "_files", swapped)
    assert data.export(str(tmp_path / "out.zip")) == 0
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        names = archive.namelist()
        assert {"work/desk/a", "work/desk/z"} <= set(names)
        assert all(b"outside" not in archive.read(name) for name in names)
