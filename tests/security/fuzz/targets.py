"""What is fuzzed: everything that reads bytes which a stranger may have written.

A target takes bytes and raises where a promise is broken. What it may raise itself is caught in it, by name.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from zero_one.config.importing.convert import import_profile
from zero_one.config.problems import ConfigError
from zero_one.config.profiles import read as read_profile
from zero_one.conversation.answers import read_answer
from zero_one.identity.devices import DeviceBook
from zero_one.interpreter.history import History
from zero_one.interpreter.textmode import FenceReader
from zero_one.protocol.client_side import ClientSide
from zero_one.protocol.events import Pcm
from zero_one.protocol.riff import SoundReader
from zero_one.protocol.server_side import ServerSide
from zero_one.protocol.wire import FrameError
from zero_one.safety.risk import Verdict, classify
from zero_one.safety.risk.classify import LANGUAGES
from zero_one.servers.hosts import HostError, foreign, read_host
from zero_one_desktop.invitation import read_invitation

Target = Callable[[bytes], None]
CONFORMANCE = Path(__file__).resolve().parents[2] / "conformance"
BETWEEN = b"\xff\xfe"
"""Parts frames from each other in a fuzzed connection; a first byte ``b`` makes one binary, any other text."""

_SCRATCH = Path(tempfile.gettempdir())


def frames(data: bytes) -> Iterator[str | bytes]:
    for part in data.split(BETWEEN):
        if part[:1] == b"b":
            yield part[1:]
        else:
            yield part[1:].decode("utf-8", "surrogatepass" if part[:1] == b"s" else "replace")


def joined(parts: list[str | bytes]) -> bytes:
    """The opposite of ``frames``, for seeds."""
    return BETWEEN.join(b"b" + p if isinstance(p, bytes) else b"t" + p.encode("utf-8", "replace") for p in parts)


def server_frames(data: bytes) -> None:
    """One connection to the server: whatever comes, it answers in JSON and never raises."""
    side = ServerSide(new_id=lambda: "fuzz")
    now = 0.0
    for frame in _tolerant(data):
        now += 37
        for event in side.receive(frame, now):
            assert not isinstance(event, Pcm) or len(event.data) % 2 == 0
        for reply in side.take_replies():
            assert isinstance(json.loads(reply), dict)
    side.tick(now + 10_000)
    side.lost()
    assert not side.take_replies()


def client_frames(data: bytes) -> None:
    """One connection of the desktop client, to a server that has gone mad."""
    side = ClientSide("fuzz")
    side.greeting()
    for frame in _tolerant(data):
        side.receive(frame)


def _tolerant(data: bytes) -> list[str | bytes]:
    try:
        return list(frames(data))
    except UnicodeDecodeError:  # no frame at all: a WebSocket refuses such text
        return []


def sound(data: bytes) -> None:
    """A recording read whole and read in pieces is the same sound, or the same refusal."""
    if len(data) < 2:
        return
    step, body = data[0] % 61 + 1, data[1:]
    assert _pcm([body]) == _pcm([body[at : at + step] for at in range(0, len(body), step)])


def _pcm(pieces: list[bytes]) -> bytes | None:
    reader = SoundReader(16_000)
    try:
        return b"".join([*map(reader.feed, pieces), reader.finish()])
    except FrameError:
        return None


def hosts(data: bytes) -> None:
    """Host and Origin headers: a name that was read holds nothing that could end it early."""
    text = data.decode("latin-1")
    head, _, origin = text.partition("\n")
    try:
        host = read_host(head)
    except HostError:
        return
    assert host.name
    assert not set(host.name) & set("@/\\?# \t\r\n[]%")
    foreign([origin], host)


def invitation(data: bytes) -> None:
    """A pairing code from a camera or a clipboard."""
    try:
        found = read_invitation(data.decode("utf-8", "replace"))
    except ValueError:
        return
    assert 0 < found.port < 65536
    assert len(found.fingerprint) in (0, 64)
    assert read_invitation(found.uri) == found


def answer(data: bytes) -> None:
    """A plain refusal is never read as a yes, whatever stands around it."""
    text = data.decode("utf-8", "replace")
    read_answer(text)
    for no in ("no", "don't", "stop"):
        assert read_answer(f"{no} {text}").answer != "yes"


def risk(data: bytes) -> None:
    """Any text in any language gets a verdict."""
    if not data:
        return
    code = data[1:2001].decode("utf-8", "replace")
    verdict = classify(code, LANGUAGES[data[0] % len(LANGUAGES)])
    assert isinstance(verdict, Verdict)
    assert verdict.risk == max((e.risk for e in verdict.effects), default=verdict.risk)


def profile(data: bytes) -> None:
    """A profile that somebody sent: read, or refused with its problems. Nothing in it is carried out."""
    path = _SCRATCH / "fuzz-profile.yaml"
    path.write_bytes(data)
    try:
        read_profile(path)
    except ConfigError as error:
        said = str(error)
        if not said:
            raise RuntimeError("refused without a reason") from error


def old_profile(data: bytes) -> None:
    """A Python profile of the first 01."""
    path = _SCRATCH / "fuzz-profile.py"
    path.write_bytes(data)
    try:
        import_profile(path)
    except ConfigError as error:
        said = str(error)
        if not said:
            raise RuntimeError("refused without a reason") from error


_BOOK = DeviceBook(_SCRATCH / "fuzz-no-such-devices.json")


def key(data: bytes) -> None:
    """No text is the key of a device that is not there."""
    assert _BOOK.check(data.decode("utf-8", "replace")) is None


def fences(data: bytes) -> None:
    """A model's prose with code in it: read in pieces or whole, the same is found."""
    text = data.decode("utf-8", "replace").replace("\r", "")
    whole, pieces = FenceReader(_python), FenceReader(_python)
    one = [*whole.feed(text), *whole.finish()]
    many = [event for letter in text for event in pieces.feed(letter)] + pieces.finish()
    assert [e for e in one if type(e).__name__ != "Prose"] == [e for e in many if type(e).__name__ != "Prose"]


