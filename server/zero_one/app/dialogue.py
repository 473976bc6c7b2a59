"""One turn with a server, as a level 1 device has it: say or type something, take in all that comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from zero_one.app.address import Address
from zero_one.audio.formats import bytes_of, ms_of
from zero_one.protocol.events import (
    PCM_RATE_IN,
    PCM_RATE_OUT,
    Answer,
    DeviceEvent,
    Flush,
    Pcm,
    Played,
    Pressed,
    Released,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    Typed,
)
from zero_one.protocol.light import MAX_TEXT_FRAME, ClientEvent, ClientSide, Problem, Welcome
from zero_one.protocol.lmc import Message

CHUNK_MS = 20
"""How much of an utterance is sent at once, at the pace in which it was spoken."""

_DEAF_S = 0.8
"""A little more than how long after a question the server takes a yes for an accident."""

Asked = Callable[[Message], Awaitable[Answer]]
"""Answers an approval question."""


class DialogueError(Exception):
    """The turn could not be had. The text says why and what to do."""


@dataclass(slots=True)
class Turn:
    """What came back. ``ms`` holds when, in ms since the release of the button (or since the text was sent)."""

    transcript: str = ""
    caption: str = ""
    errors: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    spans: dict[str, float] = field(default_factory=dict)
    """The server's own stages, in ms since the release."""
    sound: bytearray = field(default_factory=bytearray)
    rate: int = PCM_RATE_OUT
    ms: dict[str, float] = field(default_factory=dict)


class Dialogue:
    """A connection to a server. ``on_message`` sees every LMC message as it arrives; ``asked`` answers questions."""

    def __init__(self, socket: ClientConnection, side: ClientSide) -> None:
        self._socket, self._side = socket, side
        self.on_message: Callable[[Message], None] = lambda message: None
        self.on_state: Callable[[str], None] = lambda state: None
        self.asked: Asked = _refuse
        self.ready = True
        self.reads = False
        """True where nobody listens, only reads: sound counts as heard when it comes, so the server holds none back."""

    async def say(self, pcm: bytes, *, limit_s: float) -> Turn:
        """Hold the button, say ``pcm`` (16 kHz) as fast as it was spoken, release, and listen. Raises DialogueError."""
        return await self._turn(lambda: self._utter(pcm), limit_s)

    async def type(self, text: str, *, limit_s: float) -> Turn:
        """Send typed text and listen. Raises DialogueError."""
        return await self._turn(lambda: self._send(Typed(text)), limit_s)

    async def _turn(self, request: Callable[[], Awaitable[None]], limit_s: float) -> Turn:
        listening = _Listening(self)
        listener = asyncio.create_task(listening.until_over())
        try:
            async with asyncio.timeout(limit_s):
                await request()
                listening.requested()
                return await listener
        except TimeoutError as error:
            raise DialogueError(f"The server did not finish the turn within {limit_s:.0f} s.") from error
        except (OSError, WebSocketException) as error:
            raise DialogueError(f"The connection to the server was lost: {error}.") from error
        finally:
            listener.cancel()
            await asyncio.gather(listener, return_exceptions=True)

    async def _utter(self, pcm: bytes) -> None:
        clock = asyncio.get_running_loop().time
        await self._send(Pressed())
        begun, size = clock(), bytes_of(CHUNK_MS, PCM_RATE_IN)
        for at in range(0, len(pcm), size):
            piece = pcm[at : at + size]
            spoken_at = begun + ms_of(at + len(piece), PCM_RATE_IN) / 1000
            await asyncio.sleep(max(0.0, spoken_at - clock()))
            await self._send(Pcm(piece))
        await self._send(Released())

    async def _send(self, event: DeviceEvent) -> None:
        for frame in self._side.encode(event):
            await self._socket.send(frame)

    async def welcome(self, limit_s: float) -> None:
        """Greet, and wait for the server's hello. Raises DialogueError."""
        try:
            async with asyncio.timeout(limit_s):
                await self._socket.send(self._side.greeting())
                while True:
                    for event in await self.receive():
                        if isinstance(event, Welcome):
                            self.ready = event.ready
                            return
        except TimeoutError as error:
            raise DialogueError("The server did not answer the hello; is it an older one?") from error
        except (OSError, WebSocketException) as error:
            raise DialogueError(f"The connection to the server was lost: {error}.") from error

    async def receive(self) -> list[ClientEvent]:
        return self._side.receive(await self._socket.recv())

    async def reply(self, event: DeviceEvent) -> None:
        await self._send(event)


