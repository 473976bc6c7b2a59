"""Stand-ins around a conversation: a device with a speaker, ears that hear what the test says, a voice of known length.

The voice says every character as ``MS_A_CHAR`` ms of sound whose samples count up, so that a test can tell from the
sound alone what was said, what was dropped, and whether anything came twice.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any

from zero_one.conversation import Conversation, Link, Services
from zero_one.identity.access import Caller, owner
from zero_one.identity.devices import PAIRED, Scope
from zero_one.interpreter.base import Approver, Decision, Question
from zero_one.interpreter.history import History
from zero_one.protocol.events import (
    DeviceEvent,
    Flush,
    Opener,
    Pcm,
    Pressed,
    Released,
    ServerEvent,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    TailClosed,
    Typed,
    VolumeTo,
)
from zero_one.protocol.lmc import Message
from zero_one.speech.stt.base import HearOptions, PartialHandler, SpeechError, Transcript
from zero_one.speech.tts.base import Voice

MS_A_CHAR = 50
RATE = 24_000


class Device(Link):
    """Records what it gets, and when (s). ``heard`` is the sound as its listener has heard it: flushed sound is not."""

    def __init__(
        self, *, rate_out: int = RATE, features: frozenset[str] = frozenset(), caller: Caller | None = None
    ) -> None:
        self.rate_out, self.features = rate_out, features
        self.caller = caller or owner("test")
        self.events: list[tuple[float, ServerEvent]] = []
        self.state = "idle"
        self.closed_for = ""
        self.stuck = False
        self._clock = asyncio.get_running_loop().time
        self._changed = asyncio.Event()

    async def send(self, event: ServerEvent) -> None:
        if self.stuck:
            await asyncio.Event().wait()
        self.events.append((self._clock(), event))
        if isinstance(event, State):
            self.state = event.name
        self._changed.set()

    async def close(self, reason: str) -> None:
        self.closed_for = reason

    def shown(self, kind: str, role: str | None = None) -> list[Any]:
        """Contents of messages of a type."""
        return [
            e.message.content
            for _, e in self.events
            if isinstance(e, Show) and e.message.type == kind and role in (None, e.message.role)
        ]

    def messages(self, kind: str) -> list[Message]:
        return [e.message for _, e in self.events if isinstance(e, Show) and e.message.type == kind]

    def said(self) -> str:
        """Captions of the assistant, joined."""
        return "".join(str(text) for text in self.shown("message", "assistant") if text)

    def states(self) -> list[str]:
        return [e.name for _, e in self.events if isinstance(e, State)]

    def volumes(self) -> list[int]:
        return [e.percent for _, e in self.events if isinstance(e, VolumeTo)]

    def pcm(self, generation: int | None = None) -> bytes:
        return b"".join(
            e.data for _, e in self.events if isinstance(e, SpeechPcm) and generation in (None, e.generation)
        )

    def first(self, kind: type[Any]) -> float:
        return next(at for at, e in self.events if isinstance(e, kind))

    def last(self, kind: type[Any]) -> float:
        return next(at for at, e in reversed(self.events) if isinstance(e, kind))

    async def until(self, found: Callable[[], object], limit_s: float = 600.0) -> None:
        """Wait until something is true of what came."""
        async with asyncio.timeout(limit_s):
            while not found():
                self._changed.clear()
                await self._changed.wait()

    async def idle(self) -> None:
        """Wait until the conversation has nothing to do any more."""
        await asyncio.sleep(0.001)  # what was just done has to arrive first
        await self.until(lambda: self.state == "idle")

    def check(self) -> None:
        """What every device may rely on: sound only between start and end, generations that never go back, nothing of
        a flushed generation."""
        floor, current = -1, None
        for _, event in self.events:
            if isinstance(event, Flush):
                assert event.generation > floor
                floor = event.generation
                current = None
            elif isinstance(event, SpeechStart):
                assert event.generation >= floor
                assert current is None
                current = event.generation
            elif isinstance(event, SpeechPcm):
                assert event.generation == current, "sound without a start"
                assert event.data
                assert len(event.data) % 2 == 0
            elif isinstance(event, SpeechEnd):
                assert event.generation == current
                current = None


class Ears:
    """Hears the next of ``script``: a text, a Transcript or a SpeechError. ``takes_s`` is how long that takes."""

    name = "script"

    def __init__(self, *script: str | Transcript | SpeechError, takes_s: float = 0.1) -> None:
        self.script = list(script)
        self.takes_s = takes_s
        self.heard: list[bytes] = []
        self.cancelled = 0

    async def warm(self) -> None:
        return

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> EarsAtWork:
        return EarsAtWork(self)

    async def close(self) -> None:
        return


class EarsAtWork:
    def __init__(self, ears: Ears) -> None:
        self._ears = ears
        self._pcm = bytearray()

    def feed(self, pcm: bytes) -> None:
        self._pcm += pcm

    async def finish(self) -> Transcript:
        self._ears.heard.append(bytes(self._pcm))
        await asyncio.sleep(self._ears.takes_s)
        result = self._ears.script.pop(0)
        if isinstance(result, SpeechError):
            raise result
        return Transcript(result) if isinstance(result, str) else result

    def cancel(self) -> None:
        self._ears.cancelled += 1


@dataclass
class Throat:
    """A voice: counts of samples go on from clause to clause. ``takes_s`` passes before each clause's first sound."""

    name: str = "counting"
    sample_rate: int = RATE
    takes_s: float = 0.0
    ms_a_char: int = MS_A_CHAR
    fails: str = ""
    texts: list[str] = field(default_factory=list)
    voices: list[Voice] = field(default_factory=list)
    count: int = 0
    _holds: int = 0
    _free: asyncio.Event = field(default_factory=asyncio.Event)

    async def warm(self) -> None:
        return

    @contextlib.contextmanager
    def withheld(self) -> Iterator[None]:
        """Nothing more is said until the block ends, whoever asks for it; blocks may overlap."""
        self._holds += 1
        self._free.clear()
        try:
            yield
        finally:
            self._holds -= 1
            if not self._holds:
                self._free.set()

    async def speak(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        if self.fails:
            raise SpeechError(self.fails)
        self.texts.append(text)
        self.voices.append(voice)
        await asyncio.sleep(self.takes_s)
        if self._holds:
            await self._free.wait()
        for _ in text:
            samples = self.sample_rate * self.ms_a_char // 1000
            numbers = [(self.count + k) % 30_000 for k in range(samples)]
            self.count += samples
            yield struct.pack(f"<{samples}h", *numbers)

    async def close(self) -> None:
        return


def plain(text: str, language: str = "en") -> str:
    """Speakable, as it is."""
    return text


def paired(name: str, *scopes: Scope) -> Caller:
    """A device with a key of its own; without ``scopes`` it may do what a newly paired one may."""
    return Caller(name, name, frozenset(scopes) or PAIRED, keyless=False, paired=f"id-of-{name}")


def keyless(name: str) -> Caller:
    """A device of the first 01: it proved nothing, whatever somebody may have written into its scopes."""
    return Caller(name, name, frozenset({"speak", "approve"}), keyless=True)


Play = Callable[["Scene"], Coroutine[Any, Any, None]]


@dataclass
class Scene:
    """What a scripted answer can do."""

    run: ScriptedRun
    request: str
    approve: Approver
    history: History

    def say(self, text: str) -> None:
        self.run.say(text)

    async def ask(self, text: str, **more: Any) -> Decision:
        return await self.approve(Question(text, "python", "print(1)", "/tmp", **more))

    async def code(self, seconds: float, output: str) -> None:
        await self.run.code(seconds, output)


class ScriptedRun:
    """A turn of the interpreter that does what the test wrote. ``hush`` ends its words, ``cancel`` all of it."""

    def __init__(self, play: Play, request: str, approve: Approver, history: History) -> None:
        self._queue: asyncio.Queue[Message | None] = asyncio.Queue()
        self._history = history
        self._entry: Any = None
        self.hushed = self.cancelled = self.acting = False
        self._task = asyncio.create_task(play(Scene(self, request, approve, history)))
        # Also when it is cancelled before it ever ran.
        self._task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self.cancelled = task.cancelled()
        self._end()
        self._queue.put_nowait(None)

    def say(self, text: str) -> None:
        if self._entry is None:
            self._entry = self._history.add(Message("assistant", "message", content=""))
            self._queue.put_nowait(Message("assistant", "message", start=True, id=self._entry.message.id))
        self._entry.append(text)
        self._queue.put_nowait(Message("assistant", "message", content=text, id=self._entry.message.id))

    def _end(self) -> None:
        if self._entry is not None:
            self._queue.put_nowait(Message("assistant", "message", end=True, id=self._entry.message.id))
        self._entry = None

    async def code(self, seconds: float, output: str) -> None:
        self._end()
        for flag in ({"start": True}, {"content": "work()"}, {"end": True}):
            self._queue.put_nowait(Message("assistant", "code", "python", **flag))
        self.acting = True
        try:
            await asyncio.sleep(seconds)
        finally:
            self.acting = False
        self._queue.put_nowait(Message("computer", "console", "output", output))
        self._history.add(Message("computer", "console", "output", output))
        if self.hushed:
            raise asyncio.CancelledError

    def __aiter__(self) -> AsyncIterator[Message]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[Message]:
        while (message := await self._queue.get()) is not None:
            yield message

    def hush(self) -> None:
        self.hushed = True
        if not self.acting:
            self._task.cancel()

    async def cancel(self) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])


