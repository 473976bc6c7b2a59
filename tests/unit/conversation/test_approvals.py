"""Approval questions: default no, nobody answers what they have not heard, and every way to say yes or no."""

from __future__ import annotations

import asyncio

import pytest

from support.players import MS_A_CHAR, Device, Scene, Stage
from support.virtual_time import virtual
from zero_one.config.settings import ApprovalSettings, Settings
from zero_one.conversation import phrases
from zero_one.conversation.answers import Heard, read_answer
from zero_one.interpreter.base import Decision
from zero_one.protocol.events import Answer, Stop

QUESTION = "May I run it?"
SPOKEN_S = len(QUESTION) * MS_A_CHAR / 1000


class Asking(Stage):
    """A conversation whose model asks ``times`` questions; ``decisions`` are what it was told."""

    def __init__(self, *heard: str, times: int = 1, commands: object = None) -> None:
        self.decisions: list[Decision] = []

        async def play(scene: Scene) -> None:
            for _ in range(times):
                self.decisions.append(await scene.ask(QUESTION))
            scene.say("So be it.")

        settings = Settings(approval=ApprovalSettings(timeout_s=30))
        super().__init__("do it", *heard, plays=(play, play, play), settings=settings)

    async def asked(self, after_s: float = 0.75) -> Device:
        """Up to the moment at which the question has been spoken and can be answered."""
        device = await self.join()
        await self.speak()
        await device.until(lambda: device.messages("approval"))
        await asyncio.sleep(SPOKEN_S + after_s)
        return device

    @property
    def approved(self) -> list[bool]:
        return [decision.approved for decision in self.decisions]

    @staticmethod
    def id_of(device: Device) -> str:
        ident = device.messages("approval")[-1].id
        assert ident is not None
        return ident


@virtual
async def test_the_question_is_shown_and_spoken_and_a_yes_from_the_device_runs_it() -> None:
    stage = Asking()
    device = await stage.asked()
    shown = device.messages("approval")[0]
    assert shown.role == "server"
    assert shown.content["question"] == QUESTION
    assert shown.content["code"] == "print(1)"
    assert stage.throat.texts == [QUESTION]
    assert device.state == "asking"
    await stage.does(Answer(stage.id_of(device), "yes"))
    await device.idle()
    assert stage.approved == [True]
    assert device.messages("approval")[-1].end
    assert device.messages("approval")[-1].content["answer"] == "yes"
    await stage.talk.close()


@virtual
async def test_edited_code_is_what_is_approved() -> None:
    stage = Asking()
    device = await stage.asked()
    await stage.does(Answer(stage.id_of(device), "edit", code="print(2)"))
    await device.idle()
    assert [(d.approved, d.code) for d in stage.decisions] == [(True, "print(2)")]
    await stage.talk.close()


@virtual
async def test_nobody_answers_means_no() -> None:
    stage = Asking()
    device = await stage.asked()
    await asyncio.sleep(29)
    assert stage.decisions == []
    await asyncio.sleep(2)
    await device.idle()
    assert not stage.decisions[0].approved
    assert "in time" in stage.decisions[0].reason
    await stage.talk.close()


@virtual
async def test_a_spoken_yes_counts_700_ms_after_the_question() -> None:
    stage = Asking("yes")
    device = await stage.asked()
    await asyncio.sleep(0.7)
    await stage.speak(0.6)
    await device.idle()
    assert stage.approved == [True]
    await stage.talk.close()


@pytest.mark.parametrize("after_s", [-0.4, 0.0, 0.3, 0.6])
@pytest.mark.parametrize("held_s", [0.02, 0.2])
def test_a_bare_press_before_that_is_ignored(after_s: float, held_s: float) -> None:
    """Neither yes nor no, no silence, nothing said: as if the button had not been touched."""

    @virtual
    async def test() -> None:
        stage = Asking("yes")
        device = await stage.join()
        await stage.speak()
        await device.until(lambda: device.messages("approval"))
        await asyncio.sleep(SPOKEN_S + after_s)
        await stage.speak(held_s)
        await asyncio.sleep(2)
        assert stage.decisions == []
        assert stage.throat.texts == [QUESTION]
        assert device.state == "asking"
        assert len(device.pcm()) == round(SPOKEN_S * 48_000)
        await stage.talk.close()

    test()


@virtual
async def test_a_yes_that_began_too_early_is_no_yes() -> None:
    """Somebody (or the loudspeaker) said yes over the question: the question stays, and says what it wants."""
    stage = Asking("yes", "yes")
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.messages("approval"))
    await asyncio.sleep(SPOKEN_S + 0.5)
    await stage.speak(1.0)
    await device.until(lambda: phrases.SAID_TOO_EARLY in stage.throat.texts)
    assert stage.decisions == []
    await asyncio.sleep(len(phrases.SAID_TOO_EARLY) * MS_A_CHAR / 1000 + 1.0)
    await stage.speak(1.0)
    await device.idle()
    assert stage.approved == [True]
    await stage.talk.close()


@virtual
async def test_a_no_counts_at_any_time() -> None:
    stage = Asking("no")
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.messages("approval"))
    await stage.speak(0.5)
    await device.idle()
    assert [decision.approved for decision in stage.decisions] == [False]
    await stage.talk.close()


@virtual
async def test_no_but_goes_to_the_model() -> None:
    stage = Asking("no but put it on the desktop")
    device = await stage.asked()
    await asyncio.sleep(1)
    await stage.speak()
    await device.idle()
    assert stage.decisions[0].but == "put it on the desktop"
    assert not stage.decisions[0].approved
    await stage.talk.close()


