"""The one button while a question is open, in virtual time: what is ignored, what is no, what is yes, what is words."""

from __future__ import annotations

import asyncio
import math
from array import array
from typing import Any

import pytest

from support.virtual_time import virtual
from zero_one.protocol.events import Answer
from zero_one.protocol.lmc import Message
from zero_one_desktop.asking import Asking
from zero_one_desktop.button import HOLD_MS
from zero_one_desktop.consent import DEAF_MS, Consent, Press


class Shown:
    """A screen that remembers."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.bars: list[float] = []
        self.seconds: list[int] = []

    def question(self, asked: Any) -> None:
        self.notes.append(asked.question)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def rising(self, done: float) -> None:
        self.bars.append(done)

    def remaining(self, seconds: int) -> None:
        self.seconds.append(seconds)


class Room:
    """A client's questions with a screen, and sound that plays for ``left`` ms from now on."""

    def __init__(self) -> None:
        self.shown, self.tones, self.plays_until = Shown(), 0, 0.0
        self.asking = Asking(self.shown, lambda: self.plays_until - now(), self._tone)  # type: ignore[arg-type]

    def _tone(self) -> None:
        self.tones += 1

    def asked(self, ident: str = "q1", *, speech_ms: float = 0, **more: Any) -> None:
        self.plays_until = now() + speech_ms
        content = {"question": "Delete 14 files?", "hand": "hold", "word": "delete", "expires": 60, "own": True, **more}
        self.asking.show(Message("server", "approval", content=content, id=ident))


def now() -> float:
    return asyncio.get_running_loop().time() * 1000


async def later(ms: float) -> None:
    await asyncio.sleep(ms / 1000)


def voice(ms: int) -> bytes:
    """A buzz that a voice detector takes for speech: a low tone with its overtones, growing and fading."""

    def at(sample: int) -> float:
        tones = sum(math.sin(2 * math.pi * 140 * n * sample / 16_000) / n for n in range(1, 12))
        return 4_000 * (1 + math.sin(sample / 900)) * tones

    return array("h", (round(at(sample)) for sample in range(16 * ms))).tobytes()


def test_nothing_counts_before_the_question_was_heard_and_700_ms_after_it() -> None:
    """Also a press that begins in that time and goes on beyond it."""
    consent = Consent()
    assert consent.press(0) is Press.PLAIN
    consent.ask("q")
    assert consent.press(10_000) is Press.EARLY
    assert consent.release(20_000) == 0
    consent.heard(20_000)
    assert consent.press(20_000 + DEAF_MS - 1) is Press.EARLY
    assert consent.release(40_000) == 0
    assert consent.press(20_000 + DEAF_MS) is Press.COUNTS
    assert consent.release(20_000 + DEAF_MS + HOLD_MS) == HOLD_MS


def test_a_question_that_is_asked_in_the_middle_of_a_press_is_not_answered_by_it() -> None:
    consent = Consent()
    consent.ask("q1")
    consent.heard(0)
    assert consent.press(1_000) is Press.COUNTS
    consent.ask("q2")
    consent.heard(1_500)
    assert consent.release(9_000) == 0


@pytest.mark.parametrize("held", [2_000, 2_100, 10_000])
def test_holding_for_two_seconds_without_a_word_is_yes(held: int) -> None:
    @virtual
    async def scene() -> None:
        room = Room()
        room.asked(speech_ms=3_000)
        await later(3_000 + DEAF_MS + 50)
        assert room.asking.press(0, rises=True) is Press.COUNTS
        for _ in range(held // 100):
            room.asking.feed(bytes(3_200))
            await later(100)
        assert room.tones == 1, "it is heard that two seconds are over"
        assert room.shown.bars == sorted(room.shown.bars)
        assert room.shown.bars[-1] == 1
        answer = room.asking.release(0)
        assert answer is not None
        assert (answer.id, answer.answer, answer.hand) == ("q1", "yes", "hold")
        assert held <= answer.held_ms < held + 60
        room.asking.close()

    scene()


@virtual
async def test_letting_go_too_early_agrees_to_nothing() -> None:
    room = Room()
    room.asked()
    await later(1_000)
    assert room.asking.press(0, rises=True) is Press.COUNTS
    await later(1_990)
    assert room.tones == 0
    assert room.asking.release(0) is None
    assert room.asking.questions.own is not None, "the question is still open"
    room.asking.close()


@virtual
async def test_who_speaks_while_holding_is_heard_instead() -> None:
    """The words are the server's to judge: they may be a no, and a no wins."""
    room = Room()
    room.asked()
    await later(1_000)
    room.asking.press(0, rises=True)
    room.asking.feed(voice(600))
    await later(2_500)
    assert room.asking.release(0) is None
    room.asking.close()


@virtual
async def test_our_own_tone_at_two_seconds_is_nothing_that_was_said() -> None:
    room = Room()
    room.asked()
    await later(1_000)
    room.asking.press(0, rises=True)
    await later(2_050)
    room.asking.feed(voice(300))
    await later(400)
    assert room.asking.release(0) is not None
    room.asking.close()


@virtual
async def test_a_press_while_the_question_is_spoken_means_something_else() -> None:
    """It may last into the time in which presses count; it began before."""
    room = Room()
    room.asked(speech_ms=4_000)
    await later(2_000)
    assert room.asking.press(0, rises=True) is Press.EARLY
    await later(8_000)
    assert room.asking.release(0) is None
    assert room.shown.bars == []
    room.asking.close()


@virtual
async def test_while_the_assistant_says_that_it_speaks_the_question_is_not_over() -> None:
    """Its sound may not have arrived yet."""
    room = Room()
    room.asking.state("speaking")
    room.asked()
    await later(5_000)
    assert room.asking.press(0, rises=True) is Press.EARLY
    room.asking.release(0)
    room.asking.state("asking")
    await later(DEAF_MS)
    assert room.asking.press(0, rises=True) is Press.COUNTS
    room.asking.close()


@virtual
async def test_a_question_of_another_room_is_shown_and_never_answered_by_this_button() -> None:
    room = Room()
    room.asked(own=False, device="Kitchen")
    await later(5_000)
    assert room.asking.press(0, rises=True) is Press.PLAIN
    assert not room.asking.let_go()
    assert room.asking.questions.answer("delete") == Answer("q1", "yes", word="delete")
    room.asking.close()


@virtual
async def test_a_question_that_was_answered_elsewhere_cannot_be_agreed_to_any_more() -> None:
    room = Room()
    room.asked()
    await later(1_000)
    room.asking.press(0, rises=True)
    await later(1_500)
    over = {"answer": "no", "reason": "the user said no", "by": "Kitchen"}
    room.asking.show(Message("server", "approval", content=over, end=True, id="q1"))
    await later(2_000)
    assert room.tones == 0
    assert room.asking.release(0) is None
    assert "Not agreed, by Kitchen: the user said no." in room.shown.notes
    room.asking.close()


@virtual
async def test_the_seconds_that_are_left_are_counted_from_when_it_was_heard() -> None:
    room = Room()
    room.asked(speech_ms=2_000, expires=60)
    await later(2_000 + 29_900)
    assert room.shown.seconds == []
    await later(200)
    assert room.shown.seconds == [30]
    await later(60_000)
    assert room.shown.seconds == [30, 10]
    room.asking.close()
