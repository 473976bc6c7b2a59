"""Alarms and reminders."""

from __future__ import annotations

from datetime import datetime

from zero_one.commands import phrases
from zero_one.commands.alerts import Alert
from zero_one.commands.base import Reply
from zero_one.commands.desk import Ask, command

_SNOOZE_S = 540


def _when(ask: Ask, alert: Alert) -> str:
    now = ask.desk.clock.now()
    at = datetime.fromtimestamp(alert.due, now.tzinfo)
    return f"{phrases.clock(at)} {phrases.days(alert.days)}" if alert.days else phrases.moment(at, now)


@command("alarm.set")
async def set_alarm(ask: Ask) -> Reply:
    days = tuple(ask.slots.get("days", ()))
    alert = await ask.desk.alerts.add("alarm", ask.device, ask.at(), ask.slots.get("name", ""), days=days)
    return Reply(f"Alarm set for {_when(ask, alert)}.")


@command("alarm.list")
async def list_alarms(ask: Ask) -> Reply:
    alarms = ask.desk.alerts.of("alarm")
    if not alarms:
        return Reply("No alarm is set.")
    times = phrases.listed([_when(ask, alarm) for alarm in alarms])
    return Reply(f"There {'is 1 alarm' if len(alarms) == 1 else f'are {len(alarms)} alarms'}: {times}.")


@command("alarm.cancel")
async def cancel_alarm(ask: Ask) -> Reply:
    at = ask.slots.get("at")
    minute = datetime.fromisoformat(at).strftime("%I:%M") if at else None
    since, until = (datetime.fromisoformat(ask.slots[end]) if end in ask.slots else None for end in ("since", "until"))

    def meant(alert: Alert) -> bool:
        there = datetime.fromtimestamp(alert.due, ask.desk.clock.now().tzinfo)
        if since and until and not since <= there.replace(tzinfo=None) < until:
            return False
        return alert.kind == "alarm" and (minute is None or there.strftime("%I:%M") == minute)

    gone = await ask.desk.alerts.remove(meant)
    if not gone:
        return Reply("There is no such alarm." if minute or since else "No alarm is set.", failed=True)
    return Reply(f"Cancelled the alarm for {phrases.listed([_when(ask, alert) for alert in gone])}.")


@command("alert.snooze")
async def snooze(ask: Ask) -> Reply:
    seconds = ask.slots.get("seconds", _SNOOZE_S)
    alert = await ask.desk.alerts.snooze(ask.device, seconds)
    if alert is None:
        return Reply("Nothing rang yet that could be snoozed.", failed=True)
    return Reply(f"Again in {phrases.duration(seconds)}.")


@command("reminder.set")
async def set_reminder(ask: Ask) -> Reply:
    text = _to_you(ask.slots["text"])
    if "at" not in ask.slots:
        ask.desk.todo.items.append({"text": ask.slots["text"], "done": False})
        await ask.desk.todo.save()
        return Reply(f"I put it on your to-do list: {text}. Say a time, and I will remind you by myself.")
    alert = await ask.desk.alerts.add("reminder", ask.device, ask.at(), text, days=tuple(ask.slots.get("days", ())))
    return Reply(f"I will remind you at {_when(ask, alert)}: {text}.")


def _to_you(text: str) -> str:
    """ "call my mom" as it is said back: "call your mom"."""
    swap = {
        "my": "your",
        "me": "you",
        "i": "you",
        "i'm": "you're",
        "i've": "you've",
        "myself": "yourself",
        "mine": "yours",
    }
    return " ".join(swap.get(word.lower(), word) for word in text.split())


@command("reminder.list")
async def list_reminders(ask: Ask) -> Reply:
    reminders = ask.desk.alerts.of("reminder")
    if not reminders:
        return Reply("There are no reminders.")
    parts = [f"{alert.text}, {_when(ask, alert)}" for alert in reminders]
    return Reply(f"{phrases.some(len(parts), 'reminder')}: {'; '.join(parts)}.")


@command("reminder.cancel")
async def cancel_reminder(ask: Ask) -> Reply:
    about = _to_you(ask.slots.get("text") or ask.slots.get("name") or "").lower()
    reminders = ask.desk.alerts.of("reminder")
    meant = [alert for alert in reminders if about in alert.text.lower()]
    if not meant:
        return Reply("There is no such reminder." if about else "There are no reminders.", failed=True)
    if not about:
        meant = [max(meant, key=lambda alert: alert.number)]
    await ask.desk.alerts.remove(lambda alert: any(alert is other for other in meant))
    return Reply(f"Cancelled: {phrases.listed([alert.text for alert in meant])}.")


@command("reminder.cancel_all")
async def cancel_reminders(ask: Ask) -> Reply:
    gone = await ask.desk.alerts.remove(lambda alert: alert.kind == "reminder")
    if not gone:
        return Reply("There are no reminders.", failed=True)
    return Reply(f"Cancelled {phrases.some(len(gone), 'reminder')}.")
