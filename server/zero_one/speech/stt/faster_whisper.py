"""faster-whisper (CTranslate2): good ears for a hundred languages, on CPU or CUDA, offline once the model is there.

It works while the button is held. Voice is collected without silence; at every pause what was said since the last cut
is transcribed on the chance that the speaker is done, so that on release the answer is often there already. A long
pause, or any after ten seconds, also commits: that text is final and its sound is thrown away. So memory stays small
however long somebody speaks, and only the uncommitted tail is left to do after release.

Whisper invents text for noise. Guards: only voice gets in; faster-whisper's own thresholds on no-speech probability and
average log probability; no more text per second than a person can say; no repetition; and the sentences that its
training data put under silence.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from zero_one.speech.stt.base import HearOptions, PartialHandler, SpeechError, Transcript
from zero_one.speech.stt.voiced import BYTES_PER_MS, Voiced
from zero_one.speech.stt.whisper_model import explain, load
from zero_one.speech.worker import Worker

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

log = logging.getLogger(__name__)

COMMIT_MS = 10_000
"""A short pause after this much voice commits it."""
LONG_PAUSE_MS = 900
"""A pause like this ends a sentence: what came before is committed whatever its length (but not a cough)."""
_SENTENCE_MS = 500
WINDOW_MS = 28_000
"""Whisper hears 30 s at once; without any pause the cut comes here, at the quietest moment."""
PAUSE_MS = 240
MAX_UTTERANCE_MS = 30 * 60 * 1000
_STEP_MS = 200
_PARTIAL_MS = 1_000
"""New voice between two partials; more on a slow machine, so that partials never use half of it."""
_SHORTEST_MS = 120
_LANGUAGE_SURE_MS = 3_000
_MAX_CHARS_PER_SECOND = 45
_NO_SPEECH = 0.6
_LOG_PROB = -1.0
_COMPRESSION = 2.4
_PHANTOMS = re.compile(
    r"(thank(s| you)( so much| very much)? for (watching|listening|your attention)"
    r"|(please )?(like and )?subscribe( to (my|our|the) channel)?|see you (next time|in the next (video|one))"
    r"|subtitles? (by|made).*|.*amara\.org.*|transcribed by.*|\[?(music|applause|silence|blank_audio)\]?|♪+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Heard:
    """One pass over a stretch of voice. ``log_prob`` is the average per token, natural logarithm."""

    text: str
    language: str | None
    log_prob: float
    rejected: bool = False
    cut_ms: int = 0
    """Where the last but one segment ended, if timestamps were asked for."""
    safe_text: str = ""


class FasterWhisper:
    """``model``: a size (``base``), a folder, or a repository in the hub's cache. Nothing is downloaded here."""

    name = "faster-whisper"

    def __init__(
        self, model: str = "base", *, device: str = "auto", compute_type: str = "auto", cpu_threads: int = 0
    ) -> None:
        self._name = model
        self._device = device
        self._compute_type = compute_type
        self._threads = cpu_threads
        self._model: WhisperModel | None = None
        self._worker = Worker("faster-whisper")
        self._closed = False

    @property
    def worker(self) -> Worker:
        return self._worker

    async def warm(self) -> None:
        await self._worker.do(self, self.ready)

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> _Utterance:
        return _Utterance(self, options, on_partial)

    async def close(self) -> None:
        await self._worker.close()
        self._model = None

    # --- in the worker thread ---

    def ready(self) -> WhisperModel:
        if self._model is None:
            self._model = load(self._name, self._device, self._compute_type, self._threads)
        return self._model

    def hear(self, pcm: bytes, options: HearOptions, language: str | None, before: str, *, final: bool) -> Heard:
        """Transcribe up to 30 s of voice. Raises SpeechError."""
        model = self.ready()
        audio = np.frombuffer(pcm, dtype="<i2").astype(np.float32) / 32768.0
        try:
            return self._hear(model, audio, options, language, before, final=final)
        except SpeechError:
            raise
        except (RuntimeError, ValueError, OSError, MemoryError) as error:
            raise explain(error, self._name) from error

    def _hear(
        self, model: WhisperModel, audio: Any, options: HearOptions, language: str | None, before: str, *, final: bool
    ) -> Heard:
        seconds = len(audio) / 16_000
        if not model.model.is_multilingual:
            language = "en"
        allowed = options.languages
        if language is None and len(allowed) == 1:
            language = allowed[0]
        settings: dict[str, Any] = {
            "beam_size": 1,
            "best_of": 1,
            "temperature": [0.0, 0.4] if final else 0.0,
            "condition_on_previous_text": False,
            "initial_prompt": before[-200:] or None,
            "hotwords": ", ".join(options.hotwords) or None,
            "without_timestamps": seconds < 20,
            "vad_filter": True,
            "vad_parameters": {"threshold": 0.3, "min_silence_duration_ms": 1000, "speech_pad_ms": 300},
            "max_new_tokens": min(200, 16 + math.ceil(seconds * 8)),
            "no_speech_threshold": _NO_SPEECH,
            "log_prob_threshold": _LOG_PROB,
            "compression_ratio_threshold": _COMPRESSION,
        }
        segments, info = model.transcribe(audio, language=language, **settings)
        if language is None and allowed and info.language not in allowed:
            scores = dict(info.all_language_probs or ())
            best = max(allowed, key=lambda tag: scores.get(tag, 0.0))
            segments, info = model.transcribe(audio, language=best, **settings)
        return sift(list(segments), info.language, seconds)


