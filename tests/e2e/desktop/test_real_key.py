"""The client on a desktop: a real key press, a virtual microphone and a virtual loudspeaker, a real WebSocket."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from support.desktop import Pulse, let_go, press_and_hold, tap
from support.desktop_client import desktop_client
from support.ears import DISTRACTORS, which, which_in
from support.light_server import LightServer, light_server
from support.voices import say_into
from zero_one.audio.formats import bytes_of, ms_of, read_wav, wav_bytes
from zero_one.audio.level import rms_dbfs
from zero_one.audio.vad import trim
from zero_one.protocol import events as ev
from zero_one.protocol.lmc import Message

ASKED = "what is the weather like tomorrow"
ANSWERED = "it will be sunny in the afternoon"
SENTENCES = (ASKED, ANSWERED, *DISTRACTORS)


async def test_a_turn_with_a_real_key_and_real_sound(pulse: Pulse, display: str, tmp_path: Path) -> None:
    """Somebody holds F9 and speaks; the server hears the words; its answer is heard at the loudspeaker."""
    question = say_into(tmp_path / "question.wav", ASKED)
    speech = read_wav(say_into(tmp_path / "answer.wav", ANSWERED, "awb"), 24_000)

    async def react(server: LightServer, event: ev.DeviceEvent) -> None:
        if isinstance(event, ev.TailClosed):
            await server.say(ev.Show(Message("user", "message", content="[heard]")), ev.State("thinking"))
            await server.say(ev.State("speaking"), ev.SpeechStart(1), ev.SpeechPcm(1, speech), ev.SpeechEnd(1))

    async with light_server(react) as server, desktop_client(server.url, pulse, display, tmp_path) as log:
        await server.wait_for_kind(ev.Hello)
        with pulse.record_speaker(tmp_path / "heard.wav"):
            await asyncio.to_thread(press_and_hold, display, "F9")
            await server.wait_for_kind(ev.Pressed)
            speaker = pulse.play_into_microphone(question)
            await asyncio.to_thread(speaker.wait, 20)
            await asyncio.to_thread(let_go, display, "F9")
            await server.wait_for_kind(ev.TailClosed)
            length = ms_of(speech, 24_000)
            await server.wait_for(
                lambda events: any(isinstance(e, ev.Played) and e.played_ms == length for e in events), 20
            )
        released = await server.wait_for_kind(ev.Released)
        assert "You: [heard]" in log.read_text()
    assert 45 <= released.ago_ms <= 200
    assert which(server.heard(), SENTENCES) == ASKED
    heard = trim(read_wav(tmp_path / "heard.wav", 16_000))
    assert which(heard, SENTENCES) == ANSWERED
    assert abs(ms_of(heard, 16_000) - ms_of(trim(read_wav(tmp_path / "answer.wav", 16_000)), 16_000)) < 250
    assert abs(rms_dbfs(heard) - rms_dbfs(trim(read_wav(tmp_path / "answer.wav", 16_000)))) < 3


async def test_the_first_syllable_before_the_key_is_not_lost(pulse: Pulse, display: str, tmp_path: Path) -> None:
    """Sound that was there before the press is the beginning of what arrives."""
    import math
    from array import array

    tone = array("h", (round(9_000 * math.sin(2 * math.pi * 440 * at / 16_000)) for at in range(16_000 * 6))).tobytes()
    (tmp_path / "tone.wav").write_bytes(wav_bytes(tone, 16_000))
    async with light_server() as server, desktop_client(server.url, pulse, display, tmp_path):
        await server.wait_for_kind(ev.Hello)
        singer = pulse.play_into_microphone(tmp_path / "tone.wav")
        loop = asyncio.get_running_loop()
        # The tone must have been on its way for longer than the pre-roll.
        await asyncio.sleep(1.2)
        await asyncio.to_thread(press_and_hold, display, "F9")
        await server.wait_for_kind(ev.Pressed)
        began = loop.time()
        await server.wait_for_kind(ev.Pcm, 30)
        await asyncio.to_thread(let_go, display, "F9")
        await server.wait_for_kind(ev.TailClosed)
        held_ms = (loop.time() - began) * 1000
        singer.terminate()
        await asyncio.to_thread(singer.wait, 5)
    pcm = server.heard()
    assert rms_dbfs(pcm[: bytes_of(250, 16_000)]) > -25
    assert ms_of(pcm, 16_000) > held_ms + 150


async def test_a_press_silences_the_loudspeaker_at_once(pulse: Pulse, display: str, tmp_path: Path) -> None:
    """Ten seconds of speech have arrived; a press leaves less than a second of them to be heard."""
    speech = read_wav(say_into(tmp_path / "long.wav", "one two three four five six seven eight nine ten " * 3), 24_000)
    assert ms_of(speech, 24_000) > 8_000
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
    heard = trim(read_wav(tmp_path / "heard.wav", 16_000))
    assert 900 < played.played_ms < 3_000
    assert abs(ms_of(heard, 16_000) - played.played_ms) < 500


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
        await server.wait_for(lambda events: ev.Played(generation, length) in events, 20)
        # It counts 0.7 s after it was heard; the report may come a little earlier than the last sound.
        await asyncio.sleep(1.0)

    async with light_server() as server, desktop_client(server.url, pulse, display, tmp_path) as log:
        await server.wait_for_kind(ev.Hello)
        await ask(server, "q1", 1)
        await asyncio.to_thread(press_and_hold, display, "F9")
        await asyncio.sleep(2.4)
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
        assert "type delete" in log.read_text()
