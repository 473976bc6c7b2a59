"""The one interface of every engine that speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Voice:
    """How to say it: an engine's voice id (None = its default), ISO 639-1 language, ``rate`` 1.0 = normal speed."""

    id: str | None = None
    language: str | None = None
    rate: float = 1.0


class Synthesizer(Protocol):
    """An engine that speaks. ``name`` is the word used in profiles."""

    name: str
    sample_rate: int
    """Hz of the PCM that ``speak`` yields; known after ``warm``."""

    async def warm(self) -> None:
        """Load what is needed. Safe to call again. Raises SpeechError."""

    def speak(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        """PCM of one clause of speakable text (signed 16-bit little-endian mono at ``sample_rate``), in pieces as soon
        as they exist. Closing the iterator stops the engine. Raises SpeechError."""

    async def close(self) -> None: ...
