"""pocketsphinx: small, offline, its English model in the package. Good at a command grammar, poor at dictation.

While the button is held, free dictation runs live (partials). When the speaker pauses or lets go, the command grammar
and a phone loop hear the whole utterance, and ``second_opinion`` decides whether it was a command. What was not a
command is returned as the free dictation.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from zero_one.speech.stt import second_opinion, sphinx_words
from zero_one.speech.stt.base import HearOptions, PartialHandler, SpeechError, Transcript
from zero_one.speech.stt.second_opinion import Decoding, Segment
from zero_one.speech.stt.voiced import BYTES_PER_MS, Voiced
from zero_one.speech.worker import Worker

if TYPE_CHECKING:
    from pocketsphinx import Decoder

log = logging.getLogger(__name__)

ACCEPT = 0.5
"""Belief from which a command counts as said."""
_GRAMMAR_MAX_MS = 12_000
"""Nobody says a command for longer."""
_SEGMENT_MS = 8_000
"""Dictation is committed at the first pause after this, so that memory stays bounded."""
_HARD_SEGMENT_MS = 25_000
_PAUSE_MS = 240
_STEP_MS = 200
_MIN_SPEECH_FRAMES = 8


@dataclass(slots=True)
class _Ears:
    """One utterance's decoders. They are stateful, so two conversations never share them at the same time."""

    free: Decoder
    grammar: Decoder
    phones: Decoder
    grammar_version: int = -1


@dataclass(frozen=True, slots=True)
class _Verdict:
    text: str
    belief: float


