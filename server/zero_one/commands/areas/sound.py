"""The computer's volume, and the loudness and pace of the voice that answers."""

from __future__ import annotations

from typing import Any

from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command

_STEP = 10


def _percent(answer: Any) -> tuple[int, bool]:
    """(level 0 to 100, muted) of what ``volume.get`` returns."""
    if isinstance(answer, dict):
        return round(answer["percent"]), bool(answer.get("muted", False))
    return round(answer), False


async def _set(ask: Ask, level: int) -> Reply:
    level = max(0, min(100, level))
    await ask.desk.hands.call("volume.set", percent=level)
    return Reply(f"Volume {level} percent.", effect="volume", value=level)


@command("volume.set")
async def set_volume(ask: Ask) -> Reply:
    return await _set(ask, ask.slots["level"])


@command("volume.up")
async def up(ask: Ask) -> Reply:
    level, _ = _percent(await ask.desk.hands.call("volume.get"))
    return await _set(ask, level + ask.slots.get("level", _STEP))


@command("volume.down")
async def down(ask: Ask) -> Reply:
    level, _ = _percent(await ask.desk.hands.call("volume.get"))
    return await _set(ask, level - ask.slots.get("level", _STEP))


@command("volume.get")
async def get_volume(ask: Ask) -> Reply:
    level, muted = _percent(await ask.desk.hands.call("volume.get"))
    return Reply(f"The volume is at {level} percent" + (", muted." if muted else "."))


@command("volume.mute")
async def mute(ask: Ask) -> Reply:
    await ask.desk.hands.call("volume.mute", on=True)
    return Reply("Muted.")


@command("volume.unmute")
async def unmute(ask: Ask) -> Reply:
    await ask.desk.hands.call("volume.mute", on=False)
    return Reply("The sound is on.")


@command("speech.louder")
async def louder(ask: Ask) -> Reply:
    return Reply("Is this better?", effect="louder")


@command("speech.quieter")
async def quieter(ask: Ask) -> Reply:
    return Reply("Okay, quieter.", effect="quieter")


@command("speech.faster")
async def faster(ask: Ask) -> Reply:
    return Reply("Okay, faster.", effect="faster")


@command("speech.slower")
async def slower(ask: Ask) -> Reply:
    return Reply("Okay, slower.", effect="slower")
