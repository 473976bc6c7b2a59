"""What each spoken command does, looked at from outside our code: pactl, xclip, xdotool, files, kernel numbers."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import yaml

from e2e.commands.conftest import HandClock
from e2e.hands.outside import LIMIT_S, READY, copied, events_in, said_by, wait_for
from support.desktop import Pulse
from support.players import Ears, Throat, plain
from zero_one.app.past import ServerPast
from zero_one.commands.base import Reply
from zero_one.commands.book import CommandBook
from zero_one.commands.clock import SystemClock
from zero_one.commands.known import look_around
from zero_one.computer.hands import Hands
from zero_one.conversation import Conversations, Services
from zero_one.protocol.lmc import Message
from zero_one.safety.audit import AuditLog
from zero_one.safety.trust import open_trust

SPOKEN: dict[str, str] = yaml.safe_load(Path(__file__).with_name("spoken.yaml").read_text(encoding="utf-8"))


class Stage:
    """A running book with real hands; ``say`` gives a command in the very words that the voices speak."""

    def __init__(self, home: Path) -> None:
        self.clock = HandClock()
        self.home = home
        self.book = CommandBook(Hands(), home / "data", self.clock, look_around(home))
        self.spoken_up: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        self.done: set[str] = set()

    async def announce(self, device: str, text: str) -> None:
        self.spoken_up.put_nowait((device, text))

    async def say(self, command: str) -> Reply:
        match = self.book.match(SPOKEN[command])
        assert match is not None
        assert match.command == command
        self.done.add(command)
        reply = await self.book.run(match, "kitchen")
        assert not reply.failed, (command, reply)
        return reply

    async def rings(self, seconds: float) -> tuple[str, str]:
        self.clock.turn(seconds)
        return await asyncio.wait_for(self.spoken_up.get(), LIMIT_S)


@pytest.fixture
async def stage(home: Path) -> AsyncIterator[Stage]:
    stage = Stage(home)
    await stage.book.start(stage.announce)
    yield stage
    await stage.book.close()


TOLD: set[str] = set()
"""Commands whose effect was seen; the last test compares it with all there are."""


async def test_time_and_date_follow_the_clock(stage: Stage) -> None:
    assert (await stage.say("time.now")).say == "It's 10:00 AM."
    assert (await stage.say("time.place")).say == "In Tokyo it's 6:00 PM."
    assert "November 22" in (await stage.say("date.today")).say
    assert "Sunday" in (await stage.say("date.weekday")).say
    assert "Friday, December 25" in (await stage.say("date.of")).say
    assert "343 days" in (await stage.say("date.until")).say
    TOLD.update(stage.done)


async def test_timers_alarms_and_reminders_speak_up(stage: Stage) -> None:
    await stage.say("timer.start")
    stage.clock.turn(60)
    assert "9 minutes" in (await stage.say("timer.left")).say
    assert "14 minutes" in (await stage.say("timer.add")).say
    await stage.say("timer.pause")
    stage.clock.turn(3600)
    assert "14 minutes" in (await stage.say("timer.list")).say
    await stage.say("timer.resume")
    device, text = await stage.rings(14 * 60 + 1)
    assert (device, "timer" in text) == ("kitchen", True)
    await stage.say("timer.start")
    await stage.say("timer.cancel")
    await stage.say("timer.start")
    await stage.say("timer.cancel_all")
    await stage.say("reminder.set")
    assert "call mom" in (await stage.say("reminder.list")).say
    assert await stage.rings(601) == ("kitchen", "This is your reminder: call mom.")
    await stage.say("alert.snooze")
    assert await stage.rings(601) == ("kitchen", "This is your reminder: call mom.")
    for cancel in ("reminder.cancel", "reminder.cancel_all"):
        await stage.say("reminder.set")
        await stage.say(cancel)
    assert "6:30 AM tomorrow" in (await stage.say("alarm.set")).say
    assert "6:30 AM" in (await stage.say("alarm.list")).say
    await stage.say("alarm.cancel")
    await stage.say("alarm.set")
    assert "alarm" in (await stage.rings(24 * 3600))[1]
    assert stage.spoken_up.empty()
    await stage.say("stopwatch.start")
    stage.clock.turn(75)
    assert (await stage.say("stopwatch.read")).say == "1 minute and 15 seconds."
    assert "1 minute and 15 seconds" in (await stage.say("stopwatch.stop")).say
    TOLD.update(stage.done)


async def test_the_volume_is_the_sound_servers(stage: Stage, sound: Pulse) -> None:
    def level() -> int:
        found = re.search(r"(\d+)%", sound.pactl("get-sink-volume", "@DEFAULT_SINK@"))
        assert found
        return int(found[1])

    await stage.say("volume.set")
    assert level() == 30
    await stage.say("volume.up")
    assert level() == 40
    await stage.say("volume.down")
    assert level() == 30
    assert "30 percent" in (await stage.say("volume.get")).say
    await stage.say("volume.mute")
    assert "yes" in sound.pactl("get-sink-mute", "@DEFAULT_SINK@")
    await stage.say("volume.unmute")
    assert "no" in sound.pactl("get-sink-mute", "@DEFAULT_SINK@")
    TOLD.update(stage.done)


async def test_the_computer_tells_what_the_kernel_tells(stage: Stage) -> None:
    before = shutil.disk_usage(stage.home).free
    told = _size(r"([\d.]+) (\w)\w*bytes", (await stage.say("computer.disk")).say)
    free = sorted((before, shutil.disk_usage(stage.home).free))  # others write, too
    assert 0.95 * free[0] < told < 1.05 * free[1]
    assert abs(_size(r"of ([\d.]+) (\w)\w*bytes", (await stage.say("computer.memory")).say) / _memory() - 1) < 0.05
    assert f"{os.cpu_count()} core" in (await stage.say("computer.cpu")).say
    battery = _has_battery()
    assert ("no battery" in (await stage.say("computer.battery")).say) is not battery
    shown = await stage.say("computer.network")
    addresses = {a.address for found in psutil.net_if_addrs().values() for a in found}
    assert "not connected" in shown.say or shown.show.rpartition(" ")[2] in addresses
    assert "running for" in (await stage.say("computer.uptime")).say
    TOLD.update(stage.done)


def _size(pattern: str, told: str) -> float:
    """Bytes, from a number and the first letter of its unit."""
    found = re.search(pattern, told)
    assert found, told
    return float(found[1]) * {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}[found[2]]


def _memory() -> int:
    return int(re.findall(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[0]) * 1024


def _has_battery() -> bool:
    names = [one.name for one in Path("/sys/class/power_supply").glob("*")]
    return any(name.startswith("BAT") or "battery" in name.lower() for name in names)


async def test_screen_windows_and_clipboard(stage: Stage, display: str) -> None:
    wait_for(lambda: b"_NET_CLIENT_LIST" in _run("xprop", "-root"))

    def titles() -> list[str]:
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "."], capture_output=True, check=False)
        names = [_run("xdotool", "getwindowname", one).decode().strip() for one in found.stdout.decode().split()]
        return [name for name in names if name in ("Calculator", "Terminal")]

    def active() -> str:
        return subprocess.run(
            ["xdotool", "getactivewindow", "getwindowname"], capture_output=True, text=True, check=False
        ).stdout.strip()

    def shown(name: str) -> None:
        """Its window is there for good: it asks for the focus once, when it is shown, and has had it."""
        wait_for(lambda: set(events_in(stage.home / f"{name}.log")) >= READY, titles)
        wait_for(lambda: active() == name, active)

    await stage.say("open.app")
    shown("Calculator")
    assert titles() == ["Calculator"]
    terminal = stage.book.match("open the terminal")
    assert terminal is not None
    await stage.book.run(terminal, "kitchen")
    shown("Terminal")
    said = (await stage.say("window.list")).show
    assert {"Calculator", "Terminal"} <= set(said.splitlines())
    await stage.say("window.focus")
    wait_for(lambda: active() == "Calculator", active)
    await stage.say("window.close_app")
    wait_for(lambda: titles() == ["Calculator"], titles)
    wait_for(lambda: active() == "Calculator", active)
    await stage.say("window.close")
    wait_for(lambda: titles() == [], titles)
    await stage.say("computer.screenshot")
    pictures = list((stage.home / "Pictures").glob("*.png"))
    assert len(pictures) == 1
    assert pictures[0].read_bytes().startswith(b"\x89PNG")
    await stage.say("computer.lock")
    assert (stage.home / "locked").read_text() == "yes\n"
    await stage.say("clipboard.copy")
    assert await said_by("xclip", "-selection", "clipboard", "-o") == "buy flowers"
    await copied("from outside")
    assert (await stage.say("clipboard.read")).say == "from outside"
    TOLD.update(stage.done)


def _run(*command: str) -> bytes:
    return subprocess.run(command, capture_output=True, check=False).stdout


async def test_folders_sites_and_files_are_opened_and_found(stage: Stage, display: str) -> None:
    opened = stage.home / "opened"
    for command, what in (("open.folder", str(stage.home / "Downloads")), ("open.site", "https://www.wikipedia.org"),
                          ("open.file", str(stage.home / "Documents/budget.txt"))):  # fmt: skip
        await stage.say(command)
        wait_for(lambda what=what: opened.exists() and opened.read_text().splitlines()[-1:] == [what])  # type: ignore[misc]
    assert "budget.txt is in Documents" in (await stage.say("find.file")).say
    assert (await stage.say("files.list")).show == "budget.txt"
    TOLD.update(stage.done)


async def test_notes_and_to_dos_are_files(stage: Stage) -> None:
    folder = stage.home / "data/commands"

    def texts(name: str) -> list[str]:
        return [item["text"] for item in json.loads((folder / name).read_text()) if not item.get("done")]

    await stage.say("note.add")
    assert texts("notes.json") == ["water the plants"]
    assert "water the plants" in (await stage.say("note.read")).say
    await stage.say("note.delete")
    assert texts("notes.json") == []
    await stage.say("todo.add")
    coffee = stage.book.match("add buy coffee to my list")
    assert coffee is not None
    await stage.book.run(coffee, "kitchen")
    assert texts("todo.json") == ["bananas", "buy coffee"]
    await stage.say("todo.done")
    assert texts("todo.json") == ["bananas"]
    assert "bananas" in (await stage.say("todo.read")).say
    await stage.say("todo.clear")
    assert texts("todo.json") == []
    TOLD.update(stage.done)


async def test_numbers_words_and_manners(stage: Stage) -> None:
    assert (await stage.say("sum.work_out")).say == "84."
    assert (await stage.say("sum.convert")).say == "5 miles are 8.04672 kilometers."
    assert (await stage.say("chance.coin")).say in ("Heads.", "Tails.")
    assert 1 <= int((await stage.say("chance.dice")).say.rstrip(".")) <= 20
    assert 1 <= int((await stage.say("chance.number")).say.rstrip(".")) <= 10
    assert (await stage.say("words.spell")).say == "necessary: N, E, C, E, S, S, A, R, Y."
    effects = {"talk.stop": "stop", "talk.cancel": "cancel", "talk.repeat": "repeat", "speech.louder": "louder",
               "speech.quieter": "quieter", "speech.faster": "faster", "speech.slower": "slower"}  # fmt: skip
    for command, effect in effects.items():
        assert (await stage.say(command)).effect == effect
    for command, word in (
        ("talk.help", "timer"),
        ("talk.hello", "morning"),
        ("talk.thanks", "welcome"),
        ("talk.who", "01"),
    ):
        reply = await stage.say(command)
        assert word in f"{reply.say} {reply.show}"
    TOLD.update(stage.done)


_SETTER = """
import asyncio, sys
from pathlib import Path
from zero_one.commands.book import CommandBook
from zero_one.computer.hands import Hands

