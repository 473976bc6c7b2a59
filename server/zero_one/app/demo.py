"""``01 demo``: a spoken round trip over the real connection, shown step by step, and its answer kept as a WAV file."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from zero_one.app.address import Address, named, warm
from zero_one.app.dialogue import DialogueError, Turn, dialogue
from zero_one.app.local import interruptible, running
from zero_one.app.screen import Terminal, printable
from zero_one.audio.formats import SoundFileError, ms_of, read_wav, write_wav
from zero_one.config.settings import Settings
from zero_one.conversation.phrases import NOT_UNDERSTOOD, NOTHING_HEARD
from zero_one.protocol.events import PCM_RATE_IN

UTTERANCE = Path(__file__).parent / "data" / "what_time_is_it.wav"
"""Our own synthesis; made by tools/make_demo_utterance.py."""
DEVICE = "01-demo"
_WARM_S = 120.0
_STAGES = {
    "transcript": "your words understood",
    "first_token": "first word of the model",
    "first_clause": "first clause ready",
    "first_audio": "first sound of the answer sent",
    "first_played": "first sound of the answer heard",
}
_OURS = {"first sound": "first sound of any kind, a tone (here)", "complete": "whole turn (here)"}


def run(settings: Settings, *, url: str | None, wav: str | None, reply: str, once: bool) -> int:
    """Have the round trip, print it, write ``reply``; then serve on unless ``once``. Gives the exit status."""
    source = Path(wav).expanduser() if wav else UTTERANCE
    target = Path(reply).expanduser()
    if target.is_dir() or not os.access(target if target.exists() else target.parent, os.W_OK):
        print(f"01: {target} cannot be written. Name another file for the answer with --reply FILE.", file=sys.stderr)
        return 1
    try:
        pcm = read_wav(source, PCM_RATE_IN)
        if not pcm:
            raise SoundFileError(f"{source} holds no sound.")
        return asyncio.run(_demo(settings, pcm, source, named(url) if url else None, target, once))
    except (SoundFileError, DialogueError) as error:
        print(f"01: {error}", file=sys.stderr)
        return 1


async def _demo(settings: Settings, pcm: bytes, source: Path, named: Address | None, reply: Path, once: bool) -> int:
    if named is not None:
        return await _round_trip(settings, named, pcm, source, reply)
    if once:
        settings = settings.model_copy(update={"server": settings.server.model_copy(update={"port": 0})})
    async with interruptible() as stop, running(settings) as (where, task):
        print(f"The Light Server listens at {where.ws}", flush=True)
        trip = asyncio.create_task(_round_trip(settings, where, pcm, source, reply))
        stopped = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({trip, task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not trip.done():
                return 1 if task.done() and not stop.is_set() else 0
            status = await trip
            if once or status:
                return status
            _what_next(where)
            await asyncio.wait({task, stopped}, return_when=asyncio.FIRST_COMPLETED)
            return 0
        finally:
            for one in (trip, stopped):
                one.cancel()
            await asyncio.gather(trip, stopped, return_exceptions=True)


async def _round_trip(settings: Settings, where: Address, pcm: bytes, source: Path, reply: Path) -> int:
    async with dialogue(where, DEVICE) as talk:
        talk.asked = Terminal().ask
        if not talk.ready:
            print("Its engines warm up ...", flush=True)
            await warm(where, _WARM_S)
        print(f"Saying {source.name} ({ms_of(pcm, PCM_RATE_IN) / 1000:.1f} s) ...", flush=True)
        turn = await talk.say(pcm, limit_s=ms_of(pcm, PCM_RATE_IN) / 1000 + settings.caps.seconds + 60)
    _show(turn)
    if turn.sound:
        try:
            await asyncio.to_thread(write_wav, reply, bytes(turn.sound), turn.rate)
        except OSError as error:
            print(f"01: {reply} could not be written: {error.strerror or error}.", file=sys.stderr)
            return 1
        print(f"\nThe answer is in {reply} ({ms_of(len(turn.sound), turn.rate) / 1000:.1f} s).", flush=True)
    if turn.errors and set(turn.errors) <= {NOTHING_HEARD, NOT_UNDERSTOOD}:
        print(f"01: nothing was understood in {source.name}. Is there speech in it, and loud enough?", file=sys.stderr)
        return 1
    if turn.errors or not turn.sound:
        print("01: the round trip failed. See what is missing with: 01 doctor", file=sys.stderr)
        return 1
    return 0


def _show(turn: Turn) -> None:
    print(f"\n  heard   {printable(turn.transcript) or '(nothing was understood)'}")
    for line in _done(turn):
        print(f"  did     {line}")
    for line in printable(turn.caption).strip().splitlines():
        print(f"  said    {line}")
    for error in turn.errors:
        print(f"  failed  {printable(error)}")
    print("\n  after the button was released:")
    rows = [(text, turn.spans[name]) for name, text in _STAGES.items() if name in turn.spans]
    rows += [(text, turn.ms[name]) for name, text in _OURS.items() if name in turn.ms]
    for text, ms in rows:
        print(f"  {ms:>8.0f} ms  {text}")


def _done(turn: Turn) -> list[str]:
    if turn.code:
        return [f"ran code: {printable(code).strip().splitlines()[0][:90]}" for code in turn.code if code.strip()]
    from zero_one.app.commands import book

    found = book().match(turn.transcript) if turn.transcript else None
    if found is None:
        return []
    slots = ", ".join(f"{name} = {value}" for name, value in found.slots.items())
    return [f"spoken command {found.command}" + (f" ({slots})" if slots else "")]


def _what_next(where: Address) -> None:
    print(
        f"\nIt keeps serving at {where.ws}. From another terminal:\n"
        f'  01 ask "what can I say"     type instead of speaking\n'
        f"  01 --client                 hold the hotkey and speak\n"
        f"  01 demo --wav FILE          say a recording of your own\n"
        f"  01 doctor                   what is missing, and how to get it\n"
        f"Ctrl-C ends it.",
        flush=True,
    )
