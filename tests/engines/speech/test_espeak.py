"""espeak-ng for real: it speaks at once, in pieces, with the voice and speed asked for, and it is understood."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support.voices import at_16k
from zero_one.speech.speakable import speakable
from zero_one.speech.stt.base import HearOptions, SpeechError
from zero_one.speech.stt.pocketsphinx import PocketSphinx
from zero_one.speech.tts import espeak
from zero_one.speech.tts.base import Voice
from zero_one.speech.tts.espeak import EspeakNG

SENTENCES = (
    "It is twenty past four in the afternoon.",
    "The timer is set for ten minutes.",
    "I have opened the browser.",
    "There are eleven gigabytes left on the disk.",
)
DISTRACTORS = (
    "the train leaves from platform seven", "my sister plays the violin", "there is no milk in the fridge",
    "the museum closes at five", "we planted three apple trees", "the lecture was about volcanoes",
    "he painted the old fence green", "rain is expected on thursday", "the cat sleeps under the piano",
    "please bring a warm coat", "the bakery opens before sunrise", "our neighbors moved to canada",
    "she writes poems about winter", "the bridge is under repair", "he forgot his umbrella again",
    "a letter arrived from the bank", "the soup needs more pepper", "they climbed the northern ridge",
    "the library lends out tools", "his bicycle has a flat tire", "the timer is ringing next door",
)  # fmt: skip


async def sound(engine: EspeakNG, text: str, voice: Voice | None = None) -> bytes:
    return b"".join([piece async for piece in engine.speak(text, voice or Voice())])


@pytest.mark.parametrize("sentence", SENTENCES)
async def test_it_is_understood_among_distractors(sentence: str) -> None:
    """A recogniser picks what was said out of two dozen sentences."""
    plain = [speakable(text).lower().rstrip(".") for text in SENTENCES]
    ears = PocketSphinx("#JSGF V1.0; grammar s; public <s> = " + " | ".join([*plain, *DISTRACTORS]) + ";", accept=0.0)
    engine = EspeakNG()
    await engine.warm()
    pcm = at_16k(await sound(engine, sentence), engine.sample_rate)
    utterance = ears.start(HearOptions())
    utterance.feed(pcm)
    heard = await utterance.finish()
    await ears.close()
    assert heard.text == speakable(sentence).lower().rstrip(".")


async def test_sound_comes_in_pieces_and_stops_when_nobody_listens() -> None:
    engine = EspeakNG()
    await engine.warm()
    assert engine.sample_rate == 22050
    text = "This sentence is quite long, and nobody wants to hear all of it. " * 30
    pieces = [piece async for piece in engine.speak(text, Voice())]
    assert len(pieces) > 100
    assert max(map(len, pieces)) < engine.sample_rate // 5 * 2, "no piece holds more than 200 ms"
    assert all(len(piece) % 2 == 0 for piece in pieces)
    opened = engine.speak(text, Voice())
    await anext(opened)
    await opened.aclose()
    assert await sound(engine, "Next."), "and it goes on at once with something else"


async def test_speed_and_voices() -> None:
    engine = EspeakNG()
    normal = await sound(engine, SENTENCES[0])
    fast = await sound(engine, SENTENCES[0], Voice(rate=2.0))
    slow = await sound(engine, SENTENCES[0], Voice(rate=0.6))
    assert len(fast) < len(normal) * 0.65
    assert len(slow) > len(normal) * 1.3


@pytest.mark.parametrize(
    ("voice", "tried"),
    [
        (Voice(), ["en-us", "en"]),
        (Voice(id="de"), ["de", "en"]),
        (Voice(language="de"), ["de", "en"]),
        (Voice(id="en-gb-scotland", language="en"), ["en-gb-scotland", "en"]),
        (Voice(id="en_US-amy-medium"), ["en_US-amy-medium", "en-us", "en"]),
        (Voice(id="--help"), ["en-us", "en"]),
    ],
)
async def test_which_voices_are_tried(voice: Voice, tried: list[str]) -> None:
    """The one asked for, its language (piper's names are understood), English; never an option of the command."""
    names = espeak.voice_names(voice)
    assert [name for name in names if name in tried] == tried
    assert not any(name.startswith("-") for name in names)


async def test_voices_sound_different() -> None:
    engine = EspeakNG()
    text = "Guten Morgen, wie geht es Ihnen heute?"
    lengths = {name: len(await sound(engine, text, Voice(id=name))) for name in ("en-us", "de", "fr", "en-gb-scotland")}
    assert len(set(lengths.values())) >= 3


async def test_an_unknown_voice_still_speaks(caplog: pytest.LogCaptureFixture) -> None:
    assert await sound(EspeakNG(), "Hello", Voice(id="nobody"))
    assert "no voice 'nobody'" in caplog.text


@pytest.mark.parametrize(
    "text", ["", "   ", "\0", "…", "<speak>&amp;</speak>", "[[nonsense]]", "\ud800 x", "🎉", "a" * 5000]
)
async def test_any_text_is_survived(text: str) -> None:
    engine = EspeakNG()
    pcm = await sound(engine, text)
    assert len(pcm) % 2 == 0
    assert await sound(engine, "Still here.")


async def test_many_at_once_never_mix() -> None:
    """The library is one state machine; every stream is as long as it is alone (its noise is random)."""
    engines = [EspeakNG() for _ in range(6)]
    texts = ["a word " * (n + 1) for n in range(6)]
    alone = [len(await sound(engine, text)) for engine, text in zip(engines, texts, strict=True)]
    together = await asyncio.gather(*(sound(engine, text) for engine, text in zip(engines, texts, strict=True)))
    assert alone == sorted(alone)
    for expected, pcm in zip(alone, together, strict=True):
        assert abs(len(pcm) - expected) <= expected * 0.01


async def test_the_command_takes_over_where_the_library_is_missing() -> None:
    engine = EspeakNG(in_process=False)
    await engine.warm()
    pcm = await sound(engine, "Hello there.", Voice(id="nobody"))
    assert len(pcm) > engine.sample_rate, "half a second at least"
    opened = engine.speak("A long sentence that nobody hears to its end. " * 50, Voice())
    await anext(opened)
    await opened.aclose()


async def test_without_either_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SpeechError, match="install espeak-ng"):
        await EspeakNG(in_process=False).warm()


async def test_voices_are_listed() -> None:
    voices = dict(await espeak.list_voices())
    assert len(voices) > 80
    assert voices["de"] == "German"
