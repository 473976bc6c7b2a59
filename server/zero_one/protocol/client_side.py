"""The device's end of one connection of the Light protocol, without any I/O or clock: the mirror of ServerSide.

The client sends ``greeting`` first, then whatever ``encode`` makes of its own events; ``receive`` gives what the server
said, with stale sound already left out. Against a server that never answers the hello it stays at level 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from zero_one.protocol.events import (
    PCM_RATE_IN,
    PCM_RATE_OUT,
    Answer,
    Cancelled,
    DeviceEvent,
    Flush,
    Pcm,
    Played,
    Pressed,
    Received,
    Released,
    Repeat,
    ServerEvent,
    SetVolume,
    Show,
    SpeechEnd,
    SpeechPcm,
    SpeechStart,
    State,
    Stop,
    Typed,
    VolumeTo,
)
from zero_one.protocol.lmc import Message, MessageError
from zero_one.protocol.wire import (
    MAX_BINARY_FRAME,
    PROTOCOL,
    STATES,
    Frame,
    FrameError,
    read_text,
    short_text,
    slices,
    whole_number,
    write_text,
)

_SEND_FRAME = 32 * 1024


@dataclass(frozen=True, slots=True)
class Welcome:
    """The server's hello: this is a level 1 connection. ``ready`` is false while its engines still warm up."""

    device: str
    server: str = ""
    ready: bool = True
    generation: int = 0
    state: str = "idle"
    rate_out: int = PCM_RATE_OUT


@dataclass(frozen=True, slots=True)
class Pong:
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """The server sent what nobody can read. It is for the log: answering would only echo."""

    code: str
    text: str


ClientEvent = ServerEvent | Welcome | Pong | Problem


