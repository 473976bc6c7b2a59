"""What a conversation works with. All of it is given from outside, so that tests and other transports can reuse it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from zero_one.commands.base import Announce, Match, Reply
from zero_one.config.settings import Settings
from zero_one.conversation.playback import Clock
from zero_one.conversation.spans import Metrics
from zero_one.identity.access import Caller
from zero_one.interpreter.base import Interpreter
from zero_one.interpreter.history import History
from zero_one.safety.journal import Note, nothing_noted
from zero_one.speech.stt.base import Recognizer
from zero_one.speech.tts.base import Synthesizer


class Commands(Protocol):
    """What is used of ``commands.book.CommandBook``."""

    def match(self, text: str) -> Match | None: ...

    async def run(self, match: Match, device: str, caller: Caller | None = None) -> Reply: ...

    async def start(self, announce: Announce) -> None: ...

    async def close(self) -> None: ...


InterpreterFactory = Callable[[str, History], Interpreter]
"""``(device, history) -> Interpreter``: a conversation's own, made when it first needs one."""


def loop_clock() -> float:
    """Seconds of the running event loop's clock."""
    return asyncio.get_running_loop().time()


async def _at_once() -> None:
    """Nothing has to be waited for."""


@dataclass(slots=True)
class Services:
    """``speakable(text, language)`` makes text fit to be read out. ``interpreter`` is None where no model is set up.
    ``fallback`` speaks where ``synthesizer`` fails. ``folder`` keeps conversations (None = nothing on disk).
    ``earcon`` is PCM (16-bit mono at 24 kHz) played on release. ``ready`` tells whether everything is warm;
    ``prepared`` waits until commands and interpreter are known. ``note`` writes into the audit log."""

    recognizer: Recognizer
    synthesizer: Synthesizer
    speakable: Callable[[str, str], str]
    settings: Settings = field(default_factory=Settings)
    commands: Commands | None = None
    interpreter: InterpreterFactory | None = None
    fallback: Synthesizer | None = None
    folder: Path | None = None
    earcon: bytes = b""
    clock: Clock = loop_clock
    metrics: Metrics = field(default_factory=Metrics)
    ready: Callable[[], bool] = lambda: True
    prepared: Callable[[], Awaitable[None]] = _at_once
    note: Note = nothing_noted
