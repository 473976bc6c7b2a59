"""Microphones and loudspeakers behind two small interfaces, and the real ones by sounddevice (PortAudio).

PortAudio calls from a thread of its own; everything the caller sees happens on its event loop.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from zero_one.audio.formats import ms_of
from zero_one.audio.resample import Resampler

MIC_RATE: Final = 16_000
SPEAKER_RATE: Final = 24_000
BLOCK_MS: Final = 20
# Enough for a busy machine not to stutter, little enough for silence on demand to be heard as such.
_PLAYBACK_LATENCY_S: Final = 0.08

Deliver = Callable[[bytes], None]


class AudioDeviceError(Exception):
    """There is no such device, or it cannot be used. The text says what to install, connect or choose."""


class Microphone(Protocol):
    """PCM at ``MIC_RATE`` Hz in blocks of about ``BLOCK_MS``, while it is open."""

    def open(self, deliver: Deliver) -> None:
        """Begin; ``deliver`` is called on the event loop. Raises AudioDeviceError."""

    def close(self) -> None: ...


class Speaker(Protocol):
    """Plays PCM at ``rate`` Hz in the order it is written."""

    rate: int

    @property
    def position_ms(self) -> int:
        """How much has been heard since it was opened. Never goes back; silence between does not count."""

    @property
    def end_ms(self) -> int:
        """What ``position_ms`` will be when all that is written has been heard."""

    def write(self, pcm: bytes) -> None: ...

    def drop(self) -> None:
        """Forget what has not been heard yet, at once."""

    async def drained(self) -> None:
        """Returns when all that was written has been heard or dropped."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Device:
    """One sound device as PortAudio names it."""

    index: int
    name: str
    inputs: int
    outputs: int
    default_rate: int


def portaudio() -> Any:
    """The sounddevice module. Raises AudioDeviceError where PortAudio is missing."""
    try:
        import sounddevice
    except OSError:
        raise AudioDeviceError(
            "Sound needs the PortAudio library, which is missing. " + _install_hint() + " Without it, speak from a "
            "file with --wav FILE, or type."
        ) from None
    return sounddevice


def _install_hint() -> str:
    if sys.platform == "darwin":
        return "Install it with: brew install portaudio."
    if sys.platform == "win32":
        return "Reinstall the sounddevice package; it brings the library along."
    return "Install libportaudio2, on Debian and Ubuntu with: sudo apt install libportaudio2."


def list_devices() -> list[Device]:
    """All sound devices, empty where there are none. Raises AudioDeviceError without PortAudio."""
    found = portaudio().query_devices()
    return [
        Device(at, str(d["name"]), d["max_input_channels"], d["max_output_channels"], int(d["default_samplerate"]))
        for at, d in enumerate(found)
    ]


def _pick(name: str | None, kind: str) -> Device:
    """The device whose name holds ``name``, or the default one."""
    sd = portaudio()
    devices = [d for d in list_devices() if (d.inputs if kind == "input" else d.outputs)]
    what = "microphone" if kind == "input" else "loudspeaker"
    if not devices:
        instead = "speak from a file with --wav FILE, or type" if kind == "input" else "read the captions"
        raise AudioDeviceError(f"No {what} was found. Connect one, or {instead}.")
    if name:
        for device in devices:
            if name == str(device.index) or name.lower() in device.name.lower():
                return device
        known = ", ".join(device.name for device in devices)
        raise AudioDeviceError(f"There is no {what} called {name!r}. There are: {known}.")
    default = sd.default.device[0 if kind == "input" else 1]
    return next((d for d in devices if d.index == default), devices[0])


