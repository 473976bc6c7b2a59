"""Every hand has a schema a model can use and errors a person can use."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from zero_one.computer import applications, places, tools
from zero_one.computer.hands import Hands, HandsError


@pytest.fixture(scope="module")
def hands() -> Hands:
    return Hands()


PROMISED = """
    clipboard.copy clipboard.view display.lock display.screenshot files.find files.list keyboard.hotkey keyboard.press
    keyboard.type mouse.click mouse.double mouse.drag mouse.move mouse.scroll notify.send opener.app opener.file
    opener.folder opener.url system.battery system.cpu system.disk system.memory system.network system.uptime volume.get
    volume.mute volume.set windows.active windows.close windows.focus windows.list windows.maximize windows.minimize
""".split()


def test_every_promised_method_is_there_with_words_and_schema(hands: Hands) -> None:
    schemas = {schema["name"]: schema for schema in hands.schemas()}
    assert set(PROMISED) <= schemas.keys()
    for name, schema in schemas.items():
        assert schema["description"], name
        assert schema["parameters"]["type"] == "object", name
        assert schema["parameters"]["additionalProperties"] is False, name
        assert hands.method(name).risk in ("observe", "change"), name
    json.dumps(list(schemas.values()))
    click = schemas["mouse.click"]["parameters"]["properties"]
    assert click["button"]["enum"] == ["left", "right", "middle"]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("mouse.clik", {}, "There is no computer.mouse.clik. There is mouse.click"),
        ("volume.set", {}, "percent: Field required"),
        ("volume.set", {"percent": 150}, "less than or equal to 100"),
        ("volume.set", {"percent": "loud"}, "valid integer"),
        ("volume.set", {"percent": 5, "speed": 1}, "speed: Extra inputs are not permitted"),
        ("mouse.click", {"x": 1}, "both x and y"),
        ("system.disk", {"path": "/no/such/place"}, "There is no /no/such/place"),
        ("files.find", {"name": "x", "where": "/no/such/place"}, "There is no folder /no/such/place"),
        ("opener.file", {"path": "a file that is nowhere at all.xyz"}, "There is no file"),
        ("opener.url", {"address": "javascript:alert(1)"}, "is no address that a browser opens"),
        ("opener.url", {"address": "--help"}, "is no address that a browser opens"),
        ("opener.app", {"name": "Zzyzx Quux 3000"}, "There is no application like"),
    ],
)
async def test_what_is_wrong_is_said(
    hands: Hands, name: str, arguments: dict[str, Any], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":9999")
    with pytest.raises(HandsError) as error:
        await hands.call(name, **arguments)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("display.screenshot", {}),
        ("mouse.position", {}),
        ("keyboard.type", {"text": "x"}),
        ("clipboard.view", {}),
        ("windows.list", {}),
    ],
)
@pytest.mark.parametrize("display", ["", ":9999"])
async def test_without_a_screen_the_way_to_one_is_said(
    hands: Hands, name: str, arguments: dict[str, Any], display: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", display)
    with pytest.raises(HandsError) as error:
        await hands.call(name, **arguments)
    assert "DISPLAY" in str(error.value)
    assert "Traceback" not in str(error.value)


@pytest.mark.parametrize(
    ("name", "arguments", "package"),
    [
        ("volume.get", {}, "pulseaudio-utils"),
        ("notify.send", {"title": "x"}, "libnotify-bin"),
        ("clipboard.view", {}, "xclip"),
        ("opener.url", {"address": "https://example.org"}, "xdg-utils"),
        ("display.lock", {}, "locker"),
    ],
)
async def test_a_missing_program_is_named_with_how_to_get_it(
    hands: Hands, name: str, arguments: dict[str, Any], package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "apt").write_text("#!/bin/sh\n")
    (tmp_path / "apt").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(HandsError) as error:
        await hands.call(name, **arguments)
    assert error.value.fix.startswith("Install it with: sudo apt install ")
    assert package in error.value.fix


def df(path: Path) -> list[int]:
    said = subprocess.run(["df", "-B1", "--output=size,avail", str(path)], capture_output=True, text=True, check=True)
    return [int(value) for value in said.stdout.splitlines()[1].split()]


def proc(name: str) -> list[str]:
    return Path("/proc", name).read_text().split()


async def test_facts_agree_with_what_the_system_says(hands: Hands, tmp_path: Path) -> None:
    size, before = df(tmp_path)
    disk = await hands.call("system.disk", path=str(tmp_path))
    _, after = df(tmp_path)
    assert disk["total"] == size
    # Others write and remove meanwhile.
    assert min(before, after) - 2_000_000_000 < disk["free"] < max(before, after) + 2_000_000_000
    memory = await hands.call("system.memory")
    total = int(proc("meminfo")[1]) * 1024
    assert memory["total"] == total
    assert memory["used"] + memory["available"] == total
    before_s = float(proc("uptime")[0])
    uptime = await hands.call("system.uptime")
    assert before_s - 5 < uptime["seconds"] < float(proc("uptime")[0]) + 5
    network = await hands.call("system.network")
    assert network["hostname"] == socket.gethostname()
    assert all(not one["address"].startswith("127.") for one in network["addresses"])
    cpu = await hands.call("system.cpu")
    assert 0 <= cpu["percent"] <= 100
    assert cpu["cores"] == os.cpu_count()
    clock = await hands.call("system.clock")
    assert clock["offset_minutes"] == time.localtime().tm_gmtoff // 60
    assert isinstance((await hands.call("system.battery"))["present"], bool)
    processes = await hands.call("system.processes", limit=3)
    assert len(processes) == 3
    assert processes[0]["memory"] >= processes[1]["memory"]


def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    names = """
        Documents/Tax_Return-2024.pdf Documents/letters/Letter to grandma.odt Downloads/invoice_0347.pdf
        Downloads/IMG_20240607.jpg Desktop/budget-final-v2.xlsx Music/holiday.mp3 projects/parser/README.md
        projects/parser/node_modules/README.md .hidden/budget.xlsx Documents/meetingNotesMarch.txt notes.txt
        Pictures/holiday/beach.jpg
    """
    for number, name in enumerate(names.replace("\n", " ").replace("Letter to grandma", "Letter_to_grandma").split()):
        path = tmp_path / name.replace("Letter_to_grandma", "Letter to grandma")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x" * number)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    return tmp_path


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("tax return", "Tax_Return-2024.pdf"),
        ("my tax return from 2024", "Tax_Return-2024.pdf"),
        ("the letter to grandma", "Letter to grandma.odt"),
        ("invoice", "invoice_0347.pdf"),
        ("budget final", "budget-final-v2.xlsx"),
        ("buget", "budget-final-v2.xlsx"),
        ("budget dot xlsx", "budget-final-v2.xlsx"),
        ("meeting notes", "meetingNotesMarch.txt"),
        ("notes.txt", "notes.txt"),
        ("*.mp3", "holiday.mp3"),
        ("readme", "README.md"),
        ("beach", "beach.jpg"),
    ],
)
async def test_files_are_found_by_the_words_people_say(
    hands: Hands, said: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _home(tmp_path, monkeypatch)
    result = await hands.call("files.find", name=said)
    assert result, said
    assert result[0]["name"] == found
    assert "node_modules" not in result[0]["path"]


async def test_finding_keeps_to_kind_place_and_order(
    hands: Hands, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = _home(tmp_path, monkeypatch)
    assert await hands.call("files.find", name="spaceship plans") == []
    folders = await hands.call("files.find", name="holiday", kind="folder")
    assert [one["path"] for one in folders] == [str(home / "Pictures" / "holiday")]
    pdfs = await hands.call("files.find", name="*.pdf")
    assert [one["name"] for one in pdfs] == ["invoice_0347.pdf", "Tax_Return-2024.pdf"]
    assert [one["name"] for one in await hands.call("files.find", name="*", where="my downloads folder")] == [
        "IMG_20240607.jpg",
        "invoice_0347.pdf",
    ]
    listed = await hands.call("files.list", path="documents")
    assert [(one["kind"], one["name"]) for one in listed] == [
        ("folder", "letters"),
        ("file", "meetingNotesMarch.txt"),
        ("file", "Tax_Return-2024.pdf"),
    ]
    newest = await hands.call("files.recent", limit=1)
    assert newest[0]["name"] == "beach.jpg"


def test_folders_have_the_names_the_desktop_gave_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "user-dirs.dirs").write_text('# made\nXDG_DOWNLOAD_DIR="$HOME/Transferts"\n')
    assert places.named("my downloads folder") == tmp_path / "Transferts"
    assert places.named("the Desktop") == tmp_path / "Desktop"
    assert places.named("home") == tmp_path
    assert places.named("work stuff") is None


ENTRIES = {
    "org.gnome.Calculator": "Name=Calculator\nExec=gnome-calculator\nCategories=Calculator;\nKeywords=sum;maths;",
    "firefox": "Name=Firefox Web Browser\nGenericName=Web Browser\nExec=firefox %u\nCategories=Network;WebBrowser;",
    "code": "Name=Visual Studio Code\nGenericName=Text Editor\nExec=/usr/bin/code --new %F\nCategories=TextEditor;",
    "org.kde.konsole": "Name=Konsole\nGenericName=Terminal\nExec=konsole\nCategories=System;TerminalEmulator;",
    "htop": "Name=Htop\nGenericName=Process Viewer\nExec=htop\nTerminal=true\nCategories=System;Monitor;",
    "secret": "Name=Secret Helper\nExec=secret\nNoDisplay=true",
    "broken": "Name=Broken",
    "absent": "Name=Absent\nExec=absent\nTryExec=/no/such/program",
}


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Firefox", "Firefox Web Browser"),
        ("firefox", "Firefox Web Browser"),
        ("my browser", "Firefox Web Browser"),
        ("the web browser", "Firefox Web Browser"),
        ("fire fox web browser", "Firefox Web Browser"),
        ("calculator app", "Calculator"),
        ("calculater", "Calculator"),
        ("maths", "Calculator"),
        ("VS code", None),
        ("visual studio", "Visual Studio Code"),
        ("code", "Visual Studio Code"),
        ("text editor", "Visual Studio Code"),
        ("terminal", "Konsole"),
        ("system monitor", "Htop"),
        ("secret helper", None),
        ("broken", None),
        ("absent", None),
        ("", None),
    ],
)
def test_applications_are_found_by_name_kind_and_near_miss(
    said: str, name: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "applications"
    folder.mkdir()
    for identity, text in ENTRIES.items():
        (folder / f"{identity}.desktop").write_text(f"[Desktop Entry]\nType=Application\n{text}\n")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "none"))
    found = applications.match(said, applications.installed())
    assert (found.name if found else None) == name
    if found and found.name == "Visual Studio Code":
        assert found.command == ("/usr/bin/code", "--new")


def test_a_tool_that_hangs_is_given_up_on() -> None:
    assert shutil.which("sleep")
    with pytest.raises(HandsError, match=r"did not answer within 0\.1 seconds"):
        tools.run(["sleep", "5"], limit_s=0.1)
