"""The Python ends of the Light protocol run the vectors that every other implementation runs too."""

from __future__ import annotations

import dataclasses
import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from zero_one.protocol import events
from zero_one.protocol.client_side import ClientSide
from zero_one.protocol.lmc import Message
from zero_one.protocol.server_side import ServerSide

FILES = sorted(Path(__file__).parent.glob("*.json"))
CASES = [
    pytest.param(case, id=f"{path.stem}: {case['name']}")
    for path in FILES
    for case in json.loads(path.read_text("utf-8"))["cases"]
]


def binary(spec: dict[str, Any]) -> bytes:
    unit = bytes.fromhex(spec["hex"])
    size = spec.get("bytes", len(unit))
    return (unit * (size // len(unit) + 1))[:size]


def frame_of(spec: dict[str, Any]) -> str | bytes:
    if "hex" in spec:
        return binary(spec)
    return str(spec["raw"]) if "raw" in spec else json.dumps(spec["text"])


def same_frame(spec: dict[str, Any], got: str | bytes) -> None:
    if "hex" in spec:
        assert got == binary(spec)
        return
    assert isinstance(got, str)
    message = json.loads(got)
    if "error" in spec:
        assert (message["role"], message["type"], message["code"]) == ("server", "error", spec["error"])
        assert message["content"]
    else:
        assert message == spec["text"]


def event_of(spec: dict[str, Any]) -> Any:
    fields = {key: value for key, value in spec.items() if key != "event"}
    if "data" in fields:
        fields["data"] = binary(fields["data"])
    if "message" in fields:
        fields["message"] = Message.from_dict(fields["message"])
    return getattr(events, spec["event"])(**fields)


def joined(got: list[Any]) -> list[Any]:
    """Neighbouring pieces of the same sound as one."""
    out: list[Any] = []
    for event in got:
        if out and isinstance(event, events.Pcm | events.SpeechPcm) and type(out[-1]) is type(event):
            out[-1] = dataclasses.replace(event, data=out[-1].data + event.data)
        else:
            out.append(event)
    return out


def same_events(specs: list[dict[str, Any]], got: list[Any]) -> None:
    got = joined(got)
    assert [type(event).__name__ for event in got] == [spec["event"] for spec in specs]
    for spec, event in zip(specs, got, strict=True):
        for field, want in spec.items():
            if field == "event":
                continue
            value = getattr(event, field)
            if field == "data":
                want = binary(want)
            elif isinstance(value, Message):
                value = value.to_dict()
            elif isinstance(value, frozenset):
                value = sorted(value)
            assert value == want, field


@pytest.mark.parametrize("case", CASES)
def test_vector(case: dict[str, Any]) -> None:
    """Frames in, frames out, state after, as written."""
    names = (f"given-{number}" for number in count(1))
    server = ServerSide(server="vectors", new_id=lambda: next(names))
    client = ClientSide("dev-1", kind="test", floor=case.get("setup", {}).get("floor", 0))
    side: ServerSide | ClientSide = server if case["side"] == "server" else client
    for step in case["steps"]:
        if "encode" in step:
            frames = side.encode(event_of(step["encode"]))
            assert len(frames) == len(step["frames"]), frames
            for spec, frame in zip(step["frames"], frames, strict=True):
                same_frame(spec, frame)
            continue
        if "receive" in step:
            got: list[Any] = (
                server.receive(frame_of(step["receive"]), step["at"])
                if side is server
                else list(client.receive(frame_of(step["receive"])))
            )
        else:
            got = server.lost() if "lost" in step else list(server.tick(step["at"]))
        same_events(step["events"], got)
        if side is server:
            replies = server.take_replies()
            assert len(replies) == len(step.get("replies", [])), replies
            for spec, frame in zip(step.get("replies", []), replies, strict=True):
                same_frame(spec, frame)
    for name, want in case["after"].items():
        assert getattr(side, name) == want, name


def test_the_vectors_cover_both_sides_and_every_event() -> None:
    """A word that no vector uses would be a word that no other implementation checks."""
    text = "".join(path.read_text("utf-8") for path in FILES)
    every = {kind.__name__ for union in (events.DeviceEvent, events.ServerEvent) for kind in union.__args__}
    every |= {"Welcome", "Received", "Pong", "Problem"}
    assert {name for name in every if f'"event": "{name}"' not in text} == set()
