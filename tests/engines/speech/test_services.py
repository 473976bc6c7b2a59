"""OpenAI-compatible hearing and speaking against a real HTTP server, on good days and bad ones."""

from __future__ import annotations

import asyncio
import io
import json
import socket
import struct
import threading
import wave
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from support.voices import at_16k, say, silence
from zero_one.speech.stt.base import HearOptions, SpeechError
from zero_one.speech.stt.openai import OpenAITranscription
from zero_one.speech.tts.base import Voice
from zero_one.speech.tts.openai import OpenAISpeech

TONE = b"".join(struct.pack("<h", (index * 400) % 20_000 - 10_000) for index in range(24_000))


class Service:
    """``answers`` are used up one per request: (status, content type, body) or a fault: drop, hang, cut."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.released = threading.Event()
        self.called = threading.Event()
        self.url = ""


@pytest.fixture
def service() -> Iterator[Service]:
    state = Service()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            state.requests.append((self.path, dict(self.headers), body))
            state.called.set()
            answer = state.answers.pop(0)
            if answer == "hang":
                state.released.wait(120)
            if answer in ("drop", "hang"):
                self._break_off()
                return
            cut = answer[0] == "cut"
            status, kind, data = answer[1:] if cut else answer
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if cut else data)
            self.wfile.flush()
            if cut:
                self._break_off()

        def _break_off(self) -> None:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: Any) -> None:
            """A client that went away is no news."""

    server = Server(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    yield state
    state.released.set()
    server.shutdown()
    server.server_close()
    thread.join(60)


def text(said: str) -> tuple[int, str, bytes]:
    return 200, "application/json", json.dumps({"text": said}).encode()


def wav(pcm: bytes, rate: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm)
    return out.getvalue()


async def hear(engine: OpenAITranscription, options: HearOptions | None = None, pcm: bytes | None = None) -> str:
    utterance = engine.start(options or HearOptions())
    utterance.feed(pcm if pcm is not None else silence(200) + say("open the browser"))
    return (await utterance.finish()).text


async def speak(engine: OpenAISpeech, voice: Voice | None = None) -> bytes:
    return b"".join([piece async for piece in engine.speak("Hello there.", voice or Voice())])


def patience(answers: list[Any]) -> float:
    """Short only where nothing will come."""
    return 0.5 if "hang" in answers else 30


# --- hearing ---


async def test_what_is_sent_is_a_wav_with_key_language_and_hotwords(service: Service) -> None:
    service.answers = [text(" Open the browser. ")]
    engine = OpenAITranscription(service.url + "/", "secret", "whisper-large")
    assert await hear(engine, HearOptions(language="de", hotwords=("Ada", "Zorkmid"))) == "Open the browser."
    path, headers, body = service.requests[0]
    assert path == "/v1/audio/transcriptions"
    assert headers["Authorization"] == "Bearer secret"
    for part in (b"whisper-large", b'name="language"\r\n\r\nde', b"Ada, Zorkmid", b'filename="utterance.wav"'):
        assert part in body
    start = body.index(b"RIFF")
    with wave.open(io.BytesIO(body[start:])) as sent:
        assert (sent.getframerate(), sent.getnchannels(), sent.getsampwidth()) == (16_000, 1, 2)
        assert sent.getnframes() > 8000
    await engine.close()


async def test_silence_is_not_sent(service: Service) -> None:
    engine = OpenAITranscription(service.url)
    assert await hear(engine, pcm=silence(3000)) == ""
    assert service.requests == []
    await engine.close()


@pytest.mark.parametrize("first", ["drop", (503, "text/plain", b"overloaded")])
async def test_one_bad_moment_loses_nothing(service: Service, first: Any) -> None:
    service.answers = [first, text("still here")]
    engine = OpenAITranscription(service.url)
    assert await hear(engine) == "still here"
    await engine.close()


BAD = [
    (["drop"] * 2, "broke off|does not answer"),
    (["hang"] * 2, "took too long"),
    ([(401, "application/json", b'{"error": {"message": "bad key"}}')], "refused the key.*bad key"),
    ([(404, "application/json", b'{"error": "no such model"}')], "does not know that address or model"),
    ([(413, "text/plain", b"")], "too long"),
    ([(429, "application/json", b"{}")], "enough requests"),
    ([(500, "text/html", b"<html>")] * 2, "problem of its own"),
]


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        *BAD,
        ([(200, "text/html", b"<html>hello</html>")], "no transcript"),
        ([(200, "application/json", b'{"text": 5}')], "no transcript"),
        ([(200, "application/json", b"[]")], "no transcript"),
        ([("cut", 200, "application/json", b'{"text": "half of it is missing"}')] * 2, "broke off"),
    ],
)
async def test_hearing_says_what_went_wrong(service: Service, answers: list[Any], says: str) -> None:
    service.answers = list(answers)
    engine = OpenAITranscription(service.url, silence_s=patience(answers))
    async with asyncio.timeout(60):
        with pytest.raises(SpeechError, match=says):
            await hear(engine)
    await engine.close()


@pytest.mark.parametrize(("base", "says"), [("http://127.0.0.1:9/v1", "does not answer"), ("ftp://x", "not valid")])
async def test_an_address_that_leads_nowhere(base: str, says: str) -> None:
    ears, mouth = OpenAITranscription(base), OpenAISpeech(base)
    with pytest.raises(SpeechError, match=says):
        await hear(ears)
    with pytest.raises(SpeechError, match=says):
        await speak(mouth)
    await ears.close()
    await mouth.close()


async def test_cancelling_ends_the_call(service: Service) -> None:
    service.answers = ["hang"]
    engine = OpenAITranscription(service.url)
    utterance = engine.start(HearOptions())
    utterance.feed(say("open the browser"))
    waiting = asyncio.create_task(utterance.finish())
    assert await asyncio.to_thread(service.called.wait, 60)
    utterance.cancel()
    async with asyncio.timeout(60):
        assert (await waiting).text == ""
    await engine.close()


# --- speaking ---


async def test_pcm_comes_through_bit_for_bit(service: Service) -> None:
    service.answers = [(200, "audio/pcm", TONE)]
    engine = OpenAISpeech(service.url, "secret", "tts-2", "nova")
    await engine.warm()
    assert await speak(engine, Voice(rate=1.5)) == TONE
    path, headers, body = service.requests[0]
    assert path == "/v1/audio/speech"
    assert headers["Authorization"] == "Bearer secret"
    assert json.loads(body) == {
        "model": "tts-2", "voice": "nova", "input": "Hello there.", "speed": 1.5, "response_format": "pcm",
    }  # fmt: skip
    await engine.close()


async def test_a_service_that_knows_only_wav(service: Service) -> None:
    """Asked once for PCM, then for WAV for good; other rates are brought to ours."""
    service.answers = [(400, "application/json", b"{}"), (200, "audio/wav", wav(TONE, 24_000))]
    engine = OpenAISpeech(service.url)
    assert await speak(engine) == TONE
    service.answers = [(200, "audio/wav", wav(at_16k(TONE, 24_000), 16_000))]
    assert abs(len(await speak(engine)) - len(TONE)) < 200
    assert [json.loads(body)["response_format"] for _, _, body in service.requests] == ["pcm", "wav", "wav"]
    await engine.close()


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        *[(answers[:1], says) for answers, says in BAD],
        ([(200, "application/json", b'{"ok": true}')], "not sound that I can play"),
        ([(200, "text/html", b"<html>portal</html>")], "not sound that I can play"),
        ([(200, "audio/mpeg", b"ID3\x04" + bytes(500))], "not sound that I can play"),
        ([(200, "audio/mpeg", b"\xff\xfb\x90\x64" + bytes(500))], "not sound that I can play"),
        ([(200, "audio/pcm", b"")], "not sound that I can play"),
        ([("cut", 200, "audio/pcm", TONE)], "broke off"),
        ([(200, "audio/wav", wav(TONE, 24_000)[:22] + b"\x02" + wav(TONE, 24_000)[23:])], "mono 16-bit"),
    ],
)
async def test_speaking_says_what_went_wrong(service: Service, answers: list[Any], says: str) -> None:
    service.answers = list(answers)
    engine = OpenAISpeech(service.url, silence_s=patience(answers))
    async with asyncio.timeout(60):
        with pytest.raises(SpeechError, match=says):
            await speak(engine)
    await engine.close()
