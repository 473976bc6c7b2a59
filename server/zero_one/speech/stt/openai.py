"""Any service with OpenAI's transcription endpoint: ``POST {base}/audio/transcriptions``, a WAV in, JSON text out."""

from __future__ import annotations

import asyncio
import io
import wave
from typing import Any

import httpx

from zero_one.speech import models, service
from zero_one.speech.stt.base import HearOptions, PartialHandler, SpeechError, Transcript
from zero_one.speech.stt.voiced import BYTES_PER_MS, SAMPLE_RATE, Voiced

_MAX_MS = 12 * 60 * 1000
"""OpenAI takes files up to 25 MB; this stays below."""
_TRIES = 2
"""What was said must not be lost to one dropped connection."""


class OpenAITranscription:
    """``model`` may be the name of a local Whisper size (the profile's default); then the service's own is used."""

    name = "openai"

    def __init__(
        self,
        api_base: str | None = None,
        api_key: str | None = None,
        model: str | None = None,
        *,
        silence_s: float = 30,
    ) -> None:
        self.url = service.base_url(api_base)
        self.model = model if model and model not in models.WHISPER else "whisper-1"
        self._client = service.client(api_key, silence_s)

    async def warm(self) -> None:
        """Nothing to load."""

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> _Utterance:
        return _Utterance(self, options)

    async def close(self) -> None:
        await self._client.aclose()

    async def transcribe(self, wav: bytes, options: HearOptions) -> tuple[str, str | None]:
        """Text and, where the service tells it, language. Raises SpeechError."""
        language = options.language or (options.languages[0] if len(options.languages) == 1 else None)
        form: dict[str, Any] = {"model": self.model, "response_format": "json", "temperature": "0"}
        if language:
            form["language"] = language
        if options.hotwords:
            form["prompt"] = ", ".join(options.hotwords)
        for attempt in range(1, _TRIES + 1):
            try:
                response = await self._client.post(
                    f"{self.url}/audio/transcriptions",
                    data=form,
                    files={"file": ("utterance.wav", wav, "audio/wav")},
                )
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if attempt < _TRIES and isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
                    continue
                raise service.unreachable(error, self.url, "hearing") from error
            if response.status_code >= 500 and attempt < _TRIES:
                continue
            if response.status_code >= 400:
                raise service.refused(response.status_code, response.content, self.url, "hearing")
            return _read(response, self.url, language)
        raise AssertionError("unreachable")


def _read(response: httpx.Response, url: str, language: str | None) -> tuple[str, str | None]:
    nonsense = SpeechError(f"The hearing service at {url} answered with something that is no transcript.")
    if response.headers.get("content-type", "").startswith("text/plain"):
        return response.text.strip(), language
    try:
        body = response.json()
    except ValueError as error:
        raise nonsense from error
    if not isinstance(body, dict) or not isinstance(body.get("text"), str):
        raise nonsense
    told = body.get("language")
    return body["text"].strip(), language or (told if isinstance(told, str) and len(told) == 2 else None)


class _Utterance:
    def __init__(self, engine: OpenAITranscription, options: HearOptions) -> None:
        self._engine = engine
        self._options = options
        self._voiced = Voiced()
        self._pcm = bytearray()
        self._call: asyncio.Task[tuple[str, str | None]] | None = None
        self._cancelled = False

    def feed(self, pcm: bytes) -> None:
        if self._cancelled:
            return
        self._voiced.feed(pcm)
        speech = self._voiced.take()
        if len(self._pcm) < _MAX_MS * BYTES_PER_MS:
            self._pcm += speech

    async def finish(self) -> Transcript:
        audio_ms = self._voiced.total_ms
        heard = Transcript(text="", language=self._options.language, audio_ms=audio_ms, engine=self._engine.name)
        if self._cancelled or not self._voiced.heard:
            return heard  # silence is not worth a call
        self._call = asyncio.create_task(self._engine.transcribe(_wav(bytes(self._pcm)), self._options))
        try:
            text, language = await self._call
        except asyncio.CancelledError:
            self._call.cancel()
            if self._cancelled:
                return heard
            raise
        finally:
            self._pcm.clear()
        return Transcript(text=text, language=language, audio_ms=audio_ms, engine=self._engine.name)

    def cancel(self) -> None:
        self._cancelled = True
        self._pcm.clear()
        if self._call is not None:
            self._call.cancel()


def _wav(pcm: bytes) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(pcm)
    return out.getvalue()
