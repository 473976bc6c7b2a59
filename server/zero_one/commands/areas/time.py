"""Time and date."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

from zero_one.commands import phrases
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command


@command("time.now")
async def now(ask: Ask) -> Reply:
    return Reply(f"It's {phrases.clock(ask.desk.clock.now())}.")


@command("time.place")
async def place(ask: Ask) -> Reply:
    here = ask.desk.clock.now()
    there = here.astimezone(ZoneInfo(ask.slots["zone"]))
    ahead = (there.date() - here.date()).days
    suffix = {0: "", 1: " tomorrow", -1: " yesterday"}[ahead]
    return Reply(f"In {ask.slots['place']} it's {phrases.clock(there)}{suffix}.")


@command("date.today")
async def today(ask: Ask) -> Reply:
    at = ask.desk.clock.now()
    return Reply(f"It's {phrases.day(at)}, {at.year}.")


@command("date.weekday")
async def weekday(ask: Ask) -> Reply:
    at = ask.desk.clock.now()
    return Reply(f"It's {at:%A}, {at:%B} {at.day}.")


@command("date.of")
async def day_of(ask: Ask) -> Reply:
    day = date.fromisoformat(ask.slots["date"])
    return Reply(f"That is {phrases.day(day)}, {day.year}.")


@command("date.until")
async def until(ask: Ask) -> Reply:
    day = date.fromisoformat(ask.slots["date"])
    count = (day - _date(ask.desk.clock.now())).days
    if count == 0:
        return Reply("That is today.")
    verb = "is" if count == 1 else "are"
    return Reply(f"There {verb} {phrases.some(count, 'day')} until {phrases.day(day)}.")


def _date(at: datetime) -> date:
    return at.date()
