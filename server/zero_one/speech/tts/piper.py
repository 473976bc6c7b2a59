"""piper: natural neural voices on the CPU, offline once the voice is there. piper-tts is GPL-3 (see NOTICE).

A voice is an ONNX model and a JSON file beside it. Sound comes sentence by sentence; long sentences are cut at commas,
so that the first words are heard early. The ONNX session is made here because piper's own takes every core.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
from collections import OrderedDict
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zero_one.config.paths import models_dir
from zero_one.speech import models
from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.base import Voice
from zero_one.speech.worker import Emit, Worker, stream

if TYPE_CHECKING:
    from piper import PiperVoice

log = logging.getLogger(__name__)

_LONG = 140
"""Characters; from here a sentence is cut at its commas."""
_KEPT_VOICES = 2
_FALLBACK = "Or set speak.engine to espeak-ng, which needs no voice file."


class Piper:
    """``voice``: a name (``en_US-lessac-medium``) or the path of an ``.onnx`` file. Nothing is downloaded here."""

    name = "piper"

    def __init__(self, voice: str = models.DEFAULT_VOICE, *, threads: int = 0) -> None:
        self.sample_rate = 22050
        self._default = voice
        self._threads = threads or min(4, os.cpu_count() or 2)
        self._voices: OrderedDict[str, PiperVoice] = OrderedDict()
        self._worker = Worker("piper")

    async def warm(self) -> None:
        await self._worker.do(self, self._warm)

    async def speak(self, text: str, voice: Voice) -> AsyncIterator[bytes]:
        text = re.sub(r"\[\[|\]\]|\0", " ", text).strip()  # piper takes [[…]] for phonemes
        if not text:
            return
        pieces = stream(self._worker, lambda emit: self._say(text, voice, emit))
        async with contextlib.aclosing(pieces) as opened:  # type: ignore[type-var]
            async for piece in opened:
                yield piece

    async def close(self) -> None:
        await self._worker.close()
        self._voices.clear()

    # --- in the worker thread ---

    def _warm(self) -> None:
        if self._default in self._voices:
            return
        loaded = self._load(self._default)
        self.sample_rate = loaded.config.sample_rate
        for _ in loaded.synthesize("ready"):  # the first run allocates; nobody should wait for that
            break

    def _pick(self, voice: Voice) -> PiperVoice:
        wish = voice.id or self._default
        try:
            return self._load(wish)
        except SpeechError as error:
            if wish == self._default:
                raise
            log.warning("%s The default voice speaks instead.", error)
            return self._load(self._default)

    def _load(self, name: str) -> PiperVoice:
        loaded = self._voices.get(name)
        if loaded is None:
            loaded = self._voices[name] = load(name, self._threads)
            others = [other for other in self._voices if other not in (name, self._default)]
            while len(self._voices) > _KEPT_VOICES and others:
                del self._voices[others.pop(0)]
        return loaded

    def _say(self, text: str, voice: Voice, emit: Emit) -> None:
        from piper import SynthesisConfig

        loaded = self._pick(voice)
        settings = SynthesisConfig(length_scale=loaded.config.length_scale / max(0.3, min(4.0, voice.rate)))
        try:
            for clause in clauses(text):
                for chunk in loaded.synthesize(clause, settings):
                    if not emit(self._at_our_rate(chunk.audio_int16_array, chunk.sample_rate)):
                        return
        except SpeechError:
            raise
        except Exception as error:  # ONNX Runtime's errors share no base but this
            raise SpeechError(f"The voice failed on that sentence: {_first_line(error)}. {_FALLBACK}") from error

    def _at_our_rate(self, samples: Any, rate: int) -> bytes:
        if rate != self.sample_rate:  # another voice than the default one
            import soxr

            samples = soxr.resample(samples, rate, self.sample_rate)
        return bytes(samples.astype("<i2").tobytes())


def load(name: str, threads: int) -> PiperVoice:
    """Load a voice from this machine. Raises SpeechError that says what to do."""
    path = models.find_voice(name)
    if path is None:
        raise SpeechError(_missing(name))
    try:
        import onnxruntime
        from piper import PiperConfig, PiperVoice
    except (ImportError, OSError) as error:
        raise SpeechError(f"Piper is not installed: {error}. Reinstall with: uv pip install piper-tts") from error
    config_path = Path(f"{path}.json")
    try:
        config = PiperConfig.from_dict(json.loads(config_path.read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SpeechError(f"The voice file {config_path} is damaged ({error!r}). {_again(name)}") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except MemoryError as error:
        raise SpeechError(f"There is not enough memory for the voice {name}. {_FALLBACK}") from error
    except Exception as error:  # ONNX Runtime's errors share no base but this
        raise SpeechError(f"The voice {name} is damaged: {_first_line(error)}. {_again(name)}") from error
    return PiperVoice(session=session, config=config, download_dir=models_dir() / "piper")


def _missing(name: str) -> str:
    named = Path(name).expanduser()
    if named.suffix == ".onnx":
        if named.is_file():
            return f"The voice {named} lacks its settings: put {named.name}.json beside it. {_FALLBACK}"
        return f"There is no voice file {named}. Correct speak.voice in your profile. {_FALLBACK}"
    if name in models.VOICES:
        return f"The voice {name} is not on this computer yet. Start 01 while connected and it is fetched. {_FALLBACK}"
    return f"There is no piper voice called {name}. Known are {', '.join(models.VOICES)}. {_FALLBACK}"


def _again(name: str) -> str:
    known = name in models.VOICES
    return f"{'Delete it and start 01 while connected' if known else 'Fetch it again'}. {_FALLBACK}"


def _first_line(error: BaseException) -> str:
    return (str(error).strip().split("\n")[0] or type(error).__name__)[:160].rstrip(".")


def clauses(text: str) -> list[str]:
    """Cut a long sentence at commas so that no piece is much longer than ``_LONG`` characters; short ones stay."""
    out: list[str] = []
    for sentence in re.split(r"(?<=[.!?…])\s+", text):
        if len(sentence) <= _LONG:
            out.append(sentence)
            continue
        piece = ""
        for part in re.split(r"(?<=[,;:—])\s+", sentence):
            if piece and len(piece) + len(part) > _LONG:
                out.append(piece)
                piece = part
            else:
                piece = f"{piece} {part}".strip()
        out.append(piece)
    return [piece for piece in out if re.search(r"\w", piece)]
