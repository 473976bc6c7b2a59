"""Timers, alarms and reminders speak up by themselves: in virtual time, over restarts, late ones saying how late."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from support.virtual_time import virtual
from zero_one.commands.base import Reply
from zero_one.commands.book import CommandBook
from zero_one.commands.known import Known

ZONE = ZoneInfo("Europe/Berlin")
SPEED = 1000.0
"""Seconds of the wall clock in one of the loop's: weeks pass within the loop's finest hours."""
START = datetime(2026, 11, 20, 10, 0, tzinfo=ZONE)  # a Friday


async def passes(seconds: float) -> None:
    """So much time on the wall."""
    await asyncio.sleep(seconds / SPEED)


class LoopClock:
    """A wall clock driven by the event loop's time, which tests make virtual."""

    def __init__(self, start: datetime = START) -> None:
        self._start = start.timestamp()
        self._zero = asyncio.get_running_loop().time()

    def now(self) -> datetime:
        return datetime.fromtimestamp(self._start + (asyncio.get_running_loop().time() - self._zero) * SPEED, ZONE)

    def local(self, naive: datetime) -> datetime:
        return naive.replace(tzinfo=ZONE)

    async def wait_until(self, at: datetime) -> None:
        await passes(max(0.0, at.timestamp() - self.now().timestamp()) + 1e-3)


class Room:
    """A running book, and what it said by itself: (seconds since the start, device, text)."""

    def __init__(self, folder: Path, start: datetime = START) -> None:
        self.clock = LoopClock(start)
        self.book = CommandBook(None, folder, self.clock, Known(folder))  # type: ignore[arg-type]
        self.said: list[tuple[int, str, str]] = []

    async def __aenter__(self) -> Room:
        await self.book.start(self._announce)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.book.close()

    async def _announce(self, device: str, text: str) -> None:
        self.said.append((round((self.clock.now() - START).total_seconds()), device, text))

    async def say(self, text: str, device: str = "kitchen") -> Reply:
        match = self.book.match(text)
        assert match is not None, text
        return await self.book.run(match, device)


