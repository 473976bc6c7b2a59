"""The server's end of the wire: what the first 01's devices send and can bear, and what level 1 adds."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest

from zero_one.protocol import events as ev
from zero_one.protocol.light import ServerSide
from zero_one.protocol.lmc import Message
from zero_one.protocol.wire import MAX_TEXT_FRAME, TAIL_GRACE_RAW_MS, TAIL_LIMIT_MS


def header(flag: str, label: str = "bytes.raw", **more: Any) -> str:
    return json.dumps({"role": "user", "type": "audio", "format": label, flag: True, **more})


def wav(
    pcm: bytes, rate: int = 16_000, channels: int = 1, bits: int = 16, tag: int = 1, size: int | None = None
) -> bytes:
    block = channels * bits // 8
    fmt = struct.pack("<4sIHHIIHH", b"fmt ", 16, tag, channels, rate, rate * block, block, bits)
    data = struct.pack("<4sI", b"data", len(pcm) if size is None else size)
    return struct.pack("<4sI4s", b"RIFF", 36 + len(pcm), b"WAVE") + fmt + data + pcm


def heard(events: list[ev.DeviceEvent]) -> bytes:
    return b"".join(event.data for event in events if isinstance(event, ev.Pcm))


def names(events: list[ev.DeviceEvent]) -> list[str]:
    return [type(event).__name__ for event in events if not isinstance(event, ev.Pcm)]


def replies(side: ServerSide) -> list[dict[str, Any]]:
    return [json.loads(frame) for frame in side.take_replies()]


def hello(side: ServerSide, **more: Any) -> list[ev.DeviceEvent]:
    events = side.receive(json.dumps({"type": "hello", "protocol": 1, "device": "d1", **more}), 0)
    side.take_replies()
    return events


PCM = bytes(range(256)) * 36


def test_an_esp32_utterance_with_its_tail_arrives_bit_by_bit() -> None:
    side = ServerSide()
    events = side.receive(header("start"), 0)
    events += side.receive(PCM[:9217], 50) + side.receive(PCM[9217:], 90)
    events += side.receive(header("end"), 100) + side.receive(PCM, 140)
    assert names(events) == ["Pressed", "Released"]
    events += side.tick(139 + TAIL_GRACE_RAW_MS) + side.tick(100 + TAIL_GRACE_RAW_MS)
    assert names(events) == ["Pressed", "Released", "TailClosed"]
    assert heard(events) == PCM + PCM
    assert side.deadline is None
    assert side.take_replies() == []


def test_a_level_0_tail_cannot_be_stretched_for_ever() -> None:
    side = ServerSide()
    side.receive(header("start"), 0)
    side.receive(header("end"), 0)
    now, closed = 0, False
    while not closed:
        now += 50
        closed = ev.TailClosed() in side.receive(b"\1\0", now)
    assert now == TAIL_LIMIT_MS


def test_a_press_inside_the_grace_closes_the_tail_first() -> None:
    side = ServerSide()
    side.receive(header("start"), 0)
    side.receive(header("end"), 10)
    assert names(side.receive(header("start"), 20)) == ["TailClosed", "Pressed"]


def test_a_second_start_ends_the_utterance_before_it() -> None:
    side = ServerSide()
    side.receive(header("start"), 0)
    assert names(side.receive(header("start"), 20)) == ["Released", "TailClosed", "Pressed"]


def test_late_sound_of_an_old_device_is_dropped_without_a_word() -> None:
    side = ServerSide()
    side.receive(header("start"), 0)
    side.receive(header("end"), 10)
    assert side.receive(PCM, 5_000) == [ev.TailClosed()]
    assert side.receive(PCM, 5_001) == []
    assert side.take_replies() == []


@pytest.mark.parametrize("label", ["bytes.raw", "bytes.wav"])
@pytest.mark.parametrize("cut", [1, 3, 7, 44, 1000])
@pytest.mark.parametrize("with_header", [False, True])
def test_sound_is_the_same_however_it_is_labelled_headed_and_cut(label: str, cut: int, with_header: bool) -> None:
    pcm = PCM[:4000]
    data = wav(pcm) if with_header else pcm
    side = ServerSide()
    events = side.receive(header("start", label), 0)
    for at in range(0, len(data), cut):
        events += side.receive(data[at : at + cut], 1)
    events += side.receive(header("end", label), 2) + side.tick(10_000)
    assert heard(events) == pcm
    assert all(len(event.data) % 2 == 0 for event in events if isinstance(event, ev.Pcm))


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 10, None])
def test_a_header_that_lies_about_its_length_loses_nothing(size: int | None) -> None:
    side = ServerSide()
    events = side.receive(header("start"), 0) + side.receive(wav(PCM, size=size), 1)
    events += side.receive(header("end"), 2) + side.tick(10_000)
    assert heard(events) == PCM


def test_a_header_in_every_frame_and_chunks_behind_the_sound_are_no_sound() -> None:
    side = ServerSide()
    events = side.receive(header("start"), 0)
    for part in (PCM[:2048], PCM[2048:4096]):
        events += side.receive(wav(part) + b"LIST" + struct.pack("<I", 5) + b"abcde\0", 1)
    events += side.receive(header("end"), 2) + side.tick(10_000)
    assert heard(events) == PCM[:4096]


@pytest.mark.parametrize(
    ("rate", "channels", "bits", "tag"), [(44_100, 2, 16, 1), (48_000, 1, 24, 1), (8_000, 1, 32, 3)]
)
def test_other_wav_formats_are_converted_to_16_khz_mono(rate: int, channels: int, bits: int, tag: int) -> None:
    import numpy as np

    seconds = 0.5
    tone = 0.5 * np.sin(2 * np.pi * 440 * np.arange(int(rate * seconds)) / rate)
    tone = np.repeat(tone, channels)
    if tag == 3:
        raw = tone.astype("<f4").tobytes()
    elif bits == 24:
        raw = (tone * 8388607).astype("<i4").view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
    else:
        raw = (tone * 32767).astype("<i2").tobytes()
    data = wav(raw, rate, channels, bits, tag)
    side = ServerSide()
    events = side.receive(header("start"), 0)
    for at in range(0, len(data), 999):
        events += side.receive(data[at : at + 999], 1)
    events += side.receive(header("end"), 2) + side.tick(10_000)
    got = np.frombuffer(heard(events), "<i2") / 32768
    assert abs(len(got) - 16_000 * seconds) < 50
    spectrum = np.abs(np.fft.rfft(got))
    assert abs(spectrum.argmax() * 16_000 / len(got) - 440) < 4
    assert 0.45 < np.abs(got[1000:-1000]).max() < 0.55


def test_an_unreadable_wav_is_refused_once_and_its_noise_never_reaches_the_recogniser() -> None:
    side = ServerSide()
    events = side.receive(header("start"), 0) + side.receive(wav(PCM, tag=0x55), 1) + side.receive(PCM, 2)
    assert heard(events) == b""
    assert [reply["code"] for reply in replies(side)] == ["bad_wav"]


def test_level_0_gets_headers_and_small_frames_and_nothing_else() -> None:
    side = ServerSide()
    out = side.encode(ev.State("thinking")) + side.encode(ev.Show(Message("assistant", "message", content="hi")))
    out += side.encode(ev.Show(Message("server", "status", content="complete"))) + side.encode(ev.VolumeTo(3))
    assert out == []
    out = side.encode(ev.SpeechPcm(1, b"\1\2" * 3000)) + side.encode(ev.SpeechEnd(1))
    assert json.loads(out[0]) == {"role": "assistant", "type": "audio", "format": "bytes.wav", "start": True}
    assert json.loads(out[-1]) == {"role": "assistant", "type": "audio", "format": "bytes.wav", "end": True}
    assert all(isinstance(frame, bytes) and len(frame) <= 1024 for frame in out[1:-1])
    assert b"".join(frame for frame in out[1:-1] if isinstance(frame, bytes)) == b"\1\2" * 3000


def test_a_flush_silences_the_old_generation_of_a_level_0_device() -> None:
    side = ServerSide()
    side.encode(ev.SpeechStart(1))
    side.encode(ev.SpeechPcm(1, PCM))
    (end,) = side.encode(ev.Flush(2))
    assert json.loads(end)["end"] is True
    assert side.encode(ev.SpeechPcm(1, PCM)) == side.encode(ev.SpeechEnd(1)) == side.encode(ev.SpeechStart(1)) == []
    assert isinstance(side.encode(ev.SpeechPcm(2, b"\0\0"))[0], str)


def test_a_level_0_device_is_spoken_to_at_its_own_rate() -> None:
    side = ServerSide()
    out = (
        side.encode(ev.SpeechStart(1, 16_000))
        + side.encode(ev.SpeechPcm(1, b"\0\0" * 16_000))
        + side.encode(ev.SpeechEnd(1))
    )
    assert abs(sum(len(frame) for frame in out if isinstance(frame, bytes)) / 2 - 24_000) < 60


def test_hello_makes_it_level_1() -> None:
    side = ServerSide(server="s", ready=False, resume=lambda device: (7, "speaking"))
    (event,) = side.receive(
        json.dumps(
            {"type": "hello", "protocol": 3, "device": "d1", "kind": "desktop", "features": ["captions"], "token": "t"}
        ),
        0,
    )
    assert event == ev.Hello("d1", "desktop", frozenset({"captions"}), 24_000, "t")
    (answer,) = replies(side)
    assert (answer["type"], answer["protocol"], answer["ready"], answer["generation"], answer["state"]) == (
        "hello", 1, False, 7, "speaking",
    )  # fmt: skip
    assert answer["audio"]["out"] == {"codec": "pcm", "rate": 24_000, "max_frame": 4096}


def test_level_1_closes_the_tail_with_its_end_and_confirms_when_the_conversation_says_so() -> None:
    side = ServerSide()
    hello(side)
    events = (
        side.receive(header("start", id="u1"), 0) + side.receive(b"\1\0", 1) + side.receive(header("end", ago_ms=12), 2)
    )
    assert events == [ev.Pressed("u1"), ev.Pcm(b"\1\0"), ev.Released(12), ev.TailClosed()]
    assert replies(side) == [], "nothing is kept yet"
    assert [json.loads(frame) for frame in side.encode(ev.Received("u1"))] == [{"type": "received", "id": "u1"}]
    assert ServerSide().encode(ev.Received("u1")) == [], "a device of level 0 has no word for it"


def test_level_1_hears_of_everything() -> None:
    side = ServerSide()
    hello(side)
    assert json.loads(side.encode(ev.State("asking"))[0]) == {"type": "state", "state": "asking"}
    assert json.loads(side.encode(ev.SpeechStart(3, 24_000))[0])["generation"] == 3
    assert side.encode(ev.Flush(4)) == ['{"type":"flush","generation":4}']
    assert side.encode(ev.SpeechPcm(3, PCM)) == []
    assert json.loads(side.encode(ev.VolumeTo(30))[0]) == {"type": "volume", "percent": 30}


def test_level_1_controls() -> None:
    side = ServerSide()
    hello(side)
    assert side.receive('{"type":"played","generation":2,"played_ms":1200.9}', 0) == [ev.Played(2, 1200)]
    assert side.receive('{"type":"volume","percent":40}', 0) == [ev.SetVolume(40)]
    side.receive('{"type":"ping","id":"x"}', 0)
    assert replies(side) == [{"type": "pong", "id": "x"}]
    side.receive(header("start"), 0)
    assert side.receive('{"type":"cancel"}', 0) == [ev.Cancelled()]
    say = {"role": "user", "type": "approval", "id": "q1", "content": {"answer": "no", "but": "use the other one"}}
    assert side.receive(json.dumps(say), 0) == [ev.Answer("q1", "no", "use the other one")]


def test_open_interpreters_streamed_message_and_stop_and_complete() -> None:
    side = ServerSide()
    events: list[ev.DeviceEvent] = []
    for part in ({"start": True}, {"content": "hello "}, {"content": "there"}, {"end": True}):
        events += side.receive(json.dumps({"role": "user", "type": "message", **part}), 0)
    assert events == [ev.Typed("hello there")]
    chunk = Message("assistant", "message", content="hi")
    assert json.loads(side.encode(ev.Show(chunk))[0]) == {"role": "assistant", "type": "message", "content": "hi"}
    assert side.encode(ev.SpeechPcm(1, PCM)) == []
    assert json.loads(side.encode(ev.State("idle"))[0]) == {"role": "server", "type": "status", "content": "complete"}
    assert side.encode(ev.State("idle")) == []
    events = []
    for part in ({"start": True}, {"content": "stop"}, {"end": True}):
        events += side.receive(json.dumps({"role": "user", "type": "command", **part}), 0)
    assert events == [ev.Stop()]
    assert side.take_replies() == []


def test_complete_comes_once_whoever_says_it_first() -> None:
    side = ServerSide()
    side.receive('{"role":"user","type":"message","content":"hi"}', 0)
    complete = ev.Show(Message("server", "status", content="complete"))
    assert len(side.encode(complete)) == 1
    assert side.encode(ev.State("idle")) == side.encode(complete) == []


def test_a_start_without_type_and_a_whole_message_followed_by_an_end() -> None:
    side = ServerSide()
    events = side.receive('{"role":"user","start":true}', 0)
    events += side.receive('{"role":"user","type":"message","content":"one"}', 0) + side.receive(
        '{"role":"user","end":true}', 0
    )
    events += side.receive('{"role":"user","type":"message","content":"two"}', 0)
    events += side.receive('{"role":"user","type":"message","end":true}', 0)
    assert events == [ev.Typed("one"), ev.Typed("two")]
    assert side.take_replies() == []


def test_parts_between_a_start_and_an_end_without_type_are_one_request() -> None:
    """Open Interpreter's multi-part messages: words, images, words, in any order."""
    words: dict[str, object] = {"type": "message", "content": "What is this? "}
    image: dict[str, object] = {"type": "image", "format": "base64.png", "content": "QUJD"}
    more: dict[str, object] = {"type": "message", "content": "Be short."}
    orders: list[list[dict[str, object]]] = [[words, image], [image, words], [words, image, more]]
    for parts in orders:
        side = ServerSide()
        events: list[ev.DeviceEvent] = []
        frames: list[dict[str, object]] = [{"start": True, "id": "m1"}, *parts, {"end": True}]
        for part in frames:
            events += side.receive(json.dumps({"role": "user", **part}), 0)
        text = "".join(str(part["content"]) for part in parts if part["type"] == "message")
        assert events == [ev.Typed(text, (("base64.png", "QUJD"),), "m1")]
        assert side.take_replies() == []
    side.receive('{"role":"user","end":true}', 0)
    assert replies(side)[0]["code"] == "bad_message"


