"""What must outlive a restart besides the history: announcements that wait for their device, utterances already taken,
requests that are being answered.

One small JSON file per device, replaced whole (a crash leaves the old file or the new one, never half of one).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from zero_one.conversation import phrases
from zero_one.files import set_aside, write_whole

log = logging.getLogger(__name__)

_MAX_SEEN = 64
_MOST_QUOTED = 200
_UNSAVED = 1000
"""By how much the generation may have grown since it was last saved."""


def safe_name(device: str) -> str:
    """A file name for a device id: readable, and different for different ids on every file system."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", device).strip("-")[:40] or "device"
    return f"{readable}-{hashlib.sha256(device.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def forget_unanswered(file: Path) -> None:
    """Of a conversation that is not in memory: drop what quotes requests that were not answered. Raises OSError."""
    if file.exists():
        mailbox = Mailbox(file)
        mailbox.forget()
        write_whole(file, mailbox.text())


@dataclass(frozen=True, slots=True)
class Slip:
    """What tells one utterance or message from another: its id, and the checksum of its content, because some devices
    count their ids from the beginning at each start."""

    id: str
    check: int

    def __str__(self) -> str:
        return f"{self.id}#{self.check:08x}"


class Mailbox:
    """``waiting``: texts to say when the device is there again. ``open``: requests that are being answered, by the id
    of their turn; those that a file holds were not, and their device is told. ``generation``: of the newest
    sound, for devices drop all that seems older, whatever the clock says. A file that cannot be read is put aside.

    An utterance is first taken (nobody answers it twice), and kept once what it says is on the disk; only then may its
    device forget it. One that was taken but not kept comes again after a restart, and is answered then.
    """

    def __init__(self, file: Path | None) -> None:
        self.waiting: list[str] = []
        self.open: dict[str, str] = {}
        self.generation = self._first = 0
        self._seen: list[str] = []
        self._saved: frozenset[str] = frozenset()
        self._taken: list[str] = []
        self._file = file
        self._saving = asyncio.Lock()
        if file is not None and file.exists():
            self._load(file)

    def _load(self, file: Path) -> None:
        try:
            raw = json.loads(file.read_text("utf-8"))
            self.waiting, self._seen = [str(text) for text in raw["waiting"]], [str(ident) for ident in raw["seen"]]
            self._saved = frozenset(self._seen)
            self.generation = int(raw.get("generation", 0))
            self.waiting += [phrases.UNANSWERED.format(text=str(text)) for text in raw.get("open", {}).values()]
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            try:
                aside = set_aside(file)
            except OSError as failed:
                log.warning("%s cannot be read (%s) nor put aside: %s", file, problem, failed)
            else:
                log.warning("%s cannot be read (%s); it is kept as %s", file, problem, aside.name)

    def start_at(self, generation: int) -> int:
        """The generation to begin with: this one, unless greater ones may have been used before."""
        self._first = self.generation = max(generation, self.generation + _UNSAVED if self.generation else 0)
        return self._first

    def begin(self, turn: str, text: str) -> None:
        """This request is being answered; until ``end`` a restart would leave it without an answer."""
        text = " ".join(text.split())
        self.open[turn] = text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED].rsplit(' ', 1)[0]} …"

    def end(self, turn: str) -> None:
        self.open.pop(turn, None)

    def forget(self) -> None:
        """What quotes somebody's words."""
        self.open = dict.fromkeys(self.open, phrases.SOMETHING)
        beginning = phrases.UNANSWERED.partition("{")[0]
        self.waiting = [text for text in self.waiting if not text.startswith(beginning)]

    def has(self, ident: str | None, check: int | None = None) -> bool:
        """Whether an utterance or message of this id (and with this checksum) was taken already."""
        if ident is None:
            return False
        known = (*self._seen, *self._taken)
        if check is None:
            return any(seen.rpartition("#")[0] == ident for seen in known)
        return str(Slip(ident, check)) in known

    def take(self, ident: str | None, check: int) -> Slip | None:
        """Remember it, so that one sent again after a lost link is not answered twice. None for what has no id."""
        if ident is None:
            return None
        slip = Slip(ident, check)
        if not self.has(ident, check):
            self._taken = [*self._taken[1 - _MAX_SEEN :], str(slip)]
        return slip

    def keep(self, slips: Iterable[Slip]) -> None:
        """What these say is on the disk: from the next saving on they need not come again."""
        for slip in map(str, slips):
            if slip not in self._seen:
                self._seen = [*self._seen[1 - _MAX_SEEN :], slip]

    def kept(self, slip: Slip) -> bool:
        """Whether its device may forget it."""
        return str(slip) in self._saved

    async def save(self) -> None:
        """Raises OSError."""
        async with self._saving:
            seen = frozenset(self._seen)
            # Whoever only looked in, under many names, must not fill the disk.
            used = seen or self.waiting or self.open or self.generation != self._first
            if self._file is not None and (used or self._file.exists()):
                await asyncio.to_thread(write_whole, self._file, self.text())
            self._saved = seen

    def text(self) -> str:
        """What the file holds."""
        kept = {"waiting": self.waiting, "seen": self._seen, "open": self.open, "generation": self.generation}
        return json.dumps(kept, ensure_ascii=False)
