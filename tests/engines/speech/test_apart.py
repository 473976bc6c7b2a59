"""pocketsphinx in a process of its own: the loop goes on while it decodes, and what was said outlives its death."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

import zero_one.app
from zero_one.audio.formats import read_wav
from zero_one.speech.stt.apart import Apart
from zero_one.speech.stt.base import HearOptions, SpeechError

GRAMMAR = "#JSGF V1.0; grammar c; public <c> = what time is it | volume up | stop;"
SAID = "what time is it"


@pytest.fixture(scope="module")
def pcm() -> bytes:
    return read_wav(Path(zero_one.app.__file__).parent / "data" / "what_time_is_it.wav", 16_000)


@pytest_asyncio.fixture
async def engine() -> AsyncIterator[Apart]:
    engine = Apart(GRAMMAR)
    yield engine
    await engine.close()


def children() -> list[psutil.Process]:
    return [p for p in psutil.Process().children() if is_recogniser(p)]


def is_recogniser(process: psutil.Process) -> bool:
    try:
        return "apart_main" in " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return False


async def test_it_hears_without_being_warmed_and_tells_partials(engine: Apart, pcm: bytes) -> None:
    partials: list[str] = []
    utterance = engine.start(HearOptions(), partials.append)
    for start in range(0, len(pcm), 3200):
        utterance.feed(pcm[start : start + 3200])
    transcript = await utterance.finish()
    assert (transcript.text, transcript.from_grammar) == (SAID, True)


async def test_utterances_side_by_side_never_mix(engine: Apart, pcm: bytes) -> None:
    said, silent = engine.start(HearOptions()), engine.start(HearOptions())
    for start in range(0, len(pcm), 3200):
        said.feed(pcm[start : start + 3200])
        silent.feed(bytes(3200))
    heard = await asyncio.gather(said.finish(), silent.finish())
    assert [t.text for t in heard] == [SAID, ""]


async def test_what_was_said_outlives_the_process(engine: Apart, pcm: bytes) -> None:
    await engine.warm()
    utterance = engine.start(HearOptions())
    utterance.feed(pcm[:20_000])
    (child,) = children()
    os.kill(child.pid, signal.SIGKILL)
    utterance.feed(pcm[20_000:])
    assert (await utterance.finish()).text == SAID


async def test_a_process_that_keeps_dying_is_told_and_the_next_utterance_is_heard(engine: Apart, pcm: bytes) -> None:
    utterance = engine.start(HearOptions())
    utterance.feed(pcm)
    finishing = asyncio.create_task(utterance.finish())
    while not finishing.done():
        for child in children():
            with contextlib.suppress(psutil.NoSuchProcess):  # it may have ended by itself: it lost its pipe
                child.kill()
        await asyncio.sleep(0)
    with pytest.raises(SpeechError):
        await finishing
    again = engine.start(HearOptions())
    again.feed(pcm)
    assert (await again.finish()).text == SAID


async def test_the_loop_goes_on_while_it_decodes(engine: Apart, pcm: bytes) -> None:
    """In this process nothing may hold the interpreter's lock: another thread's work is not ours to wait for."""
    await engine.warm()
    utterance = engine.start(HearOptions())
    utterance.feed(pcm * 4)
    finishing = asyncio.create_task(utterance.finish())
    before, own = 0, os.times()
    while not finishing.done():
        await asyncio.sleep(0.01)
        before += 1
    spent = os.times()
    assert before > 3
    assert (spent.user + spent.system) - (own.user + own.system) < 1.0, "the decoding was done in this process"


async def test_cancelling_and_closing_leave_nothing(pcm: bytes) -> None:
    engine = Apart(GRAMMAR)
    await engine.warm()
    utterance = engine.start(HearOptions())
    utterance.feed(pcm)
    utterance.cancel()
    await engine.close()
    assert children() == []
    with pytest.raises(SpeechError):
        await engine.warm()
