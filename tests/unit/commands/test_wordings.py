"""People say a command in many ways, and open requests in the same words."""

from __future__ import annotations

import functools
import inspect
import random
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from zero_one.commands.areas import HANDLERS
from zero_one.commands.base import Match
from zero_one.commands.book import CommandBook

HERE = Path(__file__).parent
WORDINGS: dict[str, list[str]] = defaultdict(list)
for name in ("wordings.yaml", "more_wordings.yaml", "further_wordings.yaml"):
    for command, wordings in yaml.safe_load((HERE / name).read_text(encoding="utf-8")).items():
        WORDINGS[command] += wordings
OPEN: list[str] = yaml.safe_load((HERE / "open_requests.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def takes(book: CommandBook) -> Callable[[str], Match | None]:
    """What a wording is taken for, found out once for all tests."""
    return functools.cache(book.match)


@pytest.mark.parametrize("command", WORDINGS)
def test_every_wording_is_taken_for_its_command(takes: Callable[[str], Match | None], command: str) -> None:
    taken = {wording: takes(wording) for wording in WORDINGS[command]}
    assert {w: m and m.command for w, m in taken.items()} == dict.fromkeys(taken, command)


def test_every_command_has_at_least_ten_wordings_and_its_own_examples(book: CommandBook) -> None:
    assert {info.name for info in book.list()} == set(WORDINGS)
    assert len(WORDINGS) >= 30
    assert all(len(set(wordings)) >= 10 for wordings in WORDINGS.values())
    for info in book.list():
        for example in info.examples:
            match = book.match(example)
            assert match is not None, example
            assert match.command == info.name, example


def test_every_wording_fills_the_slots_that_its_command_works_with(takes: Callable[[str], Match | None]) -> None:
    """What a handler takes from the slots without a question must be there, whatever the wording ("full blast")."""
    bare = []
    for command, wordings in WORDINGS.items():
        source = inspect.getsource(HANDLERS[command])
        needs = set(re.findall(r'ask\.slots\["(\w+)"\]', source))
        for wording in wordings:
            match = takes(wording)
            assert match is not None
            told_otherwise = {"last", "position"} & set(match.slots)
            if not told_otherwise and not needs <= set(match.slots):
                bare.append((command, wording, dict(match.slots)))
    assert bare == []


def test_open_requests_are_never_taken_for_a_command(book: CommandBook) -> None:
    assert len(OPEN) >= 1000
    assert {request: match for request in OPEN if (match := book.match(request))} == {}


FILLED = (
    "uh {}", "um, {}", "{} please", "hey computer, {}", "could you {}", "can you please {}", "okay so {}",
    "{}, thanks", "er {} real quick", "I'd like you to {}", "please {} for me", "well, {}",
)  # fmt: skip
ORDERS = {
    "set a timer for ten minutes": "timer.start", "wake me up at half past six": "alarm.set",
    "turn up the volume": "volume.up",
    "remind me to call mom at five": "reminder.set", "take a screenshot": "computer.screenshot",
    "flip a coin": "chance.coin",
    "lock the screen": "computer.lock", "open the downloads folder": "open.folder", "read my notes": "note.read",
    "tell me the time": "time.now", "cancel all timers": "timer.cancel_all", "add milk to my shopping list": "todo.add",
}  # fmt: skip


@pytest.mark.parametrize("frame", FILLED)
def test_fillers_and_politeness_never_change_a_match(book: CommandBook, frame: str) -> None:
    for order in ORDERS:
        assert book.match(frame.format(order)) == book.match(order) is not None, frame.format(order)


ASIDES = (
    "I'm boiling eggs, {}", "{}, I'm off to bed", "sorry, my hands are full, {}", "{} because I have a flight to catch",
    "it's getting late, {}", "{}, the baby is asleep", "we're having guests. {}",
)  # fmt: skip


@pytest.mark.parametrize("frame", ASIDES)
def test_what_people_tell_about_themselves_never_changes_a_match(book: CommandBook, frame: str) -> None:
    for order, command in ORDERS.items():
        match = book.match(frame.format(order))
        assert match is not None, frame.format(order)
        if command not in ("reminder.set", "todo.add"):  # these may keep the reason with the deed
            assert match == book.match(order), frame.format(order)


def test_hesitations_anywhere_never_change_a_match(book: CommandBook) -> None:
    chance = random.Random(3)
    for order in ORDERS:
        words = order.split()
        at = chance.randrange(1, len(words))
        stumbled = " ".join([*words[:at], chance.choice(["uh", "um", "er,", "uhm", "hmm"]), *words[at:]])
        assert book.match(stumbled) == book.match(order), stumbled


def test_casing_and_punctuation_never_change_a_match(book: CommandBook) -> None:
    for order, command in ORDERS.items():
        for said in (order.upper() + "!", order.capitalize() + ".", f"  {order}?? ", order.title() + "…"):
            match = book.match(said)
            assert match is not None, said
            assert match.command == command, said


def test_repeated_words_are_stumbles(book: CommandBook) -> None:
    for order in ORDERS:
        first, *rest = order.split()
        assert book.match(" ".join([first, first, *rest])) == book.match(order)


@pytest.mark.parametrize(
    ("typed", "command"),
    [("set a tiemr for 10 minutes", "timer.start"), ("waht time is it", "time.now"), ("take a screenshoot",
    "computer.screenshot"),
     ("turn up the volumme", "volume.up"), ("read my clipbaord", "clipboard.read"), ("cancle the timer",
     "timer.cancel")],
)  # fmt: skip
def test_slips_of_the_finger_are_put_right(book: CommandBook, typed: str, command: str) -> None:
    match = book.match(typed)
    assert match is not None
    assert match.command == command


def test_nothing_said_can_break_the_matcher(book: CommandBook) -> None:
    chance = random.Random(7)
    words = sorted({word for wordings in WORDINGS.values() for wording in wordings for word in wording.split()})
    words += [
        "",
        "🙂",
        "½",
        "--",
        "{time}",
        "<ask>",
        "[",
        "'",
        "1:99",
        "99:99",
        "0",
        "-",
        "point",
        "half",
        "to",
        "past",
        "%",
    ]
    for _ in range(150):
        book.match(" ".join(chance.choices(words, k=chance.randrange(0, 12))))
    assert book.match("") is None
    assert book.match("timer " * 5000) is None
