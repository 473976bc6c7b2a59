"""The first 01's ESP32 and desktop client, frame by frame, against a real server on a real connection."""

from __future__ import annotations

import asyncio

import pytest
from websockets.asyncio.client import connect

from support.light import (
    DESKTOP_CHUNK,
    DESKTOP_END,
    DESKTOP_START,
    ESP32_END,
    ESP32_START,
    Light,
    desktop,
    desktop_says,
    esp32,
    esp32_says,
    light,
)
from support.players import MS_A_CHAR, RATE, Ears, ScriptedMind, Throat, plain, says
from support.voices import recorded, say
from zero_one.conversation import Services


def house(*heard: str, answer: str = "Here I am.", then: str = "Here I am.") -> Services:
    """Hears ``heard``, one after the other; the first is answered with ``answer``, the others with ``then``."""
    mind = ScriptedMind(says(answer), *[says(then)] * (len(heard) - 1))
    throat = Throat()
    return Services(Ears(*heard, takes_s=0.01), throat, plain, interpreter=mind)


def ears(server: Light) -> Ears:
    assert isinstance(server.services.recognizer, Ears)
    return server.services.recognizer


def throat(server: Light) -> Throat:
    assert isinstance(server.services.synthesizer, Throat)
    return server.services.synthesizer


def utterances() -> dict[str, bytes]:
    """Human recordings where there are some, and flite always."""
    human = recorded("goforward.wav", "jfk.wav", "cards_002.wav", "digit_seven_petewarden.wav")
    return {"flite": say("what time is it in the kitchen"), **human}


async def test_esp32_what_reaches_the_recogniser_is_what_was_sent_to_the_bit() -> None:
    """The tail that follows the end header included."""
    spoken = utterances()
    async with light(house(*["hello"] * len(spoken))) as server, esp32(server) as client:
        for pcm in spoken.values():
            await esp32_says(client, pcm)
            await client.until_end(more_than=len(client.played))
        assert ears(server).heard == list(spoken.values())


async def test_desktop_what_reaches_the_recogniser_is_what_was_sent_to_the_bit() -> None:
    spoken = utterances()
    async with light(house(*["hello"] * len(spoken))) as server, desktop(server, auth=True) as client:
        for pcm in spoken.values():
            await desktop_says(client, pcm)
            await client.until_end(more_than=len(client.played))
        assert ears(server).heard == list(spoken.values())


async def test_desktop_a_backlog_in_one_burst_is_part_of_the_utterance() -> None:
    """A press first delivers what the capture held: 13 s at once, with the speech at the end."""
    burst = bytes(13 * 32_000) + bytes(range(256)) * 125
    async with light(house("hello")) as server, desktop(server) as client:
        await desktop_says(client, burst)
        await client.until_end()
        assert ears(server).heard == [burst]


async def test_a_device_that_comes_back_in_the_middle_of_a_press_is_kept() -> None:
    """Its network was away for a moment: it goes on sending sound, and its end, on a connection that knows no start."""
    async with light(house("hello", "hello")) as server, desktop(server) as client:
        for _ in range(200):
            await client.socket.send(bytes(DESKTOP_CHUNK))
        await client.socket.send(DESKTOP_END)
        await client.socket.send(DESKTOP_START)
        await client.socket.send(bytes(32_000))
        await client.socket.send(DESKTOP_END)
        errors = 0
        while '"error"' in (frame := str(await asyncio.wait_for(client.socket.recv(), 30))):
            errors += 1
            assert '"audio"' not in frame
        assert errors == 2, "the sound and its end are answered once each, not each frame"
        assert ears(server).heard == [bytes(32_000)]


async def test_a_wav_header_is_not_sound() -> None:
    """A device that sends a whole WAV file under the same label."""
    pcm = bytes(range(256)) * 200
    header = b"RIFF" + (36 + len(pcm)).to_bytes(4, "little") + b"WAVEfmt " + (16).to_bytes(4, "little")
    header += b"\x01\x00\x01\x00\x80\x3e\x00\x00\x00\x7d\x00\x00\x02\x00\x10\x00data" + len(pcm).to_bytes(4, "little")
    async with light(house("hello")) as server, desktop(server) as client:
        await desktop_says(client, header + pcm)
        await client.until_end()
        assert ears(server).heard == [pcm]


async def test_the_answer_is_what_was_said_in_frames_it_can_bear() -> None:
    """``OldClient`` checks each frame; here the sound is the voice's, complete and once."""
    async with light(house("hello", answer="One. Two.")) as server, esp32(server) as client:
        await esp32_says(client, bytes(40_000))
        played = await client.until_end()
        assert throat(server).texts == ["One.", "Two."]
        assert len(played) == 8 * MS_A_CHAR * RATE // 1000 * 2
        samples = [int.from_bytes(played[i : i + 2], "little") for i in range(0, len(played), 2)]
        assert samples == [n % 30_000 for n in range(len(samples))]


