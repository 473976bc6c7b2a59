"""Stretches of time that lie behind us, as people say them: "the last hour", "since this morning", "yesterday"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from zero_one.commands import phrases
from zero_one.commands.days import WEEKDAYS
from zero_one.commands.durations import parse_duration
from zero_one.commands.timesofday import parse_clock

_LEADS = (
    "in",
    "from",
    "during",
    "over",
    "within",
    "of",
    "for",
    "throughout",
    "across",
    "all",
    "everything",
    "anything",
)
_LAST = ("last", "past", "previous", "latest", "preceding")
_PARTS = {"morning": time(4), "afternoon": time(12), "evening": time(17), "night": time(20)}
# The earliest that people sit down to it: who wants something forgotten would rather have more of it gone.
_MEALS = {
    "breakfast": time(4), "lunch": time(11), "lunchtime": time(11), "dinner": time(17),
    "supper": time(17), "teatime": time(15),
}  # fmt: skip
_VAGUE = {
    ("few",): 5, ("couple", "of"): 2, ("couple",): 2, ("several",): 7, ("some",): 5,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stretch:
    """From ``since`` to ``until`` (naive local times; None: now), and how it is said back."""

    since: datetime
    until: datetime | None
    words: str


def parse_stretch(words: Sequence[str], now: datetime) -> Stretch | None:
    """The stretch that all of ``words`` say, or None."""
    said = list(words)
    if len(said) == 2 and said[0] in ("over", "during", "at") and said[1] in _MEALS:
        return _after(_MEALS[said[1]], now)
    while said and said[0] in _LEADS and len(said) > 1:
        said = said[1:]
    text = " ".join(said)
    if said[:1] == ["since"]:
        return _since(said[1:], now)
    if said[-1:] == ["on"] and said[:1] != ["on"]:
        return _since(said[:-1], now)
    if (found := _last(said, now)) is not None:
        return Stretch(found, None, text if text.startswith("the ") else f"the {_bare(text)}")
    today = datetime.combine(now.date(), time())
    if text in ("today", "this day", "the whole day", "the day", "all day", "the entire day"):
        return Stretch(today, None, "today")
    if text in ("yesterday", "all of yesterday"):
        return Stretch(today - timedelta(days=1), today, "yesterday")
    if text in ("this week", "the week", "the whole week"):
        return Stretch(today - timedelta(days=now.weekday()), None, "this week")
    if said[:1] == ["this"] and said[1:] and said[1] in _PARTS and len(said) == 2:
        return _part(said[1], now)
    if text in ("tonight", "last night"):
        start = datetime.combine(now.date(), _PARTS["evening"])
        if text == "last night" or now < start:
            return Stretch(start - timedelta(days=1), None if now.hour < 4 else today + timedelta(hours=4), text)
        return Stretch(start, None, text)
    return None


def _bare(text: str) -> str:
    for lead in ("this ", "these ", "my ", "our "):
        text = text.removeprefix(lead)
    return text


def _last(said: list[str], now: datetime) -> datetime | None:
    """The beginning of "the last ten minutes", "the past hour or so", "ten minutes"."""
    if said[:1] and said[0] in ("the", "this", "these", "my", "our"):
        said = said[1:]
    if not said or said[0] not in _LAST:
        return None
    said = said[1:]
    if said[-2:] in (["or", "so"], ["or", "two"]):
        extra, said = (2.0 if said[-1] == "two" else 1.0), said[:-2]
    else:
        extra = 1.0
    if said and said[0] in ("about", "around", "roughly", "full", "whole", "entire"):
        said = said[1:]
    for vague, count in _VAGUE.items():
        bare = said[1:] if said[:1] == ["a"] else said
        if tuple(bare[: len(vague)]) == vague:
            said = [str(count), *bare[len(vague) :]]
            break
    if said in (["moment"], ["moments"], ["bit"], ["little", "bit"], ["little", "while"], ["while"]):
        return now - timedelta(minutes=5)
    if said in (["night"],):
        return None
    months = {"month": 31, "months": 31, "year": 366, "years": 366}
    if said and said[-1] in months:
        days = 1.0 if len(said) == 1 else (parse_duration([*said[:-1], "days"]) or 0) / 86400
        return now - timedelta(days=days * months[said[-1]]) if days else None
    seconds = parse_duration(said)
    return now - timedelta(seconds=seconds * extra) if seconds else None


def _since(said: list[str], now: datetime) -> Stretch | None:
    """What came after a time of today, or after a day."""
    text = " ".join(said)
    today = datetime.combine(now.date(), time())
    if said[:1] in (["this"], ["the"]):
        said = said[1:]
    if len(said) == 1 and said[0] in _PARTS:
        return _part(said[0], now, since=True)
    if text in ("yesterday", "midnight", "today", "yesterday morning", "yesterday evening", "last night"):
        back = {
            "yesterday": -24, "midnight": 0, "today": 0, "yesterday morning": -20, "yesterday evening": -7,
            "last night": -4,
        }[text]  # fmt: skip
        return Stretch(today + timedelta(hours=back), None, f"everything since {text}")
    if (start := _MEALS.get(said[-1] if said else "")) is not None and said[:-1] in ([], ["my"], ["our"]):
        return _after(start, now)
    if text in ("i woke up", "i got up", "waking up", "getting up"):
        return _after(_PARTS["morning"], now)
    if text in ("you started", "the beginning", "the start"):
        return None
    if said[:1] in (["last"], ["on"]) and len(said) == 2:
        said = said[1:]
    if len(said) == 1 and said[0] in WEEKDAYS:
        back = (now.weekday() - WEEKDAYS.index(said[0])) % 7 or 7
        return Stretch(today - timedelta(days=back), None, f"everything since {said[0].capitalize()}")
    if said[-1:] == ["ago"]:
        seconds = parse_duration(said[:-1])
        return Stretch(now - timedelta(seconds=seconds), None, f"everything since {text}") if seconds else None
    clock = parse_clock(said[1:] if said[:1] == ["at"] else said)
    if clock is None:
        return None
    at = datetime.combine(now.date(), clock.time())
    if clock.open:  # the latest such time that is over
        at += timedelta(hours=12) if clock.hour < 12 else timedelta()
        while at > now:
            at -= timedelta(hours=12)
    elif at > now:
        at -= timedelta(days=1)
    return Stretch(at, None, f"everything since {text}")


def _after(start: time, now: datetime) -> Stretch:
    """Everything after the latest such time of day; the hour is said back, for the words did not name it."""
    at = datetime.combine(now.date(), start)
    if at <= now:
        return Stretch(at, None, f"everything since {phrases.clock(at)}")
    return Stretch(at - timedelta(days=1), None, f"everything since {phrases.clock(at)} yesterday")


def _part(part: str, now: datetime, *, since: bool = False) -> Stretch:
    start = datetime.combine(now.date(), _PARTS[part])
    if start > now:
        start -= timedelta(days=1)
    until = None
    words = f"everything since this {part}" if since else f"this {part}"
    return Stretch(start, until, words)
