"""The small parts of a conversation, each alone."""

from __future__ import annotations

import asyncio
import struct
import wave
from pathlib import Path

import pytest

from support.players import Ears, Stage, Throat, says
from support.virtual_time import virtual
from zero_one.commands.base import Match, Reply
from zero_one.config.settings import Settings, SpeakSettings
from zero_one.conversation.heard import position
from zero_one.conversation.recordings import keep_recording
from zero_one.conversation.sound import scaled
from zero_one.conversation.states import TRANSITIONS, Doing, ImpossibleTransition, Machine
from zero_one.conversation.warming import LateRecognizer, LateSynthesizer
from zero_one.identity.access import Caller
from zero_one.protocol.events import SpeechPcm
from zero_one.speech.stt.base import HearOptions, SpeechError
from zero_one.speech.tts.base import Voice


def test_every_state_can_be_reached_and_left() -> None:
    assert set(TRANSITIONS) == set(Doing)
    assert set().union(*TRANSITIONS.values()) == set(Doing)


def test_nothing_acts_or_asks_out_of_the_blue() -> None:
    told: list[Doing] = []
    machine = Machine(told.append)
    for state in (Doing.ACTING, Doing.ASKING):
        with pytest.raises(ImpossibleTransition):
            machine.to(state)
    machine.to(Doing.IDLE)
    machine.to(Doing.SPEAKING)
    machine.to(Doing.SPEAKING)
    assert told == [Doing.SPEAKING]


@pytest.mark.parametrize(
    ("share", "heard"), [(0.0, ""), (0.3, "one"), (0.55, "one two"), (0.99, "one two"), (1.0, "one two three")]
)
def test_a_share_of_the_sound_is_a_number_of_whole_words(share: float, heard: str) -> None:
    text = "one two three"
    assert text[: position(text, share)] == heard


def test_volume_scales_the_sound_evenly() -> None:
    pcm = struct.pack("<4h", 10_000, -10_000, 32_767, -32_768)
    assert scaled(pcm, 100) == pcm
    assert scaled(pcm, 0) == bytes(8)
    half = struct.unpack("<4h", scaled(pcm, 50))
    assert 1_700 < half[0] < 1_850
    assert half[1] == -half[0]


@virtual
async def test_recordings_are_wav_files_for_their_owner_only(tmp_path: Path) -> None:
    pcm = bytes(range(256)) * 100
    file = await keep_recording(tmp_path / "kept", pcm)
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    with wave.open(str(file)) as kept:
        assert (kept.getframerate(), kept.getnchannels(), kept.getsampwidth()) == (16_000, 1, 2)
        assert kept.readframes(10**6) == pcm


@virtual
async def test_debug_keeps_what_the_microphone_sent_and_only_debug_does(tmp_path: Path) -> None:
    for debug in (True, False):
        folder = tmp_path / str(debug) / "conversations"
        stage = Stage("hi", plays=(says("Hi."),), folder=folder, settings=Settings(debug=debug))
        device = await stage.join()
        await stage.speak(1.0)
        await device.idle()
        await stage.talk.close()
        kept = list(folder.parent.glob("recordings/*/*.wav"))
        assert len(kept) == debug


@virtual
async def test_an_utterance_before_the_engine_is_ready_is_kept_to_the_bit() -> None:
    late, real = LateRecognizer(), Ears("hello")
    recognition = late.start(HearOptions())
    recognition.feed(b"\x01\x02")
    finishing = asyncio.create_task(recognition.finish())
    await asyncio.sleep(5)
    assert not finishing.done()
    assert not late.ready
    late.set(real)
    assert (await finishing).text == "hello"
    assert real.heard == [b"\x01\x02"]
    assert late.ready
    await late.close()


@virtual
async def test_sound_on_both_sides_of_the_moment_of_readiness_stays_in_order() -> None:
    late, real = LateRecognizer(), Ears("hello")
    recognition = late.start(HearOptions())
    recognition.feed(b"ab")
    late.set(real)
    recognition.feed(b"cd")
    await recognition.finish()
    assert real.heard == [b"abcd"]
    await late.close()


@virtual
async def test_an_engine_that_cannot_be_had_is_told_to_each_utterance() -> None:
    late = LateRecognizer()
    early = late.start(HearOptions())
    late.fail(SpeechError("No ears. Install some."))
    for recognition in (early, late.start(HearOptions())):
        with pytest.raises(SpeechError, match="No ears"):
            await recognition.finish()
    await late.close()


