"""Engines that are not there yet: what is said meanwhile is kept, and heard as soon as they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

from zero_one.speech.stt.base import HearOptions, PartialHandler, Recognition, Recognizer, SpeechError, Transcript
from zero_one.speech.tts.base import Synthesizer, Voice

Engine = TypeVar("Engine", Recognizer, Synthesizer)


class _Late(Generic[Engine]):
    """Stands in for an engine that is still being chosen, fetched and loaded. ``set`` or ``fail`` ends the wait."""

    def __init__(self) -> None:
        self.name = "warming"
        self._engine: asyncio.Future[Engine] | None = None

    def _future(self) -> asyncio.Future[Engine]:
        if self._engine is None:
            self._engine = asyncio.get_running_loop().create_future()
            # The failure is told by whoever meets it; nobody else has to look.
            self._engine.add_done_callback(lambda done: done.cancelled() or done.exception())
        return self._engine

    @property
    def ready(self) -> bool:
        return self._engine is not None and self._engine.done() and self._engine.exception() is None

    def set(self, engine: Engine) -> None:
        """It is there; or a better one is, for what is still to come."""
        self.name = engine.name
        if self._future().done():
            self._engine = None
        self._future().set_result(engine)

    def fail(self, error: SpeechError) -> None:
        self._future().set_exception(error)

    async def warm(self) -> None:
        await asyncio.shield(self._future())

    async def close(self) -> None:
        if self.ready:
            await self._future().result().close()
        else:
            self._future().cancel()


class LateRecognizer(_Late[Recognizer]):
    """Ears: what is said meanwhile is kept, and given to the engine when it is there."""

    def __init__(self) -> None:
        super().__init__()
        self._early: set[_LateRecognition] = set()

    def set(self, engine: Recognizer) -> None:
        super().set(engine)
        for recognition in list(self._early):
            recognition.begin(engine)
        self._early.clear()

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> Recognition:
        if self.ready:
            return self._future().result().start(options, on_partial)
        recognition = _LateRecognition(self, options, on_partial)
        self._early.add(recognition)
        return recognition

    def forget(self, recognition: _LateRecognition) -> None:
        self._early.discard(recognition)


class _LateRecognition:
    def __init__(self, owner: LateRecognizer, options: HearOptions, on_partial: PartialHandler | None) -> None:
        self._owner, self._options, self._on_partial = owner, options, on_partial
        self._pieces: list[bytes] = []
        self._real: Recognition | None = None

    def begin(self, engine: Recognizer) -> None:
        self._real = engine.start(self._options, self._on_partial)
        for piece in self._pieces:
            self._real.feed(piece)
        self._pieces.clear()

    def feed(self, pcm: bytes) -> None:
        if self._real is not None:
            self._real.feed(pcm)
        else:
            self._pieces.append(pcm)

    async def finish(self) -> Transcript:
        if self._real is None:
            await self._owner.warm()
        if self._real is None:
            raise SpeechError("I could not get ready to listen. Please say it again.")
        return await self._real.finish()

    def cancel(self) -> None:
        self._owner.forget(self)
        self._pieces.clear()
        if self._real is not None:
            self._real.cancel()


class LateSynthesizer(_Late[Synthesizer]):
    """The same for a voice: what is to be said waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.sample_rate = 0

    def set(self, engine: Synthesizer) -> None:
        self.sample_rate = engine.sample_rate
        super().set(engine)

    async def speak(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        engine = await asyncio.shield(self._future())
        self.sample_rate = engine.sample_rate
        pieces = engine.speak(text, voice)
        try:
            async for piece in pieces:
                yield piece
        finally:
            close = getattr(pieces, "aclose", None)
            if close is not None:
                await close()