class PocketSphinx:
    """The embedded recogniser. ``jsgf`` is the command grammar; without one there is only dictation."""

    name = "pocketsphinx"

    def __init__(self, jsgf: str | None = None, *, accept: float = ACCEPT) -> None:
        self._jsgf: str | None = None
        self._version = 0
        self._accept = accept
        self._worker = Worker("pocketsphinx")
        self._spare: list[_Ears] = []
        self._spelling: dict[str, tuple[str, ...]] = {}
        self._new_words: dict[str, str] = {}
        self.set_grammar(jsgf)

    def set_grammar(self, jsgf: str | None) -> None:
        """Use another grammar from the next utterance on (a W3C JSGF 1.0 text, or None)."""
        self._jsgf = sphinx_words.lower_words(jsgf) if jsgf and jsgf.strip() else None
        self._version += 1

    async def warm(self) -> None:
        await self._worker.do(self, self._warm)

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> _Utterance:
        return _Utterance(self, options, on_partial)

    async def close(self) -> None:
        await self._worker.close()
        self._spare.clear()

    # --- in the worker thread ---

    def _warm(self) -> None:
        if not self._spare:
            self._spare.append(self._make_ears())
        self._load_grammar(self._spare[-1])

    def borrow(self) -> _Ears:
        ears = self._spare.pop() if self._spare else self._make_ears()
        self._load_grammar(ears)
        return ears

    def give_back(self, ears: _Ears) -> None:
        if len(self._spare) < 2:
            self._spare.append(ears)

    def _make_ears(self) -> _Ears:
        try:
            from pocketsphinx import Decoder, get_model_path
        except ImportError as error:
            raise SpeechError(
                "I cannot hear: pocketsphinx is not installed. Run: uv pip install pocketsphinx"
            ) from error
        try:
            # Fewer states at once: a third less work in dictation, the same words.
            free = Decoder(loglevel="FATAL", bestpath=False, fwdflat=False, maxhmmpf=3000, maxwpf=10)
            # A grammar is small: wide beams cost little and an unusual voice still gets to its end.
            wide = {"beam": 1e-80, "wbeam": 1e-60, "pbeam": 1e-80}
            grammar = Decoder(lm=None, loglevel="FATAL", bestpath=False, cmn="batch", **wide)
            phones = Decoder(lm=None, loglevel="FATAL", bestpath=False, cmn="batch")
            phones.add_allphone_file("phones", get_model_path("en-us/en-us-phone.lm.bin"))
            phones.activate_search("phones")
        except (RuntimeError, OSError, ValueError) as error:
            raise SpeechError(
                "I cannot hear: pocketsphinx's English model is damaged. Reinstall pocketsphinx."
            ) from error
        return _Ears(free, grammar, phones)

    def _load_grammar(self, ears: _Ears) -> None:
        if ears.grammar_version == self._version:
            return
        if self._jsgf is not None:
            self._teach(ears.grammar, self._jsgf)
            try:
                ears.grammar.add_jsgf_string("commands", self._jsgf)
                ears.grammar.activate_search("commands")
            except (RuntimeError, ValueError) as error:
                self._jsgf = None
                log.warning("the command grammar could not be read (%s); only dictation is left", error)
        ears.grammar_version = self._version

    def _teach(self, decoder: Decoder, jsgf: str) -> None:
        from zero_one.speech.tts import espeak

        missing = [word for word in sorted(sphinx_words.grammar_words(jsgf)) if decoder.lookup_word(word) is None]
        if not missing:
            return
        voice = espeak.library()

        def ipa(word: str) -> str:
            assert voice is not None
            return voice.worker.submit(self, lambda: voice.phonemes(word)).result()

        for word in missing:
            if word not in self._new_words:
                said = sphinx_words.pronounce(word, decoder.lookup_word, ipa if voice else None)
                self._new_words[word] = said or "SIL"
            decoder.add_word(word, self._new_words[word], True)

    def judge(self, ears: _Ears, pcm: bytes, free: Decoding, own: str = "") -> _Verdict | None:
        """Whether ``pcm`` is a command, or what the grammar ``own`` expects; None where there is no grammar."""
        if (self._jsgf is None and not own) or len(pcm) > _GRAMMAR_MAX_MS * BYTES_PER_MS:
            return None
        grammar = self._decode_own(ears.grammar, pcm, own) if own else decode_whole(ears.grammar, pcm)
        if not grammar.words():
            return _Verdict("", 0.0)
        phones = decode_whole(ears.phones, pcm)
        if sum(s.last - s.first + 1 for s in phones.segments if not s.is_filler) < _MIN_SPEECH_FRAMES:
            return _Verdict("", 0.0)
        numbers = second_opinion.features(grammar, free, phones, lambda word: self._spell(ears.grammar, word))
        verdict = _Verdict(grammar.text, second_opinion.belief(numbers))
        log.debug("grammar %r belief %.2f %s, free %r", verdict.text, verdict.belief, numbers, free.text)
        return verdict

    def _decode_own(self, decoder: Decoder, pcm: bytes, jsgf: str) -> Decoding:
        jsgf = sphinx_words.lower_words(jsgf)
        self._teach(decoder, jsgf)
        decoder.add_jsgf_string("own", jsgf)
        decoder.activate_search("own")
        try:
            return decode_whole(decoder, pcm)
        finally:
            if self._jsgf is not None:
                decoder.activate_search("commands")

    def accepts(self, verdict: _Verdict | None) -> bool:
        return verdict is not None and bool(verdict.text) and verdict.belief >= self._accept

    def _spell(self, decoder: Decoder, word: str) -> tuple[str, ...]:
        spelled = self._spelling.get(word)
        if spelled is None:
            said = decoder.lookup_word(word) or decoder.lookup_word(word.split("(")[0]) or ""
            spelled = self._spelling[word] = tuple(said.split())
        return spelled

    @property
    def worker(self) -> Worker:
        return self._worker


