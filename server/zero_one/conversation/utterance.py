"""What somebody is saying: from the press to the transcript."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from zero_one.conversation.agreeing import HOLD_S
from zero_one.conversation.asking import OpenQuestion
from zero_one.conversation.links import Link
from zero_one.conversation.spans import Spans
from zero_one.protocol.events import PCM_RATE_IN, Opener
from zero_one.speech.stt.base import Recognition

BARE_MS = 250.0
"""Shorter than any word: a tap, not something said."""


@dataclass(eq=False, slots=True)
class Utterance:
    """``by``: what opened the microphone. ``early``: begun before the open question could be answered. ``silenced``:
    the press cut speech off. ``ago_s``: how long before ``released_at`` the finger was off the button."""

    recognition: Recognition
    id: str | None
    pressed_at: float
    link: Link | None = None
    by: Opener = "hand"
    question: OpenQuestion | None = None
    early: bool = False
    silenced: bool = False
    spans: Spans | None = None
    released_at: float | None = None
    ago_s: float = 0.0
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

    @property
    def held(self) -> bool:
        """Whether a hand held the button for as long as a deliberate yes takes, by the clock and by the sound: a late
        release does not make a short press a long one."""
        if self.by != "hand" or self.released_at is None:
            return False
        return min(self.released_at - self.ago_s - self.pressed_at, self.sound_ms / 1000) >= HOLD_S
