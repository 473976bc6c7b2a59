"""Ten thousand seeded frames, invented and mutated, into both ends: nothing raises, nothing grows, errors are clear."""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from collections.abc import Callable, Iterator

from zero_one.protocol import events as ev
from zero_one.protocol.client_side import ClientSide, Problem
from zero_one.protocol.lmc import Message
from zero_one.protocol.server_side import ServerSide

FRAMES = 10_000
_WORDS = re.findall(
    r"\S+",
    "role type format content start end id user assistant computer server message code image audio command approval "
    "bytes.raw bytes.wav stop go hello played volume percent generation flush state idle ping protocol device auth ack",
)
_GOOD = [
    {"role": "user", "type": "audio", "format": "bytes.raw", "start": True},
    {"role": "user", "type": "audio", "format": "bytes.wav", "end": True},
    {"role": "user", "type": "message", "start": True},
    {"role": "user", "type": "message", "content": "words"},
    {"role": "user", "type": "message", "end": True},
    {"role": "user", "type": "image", "format": "base64.png", "content": "QUJD"},
    {"role": "user", "type": "approval", "id": "q", "content": {"answer": "no", "but": "x"}},
    {"role": "user", "type": "command", "content": "go"},
    {"type": "hello", "protocol": 1, "device": "d", "audio": {"out": {"codec": "pcm", "rate": 16000}}},
    {"type": "played", "generation": 1, "played_ms": 5},
    {"type": "volume", "percent": 5},
    {"type": "flush", "generation": 3},
    {"type": "state", "state": "idle"},
    {"role": "assistant", "type": "audio", "format": "bytes.raw", "generation": 2, "rate": 24000, "start": True},
    {"role": "assistant", "type": "audio", "end": True},
    {"auth": True},
]  # fmt: skip


def value(rng: random.Random, depth: int = 0) -> object:
    makers: list[Callable[[], object]] = [
        lambda: rng.choice(_WORDS),
        lambda: rng.choice([None, True, False, 0, -1, 1e308, 2**70, float("nan"), "", "\ud800", "\0" * 9]),
        lambda: "".join(chr(rng.randrange(1, 0x2FFF)) for _ in range(rng.randrange(20))),
    ]
    if depth < 3:
        makers += [
            lambda: [value(rng, depth + 1) for _ in range(rng.randrange(4))],
            lambda: {str(value(rng, 3)): value(rng, depth + 1) for _ in range(rng.randrange(5))},
        ]
    return rng.choice(makers)()


def frames(seed: int) -> Iterator[str | bytes]:
    rng = random.Random(seed)
    riff = b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0data\4\0\0\0abcd"
    for _ in range(FRAMES):
        kind = rng.randrange(8)
        if kind < 3:
            message = dict(rng.choice(_GOOD))
            for _ in range(rng.randrange(3)):
                message[rng.choice(_WORDS)] = value(rng)
            yield json.dumps(message)
        elif kind == 3:
            text = json.dumps(rng.choice(_GOOD))
            at = rng.randrange(len(text))
            yield text[:at] + chr(rng.randrange(0x7F)) * rng.randrange(4) + text[at + rng.randrange(4) :]
        elif kind == 4:
            yield json.dumps(value(rng))
        elif kind == 5:
            yield rng.randbytes(rng.randrange(200))
        elif kind == 6:
            data = bytearray(riff)
            for _ in range(rng.randrange(6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            yield bytes(data[: rng.randrange(len(data) + 1)])
        else:
            yield "".join(chr(rng.randrange(0xD000)) for _ in range(rng.randrange(60)))


def test_ten_thousand_frames_into_the_server_side() -> None:
    rng, errors, taken = random.Random(5), 0, 0
    side, now = ServerSide(new_id=lambda: "new"), 0.0
    for at, frame in enumerate(frames(1)):
        if at % 97 == 0:
            side.lost()
            side = ServerSide(new_id=lambda: "new")
        now += rng.randrange(200)
        events = side.receive(frame, now)
        assert all(type(event).__name__ in _DEVICE_EVENTS for event in events)
        for reply in side.take_replies():
            message = json.loads(reply)
            if message.get("type") == "error":
                errors += 1
                assert message["content"].endswith(".")
                assert message["code"]
        taken += bool(events)
        side.encode(ev.SpeechPcm(at % 5, b"\0\0" * 10))
        side.encode(ev.Show(Message("server", "approval", content={"id": "q"}, id="q")))
    assert errors > 1_000
    assert taken > 500


def test_one_connection_that_is_fed_nonsense_does_not_grow() -> None:
    side, nonsense = ServerSide(), list(frames(3))[:2_000]
    tracemalloc.start()
    sizes = []
    for now, frame in enumerate(nonsense):
        side.receive(frame, now)
        if now in (1_000, 1_999):
            sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[1] - sizes[0] < 200_000


def test_ten_thousand_frames_into_the_client_side() -> None:
    side, problems = ClientSide("d"), 0
    for at, frame in enumerate(frames(2)):
        if at % 97 == 0:
            side = ClientSide("d")
        for event in side.receive(frame):
            if isinstance(event, Problem):
                problems += 1
                assert event.code
                assert event.text.endswith(".")
    assert problems > 1_000


def test_an_endless_typed_message_is_cut_off() -> None:
    side = ServerSide()
    side.receive('{"role":"user","type":"message","start":true}', 0)
    chunk = json.dumps({"role": "user", "type": "message", "content": "x" * 1_000})
    codes = []
    for _ in range(70):
        side.receive(chunk, 0)
        codes += [json.loads(reply)["code"] for reply in side.take_replies()]
    assert "too_large" in codes


_DEVICE_EVENTS = {
    "Hello", "Pressed", "Pcm", "Released", "TailClosed", "Cancelled", "Typed", "Stop", "Repeat", "Answer", "Played",
    "SetVolume",
}  # fmt: skip
