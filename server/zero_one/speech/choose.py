"""Which engine hears and which one speaks, decided at start and said in one line.

With ``auto``: what is configured, else what is installed or cached, else what can be downloaded (only if the model hub
answers at once; meanwhile the embedded engine serves), else the embedded engines. No step waits for a missing network.
Engines of other packages are found through the entry point groups ``zero_one.stt`` and ``zero_one.tts``; such an entry
point is a callable that takes the settings section and returns an engine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, Generic, TypeVar

from zero_one.config.settings import HearSettings, SpeakSettings
from zero_one.speech import models
from zero_one.speech.models import Model, Progress
from zero_one.speech.stt.base import Recognizer, SpeechError
from zero_one.speech.tts.base import Synthesizer

log = logging.getLogger(__name__)

E = TypeVar("E")

RECOGNIZERS = ("faster-whisper", "pocketsphinx", "openai")
SYNTHESIZERS = ("piper", "espeak-ng", "openai")


@dataclass(frozen=True, slots=True)
class Choice(Generic[E]):
    """An engine (not warm yet), the line that says why, and what would make it better.

    ``upgrade``, where present, downloads a better engine's model and gives the choice to put in this one's place; who
    composes the parts runs it as a background task, with a progress handler or None.
    """

    engine: E
    line: str
    upgrade: Callable[[Progress | None], Awaitable[Choice[E]]] | None = None


async def choose_recognizer(settings: HearSettings, jsgf: str | None = None) -> Choice[Recognizer]:
    """The engine that hears. ``jsgf`` is the command grammar of the embedded recogniser. Raises SpeechError where the
    named engine cannot be had."""
    engine = settings.engine.strip().lower()
    if engine == "auto" and settings.api_base:
        engine = "openai"
    if engine in ("faster-whisper", "whisper"):
        return await _whisper(settings)
    if engine == "pocketsphinx":
        return Choice(_pocketsphinx(jsgf), "Hearing with pocketsphinx, as configured.")
    if engine == "openai":
        return Choice(
            await asyncio.to_thread(_openai_stt, settings),
            f"Hearing with the service at {settings.api_base or 'api.openai.com'}.",
        )
    if engine != "auto":
        return _plugin("zero_one.stt", engine, settings, RECOGNIZERS, "Hearing")

    language_note = _not_english(settings.language or next(iter(settings.languages), None))
    model = models.whisper(settings.model)
    folder = models.find_whisper(settings.model)
    if folder is not None:
        return Choice(
            await asyncio.to_thread(_faster_whisper, settings),
            f"Hearing with faster-whisper ({settings.model}, from {folder}).",
        )
    if model is None:
        better = f"There is no model at {settings.model!r}; set hear.model to one of {', '.join(models.WHISPER)}."
    elif not settings.download:
        better = f"For better ears allow the download of Whisper {settings.model} ({model.megabytes} MB)."
    elif await _hub_answers():
        line = (
            f"Hearing with pocketsphinx while Whisper {settings.model} ({model.megabytes} MB) downloads.{language_note}"
        )

        async def upgrade(progress: Progress | None) -> Choice[Recognizer]:
            await _download(model, progress)
            return Choice(
                await asyncio.to_thread(_faster_whisper, settings), f"Hearing with faster-whisper ({settings.model})."
            )

        return Choice(_pocketsphinx(jsgf), line, upgrade)
    else:
        better = f"For better ears connect to the internet once: Whisper {settings.model}, {model.megabytes} MB."
    return Choice(_pocketsphinx(jsgf), f"Hearing with pocketsphinx (embedded). {better}{language_note}")


async def choose_synthesizer(settings: SpeakSettings) -> Choice[Synthesizer]:
    """The engine that speaks. Raises SpeechError where the named engine cannot be had."""
    engine = settings.engine.strip().lower()
    if engine == "auto" and settings.api_base:
        engine = "openai"
    if engine == "piper":
        return await _piper_choice(settings)
    if engine in ("espeak-ng", "espeak"):
        return Choice(_espeak(), "Speaking with espeak-ng, as configured.")
    if engine == "openai":
        return Choice(
            await asyncio.to_thread(_openai_tts, settings),
            f"Speaking with the service at {settings.api_base or 'api.openai.com'}.",
        )
    if engine != "auto":
        return _plugin("zero_one.tts", engine, settings, SYNTHESIZERS, "Speaking")

    wanted = settings.voice or models.DEFAULT_VOICE
    voice = models.voice(wanted)
    if models.find_voice(wanted) is not None:
        return Choice(await asyncio.to_thread(_piper, settings), f"Speaking with piper ({wanted}).")
    if voice is None:
        better = f"There is no piper voice {wanted!r}; 01 doctor lists the voices."
        if settings.voice:  # likely an espeak-ng voice, which is fine
            better = "For a better voice name a piper one in speak.voice."
    elif not settings.download:
        better = f"For a better voice allow the download of {wanted} ({voice.megabytes} MB)."
    elif await _hub_answers():

        async def upgrade(progress: Progress | None) -> Choice[Synthesizer]:
            await _download(voice, progress)
            return Choice(await asyncio.to_thread(_piper, settings), f"Speaking with piper ({wanted}).")

        return Choice(
            _espeak(), f"Speaking with espeak-ng while the voice {wanted} ({voice.megabytes} MB) downloads.", upgrade
        )
    else:
        better = f"For a better voice connect to the internet once: {wanted}, {voice.megabytes} MB."
    return Choice(_espeak(), f"Speaking with espeak-ng (embedded). {better}")


async def _downloads() -> ModuleType:
    """``speech.download``. Its HTTP client takes up to a second to import: only where it is needed, off the loop."""
    return await asyncio.to_thread(import_module, "zero_one.speech.download")


async def _hub_answers() -> bool:
    answers: bool = await (await _downloads()).hub_answers()
    return answers


async def _download(model: Model, progress: Progress | None) -> None:
    await (await _downloads()).download(model, progress)


async def _whisper(settings: HearSettings) -> Choice[Recognizer]:
    model = models.whisper(settings.model)
    if models.find_whisper(settings.model) is None and model is not None and settings.download:
        if not await _hub_answers():
            raise SpeechError(
                f"The Whisper model {settings.model} is not on this computer and the model hub does not answer. "
                "Connect to the internet once, or set hear.engine to auto."
            )
        await _download(model, None)
    return Choice(
        await asyncio.to_thread(_faster_whisper, settings),
        f"Hearing with faster-whisper ({settings.model}), as configured.",
    )


async def _piper_choice(settings: SpeakSettings) -> Choice[Synthesizer]:
    wanted = settings.voice or models.DEFAULT_VOICE
    voice = models.voice(wanted)
    if models.find_voice(wanted) is None and voice is not None and settings.download:
        if not await _hub_answers():
            raise SpeechError(
                f"The voice {wanted} is not on this computer and the voice hub does not answer. "
                "Connect to the internet once, or set speak.engine to auto."
            )
        await _download(voice, None)
    return Choice(await asyncio.to_thread(_piper, settings), f"Speaking with piper ({wanted}), as configured.")


def _plugin(group: str, name: str, settings: Any, built_in: tuple[str, ...], doing: str) -> Choice[Any]:
    found = {point.name: point for point in installed(group)}
    if name not in found:
        known = ", ".join(["auto", *built_in, *sorted(found)])
        raise SpeechError(f"There is no engine called {name!r}. Choose one of: {known}.")
    point = found[name]
    try:
        engine = point.load()(settings)
    except SpeechError:
        raise
    except Exception as error:
        raise SpeechError(f"The engine {name} from the package {_package(point)} did not start: {error}") from error
    return Choice(engine, f"{doing} with {name} (package {_package(point)}), as configured.")


def installed(group: str) -> list[EntryPoint]:
    """The engines that other packages add."""
    return sorted(entry_points(group=group), key=lambda point: point.name)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


def _not_english(language: str | None) -> str:
    return f" It hears English only, not {language}." if language and language != "en" else ""


def _faster_whisper(settings: HearSettings) -> Recognizer:
    from zero_one.speech.stt.faster_whisper import FasterWhisper

    return FasterWhisper(settings.model)


def _pocketsphinx(jsgf: str | None) -> Recognizer:
    from zero_one.speech.stt.apart import Apart

    return Apart(jsgf)


def _openai_stt(settings: HearSettings) -> Recognizer:
    from zero_one.speech.stt.openai import OpenAITranscription

    return OpenAITranscription(settings.api_base, settings.api_key, settings.model)


def _piper(settings: SpeakSettings) -> Synthesizer:
    from zero_one.speech.tts.piper import Piper

    return Piper(settings.voice or models.DEFAULT_VOICE)


def _espeak() -> Synthesizer:
    from zero_one.speech.tts.espeak import EspeakNG

    return EspeakNG()


def _openai_tts(settings: SpeakSettings) -> Synthesizer:
    from zero_one.speech.tts.openai import OpenAISpeech

    return OpenAISpeech(settings.api_base, settings.api_key, settings.model, settings.voice)
