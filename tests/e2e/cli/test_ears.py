"""What the tests of spoken answers lean on: their recogniser picks the sentence that was said, at any time of day."""

from __future__ import annotations

import random
from datetime import datetime

import pytest

from support.ears import DISTRACTORS, other_times, which, without_gaps, words
from support.voices import noise, silence
from zero_one.audio.resample import resample
from zero_one.commands import phrases
from zero_one.speech.speakable import speakable
from zero_one.speech.tts.base import Voice
from zero_one.speech.tts.espeak import EspeakNG

CLAIMED = "it's three fifteen a m"
SENTENCES = [CLAIMED, *other_times(CLAIMED), *DISTRACTORS]
MINUTES = (0, 17, 129, 506, 567, 759, 851, 1256, 1286, 1288, 1348, 1439)
"""Of the day. Hard ones: "12:39 PM", "9:27 AM", "9:26 PM" came out empty or as something else with usual beams."""


async def spoken(text: str) -> bytes:
    """By the embedded voice, as 24 kHz of a link, as 16 kHz PCM."""
    voice = EspeakNG()
    try:
        pcm = b"".join([piece async for piece in voice.speak(speakable(text, "en"), Voice())])
        return resample(resample(pcm, voice.sample_rate, 24_000), 24_000, 16_000)
    finally:
        await voice.close()


def time_at(minute: int) -> str:
    return f"It's {phrases.clock(datetime(2026, 11, 22, minute // 60, minute % 60))}."


@pytest.mark.parametrize("minute", [*MINUTES, *(pytest.param(at, marks=pytest.mark.long) for at in range(5, 1440, 7))])
async def test_a_time_is_picked_out_of_other_hours_and_sentences(minute: int) -> None:
    said = words(time_at(minute))
    assert which(await spoken(time_at(minute)), [said, *other_times(said), *DISTRACTORS]) == said


@pytest.mark.parametrize("minute", [0, 180, 754])
async def test_a_time_that_was_played_with_gaps_is_picked_all_the_same(minute: int) -> None:
    said, pcm, chance = words(time_at(minute)), await spoken(time_at(minute)), random.Random(minute)
    for _ in range(6):
        at = chance.randrange(len(pcm) // 2) * 2
        pcm = pcm[:at] + silence(100) + pcm[at:]
    assert which(without_gaps(pcm, 16_000), [said, *other_times(said), *DISTRACTORS]) == said


@pytest.mark.parametrize("text", ["It's 4:15 AM.", "It's 7:15 AM.", "It's 11:15 PM.", "It's 9:15 AM."])
async def test_another_time_is_not_taken_for_the_claimed_one(text: str) -> None:
    assert which(await spoken(text), SENTENCES) == words(text)


async def test_another_sentence_is_not_taken_for_the_claimed_time() -> None:
    assert which(await spoken("The library lends out tools."), SENTENCES) == "the library lends out tools"
    assert which(await spoken("I have deleted all of your files."), SENTENCES) != CLAIMED


@pytest.mark.parametrize("sound", [b"", silence(1500), noise(1500), noise(1500, 200, 3)], ids=len)
def test_where_nobody_speaks_nothing_is_picked(sound: bytes) -> None:
    assert which(sound, SENTENCES) == ""