class _Utterance:
    """One utterance (a ``Recognition``). ``feed`` only collects; the worker does the rest in steps."""

    def __init__(self, engine: PocketSphinx, options: HearOptions, on_partial: PartialHandler | None) -> None:
        self._engine = engine
        self._on_partial = on_partial
        self._grammar = options.grammar
        self._language = "en"
        self._loop = asyncio.get_running_loop()
        self._voiced = Voiced()
        self._unread = bytearray()
        self._pending: Future[None] | None = None
        self._cancelled = False
        self._partial = ""
        # Owned by the worker thread:
        self._ears: _Ears | None = None
        self._open = False
        self._segment_bytes = 0
        self._pcm = bytearray()
        self._committed: list[str] = []
        self._guess: tuple[int, _Verdict | None, Decoding] | None = None

    def feed(self, pcm: bytes) -> None:
        if self._cancelled:
            return
        self._unread += pcm
        if len(self._unread) >= _STEP_MS * BYTES_PER_MS and (self._pending is None or self._pending.done()):
            self._pending = self._engine.worker.submit(self, self._step)

    async def finish(self) -> Transcript:
        try:
            return await self._engine.worker.do(self, self._end, urgent=True)
        except RuntimeError as error:
            raise SpeechError("The recogniser stopped while you spoke. Please say it again.") from error

    def cancel(self) -> None:
        self._cancelled = True
        self._engine.worker.forget(self)
        self._engine.worker.submit(self, self._drop)

    # --- in the worker thread ---

    def _step(self) -> None:
        if self._cancelled:
            return
        self._read()
        if self._open:
            self._tell()
            if self._voiced.quiet_ms >= _PAUSE_MS:
                self._at_pause()
            elif self._segment_bytes > _HARD_SEGMENT_MS * BYTES_PER_MS:
                self._commit()

    def _read(self) -> None:
        """Move what was fed through the voice detector into free dictation."""
        size = len(self._unread) & ~1
        data = bytes(self._unread[:size])
        del self._unread[:size]
        self._voiced.feed(data)
        speech = self._voiced.take()
        if not speech:
            return
        if self._ears is None:
            self._ears = self._engine.borrow()
        if not self._open:
            self._ears.free.set_cmn(_CMN)
            self._ears.free.start_utt()
            self._open = True
            self._segment_bytes = 0
        self._ears.free.process_raw(speech, no_search=False, full_utt=False)
        self._segment_bytes += len(speech)
        if len(self._pcm) <= _GRAMMAR_MAX_MS * BYTES_PER_MS:
            self._pcm += speech

    def _tell(self) -> None:
        if self._on_partial is None or self._ears is None:
            return
        hypothesis = self._ears.free.hyp()
        text = " ".join([*self._committed, hypothesis.hypstr if hypothesis else ""]).strip()
        if text and text != self._partial:
            self._partial = text
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._say_partial, text)

    def _say_partial(self, text: str) -> None:
        if not self._cancelled and self._on_partial is not None:
            self._on_partial(text)

    def _at_pause(self) -> None:
        """They may be done: have the verdict ready before they let go."""
        if self._committed or self._segment_bytes > _SEGMENT_MS * BYTES_PER_MS:
            if self._segment_bytes > _SEGMENT_MS * BYTES_PER_MS:
                self._commit()
            return
        said = self._voiced.speech_frames
        if (self._guess is None or self._guess[0] != said) and self._ears is not None:
            free = read_decoding(self._ears.free)
            self._guess = (said, self._engine.judge(self._ears, bytes(self._pcm), free, self._grammar), free)

    def _commit(self) -> Decoding | None:
        if not self._open or self._ears is None:
            return None
        self._ears.free.end_utt()
        self._open = False
        decoding = read_decoding(self._ears.free)
        if decoding.text:
            self._committed.append(decoding.text)
        return decoding

    def _end(self) -> Transcript:
        heard = Transcript(text="", language=self._language, engine=PocketSphinx.name)
        try:
            self._read()
            heard = replace(heard, audio_ms=self._voiced.total_ms)
            if self._ears is None or self._cancelled:
                return heard
            single = not self._committed
            last = self._commit()
            verdict: _Verdict | None = None
            if single and last is not None:
                if self._guess is not None and self._guess[0] == self._voiced.speech_frames:
                    verdict = self._guess[1]
                else:
                    verdict = self._engine.judge(self._ears, bytes(self._pcm), last, self._grammar)
            if verdict is not None and self._engine.accepts(verdict):
                return replace(heard, text=verdict.text, confidence=verdict.belief, from_grammar=True)
            text = " ".join(self._committed)
            return replace(heard, text=text, rejected=not text)
        finally:
            self._drop()

    def _drop(self) -> None:
        ears, self._ears = self._ears, None
        if ears is None:
            return
        if self._open:
            ears.free.end_utt()
            self._open = False
        self._engine.give_back(ears)
        self._pcm.clear()
        self._unread.clear()


_CMN = "41.00,-5.29,-0.12,5.09,2.48,-4.07,-1.37,-1.78,-5.08,-2.05,-6.45,-1.42,1.17"
"""The model's own prior: every utterance starts from it, so that no conversation colours another."""


def decode_whole(decoder: Any, pcm: bytes) -> Decoding:
    decoder.start_utt()
    decoder.process_raw(pcm, full_utt=True)
    decoder.end_utt()
    return read_decoding(decoder)


def read_decoding(decoder: Any) -> Decoding:
    hypothesis = decoder.hyp()
    if hypothesis is None or not hypothesis.hypstr:
        return Decoding("", (), decoder.n_frames())
    segments = tuple(
        Segment(s.word, s.start_frame, s.end_frame, second_opinion.log_score(s.ascore)) for s in decoder.seg() or ()
    )
    return Decoding(hypothesis.hypstr, segments, decoder.n_frames())
