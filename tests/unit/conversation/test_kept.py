"""What was confirmed to the device is on the disk; what is not on the disk is not confirmed. What code prints late."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from support.players import Device, Scene, Stage, says
from support.virtual_time import virtual
from zero_one.commands.base import Announce, Match, Reply
from zero_one.conversation import phrases
from zero_one.identity.access import Caller
from zero_one.protocol.events import Pcm, Pressed, Received, Released, Stop, TailClosed, Typed
from zero_one.speech.stt.base import SpeechError, Transcript


def received(device: Device) -> list[tuple[float, str]]:
    return [(at, event.id) for at, event in device.events if isinstance(event, Received)]


def on_disk(folder: Path) -> tuple[str, list[str]]:
    """The history file's text, and the ids in the mailbox."""
    history = "".join(file.read_text() for file in folder.glob("*.jsonl"))
    seen = [ident for file in folder.glob("*.json") for ident in json.loads(file.read_text())["seen"]]
    return history, [ident.split("#")[0] for ident in seen]


async def say(stage: Stage, ident: str, sound: bytes = bytes(32_000)) -> None:
    for event in (Pressed(ident), Pcm(sound), Released(), TailClosed()):
        await stage.does(event)


class Watching(Device):
    """At each confirmation, looks at what the disk holds."""

    folder: Path
    found: tuple[str, list[str]] = ("", [])

    async def send(self, event: object) -> None:
        if isinstance(event, Received):
            self.found = on_disk(self.folder)
        await super().send(event)  # type: ignore[arg-type]


@pytest.mark.parametrize("typed", [True, False])
@virtual
async def test_a_request_is_confirmed_when_it_is_on_the_disk_and_before_the_answer(typed: bool, tmp_path: Path) -> None:
    stage = Stage("remember the milk", plays=(says("One ", "moment.", every_s=20),), folder=tmp_path)
    device = Watching()
    device.folder = tmp_path
    stage.device = device
    await stage.talk.attach(device)
    if typed:
        await stage.does(Typed("remember the milk", id="u1"))
    else:
        stage.ears.takes_s = 5.0
        await say(stage, "u1")
        await asyncio.sleep(4)
        assert received(device) == [], "nobody knows yet what was said"
        assert "u1" not in on_disk(tmp_path)[1], "after a crash now it comes again, and is answered"
    await device.until(lambda: received(device))
    assert device.found[0].count("remember the milk") == 1
    assert device.found[1] == ["u1"]
    assert stage.mind is not None
    assert not stage.mind.runs[0]._task.done(), "long before the answer is complete"
    await device.idle()
    assert [ident for _, ident in received(device)] == ["u1"]
    await stage.talk.close()


@pytest.mark.parametrize("outcome", ["nothing heard", "failed", "stopped", "answer", "cancelled by a stop"])
@virtual
async def test_what_asks_for_nothing_is_confirmed_too(outcome: str, tmp_path: Path) -> None:
    """Else the device would send it again after every reconnect, also what was stopped."""
    script = {"nothing heard": "", "failed": SpeechError("Broken."), "answer": "yes"}
    decisions = []

    async def ask(scene: Scene) -> None:
        decisions.append(await scene.ask("Do it?"))

    stage = Stage(script.get(outcome, "do it"), plays=(ask, says("x")), folder=tmp_path)
    device = await stage.join()
    if outcome == "answer":
        await stage.type("go")
        await asyncio.sleep(3)
    if outcome == "cancelled by a stop":
        stage.ears.takes_s = 100.0
    await say(stage, "u1", bytes(48_000))
    await asyncio.sleep(0.01)
    if "stop" in outcome:
        await stage.does(Stop())
    await device.until(lambda: received(device), 30)
    await stage.talk.close()
    assert on_disk(tmp_path)[1] == ["u1"]


@virtual
async def test_the_same_sound_again_is_confirmed_again_and_answered_once(tmp_path: Path) -> None:
    """The link broke after the server had it and before the device knew: also over a restart."""
    stage = Stage("hello", plays=(says("Hi."),), folder=tmp_path)
    device = await stage.join()
    await say(stage, "u1")
    await device.idle()
    await say(stage, "u1")
    await asyncio.sleep(1)
    assert [ident for _, ident in received(device)] == ["u1", "u1"]
    await stage.talk.close()
    again = Stage(plays=(), folder=tmp_path)
    device = await again.join()
    await say(again, "u1")
    await again.does(Typed("never mind", id="u1"))
    await asyncio.sleep(1)
    assert received(device)[0][1] == "u1"
    assert again.ears.heard == []
    await again.talk.close()


