"""Turns in virtual time: pressing, speaking, answering, silence, and what is remembered of it."""

from __future__ import annotations

import asyncio

from support.players import MS_A_CHAR, RATE, Scene, Stage, Throat, says
from support.virtual_time import virtual
from zero_one.conversation import phrases
from zero_one.protocol.events import (
    Cancelled,
    Flush,
    Played,
    Repeat,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    Stop,
)
from zero_one.speech.stt.base import SpeechError, Transcript


@virtual
async def test_what_is_said_is_heard_shown_answered_and_spoken() -> None:
    stage = Stage("what is new", plays=(says("Nothing much. ", "All is well."),))
    device = await stage.join()
    await stage.speak(1.0)
    await device.idle()
    assert stage.ears.heard == [bytes(640 * 50)]
    assert device.shown("message", "user") == ["what is new"]
    assert device.said() == "Nothing much. All is well."
    assert stage.throat.texts == ["Nothing much.", "All is well."]
    assert device.states() == ["listening", "thinking", "speaking", "idle"]
    assert stage.remembered() == [("user", "what is new"), ("assistant", "Nothing much. All is well.")]
    assert "complete" in device.shown("status")
    device.check()
    await stage.talk.close()


@virtual
async def test_the_first_clause_sounds_while_the_model_still_writes() -> None:
    """Twenty pieces, half a second apart: sound starts with the first clause, not after ten seconds."""
    stage = Stage("go on", plays=(says("Here it is. ", *["More of it. "] * 20, every_s=0.5),))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    assert device.first(SpeechPcm) < 2.2
    await device.idle()
    device.check()
    await stage.talk.close()


@virtual
async def test_sound_goes_out_at_most_400_ms_ahead_of_the_listener() -> None:
    stage = Stage("tell me", plays=(says("word " * 200),))
    device = await stage.join()
    await stage.speak()
    await device.idle()
    begin = device.first(SpeechStart)
    sent = 0.0
    for at, event in device.events:
        if isinstance(event, SpeechPcm):
            sent += len(event.data) / 2 / RATE
            assert sent - (at - begin) <= 0.401
    assert abs(sent - 999 * MS_A_CHAR / 1000) < 0.3
    assert device.last(SpeechPcm) - begin > sent - 0.45
    await stage.talk.close()


@virtual
async def test_a_device_that_reports_late_playback_is_waited_for() -> None:
    """With reports the lead is counted from what the device says, not from our clock."""
    stage = Stage("tell me", plays=(says("word " * 40),))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    generation = stage.talk.generation
    for _ in range(20):
        await asyncio.sleep(0.1)
        await stage.does(Played(generation, 0))
    assert len(device.pcm()) / 2 / RATE <= 0.5 + 0.05
    await device.idle()
    await stage.talk.close()


@virtual
async def test_a_press_silences_at_once_and_nothing_stale_follows() -> None:
    stage = Stage("long story", "next", plays=(says("word " * 100), says("Short.")))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    await asyncio.sleep(2)
    pressed_at = asyncio.get_running_loop().time()
    old = stage.talk.generation
    await stage.speak()
    await device.idle()
    assert device.first(Flush) == pressed_at
    flush = next(e for _, e in device.events if isinstance(e, Flush))
    assert flush.generation == old + 1
    after = [e for at, e in device.events if at > pressed_at and isinstance(e, SpeechPcm)]
    assert after
    assert all(event.generation > old for event in after)
    assert device.pcm().endswith(after[-1].data)
    device.check()
    await stage.talk.close()


@virtual
async def test_history_is_what_was_heard() -> None:
    """Pressed 1.0 s into the second clause: the message ends with the last word that was heard to its end."""
    text = "One two three. Four five six seven eight nine ten."
    stage = Stage("count", "thanks", plays=(says(text), says("Welcome.")))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    began = device.first(SpeechPcm)
    first = len("One two three.") * MS_A_CHAR / 1000
    # "Four five six seven" is 19 characters: 0.95 s; the whole clause is 1.75 s.
    await asyncio.sleep(began + first + 1.0 - asyncio.get_running_loop().time())
    await stage.speak()
    await device.idle()
    assert stage.remembered()[1] == ("assistant", "One two three. Four five six seven")
    assert stage.remembered()[2:] == [("user", "thanks"), ("assistant", "Welcome.")]
    await stage.talk.close()


@virtual
async def test_the_device_knows_better_than_the_clock_what_was_heard() -> None:
    stage = Stage("count", "thanks", plays=(says("Alpha beta gamma delta epsilon."), says("Ok.")))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    await asyncio.sleep(1.2)
    # Our clock says 24 characters; the device was late and has played 11 of them ("Alpha beta ").
    await stage.does(Played(stage.talk.generation, 11 * MS_A_CHAR))
    await stage.press()
    await stage.does(Cancelled())
    assert stage.remembered()[1] == ("assistant", "Alpha beta")
    await stage.talk.close()