def test_go_answers_the_open_question_of_a_typed_client() -> None:
    side = ServerSide()
    side.receive('{"role":"user","type":"message","content":"list files"}', 0)
    question = {"id": "q7", "question": "Run it?", "language": "shell", "code": "ls"}
    out = side.encode(ev.Show(Message("server", "approval", content=question, id="q7")))
    assert json.loads(out[1])["content"] == {"type": "code", "format": "shell", "content": "ls"}
    assert side.receive('{"role":"user","type":"command","content":"go"}', 0) == [ev.Answer("q7", "yes")]
    closed = Message("server", "approval", content={"answer": "yes", "reason": ""}, end=True, id="q7")
    assert len(side.encode(ev.Show(closed))) == 1
    side.receive('{"role":"user","type":"command","content":"go"}', 0)
    assert replies(side)[0]["code"] == "no_question"


def test_images_wait_for_their_words() -> None:
    side = ServerSide()
    side.receive('{"role":"user","type":"image","format":"base64.png","content":"QUJD"}', 0)
    (typed,) = side.receive('{"role":"user","type":"message","content":"what is this"}', 0)
    assert typed == ev.Typed("what is this", (("base64.png", "QUJD"),))


def test_auth_true_of_the_first_desktop_client_is_taken_in_silence_and_a_key_is_answered() -> None:
    side = ServerSide()
    assert side.receive('{"auth": true}', 0) == []
    assert side.take_replies() == []
    side.receive('{"auth": "secret"}', 0)
    assert replies(side) == [{"auth": True}]
    assert side.token == "secret"


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("nonsense", "bad_json"),
        ("[1]", "bad_json"),
        ("[" * 100_000, "bad_json"),
        ("{}", "bad_message"),
        ('{"type":"dance"}', "unknown_type"),
        ('{"role":"user","type":"message","content":5}', "bad_message"),
        ('{"role":"robot","type":"message","content":"x"}', "bad_message"),
        ('{"role":"user","type":"message","end":true}', "not_open"),
        ('{"role":"user","type":"code","content":"rm"}', "not_taken"),
        ('{"role":"user","type":"command","content":"dance"}', "bad_command"),
        ('{"role":"user","type":"audio","format":"mp3","start":true}', "bad_format"),
        ('{"role":"user","type":"audio"}', "bad_message"),
        ('{"role":"user","type":"audio","end":true}', "not_open"),
        ('{"type":"hello"}', "bad_field"),
        ('{"type":"hello","protocol":1,"device":""}', "bad_field"),
        ('{"type":"played","generation":-1,"played_ms":0}', "bad_field"),
        ('{"type":"volume","percent":true}', "bad_field"),
        ('{"type":"cancel"}', "not_open"),
        (b"\0\0", "not_open"),
        ("x" * (MAX_TEXT_FRAME + 1), "too_large"),
        ("\U0001f600" * (MAX_TEXT_FRAME // 4 + 1), "too_large"),
        (bytes(3_000_000), "too_large"),
    ],
)  # fmt: skip
def test_a_malformed_frame_gets_one_clear_error_no_esp32_takes_for_sound(frame: str | bytes, code: str) -> None:
    side = ServerSide()
    assert side.receive(frame, 0) == []
    (raw,) = side.take_replies()
    assert isinstance(raw, str)
    reply = json.loads(raw)
    assert (reply["role"], reply["type"], reply["code"]) == ("server", "error", code)
    assert reply["content"].endswith(".")
    assert '"audio"' not in raw
    assert len(raw) < 1024


def test_a_lost_link_cancels_half_an_utterance_and_finishes_a_whole_one() -> None:
    side = ServerSide()
    side.receive(header("start"), 0)
    assert side.lost() == [ev.Cancelled()]
    side = ServerSide()
    side.receive(header("start"), 0)
    side.receive(header("end"), 0)
    assert side.lost() == [ev.TailClosed()]
    assert side.lost() == []
