"""The spoken challenge, for those who cannot press: fresh words, from a named paired device only, three tries."""

from __future__ import annotations

import asyncio
import re
from itertools import count

import pytest

from support.players import MS_A_CHAR, Device, Scene, Stage, paired
from support.virtual_time import virtual
from zero_one.config.settings import ApprovalSettings, Settings
from zero_one.conversation import challenge
from zero_one.conversation.expected import answers
from zero_one.identity.access import Caller, owner
from zero_one.interpreter.base import Decision
from zero_one.protocol.events import Answer
from zero_one.safety.policy import Hand

QUESTION = "Delete it?"


@pytest.fixture(autouse=True)
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in a known order: amber basket two, amber basket three, …"""
    numbers = count(2)
    names = ("two", "three", "four", "five", "six", "seven")
    monkeypatch.setattr(challenge, "fresh", lambda: f"amber basket {names[next(numbers) - 2]}")


class Asking(Stage):
    def __init__(self, *heard: str, hand: Hand = "hold", names: tuple[str, ...] = ("bed",)) -> None:
        self.decisions: list[Decision] = []

        async def play(scene: Scene) -> None:
            self.decisions.append(await scene.ask(QUESTION, hand=hand))

        settings = Settings(approval=ApprovalSettings(timeout_s=300, challenge=names))
        super().__init__(*heard, plays=(play,), settings=settings)

    async def asked(self, caller: Caller) -> Device:
        device = await self.join(caller=caller)
        await self.type("do it")
        await device.until(lambda: device.messages("approval"))
        await asyncio.sleep(len(self.throat.texts[-1]) * MS_A_CHAR / 1000 + 0.8)
        return device


@pytest.mark.parametrize("said", ["amber basket two", "Amber basket 2.", "Amber, basket, too!", "um amber basket two"])
@pytest.mark.parametrize("hand", ["press", "hold"])
@virtual
async def test_saying_the_words_is_as_good_as_a_hand(hand: Hand, said: str) -> None:
    stage = Asking(said, hand=hand)
    device = await stage.asked(paired("bed"))
    assert stage.throat.texts == [f"{QUESTION} Or say: amber basket two."]
    assert device.messages("approval")[0].content["say"] == "amber basket two"
    await stage.speak(1.5)
    await asyncio.sleep(1)
    assert [(d.approved, d.hand, d.by) for d in stage.decisions] == [(True, hand, "bed")]
    await stage.talk.close()


@virtual
async def test_other_words_get_new_ones_three_times() -> None:
    """Also the right words of an attempt before: what was recorded once is worth nothing."""
    stage = Asking("yes", "amber basket two", "amber basket two")
    device = await stage.asked(paired("bed"))
    for _ in range(3):
        await stage.speak(1.0)
        await asyncio.sleep(8)
    assert [d.approved for d in stage.decisions] == [False]
    shown = [m.content["say"] for m in device.messages("approval") if not m.end]
    assert shown == ["amber basket two", "amber basket three", "amber basket four"]
    await stage.talk.close()


@virtual
async def test_the_second_attempt_may_be_right() -> None:
    stage = Asking("whatever", "amber basket three")
    await stage.asked(paired("bed"))
    for _ in range(2):
        await stage.speak(1.0)
        await asyncio.sleep(8)
    assert [d.approved for d in stage.decisions] == [True]
    await stage.talk.close()


@pytest.mark.parametrize("said", ["no", "no but rename it", "don't"])
@virtual
async def test_a_no_is_a_no(said: str) -> None:
    stage = Asking(said)
    await stage.asked(paired("bed"))
    await stage.speak(1.0)
    await asyncio.sleep(0.5)
    assert [d.approved for d in stage.decisions] == [False]
    await stage.talk.close()


@virtual
async def test_the_words_said_too_early_are_not_taken() -> None:
    stage = Asking("amber basket two")
    device = await stage.join(caller=paired("bed"))
    await stage.type("do it")
    await device.until(lambda: device.messages("approval"))
    await stage.speak(1.0)
    await asyncio.sleep(1)
    assert stage.decisions == []
    await stage.talk.close()


@pytest.mark.parametrize("caller", [paired("phone"), owner("bed", "bed"), Caller("bed", "bed")])
@virtual
async def test_only_a_named_paired_device_is_challenged(caller: Caller) -> None:
    """Not another one, and not a program that only calls itself so."""
    stage = Asking("amber basket two")
    watcher = Device(caller=owner("desk"))
    await stage.talk.attach(watcher)
    device = await stage.asked(caller)
    assert "say" not in device.messages("approval")[0].content
    await stage.speak(1.0)
    await asyncio.sleep(1)
    assert not any(d.approved for d in stage.decisions)
    await stage.talk.close()


@virtual
async def test_who_can_press_still_may() -> None:
    for agree in ("hold", "slide"):
        stage = Asking("", hand="hold")
        device = await stage.asked(paired("bed"))
        if agree == "hold":
            await stage.speak(2.2)
        else:
            await stage.does(Answer(device.messages("approval")[0].id or "", "yes", hand="slide"))
        await asyncio.sleep(0.5)
        assert [d.approved for d in stage.decisions] == [True]
        await stage.talk.close()


def test_the_words_are_fresh_and_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    some = {challenge.fresh() for _ in range(300)}
    assert len(some) > 280
    assert len(challenge.WORDS) == len(set(challenge.WORDS))
    known = set(re.findall(r"[a-z]+", answers(True)))
    assert {word for words in some for word in words.split()} <= known


@pytest.mark.parametrize(
    "said", ["amber basket", "amber basket two three", "basket amber two", "amber basket three", ""]
)
def test_what_is_not_the_same(said: str) -> None:
    assert not challenge.same(said, "amber basket two")
