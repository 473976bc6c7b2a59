"""This computer: its state, its screen, its windows, its clipboard."""

from __future__ import annotations

from typing import Any

from zero_one.commands import phrases
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command

_SPOKEN_CHARS = 300
"""A longer text is shown whole and spoken in part."""


@command("computer.disk")
async def disk(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("system.disk")
    free, total = phrases.size(facts["free"]), phrases.size(facts["total"])
    return Reply(f"{free} of {total} are free; the disk is {facts['percent']:.0f} percent full.")


@command("computer.memory")
async def memory(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("system.memory")
    used, total = phrases.size(facts["used"]), phrases.size(facts["total"])
    return Reply(f"{used} of {total} of memory are in use, {facts['percent']:.0f} percent.")


@command("computer.cpu")
async def cpu(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("system.cpu")
    return Reply(f"The processor is {facts['percent']:.0f} percent busy on {phrases.some(facts['cores'], 'core')}.")


@command("computer.battery")
async def battery(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("system.battery")
    if not facts["present"]:
        return Reply("This computer has no battery; it runs on mains power.")
    state = "charging" if facts["charging"] else "plugged in" if facts["plugged_in"] else "on battery"
    left = f", about {phrases.duration(facts['minutes_left'] * 60)} left" if facts["minutes_left"] else ""
    return Reply(f"The battery is at {facts['percent']} percent, {state}{left}.")


@command("computer.network")
async def network(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("system.network")
    if not facts["connected"] or not facts["address"]:
        return Reply("This computer is not connected to a network.")
    spoken = facts["address"].replace(".", " dot ")
    return Reply(f"The address of {facts['hostname']} is {spoken}.", show=f"{facts['hostname']}: {facts['address']}")


@command("computer.uptime")
async def uptime(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("system.uptime")
    return Reply(f"The computer has been running for {phrases.duration(facts['seconds'])}.")


@command("computer.screenshot")
async def screenshot(ask: Ask) -> Reply:
    facts = await ask.desk.hands.call("display.screenshot")
    return Reply("The screenshot is with your pictures.", show=facts["path"])


@command("computer.lock")
async def lock(ask: Ask) -> Reply:
    await ask.desk.hands.call("display.lock")
    return Reply("Locked.")


# --- windows --------------------------------------------------------------------------------------------------------


def _title(window: dict[str, Any]) -> str:
    return str(window["title"] or window["app"] or "a window without a name")


@command("window.close")
async def close(ask: Ask) -> Reply:
    window = await ask.desk.hands.call("windows.active")
    if window is None:
        return Reply("No window is in front.", failed=True)
    await ask.desk.hands.call("windows.close", window=window["id"])
    return Reply(f"Closed {_title(window)}.")


@command("window.close_app")
async def close_app(ask: Ask) -> Reply:
    window = await ask.desk.hands.call("windows.close", window=ask.slots["app"])
    return Reply(f"Closed {_title(window)}.")


@command("window.focus")
async def focus(ask: Ask) -> Reply:
    window = await ask.desk.hands.call("windows.focus", window=ask.slots["app"])
    return Reply(f"{_title(window)} is in front.")


@command("window.list")
async def windows(ask: Ask) -> Reply:
    titles = [_title(window) for window in await ask.desk.hands.call("windows.list")]
    if not titles:
        return Reply("No window is open.")
    return Reply(f"{phrases.some(len(titles), 'window')}: {phrases.listed(titles[:6])}.", show="\n".join(titles))


# --- clipboard ------------------------------------------------------------------------------------------------------


@command("clipboard.read")
async def read(ask: Ask) -> Reply:
    text = (await ask.desk.hands.call("clipboard.view")).strip()
    if not text:
        return Reply("The clipboard is empty.")
    if len(text) > _SPOKEN_CHARS:
        cut = text[:_SPOKEN_CHARS].rsplit(" ", 1)[0]
        return Reply(f"{cut}. And so on, {len(text)} characters in all.", show=text)
    return Reply(text)


@command("clipboard.copy")
async def copy(ask: Ask) -> Reply:
    await ask.desk.hands.call("clipboard.copy", text=ask.slots["text"])
    return Reply("It is on the clipboard.")
