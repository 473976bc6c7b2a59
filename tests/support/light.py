"""A Light Server in the test's own loop on a free port, and clients that send what the first 01's devices send."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from zero_one.conversation import Conversations, Services
from zero_one.identity.addresses import loopback
from zero_one.identity.devices import DeviceBook
from zero_one.identity.pairing import PairingDesk
from zero_one.protocol.events import DeviceEvent, State
from zero_one.protocol.light import ClientEvent, ClientSide
from zero_one.servers.admission import Doorkeeper
from zero_one.servers.entrance import Entrance
from zero_one.servers.light import LightApp
from zero_one.servers.listener import Headcount, Server, listen
from zero_one.servers.pair import PairPage

ESP32_BLOCK = 9 * 1024 + 1024
"""The first 01's ESP32 sends when more than 9,216 bytes are there, read 1,024 at a time."""
ESP32_START = '{"role": "user", "type": "audio", "format": "bytes.raw", "start": true}'
ESP32_END = '{"role": "user", "type": "audio", "format": "bytes.raw", "end": true}'
DESKTOP_START = json.dumps({"role": "user", "type": "audio", "format": "bytes.wav", "start": True})
DESKTOP_END = json.dumps({"role": "user", "type": "audio", "format": "bytes.wav", "end": True})
DESKTOP_CHUNK = 1024 * 2
LIMIT_S = 60.0
"""How long a busy machine may take for what is done at once elsewhere."""


@dataclass
class Light:
    """A running server. ``door`` knows its devices; ``noted`` is what it wrote down, ``told`` what its owner read."""

    port: int
    conversations: Conversations
    services: Services
    door: Doorkeeper | None = None
    desk: PairingDesk | None = None
    server: Server | None = None
    noted: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    looked: asyncio.Event = field(default_factory=asyncio.Event)

    async def notice(self) -> None:
        """Until the server has looked at its list of devices, and acted on what it saw."""
        for _ in range(2):  # the look that is under way may have begun before
            self.looked.clear()
            await self.looked.wait()

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/"

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def light(
    services: Services,
    *,
    near: Callable[[str], bool] = loopback,
    entrance: Entrance | None = None,
    fingerprint: str = "",
    **door: Any,
) -> AsyncIterator[Light]:
    """Serve on an ephemeral port; on the way out everything is closed.

    ``near`` tells which addresses count as this machine, so that a loopback address can stand for one elsewhere;
    ``entrance`` is how it listens besides; ``door`` goes to the doorkeeper.
    """
    conversations = Conversations(services)
    listener = listen("127.0.0.1", 0)
    health = lambda: {"status": "ready" if services.ready() else "warming"}  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        running = Light(listener.getsockname()[1], conversations, services)
        keeper = running.door = Doorkeeper(
            DeviceBook(Path(folder) / "devices.json"),
            near=near,
            tell=running.told.append,
            note=lambda *what: running.noted.append(what),
            **door,
        )
        desk = running.desk = PairingDesk(Path(folder) / "pairing.json")
        pairs = PairPage(desk, keeper, fingerprint=fingerprint)
        app = LightApp(conversations, services.ready, health, services.metrics, door=keeper, pairs=pairs)
        entrance = replace(entrance or Entrance(), socket=listener)
        server = running.server = Server(app, [entrance], Headcount(near))
        serving = asyncio.create_task(server.serve())
        watching = asyncio.create_task(app.watch(running.looked.set))
        try:
            await server.listening.wait()
            yield running
        finally:
            watching.cancel()
            await conversations.close()
            server.should_exit = True
            await asyncio.gather(serving, watching, return_exceptions=True)