def sift(segments: Sequence[Any], language: str | None, seconds: float) -> Heard:
    """Keep what was said, drop what Whisper made up. ``seconds`` of voice were heard."""
    kept: list[Any] = []
    for segment in segments:
        text = segment.text.strip()
        invented = (
            not re.search(r"\w", text)
            or (segment.no_speech_prob > _NO_SPEECH and segment.avg_logprob < _LOG_PROB)
            or segment.compression_ratio > _COMPRESSION
            or len(text) > 12 + _MAX_CHARS_PER_SECOND * max(0.2, min(seconds, segment.end - segment.start or seconds))
            or (bool(_PHANTOMS.fullmatch(text.strip(" .!"))) and (segment.no_speech_prob > 0.2 or seconds < 1.0))
        )
        if invented:
            log.debug("dropped %r: no speech %.2f, log prob %.2f", text, segment.no_speech_prob, segment.avg_logprob)
        else:
            kept.append(segment)
    text = " ".join(segment.text.strip() for segment in kept)
    log_prob = sum(segment.avg_logprob for segment in kept) / len(kept) if kept else 0.0
    safe = kept[:-1]
    return Heard(
        text,
        language,
        log_prob,
        rejected=bool(segments) and not kept,
        cut_ms=int(safe[-1].end * 1000) if safe else 0,
        safe_text=" ".join(segment.text.strip() for segment in safe),
    )


