"""The client on a desktop: a real key press, a virtual microphone and a virtual loudspeaker, a real WebSocket."""

from __future__ import annotations

import asyncio
import math
import os
import sys
from array import array
from pathlib import Path

from support.desktop import Pulse, let_go, press_and_hold, tap
from support.desktop_client import desktop_client, read
from support.ears import DISTRACTORS, which, which_in
from support.light_server import LightServer, light_server
from support.voices import say_into
from zero_one.audio.formats import bytes_of, ms_of, read_wav, silence, wav_bytes
from zero_one.audio.level import rms_dbfs
from zero_one.audio.vad import trim
from zero_one.protocol import events as ev
from zero_one.protocol.lmc import Message

ASKED = "what is the weather like tomorrow"
ANSWERED = "it will be sunny in the afternoon"
SENTENCES = (ASKED, ANSWERED, *DISTRACTORS)


def loud(pcm: bytes) -> bytes:
    """16 kHz PCM without its silence: on a busy machine sound is played with gaps, but nothing of it is lost."""
    frames = (pcm[at : at + 640] for at in range(0, len(pcm) - 639, 640))
    return b"".join(frame for frame in frames if rms_dbfs(frame) > -50)


def sounding_ms(pcm: bytes) -> int:
    return ms_of(loud(pcm), 16_000)


async def test_a_turn_with_a_real_key_and_real_sound(pulse: Pulse, display: str, tmp_path: Path) -> None:
    """Somebody holds F9 and speaks; the server hears the words; its answer is heard at the loudspeaker."""
    question = tmp_path / "question.wav"
    # Who lets go in the middle of a word loses its end; here a second goes by, for a machine that is slow to deliver.
    question.write_bytes(wav_bytes(read_wav(say_into(question, ASKED), 16_000) + silence(1_000, 16_000), 16_000))
    speech = read_wav(say_into(tmp_path / "answer.wav", ANSWERED, "awb"), 24_000)
    clock = asyncio.get_running_loop().time
    came = 0.0

    async def react(server: LightServer, event: ev.DeviceEvent) -> None:
        nonlocal came
        if isinstance(event, ev.Released):
            came = clock()
        if isinstance(event, ev.TailClosed):
            await server.say(ev.Show(Message("user", "message", content="[heard]")), ev.State("thinking"))
            await server.say(ev.State("speaking"), ev.SpeechStart(1), ev.SpeechPcm(1, speech), ev.SpeechEnd(1))

    async with light_server(react) as server, desktop_client(server.url, pulse, display, tmp_path) as log:
        await server.wait_for_kind(ev.Hello)
        with pulse.record_speaker(tmp_path / "heard.wav"):
            await asyncio.to_thread(press_and_hold, display, "F9")
            await server.wait_for_kind(ev.Pressed)
            speaker = pulse.play_into_microphone(question)
            assert await asyncio.to_thread(speaker.wait, 60) == 0
            let_go_at = clock()
            await asyncio.to_thread(let_go, display, "F9")
            await server.wait_for_kind(ev.TailClosed)
            length = ms_of(speech, 24_000)
            await server.wait_for(
                lambda events: any(isinstance(e, ev.Played) and e.played_ms == length for e in events)
            )
        released = await server.wait_for_kind(ev.Released)
        assert "You: [heard]" in read(log)
    # The key went up after it was told to, and was believed 50 ms later.
    assert 45 <= released.ago_ms <= (came - let_go_at) * 1000
    assert which(server.heard(), SENTENCES) == ASKED
    answer, heard = (read_wav(tmp_path / name, 16_000) for name in ("answer.wav", "heard.wav"))
    assert which(trim(heard), SENTENCES) == ANSWERED
    assert abs(sounding_ms(heard) - sounding_ms(answer)) < 250
    assert abs(rms_dbfs(loud(heard)) - rms_dbfs(loud(answer))) < 3


async def test_the_first_syllable_before_the_key_is_not_lost(pulse: Pulse, display: str, tmp_path: Path) -> None:
    """Sound that was there before the press is the beginning of what arrives."""
    second = array("h", (round(9_000 * math.sin(2 * math.pi * 440 * at / 16_000)) for at in range(16_000))).tobytes()
    (tmp_path / "tone.wav").write_bytes(wav_bytes(second * 120, 16_000))
    async with light_server() as server, desktop_client(server.url, pulse, display, tmp_path):
        await server.wait_for_kind(ev.Hello)
        singer = pulse.play_into_microphone(tmp_path / "tone.wav")
        loop = asyncio.get_running_loop()
        # The tone must have been on its way for longer than the pre-roll, and for longer than the client may lag.
        await asyncio.to_thread(pulse.until_heard, 2.0)
        await asyncio.to_thread(press_and_hold, display, "F9")
        await server.wait_for_kind(ev.Pressed)
        began = loop.time()
        await server.wait_for_kind(ev.Pcm, 30)
        # It was down when the server knew of it, and is so still.
        held_ms = (loop.time() - began) * 1000
        await asyncio.to_thread(let_go, display, "F9")
        await server.wait_for_kind(ev.TailClosed)
        singer.terminate()
        await asyncio.to_thread(singer.wait, 60)
    pcm = server.heard()
    assert rms_dbfs(pcm[: bytes_of(250, 16_000)]) > -25
    assert ms_of(pcm, 16_000) > held_ms + 150


