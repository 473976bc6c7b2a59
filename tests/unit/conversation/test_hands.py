"""How a yes must be given: every kind of question, every way to answer it, early and late, every kind of device."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

from support.players import MS_A_CHAR, Device, Scene, Stage, keyless, paired
from support.virtual_time import virtual
from zero_one.config.settings import ApprovalSettings, Settings
from zero_one.conversation import phrases
from zero_one.identity.access import Caller, owner
from zero_one.interpreter.base import Decision
from zero_one.protocol.events import Answer, Stop
from zero_one.safety.policy import Hand as Needed
from zero_one.speech.stt.base import Transcript

QUESTION = "Delete it?"
SPOKEN_S = len(QUESTION) * MS_A_CHAR / 1000
NOISE = Transcript("", rejected=True)

Way = Literal[
    "say yes", "press", "hold", "short hold", "slide", "type yes", "type the word", "hold in silence",
    "hold and say yes", "hold hands-free", "hold in noise", "an app heard yes",
]  # fmt: skip
WORTH: dict[Way, int] = {
    "say yes": 1, "an app heard yes": 1, "hold hands-free": 1,
    "press": 2, "short hold": 2, "type yes": 2,
    "hold": 3, "slide": 3, "type the word": 3, "hold in silence": 3, "hold and say yes": 3,
    "hold in noise": 0,
}  # fmt: skip
NEEDED: dict[Needed, int] = {"any": 1, "press": 2, "hold": 3}


class Asking(Stage):
    """A conversation whose model asks one question that needs ``hand``; ``decisions`` are what it was told."""

    def __init__(self, *heard: Any, hand: Needed = "any", times: int = 1, timeout_s: float = 40, **more: Any) -> None:
        self.decisions: list[Decision] = []
        self.hand = hand

        async def play(scene: Scene) -> None:
            for _ in range(times):
                question = {"risk": "destroy", "effects": ("delete: notes.txt",), "hand": hand} | more
                self.decisions.append(await scene.ask(QUESTION, **question))

        settings = Settings(approval=ApprovalSettings(timeout_s=timeout_s))
        super().__init__(*heard, plays=(play, play), settings=settings)

    async def asked(self, caller: Caller | None = None, after_s: float = 0.8) -> Device:
        device = await self.join(caller=caller)
        if device.caller.may("speak"):
            await self.type("do it")
        await device.until(lambda: device.messages("approval"))
        await asyncio.sleep(SPOKEN_S + after_s)
        return device

    @property
    def approved(self) -> list[bool]:
        return [decision.approved for decision in self.decisions]

    def ident(self, device: Device) -> str:
        ident = device.messages("approval")[-1].id
        assert ident is not None
        return ident

    async def agree(self, way: Way, device: Device) -> None:
        """Agree in this way, beginning now."""
        ident = self.ident(device)
        match way:
            case "say yes":
                await self.speak(0.6)
            case "hold in silence" | "hold and say yes" | "hold in noise":
                await self.speak(2.1)
            case "hold hands-free":
                await self.speak(2.1, by="voice")
            case "press":
                await self.does(Answer(ident, "yes", hand="press"))
            case "an app heard yes":
                await self.does(Answer(ident, "yes", hand="voice"))
            case "hold" | "short hold":
                seconds = 2.1 if way == "hold" else 1.5
                await asyncio.sleep(seconds)
                await self.does(Answer(ident, "yes", hand="hold", held_ms=round(seconds * 1000)))
            case "slide":
                await self.does(Answer(ident, "yes", hand="slide"))
            case "type yes":
                await self.type("Yes, please.")
            case "type the word":
                word = "delete" if self.hand == "hold" else "yes"
                await self.does(Answer(ident, "yes", word=word, hand="slide" if self.hand != "hold" else "press"))


def heard(way: Way) -> Any:
    return {"hold in silence": "", "hold in noise": NOISE}.get(way, "yes")


@pytest.mark.parametrize("way", WORTH)
@pytest.mark.parametrize("needed", NEEDED)
@virtual
async def test_what_agrees_to_what(needed: Needed, way: Way) -> None:
    """After 700 ms: enough of a hand approves, anything less leaves the question open and says how to agree."""
    stage = Asking(heard(way), hand=needed)
    device = await stage.asked()
    await stage.agree(way, device)
    await asyncio.sleep(1)
    if WORTH[way] >= NEEDED[needed]:
        assert stage.approved == [True]
        given = {1: "voice", 2: "press", 3: "hold"}[WORTH[way]]
        assert (stage.decisions[0].hand, stage.decisions[0].by) == (given, "this computer")
    else:
        assert stage.approved == []
        assert device.state in ("asking", "listening")
        said = stage.throat.texts[-1]
        assert said == phrases.NOT_UNDERSTOOD if way == "hold in noise" else "To agree" in said
        assert needed != "hold" or way == "hold in noise" or "delete" in said, "the word to type is told"
    await stage.talk.close()


@pytest.mark.parametrize("way", [way for way in WORTH if WORTH[way]])
@pytest.mark.parametrize("after_s", [-0.3, 0.1, 0.65])
@pytest.mark.parametrize("needed", NEEDED)
@virtual
async def test_what_began_too_early_never_agrees(needed: Needed, after_s: float, way: Way) -> None:
    """Before the question was spoken, or less than 700 ms after it: be it a hold that ends much later."""
    stage = Asking(heard(way), hand=needed)
    device = await stage.asked(after_s=after_s)
    await stage.agree(way, device)
    await asyncio.sleep(1)
    assert stage.approved == []
    assert not any(message.end for message in device.messages("approval"))
    await stage.talk.close()


@pytest.mark.parametrize("after_s", [-0.3, 0.1, 0.65, 0.8])
@pytest.mark.parametrize("way", ["say", "type", "press", "tap"])
@pytest.mark.parametrize("needed", NEEDED)
@virtual
async def test_a_no_counts_at_any_time(needed: Needed, way: str, after_s: float) -> None:
    stage = Asking("no", hand=needed)
    device = await stage.asked(after_s=after_s)
    if way == "say":
        await stage.speak(0.6)
    elif way == "type":
        await stage.type("no")
    elif way == "press":
        await stage.does(Answer(stage.ident(device), "no"))
    else:
        await stage.does(Stop(silence_only=True))
    await asyncio.sleep(4)
    assert stage.approved == [False]
    await stage.talk.close()


@pytest.mark.parametrize(
    "words", ["no", "don't do it", "no but rename it", "not that one", "what is the weather", "stop"]
)
@pytest.mark.parametrize("needed", NEEDED)
@virtual
async def test_words_win_over_a_hold(needed: Needed, words: str) -> None:
    """Somebody holds the button for long and says something that is not a yes."""
    stage = Asking(words, hand=needed)
    device = await stage.asked()
    await stage.speak(2.5)
    await device.until(lambda: device.messages("approval")[-1].end)
    assert device.messages("approval")[-1].content["answer"] == "no"
    assert True not in stage.approved
    await stage.talk.close()


CALLERS = {
    "owner": (owner("x"), True),
    "paired": (paired("phone"), True),
    "speaks only": (paired("toy", "speak"), False),
    "sees only": (paired("screen", "speak", "captions"), False),
    "keyless": (keyless("old"), False),
}


@pytest.mark.parametrize("way", [way for way in WORTH if WORTH[way]])
@pytest.mark.parametrize("who", CALLERS)
@virtual
async def test_only_devices_with_the_scope_answer(who: str, way: Way) -> None:
    """A yes in any form, from every kind of device, while one that may approve watches."""
    caller, may = CALLERS[who]
    stage = Asking(heard(way), hand="any")
    watcher = Device(caller=owner("desk"))
    await stage.talk.attach(watcher)
    device = await stage.asked(caller)
    await stage.agree(way, device)
    await asyncio.sleep(1)
    assert stage.approved == ([True] if may else [])
    if not may:
        assert phrases.MAY_NOT_APPROVE in device.shown("error")
        assert not any(message.end for message in watcher.messages("approval"))
    await stage.talk.close()


@pytest.mark.parametrize("way", ["say", "type", "press", "tap"])
@pytest.mark.parametrize("who", ["speaks only", "keyless"])
@virtual
async def test_a_no_of_a_device_without_the_scope_changes_nothing_either(who: str, way: str) -> None:
    stage = Asking("no", hand="any")
    watcher = Device(caller=owner("desk"))
    await stage.talk.attach(watcher)
    device = await stage.asked(CALLERS[who][0])
    if way == "say":
        await stage.speak(0.6)
    elif way == "type":
        await stage.type("no")
    elif way == "press":
        await stage.does(Answer(stage.ident(device), "no"))
    else:
        await stage.does(Stop(silence_only=True))
    await asyncio.sleep(4)
    assert stage.approved == []
    await stage.talk.handle(Answer(stage.ident(watcher), "yes"), watcher)
    await asyncio.sleep(0.1)
    assert stage.approved == [True]
    await stage.talk.close()


@virtual
async def test_a_device_that_may_not_speak_is_not_listened_to() -> None:
    stage = Stage("hello", plays=())
    device = await stage.join(caller=paired("screen", "captions", "approve"))
    await stage.speak()
    await stage.type("hello")
    await asyncio.sleep(1)
    assert device.shown("error") == [phrases.MAY_NOT_SPEAK] * 2
    assert stage.ears.heard == []
    await stage.talk.close()


@pytest.mark.parametrize("ago_ms", [0, 900])
@virtual
async def test_the_time_since_the_finger_left_the_button_is_no_holding(ago_ms: int) -> None:
    """A device may tell late that the button was let go; what counts is how long it was down."""
    from zero_one.protocol.events import Released, TailClosed

    stage = Asking("", hand="hold")
    await stage.asked()
    await stage.press()
    await stage.hold(2.4)
    await stage.does(Released(ago_ms))
    await stage.does(TailClosed())
    await asyncio.sleep(1)
    assert stage.approved == ([] if ago_ms else [True])
    await stage.talk.close()


@virtual
async def test_a_press_whose_release_is_late_is_no_hold() -> None:
    """The line was slow: three seconds from press to release, but only half a second of sound."""
    stage = Asking("", hand="hold")
    await stage.asked()
    await stage.press()
    await stage.hold(0.5)
    await asyncio.sleep(2.5)
    await stage.release()
    await asyncio.sleep(1)
    assert stage.approved == []
    await stage.talk.close()


@pytest.mark.parametrize(("needed", "text", "approved"), [
    ("hold", "delete", [True]), ("hold", "Delete.", [True]), ("hold", "yes", []), ("hold", "delete it", [False]),
    ("press", "yes", [True]), ("any", "go ahead", [True]),
])  # fmt: skip
@virtual
async def test_typed_text_as_an_answer(needed: Needed, text: str, approved: list[bool]) -> None:
    stage = Asking(hand=needed)
    device = await stage.asked()
    await stage.type(text)
    await asyncio.sleep(0.5)
    if approved == [False]:  # something else: a no, and a request of its own
        assert device.messages("approval")[1].content["answer"] == "no"
    else:
        assert stage.approved == approved
    await stage.talk.close()


@virtual
async def test_an_edit_needs_the_same_hand() -> None:
    """Code changed by hand is agreed to like any other: it says so with its own hand."""
    stage = Asking(hand="hold")
    device = await stage.asked()
    await stage.does(Answer(stage.ident(device), "edit", code="ls", hand="press"))
    await asyncio.sleep(0.1)
    assert stage.approved == []
    await asyncio.sleep(10)
    await stage.does(Answer(stage.ident(device), "edit", code="ls", hand="press", word="delete"))
    await asyncio.sleep(0.1)
    assert [(d.approved, d.code, d.hand) for d in stage.decisions] == [(True, "ls", "hold")]
    await stage.talk.close()


@pytest.mark.parametrize("how", ["say", "answer", "type"])
@pytest.mark.parametrize("may", [True, False])
@virtual
async def test_always(may: bool, how: str) -> None:
    """Where the question offers it the yes is remembered; where not, the user hears that it is for this once."""
    stage = Asking("yes, always", may_remember=may)
    device = await stage.asked()
    assert ("always" in device.messages("approval")[0].content["answers"]) == may
    if how == "say":
        await stage.speak()
    elif how == "type":
        await stage.type("always")
    else:
        await stage.does(Answer(stage.ident(device), "yes", remember=True))
    await asyncio.sleep(0.5)
    assert [(d.approved, d.remember) for d in stage.decisions] == [(True, may)]
    assert (phrases.ONLY_THIS_ONCE in stage.throat.texts) != may
    await stage.talk.close()


@virtual
async def test_the_question_shows_what_it_needs() -> None:
    stage = Asking(hand="hold")
    device = await stage.asked(paired("kitchen"))
    shown = device.messages("approval")[0].content
    assert (shown["hand"], shown["word"], shown["device"], shown["own"]) == ("hold", "delete", "kitchen", True)
    assert "say" not in shown
    await stage.talk.close()


@virtual
async def test_a_television_that_says_yes_does_not_keep_a_question_open() -> None:
    stage = Asking(*["yes"] * 20, hand="hold", timeout_s=600)
    await stage.asked()
    for _ in range(20):
        await stage.speak(0.6)
        await asyncio.sleep(8)
        if stage.approved:
            break
    assert stage.approved == [False]
    await stage.talk.close()


# --- what is said right after a tap


@pytest.mark.parametrize(("words", "but"), [
    ("put it in the trash", "put it in the trash"), ("no but only the old ones", "only the old ones"),
    ("no", None), ("yes", None), ("", None),
])  # fmt: skip
@virtual
async def test_what_is_said_right_after_a_tap_is_its_but(words: str, but: str | None) -> None:
    stage = Asking(words)
    device = await stage.asked()
    await stage.does(Stop(silence_only=True))
    await asyncio.sleep(0.1)
    assert device.messages("approval")[-1].content["answer"] == "no", "every device is told at once"
    await asyncio.sleep(1.5)
    await stage.speak()
    await asyncio.sleep(1)
    assert [(d.approved, d.but) for d in stage.decisions] == [(False, but)]
    assert stage.mind is not None
    assert len(stage.mind.requests) == 1
    await stage.talk.close()


@virtual
async def test_who_speaks_in_the_same_moment_as_the_tap_is_heard_as_its_but() -> None:
    """Before the one who asked has even seen the no."""
    stage = Asking("rename it instead")
    await stage.asked()
    await stage.does(Stop(silence_only=True))
    await stage.speak()
    await asyncio.sleep(1)
    assert [(d.approved, d.but) for d in stage.decisions] == [(False, "rename it instead")]
    await stage.talk.close()


@virtual
async def test_a_short_touch_of_a_talk_button_is_a_tap() -> None:
    """A device with one button and no word for silence."""
    stage = Asking("rename it instead")
    await stage.asked()
    await stage.speak(0.1)
    await asyncio.sleep(1)
    await stage.speak()
    await asyncio.sleep(1)
    assert [(d.approved, d.but) for d in stage.decisions] == [(False, "rename it instead")]
    await stage.talk.close()


@virtual
async def test_what_is_said_some_time_after_a_tap_is_a_request() -> None:
    stage = Asking("what time is it")
    await stage.asked()
    await stage.does(Stop(silence_only=True))
    await asyncio.sleep(4)
    await stage.speak()
    await asyncio.sleep(1)
    assert [(d.approved, d.but) for d in stage.decisions] == [(False, None)]
    assert stage.mind is not None
    assert [request.content for request in stage.mind.requests] == ["do it", "what time is it"]
    await stage.talk.close()


@pytest.mark.parametrize("how", ["typed", "cancelled", "stop", "said stop"])
@virtual
async def test_the_moments_after_a_tap_end_in_every_way(how: str) -> None:
    from zero_one.protocol.events import Cancelled

    stage = Asking("stop")
    device = await stage.asked()
    await stage.does(Stop(silence_only=True))
    await asyncio.sleep(0.5)
    if how == "typed":
        await stage.type("only the first")
    elif how == "stop":
        await stage.does(Stop())
    else:
        await stage.press()
        await stage.hold(1)
        if how == "cancelled":
            await stage.does(Cancelled())
        else:
            await stage.release()
    await asyncio.sleep(2)
    await device.idle()
    assert True not in stage.approved
    assert how != "typed" or stage.decisions[0].but == "only the first"
    assert how != "cancelled" or stage.decisions[0].but is None
    await stage.talk.close()
