"""The hello that makes a connection level 1, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from zero_one.protocol.events import PCM_RATE_IN, Hello
from zero_one.protocol.wire import (
    LEVEL0_RATE,
    LEVEL1_FRAME,
    MAX_BINARY_FRAME,
    PROTOCOL,
    FrameError,
    short_text,
    whole_number,
    write_text,
)

FEATURES = ("captions", "typed", "images", "stop", "approvals", "volume", "state", "played", "flush", "announce")


def read_hello(raw: Mapping[str, Any], new_id: Callable[[], str]) -> Hello:
    """A device's hello; one without an id is given one. Raises FrameError."""
    whole_number(raw, "protocol", 1, 1_000_000)
    features = raw.get("features", [])
    if not isinstance(features, list) or not all(isinstance(word, str) for word in features):
        raise FrameError("bad_field", "features must be an array of words.")
    token = raw.get("token")
    if token is not None and (not isinstance(token, str) or len(token) > 4096):
        raise FrameError("bad_field", "token must be a string of at most 4096 characters.")
    device, kind = short_text(raw, "device"), short_text(raw, "kind") or ""
    words = frozenset(word[:64] for word in features[:64])
    return Hello(device or new_id(), kind, words, _rate_out(raw.get("audio")), token)


def answer_hello(hello: Hello, server: str, *, ready: bool, generation: int, state: str) -> str:
    """The frame that greets it back."""
    answer = {
        "type": "hello",
        "protocol": PROTOCOL,
        "server": server,
        "device": hello.device,
        "ready": ready,
        "generation": generation,
        "state": state,
        "features": list(FEATURES),
        "audio": {
            "in": {"codec": "pcm", "rate": PCM_RATE_IN, "max_frame": MAX_BINARY_FRAME},
            "out": {"codec": "pcm", "rate": hello.rate_out, "max_frame": LEVEL1_FRAME},
        },
    }
    return write_text(answer)


def _rate_out(audio: Any) -> int:
    """The rate a device asks to be spoken to at, from its hello. Raises FrameError."""
    if audio is None:
        return LEVEL0_RATE
    out = audio.get("out", {}) if isinstance(audio, dict) else None
    if not isinstance(out, dict):
        raise FrameError("bad_field", "audio must be an object with in and out.")
    codec = out.get("codec", "pcm")
    if codec != "pcm" and not (isinstance(codec, list) and "pcm" in codec):
        raise FrameError("bad_field", "Only the codec pcm is spoken here; name it, alone or in a list.")
    return whole_number(out, "rate", 8_000, 48_000) if "rate" in out else LEVEL0_RATE
