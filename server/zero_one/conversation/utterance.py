"""What somebody is saying: from the press to the transcript."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.links import Link
from zero_one.conversation.spans import Spans
from zero_one.protocol.events import PCM_RATE_IN
from zero_one.speech.stt.base import Recognition

BARE_MS = 250.0
"""Shorter than any word: a tap, not something said."""


@dataclass(eq=False, slots=True)
class Utterance:
    """``early``: begun before the open question could be answered. ``silenced``: the press cut speech off."""

    recognition: Recognition
    id: str | None
    pressed_at: float
    link: Link | None = None
    question: OpenQuestion | None = None
    early: bool = False
    silenced: bool = False
    spans: Spans | None = None
    released_at: float | None = None
    size: int = 0
    check: int = 0
    recorded: bytearray | None = None

    def feed(self, pcm: bytes) -> None:
        self.size += len(pcm)
        self.check = crc32(pcm, self.check)
        if self.recorded is not None:
            self.recorded += pcm
        self.recognition.feed(pcm)

    @property
    def sound_ms(self) -> float:
        return self.size / 2 / PCM_RATE_IN * 1000

    def bare(self, now: float) -> bool:
        """Too short to hold a word, by the clock and by the sound."""
        held = ((self.released_at or now) - self.pressed_at) * 1000
        return max(held, self.sound_ms) < BARE_MS