@virtual
async def test_an_answer_heard_to_its_end_is_kept_whole() -> None:
    stage = Stage("hi", "thanks", plays=(says("Hello there."), says("Ok.")))
    device = await stage.join()
    await stage.speak()
    await device.idle()
    await stage.speak()
    await device.idle()
    assert stage.remembered()[1] == ("assistant", "Hello there.")
    await stage.talk.close()


@virtual
async def test_a_press_before_the_first_sound_leaves_nothing_heard() -> None:
    stage = Stage("hi", "again", plays=(says("Never heard of."), says("Ok.")), synthesizer=Throat(takes_s=5))
    device = await stage.join()
    await stage.speak()
    await asyncio.sleep(1)
    await stage.speak()
    await device.idle()
    assert stage.remembered()[:2] == [("user", "hi"), ("assistant", "")]
    await stage.talk.close()


@virtual
async def test_a_press_drops_the_model_call() -> None:
    stage = Stage("hi", "again", plays=(says("One. ", *["More. "] * 100, every_s=1), says("Ok.")))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    await stage.press()
    assert stage.mind is not None
    assert stage.mind.runs[0].hushed
    await stage.hold(0.5)
    await stage.release()
    await device.idle()
    assert "More. More. More." not in device.said()
    await stage.talk.close()


@virtual
async def test_running_code_survives_a_press_and_ends_on_stop() -> None:
    async def work(scene: Scene) -> None:
        await scene.code(300, "finished")

    stage = Stage("work", "", plays=(work,))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: "acting" in device.states())
    await stage.speak()
    await device.until(lambda: phrases.NOTHING_HEARD in device.shown("error"))
    assert stage.mind is not None
    assert stage.mind.runs[0].acting
    await stage.does(Stop())
    await device.idle()
    assert stage.mind.runs[0].cancelled
    assert phrases.STOPPED in stage.throat.texts
    await stage.talk.close()


@virtual
async def test_a_tap_silences_and_the_work_goes_on() -> None:
    async def work(scene: Scene) -> None:
        scene.say("I begin now. " * 10)
        await scene.code(30, "finished")
        scene.say("It is done.")

    stage = Stage("work", plays=(work,))
    device = await stage.join()
    await stage.speak()
    await device.until(lambda: device.pcm())
    await asyncio.sleep(1)
    tapped = asyncio.get_running_loop().time()
    await stage.does(Stop(silence_only=True))
    await device.idle()
    assert device.last(SpeechPcm) <= tapped
    assert device.shown("console") == ["finished"]
    assert "It is done." in device.said()
    assert stage.remembered()[1] == ("assistant", "I begin now. I begin")
    await stage.talk.close()


@virtual
async def test_nothing_heard_is_said_and_shown() -> None:
    stage = Stage("")
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert device.shown("error") == [phrases.NOTHING_HEARD]
    assert stage.throat.texts == [phrases.NOTHING_HEARD]
    await stage.talk.close()


@virtual
async def test_a_rejection_is_said_according_to_its_kind() -> None:
    stage = Stage(Transcript("", rejected=True), Transcript("", rejected=True, from_grammar=True))
    device = await stage.join()
    for expected in (phrases.NOT_UNDERSTOOD, phrases.ONLY_COMMANDS):
        await stage.speak()
        await device.idle()
        assert device.shown("error")[-1] == expected
    await stage.talk.close()


@virtual
async def test_a_failing_recogniser_is_said_in_its_own_words() -> None:
    stage = Stage(SpeechError("The ears are gone. Restart me."), "hello", plays=(says("Hi."),))
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert device.shown("error") == ["The ears are gone. Restart me."]
    assert stage.throat.texts == ["The ears are gone. Restart me."]
    await stage.speak()
    await device.idle()
    assert device.said().endswith("Hi.")
    await stage.talk.close()


@virtual
async def test_a_failing_voice_is_shown_and_another_speaks() -> None:
    other = Throat(sample_rate=16_000)
    stage = Stage(
        "hello", plays=(says("Hi there. ", "How are you?"),), synthesizer=Throat(fails="No voice."), fallback=other
    )
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert other.texts == ["Hi there.", "How are you?"]
    assert device.shown("error") == [phrases.NO_VOICE.format(reason="No voice.")]
    assert len(device.pcm()) > 20 * MS_A_CHAR * RATE // 1000
    await stage.talk.close()


@virtual
async def test_a_broken_answer_ends_in_words_and_the_conversation_goes_on() -> None:
    async def broken(scene: Scene) -> None:
        raise SystemError("this is a test")

    class Mind:
        def __call__(self, device: str, history: object) -> Mind:
            return self

        def respond(self, *_: object, **__: object) -> object:
            raise ZeroDivisionError

        async def close(self) -> None:
            return

    stage = Stage("hello", interpreter=Mind())
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert device.shown("error") == [phrases.INTERNAL]
    assert stage.throat.texts == [phrases.INTERNAL]
    await stage.talk.close()


@virtual
async def test_without_a_model_it_says_what_to_configure() -> None:
    stage = Stage("write me a poem")
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert "write me a poem" in device.said()
    assert "language model" in " ".join(stage.throat.texts)
    await stage.talk.close()


