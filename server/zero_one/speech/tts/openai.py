"""Any service with OpenAI's speech endpoint: ``POST {base}/audio/speech``, text in, PCM out as it is made.

``response_format: pcm`` is 24 kHz 16-bit mono. Services that know only WAV are asked for that; its header tells the
rate and the sound is brought to ours.
"""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from typing import Any

import httpx

from zero_one.speech import service
from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.base import Voice

_HEADER_MAX = 4096


class OpenAISpeech:
    """``voice`` and ``model`` are the service's names."""

    name = "openai"

    def __init__(
        self,
        api_base: str | None = None,
        api_key: str | None = None,
        model: str | None = None,
        voice: str | None = None,
        *,
        silence_s: float = 20,
    ) -> None:
        self.sample_rate = 24_000
        self.url = service.base_url(api_base)
        self._model = model or "tts-1"
        self._voice = voice or "alloy"
        self._format = "pcm"
        self._client = service.client(api_key, silence_s)

    async def warm(self) -> None:
        """Nothing to load."""

    async def close(self) -> None:
        await self._client.aclose()

    async def speak(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        if not text.strip():
            return
        body: dict[str, Any] = {"model": self._model, "voice": voice.id or self._voice, "input": text}
        if voice.rate != 1.0:
            body["speed"] = max(0.25, min(4.0, voice.rate))
        while True:
            try:
                async with self._client.stream(
                    "POST", f"{self.url}/audio/speech", json={**body, "response_format": self._format}
                ) as response:
                    if response.status_code in (400, 415, 422) and self._format == "pcm":
                        await response.aread()
                        self._format = "wav"
                        continue
                    if response.status_code >= 400:
                        raise service.refused(response.status_code, await response.aread(), self.url, "speaking")
                    kind = response.headers.get("content-type", "").split(";")[0].lower()
                    async for piece in self._pcm(response.aiter_bytes(), kind):
                        yield piece
                    return
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise service.unreachable(error, self.url, "speaking") from error

    async def _pcm(self, pieces: AsyncIterator[bytes], kind: str) -> AsyncIterator[bytes]:
        """Raw samples at our rate from what arrives, however it is cut."""
        held = b""
        turner: Any = None
        begun = spoke = False
        async for piece in pieces:
            held += piece
            if not begun:
                if len(held) < 4:
                    continue
                if held.startswith(b"RIFF"):
                    found = _wav_start(held)
                    if found is None:
                        if len(held) > _HEADER_MAX:
                            raise self._nonsense(kind)
                        continue
                    rate, start = found
                    held = held[start:]
                    turner = self._turner(rate)
                elif _is_packed(held, kind):
                    raise self._nonsense(kind)
                begun = True
            even = len(held) & ~1
            if even:
                data, held = held[:even], held[even:]
                out = turner(data, False) if turner else data
                spoke = True
                if out:
                    yield out
        if turner and (rest := turner(b"", True)):
            yield rest
        if not spoke:
            raise self._nonsense(kind)

    def _turner(self, rate: int) -> Any:
        if rate == self.sample_rate:
            return None
        import numpy as np
        import soxr

        resampler = soxr.ResampleStream(rate, self.sample_rate, 1, dtype="int16")

        def turn(data: bytes, last: bool) -> bytes:
            return bytes(resampler.resample_chunk(np.frombuffer(data, dtype="<i2"), last=last).astype("<i2").tobytes())

        return turn

    def _nonsense(self, kind: str) -> SpeechError:
        return SpeechError(
            f"The speaking service at {self.url} sent {kind or 'nothing'}, not sound that I can play (PCM or WAV)."
        )


def _is_packed(data: bytes, kind: str) -> bool:
    """Whether this is anything but samples: played as such, it would be a loud noise.

    MPEG frames (ISO 11172-3, 13818-7) begin as samples may, and some services call samples audio/mpeg: both count.
    """
    frames = data[0] == 0xFF and (data[1] & 0xE6 == 0xE2 or data[1] in (0xF1, 0xF9))
    return (
        data.startswith((b"ID3", b"OggS", b"fLaC", b"{", b"<"))
        or kind.startswith(("text/", "application/json"))
        or (frames and kind in ("audio/mpeg", "audio/mp3", "audio/aac"))
    )


def _wav_start(data: bytes) -> tuple[int, int] | None:
    """(sample rate, where the samples begin) of a 16-bit mono WAV, or None while its header is incomplete."""
    at, rate = 12, 0
    while at + 8 <= len(data):
        name, size = data[at : at + 4], struct.unpack_from("<I", data, at + 4)[0]
        if name == b"data":
            return (rate, at + 8) if rate else None
        if name == b"fmt ":
            if at + 24 > len(data):
                return None
            channels, rate, bits = (
                *struct.unpack_from("<HI", data, at + 10),
                struct.unpack_from("<H", data, at + 22)[0],
            )
            if channels != 1 or bits != 16 or not 4000 <= rate <= 192_000:
                raise SpeechError(
                    f"The speaking service sent a WAV with {channels} channels and {bits} bits; I play mono 16-bit."
                )
        at += 8 + size + (size & 1)
    return None
