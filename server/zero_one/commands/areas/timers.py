"""Timers and the stopwatch."""

from __future__ import annotations

from datetime import timedelta

from zero_one.commands import phrases
from zero_one.commands.alerts import Alert, Alerts
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command

_NONE = Reply("No timer is running.", failed=True)


def _named(alert: Alert) -> str:
    """ "the pasta timer", "the 10 minute timer"."""
    return f"the {alert.text} timer" if alert.text else f"the {phrases.long(alert.seconds)} timer"


def _pick(ask: Ask) -> tuple[list[Alert], Reply | None]:
    """Timers that the request means, or the reply that there is none of that name."""
    name = ask.slots.get("name")
    found = ask.desk.alerts.of("timer", name)
    if found:
        return found, None
    if name and ask.desk.alerts.of("timer"):
        return [], Reply(f"There is no {name} timer. {_overview(ask.desk.alerts)}", failed=True)
    return [], _NONE


def _overview(alerts: Alerts) -> str:
    timers = alerts.of("timer")
    parts = [
        f"{phrases.duration(alerts.left(t))} on {_named(t)}" + (", paused" if t.paused is not None else "")
        for t in timers
    ]
    return f"There is {phrases.listed(parts)}." if parts else "No timer is running."


@command("timer.start")
async def start(ask: Ask) -> Reply:
    seconds, name = ask.slots["seconds"], ask.slots.get("name", "")
    due = ask.desk.clock.now() + timedelta(seconds=seconds)
    await ask.desk.alerts.add("timer", ask.device, due, name, seconds)
    what = f"{name.capitalize()} timer" if name else "Timer"
    return Reply(f"{what} set for {phrases.duration(seconds)}.")


@command("timer.left")
async def left(ask: Ask) -> Reply:
    found, nothing = _pick(ask)
    if nothing:
        return nothing
    if len(found) > 1:
        return Reply(_overview(ask.desk.alerts))
    timer = found[0]
    paused = " It is paused." if timer.paused is not None else ""
    return Reply(f"{phrases.duration(ask.desk.alerts.left(timer))} left on {_named(timer)}.{paused}")


@command("timer.list")
async def overview(ask: Ask) -> Reply:
    return Reply(_overview(ask.desk.alerts))


@command("timer.cancel")
async def cancel(ask: Ask) -> Reply:
    found, nothing = _pick(ask)
    if nothing:
        return nothing
    if len(found) > 1 and "name" not in ask.slots:
        names = phrases.listed([_named(timer) for timer in found])
        return Reply(f"There are {len(found)} timers: {names}. Say which one, or cancel all timers.", failed=True)
    await ask.desk.alerts.remove(lambda alert: alert is found[0])
    return Reply(f"Cancelled {_named(found[0])}.")


@command("timer.cancel_all")
async def cancel_all(ask: Ask) -> Reply:
    gone = await ask.desk.alerts.remove(lambda alert: alert.kind == "timer")
    return Reply(f"Cancelled {phrases.some(len(gone), 'timer')}.") if gone else _NONE


@command("timer.add")
async def add(ask: Ask) -> Reply:
    found, nothing = _pick(ask)
    if nothing:
        return nothing
    await ask.desk.alerts.extend(found[0], ask.slots["seconds"])
    return Reply(f"Now {phrases.duration(ask.desk.alerts.left(found[0]))} on {_named(found[0])}.")


@command("timer.pause")
async def pause(ask: Ask) -> Reply:
    found, nothing = _pick(ask)
    running = [timer for timer in found if timer.paused is None]
    if nothing or not running:
        return nothing or Reply("The timer is paused already.")
    await ask.desk.alerts.pause(running[0])
    return Reply(f"Paused {_named(running[0])} at {phrases.duration(ask.desk.alerts.left(running[0]))}.")


@command("timer.resume")
async def resume(ask: Ask) -> Reply:
    found, nothing = _pick(ask)
    paused = [timer for timer in found if timer.paused is not None]
    if nothing or not paused:
        return nothing or Reply("The timer is running.")
    await ask.desk.alerts.resume(paused[0])
    return Reply(f"{_named(paused[0]).capitalize()} runs on: {phrases.duration(ask.desk.alerts.left(paused[0]))} left.")


def _shown(ask: Ask) -> float | None:
    """Seconds on this device's stopwatch, None when it never started."""
    watch = ask.desk.stopwatches.get(ask.device)
    if watch is None:
        return None
    started, stopped = watch
    return stopped if stopped is not None else (ask.desk.clock.now() - started).total_seconds()


@command("stopwatch.start")
async def stopwatch_start(ask: Ask) -> Reply:
    ask.desk.stopwatches[ask.device] = (ask.desk.clock.now(), None)
    return Reply("The stopwatch is running.")


@command("stopwatch.read")
async def stopwatch_read(ask: Ask) -> Reply:
    seconds = _shown(ask)
    if seconds is None:
        return Reply("The stopwatch is not running. Say: start the stopwatch.", failed=True)
    return Reply(f"{phrases.duration(seconds)}.")


@command("stopwatch.stop")
async def stopwatch_stop(ask: Ask) -> Reply:
    seconds = _shown(ask)
    if seconds is None:
        return Reply("The stopwatch is not running.", failed=True)
    ask.desk.stopwatches[ask.device] = (ask.desk.stopwatches[ask.device][0], seconds)
    return Reply(f"Stopped at {phrases.duration(seconds)}.")
