"""The composition root: engines, commands and interpreter made from the settings, warmed behind an open door."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from zero_one.audio.earcon import earcon
from zero_one.commands.base import Announce
from zero_one.config.paths import data_dir
from zero_one.config.settings import Settings
from zero_one.conversation.services import Services
from zero_one.conversation.warming import LateRecognizer, LateSynthesizer
from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.espeak import EspeakNG

log = logging.getLogger(__name__)


class House:
    """Everything that a server's conversations share. ``open`` starts the warming, ``close`` ends all of it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ears, self._voice = LateRecognizer(), LateSynthesizer()
        self._problems: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.services = Services(
            recognizer=self._ears,
            synthesizer=self._voice,
            speakable=lambda text, language: text,
            settings=settings,
            folder=data_dir() / "conversations",
            earcon=earcon("release"),
            ready=lambda: self._ears.ready and self._voice.ready,
        )

    async def open(self, announce: Announce) -> None:
        """Begin to warm the engines; returns at once."""
        for name, work in (("hear", self._warm_ears), ("speak", self._warm_voice)):
            task = asyncio.get_running_loop().create_task(self._guard(name, work()))
            self._tasks.add(task)

    async def _guard(self, name: str, work: Any) -> None:
        try:
            await work
        except SpeechError as error:
            self._problems[name] = str(error)
            log.warning("%s", error)
            (self._ears if name == "hear" else self._voice).fail(error)

    async def _warm_ears(self) -> None:
        from zero_one.speech.stt.pocketsphinx import PocketSphinx

        engine = PocketSphinx()
        await engine.warm()
        self._ears.set(engine)

    async def _warm_voice(self) -> None:
        engine = EspeakNG()
        await engine.warm()
        self._voice.set(engine)

    def health(self) -> dict[str, Any]:
        """The state of each engine, as JSON."""
        engines = {
            name: {
                "engine": engine.name,
                "state": "failed" if name in self._problems else "ready" if engine.ready else "warming",
                **({"problem": self._problems[name]} if name in self._problems else {}),
            }
            for name, engine in (("hear", self._ears), ("speak", self._voice))
        }
        states = {engine["state"] for engine in engines.values()}
        status = "failed" if "failed" in states else "warming" if "warming" in states else "ready"
        return {"status": status, "engines": engines}

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self.services.commands is not None:
            await self.services.commands.close()
        await self._ears.close()
        await self._voice.close()
