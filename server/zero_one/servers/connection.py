"""One WebSocket connection: frames in, events to the conversation of whoever is there, and back."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from fastapi import WebSocket
from starlette.websockets import WebSocketDisconnect

from zero_one import __version__
from zero_one.conversation import Conversation, Conversations
from zero_one.identity.access import Caller
from zero_one.protocol.events import PCM_RATE_OUT, Cancelled, DeviceEvent, Hello, Pcm, ServerEvent, Stop
from zero_one.protocol.light import HELLO_WAIT_MS, Frame, ServerSide
from zero_one.protocol.wire import error_frame
from zero_one.servers.admission import NOT_ALLOWED, NOT_PAIRED, TRY_LATER, Doorkeeper, Refused, Visitor
from zero_one.servers.entrance import Place
from zero_one.servers.limits import Bucket
from zero_one.servers.scopes import may_see, refusal

log = logging.getLogger(__name__)

STRANGER_WAIT_MS = 5_000
"""How long somebody from elsewhere, whom nothing speaks for yet, has to say who it is."""
STRANGER_FRAMES = 32
"""Frames that may come before it is clear who is there; a device needs one."""

# Whoever sends faster is read more slowly: the network makes it wait. A device sends 32 kB and some 50 frames a second
# while it is held; the first 01's desktop client delivers half a minute at once after a pause.
_FRAMES, _FRAMES_A_S = 4_000, 400
_BYTES, _BYTES_A_S = 32 * 1024 * 1024, 2 * 1024 * 1024

_TRY_LATER = 1013


class LightLink:
    """One connection, as its conversation sees it."""

    def __init__(
        self, socket: WebSocket, side: ServerSide, hello: Hello | None, caller: Caller, cut: Callable[[], None]
    ) -> None:
        self._socket, self._side, self.caller, self._cut = socket, side, caller, cut
        self.rate_out = hello.rate_out if hello else PCM_RATE_OUT
        self.features = hello.features if hello else frozenset()

    async def send(self, event: ServerEvent) -> None:
        if may_see(self.caller, event):
            await send_frames(self._socket, self._side.encode(event))

    async def close(self, reason: str) -> None:
        await close(self._socket, _TRY_LATER, reason, self._cut)


async def send_frames(socket: WebSocket, frames: list[Frame]) -> None:
    """Raises ConnectionError when the device is gone."""
    try:
        for frame in frames:
            if isinstance(frame, str):
                await socket.send_text(frame)
            else:
                await socket.send_bytes(frame)
    except (WebSocketDisconnect, RuntimeError, OSError) as gone:
        raise ConnectionError(f"the connection is closed: {gone!r}") from gone


async def close(socket: WebSocket, code: int, reason: str, cut: Callable[[], None]) -> None:
    """Tell it why, if it takes that within a second; else ``cut`` it off. WebSocket leaves 123 bytes for the reason."""
    try:
        async with asyncio.timeout(1):
            await socket.close(code, reason.encode()[:123].decode(errors="ignore"))
    except (TimeoutError, RuntimeError, WebSocketDisconnect, OSError) as problem:
        log.debug("a device could not be told to leave: %r", problem)
        cut()


class Nameless:
    """Ids for devices that have none: the lowest free number of their place."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, place: str) -> str:
        number = 1
        while (name := f"level0-{place}" + (f"-{number}" if number > 1 else "")) in self._taken:
            number += 1
        self._taken.add(name)
        return name

    def give_back(self, name: str) -> None:
        self._taken.discard(name)