async def main():
    book = CommandBook(Hands(), Path(sys.argv[1]))
    async def announce(device, text):
        print("SAID", device, text, flush=True)
    await book.start(announce)
    for text in sys.argv[2:]:
        print((await book.run(book.match(text), "kitchen")).say, flush=True)
    print("READY", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def test_a_timer_outlives_a_kill(home: Path) -> None:
    """Set in one process, which is killed; spoken by the next one, by itself, on the real clock."""

    def start(*texts: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", _SETTER, str(home / "data"), *texts]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)

    # Long enough for the first to be gone when it is due, however long it takes to kill it.
    with start("set a tea timer for ten seconds", "set a timer for two hours") as first:
        assert first.stdout is not None
        said = [first.stdout.readline() for _ in range(3)]
        first.send_signal(signal.SIGKILL)
    assert [said[0], said[2]] == ["Tea timer set for 10 seconds.\n", "READY\n"]
    with start() as second:
        assert second.stdout is not None
        lines = (line for line in iter(second.stdout.readline, "") if line.startswith("SAID"))
        heard = next(lines, "it ended and said nothing")
        second.kill()
    assert heard.startswith("SAID kitchen Your tea timer")
    left = [alert["seconds"] for alert in json.loads((home / "data/commands/alerts.json").read_text())]
    assert 7200 in left


async def test_files_come_back_and_what_was_said_is_forgotten(home: Path) -> None:
    data, project = home / "data", home / "project"
    project.mkdir()
    (project / "letter.txt").write_text("dear")
    trust = open_trust(data / "trust")
    past = ServerPast(trust, data)
    past.conversations = Conversations(Services(Ears(), Throat(), plain, folder=data / "conversations"))
    stage = Stage(home)
    stage.book = CommandBook(Hands(), data, SystemClock(), look_around(home), past)
    async with trust.undo_around([project], "turn", "rm letter.txt", device="kitchen"):
        (project / "letter.txt").unlink()
    assert "rm letter.txt" in (await stage.say("undo.list")).say
    assert (await stage.say("undo.last")).say == "I put back letter.txt."
    assert (project / "letter.txt").read_text() == "dear"
    assert "letter.txt" in (await stage.say("undo.again")).say
    assert not (project / "letter.txt").exists()
    for command in ("forget.time", "forget.all"):
        talk = past.conversations.get("kitchen")
        talk.history.add(Message("user", "message", content="my secret plan"))
        await talk.history.saved()
        trust.note("heard", "kitchen", text="my secret plan")
        assert "1 message" in (await stage.say(command)).say
        await trust.journal.flush()
        kept = b"".join(file.read_bytes() for file in data.rglob("*") if file.is_file())
        assert b"secret plan" not in kept
        assert not talk.history.entries
    assert AuditLog(data / "trust" / "audit").verify().sound
    await past.conversations.close()
    await trust.close()
    TOLD.update(stage.done)


def test_no_command_was_left_out() -> None:
    """Runs last in this file: every command there is had its effect looked at."""
    assert set(SPOKEN) == TOLD
