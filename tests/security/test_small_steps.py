"""Attacks in several runs, each of them harmless, in real sandboxes: what one leaves decides nothing of the next."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from support.needs import need
from unit.computer.runs import Ran, gather
from zero_one.computer.hands import Hands
from zero_one.computer.terminal import Terminal
from zero_one.config.settings import SandboxSettings
from zero_one.safety import bubblewrap
from zero_one.safety.cells import Housing
from zero_one.safety.risk.classify import classify

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="bubblewrap is on Linux only"),
    pytest.mark.timeout(400),  # several sandboxes each, on a busy machine
]


class Room:
    """A conversation whose acts are all taken for agreed to, as far as they were read."""

    def __init__(self, home: Path, terminal: Terminal) -> None:
        self.home, self.terminal = home, terminal

    async def run(self, language: str, code: str) -> Ran:
        return await gather(self.terminal.run(language, code, timeout_s=100, needs=classify(code, language)))


@pytest_asyncio.fixture
async def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    need("bwrap")
    home = tmp_path / "home"
    for folder in ("Documents/app", ".config/autostart"):
        (home / folder).mkdir(parents=True)
    (home / "Documents/app/.env").write_text("SECRET")
    monkeypatch.setenv("HOME", str(home))
    data = tmp_path / "data"
    folder = data / "work/kitchen"
    terminal = Terminal(folder, Hands(), cells=Housing(SandboxSettings(), (data,)).rooms(folder))
    yield Room(home, terminal)
    await terminal.close()


async def test_where_python_went_is_known_and_counts(room: Room) -> None:
    """Relative names of the next run are granted where they really lie, whatever the code says of its folder."""
    documents = room.home / "Documents"
    ran = await room.run("python", f"import os\nos.chdir({str(documents)!r})\nos.getcwd = lambda: '/nowhere'")
    assert ran.exit == "0"
    assert room.terminal.folder_of("python") == documents
    assert (await room.run("python", "open('x.txt', 'w').write('x')")).exit == "0"
    assert (documents / "x.txt").read_text() == "x"
    await room.run("python", "os._exit(3)")
    assert room.terminal.folder_of("python") == room.terminal.folder


@pytest.mark.parametrize("language", ["shell", "python"])
async def test_a_walk_into_a_folder_of_power_gives_no_power(room: Room, language: str) -> None:
    """A relative name in ``autostart`` reads like any other; nothing can be written there by it."""
    walk, write = {
        "shell": ("cd {}", "echo x > x.desktop"),
        "python": ("import os\nos.chdir({!r})", "open('x.desktop', 'w').write('x')"),
    }[language]
    await room.run(language, walk.format(str(room.home / ".config/autostart")))
    ran = await room.run(language, write)
    assert ran.exit == "1"
    assert "Read-only file system" in ran.output + ran.error
    assert not list((room.home / ".config/autostart").iterdir())


READ = "const fs = require('fs'); console.log(fs.readFileSync({!r}, 'utf8'))"


async def test_a_secret_that_was_moved_is_hidden_where_it_is_now(room: Room) -> None:
    """Moving the folder around it is a change like any other; what starts after that shows it as little as before."""
    need("node")
    documents = room.home / "Documents"
    assert (await room.run("javascript", "console.log('begun')")).output == "begun\n"
    assert (await room.run("shell", f"mv '{documents}/app' '{documents}/moved'")).exit == "0"
    assert (documents / "moved/.env").read_text() == "SECRET"
    decoy = f"mkdir '{documents}/app'; touch '{documents}/app/.e'nv"
    await room.run("shell", f"echo x > '{documents}/x.txt'; {decoy}")
    for language, code in {
        "javascript": READ.format(str(documents / "moved/.env")),
        "python": f"open('{documents}/moved/.env').read()",
        "shell": f"cat '{documents}/moved/.env'",
    }.items():
        ran = await gather(room.terminal.run(language, code, timeout_s=100))
        assert "SECRET" not in ran.output + ran.error + ran.text("result"), language
        assert "ermission denied" in ran.output + ran.error, language


async def test_a_secret_that_is_gone_hinders_nothing(room: Room) -> None:
    folder = room.home / "Documents/app"
    assert (await room.run("shell", "echo one")).output == "one\n"
    (folder / ".env").unlink()
    folder.rmdir()
    assert (await room.run("python", "print('two')")).output == "two\n"


async def test_a_granted_folder_that_is_swapped_at_the_last_moment_is_not_shown(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at it and the making of the sandbox, code that still runs elsewhere may put a link there."""
    folder = room.home / "Documents/app"
    real = bubblewrap.command

    def swapped(*given: Any) -> list[str]:
        made = real(*given)
        folder.rename(folder.with_name("away"))
        folder.symlink_to("../.config/autostart")
        return made

    monkeypatch.setattr(bubblewrap, "command", swapped)
    ran = await room.run("shell", f"echo x > '{folder}/x.desktop'")
    assert ran.exit != "0"
    assert not (room.home / ".config/autostart/x.desktop").exists()
    monkeypatch.undo()