def _python(name: str) -> str | None:
    return "python" if name.lower() in ("python", "py") else None


def history(data: bytes) -> None:
    """A conversation's file after a crash or an accident: what can be read is there, and the rest is told."""
    path = _SCRATCH / "fuzz-history.jsonl"
    path.write_bytes(data)
    try:
        loaded = History.load(path)
        assert len(loaded.entries) <= data.count(b"\n") + 1
    finally:
        for copy in _SCRATCH.glob("fuzz-history.jsonl.damaged-*"):
            copy.unlink()


def one_of(*parts: Target) -> Target:
    """Several small readers as one target: the first byte chooses. Starting a fuzzer costs more than running one."""

    def target(data: bytes) -> None:
        if data:
            parts[data[0] % len(parts)](data[1:])

    return target


SMALL: dict[str, tuple[Target, ...]] = {
    "texts": (hosts, invitation, answer, key, fences),
    "files": (profile, old_profile, history),
}
TARGETS: dict[str, Target] = {
    "server_frames": server_frames,
    "client_frames": client_frames,
    "sound": sound,
    "risk": risk,
    **{name: one_of(*parts) for name, parts in SMALL.items()},
}


def seeds(name: str) -> list[bytes]:
    """Good examples, so that the fuzzer begins beyond the first check."""
    if name in ("server_frames", "client_frames"):
        return [joined(sent) for sent in _conversations(name)]
    if name in SMALL:
        parts = enumerate(SMALL[name])
        return [bytes([number]) + seed for number, part in parts for seed in _SEEDS[part.__name__]]
    return _SEEDS[name]


def _conversations(name: str) -> Iterator[list[str | bytes]]:
    side = name.partition("_")[0]
    for path in sorted(CONFORMANCE.glob("*.json")):
        for case in json.loads(path.read_text("utf-8"))["cases"]:
            specs = [step["receive"] for step in case["steps"] if "receive" in step]
            if case["side"] == side and specs:
                yield [json.dumps(spec["text"]) if "text" in spec else _binary(spec) for spec in specs]


def _binary(spec: dict[str, str]) -> bytes:
    return bytes.fromhex(spec.get("hex", ""))


_WAV = b"RIFF$\x08\x00\x00WAVE"
_WAV += b"fmt \x10\x00\x00\x00\x01\x00\x01\x00\x80>\x00\x00\x00}\x00\x00\x02\x00\x10\x00data\x00\x08\x00\x00"
_SEEDS = {
    "sound": [b"\x07" + _WAV + bytes(range(64)), b"\x01" + bytes(range(99))],
    "hosts": [b"box.local:10101\nhttp://box.local:10101", b"[::1]:10101\nfile://", b"127.0.0.1\nnull"],
    "invitation": [
        b"zero-one://pair?host=192.168.1.5&port=10101&code=48210937&fp=" + b"ab" * 32 + b"&name=kitchen",
        b"zero-one://pair?port=443&public=https%3A%2F%2Fmy.example&code=1",
    ],
    "answer": [b"yes please", b"no, but only the old ones", b"go ahead, do it"],
    "risk": [
        b"\x00import os, base64\nexec(base64.b64decode('cHJpbnQoMSk='))",
        b"\x01find . -name '*.log' -exec rm {} \\; && echo $(cat a | sh)",
        b"\x02require('fs').unlinkSync('a')",
        b"\x03WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a",
        b'\x04tell application "Finder" to empty trash',
        b"\x05Get-ChildItem | Remove-Item -Force",
    ],
    "profile": [
        b"model:\n  name: gpt-5\n  temperature: 0.2\nserver:\n  port: 10101\n",
        b"extends: local\ndebug: true\n",
    ],
    "old_profile": [
        b"interpreter.llm.model = 'gpt-4o'\ninterpreter.auto_run = True\ninterpreter.custom_instructions = 'x'\n"
    ],
    "key": [b"01_0123456789ab_" + b"A" * 43],
    "fences": [b"Do this:\n```python\nprint(1)\n```\nDone.", b"~~~py\nx\n~~~", b"````\n```python\n```\n````"],
    "history": [b'{"role":"user","type":"message","content":"hi"}\n', b'{"message":{"role":"user"}}\n{"x":'],
}
