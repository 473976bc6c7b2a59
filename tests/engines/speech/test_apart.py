"""pocketsphinx in a process of its own: the loop goes on while it decodes, and what was said outlives its death."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

import zero_one.app
from zero_one.audio.formats import read_wav
from zero_one.speech.stt import apart
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


async def test_a_process_that_keeps_dying_is_told_and_the_next_utterance_is_heard(
    engine: Apart, pcm: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each one dies as soon as it is there, before it hears a word."""
    real = apart._Child.start
    started: list[int] = []

    async def short_lived(*given: Any) -> Any:
        child = await real(*given)
        started.append(child.pid)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child.pid, signal.SIGKILL)
        return child

    with monkeypatch.context() as deadly:
        deadly.setattr(apart._Child, "start", short_lived)
        utterance = engine.start(HearOptions())
        utterance.feed(pcm)
        with pytest.raises(SpeechError):
            await utterance.finish()
        assert len(started) > 1, "it was not tried again"
    again = engine.start(HearOptions())
    again.feed(pcm)
    assert (await again.finish()).text == SAID


async def test_the_loop_goes_on_while_it_decodes(engine: Apart, pcm: bytes) -> None:
    """Nothing holds this process's interpreter lock: the other one does the work, and the loop turns meanwhile."""
    await engine.warm()
    (child,) = children()
    utterance = engine.start(HearOptions())
    spent, own = child.cpu_times().user, time.thread_time()
    utterance.feed(pcm * 4)
    finishing = asyncio.create_task(utterance.finish())
    turns = 0
    while not finishing.done():
        await asyncio.sleep(0.01)
        turns += 1
    spent, own = child.cpu_times().user - spent, time.thread_time() - own
    assert turns > 3
    assert spent > own, f"the other process worked for {spent:.2f} s, this thread for {own:.2f} s"
    assert spent > 0.1


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
