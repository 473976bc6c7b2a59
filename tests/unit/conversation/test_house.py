"""What the conversations of a house share: questions that any device may answer, and what stops all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from support.players import Device, Ears, Play, Scene, ScriptedMind, Throat, keyless, paired, plain, says
from support.virtual_time import virtual
from zero_one.conversation import Conversations, Services, phrases
from zero_one.conversation.stopping import what_stops
from zero_one.identity.access import Caller, owner
from zero_one.interpreter.base import Decision, Interpreter
from zero_one.interpreter.history import History
from zero_one.protocol.events import Answer, Pcm, Pressed, Released, Stop, TailClosed, Typed
from zero_one.safety.policy import Hand

SPOKEN_S = 3.0


class House:
    """Some rooms, one device in each. ``plays`` are each room's answers; ``noted`` is what went to the audit log."""

    def __init__(self, plays: Mapping[str, tuple[Play, ...]], *heard: str) -> None:
        self.minds = {room: ScriptedMind(*its) for room, its in plays.items()}
        self.noted: list[tuple[str, str, Mapping[str, Any]]] = []
        self.ears, self.throat = Ears(*heard), Throat()
        self.services = Services(
            recognizer=self.ears,
            synthesizer=self.throat,
            speakable=plain,
            interpreter=self._mind,
            note=lambda *what: self.noted.append(what),
        )
        self.all = Conversations(self.services)
        self.devices: dict[str, Device] = {}

    def _mind(self, device: str, history: History) -> Interpreter:
        return self.minds[device](device, history)

    async def join(self, room: str, caller: Caller | None = None) -> Device:
        device = self.devices[room] = Device(caller=caller or paired(room))
        await self.all.get(room).attach(device)
        return device

    async def does(self, room: str, *events: Any) -> None:
        for event in events:
            await self.all.get(room).handle(event, self.devices[room])

    async def speak(self, room: str) -> None:
        await self.does(room, Pressed())
        for _ in range(50):
            await asyncio.sleep(0.02)
            await self.does(room, Pcm(bytes(640)))
        await self.does(room, Released(), TailClosed())


def asks(decisions: list[Decision], hand: Hand = "any") -> Play:
    async def play(scene: Scene) -> None:
        decisions.append(await scene.ask("Do it?", hand=hand))

    return play


def works(seconds: float = 1000) -> Play:
    async def play(scene: Scene) -> None:
        await scene.code(seconds, "done")

    return play


def ident(device: Device) -> str:
    return next(m.id for m in reversed(device.messages("approval")) if m.id and not m.end)


@virtual
async def test_another_room_shows_the_question_and_may_answer_it() -> None:
    decisions: list[Decision] = []
    house = House({"kitchen": (asks(decisions),), "office": ()})
    kitchen, office = await house.join("kitchen"), await house.join("office")
    toy = await house.join("toy", paired("toy", "speak", "captions"))
    await house.does("kitchen", Typed("go"))
    await asyncio.sleep(SPOKEN_S)
    shown = office.messages("approval")[0].content
    assert (shown["device"], shown["own"]) == ("kitchen", False)
    assert toy.messages("approval") == []
    assert (office.state, len(office.pcm())) == ("idle", 0), "it is spoken only where it came up"
    await house.does("office", Answer(ident(office), "yes"))
    await asyncio.sleep(0.1)
    assert [(d.approved, d.hand, d.by) for d in decisions] == [(True, "press", "office")]
    for device in (kitchen, office):
        last = device.messages("approval")[-1]
        assert last.end
        assert (last.content["answer"], last.content["by"]) == ("yes", "office")
    await house.all.close()


