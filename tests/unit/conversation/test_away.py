"""Devices that come and go: work goes on, nothing said is lost, and nobody is held up by a slow one."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from support.players import Device, Scene, Stage, says
from support.virtual_time import virtual
from zero_one.conversation import Conversations
from zero_one.conversation.links import STUCK_S, TOO_SLOW
from zero_one.conversation.mailbox import Mailbox, safe_name
from zero_one.protocol.events import Flush, Pcm, Pressed, Released, SpeechPcm, SpeechStart, TailClosed, Typed


@virtual
async def test_code_outlives_the_connection_and_its_result_is_told_at_the_return() -> None:
    async def work(scene: Scene) -> None:
        await scene.code(60, "42 files")
        scene.say("There are 42 files.")

    stage = Stage("count the files", plays=(work,))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.state == "acting")
    await stage.talk.detach(device)
    await asyncio.sleep(300)
    assert stage.mind is not None
    assert not stage.mind.runs[0].cancelled
    back = await stage.join()
    await back.idle()
    assert back.shown("console") == ["42 files"]
    assert back.said() == "There are 42 files."
    assert stage.throat.texts == ["There are 42 files."]
    assert len(back.pcm()) > 0
    back.check()
    await stage.talk.close()


@virtual
async def test_an_answer_cut_by_the_connection_goes_on_where_it_was() -> None:
    """The clause that was cut is said again from its beginning; what was heard before it is not repeated."""
    stage = Stage("tell me", plays=(says("One is done. Two is long and cut. Three comes later."),))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    await asyncio.sleep(1.0)
    await stage.talk.detach(device)
    await asyncio.sleep(5)
    stage.throat.texts.clear()
    back = await stage.join()
    await back.idle()
    assert stage.throat.texts == ["Two is long and cut.", "Three comes later."]
    assert stage.remembered()[1] == ("assistant", "One is done. Two is long and cut. Three comes later.")
    back.check()
    await stage.talk.close()


@virtual
async def test_what_was_being_said_when_the_link_broke_is_answered_at_the_return() -> None:
    """A device that does not name its utterances will not send it again: what there is, is taken."""
    stage = Stage("what is new", plays=(says("Nothing."),))
    device = await stage.join()
    await stage.press()
    await stage.hold(1.0)
    await stage.talk.detach(device)
    await asyncio.sleep(2)
    assert len(stage.ears.heard[0]) == 32_000
    back = await stage.join()
    await back.idle()
    assert back.shown("message", "user") == ["what is new"]
    assert stage.throat.texts == ["Nothing."]
    await stage.talk.close()


@virtual
async def test_a_named_utterance_is_sent_again_and_answered_once() -> None:
    """Cut off in the middle: the half is dropped and the whole is taken. Sent a third time: it is known."""
    stage = Stage("the whole thing", plays=(says("Yes."),))
    device = await stage.join()
    await stage.talk.handle(Pressed("u1"), device)
    await stage.hold(0.4)
    await stage.talk.detach(device)
    assert stage.ears.cancelled == 1
    back = await stage.join()
    for _ in range(2):
        await stage.talk.handle(Pressed("u1"), back)
        await stage.hold(1.0)
        await stage.release()
        await back.idle()
    assert [len(pcm) for pcm in stage.ears.heard] == [32_000]
    assert back.shown("message", "user") == ["the whole thing"]
    await stage.talk.close()


@virtual
async def test_an_utterance_sent_again_while_the_old_link_seems_alive_is_taken_whole_and_once() -> None:
    """A half-open connection: its half is not mixed in, nor does its end take the new one away."""
    stage = Stage("the whole thing", plays=(says("Yes."),))
    old = await stage.join()
    await stage.talk.handle(Pressed("u1"), old)
    await stage.talk.handle(Pcm(bytes(9000)), old)
    back = await stage.join()
    await stage.talk.handle(Pressed("u1"), back)
    await stage.talk.handle(Pcm(bytes(700)), old)
    await stage.talk.handle(Pcm(bytes(16_000)), back)
    await stage.talk.detach(old)
    await stage.talk.handle(Pcm(bytes(16_000)), back)
    await stage.talk.handle(Released(), back)
    await stage.talk.handle(TailClosed(), back)
    await back.idle()
    assert [len(pcm) for pcm in stage.ears.heard] == [32_000]
    assert stage.throat.texts == ["Yes."]
    await stage.talk.close()


@virtual
async def test_a_device_that_counts_its_ids_from_the_beginning_again_is_heard() -> None:
    stage = Stage("one", "two", plays=(says("First."), says("Second."), says("Third.")))
    for sound in (bytes(32_000), bytes(16_000)):
        device = await stage.join()
        await stage.talk.handle(Pressed("u1"), device)
        for event in (Pcm(sound), Released(), TailClosed()):
            await stage.talk.handle(event, device)
        await device.idle()
        await stage.talk.detach(device)
    assert [len(pcm) for pcm in stage.ears.heard] == [32_000, 16_000]
    device = await stage.join()
    await stage.talk.handle(Typed("hello", id="u1"), device)
    await device.idle()
    assert stage.throat.texts[-1] == "Third."
    await stage.talk.close()


@virtual
async def test_a_named_message_is_taken_once() -> None:
    stage = Stage(plays=(says("Yes."),))
    device = await stage.join()
    for _ in range(2):
        await stage.talk.handle(Typed("hello", id="m1"), device)
        await device.idle()
    assert device.shown("message", "user") == ["hello"]
    await stage.talk.close()


@virtual
async def test_announcements_wait_for_their_moment() -> None:
    """Idle: said at once. Busy: after the answer, in order."""
    stage = Stage("tell me", plays=(says("A longer answer is this one here."),))
    device = await stage.join()
    await stage.talk.announce("First.")
    await device.until(lambda: device.state == "speaking")
    await device.idle()
    assert device.states() == ["speaking", "idle"]
    await stage.press()
    await stage.talk.announce("Second.")
    await stage.talk.announce("Third.")
    await stage.hold(0.5)
    await stage.release()
    await device.until(lambda: "Third." in stage.throat.texts)
    await device.idle()
    assert stage.throat.texts == ["First.", "A longer answer is this one here.", "Second.", "Third."]
    device.check()
    await stage.talk.close()


@virtual
async def test_an_announcement_that_was_not_heard_is_said_later() -> None:
    """Pressed just before it begins to sound."""
    stage = Stage("hello", plays=(says("Hi."),))
    stage.throat.takes_s = 1
    device = await stage.join()
    await stage.talk.announce("The tea is ready.")
    await asyncio.sleep(0.5)
    await stage.speak()
    await device.until(lambda: stage.throat.texts.count("The tea is ready.") == 2)
    await device.idle()
    assert stage.throat.texts == ["The tea is ready.", "Hi.", "The tea is ready."]
    await stage.talk.close()


@virtual
async def test_announcements_for_a_device_that_is_away_outlive_a_restart(tmp_path: Path) -> None:
    first = Stage(folder=tmp_path)
    registry = Conversations(first.services)
    await registry.announce("kitchen", "The tea is ready.")
    await registry.close()
    second = Stage(folder=tmp_path)
    registry = Conversations(second.services)
    device = Device()
    await registry.get("kitchen").attach(device)
    await device.until(lambda: device.pcm())
    await device.idle()
    assert second.throat.texts == ["The tea is ready."]
    await registry.close()
    kept = json.loads((tmp_path / f"{safe_name('kitchen')}.json").read_text())
    assert kept["waiting"] == []


@virtual
async def test_the_newest_link_gets_the_sound_and_all_see_the_words() -> None:
    stage = Stage("hi", plays=(says("Hello you there."),))
    old, new = await stage.join(), await stage.join(rate_out=16_000)
    await stage.speak()
    await new.idle()
    assert old.said() == new.said() == "Hello you there."
    assert old.pcm() == b""
    start = next(e for _, e in new.events if isinstance(e, SpeechStart))
    assert start.rate == 16_000
    assert abs(len(new.pcm()) - 16 * 50 * 16 * 2) < 200
    await stage.talk.close()


@virtual
async def test_a_reconnect_while_the_old_link_is_dead_moves_the_sound() -> None:
    stage = Stage("hi", plays=(says("word " * 40),))
    old = await stage.join()
    await stage.speak()
    await old.until(lambda: old.pcm())
    await asyncio.sleep(1)
    moved = asyncio.get_running_loop().time()
    new = await stage.join()
    await new.idle()
    assert old.last(SpeechPcm) <= moved
    assert new.pcm()
    new.check()
    await stage.talk.close()


@virtual
async def test_a_slow_device_is_cut_off_and_hurts_nobody() -> None:
    stage = Stage("hi", plays=(says(*["word " * 4] * 100, every_s=0.3),))
    slow = await stage.join()
    good = await stage.join()
    slow.stuck = True
    await stage.speak()
    await good.until(lambda: good.pcm())
    await asyncio.sleep(STUCK_S + 2)
    assert slow.closed_for == TOO_SLOW
    assert stage.services.metrics.slow._value.get() == 1
    await good.idle()
    assert len(good.pcm()) == sum(map(len, stage.throat.texts)) * 50 * 24 * 2
    good.check()
    await stage.talk.close()


@virtual
async def test_a_flush_overtakes_sound_that_waits_for_a_slow_device() -> None:
    stage = Stage("hi", "", plays=(says("word " * 100),))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    gate, send = asyncio.Event(), device.send

    async def slowly(event: object) -> None:
        await gate.wait()
        await send(event)  # type: ignore[arg-type]

    device.send = slowly  # type: ignore[method-assign,assignment]
    await asyncio.sleep(3)
    before = len(device.events)
    await stage.press()
    gate.set()
    await asyncio.sleep(0.1)
    after = [event for _, event in device.events[before:]]
    stale = [event for event in after if isinstance(event, SpeechPcm)]
    assert len(stale) <= 1  # the one that was already on its way
    assert any(isinstance(event, Flush) for event in after)
    await stage.talk.close()


@virtual
async def test_forgotten_devices_leave_memory_but_not_the_disk(tmp_path: Path) -> None:
    stage = Stage(folder=tmp_path)
    registry = Conversations(stage.services)
    for n in range(100):
        device = Device()
        conversation = registry.get(f"device {n}")
        await conversation.attach(device)
        await conversation.detach(device)
    await registry.tidy()
    assert len(registry) == 64
    await registry.close()


def test_file_names_are_safe_and_different() -> None:
    names = {safe_name(name) for name in ("a/../b", "a/b", "a b", "A B", "", "..", "x" * 500, "ü", "\ud800", "con")}
    assert len(names) == 10
    assert all(name.replace("-", "").replace("_", "").isalnum() and len(name) < 60 for name in names)


@virtual
async def test_an_unreadable_mailbox_is_put_aside_not_lost(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("{broken")
    box = Mailbox(file)
    assert box.waiting == []
    box.waiting.append("hello")
    await box.save()
    (aside,) = tmp_path.glob("x.json.damaged-*")  # noqa: ASYNC240 - one small folder
    assert aside.read_text() == "{broken"
    assert Mailbox(file).waiting == ["hello"]
    assert file.stat().st_mode & 0o777 == 0o600


@virtual
async def test_histories_survive_a_restart(tmp_path: Path) -> None:
    stage = Stage("hello", plays=(says("Hi there."),), folder=tmp_path)
    device = await stage.join()
    await stage.speak()
    await device.idle()
    await stage.talk.close()
    again = Stage(folder=tmp_path)
    assert again.remembered() == [("user", "hello"), ("assistant", "Hi there.")]
    await again.talk.close()
