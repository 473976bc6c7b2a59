"""A device without a key may look and time its eggs; it changes nothing, and neither undoes nor forgets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from zero_one.commands.book import CommandBook
from zero_one.commands.known import Known
from zero_one.identity.access import Caller, owner

KEYLESS = Caller("radio", "first 01")


class Hands:
    """Notes what it is asked to do."""

    def __init__(self) -> None:
        self.called: list[str] = []

    async def call(self, name: str, /, **arguments: Any) -> Any:
        self.called.append(name)
        return {"percent": 50, "muted": False}


@pytest.fixture
def hands() -> Hands:
    return Hands()


@pytest.fixture
def book(tmp_path: Path, hands: Hands) -> CommandBook:
    return CommandBook(hands, tmp_path, here=Known(tmp_path, frozenset()))


@pytest.mark.parametrize(
    "wording",
    [
        "undo that", "forget the last hour", "forget everything", "delete the last note", "clear my to-do list",
        "cancel all reminders", "what can you undo", "lock the screen",
        "copy hello world to the clipboard",
    ],
)  # fmt: skip
async def test_what_changes_or_tells_of_others_is_refused(book: CommandBook, hands: Hands, wording: str) -> None:
    match = book.match(wording)
    assert match is not None
    reply = await book.run(match, "radio", KEYLESS)
    assert reply.failed
    assert "01 pair" in reply.say
    assert hands.called == []


@pytest.mark.parametrize(
    "wording", ["what time is it", "set a timer for ten minutes", "flip a coin", "what's the volume"]
)
async def test_what_only_looks_is_done(book: CommandBook, wording: str) -> None:
    match = book.match(wording)
    assert match is not None
    assert not (await book.run(match, "radio", KEYLESS)).failed


async def test_the_owner_may_do_what_is_refused_there(book: CommandBook, hands: Hands) -> None:
    match = book.match("lock the screen")
    assert match is not None
    await book.run(match, "desk", owner("desk"))
    assert hands.called
