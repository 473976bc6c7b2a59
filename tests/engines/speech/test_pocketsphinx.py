"""pocketsphinx for real: commands from several voices are heard, open speech and noise are not taken for one.

Tuned on flite's slt and awb; heard here are rms, kal16 and people.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from support.voices import human_clips, noise, read, say, silence
from zero_one.speech.stt.base import HearOptions, Transcript
from zero_one.speech.stt.pocketsphinx import PocketSphinx

GRAMMAR = """#JSGF V1.0;
grammar test;
<number> = one | two | five | ten | twelve | fifteen | twenty | thirty | forty five;
<lead> = please | could you | can you | uh | um | hey;
<tail> = please | thanks;
<time> = what time is it | tell me the time | what day is it;
<timer> = set a timer for <number> (minutes | seconds) | start a <number> minute timer | cancel the timer;
<volume> = volume up | volume down | set the volume to <number> percent | mute;
<open> = open the (browser | calculator | terminal) | open my downloads;
<other> = take a Screenshot | lock the screen | how much disk space is left | add a task to Zorkmid | stop | cancel;
public <command> = [<lead>] (<time> | <timer> | <volume> | <open> | <other>) [<tail>];
"""
COMMANDS = (
    "what time is it", "tell me the time", "set a timer for twelve minutes", "start a five minute timer",
    "cancel the timer", "volume up", "set the volume to thirty percent", "open the calculator", "take a screenshot",
    "lock the screen", "how much disk space is left", "stop", "could you tell me the time please",
)  # fmt: skip
OPEN_SPEECH = (
    "write me a poem about the sea", "what is the capital of france", "who won the football game last night",
    "explain quantum mechanics to a child", "book a flight to berlin tomorrow", "what should i cook for dinner",
    "the quick brown fox jumps over the lazy dog", "tell me a story about dragons", "set the table for dinner",
    "what time does the train leave", "stop worrying about the future", "open source software is great",
    "i think the alarm scared the cat", "lock your doors at night", "the volume of a sphere depends on its radius",
)  # fmt: skip


@pytest.fixture(scope="module")
def ears() -> Iterator[PocketSphinx]:
    """One engine for all: its worker thread belongs to no event loop."""
    engine = PocketSphinx(GRAMMAR)
    yield engine
    asyncio.run(engine.close())


async def hear(ears: PocketSphinx, pcm: bytes, piece: int = 6400) -> Transcript:
    utterance = ears.start(HearOptions())
    for start in range(0, len(pcm), piece):
        utterance.feed(pcm[start : start + piece])
    return await utterance.finish()


VOICES = ("rms", "kal16")
"""Taken in turns."""


async def test_commands_are_heard(ears: PocketSphinx) -> None:
    missed = {}
    for index, command in enumerate(COMMANDS):
        heard = await hear(ears, silence(300) + say(command, VOICES[index % 2]) + silence(300))
        if heard.text != command:
            missed[command] = heard.text
        else:
            assert heard.from_grammar or command in ("stop",), command
            assert heard.engine == "pocketsphinx"
    assert len(missed) <= 2, missed


async def test_open_speech_is_no_command(ears: PocketSphinx) -> None:
    taken = {}
    for index, sentence in enumerate(OPEN_SPEECH):
        heard = await hear(ears, say(sentence, VOICES[index % 2]))
        if heard.from_grammar:
            taken[sentence] = heard.text
        assert heard.text, "what is no command comes back as dictation"
    assert not taken


async def test_people_are_not_taken_for_commands(ears: PocketSphinx, capsys: pytest.CaptureFixture[str]) -> None:
    """Recorded human speech, none of which is in the grammar: every false accept is printed."""
    clips = human_clips()
    accepted = {}
    for clip in clips:
        heard = await hear(ears, read(clip))
        if heard.from_grammar:
            accepted[clip.name] = heard.text
    with capsys.disabled():
        print(f"\nfalse accepts on {len(clips)} human clips: {len(accepted)} {accepted or ''}")
    assert len(accepted) <= 1, accepted


@pytest.mark.parametrize("pcm", [b"", b"\0", silence(3000), noise(3000, 30), noise(30, 9000) + silence(500)])
async def test_nothing_said_is_nothing_heard(ears: PocketSphinx, pcm: bytes) -> None:
    heard = await hear(ears, pcm)
    assert heard.text == ""
    assert not heard.from_grammar


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_noise_is_no_command(ears: PocketSphinx, seed: int) -> None:
    assert not (await hear(ears, noise(2500, 4000, seed))).from_grammar


async def test_two_at_once_never_mix(ears: PocketSphinx) -> None:
    """Two utterances fed in turns, one of them cancelled in between others: each hears its own."""
    texts = ("what time is it", "open the calculator")
    pcm = [say(text, "rms") for text in texts]
    both = [ears.start(HearOptions()) for _ in texts]
    third = ears.start(HearOptions())
    third.feed(say("lock the screen", "rms"))
    for start in range(0, max(map(len, pcm)), 3200):
        for utterance, data in zip(both, pcm, strict=True):
            utterance.feed(data[start : start + 3200])
        await asyncio.sleep(0)
    third.cancel()
    heard = await asyncio.gather(*(utterance.finish() for utterance in both))
    assert tuple(one.text for one in heard) == texts
    assert (await third.finish()).text == ""


async def test_partials_grow_while_the_button_is_held(ears: PocketSphinx) -> None:
    said: list[str] = []
    utterance = ears.start(HearOptions(), said.append)
    pcm = say("the quick brown fox jumps over the lazy dog", "rms")
    for start in range(0, len(pcm), 9600):
        utterance.feed(pcm[start : start + 9600])
        if utterance._pending is not None:  # the worker has come this far
            await asyncio.wrap_future(utterance._pending)
    await utterance.finish()
    assert len(said) >= 3
    assert len(said[0]) < len(said[-1])


async def test_the_same_sound_gives_the_same_text_whatever_came_before(ears: PocketSphinx) -> None:
    pcm = say("what is the capital of france", "kal16")
    first = await hear(ears, pcm)
    await hear(ears, noise(1500, 8000) + say("lock the screen", "rms"))
    assert (await hear(ears, pcm)).text == first.text


async def test_a_new_grammar_counts_from_the_next_utterance() -> None:
    ears = PocketSphinx()
    pcm = say("purple elephants dance", "rms")
    assert not (await hear(ears, pcm)).from_grammar
    ears.set_grammar("#JSGF V1.0; grammar a; public <a> = purple Elephants dance | green qwertyzork sleep;")
    heard = await hear(ears, pcm)
    assert (heard.text, heard.from_grammar) == ("purple elephants dance", True)
    ears.set_grammar("#JSGF V1.0; grammar broken; public <a> = (((;")
    assert not (await hear(ears, pcm)).from_grammar, "a broken grammar leaves dictation"
    await ears.close()


async def test_a_long_monologue_stays_bounded_and_whole(ears: PocketSphinx) -> None:
    """Half a minute with pauses: dictation comes back in order, and no command is found in it."""
    sentences = ("the train leaves from platform seven", "the museum closes at five", "my sister plays the violin") * 4
    pcm = b"".join(say(sentence, "rms") + silence(500) for sentence in sentences)
    assert len(pcm) > 30 * 32_000
    heard = await hear(ears, pcm, piece=16_000)
    assert not heard.from_grammar
    assert heard.audio_ms == len(pcm) // 32
    assert len(heard.text.split()) > 36