@pytest.mark.parametrize("forger", ["unscoped", "keyless", "wrong id", "too early", "not enough", "replayed"])
@virtual
async def test_a_forged_answer_changes_nothing(forger: str) -> None:
    """By another device's connection, before its time, with less of a hand, or the answer to an earlier question."""
    decisions: list[Decision] = []
    house = House({"kitchen": (asks(decisions, "hold"), asks(decisions, "hold")), "other": ()})
    kitchen = await house.join("kitchen")
    caller = {"unscoped": paired("toy", "speak", "captions"), "keyless": keyless("old")}.get(forger, paired("other"))
    other = await house.join("other", caller)
    await house.does("kitchen", Typed("go"))
    await asyncio.sleep(0.01 if forger == "too early" else SPOKEN_S)
    right = ident(kitchen)
    if forger == "replayed":
        await house.does("other", Answer(right, "yes", hand="slide"))
        await asyncio.sleep(1)
        assert [d.approved for d in decisions] == [True]
        await house.does("kitchen", Typed("again"))
        await asyncio.sleep(SPOKEN_S)
        await house.does("other", Answer(right, "yes", hand="slide"))
    elif forger == "wrong id":
        await house.does("other", Answer("0123456789ab", "yes", hand="slide"))
    elif forger == "not enough":
        await house.does("other", Answer(right, "yes", hand="hold", held_ms=1500))
    else:
        await house.does("other", Answer(right, "yes", hand="slide"))
    await asyncio.sleep(1)
    assert [d.approved for d in decisions] == ([True] if forger == "replayed" else [])
    words = {
        "unscoped": phrases.MAY_NOT_APPROVE,
        "keyless": phrases.MAY_NOT_APPROVE,
        "too early": phrases.SAID_TOO_EARLY,
    }.get(forger, "hold the button" if forger == "not enough" else phrases.NOT_OPEN)
    assert any(words in error for error in other.shown("error"))
    assert kitchen.shown("error") == []
    await house.all.close()


@pytest.mark.parametrize("how", ["said", "typed", "go"])
@virtual
async def test_a_yes_in_another_room_is_no_answer_to_a_question_here(how: str) -> None:
    """Only an answer with the question's id crosses from one room to another; words stay where they were said."""
    decisions: list[Decision] = []
    house = House({"kitchen": (asks(decisions),), "office": (says("Yes what?"),)}, "yes")
    await house.join("kitchen")
    office = await house.join("office")
    await house.does("kitchen", Typed("go"))
    await asyncio.sleep(SPOKEN_S)
    if how == "said":
        await house.speak("office")
    elif how == "typed":
        await house.does("office", Typed("yes"))
    else:
        await house.does("office", Answer("", "yes"))
    await asyncio.sleep(1)
    assert decisions == []
    assert how == "go" or "Yes what?" in office.said()
    await house.all.close()


@virtual
async def test_two_rooms_ask_at_the_same_time_and_each_has_its_own_answer() -> None:
    first: list[Decision] = []
    second: list[Decision] = []
    house = House({"kitchen": (asks(first),), "office": (asks(second),)})
    kitchen, office = await house.join("kitchen"), await house.join("office")
    await house.does("kitchen", Typed("go"))
    await house.does("office", Typed("go"))
    await asyncio.sleep(SPOKEN_S)
    own = [next(m.id for m in d.messages("approval") if m.content["own"]) for d in (kitchen, office)]
    assert len(set(own)) == 2
    await house.does("kitchen", Typed("no"))
    await house.does("office", Typed("yes"))
    await asyncio.sleep(0.1)
    assert [d.approved for d in first] == [False]
    assert [d.approved for d in second] == [True]
    await house.all.close()


@virtual
async def test_a_second_question_of_one_room_makes_the_first_a_no() -> None:
    decisions: list[Decision] = []

    async def both(scene: Scene) -> None:
        decisions.extend(await asyncio.gather(scene.ask("One?"), scene.ask("Two?")))

    house = House({"kitchen": (both,)})
    kitchen = await house.join("kitchen")
    await house.does("kitchen", Typed("go"))
    await asyncio.sleep(SPOKEN_S)
    await house.does("kitchen", Answer(ident(kitchen), "yes"))
    await asyncio.sleep(0.1)
    assert [d.approved for d in decisions] == [False, True]
    await house.all.close()