async def test_a_press_silences_the_loudspeaker_at_once(pulse: Pulse, display: str, tmp_path: Path) -> None:
    """Half a minute of speech has arrived; after a press less than half a second of it is still to be heard."""
    speech = read_wav(say_into(tmp_path / "long.wav", "one two three four five six seven eight nine ten " * 12), 24_000)
    assert ms_of(speech, 24_000) > 25_000
    async with light_server() as server, desktop_client(server.url, pulse, display, tmp_path):
        await server.wait_for_kind(ev.Hello)
        with pulse.record_speaker(tmp_path / "heard.wav"):
            await server.say(ev.State("speaking"), ev.SpeechStart(1), ev.SpeechPcm(1, speech), ev.SpeechEnd(1))
            await server.wait_for(lambda events: any(isinstance(e, ev.Played) and e.played_ms > 900 for e in events))
            await asyncio.to_thread(press_and_hold, display, "F9")
            await server.wait_for_kind(ev.Pressed)
            played = [event for event in server.events if isinstance(event, ev.Played)][-1]
            await server.wait_for_kind(ev.Pcm, 60)
            await asyncio.to_thread(let_go, display, "F9")
            await server.wait_for_kind(ev.TailClosed)
    assert 900 < played.played_ms < 20_000, "the press came when nothing was left to be silenced"
    spoken, heard = (read_wav(tmp_path / name, 16_000) for name in ("long.wav", "heard.wav"))
    assert abs(sounding_ms(heard) - sounding_ms(spoken[: bytes_of(played.played_ms, 16_000)])) < 500


async def test_the_toggle_command_works_without_any_key(pulse: Pulse, display: str, tmp_path: Path) -> None:
    async with light_server() as server, desktop_client(server.url, pulse, display, tmp_path):
        await server.wait_for_kind(ev.Hello)
        env = {**os.environ, "ZERO_ONE_HOME": str(tmp_path)}
        for wanted in (ev.Pressed, ev.TailClosed):
            command = await asyncio.create_subprocess_exec(sys.executable, "-m", "zero_one_desktop", "toggle", env=env)
            assert await command.wait() == 0
            await server.wait_for_kind(wanted)


def test_the_recogniser_used_here_can_tell_the_sentences_apart(tmp_path: Path) -> None:
    """What the other tests lean on: no sentence is simply always chosen."""
    for number, sentence in enumerate((ASKED, ANSWERED, *DISTRACTORS[:1])):
        assert which_in(say_into(tmp_path / f"{number}.wav", sentence, "rms"), SENTENCES) == sentence


async def test_a_question_is_agreed_to_by_holding_a_real_key_and_refused_by_a_tap(
    pulse: Pulse, display: str, tmp_path: Path
) -> None:
    """The question is played, F9 is held for two seconds in silence, and let go; the next one is tapped away. Three
    keys together stop everything."""
    spoken = read_wav(say_into(tmp_path / "question.wav", "may I delete it"), 24_000)

    async def ask(server: LightServer, ident: str, generation: int) -> None:
        content = {"question": "May I delete it?", "hand": "hold", "word": "delete", "own": True, "expires": 60}
        await server.say(
            ev.Show(Message("server", "approval", content=content, id=ident)), ev.State("speaking"),
            ev.SpeechStart(generation), ev.SpeechPcm(generation, spoken), ev.SpeechEnd(generation), ev.State("asking"),
        )  # fmt: skip
        length = ms_of(spoken, 24_000)
        await server.wait_for(lambda events: ev.Played(generation, length) in events)
        # It counts 0.7 s after it was heard, which the client may find a while later. Nothing tells of it.
        await asyncio.sleep(2.5)

    async with light_server() as server, desktop_client(server.url, pulse, display, tmp_path) as log:
        await server.wait_for_kind(ev.Hello)
        await ask(server, "q1", 1)
        await asyncio.to_thread(press_and_hold, display, "F9")
        # Two seconds are enough; the client may see the press a while after it happened.
        await server.wait_for_kind(ev.Pressed)
        await asyncio.sleep(3.5)
        await asyncio.to_thread(let_go, display, "F9")
        answer = await server.wait_for_kind(ev.Answer)
        assert (answer.id, answer.answer, answer.hand) == ("q1", "yes", "hold")
        assert answer.held_ms >= 2_000
        await ask(server, "q2", 2)
        before = len(server.events)
        await asyncio.to_thread(tap, display, "F9")
        await server.wait_for(lambda events: ev.Stop(silence_only=True) in events[before:])
        for key in ("ctrl", "alt", "period"):
            await asyncio.to_thread(press_and_hold, display, key)
        for key in ("period", "alt", "ctrl"):
            await asyncio.to_thread(let_go, display, key)
        await server.wait_for(lambda events: ev.Stop(everything=True) in events)
        assert "type delete" in read(log)
