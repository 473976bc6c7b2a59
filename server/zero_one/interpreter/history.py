"""What was said and done in one conversation: a list of LMC messages, saved after every step."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from zero_one.config.paths import private_dir
from zero_one.files import write_whole
from zero_one.protocol.lmc import Message, MessageError

LONGEST = 2000
"""Entries kept in the file that is read at start; older ones move to the archive beside it."""
IMAGES = 8
"""Images kept; of older ones only the fact remains."""

BEFORE = "an earlier conversation"
"""The source of output that was written down before sources were."""
_OWN = ("step", "call", "tool", "arguments", "note")

Note = Literal["", "cut", "waiting", "running", "interrupted", "refused", "failed"]


def fresh_id() -> str:
    return uuid4().hex[:12]


def encodable(text: str) -> str:
    """Text that can be sent: half surrogates, as they come from odd file names, become a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


@dataclass(slots=True)
class Entry:
    """One whole LMC message and where it belongs.

    ``step`` is shared by everything that one answer of the model led to. ``call`` ties code to its results;
    ``tool`` and ``arguments`` (valid JSON) are the call as the model made it, empty for code from a text answer.
    ``note`` says what became of it: an assistant message was ``cut`` where the user interrupted; a call is
    ``waiting`` for its turn or for the user's answer, ``running``, ``interrupted``, ``refused`` or ``failed``.
    ``sources`` name where the foreign text came from that it holds, or that the model had before it when it wrote this.
    ``at`` is when it was written down (seconds since 1970; 0 where that was not kept).
    """

    message: Message
    step: str = ""
    call: str = ""
    tool: str = ""
    arguments: str = ""
    note: Note = ""
    sources: tuple[str, ...] = ()
    at: float = 0.0

    @property
    def text(self) -> str:
        return self.message.content if isinstance(self.message.content, str) else ""

    def append(self, text: str) -> None:
        """Add to what a message holds. A message that was cut does not grow any more."""
        if self.note == "cut":
            return
        self.message = replace(self.message, content=self.text + encodable(text))

    def to_dict(self) -> dict[str, Any]:
        own: dict[str, Any] = {name: value for name in _OWN if (value := getattr(self, name))}
        if self.sources or self.message.role == "computer":
            own["sources"] = list(self.sources)
        if self.at:
            own["at"] = self.at
        return self.message.to_dict() | own

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> Entry:
        own: dict[str, Any] = {name: str(raw.get(name) or "") for name in _OWN}
        message = Message.from_dict(raw)
        kept = raw.get("sources")
        if isinstance(kept, list):
            sources = tuple(map(str, kept))
        else:  # written down before sources were
            sources = (BEFORE,) if message.role == "computer" and message.format != "note" else ()
        at = raw.get("at")
        own["at"] = at if isinstance(at, int | float) else 0.0
        return cls(message, sources=sources, **own)


