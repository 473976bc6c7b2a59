"""A microphone that plays a WAV file and a loudspeaker that writes one, for machines without sound devices.

Both keep real time, as the devices they stand in for do: a reply of three seconds takes three seconds to be heard.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from zero_one.audio.devices import BLOCK_MS, MIC_RATE, SPEAKER_RATE, Deliver
from zero_one.audio.formats import WavWriter, bytes_of, ms_of, read_wav


class WavMicrophone:
    """Delivers one recording in real time, then calls ``ended``. Opening it again begins from the start."""

    def __init__(self, source: Path | bytes, ended: Callable[[], None] | None = None, *, realtime: bool = True) -> None:
        self._pcm = read_wav(source, MIC_RATE)
        self.ended = ended
        self._realtime = realtime
        self._timer: asyncio.TimerHandle | None = None

    def open(self, deliver: Deliver) -> None:
        if self._timer is not None:
            return
        loop, block, began = asyncio.get_running_loop(), bytes_of(BLOCK_MS, MIC_RATE), 0.0

        def step(at: int) -> None:
            self._timer = None
            if at >= len(self._pcm):
                if self.ended is not None:
                    self.ended()
                return
            following = at + block
            # By its place in the recording, not by the last step: timers that come late do not add up.
            due = began + ms_of(following, MIC_RATE) / 1000 if self._realtime else 0.0
            self._timer = loop.call_at(due, step, following)
            deliver(self._pcm[at:following])

        began = loop.time()
        self._timer = loop.call_at(began, step, 0)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class WavSpeaker:
    """Keeps what would have been heard by now, and writes it to ``path`` if there is one.

    ``clock`` gives seconds of a monotonic clock.
    """

    def __init__(
        self, path: Path | None = None, rate: int = SPEAKER_RATE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.rate = rate
        self._clock = clock
        self._writer = WavWriter(path, rate, private=True) if path else None
        self._waiting = bytearray()
        self._heard = 0
        self._since = 0.0
        self._done: asyncio.Event = asyncio.Event()
        self._done.set()
        self._timer: asyncio.TimerHandle | None = None

    def _advance(self) -> None:
        if not self._waiting:
            return
        now = self._clock()
        count = min(bytes_of((now - self._since) * 1000, self.rate), len(self._waiting))
        if self._writer is not None and count:
            self._writer.write(bytes(self._waiting[:count]))
        del self._waiting[:count]
        self._heard += count
        self._since += count / 2 / self.rate
        if not self._waiting:
            self._done.set()

    @property
    def position_ms(self) -> int:
        self._advance()
        return ms_of(self._heard, self.rate)

    @property
    def end_ms(self) -> int:
        return ms_of(self._heard + len(self._waiting), self.rate)

    def write(self, pcm: bytes) -> None:
        self._advance()
        if not self._waiting:
            self._since = self._clock()
        self._waiting += pcm
        if self._waiting:
            self._done.clear()
            self._wake()

    def _wake(self) -> None:
        """Look again when the end should have been heard; more may have been written by then."""
        if self._timer is not None:
            self._timer.cancel()
        left = len(self._waiting) / 2 / self.rate - (self._clock() - self._since)
        self._timer = asyncio.get_running_loop().call_later(max(left, 0) + 0.001, self._woken)

    def _woken(self) -> None:
        self._timer = None
        self._advance()
        if self._waiting:
            self._wake()

    def drop(self) -> None:
        self._advance()
        self._waiting.clear()
        self._done.set()

    async def drained(self) -> None:
        await self._done.wait()

    def close(self) -> None:
        self.drop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._writer is not None:
            self._writer.close()
            self._writer = None


class NoSpeaker(WavSpeaker):
    """Nobody listens, but time passes as if somebody did: played positions stay true."""