class Connection:
    """``run`` it to its end, then ``leave``. ``reconsider`` is called when the list of devices has changed."""

    def __init__(
        self,
        socket: WebSocket,
        visitor: Visitor,
        place: Place,
        door: Doorkeeper,
        conversations: Conversations,
        nameless: Nameless,
        ready: Callable[[], bool],
    ) -> None:
        self._socket, self._visitor, self._place, self._door = socket, visitor, place, door
        self._conversations, self._nameless = conversations, nameless
        self._side = ServerSide(server=f"zero-one/{__version__}", ready=ready(), resume=self._resume)
        self._conversation: Conversation | None = None
        self._link: LightLink | None = None
        self._name: str | None = None
        self._token: str | None = None
        self._admitted: Caller | None = None
        self._revoked = False
        self._strange = 0
        self._loop = asyncio.get_running_loop()
        self._frames = Bucket(_FRAMES, _FRAMES_A_S, self._loop.time)
        self._bytes = Bucket(_BYTES, _BYTES_A_S, self._loop.time)
        self._expected = visitor.near or visitor.key is not None or door.admitted(visitor) is not None
        self._hello_until: float | None = self._now() + (HELLO_WAIT_MS if self._expected else STRANGER_WAIT_MS)

    @property
    def caller(self) -> Caller | None:
        return self._link.caller if self._link is not None else None

    def _now(self) -> float:
        return self._loop.time() * 1000

    async def run(self) -> None:
        """Raises Refused (tell it with ``turn_away``), ConnectionError."""
        if self._visitor.key is not None:
            self._door.device_of(self._visitor.key, self._visitor)
        while True:
            frame = await self._receive()
            if frame is None or self._revoked:
                return
            if frame == ():
                await self._tick()
                continue
            assert isinstance(frame, str | bytes)
            await self._take(frame)
            if self._revoked:
                return

    async def _take(self, frame: Frame) -> None:
        await self._pace(len(frame))
        if self._link is None:
            self._strange += 1
            if self._strange > STRANGER_FRAMES and not self._expected:
                raise Refused(NOT_PAIRED, "Say hello first.")
        events = self._side.receive(frame, self._now())
        if any(isinstance(event, Hello) for event in events):
            await self._answer()
            await self._introduce(self._side.hello)
        elif self._side.token != self._token:
            await self._introduce(self._side.hello)
        await self._deliver(events)
        await self._answer()

    async def _pace(self, size: int) -> None:
        wait_s = max(self._frames.spend(1), self._bytes.spend(size))
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    async def _receive(self) -> Frame | tuple[()] | None:
        """A frame, () when a deadline passed, None at the end."""
        deadlines = [at for at in (self._side.deadline, self._hello_until) if at is not None]
        try:
            async with asyncio.timeout_at(min(deadlines) / 1000 if deadlines else None):
                message = await self._socket.receive()
        except TimeoutError:
            # Where everything was held up, the deadline is seen before a frame that came earlier.
            try:
                async with asyncio.timeout(0):
                    message = await self._socket.receive()
            except TimeoutError:
                return ()
        if message["type"] == "websocket.disconnect":
            return None
        text: str | None = message.get("text")
        return text if text is not None else bytes(message.get("bytes") or b"")

    async def _tick(self) -> None:
        now = self._now()
        if self._hello_until is not None and now >= self._hello_until:
            await self._introduce(None)
        await self._deliver(self._side.tick(now))

    async def _answer(self) -> None:
        await send_frames(self._socket, self._side.take_replies())

    # --- who is there

    def _resume(self, _claimed: str) -> tuple[int, str]:
        """For the answer to a hello: how the conversation stands that is this device's own. Raises Refused."""
        assert self._side.hello is not None
        self._admitted = self._admit(self._side.hello)
        return self._conversations.resume(self._admitted.device)

    def _admit(self, hello: Hello | None) -> Caller:
        """Raises Refused."""
        keys = [key for key in (self._side.token, hello.token if hello is not None else None) if key]
        if self._place.entrance.plain and (hello is not None or keys or self._visitor.key is not None):
            raise Refused(NOT_ALLOWED, "This port is for devices of the first 01 alone; keys go to the port with TLS.")
        claimed = hello.device if hello is not None else None
        nameless = ""
        if claimed is None:
            nameless = self._name = self._name or self._nameless.take(self._visitor.place)
        return self._door.admit(self._visitor, keys=keys, claimed=claimed, nameless=nameless)

    async def _introduce(self, hello: Hello | None) -> None:
        """It is clear now who is there: by a hello, by a key, or because nothing was said. Raises Refused."""
        self._hello_until = None
        self._token = self._side.token
        caller, self._admitted = self._admitted or self._admit(hello), None
        await self.leave(keep_name=hello is None)
        self._conversation = self._conversations.get(caller.device)
        self._link = LightLink(self._socket, self._side, hello, caller, self._place.cut)
        self._place.known()
        log.debug("%s is connected (level %d)", caller.device, self._side.level)
        self._door.note("connected", caller.device, {"name": caller.name, "address": self._visitor.address})
        await self._door.here(caller)
        await self._conversation.attach(self._link)

    async def reconsider(self) -> None:
        """The list of devices may have changed: whoever was revoked leaves at once, with what it had begun."""
        if self._link is None or self._conversation is None or self._revoked:
            return
        before = self._link.caller
        caller = self._door.still(before)
        if caller is None:
            self._revoked = True
            self._door.note("revoked", before.device, {"name": before.name, "address": self._visitor.address})
            await self._conversation.handle(Stop(), self._link)
            await self.turn_away(Refused(NOT_PAIRED, "This device was revoked. To use it again, pair it: 01 pair"))
        elif caller != before:
            self._link.caller = caller
            if not caller.may("speak"):
                await self._conversation.handle(Cancelled(), self._link)
            self._conversation.reconsider()
        if caller is not None:
            await self._door.here(caller)

    async def turn_away(self, no: Refused) -> None:
        """Say why, in a way that the other end can bear, and close."""
        code = {NOT_PAIRED: "not_paired", NOT_ALLOWED: "not_allowed", TRY_LATER: "try_later"}.get(no.code, "refused")
        if self._side.dialect != "audio" or self._visitor.key is not None:
            try:
                async with asyncio.timeout(1):
                    await send_frames(self._socket, [error_frame(code, str(no))])
            except (ConnectionError, TimeoutError):
                self._place.cut()
                return
        await close(self._socket, no.code, str(no), self._place.cut)

    # --- what is said

    async def _deliver(self, events: list[DeviceEvent]) -> None:
        if events and self._conversation is None:
            await self._introduce(None)
        if any(not isinstance(event, Pcm) for event in events):
            # Not what the last look said, but what holds now: nobody who is revoked answers a question.
            with contextlib.suppress(OSError):
                self._door.book.refresh()
            await self.reconsider()
        for event in events:
            if self._revoked or self._conversation is None or self._link is None:
                return
            no = refusal(self._link.caller, event)
            if no is None:
                await self._conversation.handle(event, self._link)
            elif no and self._side.dialect != "audio":
                await send_frames(self._socket, [error_frame("not_allowed", no)])

    async def leave(self, *, keep_name: bool = False) -> None:
        """The connection is over (or turned out to be another device's)."""
        if self._conversation is not None and self._link is not None:
            # What is half said is the conversation's to judge: it knows whether the device will say it again.
            for event in self._side.lost():
                if not isinstance(event, Cancelled) and refusal(self._link.caller, event) is None:
                    await self._conversation.handle(event, self._link)
            await self._conversation.detach(self._link)
        if self._name is not None and not keep_name:
            self._nameless.give_back(self._name)
            self._name = None
        self._conversation = self._link = None