@virtual
async def test_a_device_that_joins_later_gets_the_open_questions() -> None:
    decisions: list[Decision] = []
    house = House({"kitchen": (asks(decisions),)})
    await house.join("kitchen")
    await house.does("kitchen", Typed("go"))
    await asyncio.sleep(SPOKEN_S)
    late = await house.join("late")
    await asyncio.sleep(0.01)
    assert late.messages("approval")[0].content["own"] is False
    await house.does("late", Answer(ident(late), "no", but="not today"))
    await asyncio.sleep(0.1)
    assert [(d.approved, d.but) for d in decisions] == [(False, "not today")]
    await house.all.close()


@pytest.mark.parametrize("others", ["none", "may not", "may"])
@virtual
async def test_the_last_device_that_could_answer_leaves(others: str) -> None:
    """In the middle of being asked: a no, unless somebody else may still answer."""
    decisions: list[Decision] = []
    house = House({"kitchen": (asks(decisions),)})
    kitchen = await house.join("kitchen")
    if others != "none":
        await house.join("other", paired("other", *(("speak", "approve") if others == "may" else ("speak",))))
    await house.does("kitchen", Typed("go"))
    await asyncio.sleep(0.1)
    await house.all.get("kitchen").detach(kitchen)
    await asyncio.sleep(1)
    if others == "may":
        assert decisions == []
        await house.does("other", Answer(ident(house.devices["other"]), "yes"))
        await asyncio.sleep(0.1)
    assert [d.approved for d in decisions] == [others == "may"]
    await house.all.close()


@virtual
async def test_nobody_who_may_approve_means_no_at_once() -> None:
    decisions: list[Decision] = []
    house = House({"toy": (asks(decisions),)})
    await house.join("toy", paired("toy", "speak"))
    await house.does("toy", Typed("go"))
    await asyncio.sleep(0.01)
    assert [d.approved for d in decisions] == [False]
    await house.all.close()


# --- stop everything


WAYS = ["said", "said by a keyless device", "typed", "command", "said while a question is open", "from outside"]


@pytest.mark.parametrize("way", WAYS)
@virtual
async def test_stop_everything_stops_every_room(way: str) -> None:
    """A model call, running code, speech and an open question in four rooms: all gone, and everybody is told."""
    decisions: list[Decision] = []
    thinking = asyncio.Event()

    async def thinks(scene: Scene) -> None:
        thinking.set()
        await asyncio.sleep(1000)

    rooms: dict[str, tuple[Play, ...]] = {
        "thinker": (thinks, says("Back.")),
        "worker": (works(),),
        "speaker": (says("word " * 200),),
        "asker": (asks(decisions),),
        "stopper": (asks([]),),
    }
    house = House(rooms, "stop everything")
    for room in rooms:
        await house.join(room, keyless(room) if (room, way) == ("stopper", WAYS[1]) else None)
        if room != "stopper" or way == WAYS[4]:
            await house.does(room, Typed("go"))
    await asyncio.sleep(SPOKEN_S)
    stopper = house.devices["stopper"]
    if way == "typed":
        await house.does("stopper", Typed("Stop everything!"))
    elif way == "command":
        await house.does("stopper", Stop(everything=True))
    elif way == "from outside":
        stopped = await house.all.stop_everything("the owner")
        assert {entry.split(":")[0] for entry in stopped} == {"thinker", "worker", "speaker", "asker"}
    else:
        await house.speak("stopper")
    await asyncio.sleep(3)
    assert (decisions and not decisions[0].approved) or house.minds["asker"].runs[0].cancelled
    for room in ("thinker", "worker", "speaker", "asker"):
        mind, device = house.minds[room], house.devices[room]
        assert all(run._task.done() for run in mind.runs), room
        assert mind.closed, "its languages, and what they started, are ended"
        assert "stopped" in device.shown("status")
        assert device.shown("status").count("complete") == 1
        by = "the owner" if way == "from outside" else "stopper"
        assert phrases.STOPPED_BY.format(by=by) in device.said()
    await asyncio.sleep(5)
    assert all(device.state == "idle" for device in house.devices.values())
    assert [what["by"] for kind, _, what in house.noted if kind == "stopped"] == [
        "the owner" if way == "from outside" else "stopper"
    ]
    assert "stopped" in stopper.shown("status")
    await house.does("thinker", Typed("are you there"))
    await asyncio.sleep(1)
    assert house.devices["thinker"].said().endswith("Back."), "what comes after it is answered"
    await house.all.close()


