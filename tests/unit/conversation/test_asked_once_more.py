"""An open question is heard whole before it can be agreed to, is said again on request, and not when it is over."""

from __future__ import annotations

import asyncio

import pytest

from support.players import Device, Scene, Stage, says
from support.virtual_time import virtual
from zero_one.commands.base import Announce, Match, Proposal, Reply
from zero_one.conversation import Conversation, phrases
from zero_one.conversation.answers import asks_again, read_answer
from zero_one.identity.access import Caller
from zero_one.interpreter.base import Decision
from zero_one.protocol.events import Answer, Repeat

QUESTION = "Delete it?"
SPOKEN_S = 0.5


class Asking(Stage):
    """Its model asks one question that a press agrees to; ``decisions`` are what it was told."""

    def __init__(self, *heard: str, **question: object) -> None:
        self.decisions: list[Decision] = []

        async def play(scene: Scene) -> None:
            self.decisions.append(await scene.ask(QUESTION, **{"hand": "press"} | question))

        super().__init__(*heard, plays=(play,))

    async def asked(self) -> Device:
        device = await self.join()
        await self.type("do it")
        await device.until(lambda: device.messages("approval"))
        return device

    async def agree(self) -> None:
        question = self.talk.questions.open
        assert question is not None
        await self.does(Answer(question.id, "yes"))
        await asyncio.sleep(0.01)


@virtual
async def test_a_question_that_was_cut_off_is_said_again_and_only_then_open_to_a_yes() -> None:
    """A double tap in the middle of it: what was heard of it counts for nothing."""
    stage = Asking()
    await stage.asked()
    await asyncio.sleep(SPOKEN_S / 2)
    await stage.does(Repeat())
    await asyncio.sleep(SPOKEN_S + 0.5)
    await stage.agree()
    assert stage.decisions == []
    assert stage.throat.texts[:2] == [QUESTION, QUESTION]
    await asyncio.sleep(10)
    await stage.agree()
    assert [decision.approved for decision in stage.decisions] == [True]
    await stage.talk.close()


@pytest.mark.parametrize("how", ["say", "type"])
@virtual
async def test_who_asks_what_the_question_was_is_told_and_has_refused_nothing(how: str) -> None:
    stage = Asking("what did you say")
    await stage.asked()
    await asyncio.sleep(SPOKEN_S + 0.8)
    await (stage.speak(0.6) if how == "say" else stage.type("Sorry, can you repeat that?"))
    await asyncio.sleep(SPOKEN_S + 1)
    assert stage.decisions == []
    assert stage.throat.texts == [QUESTION, QUESTION]
    await stage.agree()
    assert [decision.approved for decision in stage.decisions] == [True]
    await stage.talk.close()


@virtual
async def test_nobody_keeps_a_question_open_for_ever_by_asking_for_it() -> None:
    stage = Asking()
    await stage.asked()
    for _ in range(20):
        await stage.does(Repeat())
        await asyncio.sleep(SPOKEN_S + 1)
    assert [decision.approved for decision in stage.decisions] == [False]
    await stage.talk.close()


@pytest.mark.parametrize("others", [False, True])
@virtual
async def test_a_device_that_comes_back_hears_no_question_that_is_over(others: bool) -> None:
    """Whether it was over because nobody was there, or because those who were let it run out."""
    stage = Asking()
    other = Conversation("other", stage.services, desk=stage.talk._desk)
    if others:
        await other.attach(Device())
    device = await stage.asked()
    await asyncio.sleep(SPOKEN_S / 5)
    await stage.talk.detach(device)
    await asyncio.sleep(120)
    assert [decision.approved for decision in stage.decisions] == [False]
    back = await stage.join()
    await asyncio.sleep(5)
    assert back.pcm() == b""
    await other.close()
    await stage.talk.close()


@virtual
async def test_what_may_not_be_edited_is_not_done_because_somebody_edited_it() -> None:
    """A call of a hand is asked about as it is: changed, it would be something that nobody agreed to."""
    stage = Asking(answers=("yes", "no"))
    device = await stage.asked()
    await asyncio.sleep(SPOKEN_S + 0.8)
    ident = device.messages("approval")[-1].id
    assert ident is not None
    await stage.does(Answer(ident, "edit", code="computer.mail.send(to='me')"))
    await asyncio.sleep(1)
    assert stage.decisions == []
    assert phrases.NOT_EDITED in device.shown("message", "assistant") + device.shown("error")
    await stage.talk.close()


@pytest.mark.parametrize(
    "words",
    ["what?", "Pardon?", "Sorry, what was that?", "say that again", "can you repeat the question please", "Huh?",
     "What did you say?", "come again", "once more please", "could you say it again"],
)  # fmt: skip
def test_words_that_ask_for_the_question(words: str) -> None:
    assert asks_again(words)
    assert read_answer(words).answer != "yes"


@pytest.mark.parametrize(
    "words", ["yes", "no", "what about only the old ones", "say hello to Bob instead", "do it again"]
)
def test_words_that_ask_for_something_else(words: str) -> None:
    assert not asks_again(words)


class Careful:
    """Commands of which the only one has to be agreed to first."""

    def __init__(self) -> None:
        self.done = 0

    def match(self, text: str) -> Match | None:
        return Match("undo.last") if text == "undo that" else None

    async def run(self, match: Match, device: str, caller: Caller | None = None) -> Reply:
        return Reply("", asks=Proposal(QUESTION, "01 undo 7", self._do))

    async def _do(self) -> Reply:
        self.done += 1
        return Reply("Done.")

    async def start(self, announce: Announce) -> None:
        return

    async def close(self) -> None:
        return


@pytest.mark.parametrize("way", ["yes", "no", "something else", "nothing"])
@virtual
async def test_a_command_that_asks_does_nothing_before_a_yes(way: str) -> None:
    commands = Careful()
    stage = Stage(plays=(says("Hello."),), commands=commands)
    device = await stage.join()
    await stage.type("undo that")
    await device.until(lambda: device.messages("approval"))
    await asyncio.sleep(SPOKEN_S + 0.8)
    assert device.messages("approval")[-1].content["code"] == "01 undo 7"
    if way != "nothing":
        await stage.type({"something else": "hello"}.get(way, way))
    await device.idle()
    assert commands.done == (way == "yes")
    assert stage.throat.texts[-1] == {"yes": "Done.", "something else": "Hello."}.get(way, phrases.LEFT)
    await stage.talk.close()
