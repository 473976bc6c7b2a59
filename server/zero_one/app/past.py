"""Taking back and forgetting in a running server: over the conversations, the undo records, the audit log and the
files beside them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from zero_one.commands.past import Forgotten
from zero_one.conversation import Conversations
from zero_one.conversation.mailbox import forget_unanswered, safe_name
from zero_one.files import write_whole
from zero_one.interpreter.history import Entry, within
from zero_one.protocol.lmc import MessageError
from zero_one.safety.records import Record
from zero_one.safety.restore import Undone
from zero_one.safety.trust import Trust

KEPT_KINDS = frozenset(
    {"paired", "revoked", "renamed", "admitted", "scopes", "rule", "started", "forgotten", "mended", "lost", "wiped"}
)
"""What happened to the trust itself is never forgotten."""


class ServerPast:
    """See ``commands.past.Past``. ``conversations`` is set once they are there; ``folder`` is the data folder."""

    def __init__(self, trust: Trust, folder: Path) -> None:
        self._trust, self._folder = trust, folder
        self.conversations: Conversations | None = None

    # --- undo

    def busy(self, device: str) -> bool:
        return self._trust.undo.busy(device)

    async def undo(self, device: str | None, *, by: str, further: bool = False) -> Undone | None:
        def work() -> Undone | None:
            record = self._trust.undo.last(device, further=further)
            return None if record is None else self._trust.undo.undo(record.turn, by=by)

        return await self._noted(work, by)

    async def redo(self, device: str | None, *, by: str) -> Undone | None:
        def work() -> Undone | None:
            record = self._trust.undo.last(device)
            return self._trust.undo.undo(record.turn, by=by) if record is not None and record.undoes else None

        return await self._noted(work, by)

    async def _noted(self, work: Callable[[], Undone | None], by: str) -> Undone | None:
        undone = await asyncio.to_thread(work)
        if undone is not None:
            self._trust.note(
                "undone",
                by,
                turn=undone.turn,
                label=undone.label,
                restored=undone.restored,
                removed=undone.removed,
                failed=undone.failed,
            )
        return undone

    async def records(self) -> list[Record]:
        records = await asyncio.to_thread(lambda: self._trust.undo.records)
        return [record for record in reversed(records) if record.open]

    # --- forgetting

    async def forget(self, device: str | None, since: float, until: float, *, by: str) -> Forgotten:
        problems: list[str] = []
        messages = await self._forget_said(device, since, until)
        recordings = await asyncio.to_thread(forget_files, self._folder, device, since, until, problems)

        def mine(owner: str) -> bool:
            return device is None or owner == device

        copies = await asyncio.to_thread(
            self._trust.undo.forget, lambda record: since <= record.at <= until and mine(record.device)
        )
        entries = await self._trust.journal.use(
            lambda log: log.forget(
                since=since,
                until=until,
                device=by,
                at=self._trust.now(),
                which=lambda kind, owner: kind not in KEPT_KINDS and mine(owner),
            )
        )
        return Forgotten(messages, recordings, entries, copies, tuple(problems))

    async def _forget_said(self, device: str | None, since: float, until: float) -> int:
        open_ones = self.conversations.open(device) if self.conversations is not None else []
        count = 0
        for conversation in open_ones:
            count += await conversation.forget(since, until)
        known = {safe_name(conversation.device) for conversation in open_ones}
        names = None if device is None else {safe_name(device)}
        return count + await asyncio.to_thread(
            forget_histories, self._folder / "conversations", names, known, since, until
        )

    async def last_said(self, device: str) -> float | None:
        """The request before the one that asks for this."""
        if self.conversations is None:
            return None
        entries = self.conversations.get(device).history.entries
        asked = [e.at for e in entries if e.message.role == "user" and e.message.type == "message" and e.at]
        return asked[-2] if len(asked) > 1 else None


def forget_histories(folder: Path, names: set[str] | None, in_memory: set[str], since: float, until: float) -> int:
    """Remove entries from the files of conversations (``names`` None: of all); those in memory write their own, all but
    their archives. Copies of damaged files of that time go whole. Returns how many entries went."""
    count = 0
    for file in sorted(folder.glob("*.jsonl")):
        name = file.name.removesuffix(".jsonl").removesuffix(".archive")
        archive = file.name.endswith(".archive.jsonl")
        if (names is None or name in names) and (archive or name not in in_memory):
            gone = _forget_lines(file, since, until)
            if gone and name not in in_memory:
                forget_unanswered(folder / f"{name}.json")
            count += gone
    for file in folder.glob("*.damaged-*"):
        name = file.name.partition(".")[0]
        if (names is None or name in names) and since <= file.stat().st_mtime:
            file.unlink(missing_ok=True)
            count += 1
    return count


def _forget_lines(file: Path, since: float, until: float) -> int:
    entries = list(_entries(file))
    gone = {id(entry) for entry in within(entries, since, until)}
    if gone:
        write_whole(file, "".join(json.dumps(e.to_dict()) + "\n" for e in entries if id(e) not in gone))
    return len(gone)


def _entries(file: Path) -> Iterator[Entry]:
    for line in file.read_bytes().split(b"\n"):
        try:
            yield Entry.from_dict(json.loads(line))
        except (ValueError, MessageError, AttributeError, TypeError, RecursionError):
            continue


def forget_files(folder: Path, device: str | None, since: float, until: float, problems: list[str]) -> int:
    """Remove recordings and kept outputs of that time, and empty the logs of ``--debug``. Returns the recordings."""
    name = safe_name(device) if device is not None else "*"
    count = 0
    for file in _of_time(folder.glob(f"recordings/{name}/*.wav"), since, until):
        count += _remove(file, problems)
    outputs = [kept for kept in folder.glob(f"work/{name}/.output") if not kept.is_symlink()]
    for file in _of_time((file for kept in outputs for file in kept.glob("*")), since, until):
        _remove(file, problems)
    for file in folder.glob("logs/*.log*"):
        if not file.is_symlink() and file.stat().st_mtime >= since:
            with file.open("r+b") as log:  # a running server goes on writing into it
                log.truncate(0)
    return count


def _of_time(files: Iterable[Path], since: float, until: float) -> Iterator[Path]:
    for file in files:
        try:
            if since <= file.lstat().st_mtime <= until:
                yield file
        except OSError:
            continue


def _remove(file: Path, problems: list[str]) -> bool:
    try:
        file.unlink()
    except OSError as error:
        problems.append(f"{file.name} ({error.strerror})")
        return False
    return True