class ScriptedMind:
    """An interpreter that plays the next of ``plays`` for each request."""

    def __init__(self, *plays: Play) -> None:
        self.plays = list(plays)
        self.requests: list[Message] = []
        self.images: list[tuple[Message, ...]] = []
        self.runs: list[ScriptedRun] = []
        self.callers: list[Caller | None] = []
        self.history: History | None = None
        self.closed = False

    def __call__(self, device: str, history: History) -> ScriptedMind:
        self.history = history
        return self

    def respond(
        self, request: Message, approve: Approver, *, images: tuple[Message, ...] = (), caller: Caller | None = None
    ) -> ScriptedRun:
        assert self.history is not None
        self.callers.append(caller)
        self.requests.append(request)
        self.images.append(images)
        self.history.add(request)
        run = ScriptedRun(self.plays.pop(0), str(request.content), approve, self.history)
        self.runs.append(run)
        return run

    async def close(self) -> None:
        self.closed = True


def says(*pieces: str, every_s: float = 0.0) -> Play:
    """An answer in pieces, as a model streams them."""

    async def play(scene: Scene) -> None:
        for piece in pieces:
            scene.say(piece)
            await asyncio.sleep(every_s)

    return play


class Stage:
    """A conversation among stand-ins, in virtual time."""

    def __init__(
        self,
        *heard: str | Transcript | SpeechError,
        plays: tuple[Play, ...] | None = None,
        device: str = "device",
        **services: Any,
    ) -> None:
        self.ears = Ears(*heard)
        self.throat = Throat()
        self.mind = ScriptedMind(*plays) if plays is not None else None
        given = {"recognizer": self.ears, "synthesizer": self.throat, "speakable": plain, "interpreter": self.mind}
        self.services = Services(**(given | services))
        self.talk = Conversation(device, self.services)
        self.device: Device | None = None
        """The one that joined last: what the stage says comes from there."""

    async def join(self, **how: Any) -> Device:
        self.device = device = Device(**how)
        await self.talk.attach(device)
        return device

    async def does(self, event: DeviceEvent) -> None:
        """The device that joined last sends this."""
        await self.talk.handle(event, self.device)

    async def press(self, by: Opener = "hand") -> None:
        await self.does(Pressed(by=by))

    async def speak(self, seconds: float = 1.0, by: Opener = "hand") -> None:
        """Hold the button for as long as this, with sound."""
        await self.press(by)
        await self.hold(seconds)
        await self.release()

    async def hold(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.02)):
            await asyncio.sleep(0.02)
            await self.does(Pcm(bytes(640)))

    async def release(self) -> None:
        await self.does(Released())
        await self.does(TailClosed())

    async def type(self, text: str) -> None:
        await self.does(Typed(text))

    def remembered(self) -> list[tuple[str, str]]:
        """The history as (role, text)."""
        return [(entry.message.role, entry.text) for entry in self.talk.history if entry.message.type == "message"]