@virtual
async def test_anything_else_is_a_no_with_its_words() -> None:
    stage = Asking("what a lovely day")
    device = await stage.asked()
    await asyncio.sleep(1)
    await stage.speak()
    await device.idle()
    assert (stage.approved, stage.decisions[0].but) == ([False], "what a lovely day")
    assert phrases.ANSWER_UNCLEAR in stage.throat.texts
    await stage.talk.close()


@virtual
async def test_an_answer_that_was_not_heard_keeps_the_question_open() -> None:
    stage = Asking("", "yes")
    device = await stage.asked()
    await asyncio.sleep(1)
    await stage.speak()
    await device.until(lambda: phrases.NOT_UNDERSTOOD in stage.throat.texts)
    assert stage.decisions == []
    await asyncio.sleep(len(phrases.NOT_UNDERSTOOD) * MS_A_CHAR / 1000 + 1)
    await stage.speak()
    await device.idle()
    assert stage.approved == [True]
    await stage.talk.close()


@virtual
async def test_typed_answers_count() -> None:
    for text, approved in (("yes", True), ("No, but tomorrow.", False)):
        stage = Asking()
        device = await stage.asked()
        await stage.type(text)
        await device.idle()
        assert [decision.approved for decision in stage.decisions] == [approved]
        await stage.talk.close()


@virtual
async def test_a_typed_request_instead_of_an_answer_is_a_no_and_a_request() -> None:
    stage = Asking()
    device = await stage.asked()
    await stage.type("tell me a joke instead of this")
    await device.until(lambda: len(device.messages("approval")) > 2)
    closed = [message for message in device.messages("approval") if message.end]
    assert closed[0].content["answer"] == "no"
    assert stage.mind is not None
    assert stage.decisions == []
    assert [request.content for request in stage.mind.requests] == ["do it", "tell me a joke instead of this"]
    await stage.talk.close()


@virtual
async def test_the_last_device_leaving_means_no() -> None:
    stage = Asking()
    device = await stage.asked()
    await stage.talk.detach(device)
    await asyncio.sleep(1)
    assert [decision.approved for decision in stage.decisions] == [False]
    back = await stage.join()
    await back.idle()
    assert back.said() == "So be it."
    assert stage.throat.texts[-1] == "So be it."
    await stage.talk.close()


@virtual
async def test_a_device_of_two_leaving_changes_nothing() -> None:
    stage = Asking()
    device = await stage.asked()
    second = await stage.join()
    await stage.talk.detach(device)
    await asyncio.sleep(1)
    assert stage.decisions == []
    assert second.messages("approval")
    await stage.does(Answer(stage.id_of(second), "yes"))
    await second.idle()
    assert stage.approved == [True]
    await stage.talk.close()


@virtual
async def test_with_nobody_there_the_answer_is_no_without_asking() -> None:
    stage = Asking()
    device = await stage.join()
    await stage.press()
    await stage.hold(0.5)
    await stage.release()
    await stage.talk.detach(device)
    await asyncio.sleep(1)
    assert [decision.approved for decision in stage.decisions] == [False]
    await stage.talk.close()


@virtual
async def test_a_tap_is_no_and_stop_is_no() -> None:
    for event in (Stop(silence_only=True), Stop()):
        stage = Asking()
        device = await stage.asked()
        await asyncio.sleep(0.8)
        await stage.does(event)
        await device.idle()
        assert not any(decision.approved for decision in stage.decisions)
        assert device.messages("approval")[-1].content["answer"] == "no"
        await stage.talk.close()


@virtual
async def test_an_answer_to_another_question_is_told_and_changes_nothing() -> None:
    stage = Asking()
    device = await stage.asked()
    await stage.does(Answer("not-this-one", "yes"))
    await asyncio.sleep(3)
    assert stage.decisions == []
    assert device.shown("error") == [phrases.NOT_OPEN]
    await stage.talk.close()


@virtual
async def test_one_answer_counts_for_one_question_only() -> None:
    """Two questions in a row: the yes to the first one, sent twice, does not answer the second."""
    stage = Asking(times=2)
    device = await stage.asked()
    ident = stage.id_of(device)
    await stage.does(Answer(ident, "yes"))
    await device.until(lambda: stage.id_of(device) != ident)
    await stage.does(Answer(ident, "yes"))
    await asyncio.sleep(40)
    await device.idle()
    assert [decision.approved for decision in stage.decisions] == [True, False]
    await stage.talk.close()


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes.",
        "yes please",
        "yeah",
        "Yep!",
        "sure",
        "okay",
        "ok go ahead",
        "go ahead",
        "do it",
        "um yes",
        "Yes, do it.",
        "please do",
        "yes go ahead please",
        "of course",
        "sounds good",
        "fine",
        "absolutely",
    ],
)
def test_a_plain_yes(text: str) -> None:
    assert read_answer(text) == Heard("yes")


@pytest.mark.parametrize(
    "text", ["no", "No.", "nope", "no thanks", "don't", "don't do it", "stop", "never mind", "no no no", "cancel that"]
)
def test_a_plain_no(text: str) -> None:
    assert read_answer(text) == Heard("no")


@pytest.mark.parametrize(
    ("text", "but"),
    [
        ("no, but call it notes", "call it notes"),
        ("no use the other folder", "use the other folder"),
        ("No. Only the first one.", "the first one."),
        ("don't do that, rename it", "rename it"),
        ("wait, which file is that", "which file is that"),
    ],
)
def test_no_but(text: str, but: str) -> None:
    assert read_answer(text) == Heard("no", but)


@pytest.mark.parametrize(
    "text",
    ["yes but not now", "yes if it is safe", "yes and delete the rest", "yesterday", "what", "is it safe", "notes", ""],
)
def test_what_is_no_plain_yes_is_none(text: str) -> None:
    assert read_answer(text).answer != "yes"