@virtual
async def test_timers_ring_in_order_on_the_device_that_set_them(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        await room.say("set a timer for ten minutes")
        await room.say("set a pasta timer for eight minutes", device="phone")
        await passes(240)
        assert (await room.say("how much time is left on the pasta timer")).say == "4 minutes left on the pasta timer."
        await passes(3600)
        assert room.said == [
            (480, "phone", "Your pasta timer is done."), (600, "kitchen", "Your 10 minute timer is done."),
        ]  # fmt: skip
        assert (await room.say("list my timers")).say == "No timer is running."


@virtual
async def test_a_timer_can_be_extended_paused_resumed_and_cancelled(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        await room.say("set a timer for five minutes")
        await room.say("add two minutes to the timer")
        await passes(60)
        await room.say("pause the timer")
        await passes(1000)
        assert room.said == []
        await room.say("resume the timer")
        await passes(359)
        assert room.said == []
        await passes(2)
        assert len(room.said) == 1
        await room.say("set a timer for five minutes")
        await room.say("set an egg timer for five minutes")
        assert (await room.say("cancel the timer")).failed
        assert (await room.say("cancel the egg timer")).say == "Cancelled the egg timer."
        await room.say("cancel all timers")
        await passes(3600)
        assert len(room.said) == 1


@virtual
async def test_alarms_repeat_on_their_days_only(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        reply = await room.say("wake me at seven on weekdays")
        assert reply.say == "Alarm set for 7:00 AM on weekdays."
        await passes(5 * 86400)
        days = [(START + timedelta(seconds=at)).strftime("%a %H:%M") for at, _, _ in room.said]
        assert days == ["Mon 07:00", "Tue 07:00", "Wed 07:00"]
        assert (await room.say("cancel my alarm")).failed is False
        await passes(7 * 86400)
        assert len(room.said) == 3


@virtual
async def test_a_repeating_alarm_keeps_its_wall_time_when_the_clocks_change(tmp_path: Path) -> None:
    async with Room(tmp_path, datetime(2027, 3, 27, 12, 0, tzinfo=ZONE)) as room:
        await room.say("wake me every day at seven")
        await passes(2 * 86400)
        assert [text for _, _, text in room.said] == ["It's 7:00 AM. This is your alarm."] * 2


@virtual
async def test_a_reminder_and_its_snooze(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        reply = await room.say("remind me to call my mom at noon")
        assert reply.say == "I will remind you at 12:00 PM: call your mom."
        assert (await room.say("snooze")).failed
        await passes(7201)
        assert room.said == [(7200, "kitchen", "This is your reminder: call your mom.")]
        await room.say("snooze for ten minutes")
        await passes(601)
        assert len(room.said) == 2
        assert (await room.say("what are my reminders")).say == "There are no reminders."


@virtual
async def test_what_was_missed_is_said_at_the_next_start_with_how_late(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        await room.say("set a pasta timer for eight minutes")
        await room.say("remind me to call mom at noon")
        await room.say("wake me tomorrow at seven")
    async with Room(tmp_path, START + timedelta(hours=3)) as later:
        await passes(1)
        assert [text for _, _, text in later.said] == [
            "Your pasta timer ended 2 hours and 52 minutes ago, while I was away.",
            "I am 1 hour late with a reminder for 12:00 PM: call mom.",
        ]
        await passes(24 * 3600)
        assert later.said[-1][2] == "It's 7:00 AM. This is your alarm."
    async with Room(tmp_path, START + timedelta(days=3)) as again:
        await passes(1)
        assert again.said == []


@virtual
async def test_an_announcement_that_fails_stops_no_other(tmp_path: Path) -> None:
    room = Room(tmp_path)
    said: list[str] = []

    async def announce(device: str, text: str) -> None:
        if device == "gone":
            raise OSError("the device is gone")
        said.append(text)

    await room.book.start(announce)
    await room.say("set a timer for one minute", device="gone")
    await room.say("set a timer for two minutes")
    await passes(300)
    await room.book.close()
    assert said == ["Your 2 minute timer is done."]


@virtual
async def test_a_damaged_file_is_set_aside_and_a_foreign_entry_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "commands"
    folder.mkdir()
    (folder / "alerts.json").write_text("{broken")
    (folder / "notes.json").write_text(json.dumps([{"text": "kept", "at": ""}]))
    async with Room(tmp_path) as room:
        (aside,) = folder.glob("alerts.json.damaged-*")
        assert aside.read_text() == "{broken"
        assert (await room.say("read my notes")).say == "1 note: kept."
        await room.say("set a timer for one minute")
        await passes(61)
        assert len(room.said) == 1


@virtual
async def test_notes_and_to_dos_are_on_disk_when_the_reply_comes(tmp_path: Path) -> None:
    async with Room(tmp_path) as room:
        await room.say("take a note the door code is 42")
        await room.say("add milk to my shopping list")
        await room.say("add call the bank to my to-do list")
        assert (await room.say("mark the first task as done")).say == "Done: milk. 1 thing left."
    async with Room(tmp_path) as room:
        assert (await room.say("read my notes")).say == "1 note: the door code is 42."
        assert (await room.say("what's on my to-do list")).say == "1 thing to do: call the bank."
        await room.say("delete the last note")
        await room.say("clear my to-do list")
    texts = {path.name: json.loads(path.read_text()) for path in (tmp_path / "commands").glob("*.json")}
    assert texts["notes.json"] == []
    assert all(item["done"] for item in texts["todo.json"])
    assert not list((tmp_path / "commands").glob("*.tmp"))


@virtual
async def test_alarms_of_a_day_or_of_a_part_of_it_are_cancelled_and_said(tmp_path: Path) -> None:
    """ "For tomorrow morning" means the alarm of seven as well as that of nine, and no other."""
    async with Room(tmp_path) as room:
        for time in ("seven tomorrow morning", "9:30 am tomorrow", "8 pm tomorrow", "seven on monday morning"):
            await room.say(f"set an alarm for {time}")
        cancelled = await room.say("cancel the alarm for tomorrow morning")
        assert cancelled.say == "Cancelled the alarm for 7:00 AM tomorrow and 9:30 AM tomorrow."
        assert (await room.say("cancel the alarm for tomorrow morning")).failed
        assert (await room.say("cancel the alarm for tonight")).failed
        assert "8:00 PM tomorrow" in (await room.say("cancel tomorrow's alarm")).say
        assert "Monday" in (await room.say("no alarm on monday")).say
        assert (await room.say("list my alarms")).say == "No alarm is set."