async def test_pressing_over_the_answer_ends_it_and_no_stale_sound_follows() -> None:
    services = house("tell me a story", "stop it please", answer="word " * 100)
    clock = asyncio.get_running_loop().time
    async with light(services) as server, esp32(server) as client:
        began = clock()
        await esp32_says(client, bytes(40_000))
        while len(client.played) < 30_000:
            await client.take()
        await client.socket.send(ESP32_START)
        while client.playing:
            await client.take()
        # What was heard, and what was on its way: no more than 400 ms ahead of the ear.
        lasted_ms = (clock() - began) * 1000
        assert lasted_ms < 20_000, "a machine on which this proves nothing"
        assert len(client.played) <= 48 * (lasted_ms + 400)
        heard, said = len(client.played), throat(server).count
        await client.socket.send(bytes(40_000))
        await client.socket.send(ESP32_END)
        await client.until_end(more_than=heard)
        fresh = int.from_bytes(client.played[heard : heard + 2], "little")
        assert fresh == said % 30_000, "sound of the first answer after the press"
        history = server.conversations.get("level0-127.0.0.1").history
        first = next(entry.text for entry in history if entry.message.role == "assistant")
        assert 0 < len(first) <= lasted_ms / MS_A_CHAR + len("word ")


async def test_two_old_devices_from_one_address_never_mix() -> None:
    """Both connected, both talking at once: each hears its own answer only."""
    services = house("alpha", "beta")
    async with light(services) as server, esp32(server) as one, desktop(server) as two:
        await asyncio.sleep(0)
        await asyncio.gather(esp32_says(one, b"\x01\x00" * 20_000), desktop_says(two, b"\x02\x00" * 20_000))
        await asyncio.gather(one.until_end(), two.until_end())
        assert sorted(ears(server).heard) == [b"\x01\x00" * 20_000, b"\x02\x00" * 20_000]
        length = len("Here I am.") * MS_A_CHAR * RATE // 1000 * 2
        assert len(one.played) == len(two.played) == length
        for name in ("level0-127.0.0.1", "level0-127.0.0.1-2"):
            users = [e.text for e in server.conversations.get(name).history if e.message.role == "user"]
            assert len(users) == 1


async def test_an_old_device_that_reconnects_finds_its_conversation() -> None:
    async with light(house("alpha", "beta")) as server:
        for _ in range(2):
            async with esp32(server) as client:
                await esp32_says(client, bytes(20_000))
                await client.until_end()
        history = server.conversations.get("level0-127.0.0.1").history
        assert [entry.text for entry in history if entry.message.role == "user"] == ["alpha", "beta"]


async def test_said_and_gone_the_answer_waits_for_the_return() -> None:
    """The link breaks between press and release: what was said is answered when the device is back."""
    async with light(house("half a sentence")) as server:
        async with esp32(server) as client:
            await client.socket.send(ESP32_START)
            await client.socket.send(bytes(32_000))
        async with esp32(server) as client:
            played = await client.until_end()
        assert ears(server).heard == [bytes(32_000)]
        assert len(played) == len("Here I am.") * MS_A_CHAR * RATE // 1000 * 2


@pytest.mark.parametrize("start", [ESP32_START, DESKTOP_START])
async def test_a_press_without_a_release_is_closed_by_the_next(start: str) -> None:
    end = ESP32_END if start == ESP32_START else DESKTOP_END
    async with light(house("first", "second")) as server, desktop(server) as client:
        await client.socket.send(start)
        await client.socket.send(b"\x01\x00" * 8000)
        await client.socket.send(start)
        await client.socket.send(b"\x02\x00" * 8000)
        await client.socket.send(end)
        await client.until_end()
        assert ears(server).heard == [b"\x01\x00" * 8000, b"\x02\x00" * 8000]


async def test_a_strange_page_may_not_connect_and_the_esp32_that_says_file_may() -> None:
    """Also a page of another port of this machine is a stranger: many programs put pages there."""
    async with light(house("hello")) as server:
        strange = ["https://evil.example", "http://127.0.0.1.evil.example", "null", "http://[::1"]
        strange += ["http://localhost:8081", "http://127.0.0.1:3000", "http://[::1]:80"]
        for origin in strange:
            with pytest.raises(Exception, match="403"):
                await connect(server.url, origin=origin).__aenter__()
        for origin in (server.http, "file://"):
            async with connect(server.url, origin=origin) as socket:
                assert socket.subprotocol is None
    assert DESKTOP_CHUNK == 2048
