"""Writes all stores in a child that is killed, and looks at what is left. Run as a program: one line of JSON a kill.

The child is forked from this process, which has imported everything and has no threads, so that a kill costs
milliseconds. What the child says is done (through a pipe) has to be there afterwards.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from zero_one.commands.alerts import Alerts
from zero_one.commands.clock import SystemClock
from zero_one.commands.store import ListFile
from zero_one.conversation.mailbox import Mailbox
from zero_one.identity.devices import DeviceBook
from zero_one.interpreter.history import History
from zero_one.protocol.lmc import Message
from zero_one.safety.audit import AuditLog
from zero_one.safety.risk import classify
from zero_one.safety.rules import Rules
from zero_one.safety.undo import Undo

STORES = ("devices", "rules", "audit", "undo", "history", "mailbox", "alerts", "notes")


class Home:
    """Every store of one data folder, opened as a server opens it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "project").mkdir(parents=True, exist_ok=True)
        self.devices = DeviceBook(folder / "devices.json")
        self.rules = Rules(folder / "rules.json")
        self.audit = AuditLog(folder / "audit")
        self.undo = Undo(folder / "undo")
        self.history = History.load(folder / "conversation.jsonl")
        self.mailbox = Mailbox(folder / "conversation.json")
        self.alerts = Alerts(folder / "alerts.json", SystemClock())
        self.alerts.load()
        self.notes = ListFile(folder / "notes.json")
        self.notes.load()

    @property
    def told(self) -> list[str]:
        """What opening had to say."""
        list(self.rules)
        said = [self.devices.lost, self.rules.lost, self.audit.lost, self.undo.lost, self.history.notice]
        return [words for words in (*said, self.notes.lost) if words]

    async def write(self, store: str, name: str) -> None:
        """One change of one store; it is on the disk when this returns."""
        match store:
            case "devices":
                self.devices.admit(name, "test", now=1.0)
            case "rules":
                code = f"echo x > {name}.txt"
                assert self.rules.add("shell", code, classify(code, "shell"), "/p", "test") is not None
            case "audit":
                self.audit.append("ran", "test", {"code": name}, at=time.time())
            case "undo":
                watch = self.undo.before([self.folder / "project"], turn=name, label=name)
                (self.folder / "project" / "file.txt").write_text(name)
                self.undo.after(watch, at=time.time())
            case "history":
                self.history.add(Message("user", "message", content=name))
                await self.history.saved()
            case "mailbox":
                self.mailbox.waiting.append(name)
                await self.mailbox.save()
            case "alerts":
                await self.alerts.add("timer", "test", datetime.now(UTC) + timedelta(hours=1), name)
            case "notes":
                self.notes.items.append({"text": name})
                await self.notes.save()

    def holds(self, store: str) -> set[str]:
        """The names that a store gives back."""
        match store:
            case "devices":
                return {device.name for device in self.devices}
            case "rules":
                return {
                    word.removesuffix(".txt") for rule in self.rules for word in f"{rule.code} {rule.effects}".split()
                }
            case "audit":
                return {str(entry.details["code"]) for entry in self.audit.entries() if entry.details}
            case "undo":
                return {record.turn for record in self.undo.records}
            case "history":
                return {entry.text for entry in self.history}
            case "mailbox":
                return set(self.mailbox.waiting)
            case "alerts":
                return {alert.text for alert in self.alerts.of("timer")}
        return {str(note["text"]) for note in self.notes.items}


async def work(folder: Path, seed: str, done: Callable[[str], None]) -> None:
    rng, home = random.Random(seed), Home(folder)
    for number in range(10_000):
        store = rng.choice(STORES)
        name = f"w{seed}-{number}"
        await home.write(store, name)
        done(f"{store} {name}\n")


def _say(pipe: int, line: str) -> None:
    os.write(pipe, line.encode())


def kill_one(folder: Path, seed: str, after_s: float) -> list[tuple[str, str]]:
    """Let a child write and kill it. Returns what it said was done."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(ours)
            asyncio.run(work(folder, seed, lambda line: _say(theirs, line)))
        finally:
            os._exit(3)
    os.close(theirs)
    with os.fdopen(ours, "rb") as said:
        first = said.read(1)  # it works: now it may die at any moment
        time.sleep(after_s)  # the random moment is what is tested here; nothing waits for this to be long enough
        os.kill(child, signal.SIGKILL)
        text = (first + said.read()).decode()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"the child ended by itself: {status}"
    return [(row[0], row[1]) for row in (line.split(" ", 1) for line in text.splitlines() if line) if len(row) == 2]


def look(folder: Path, done: dict[str, set[str]]) -> dict[str, object]:
    """Open everything as the next start does, and say what is wrong."""
    home = Home(folder)
    recovered = [record.label for record in home.undo.recover()]
    wrong = [f"recovered without a word: {label}" for label in recovered if not label.endswith("(cut off)")]
    for store in STORES:
        missing = done[store] - home.holds(store)
        if missing:
            wrong.append(f"{store} lost {sorted(missing)}")
    report = home.audit.verify()
    wrong += report.problems
    strays = [p.name for p in folder.rglob("*damaged*")]
    if strays:
        wrong.append(f"set aside: {strays}")
    if list((folder / "undo" / "pending").glob("*.json")):
        wrong.append("a watch is pending still")
    wrong += _undo_all(home)
    return {"wrong": wrong, "told": home.told, "entries": report.entries}


def _undo_all(home: Home) -> list[str]:
    """The last change can be taken back, and then what was there before it is there."""
    file = home.folder / "project" / "file.txt"
    records = [r for r in home.undo.records if r.open]
    if not records:
        return []
    last, now = records[-1], file.read_text() if file.exists() else None
    earlier = [r.turn for r in records[:-1] if r.turn.startswith("w")]
    if any(r.label.endswith("(cut off)") for r in records):
        earlier.append("")  # a run that was killed between emptying the file and filling it
    undone = home.undo.undo(last.turn)
    back = file.read_text() if file.exists() else None
    out = [] if undone is not None and not undone.failed else [f"{last.label} could not be undone: {undone}"]
    if last.turn.startswith("w") and now == last.turn and earlier and back not in (*earlier, None):
        out.append(f"undoing {last.turn} left {back!r}, before it was one of {earlier[-3:]}")
    home.undo.undo()  # and the other way again, so that the next run finds what it left
    again = file.read_text() if file.exists() else None
    return out if again == now else [*out, f"undoing the undo left {again!r} instead of {now!r}"]


def main(folder: Path, kills: int, seed: int) -> None:
    rng = random.Random(seed)
    done: dict[str, set[str]] = {store: set() for store in STORES}
    for number in range(kills):
        home = folder / str(number // 20)
        if number % 20 == 0:
            done = {store: set() for store in STORES}
        for store, name in kill_one(home, f"{seed}.{number}", rng.random() * 0.05):
            done[store].add(name)
        found = look(home, done)
        print(json.dumps({"kill": number, "acts": sum(map(len, done.values())), **found}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
