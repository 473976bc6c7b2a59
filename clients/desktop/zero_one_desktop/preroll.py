"""The last moments of sound before the button: nobody loses a first syllable to a slow finger or a debounce."""

from __future__ import annotations

from collections import deque

from zero_one.audio.formats import bytes_of


class PreRoll:
    """Keeps at least the last ``ms`` of what it is fed, in memory only, and never more than one block beyond."""

    def __init__(self, ms: int, rate: int) -> None:
        self._limit = bytes_of(ms, rate)
        self._blocks: deque[bytes] = deque()
        self._size = 0

    def feed(self, pcm: bytes) -> None:
        self._blocks.append(pcm)
        self._size += len(pcm)
        while self._blocks and self._size - len(self._blocks[0]) >= self._limit:
            self._size -= len(self._blocks.popleft())

    def take(self) -> bytes:
        """What was kept, newest ``ms``; the buffer is empty afterwards."""
        kept = b"".join(self._blocks)
        self._blocks.clear()
        self._size = 0
        return kept[max(0, len(kept) - self._limit) :]
