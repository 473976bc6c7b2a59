"""What must outlive a restart besides the history: announcements that wait for their device, utterances already taken.

One small JSON file per device, replaced whole (a crash leaves the old file or the new one, never half of one).
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
from pathlib import Path

from zero_one.files import set_aside, write_whole

log = logging.getLogger(__name__)

_MAX_SEEN = 64


def safe_name(device: str) -> str:
    """A file name for a device id: readable, and different for different ids on every file system."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", device).strip("-")[:40] or "device"
    return f"{readable}-{hashlib.sha256(device.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


class Mailbox:
    """``waiting``: texts to say when the device is there again. A file that cannot be read is put aside, and noted."""

    def __init__(self, file: Path | None) -> None:
        self.waiting: list[str] = []
        self._seen: list[str] = []
        self._file = file
        self._saving = asyncio.Lock()
        if file is not None and file.exists():
            self._load(file)

    def _load(self, file: Path) -> None:
        try:
            raw = json.loads(file.read_text("utf-8"))
            self.waiting, self._seen = [str(text) for text in raw["waiting"]], [str(ident) for ident in raw["seen"]]
        except (OSError, ValueError, KeyError, TypeError) as problem:
            try:
                aside = set_aside(file)
            except OSError as failed:
                log.warning("%s cannot be read (%s) nor put aside: %s", file, problem, failed)
            else:
                log.warning("%s cannot be read (%s); it is kept as %s", file, problem, aside.name)

    def has(self, ident: str | None, check: int | None = None) -> bool:
        """Whether an utterance or message of this id (and with this checksum) was taken already."""
        if ident is None or check is None:
            return ident is not None and any(seen.rpartition("#")[0] == ident for seen in self._seen)
        return f"{ident}#{check:08x}" in self._seen

    def take(self, ident: str | None, check: int) -> None:
        """Remember it, so that one sent again after a lost link is not answered twice. The checksum of its content
        tells it from another one of a device that counts its ids from the beginning at each start."""
        if ident is not None and not self.has(ident, check):
            self._seen = [*self._seen[1 - _MAX_SEEN :], f"{ident}#{check:08x}"]

    async def save(self) -> None:
        """Raises OSError."""
        if self._file is None:
            return
        async with self._saving:
            text = json.dumps({"waiting": self.waiting, "seen": self._seen}, ensure_ascii=False)
            await asyncio.to_thread(write_whole, self._file, text)
