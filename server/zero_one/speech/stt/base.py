"""The one interface of every engine that hears.

An engine is loaded once and shared by all conversations; each utterance gets a Recognition of its own, so that engines
can work while the button is still held.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was heard. ``text`` is empty when nothing was said or when the engine rejected it (``rejected``).

    ``confidence`` is 0 to 1, or None where the engine gives none. ``from_grammar`` is true when a command grammar, not
    free dictation, produced the text. ``audio_ms`` is the utterance's length.
    """

    text: str
    language: str | None = None
    confidence: float | None = None
    rejected: bool = False
    from_grammar: bool = False
    audio_ms: int = 0
    engine: str = ""


@dataclass(frozen=True, slots=True)
class HearOptions:
    """Per utterance: a fixed language (ISO 639-1) or None for automatic, the languages allowed, words to favour.

    ``grammar`` is a W3C JSGF 1.0 text of what may be said now (the answers to a question), for an engine that listens
    for a grammar: it takes the place of the command grammar.
    """

    language: str | None = None
    languages: tuple[str, ...] = ()
    hotwords: tuple[str, ...] = ()
    grammar: str = ""


PartialHandler = Callable[[str], None]


class Recognition(Protocol):
    """One utterance. ``feed`` never blocks; heavy work happens in the engine's worker thread."""

    def feed(self, pcm: bytes) -> None:
        """Add PCM: signed 16-bit little-endian mono 16 kHz, any number of bytes (an odd byte is kept for later)."""

    async def finish(self) -> Transcript:
        """No more PCM follows. Raises SpeechError with a text fit to be spoken."""

    def cancel(self) -> None:
        """Throw the utterance away and free its work at once."""


class Recognizer(Protocol):
    """An engine that hears. ``name`` is the word used in profiles."""

    name: str

    async def warm(self) -> None:
        """Load what is needed. Safe to call again. Raises SpeechError."""

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> Recognition:
        """Begin an utterance. ``on_partial`` is called on the event loop with growing text."""

    async def close(self) -> None: ...


class SpeechError(Exception):
    """An engine failed. The text is plain, says what to do next, and can be spoken aloud."""