@virtual
async def test_a_resend_while_the_first_is_still_being_understood_is_confirmed_once_it_is(tmp_path: Path) -> None:
    stage = Stage("hello", plays=(says("Hi."),), folder=tmp_path)
    stage.ears.takes_s = 5.0
    await stage.join()
    await say(stage, "u1")
    new = await stage.join()
    await say(stage, "u1")
    await asyncio.sleep(1)
    assert received(new) == []
    await new.idle()
    assert [ident for _, ident in received(new)] == ["u1"]
    assert len(stage.ears.heard) == 1
    await stage.talk.close()


@virtual
async def test_a_kill_before_it_was_understood_loses_nothing(tmp_path: Path) -> None:
    """The server dies while it recognises; the device, never told otherwise, sends it again to the next one."""
    stage = Stage("hello", plays=(says("Hi."),), folder=tmp_path)
    stage.ears.takes_s = 5.0
    await stage.join()
    await say(stage, "u1")
    await asyncio.sleep(2)
    await stage.talk.announce("Tea is ready.")  # saves the mailbox in between
    copy = tmp_path.with_name(f"{tmp_path.name}-copy")
    shutil.copytree(tmp_path, copy)
    await stage.talk.close()
    again = Stage("hello", plays=(says("Hi again."),), folder=copy)
    device = await again.join()
    await say(again, "u1")
    await device.until(lambda: "Hi again." in device.said())
    await again.talk.close()


@virtual
async def test_a_full_disk_is_told_once_and_nothing_is_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once in all until it works again, not once for each file or turn."""
    from zero_one.conversation import mailbox
    from zero_one.interpreter import history

    full = True
    real = mailbox.write_whole

    def write(path: Path, data: str) -> None:
        if full:
            raise OSError(28, "No space left on device")
        real(path, data)

    monkeypatch.setattr(mailbox, "write_whole", write)
    monkeypatch.setattr(history, "write_whole", write)
    stage = Stage(plays=tuple(says("Yes.") for _ in range(4)), folder=tmp_path)
    device = await stage.join()
    for number in range(2):
        await stage.does(Typed(f"hello {number}", id=f"m{number}"))
        await device.idle()
    assert len([text for text in device.shown("error") if "No space left" in text]) == 1
    assert received(device) == []
    full = False
    await stage.does(Typed("hello", id="m2"))
    await device.idle()
    assert [ident for _, ident in received(device)] == ["m2"]
    full = True
    await stage.does(Typed("hello", id="m3"))
    await device.idle()
    assert len([text for text in device.shown("error") if "No space left" in text]) == 2
    await stage.talk.close()


class OneCommand:
    """Knows what the time is."""

    def match(self, text: str) -> Match | None:
        return Match("time.now") if text == "what time is it" else None

    async def run(self, match: Match, device: str, caller: Caller | None = None) -> Reply:
        return Reply("It is noon.")

    async def start(self, announce: Announce) -> None:
        return

    async def close(self) -> None:
        return


@pytest.mark.parametrize("printed", ["14 files moved.", ""])
@virtual
async def test_what_code_prints_after_a_command_was_answered_is_said(printed: str) -> None:
    """The command does not end the code, and its result is not lost in silence."""

    async def work(scene: Scene) -> None:
        await scene.code(30, printed)

    stage = Stage("what time is it", plays=(work,), commands=OneCommand())
    device = await stage.join()
    await stage.type("tidy up")
    await asyncio.sleep(3)
    await stage.speak()
    await device.until(lambda: "It is noon." in device.said())
    await asyncio.sleep(40)
    await device.idle()
    wanted = phrases.DONE_LATE.format(output=printed) if printed else phrases.DONE_LATE_SILENT
    assert stage.throat.texts[-1] == wanted
    await stage.talk.close()


@virtual
async def test_what_was_stopped_says_nothing_late() -> None:
    async def work(scene: Scene) -> None:
        await scene.code(30, "done")

    stage = Stage("what time is it", plays=(work,), commands=OneCommand())
    device = await stage.join()
    await stage.type("tidy up")
    await asyncio.sleep(3)
    await stage.speak()
    await device.until(lambda: "It is noon." in device.said())
    await stage.does(Stop())
    await asyncio.sleep(60)
    assert not any("is done" in text for text in stage.throat.texts)
    await stage.talk.close()


@virtual
async def test_stop_tells_that_the_turn_is_over() -> None:
    """Also what was still being heard: one complete for the turn, after stopped."""
    for heard in (Transcript("do it"), None):
        stage = Stage(*([heard] if heard else []), plays=(says(*["word "] * 100, every_s=1),))
        stage.ears.takes_s = 100.0
        device = await stage.join()
        if heard:
            await stage.speak()
        else:
            await stage.type("do it")
        await asyncio.sleep(5)
        await stage.does(Stop())
        await device.idle()
        await asyncio.sleep(200)
        assert [word for word in device.shown("status") if isinstance(word, str)] == ["stopped", "complete"]
        await stage.talk.close()
