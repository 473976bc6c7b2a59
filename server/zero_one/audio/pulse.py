"""Microphone and loudspeaker of a Linux desktop, straight from its sound server (PulseAudio, or PipeWire in its stead).

PortAudio reaches such a server only through ALSA's emulation. There, playback onto a device that was asleep can stop
for good after its first buffer. The server's own "simple" client library, which is installed wherever the server is,
waits for the device, says how much has really been heard, and forgets what it holds at once. Its API is described in
``pulse/simple.h``; all calls on one stream come from one thread.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from zero_one.audio.devices import BLOCK_MS, MIC_RATE, SPEAKER_RATE, AudioDeviceError, Deliver, PlaybackQueue
from zero_one.audio.formats import bytes_of, ms_of

# How far ahead the server is kept: enough for a busy machine, little enough that silence on demand is heard as such.
_AHEAD_MS: Final = 80
_PLAYBACK, _RECORD, _S16LE, _DEFAULT = 1, 2, 3, 0xFFFF_FFFF


class _Spec(ctypes.Structure):
    _fields_ = (("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8))


class _Buffering(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("maxlength", "tlength", "prebuf", "minreq", "fragsize"))


@lru_cache(maxsize=1)
def _library() -> Any:
    try:
        library = ctypes.CDLL("libpulse-simple.so.0")
    except OSError:
        return None
    library.pa_simple_new.restype = ctypes.c_void_p
    library.pa_simple_get_latency.restype = ctypes.c_uint64
    for name in ("pa_simple_write", "pa_simple_read"):
        getattr(library, name).argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p)
    for name in ("pa_simple_flush", "pa_simple_get_latency"):
        getattr(library, name).argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    library.pa_simple_free.argtypes = (ctypes.c_void_p,)
    return library


def pulse_runs() -> bool:
    """Whether a sound server of this kind runs and its library is here. Starts none."""
    if not sys.platform.startswith("linux"):
        return False
    runtime = os.environ.get("PULSE_RUNTIME_PATH") or f"{os.environ.get('XDG_RUNTIME_DIR', '/run/user')}/pulse"
    return bool(os.environ.get("PULSE_SERVER") or Path(runtime, "native").exists()) and _library() is not None


class _Stream:
    """One stream of the simple API. Raises AudioDeviceError when it cannot be opened."""

    def __init__(self, direction: int, rate: int) -> None:
        self._library = _library()
        block, ahead = bytes_of(BLOCK_MS, rate), bytes_of(_AHEAD_MS, rate)
        # prebuf: play from the first block on, also what is shorter than the buffer.
        buffering = _Buffering(_DEFAULT, ahead, block, _DEFAULT, block)
        spec, error = _Spec(_S16LE, rate, 1), ctypes.c_int(0)
        what = b"speech" if direction == _PLAYBACK else b"microphone"
        self._handle = self._library.pa_simple_new(
            None, b"01", direction, None, what, ctypes.byref(spec), None, ctypes.byref(buffering), ctypes.byref(error)
        )
        if not self._handle:
            name = "loudspeaker" if direction == _PLAYBACK else "microphone"
            raise AudioDeviceError(
                f"The sound server gives no {name} (PulseAudio error {error.value}). Check with: pactl info."
            )

    def write(self, pcm: bytes) -> bool:
        """Blocks while the server has enough. False when the server is gone."""
        return int(self._library.pa_simple_write(self._handle, pcm, len(pcm), None)) >= 0

    def read(self, size: int) -> bytes | None:
        buffer = ctypes.create_string_buffer(size)
        done = self._library.pa_simple_read(self._handle, buffer, size, None)
        return buffer.raw if done >= 0 else None

    def flush(self) -> None:
        self._library.pa_simple_flush(self._handle, None)

    def latency_s(self) -> float:
        return int(self._library.pa_simple_get_latency(self._handle, None)) / 1e6

    def close(self) -> None:
        self._library.pa_simple_free(self._handle)


class PulseMicrophone:
    """The default microphone, in blocks of 20 ms."""

    def __init__(self) -> None:
        self._closed: threading.Event | None = None

    def open(self, deliver: Deliver) -> None:
        if self._closed is not None:
            return
        stream, loop, closed = _Stream(_RECORD, MIC_RATE), asyncio.get_running_loop(), threading.Event()
        self._closed = closed

        def work() -> None:
            while not closed.is_set():
                pcm = stream.read(bytes_of(BLOCK_MS, MIC_RATE))
                if pcm is None or closed.is_set():
                    break
                try:
                    loop.call_soon_threadsafe(deliver, pcm)
                except RuntimeError:
                    break  # the loop is closed: nobody listens any more
            stream.close()

        threading.Thread(target=work, name="microphone", daemon=True).start()

    def close(self) -> None:
        if self._closed is not None:
            self._closed.set()
            self._closed = None


class PulseSpeaker:
    """The default loudspeaker. Positions come from the server's own account of what it still holds."""

    def __init__(self, rate: int = SPEAKER_RATE) -> None:
        self.rate = rate
        self._stream = _Stream(_PLAYBACK, rate)
        self._loop = asyncio.get_running_loop()
        self._idle = asyncio.Event()
        self._idle.set()
        self._queue = PlaybackQueue()
        self._changed = threading.Condition()
        self._flushing = self._closed = False
        # Bytes: heard before the last drop, given to the server since, and how much of that was heard at which moment.
        self._before = self._given = self._heard = 0
        self._heard_at = 0.0
        self._thread = threading.Thread(target=self._work, name="loudspeaker", daemon=True)
        self._thread.start()

    @property
    def position_ms(self) -> int:
        with self._changed:
            return ms_of(self._before + self._heard_now(), self.rate)

    @property
    def end_ms(self) -> int:
        with self._changed:
            return ms_of(self._before + self._given + self._queue.waiting, self.rate)

    def write(self, pcm: bytes) -> None:
        if not pcm:
            return
        with self._changed:
            self._queue.write(pcm)
            self._idle.clear()
            self._changed.notify()

    def drop(self) -> None:
        with self._changed:
            self._before += self._heard_now()
            self._given = self._heard = 0
            self._queue.drop()
            self._flushing = True
            self._idle.set()
            self._changed.notify()

    async def drained(self) -> None:
        await self._idle.wait()

    def close(self) -> None:
        self.drop()
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join(1)

    def _heard_now(self) -> int:
        """The last measurement, and what has been heard since at most."""
        if self._heard_at == 0.0:
            return 0
        return min(self._given, self._heard + bytes_of((time.monotonic() - self._heard_at) * 1000, self.rate))

    def _work(self) -> None:
        block = bytes_of(BLOCK_MS, self.rate)
        while True:
            with self._changed:
                while not (self._closed or self._flushing or self._queue.waiting):
                    left = ms_of(self._given - self._heard_now(), self.rate) / 1000
                    if left <= 0:
                        self._tell_idle()
                    self._changed.wait(left + 0.002 if left > 0 else None)
                if self._closed:
                    break
                flush, self._flushing = self._flushing, False
                pcm = b"" if flush else self._queue.take(block)
                self._given += len(pcm)
            if flush:
                self._stream.flush()
            elif not self._stream.write(pcm):
                self._reopen()
            held = bytes_of(self._stream.latency_s() * 1000, self.rate)
            with self._changed:
                if not self._flushing:
                    # An answer from before a drop must not count afterwards.
                    self._heard = max(self._heard_now() if self._heard else 0, self._given - held, 0)
                    self._heard_at = time.monotonic()
        self._stream.close()

    def _reopen(self) -> None:
        """The server went away. One that is back is used again; without one, sound is lost but time goes on."""
        try:
            stream = _Stream(_PLAYBACK, self.rate)
        except AudioDeviceError:
            time.sleep(BLOCK_MS / 1000)
            return
        self._stream.close()
        self._stream = stream

    def _tell_idle(self) -> None:
        def tell() -> None:
            with self._changed:
                if not self._queue.waiting and self._heard_now() >= self._given:
                    self._idle.set()

        try:
            self._loop.call_soon_threadsafe(tell)
        except RuntimeError:
            self._closed = True  # the loop is closed: nobody listens any more