@dataclass
class OldClient:
    """What a level 0 device does with frames; ``frames`` are all of them, as they came."""

    socket: ClientConnection
    frames: list[str | bytes] = field(default_factory=list)
    played: bytearray = field(default_factory=bytearray)
    playing: bool = False

    async def take(self, limit_s: float = LIMIT_S) -> str | bytes:
        """The next frame, checked against what such a device can bear."""
        frame = await asyncio.wait_for(self.socket.recv(), limit_s)
        self.frames.append(frame)
        if isinstance(frame, bytes):
            # It copies whatever arrives into 1,024 bytes, and plays it as it is.
            assert 0 < len(frame) <= 1024
            assert self.playing, "sound without a start header"
            self.played += frame
        else:
            header = json.loads(frame)
            assert header["role"] == "assistant"
            assert header["type"] == "audio"
            assert header["format"] == "bytes.wav"
            assert header.get("start", False) != header.get("end", False)
            self.playing = bool(header.get("start"))
        return frame

    async def until_end(self, *, more_than: int = 0) -> bytes:
        """Play until the end header, and on while no more than this many bytes were played. Returns all of it."""
        while True:
            frame = await self.take()
            if isinstance(frame, str) and not self.playing and len(self.played) > more_than:
                return bytes(self.played)

    async def quiet(self, seconds: float) -> list[str | bytes]:
        """What comes within this time."""
        before = len(self.frames)
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self.take()
        except TimeoutError:
            return self.frames[before:]


@asynccontextmanager
async def esp32(server: Light) -> AsyncIterator[OldClient]:
    """As the first 01's ESP32 connects: with an Origin that is no page's and a subprotocol."""
    async with connect(server.url, subprotocols=["arduino"], origin="file://", compression=None) as socket:
        assert socket.subprotocol == "arduino"
        yield OldClient(socket)


@asynccontextmanager
async def desktop(server: Light, *, auth: bool = False) -> AsyncIterator[OldClient]:
    """As the first 01's desktop client connects; an older one sends ``auth`` first."""
    async with connect(server.url) as socket:
        if auth:
            await socket.send(json.dumps({"auth": True}))
        yield OldClient(socket)


async def esp32_says(client: OldClient, pcm: bytes) -> None:
    """Start; blocks of 10,240 bytes; the end; and then the rest of the same utterance."""
    await client.socket.send(ESP32_START)
    whole = len(pcm) // ESP32_BLOCK * ESP32_BLOCK
    if whole == len(pcm):
        whole -= ESP32_BLOCK
    for at in range(0, whole, ESP32_BLOCK):
        await client.socket.send(pcm[at : at + ESP32_BLOCK])
    await client.socket.send(ESP32_END)
    if pcm[whole:]:
        await client.socket.send(pcm[whole:])


async def desktop_says(client: OldClient, pcm: bytes) -> None:
    """Start, blocks of 1,024 samples in one burst, end; headerless in spite of its label."""
    await client.socket.send(DESKTOP_START)
    for at in range(0, len(pcm), DESKTOP_CHUNK):
        await client.socket.send(pcm[at : at + DESKTOP_CHUNK])
    await client.socket.send(DESKTOP_END)


@dataclass
class NewClient:
    """A level 1 device on a real connection."""

    socket: ClientConnection
    side: ClientSide
    events: list[ClientEvent] = field(default_factory=list)

    async def send(self, *events: DeviceEvent) -> None:
        for event in events:
            for frame in self.side.encode(event):
                await self.socket.send(frame)

    async def take(self, limit_s: float = LIMIT_S) -> list[ClientEvent]:
        frame = await asyncio.wait_for(self.socket.recv(), limit_s)
        events = self.side.receive(frame)
        self.events += events
        return events

    async def until(self, found: Any, limit_s: float = LIMIT_S) -> Any:
        """Take events until ``found(event)`` is true of one; that one."""
        async with asyncio.timeout(limit_s):
            while True:
                for event in await self.take(limit_s):
                    if found(event):
                        return event

    async def state(self, name: str, limit_s: float = LIMIT_S) -> None:
        """Until the conversation is in this state."""
        await self.until(lambda event: isinstance(event, State) and event.name == name, limit_s)

    async def idle(self, limit_s: float = LIMIT_S) -> None:
        await self.state("idle", limit_s)


@asynccontextmanager
async def device(server: Light, name: str, **how: Any) -> AsyncIterator[NewClient]:
    """A level 1 device that has said hello. One that a test does not read for a while is alive all the same."""
    async with connect(server.url, max_size=None, max_queue=None, ping_interval=None, open_timeout=LIMIT_S) as socket:
        client = NewClient(socket, ClientSide(name, **how))
        await socket.send(client.side.greeting())
        await client.take()
        yield client