class _Listening:
    """Gathers one turn. It is over when the server, having been busy with it, is idle and has ended its speech."""

    def __init__(self, dialogue: Dialogue) -> None:
        self._dialogue = dialogue
        self._clock = asyncio.get_running_loop().time
        self._turn = Turn()
        self._asked_at: float | None = None
        self._busy = False
        self._idle = False
        self._speaking = False
        self._streaming = False
        self._heard: dict[int, int] = {}
        self._asking: asyncio.Task[None] | None = None
        self._spoken = asyncio.Event()

    def requested(self) -> None:
        self._asked_at = self._clock()

    async def until_over(self) -> Turn:
        try:
            while not (self._asked_at is not None and self._busy and self._idle and not self._speaking):
                for event in await self._dialogue.receive():
                    await self._take(event)
        finally:
            await self._stop_asking()
        self._mark("complete")
        return self._turn

    async def _take(self, event: ClientEvent) -> None:
        if isinstance(event, State):
            self._idle = event.name == "idle"
            if event.name == "asking":
                self._spoken.set()
            else:
                self._spoken.clear()
            # Listening is what our own press causes; the turn proper is what follows it.
            self._busy = self._busy or event.name not in {"idle", "listening"}
            self._dialogue.on_state(event.name)
        elif isinstance(event, Show):
            await self._show(event.message)
        elif isinstance(event, SpeechStart):
            self._speaking = True
            self._turn.rate = event.rate
        elif isinstance(event, SpeechPcm):
            self._mark("first sound")
            self._turn.sound += event.data
            self._heard[event.generation] = self._heard.get(event.generation, 0) + len(event.data)
            if self._dialogue.reads:
                await self._report(event.generation)
        elif isinstance(event, SpeechEnd):
            self._speaking = False
            await self._report(event.generation)
        elif isinstance(event, Flush):
            self._speaking = False
        elif isinstance(event, Problem):
            self._turn.errors.append(event.text)

    async def _report(self, generation: int) -> None:
        heard = ms_of(self._heard.get(generation, 0), self._turn.rate)
        await self._dialogue.reply(Played(generation, heard))

    async def _show(self, message: Message) -> None:
        text = message.content if isinstance(message.content, str) else ""
        if message.type == "message" and message.role == "user":
            if message.format != "partial" and text:
                self._turn.transcript += text
                self._mark("transcript")
        elif message.type == "message" and message.role == "assistant":
            self._streaming = (self._streaming or message.start) and not message.end
            if text:
                self._turn.caption += text
                self._mark("first words")
            if not self._streaming:
                self._turn.caption = self._turn.caption.rstrip() + "\n"
        elif message.type == "code" and message.role == "assistant":
            if message.start or not self._turn.code:
                self._turn.code.append("")
            self._turn.code[-1] += text
        elif message.type == "status" and message.format == "spans" and isinstance(message.content, dict):
            self._turn.spans = {str(name): float(ms) for name, ms in message.content.items()}
        elif message.type == "error" and text:
            self._turn.errors.append(text)
        self._dialogue.on_message(message)
        if message.type == "approval" and message.role == "server":
            await self._stop_asking()
            if not message.end:
                self._asking = asyncio.create_task(self._ask(message))

    async def _ask(self, message: Message) -> None:
        answer = await self._dialogue.asked(message)
        own = not (isinstance(message.content, dict) and message.content.get("own") is False)
        if not own or answer.answer == "no":
            await self._dialogue.reply(answer)
            return
        while True:
            # Whoever reads is faster than the voice, and no yes counts before the question was spoken.
            await self._spoken.wait()
            await asyncio.sleep(_DEAF_S)
            # Where it was too early by the server's clock the question is said again, and the answer stands. A
            # question that is over ends this.
            self._spoken.clear()
            await self._dialogue.reply(answer)

    async def _stop_asking(self) -> None:
        """A question that ended, here or elsewhere, needs no answer any more."""
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.gather(self._asking, return_exceptions=True)
            self._asking = None

    def _mark(self, name: str) -> None:
        if self._asked_at is not None:
            self._turn.ms.setdefault(name, (self._clock() - self._asked_at) * 1000)


def _why(error: Exception) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    return str(getattr(error, "strerror", None) or error or type(error).__name__)


async def _refuse(message: Message) -> Answer:
    return Answer(message.id or "", "no")


@asynccontextmanager
async def dialogue(where: Address, device: str, *, limit_s: float = 10.0) -> AsyncIterator[Dialogue]:
    """Connect as device ``device`` and say hello. Raises DialogueError where no server answers."""
    try:
        socket = await connect(
            where.ws,
            ssl=where.context(),
            additional_headers=where.headers,
            max_size=MAX_TEXT_FRAME,
            open_timeout=limit_s,
            proxy=None,
        )
    except (OSError, TimeoutError, WebSocketException) as error:
        raise DialogueError(f"No server answers at {where.ws} ({_why(error)}). Start one with: 01 --server") from error
    try:
        found = Dialogue(socket, ClientSide(device, kind="terminal", features=("captions", "approvals")))
        await found.welcome(limit_s)
        yield found
    finally:
        await socket.close()