class SoundDeviceMicrophone:
    """The computer's microphone. One that cannot do 16 kHz is resampled."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name
        self._stream: Any = None

    def open(self, deliver: Deliver) -> None:
        if self._stream is not None:
            return
        sd, device, loop = portaudio(), _pick(self._name, "input"), asyncio.get_running_loop()
        rate = MIC_RATE
        try:
            sd.check_input_settings(device=device.index, samplerate=rate, channels=1, dtype="int16")
        except (sd.PortAudioError, ValueError):
            rate = device.default_rate
        resampler = Resampler(rate, MIC_RATE)

        def arrived(data: Any, _frames: int, _time: Any, _status: Any) -> None:
            pcm = resampler.feed(bytes(data))
            if pcm and not loop.is_closed():
                loop.call_soon_threadsafe(deliver, pcm)

        try:
            self._stream = sd.RawInputStream(
                device=device.index, samplerate=rate, channels=1, dtype="int16",
                blocksize=rate * BLOCK_MS // 1000, latency="low", callback=arrived,
            )  # fmt: skip
            self._stream.start()
        except sd.PortAudioError as problem:
            self._stream = None
            raise AudioDeviceError(_refused("microphone", device, problem)) from None

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None


class PlaybackQueue:
    """Bytes between the event loop that writes and the audio thread that takes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self.taken = 0

    @property
    def waiting(self) -> int:
        """Bytes that are written and not taken."""
        return self._size

    def write(self, pcm: bytes) -> None:
        with self._lock:
            self._pieces.append(pcm)
            self._size += len(pcm)

    def drop(self) -> None:
        with self._lock:
            self._pieces.clear()
            self._size = 0

    def take(self, count: int) -> bytes:
        """At most ``count`` bytes, fewer when fewer are there."""
        with self._lock:
            out = bytearray()
            while self._pieces and len(out) < count:
                piece = self._pieces.popleft()
                need = count - len(out)
                out += piece[:need]
                if len(piece) > need:
                    self._pieces.appendleft(piece[need:])
            self._size -= len(out)
            self.taken += len(out)
            return bytes(out)


class SoundDeviceSpeaker:
    """The computer's loudspeaker. One that cannot do 24 kHz is resampled for."""

    def __init__(self, name: str | None = None, rate: int = SPEAKER_RATE) -> None:
        sd, device = portaudio(), _pick(name, "output")
        self.rate = rate
        self._device_rate = rate
        try:
            sd.check_output_settings(device=device.index, samplerate=rate, channels=1, dtype="int16")
        except (sd.PortAudioError, ValueError):
            self._device_rate = device.default_rate
        self._resampler = Resampler(rate, self._device_rate)
        self._queue = PlaybackQueue()
        self._loop = asyncio.get_running_loop()
        self._empty = asyncio.Event()
        self._empty.set()
        try:
            self._stream = sd.RawOutputStream(
                device=device.index, samplerate=self._device_rate, channels=1, dtype="int16",
                blocksize=self._device_rate * BLOCK_MS // 1000, latency=_PLAYBACK_LATENCY_S, callback=self._wanted,
            )  # fmt: skip
            self._stream.start()
        except sd.PortAudioError as problem:
            raise AudioDeviceError(_refused("loudspeaker", device, problem)) from None
        self._latency_ms = int(float(self._stream.latency) * 1000)

    def _wanted(self, out: Any, _frames: int, _time: Any, _status: Any) -> None:
        pcm = self._queue.take(len(out))
        out[: len(pcm)] = pcm
        out[len(pcm) :] = bytes(len(out) - len(pcm))
        if pcm and not self._queue.waiting and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ran_out)

    def _ran_out(self) -> None:
        # What was taken is still on its way through the device.
        self._loop.call_later(self._latency_ms / 1000, lambda: None if self._queue.waiting else self._empty.set())

    @property
    def position_ms(self) -> int:
        taken = ms_of(self._queue.taken, self._device_rate)
        return taken if self._empty.is_set() else max(0, taken - self._latency_ms)

    @property
    def end_ms(self) -> int:
        return ms_of(self._queue.taken + self._queue.waiting, self._device_rate)

    def write(self, pcm: bytes) -> None:
        converted = self._resampler.feed(pcm)
        if converted:
            self._empty.clear()
            self._queue.write(converted)

    def drop(self) -> None:
        self._queue.drop()
        self._resampler.finish()
        self._empty.set()

    async def drained(self) -> None:
        await self._empty.wait()

    def close(self) -> None:
        self._queue.drop()
        self._empty.set()
        self._stream.close()


def _refused(what: str, device: Device, problem: Exception) -> str:
    return (
        f"The {what} {device.name!r} cannot be opened ({problem}). Is another program holding it, or is access to it "
        "denied in the system's privacy settings? Choose another one by name."
    )
