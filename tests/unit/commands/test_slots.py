"""What a match says about the wording: typed values, times as local ISO on the frozen clock."""

from __future__ import annotations

from typing import Any

import pytest

from zero_one.commands.book import CommandBook

CASES: list[tuple[str, dict[str, Any]]] = [
    ("set a timer for ten minutes", {"seconds": 600}),
    ("set a timer for 10 mins", {"seconds": 600}),
    ("timer for an hour and a half", {"seconds": 5400}),
    ("timer in a minute and a half", {"seconds": 90}),
    ("set a timer for two and a half hours", {"seconds": 9000}),
    ("timer 1h30m", {"seconds": 5400}),
    ("start a ten minute pasta timer", {"seconds": 600, "name": "pasta"}),
    ("set a timer for for minutes", {"seconds": 240}),
    ("set a timer for 8 minutes called green tea", {"seconds": 480, "name": "green tea"}),
    ("set a timer for ten no wait fifteen minutes", {"seconds": 900}),
    ("how much time is left on the pasta timer", {"name": "pasta"}),
    ("set a timer for twenty", {"seconds": 1200}),
    ("set a 25-minute timer", {"seconds": 1500}),
    ("timer 5:00", {"seconds": 300}),
    ("a timer, please, an hour and a half", {"seconds": 5400}),
    ("put two more minutes on the timer", {"seconds": 120}),
    ("give the timer another ten", {"seconds": 600}),
    ("set an alarm for oh seven hundred hours", {"at": "2026-11-23T07:00:00"}),
    ("wake me every Sunday at ten", {"at": "2026-11-29T10:00:00", "days": ["sunday"]}),
    ("alarm at 0630", {"at": "2026-11-23T06:30:00"}),
    ("set an alarm for six, monday through friday",
     {"at": "2026-11-23T06:00:00", "days": ["monday", "tuesday", "wednesday", "thursday", "friday"]}),
    ("wake me in an hour and a half", {"at": "2026-11-22T11:30:00"}),
    ("set an alarm for first thing tomorrow", {"at": "2026-11-23T09:00:00"}),
    ("remind me in twenty to call Bob", {"text": "call Bob", "at": "2026-11-22T10:20:00"}),
    ("remind me next friday to cancel the subscription",
     {"text": "cancel the subscription", "at": "2026-11-27T09:00:00"}),
    ("remind me after lunch to call Bob", {"text": "call Bob", "at": "2026-11-22T13:00:00"}),
    ("full blast", {"level": 100}),
    ("max volume", {"level": 100}),
    ("turn the volume to half", {"level": 50}),
    ("volume all the way down", {"level": 0}),
    ("set the volume to seven out of ten", {"level": 70}),
    ("what's the date tomorrow", {"date": "2026-11-23"}),
    ("what date is a week on Tuesday", {"date": "2026-12-01"}),
    ("what's six sevens", {"expression": "6 * 7", "result": 42}),
    ("a 15 percent tip on forty dollars", {"expression": "15% of 40", "result": 6}),
    ("can you add up 12, 15 and 20", {"expression": "12 + 15 + 20", "result": 47}),
    ("eight into fifty six", {"expression": "56 / 8", "result": 7}),
    ("I weigh 70 kilos, what is that in pounds",
     {"value": 70, "from": "kilogram", "to": "pound", "result": 154.32358}),
    ("roll 2d6", {"count": 2, "sides": 6}),
    ("roll four eight sided dice", {"count": 4, "sides": 8}),
    ("random number up to a thousand", {"low": 1, "high": 1000}),
    ("add five minutes to the pasta timer", {"seconds": 300, "name": "pasta"}),
    ("wake me at half six", {"at": "2026-11-23T06:30:00"}),
    ("wake me at seven on weekdays",
     {"at": "2026-11-23T07:00:00", "days": ["monday", "tuesday", "wednesday", "thursday", "friday"]}),
    ("set an alarm for quarter to eight p.m.", {"at": "2026-11-22T19:45:00"}),
    ("set an alarm for 6:30 tomorrow morning", {"at": "2026-11-23T06:30:00"}),
    ("alarm at 17:05", {"at": "2026-11-22T17:05:00"}),
    ("remind me to call mom at five", {"text": "call mom", "at": "2026-11-22T17:00:00"}),
    ("remind me in ten minutes to check the oven", {"text": "check the oven", "at": "2026-11-22T10:10:00"}),
    ("tomorrow morning remind me to pay the rent", {"text": "pay the rent", "at": "2026-11-23T09:00:00"}),
    ("remind me to buy 2 eggs and milk at noon on Friday", {"text": "buy 2 eggs and milk",
    "at": "2026-11-27T12:00:00"}),
    ("remind me to count to ten in five minutes", {"text": "count to ten", "at": "2026-11-22T10:05:00"}),
    ("set the volume to fifty percent", {"level": 50}),
    ("volume 30%", {"level": 30}),
    ("what time is it in New York", {"place": "New York", "zone": "America/New_York"}),
    ("how many days until Christmas", {"date": "2026-12-25"}),
    ("what is 12 times 7", {"expression": "12 * 7", "result": 84}),
    ("fifteen percent of eighty", {"expression": "15% of 80", "result": 12}),
    ("square root of 144", {"expression": "√144", "result": 12}),
    ("what is two to the power of ten", {"expression": "2 ^ 10", "result": 1024}),
    ("what's 2+2*3", {"expression": "2 + 2 * 3", "result": 8}),
    ("what is 20 percent off 50", {"expression": "20% off 50", "result": 40}),
    ("convert five miles to kilometers", {"value": 5, "from": "mile", "to": "kilometer", "result": 8.04672}),
    ("100 fahrenheit in celsius",
     {"value": 100, "from": "degree Fahrenheit", "to": "degree Celsius", "result": 37.777778}),
    ("take a note Call Anna Smith", {"text": "Call Anna Smith"}),
    ("add Oat Milk to my shopping list", {"text": "Oat Milk"}),
    ("copy Hello World to the clipboard", {"text": "Hello World"}),
    ("open firefox", {"app": "firefox"}),
    ("open example dot com", {"url": "https://example.com"}),
    ("go to youtube", {"url": "https://www.youtube.com"}),
    ("open report dot pdf", {"file": "report.pdf"}),
    ("find my budget spreadsheet", {"file": "budget"}),
    ("pick a number between one and twenty", {"low": 1, "high": 20}),
    ("roll two dice", {"count": 2}),
    ("roll a 20 sided die", {"sides": 20}),
    ("spell necessary", {"word": "necessary"}),
    ("mark the second task as done", {"position": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("said", "slots"), CASES)
def test_slots_are_typed_and_clear(book: CommandBook, said: str, slots: dict[str, Any]) -> None:
    match = book.match(said)
    assert match is not None
    assert dict(match.slots) == slots


@pytest.mark.parametrize(
    "said",
    ["set a timer for purple minutes", "wake me at 25:99", "set the volume to 300 percent", "remind me",
    "what time is it in narnia",
     "roll a zero sided die", "open", "set a timer for ten minutes and then open firefox",
     "what is five divided by love"],
)  # fmt: skip
def test_slots_that_make_no_sense_are_no_match(book: CommandBook, said: str) -> None:
    assert book.match(said) is None