@dataclass
class History:
    """The entries of one conversation. ``path`` is a JSON Lines file (mode 0600), or None to keep nothing on disk.

    ``notice`` tells what went wrong when the file was read or written; it is for the user to hear once. ``unsaved``
    tells why the last writing failed, as long as no later one went well.
    """

    path: Path | None = None
    entries: list[Entry] = field(default_factory=list)
    notice: str = ""
    unsaved: str = ""
    _writing: asyncio.Task[None] | None = field(default=None, repr=False)
    _dirty: bool = field(default=False, repr=False)
    _archived: list[Entry] = field(default_factory=list, repr=False)

    @classmethod
    def load(cls, path: Path) -> History:
        """Read what there is. Damaged lines are left out, and a copy of the file as it was is kept beside it."""
        history = cls(path)
        try:
            lines = path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return history
        except OSError as error:
            history.notice = f"I could not read our earlier conversation: {error.strerror}. I start afresh."
            history.path = None if path.exists() else path
            return history
        damaged = 0
        for line in filter(None, lines):
            try:
                history.entries.append(Entry.from_dict(json.loads(line)))
            except (ValueError, MessageError, AttributeError, TypeError, RecursionError):
                damaged += 1
        for entry in history.entries:
            if entry.note == "running":
                entry.note = "interrupted"
        if damaged:
            copy = path.with_name(f"{path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}")
            try:
                shutil.copy2(path, copy)
                copy.chmod(0o600)
            except OSError as error:
                history.path = None  # better not to save than to write over the only copy
                history.notice = (
                    f"Part of our earlier conversation is damaged and I could not copy it: {error.strerror}."
                )
                return history
            parts = "One part" if damaged == 1 else f"{damaged} parts"
            history.notice = (
                f"{parts} of our earlier conversation could not be read. The rest is here; a copy is in {copy.name}."
            )
        return history

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def add(self, message: Message, **own: Any) -> Entry:
        """Append a whole message; it gets an id if it has none."""
        if message.id is None:
            message = replace(message, id=fresh_id())
        if isinstance(message.content, str):
            message = replace(message, content=encodable(message.content))
        entry = Entry(message, at=round(time.time(), 3), **own)
        self.entries.append(entry)
        if message.type == "image":
            self._forget_images()
        return entry

    def find(self, message_id: str) -> Entry | None:
        return next((entry for entry in reversed(self.entries) if entry.message.id == message_id), None)

    def cut_heard(self, message_id: str, heard_chars: int) -> bool:
        """Cut an assistant message to its first ``heard_chars`` characters, because the user spoke over the rest.

        Returns False when there is no such message. A message that was heard whole is left as it is.
        """
        entry = self.find(message_id)
        if entry is None or entry.message.role != "assistant" or entry.message.type != "message":
            return False
        if heard_chars < len(entry.text) or entry.note == "cut":
            entry.message = replace(entry.message, content=entry.text[: max(0, heard_chars)])
            entry.note = "cut"
            self._dirty = True
        return True

    def clear(self) -> None:
        """Begin afresh; what there was goes to the archive."""
        self._archived += self.entries
        self.entries.clear()

    def forget(self, since: float, until: float) -> int:
        """Remove what was written down between two times, and what belongs to the same steps; the archive too, at the
        next saving. Returns how many entries went from memory."""
        gone = {id(entry) for entry in within(self.entries, since, until)}
        self._archived = [entry for entry in self._archived if not since <= entry.at <= until]
        self.entries[:] = [entry for entry in self.entries if id(entry) not in gone]
        self._dirty = True
        return len(gone)

    # --- saving ------------------------------------------------------------------------------------------------------

    def save(self) -> asyncio.Task[None] | None:
        """Begin to write, in a worker thread; calls that come while it writes are one more write after it."""
        if self.path is None:
            return None
        self._dirty = True
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return self._writing

    async def saved(self) -> None:
        """Return when everything up to now is on disk. A cancelled wait does not stop the writing."""
        writing = self.save()
        if writing is not None:
            await asyncio.shield(writing)

    async def _write(self) -> None:
        while self._dirty:
            self._dirty = False
            self._shorten()
            lines = [json.dumps(entry.to_dict()) for entry in self.entries]
            archived, self._archived = [json.dumps(entry.to_dict()) for entry in self._archived], []
            assert self.path is not None
            try:
                await asyncio.to_thread(_write, self.path, lines, archived)
            except OSError as error:
                self.unsaved = self.notice = (
                    f"I can't save our conversation: {error.strerror or error}. It goes on, but it will not be kept."
                )
            else:
                self.unsaved = ""

    def _shorten(self) -> None:
        surplus = len(self.entries) - LONGEST
        if surplus > 0:
            self._archived += self.entries[:surplus]
            del self.entries[:surplus]

    def _forget_images(self) -> None:
        shown = [e for e in self.entries if e.message.type == "image" and e.message.content]
        for entry in shown[:-IMAGES]:
            entry.message = replace(entry.message, content=None)


def within(entries: Iterable[Entry], since: float, until: float) -> list[Entry]:
    """Those of that time, with the whole of each step: a call without its result would puzzle the model."""
    entries = list(entries)
    steps = {entry.step for entry in entries if entry.step and since <= entry.at <= until}
    return [entry for entry in entries if since <= entry.at <= until or entry.step in steps]


def _write(path: Path, lines: list[str], archived: list[str]) -> None:
    private_dir(path.parent)
    if archived:
        descriptor = os.open(
            path.with_name(f"{path.stem}.archive.jsonl"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600
        )
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in archived)
    if lines or path.exists():  # of a conversation in which nothing was said there is nothing to keep
        write_whole(path, "".join(f"{line}\n" for line in lines))