@virtual
async def test_the_earcon_sounds_at_the_release() -> None:
    stage = Stage("hello", plays=(says("Hi."),), earcon=bytes(4800))
    device = await stage.join()
    await stage.speak(1.0)
    assert device.events
    await asyncio.sleep(0)
    await asyncio.sleep(0.001)
    assert device.first(SpeechStart) - 1.0 < 0.002
    await device.idle()
    assert len(device.pcm()) == 4800 + 3 * MS_A_CHAR * RATE // 1000 * 2
    device.check()
    await stage.talk.close()


@virtual
async def test_long_work_is_not_silent() -> None:
    async def work(scene: Scene) -> None:
        await scene.code(100, "finished")
        scene.say("Done.")

    stage = Stage("work", plays=(work,))
    device = await stage.join()
    await stage.speak()
    await device.idle()
    said = [text for text in stage.throat.texts if text == phrases.STILL_ACTING]
    assert 2 <= len(said) <= 4
    assert stage.throat.texts[-1] == "Done."
    await stage.talk.close()


@virtual
async def test_repeat_says_the_last_answer_again() -> None:
    stage = Stage("hello", plays=(says("Hi there. ", "Nice day."),))
    device = await stage.join()
    await stage.does(Repeat())
    await device.idle()
    assert stage.throat.texts == [phrases.NOTHING_TO_REPEAT]
    await stage.speak()
    await device.idle()
    await stage.does(Repeat())
    await device.idle()
    assert stage.throat.texts[-1] == "Hi there. Nice day."
    await stage.talk.close()


@virtual
async def test_a_cancelled_press_is_as_if_it_had_not_been() -> None:
    stage = Stage()
    device = await stage.join()
    await stage.press()
    await stage.hold(0.06)
    await stage.does(Cancelled())
    await device.idle()
    assert stage.ears.cancelled == 1
    assert device.shown("error") == []
    assert device.states()[-2:] == ["listening", "idle"]
    await stage.talk.close()


@virtual
async def test_what_was_pressed_over_before_it_was_understood_is_answered_after_all() -> None:
    """A slip of the finger right after speaking loses nothing."""
    stage = Stage("what time is it", plays=(says("Noon."),))
    stage.ears.takes_s = 2
    device = await stage.join()
    await stage.speak()
    await asyncio.sleep(0.2)
    await stage.press()
    await asyncio.sleep(3)
    await stage.does(Cancelled())
    await device.idle()
    assert stage.remembered() == [("user", "what time is it"), ("assistant", "Noon.")]
    await stage.talk.close()


@virtual
async def test_what_was_continued_before_it_was_understood_is_kept() -> None:
    stage = Stage("turn on the", "kitchen light", plays=(says("Done."),))
    stage.ears.takes_s = 1
    device = await stage.join()
    await stage.speak()
    await asyncio.sleep(0.2)
    await stage.speak()
    await device.idle()
    assert [text for role, text in stage.remembered() if role == "user"] == ["turn on the", "kitchen light"]
    assert device.said() == "Done."
    await stage.talk.close()


@virtual
async def test_two_conversations_never_mix() -> None:
    """Interleaved turns of two devices: each gets its own words, sound and history."""
    one = Stage("one", "one again", plays=(says("Alpha. ", "Alpha.", every_s=0.3), says("Alpha.")), device="one")
    two = Stage("two", "two again", plays=(says("Beta. ", "Beta.", every_s=0.2), says("Beta.")), device="two")
    a, b = await one.join(), await two.join()
    await asyncio.gather(one.speak(1.0), two.speak(1.1))
    await asyncio.gather(a.idle(), b.idle())
    await asyncio.gather(one.speak(0.5), two.speak(0.4))
    await asyncio.gather(a.idle(), b.idle())
    assert set(one.throat.texts) == {"Alpha."}
    assert set(two.throat.texts) == {"Beta."}
    assert "Beta" not in a.said() + str(one.remembered())
    assert "Alpha" not in b.said() + str(two.remembered())
    a.check()
    b.check()
    await one.talk.close()
    await two.talk.close()


@virtual
async def test_a_long_talk_keeps_its_order() -> None:
    """60 turns, every third one interrupted: states, sound and history stay consistent."""
    count = 60
    stage = Stage(
        *[f"question {n}" for n in range(count)], plays=tuple(says(f"Answer {n} is this. " * 4) for n in range(count))
    )
    device = await stage.join()
    for n in range(count):
        await stage.speak(1.0)
        if n % 3:
            await device.idle()
        else:
            await asyncio.sleep(2.0)
    await device.idle()
    device.check()
    users = [text for role, text in stage.remembered() if role == "user"]
    assert users == [f"question {n}" for n in range(count)]
    answers = [text for role, text in stage.remembered() if role == "assistant"]
    assert answers[1].count("Answer 1 is this.") == 4
    assert all(answers[n].count(f"Answer {n} is this.") == 4 for n in range(count) if n % 3)
    assert all(answers[n].count(f"Answer {n} is this.") < 4 for n in range(0, count, 3))
    assert device.last(SpeechEnd)
    assert not [e for _, e in device.events if isinstance(e, Show) and e.message.type == "error"]
    await stage.talk.close()