@virtual
async def test_what_is_to_be_said_waits_for_the_voice() -> None:
    late, real = LateSynthesizer(), Throat()
    said = asyncio.create_task(anext(aiter(late.speak("hi", Voice()))))
    await asyncio.sleep(5)
    late.set(real)
    assert await said
    assert late.sample_rate == real.sample_rate
    await late.close()


class Book:
    """Commands that do one thing to the conversation."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.runs = 0

    def match(self, text: str) -> Match | None:
        return Match("it") if text == "do it" else None

    async def run(self, match: Match, device: str, caller: Caller | None = None) -> Reply:
        self.runs += 1
        return self.reply

    async def start(self, announce: object) -> None:
        return

    async def close(self) -> None:
        return


@virtual
async def test_a_command_comes_before_the_model() -> None:
    stage = Stage("do it", "do something", plays=(says("Modelled."),), commands=Book(Reply("Commanded.", show="C!")))
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert stage.throat.texts == ["Commanded."]
    assert device.said() == "C!"
    await stage.speak()
    await device.idle()
    assert stage.throat.texts[-1] == "Modelled."
    assert stage.remembered()[:2] == [("user", "do it"), ("assistant", "Commanded.")]
    await stage.talk.close()


@virtual
async def test_commands_spoken_over_before_they_were_understood_are_done_all_the_same() -> None:
    """Kept while the link was down and sent in one burst: how quick the ears are decides nothing."""
    book = Book(Reply("Commanded."))
    stage = Stage("do it", "do it", "something", plays=(says("Modelled."),), commands=book)
    stage.ears.takes_s = 2
    device = await stage.join()
    for _ in range(3):
        await stage.speak(0.5)
    await device.idle()
    assert book.runs == 2
    assert sorted(stage.throat.texts) == ["Commanded.", "Commanded.", "Modelled."]
    assert sorted(text for role, text in stage.remembered() if role == "user") == ["do it", "do it", "something"]
    device.check()
    await stage.talk.close()


@virtual
async def test_nothing_spoken_over_is_forgotten() -> None:
    stage = Stage("one", "two", "three", plays=(says("Yes."),))
    device = await stage.join()
    await stage.speak(0.5)
    await stage.speak(0.5)
    await stage.speak(3.0)
    await device.idle()
    assert sorted(text for role, text in stage.remembered() if role == "user") == ["one", "three", "two"]
    await stage.talk.close()


@virtual
async def test_louder_and_quieter_turn_the_device_or_else_the_sound() -> None:
    settings = Settings(speak=SpeakSettings(volume=50))
    for features in (frozenset({"volume"}), frozenset()):
        stage = Stage("do it", commands=Book(Reply("Quieter.", effect="quieter")), settings=settings)
        device = await stage.join(features=features)
        await stage.speak()
        await device.idle()
        loudest = max(struct.unpack(f"<{len(device.pcm()) // 2}h", device.pcm()))
        assert device.volumes() == ([35] if features else [])
        assert (loudest > 9_000) == bool(features)
        await stage.talk.close()


@virtual
async def test_faster_and_slower_change_the_voice() -> None:
    stage = Stage("do it", commands=Book(Reply("Faster.", effect="faster")))
    device = await stage.join()
    await stage.speak()
    await device.idle()
    assert stage.throat.voices[0].rate == pytest.approx(1.2)
    await stage.talk.close()


@virtual
async def test_a_command_to_repeat_says_what_was_said_before() -> None:
    stage = Stage("hello", "do it", plays=(says("Hi there."),), commands=Book(Reply("", effect="repeat")))
    device = await stage.join()
    for _ in range(2):
        await stage.speak()
        await device.idle()
    assert stage.throat.texts == ["Hi there.", "Hi there."]
    await stage.talk.close()


@virtual
async def test_latency_spans_are_shown_and_counted() -> None:
    """Recognition takes 100 ms, the voice 50 ms: the stages say so."""
    stage = Stage("hello", plays=(says("Hi there."),))
    stage.throat.takes_s = 0.05
    device = await stage.join()
    await stage.speak()
    await device.idle()
    spans = next(content for content in device.shown("status") if isinstance(content, dict))
    assert spans["transcript"] == pytest.approx(100, abs=1)
    assert spans["first_audio"] == pytest.approx(150, abs=1)
    released = next(at for at, e in device.events if getattr(e, "name", "") == "thinking")
    assert device.first(SpeechPcm) - released == pytest.approx(0.15, abs=0.01)
    count = stage.services.metrics.registry.get_sample_value("zero_one_turn_seconds_count", {"stage": "first_audio"})
    assert count == 1
    await stage.talk.close()
