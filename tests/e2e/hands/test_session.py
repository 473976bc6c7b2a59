"""The hands that need a session rather than a screen: sound, notifications, opening things."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from e2e.hands.outside import end, wait_for
from support.desktop import Pulse
from support.needs import need
from zero_one.computer import opener
from zero_one.computer.hands import Hands, HandsError

STAYED_S = f"3901.{os.getpid()}"
"""Seconds that no other process sleeps."""


async def test_the_volume_of_a_real_sound_server_changes(hands: Hands, sound: Pulse) -> None:
    def told() -> tuple[str, str]:
        level = sound.pactl("get-sink-volume", "ear")
        return level.split("/")[1].strip(), sound.pactl("get-sink-mute", "ear").strip()

    assert await hands.call("volume.set", percent=35) == {"percent": 35, "muted": False}
    assert told() == ("35%", "Mute: no")
    assert await hands.call("volume.mute") == {"percent": 35, "muted": True}
    assert told() == ("35%", "Mute: yes")
    assert await hands.call("volume.change", by=10) == {"percent": 45, "muted": False}
    assert told() == ("45%", "Mute: no")
    await hands.call("volume.mute", on=True)
    assert await hands.call("volume.mute", on=False) == {"percent": 45, "muted": False}
    assert (await hands.call("volume.change", by=100))["percent"] == 100
    assert (await hands.call("volume.change", by=-100))["percent"] == 0
    sound.pactl("set-sink-volume", "ear", "62%")
    assert (await hands.call("volume.get"))["percent"] == 62


async def test_a_sound_server_that_is_gone_is_told(
    hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("pactl")
    monkeypatch.setenv("PULSE_SERVER", f"unix:{tmp_path / 'nobody'}")
    with pytest.raises(HandsError, match="No sound output answers: pactl failed"):
        await hands.call("volume.get")


async def test_a_notification_is_shown(hands: Hands, bus: str, tmp_path: Path) -> None:
    need("gdbus")
    log = tmp_path / "shown"
    area = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, str(Path(__file__).with_name("notifications.py")), str(log)], stdin=subprocess.DEVNULL
    )
    try:
        wait_for(log.exists)
        await hands.call("notify.send", title="Tea is ready", text='It\'s "hot"\nand <b>black</b> ☕ $(id)')
        await hands.call("notify.send", title="--help", urgency="critical")
    finally:
        end(area)
    shown = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert shown == [
        ["01", "Tea is ready", 'It\'s "hot"\nand <b>black</b> ☕ $(id)', 1],
        ["01", "--help", "", 2],
    ]


async def test_a_session_without_a_notification_area_is_told(hands: Hands, bus: str) -> None:
    need("gdbus")
    with pytest.raises(HandsError, match="No notification could be shown"):
        await hands.call("notify.send", title="Tea is ready")


@pytest.fixture
def programs(desktop: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with programs of its own for text, folders and web addresses; what they are given lands in ``opened``."""
    share = tmp_path / "home" / ".local" / "share" / "applications"
    share.mkdir(parents=True)
    script = tmp_path / "viewer"
    opened = tmp_path / "opened"
    script.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{opened}.new" && mv "{opened}.new" "{opened}"\n')
    script.chmod(0o755)
    kinds = "text/plain;inode/directory;x-scheme-handler/http;x-scheme-handler/https;"
    entry = f"[Desktop Entry]\nType=Application\nName=Fancy Viewer\nExec={script} %u\nMimeType={kinds}\n"
    (share / "viewer.desktop").write_text(entry)
    (share / "crash.desktop").write_text(
        '[Desktop Entry]\nType=Application\nName=Crasher\nExec=sh -c "echo it broke >&2; exit 3"\n'
    )
    stay = f"[Desktop Entry]\nType=Application\nName=Stayer\nExec=sleep {STAYED_S}\n"
    (share / "stay.desktop").write_text(stay)
    defaults = "\n".join(f"{kind}=viewer.desktop" for kind in kinds.strip(";").split(";"))
    config = tmp_path / "home" / ".config"
    config.mkdir()
    (config / "mimeapps.list").write_text(f"[Default Applications]\n{defaults}\n")
    monkeypatch.setenv("XDG_DATA_DIRS", "/usr/share")
    return opened


def _opened(path: Path) -> str:
    wait_for(path.exists)
    said = path.read_text().strip()
    path.unlink()
    return said.removeprefix("file://")


async def test_files_folders_and_addresses_open_in_the_program_set_for_them(hands: Hands, programs: Path) -> None:
    if not any(map(__import__("shutil").which, ("xdg-open", "gio"))):
        need("xdg-open")
    home = Path.home()
    (home / "Documents").mkdir()
    note = home / "Documents" / "shopping list.txt"
    note.write_text("bread\n")
    assert await hands.call("opener.file", path=str(note)) == str(note)
    assert _opened(programs).replace("%20", " ") == str(note)
    assert await hands.call("opener.file", path="my shopping list") == str(note)
    assert _opened(programs).replace("%20", " ") == str(note)
    assert await hands.call("opener.folder", path="documents") == str(home / "Documents")
    assert _opened(programs).rstrip("/") == str(home / "Documents")
    assert await hands.call("opener.url", address="example.org/a?b=c&d=$(id)") == "https://example.org/a?b=c&d=$(id)"
    assert "example.org/a?b=c&d=" in _opened(programs)


async def test_a_file_nobody_opens_is_told(hands: Hands, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opener, "_OPEN_S", 60.0)  # however long it takes to find nobody
    strange = Path.home() / "thing.zzz"
    strange.write_bytes(b"\x00\x01\x02\xff" * 50)
    with pytest.raises(HandsError, match=r"No program is set up to open thing\.zzz"):
        await hands.call("opener.file", path=str(strange))


async def test_applications_start_and_failures_are_told(
    hands: Hands, programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await hands.call("opener.app", name="fancy viewer") == "Fancy Viewer"
    assert _opened(programs) == ""
    with monkeypatch.context() as patient:
        patient.setattr(opener, "_SETTLE_S", 60.0)  # however long it takes to end
        with pytest.raises(HandsError, match="Crasher ended at once: it broke"):
            await hands.call("opener.app", name="Crasher")
    with pytest.raises(HandsError, match="There is no application like “Photo Shop”"):
        await hands.call("opener.app", name="Photo Shop")
    assert await hands.call("opener.app", name="stayer") == "Stayer"
    (stays,) = (one for one in psutil.process_iter(["cmdline"]) if one.info["cmdline"] == ["sleep", STAYED_S])
    stays.kill()


async def test_the_screen_is_locked_by_the_locker_there_is(
    hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locker = tmp_path / "xflock4"
    locker.write_text(f'#!/bin/sh\necho locked > "{tmp_path}/done"\n')
    locker.chmod(0o755)
    broken = tmp_path / "gnome-screensaver-command"
    broken.write_text("#!/bin/sh\necho no session >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert await hands.call("display.lock") == "xflock4"
    assert (tmp_path / "done").exists()
    locker.unlink()
    with pytest.raises(HandsError, match=r"Nothing here could lock the screen \(gnome-screensaver-command failed: no"):
        await hands.call("display.lock")