class ClientSide:
    """One connection. A reconnect takes a new one; pass ``floor`` on so that stale sound stays stale."""

    def __init__(
        self,
        device: str,
        *,
        kind: str = "",
        features: tuple[str, ...] = (),
        rate_out: int = PCM_RATE_OUT,
        token: str | None = None,
        floor: int = 0,
    ) -> None:
        self.level = 0
        self.floor = floor
        self._device, self._kind, self._features = device, kind, features
        self._rate_out, self._token = rate_out, token
        self._speaking: int | None = None
        self._dropping = False

    @property
    def speaking(self) -> int | None:
        """The generation whose sound is arriving, or None."""
        return self._speaking

    def greeting(self) -> Frame:
        """The hello. Send it as the first frame."""
        hello: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "device": self._device, "kind": self._kind}
        hello["features"] = list(self._features)
        hello["audio"] = {
            "in": {"codec": "pcm", "rate": PCM_RATE_IN},
            "out": {"codec": "pcm", "rate": self._rate_out},
        }
        if self._token is not None:
            hello["token"] = self._token
        return write_text({key: value for key, value in hello.items() if value != ""})

    # --- server to device ------------------------------------------------------------------------------------------

    def receive(self, frame: Frame) -> list[ClientEvent]:
        """Take one frame. Never raises; what is wrong with it becomes a Problem."""
        try:
            if isinstance(frame, str):
                return self._receive_text(read_text(frame))
            return self._receive_sound(bytes(frame))
        except FrameError as problem:
            return [Problem(problem.code, str(problem))]

    def _receive_sound(self, data: bytes) -> list[ClientEvent]:
        if len(data) > MAX_BINARY_FRAME:
            raise FrameError("too_large", f"A binary frame may have at most {MAX_BINARY_FRAME} bytes.")
        if self._speaking is None:
            if self._dropping:
                return []
            raise FrameError("not_open", "Sound came without a start header.")
        return [SpeechPcm(self._speaking, data)] if data else []

    def _receive_text(self, raw: dict[str, Any]) -> list[ClientEvent]:
        if "role" in raw:
            if raw.get("type") == "audio":
                return self._audio_header(raw)
            short_text(raw, "id")
            try:
                return [Show(Message.from_dict(raw))]
            except MessageError as problem:
                raise FrameError("bad_message", f"This is no message: {problem}.") from None
        kind = raw.get("type")
        if kind == "hello":
            return [self._welcome(raw)]
        if kind == "flush":
            return [self._flush(whole_number(raw, "generation", 0, 2**53))]
        if kind == "state":
            state = raw.get("state")
            if not isinstance(state, str) or state not in STATES:
                raise FrameError("bad_field", f"state must be one of {', '.join(sorted(STATES))}.")
            return [State(state)]
        if kind == "volume":
            return [VolumeTo(whole_number(raw, "percent", 0, 100))]
        if kind == "received":
            ident = short_text(raw, "id")
            if ident is None:
                raise FrameError("bad_field", "received must name an id.")
            return [Received(ident)]
        if kind == "pong":
            return [Pong(short_text(raw, "id"))]
        if kind == "ping" or "auth" in raw:
            return []
        raise FrameError("unknown_type", "This control message is not known here.")

    def _welcome(self, raw: dict[str, Any]) -> Welcome:
        whole_number(raw, "protocol", 1, 1_000_000)
        generation = whole_number(raw, "generation", 0, 2**53) if "generation" in raw else 0
        audio = raw.get("audio")
        out = audio.get("out") if isinstance(audio, dict) else None
        rate = whole_number(out, "rate", 8_000, 48_000) if isinstance(out, dict) and "rate" in out else PCM_RATE_OUT
        state = raw.get("state", "idle")
        self.level = 1
        return Welcome(
            short_text(raw, "device") or self._device,
            short_text(raw, "server") or "",
            raw.get("ready") is not False,
            generation,
            state if isinstance(state, str) and state in STATES else "idle",
            rate,
        )

    def _audio_header(self, raw: dict[str, Any]) -> list[ClientEvent]:
        if raw.get("role") != "assistant":
            raise FrameError("bad_message", "Sound comes from the assistant.")
        start, end = raw.get("start"), raw.get("end")
        if (start is True) == (end is True):
            raise FrameError("bad_message", "An audio header needs either start or end.")
        # A level 0 server counts no generations: each start is the newest.
        named = whole_number(raw, "generation", 0, 2**53) if "generation" in raw else None
        if end:
            done, self._speaking, self._dropping = self._speaking, None, False
            return [SpeechEnd(done)] if done is not None and named in (None, done) else []
        rate = whole_number(raw, "rate", 8_000, 48_000) if "rate" in raw else PCM_RATE_OUT
        generation = self.floor if named is None else named
        if generation < self.floor:
            self._speaking, self._dropping = None, True
            return []
        self._speaking, self._dropping = generation, False
        return [SpeechStart(generation, rate)]

    def _flush(self, generation: int) -> Flush:
        self.floor = max(self.floor, generation)
        self._drop_stale()
        return Flush(generation)

    def _drop_stale(self) -> None:
        if self._speaking is not None and self._speaking < self.floor:
            self._speaking, self._dropping = None, True

    # --- device to server ------------------------------------------------------------------------------------------

    def hush(self) -> None:
        """Take nothing more of the speech that is arriving: a press does this before the server's flush can come."""
        if self._speaking is not None:
            self.floor = max(self.floor, self._speaking + 1)
            self._drop_stale()

    def encode(self, event: DeviceEvent) -> list[Frame]:
        """The frames that say this to the server; none where a level 0 server has no word for it."""
        if isinstance(event, Pressed):
            self.hush()
            named = {} if event.id is None else {"id": event.id}
            return [self._header("start", named if event.by == "hand" else named | {"by": event.by})]
        if isinstance(event, Pcm):
            return list(slices(event.data, _SEND_FRAME))
        if isinstance(event, Released):
            return [self._header("end", {"ago_ms": event.ago_ms} if event.ago_ms else {})]
        if isinstance(event, Cancelled):
            return [write_text({"type": "cancel"}) if self.level else self._header("end", {})]
        if isinstance(event, Typed):
            return self._say(event)
        if isinstance(event, Stop):
            return self._stop(event)
        if isinstance(event, Repeat):
            return self._lmc(Message("user", "command", content="repeat"))
        if isinstance(event, Answer):
            return self._answer(event)
        if isinstance(event, Played) and self.level:
            played = {"type": "played", "generation": event.generation, "played_ms": event.played_ms}
            return [write_text(played)]
        if isinstance(event, SetVolume) and self.level:
            return [write_text({"type": "volume", "percent": event.percent})]
        return []

    def _stop(self, event: Stop) -> list[Frame]:
        word = "silence" if event.silence_only else "stop"
        if event.everything and self.level:
            word = "stop everything"
        return self._lmc(Message("user", "command", content=word))

    def _header(self, flag: str, more: dict[str, Any]) -> Frame:
        return write_text({"role": "user", "type": "audio", "format": "bytes.raw", flag: True, **more})

    def _say(self, event: Typed) -> list[Frame]:
        frames: list[Frame] = []
        for format_, content in event.images:
            frames += self._lmc(Message("user", "image", format_, content))
        return frames + self._lmc(Message("user", "message", content=event.text, id=event.id))

    def _answer(self, event: Answer) -> list[Frame]:
        if not self.level:
            word = "go" if event.answer == "yes" else "stop"
            return self._lmc(Message("user", "command", content=word))
        content: dict[str, Any] = {"answer": event.answer}
        if event.but:
            content["but"] = event.but
        if event.code:
            content["code"] = event.code
        if event.answer != "no":
            content["hand"] = event.hand
            more = {"held_ms": event.held_ms, "remember": event.remember, "word": event.word}
            content |= {name: value for name, value in more.items() if value}
        return self._lmc(Message("user", "approval", content=content, id=event.id))

    def _lmc(self, message: Message) -> list[Frame]:
        """Whole at level 1; in the three steps that Open Interpreter's server takes at level 0."""
        if self.level:
            return [write_text(message.to_dict())]
        chunk = Message(message.role, message.type, message.format, message.content)
        return [write_text(part.to_dict()) for part in (message.started(), chunk, message.ended())]
