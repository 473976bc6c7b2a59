"""Long output: its head as it comes, its tail at the end, the whole of it on disk."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO


@dataclass(frozen=True, slots=True)
class Limits:
    """``head`` and ``tail`` in characters of one run's output; ``kept`` in bytes of the file that has the whole."""

    head: int = 6_000
    tail: int = 6_000
    kept: int = 64 * 1024 * 1024


class HeadTail:
    """Passes text on until the head is full, then holds back all but the tail; memory stays bounded by the limits.

    The file is made (mode 0600) only when something is left out, and stops growing at ``limits.kept`` bytes. A disk
    that cannot take it never fails the run: the line in the middle then says that the rest was not kept.
    """

    def __init__(self, path: Path, limits: Limits) -> None:
        self.path = path
        self._limits = limits
        self._passed: list[str] = []
        self._room = limits.head
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self._left_out = 0
        self._file: BinaryIO | None = None
        self._written = 0
        self._problem = ""

    def feed(self, text: str) -> list[str]:
        """Take text in; returns what may be shown now."""
        if self._room >= len(text) and not self._tail:
            self._room -= len(text)
            self._passed.append(text)
            return [text] if text else []
        shown = text[: self._room]
        rest = text[self._room :]
        self._room = 0
        if shown:
            self._passed.append(shown)
        self._hold(rest)
        return [shown] if shown else []

    def finish(self) -> list[str]:
        """What was held back: the line about the middle, if there is one, and the tail. Text may be fed on after it."""
        if not self._tail:
            return []
        tail = "".join(self._tail)
        cut = max(0, len(tail) - self._limits.tail)
        left_out, self._left_out = self._left_out + cut, 0
        self._tail.clear()
        self._tail_length = 0
        if self._file is not None:
            self._file.flush()
        return [self._middle(left_out), tail[cut:]] if left_out else [tail]

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _hold(self, text: str) -> None:
        self._tail.append(text)
        self._tail_length += len(text)
        if self._file is None and not self._problem and self._tail_length > self._limits.tail:
            self._open("".join(self._passed) + "".join(self._tail))
            self._passed.clear()
        elif self._file is not None:
            self._keep(text)
        while self._tail and self._tail_length - len(self._tail[0]) >= self._limits.tail:
            gone = self._tail.popleft()
            self._tail_length -= len(gone)
            self._left_out += len(gone)
        if self._tail_length > 4 * self._limits.tail:
            whole = "".join(self._tail)
            cut = len(whole) - self._limits.tail
            self._tail = deque([whole[cut:]])
            self._tail_length -= cut
            self._left_out += cut

    def _open(self, text: str) -> None:
        try:
            # Code can write the folder above: no link of its making is followed.
            if self.path.parent.is_symlink():
                raise NotADirectoryError(None, "the folder for outputs is a link")
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(self.path, flags, 0o600)
            self._file = os.fdopen(descriptor, "wb")
        except OSError as error:
            self._problem = error.strerror or str(error)
            return
        self._keep(text)

    def _keep(self, text: str) -> None:
        room = self._limits.kept - self._written
        if self._file is None or room <= 0:
            return
        data = text.encode("utf-8", "replace")[:room]
        try:
            self._file.write(data)
            self._written += len(data)
        except OSError as error:
            self._problem = error.strerror or str(error)
            self._written = self._limits.kept

    def _middle(self, left_out: int) -> str:
        if self._problem:
            where = f"not all of it could be kept: {self._problem}"
        elif self._written >= self._limits.kept:
            where = f"its first {self._limits.kept // (1024 * 1024)} MiB are in {self.path}"
        else:
            where = f"the whole is in {self.path}"
        return f"\n… {left_out:,} characters left out; {where} …\n"
