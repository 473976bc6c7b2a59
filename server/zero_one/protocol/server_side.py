"""The server's end of one connection of the Light protocol, both levels, without any I/O or clock.

The transport calls ``receive`` for each frame and gives the events to the conversation, sends ``take_replies`` back,
calls ``tick`` at ``deadline``, and sends what ``encode`` makes of the conversation's events. Times are milliseconds of
any monotonic clock. docs/protocol.md is the reference.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Literal

from zero_one.protocol.events import (
    PCM_RATE_IN,
    PCM_RATE_OUT,
    Cancelled,
    DeviceEvent,
    Flush,
    Hello,
    Pcm,
    Played,
    Pressed,
    Received,
    Released,
    ServerEvent,
    SetVolume,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    TailClosed,
)
from zero_one.protocol.greeting import answer_hello, read_hello
from zero_one.protocol.lmc import Message
from zero_one.protocol.riff import Converter, SoundFormat, SoundReader
from zero_one.protocol.typed import TypedReader, asks_here
from zero_one.protocol.wire import (
    FORMATS,
    LEVEL0_FRAME,
    LEVEL0_RATE,
    LEVEL1_FRAME,
    MAX_BINARY_FRAME,
    TAIL_EXTEND_MS,
    TAIL_GRACE_RAW_MS,
    TAIL_GRACE_WAV_MS,
    TAIL_LIMIT_MS,
    Frame,
    FrameError,
    clean,
    error_frame,
    read_text,
    short_text,
    slices,
    whole_number,
    write_text,
)

# audio: a first 01 device (or one that said nothing yet); typed: LMC messages without hello; hello: level 1.
Dialect = Literal["audio", "typed", "hello"]
_MAX_REPLIES = 64


class ServerSide:
    """One connection.

    ``ready`` (may be set while running) says in the hello whether the engines are warm. ``resume`` gives, for a device
    id, what the hello reports of its conversation: the current generation and state. ``new_id`` names nameless devices.
    """

    def __init__(
        self,
        *,
        server: str = "zero-one",
        ready: bool = True,
        resume: Callable[[str], tuple[int, str]] | None = None,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self.ready = ready
        self.hello: Hello | None = None
        self.token: str | None = None
        self._server, self._resume, self._new_id = server, resume, new_id
        self._replies: deque[Frame] = deque(maxlen=_MAX_REPLIES)
        self._typed = TypedReader()
        self._spoke_typed = False
        self._spoke_audio = False
        self._stray = False  # sound without a start came, and this was said
        # The utterance that comes in.
        self._reader: SoundReader | None = None
        self._utterance: str | None = None
        self._odd = b""
        self._held = False
        self._tail_until: float | None = None
        self._tail_limit = 0.0
        # The speech that goes out.
        self._floor = 0
        self._speaking: int | None = None
        self._rate = LEVEL0_RATE
        self._converter: Converter | None = None
        self._turn_open = False

    # --- what the transport asks -----------------------------------------------------------------------------------

    @property
    def dialect(self) -> Dialect:
        """What this device has shown to speak so far."""
        if self.hello is not None:
            return "hello"
        return "typed" if self._spoke_typed else "audio"

    @property
    def level(self) -> int:
        """0 until a hello, then 1."""
        return 0 if self.hello is None else 1

    @property
    def speaking(self) -> int | None:
        """The generation whose speech is open on this connection, or None."""
        return self._speaking

    @property
    def open(self) -> bool:
        """An utterance, its possible tail included, is open."""
        return self._reader is not None

    @property
    def deadline(self) -> float | None:
        """When ``tick`` must be called, or None."""
        return self._tail_until

    def take_replies(self) -> list[Frame]:
        """Frames that answer what was received: hello, pong, errors. Send them before anything encoded later."""
        replies = list(self._replies)
        self._replies.clear()
        return replies

    def receive(self, frame: Frame, now_ms: float) -> list[DeviceEvent]:
        """Take one frame. Never raises; what is wrong with it becomes an error frame in ``take_replies``."""
        events = [] if self._in_tail(frame, now_ms) else self.tick(now_ms)
        try:
            if isinstance(frame, str):
                events += self._receive_text(read_text(frame), now_ms)
            else:
                events += self._receive_sound(bytes(frame), now_ms)
        except FrameError as problem:
            self._replies.append(error_frame(problem.code, str(problem)))
        return events

    def _in_tail(self, frame: Frame, now_ms: float) -> bool:
        """Sound is the tail's until a tick has closed it: it may have come in time, and been read late."""
        return isinstance(frame, bytes) and self._tail_until is not None and now_ms < self._tail_limit

    def tick(self, now_ms: float) -> list[DeviceEvent]:
        """Close the tail whose grace is over."""
        if self._tail_until is not None and now_ms >= self._tail_until:
            return self._close_tail()
        return []

    def lost(self) -> list[DeviceEvent]:
        """The connection is gone: an unfinished utterance is cancelled (a half command is not a command)."""
        if self._held:
            self._forget_utterance()
            return [Cancelled()]
        return self._close_tail() if self._tail_until is not None else []

    # --- device to server ------------------------------------------------------------------------------------------

    def _receive_text(self, raw: dict[str, Any], now_ms: float) -> list[DeviceEvent]:
        if "role" in raw:
            if raw.get("type") == "audio":
                return self._audio_header(raw, now_ms)
            events = self._typed.feed(raw)
            self._spoke_typed = self._turn_open = True
            return events
        if "auth" in raw:
            return self._auth(raw["auth"])
        if "ack" in raw:
            return []
        kind = raw.get("type")
        if kind == "hello":
            return self._hello(raw)
        if kind == "ping":
            self._replies.append(write_text({"type": "pong", **_kept_id(raw)}))
            return []
        if kind == "pong":
            return []
        if kind == "cancel":
            return self._cancel()
        if kind == "played":
            return [Played(whole_number(raw, "generation", 0, 2**53), whole_number(raw, "played_ms", 0, 2**53))]
        if kind == "volume":
            return [SetVolume(whole_number(raw, "percent", 0, 100))]
        if not isinstance(kind, str):
            raise FrameError("bad_message", "A message needs a type, and a role unless it is a control message.")
        raise FrameError("unknown_type", f"The control message {clean(kind[:40])!r} is not known here.")

    def _auth(self, value: Any) -> list[DeviceEvent]:
        """The first 01's desktop client sends true and wants no answer; Open Interpreter's sends a key and waits."""
        if isinstance(value, str):
            self.token = value[:4096]
            self._replies.append(write_text({"auth": True}))
        return []

    def _hello(self, raw: dict[str, Any]) -> list[DeviceEvent]:
        if self.hello is not None:
            raise FrameError("bad_hello", "This connection has said hello already.")
        self.hello = read_hello(raw, self._new_id)
        self._rate, self._stray = self.hello.rate_out, False
        generation, state = self._resume(self.hello.device) if self._resume else (0, "idle")
        self._floor = max(self._floor, generation)
        self._replies.append(
            answer_hello(self.hello, self._server, ready=self.ready, generation=generation, state=state)
        )
        return [self.hello]

    def _audio_header(self, raw: dict[str, Any], now_ms: float) -> list[DeviceEvent]:
        if raw["role"] != "user":
            raise FrameError("bad_message", "A device sends sound as user.")
        start, end, label = raw.get("start"), raw.get("end"), raw.get("format", "bytes.raw")
        by = raw.get("by", "hand")
        if not isinstance(label, str) or label not in FORMATS:
            raise FrameError("bad_format", "Sound must be bytes.raw or bytes.wav.")
        if (start is True) == (end is True):
            raise FrameError("bad_message", 'An audio header needs either "start": true or "end": true.')
        if by != "hand" and by != "voice":
            raise FrameError("bad_field", "by must be hand or voice.")
        if start:
            events = self._end_utterance() if self._held else self._close_tail()
            self._utterance = short_text(raw, "id")
            self._spoke_audio = self._held = self._turn_open = True
            self._reader, self._odd = SoundReader(PCM_RATE_IN), b""
            return [*events, Pressed(self._utterance, by)]
        ago_ms = whole_number(raw, "ago_ms", 0, 60_000) if "ago_ms" in raw else 0
        if not self._held:
            raise FrameError("not_open", "The end of an utterance came without its start; speak again.")
        if self.level:
            return self._end_utterance(ago_ms)
        self._held = False
        self._tail_until = now_ms + (TAIL_GRACE_RAW_MS if label == "bytes.raw" else TAIL_GRACE_WAV_MS)
        self._tail_limit = now_ms + TAIL_LIMIT_MS
        return [Released(ago_ms)]

    def _receive_sound(self, data: bytes, now_ms: float) -> list[DeviceEvent]:
        if len(data) > MAX_BINARY_FRAME:
            raise FrameError("too_large", f"A binary frame may have at most {MAX_BINARY_FRAME} bytes.")
        if self._reader is None:
            if self._stray or (self._spoke_audio and not self.level):
                # Later than any tail, or begun on an earlier connection: what an old device still had in its buffers.
                # It could not read an error, and needs none for each frame.
                return []
            self._stray = not self.level
            raise FrameError("not_open", "Sound came without a start header; press and speak again.")
        if self._tail_until is not None:
            self._tail_until = min(max(self._tail_until, now_ms + TAIL_EXTEND_MS), self._tail_limit)
        return self._pcm(self._reader.feed(data))

    def _pcm(self, data: bytes) -> list[DeviceEvent]:
        data = self._odd + data
        cut = len(data) & ~1
        data, self._odd = data[:cut], data[cut:]
        return [Pcm(data)] if data else []

    def _end_utterance(self, ago_ms: int = 0) -> list[DeviceEvent]:
        assert self._reader is not None
        events = self._pcm(self._reader.finish())
        self._forget_utterance()
        return [*events, Released(ago_ms), TailClosed()]

    def _close_tail(self) -> list[DeviceEvent]:
        if self._tail_until is None or self._reader is None:
            return []
        events = self._pcm(self._reader.finish())
        self._forget_utterance()
        return [*events, TailClosed()]

    def _cancel(self) -> list[DeviceEvent]:
        if not self._held:
            raise FrameError("not_open", "There is no utterance to cancel.")
        self._forget_utterance()
        return [Cancelled()]

    def _forget_utterance(self) -> None:
        self._reader, self._utterance, self._odd, self._held, self._tail_until = None, None, b"", False, None

    # --- server to device ------------------------------------------------------------------------------------------

    def encode(self, event: ServerEvent) -> list[Frame]:
        """The frames that say this to the device as it is: none where it could not bear them."""
        if isinstance(event, SpeechStart):
            return self._start_speech(event.generation, event.rate)
        if isinstance(event, SpeechPcm):
            return self._speech(event)
        if isinstance(event, SpeechEnd):
            return self._end_speech() if self._speaking == event.generation else []
        if isinstance(event, Flush):
            return self._flush(event.generation)
        if isinstance(event, Show):
            return self._show(event.message)
        if isinstance(event, State):
            return self._state(event.name)
        if not self.level:
            return []
        if isinstance(event, Received):
            return [write_text({"type": "received", "id": event.id})]
        return [write_text({"type": "volume", "percent": event.percent})]

    @property
    def _hears(self) -> bool:
        return self.dialect != "typed" or self._spoke_audio

    def _start_speech(self, generation: int, rate: int) -> list[Frame]:
        if generation < self._floor or generation == self._speaking or not self._hears:
            return []
        frames = self._end_speech()
        self._speaking, self._converter = generation, None
        if rate != self._rate:
            self._converter = Converter(SoundFormat(rate), self._rate)
        header: dict[str, Any] = {"role": "assistant", "type": "audio"}
        if self.level:
            header |= {"format": "bytes.raw", "rate": self._rate, "generation": generation}
        else:
            header |= {"format": "bytes.wav"}
        return [*frames, write_text(header | {"start": True})]

    def _speech(self, event: SpeechPcm) -> list[Frame]:
        if event.generation < self._floor or not self._hears:
            return []
        frames: list[Frame] = []
        if self._speaking != event.generation:
            # This link joined in the middle, or the start was said to another one: sound needs its header.
            frames += self._start_speech(event.generation, PCM_RATE_OUT)
        data = self._converter.feed(event.data) if self._converter else event.data
        return [*frames, *slices(data, LEVEL1_FRAME if self.level else LEVEL0_FRAME)]

    def _end_speech(self) -> list[Frame]:
        if self._speaking is None:
            return []
        generation, self._speaking = self._speaking, None
        rest: list[Frame] = []
        if self._converter is not None:
            rest += slices(self._converter.feed(b"", last=True), LEVEL1_FRAME if self.level else LEVEL0_FRAME)
            self._converter = None
        header: dict[str, Any] = {"role": "assistant", "type": "audio"}
        if self.level:
            header |= {"format": "bytes.raw", "generation": generation}
        else:
            header |= {"format": "bytes.wav"}
        return [*rest, write_text(header | {"end": True})]

    def _flush(self, generation: int) -> list[Frame]:
        if generation <= self._floor and self._speaking is None:
            return []
        self._floor = max(self._floor, generation)
        self._converter = None
        if self.level:
            if self._speaking is not None and self._speaking < self._floor:
                self._speaking = None
            return [write_text({"type": "flush", "generation": self._floor})]
        if self._speaking is not None and self._speaking < self._floor:
            return self._end_speech()
        return []

    def _show(self, message: Message) -> list[Frame]:
        if message.type == "approval":
            self._typed.shown(message)
        if self.dialect == "audio" or message.type == "audio":
            return []
        if self.dialect == "hello":
            return [write_text(message.to_dict())]
        if message.role == "user":
            return []
        complete = message.type == "status" and message.content == "complete"
        if complete:
            if not self._turn_open:
                return []
            self._turn_open = False
        frames: list[Frame] = [write_text(message.to_dict())]
        if message.type == "approval" and asks_here(message):
            # What Open Interpreter's clients know as the request to run code; they answer with the command go.
            code = {
                "type": "code",
                "format": message.content.get("language", ""),
                "content": message.content.get("code", ""),
            }
            ask = {"role": "computer", "type": "confirmation", "format": "execution", "content": code}
            frames.append(write_text(ask))
        return frames

    def _state(self, name: str) -> list[Frame]:
        if self.dialect == "hello":
            return [write_text({"type": "state", "state": name})]
        if self.dialect == "typed" and name == "idle" and self._turn_open:
            self._turn_open = False
            return [write_text({"role": "server", "type": "status", "content": "complete"})]
        return []


def _kept_id(raw: Mapping[str, Any]) -> dict[str, str]:
    ident = short_text(raw, "id")
    return {} if ident is None else {"id": ident}