@virtual
async def test_what_somebody_says_in_another_room_meanwhile_is_heard() -> None:
    """Who is in the middle of a sentence loses nothing; what was said before the stop is not carried out after it."""
    house = House({"a": (says("Yes?"),), "b": (says("No."),), "c": ()}, "too late", "hello")
    house.ears.takes_s = 1.0
    for room in ("a", "b", "c"):
        await house.join(room)
    await house.speak("b")
    await house.does("a", Pressed("u1"), Pcm(bytes(32_000)))
    await house.does("c", Stop(everything=True))
    await asyncio.sleep(2)
    await house.does("a", Released(), TailClosed())
    await asyncio.sleep(3)
    assert house.devices["a"].said() == "Yes?"
    assert house.minds["b"].requests == []
    await house.all.close()


@virtual
async def test_a_plain_stop_stops_one_room() -> None:
    house = House({"a": (works(),), "b": (works(),)})
    for room in ("a", "b"):
        await house.join(room)
        await house.does(room, Typed("go"))
    await asyncio.sleep(1)
    await house.does("a", Stop())
    await asyncio.sleep(2)
    assert [house.minds[room].runs[0].cancelled for room in ("a", "b")] == [True, False]
    assert house.devices["a"].shown("status") == ["stopped", "complete"]
    await house.all.close()


@pytest.mark.parametrize("text", [
    "stop everything", "Stop everything!", "please stop everything now", "stop it all", "cancel everything",
    "Stop, stop everything.", "stop everything you're doing", "everything stop", "emergency stop", "stop all of it",
    "kill everything please", "okay stop everything", "no stop everything",
])  # fmt: skip
def test_words_that_stop_everything(text: str) -> None:
    assert what_stops(text) == "everything"


@pytest.mark.parametrize("text", [
    "stop everything in the oven at six", "delete everything", "don't stop everything", "when does everything stop",
    "how do I stop everything", "everything", "all", "say stop everything", "end the meeting", "",
])  # fmt: skip
def test_words_that_do_not(text: str) -> None:
    assert what_stops(text) == ""


@pytest.mark.parametrize("text", ["stop", "Stop!", "stop it", "cancel", "please stop", "stop stop stop", "cancel that"])
def test_words_that_stop_this(text: str) -> None:
    assert what_stops(text) == "this"


@virtual
async def test_the_one_who_asked_is_passed_on_to_the_interpreter() -> None:
    house = House({"a": (says("One."), says("Two."))}, "hello")
    device = await house.join("a", owner("a"))
    await house.does("a", Typed("hello"))
    await asyncio.sleep(1)
    phone = Device(caller=paired("phone"))
    await house.all.get("a").attach(phone)
    house.devices["a"] = phone
    await house.speak("a")
    await asyncio.sleep(1)
    assert house.minds["a"].callers == [device.caller, phone.caller]
    assert [(kind, what) for kind, _, what in house.noted] == [
        ("typed", {"text": "hello", "by": "this computer"}),
        ("heard", {"text": "hello", "by": "phone"}),
    ]
    await house.all.close()


@pytest.mark.parametrize(("caller", "taken"), [(owner("a"), True), (paired("phone"), False), (keyless("old"), False)])
@virtual
async def test_only_a_program_of_the_owner_names_files(caller: Caller, taken: bool) -> None:
    """An image by its path would let a device read any file of this computer."""
    house = House({"a": (says("I see."),)})
    device = await house.join("a", caller)
    await house.does("a", Typed("what is this", (("path", "/etc/passwd"),)))
    await asyncio.sleep(1)
    assert len(house.minds["a"].requests) == taken
    assert (phrases.NO_PATHS in device.shown("error")) != taken
    await house.all.close()