class _Utterance:
    """One utterance (a ``Recognition``). ``feed`` only collects; steps run in the engine's worker thread."""

    def __init__(self, engine: FasterWhisper, options: HearOptions, on_partial: PartialHandler | None) -> None:
        self._engine = engine
        self._options = options
        self._on_partial = on_partial
        self._loop = asyncio.get_running_loop()
        self._unread = bytearray()
        self._fed_ms = 0
        self._pending: Future[None] | None = None
        self._cancelled = False
        self._ended = False
        # Owned by the worker thread:
        self._voiced = Voiced()
        self._tail = bytearray()
        self._committed: list[str] = []
        self._log_probs: list[float] = []
        self._language = options.language
        self._guess: tuple[int, Heard] | None = None
        self._mid_sentence = False
        self._heard_bytes = 0
        self._pass_s = 0.0
        self._rejected = False
        self._failure: SpeechError | None = None

    def feed(self, pcm: bytes) -> None:
        if self._cancelled or self._ended:
            return
        if self._fed_ms >= MAX_UTTERANCE_MS:
            return
        self._fed_ms += len(pcm) // BYTES_PER_MS
        self._unread += pcm
        if len(self._unread) >= _STEP_MS * BYTES_PER_MS and (self._pending is None or self._pending.done()):
            self._pending = self._engine.worker.submit(self, self._step)

    async def finish(self) -> Transcript:
        self._ended = True
        try:
            return await self._engine.worker.do(self, self._end, urgent=True)
        except RuntimeError as error:
            raise SpeechError("Hearing stopped while you spoke. Please say it again.") from error
        finally:
            self._engine.worker.forget(self)

    def cancel(self) -> None:
        self._cancelled = True
        self._engine.worker.forget(self)
        self._unread.clear()
        self._engine.worker.submit(self, self._forget)

    # --- in the worker thread ---

    def _step(self) -> None:
        if self._cancelled or self._ended or self._failure is not None:
            return
        try:
            self._read()
            new_ms = (len(self._tail) - self._heard_bytes) // BYTES_PER_MS
            paused = self._voiced.quiet_ms >= PAUSE_MS and len(self._tail) > 0
            due = self._on_partial is not None and new_ms >= max(_PARTIAL_MS, self._pass_s * 3000)
            if paused or due:
                self._listen()
        except SpeechError as error:
            self._failure = error  # told on finish: nobody waits for a step

    def _read(self) -> None:
        size = len(self._unread) & ~1
        data = bytes(self._unread[:size])
        del self._unread[:size]
        slice_bytes = _STEP_MS * BYTES_PER_MS
        for start in range(0, size, slice_bytes):  # a burst of many seconds has its pauses too
            self._voiced.feed(data[start : start + slice_bytes])
            self._tail += self._voiced.take()
            quiet = self._voiced.quiet_ms
            voiced_ms = len(self._tail) // BYTES_PER_MS
            if (quiet >= LONG_PAUSE_MS and voiced_ms >= _SENTENCE_MS) or (quiet >= PAUSE_MS and voiced_ms >= COMMIT_MS):
                self._commit_all()
            elif voiced_ms >= WINDOW_MS:
                self._cut()

    def _listen(self, *, final: bool = False) -> Heard:
        """Hear the tail, unless nothing was said since it was heard last."""
        if self._guess is not None and self._guess[0] == self._voiced.speech_frames:
            return self._guess[1]
        if len(self._tail) < _SHORTEST_MS * BYTES_PER_MS:
            return Heard("", self._language, 0.0)
        started = time.monotonic()
        before = self._committed[-1] if self._mid_sentence and self._committed else ""
        window = bytes(self._tail[: (WINDOW_MS + 2000) * BYTES_PER_MS])
        heard = self._engine.hear(window, self._options, self._language, before, final=final)
        self._pass_s = time.monotonic() - started
        self._heard_bytes = len(self._tail)
        self._guess = (self._voiced.speech_frames, heard)
        if self._language is None and len(self._tail) >= _LANGUAGE_SURE_MS * BYTES_PER_MS:
            self._language = heard.language
        self._tell(heard.text)
        return heard

    def _commit_all(self, *, mid_sentence: bool = False) -> None:
        heard = self._listen()
        self._keep(heard.text, heard)
        self._drop(len(self._tail))
        self._mid_sentence = mid_sentence

    def _cut(self) -> None:
        """Nobody paused for half a minute: cut after the last but one segment, or where it is quietest."""
        heard = self._listen()
        if heard.safe_text and heard.cut_ms > 5_000:
            self._keep(heard.safe_text, heard)
            self._drop(heard.cut_ms * BYTES_PER_MS)
            self._mid_sentence = True
            return
        at = quietest(bytes(self._tail), from_ms=WINDOW_MS - 6_000)
        rest = bytes(self._tail[at:])
        del self._tail[at:]
        self._guess = None
        self._commit_all(mid_sentence=True)
        self._tail += rest

    def _keep(self, text: str, heard: Heard) -> None:
        if text:
            self._committed.append(text)
            self._log_probs.append(heard.log_prob)
        self._rejected |= heard.rejected

    def _drop(self, size: int) -> None:
        del self._tail[:size]
        self._heard_bytes = 0
        self._guess = None

    def _end(self) -> Transcript:
        try:
            if self._cancelled:
                return self._transcript()
            if self._failure is not None:
                raise self._failure
            self._read()
            heard = self._listen(final=True)
            self._keep(heard.text, heard)
            self._language = self._language or heard.language
            return self._transcript()
        finally:
            self._forget()

    def _transcript(self) -> Transcript:
        text = " ".join(self._committed)
        sure = math.exp(sum(self._log_probs) / len(self._log_probs)) if self._log_probs else None
        return Transcript(
            text=text,
            language=self._language,
            confidence=sure,
            rejected=self._rejected and not text,
            audio_ms=self._voiced.total_ms,
            engine=FasterWhisper.name,
        )

    def _tell(self, text: str) -> None:
        said = " ".join([*self._committed, text]).strip()
        if self._on_partial is None or not said or self._ended or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._say_partial, said)

    def _say_partial(self, text: str) -> None:
        if not self._cancelled and not self._ended and self._on_partial is not None:
            self._on_partial(text)

    def _forget(self) -> None:
        self._tail.clear()
        self._unread.clear()
        self._guess = None


def quietest(pcm: bytes, from_ms: int) -> int:
    """The byte position (even) of the quietest 100 ms of ``pcm`` after ``from_ms``."""
    step = 20 * BYTES_PER_MS
    start = from_ms * BYTES_PER_MS
    samples = np.frombuffer(pcm, dtype="<i2")[start // 2 :].astype(np.float64)
    frames = len(samples) * 2 // step
    if frames < 5:
        return len(pcm) & ~1
    energy = (samples[: frames * step // 2].reshape(frames, -1) ** 2).mean(axis=1)
    smooth = np.convolve(energy, np.ones(5) / 5, mode="valid")
    return start + (int(smooth.argmin()) + 2) * step
