"""Stretches of time behind us mean what people mean by them."""

from __future__ import annotations

from datetime import datetime

import pytest

from zero_one.commands.since import parse_stretch

NOW = datetime(2026, 11, 22, 15, 30)  # a Sunday


@pytest.mark.parametrize(
    ("said", "since", "until"),
    [
        ("the last hour", "2026-11-22T14:30", None),
        ("in the past two hours", "2026-11-22T13:30", None),
        ("the last half hour", "2026-11-22T15:00", None),
        ("from the last twenty minutes", "2026-11-22T15:10", None),
        ("the last couple of minutes", "2026-11-22T15:28", None),
        ("the last day", "2026-11-21T15:30", None),
        ("the last week", "2026-11-15T15:30", None),
        ("the last month", "2026-10-22T15:30", None),
        ("today", "2026-11-22T00:00", None),
        ("yesterday", "2026-11-21T00:00", "2026-11-22T00:00"),
        ("this morning", "2026-11-22T04:00", None),
        ("since this morning", "2026-11-22T04:00", None),
        ("since noon", "2026-11-22T12:00", None),
        ("since ten", "2026-11-22T10:00", None),
        ("since four", "2026-11-22T04:00", None),
        ("since 2 pm", "2026-11-22T14:00", None),
        ("since 11 pm", "2026-11-21T23:00", None),
        ("since friday", "2026-11-20T00:00", None),
        ("since two hours ago", "2026-11-22T13:30", None),
        ("since lunch", "2026-11-22T11:00", None),
        ("over lunch", "2026-11-22T11:00", None),
        ("since dinner", "2026-11-21T17:00", None),
        ("since i got up", "2026-11-22T04:00", None),
        ("this week", "2026-11-16T00:00", None),
    ],
)
def test_a_stretch_begins_where_it_should(said: str, since: str, until: str | None) -> None:
    found = parse_stretch(said.split(), NOW)
    assert found is not None
    assert found.since == datetime.fromisoformat(since)
    assert found.until == (datetime.fromisoformat(until) if until else None)
    assert found.since <= NOW


@pytest.mark.parametrize("said", ["", "tomorrow", "the next hour", "an hour", "the last file", "lunch", "in june"])
def test_what_is_no_stretch_of_the_past_is_none(said: str) -> None:
    assert parse_stretch(said.split(), NOW) is None
