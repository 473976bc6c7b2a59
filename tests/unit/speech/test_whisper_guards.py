"""What Whisper makes up is dropped, languages are held to, every error says what to do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from zero_one.speech.stt.base import HearOptions
from zero_one.speech.stt.faster_whisper import FasterWhisper, quietest, sift
from zero_one.speech.stt.whisper_model import explain


def segment(text: str, *, no_speech: float = 0.02, log_prob: float = -0.2, start: float = 0, end: float = 2, ratio=1.2):
    return SimpleNamespace(
        text=text, no_speech_prob=no_speech, avg_logprob=log_prob, start=start, end=end, compression_ratio=ratio
    )


@pytest.mark.parametrize(
    "made_up",
    [
        segment(" Thank you for watching!", no_speech=0.5),
        segment(" Thanks for watching.", end=0.5),
        segment(" [Music]", no_speech=0.4),
        segment(" ♪♪", no_speech=0.1),
        segment(" ...", no_speech=0.1),
        segment(" what", no_speech=0.9, log_prob=-1.6),
        segment(" no no no no no no no no no", ratio=5.0),
        segment(" " + "a long text that nobody can say so fast " * 4, end=0.6),
        segment(" Subtitles by the Amara.org community", no_speech=0.3),
    ],
)
def test_inventions_are_dropped(made_up: Any) -> None:
    heard = sift([made_up], "en", seconds=min(2.0, made_up.end))
    assert heard.text == ""
    assert heard.rejected


@pytest.mark.parametrize(
    "real",
    [
        segment(" Thank you."),
        segment(" Stop!", end=0.4),
        segment(" Thanks for watching the kids yesterday."),
        segment(" 42"),
    ],
)
def test_what_was_said_stays(real: Any) -> None:
    heard = sift([real], "en", seconds=real.end)
    assert heard.text == real.text.strip()
    assert not heard.rejected


def test_the_last_segment_is_not_safe_to_cut_after() -> None:
    heard = sift(
        [segment(" One.", end=9.5), segment(" Two.", start=9.5, end=19), segment(" Thr", start=19, end=28)], "en", 28
    )
    assert heard.safe_text == "One. Two."
    assert heard.cut_ms == 19_000


def test_the_quietest_moment_is_found() -> None:
    random = np.random.default_rng(3)
    samples = random.normal(0, 3000, 16_000 * 4)
    samples[16_000 * 3 : 16_000 * 3 + 3200] = 0
    at = quietest(samples.astype("<i2").tobytes(), from_ms=2000)
    assert at % 2 == 0
    assert 3.0 <= at / 32_000 <= 3.2


class FakeModel:
    """Stands for WhisperModel: knows how likely each language is, and notes how it was called."""

    def __init__(self, likely: dict[str, float], multilingual: bool = True) -> None:
        self.model = SimpleNamespace(is_multilingual=multilingual)
        self.likely = likely
        self.calls: list[dict[str, Any]] = []

    def transcribe(self, audio: Any, language: str | None = None, **settings: Any) -> Any:
        self.calls.append({"language": language, **settings})
        chosen = language or max(self.likely, key=self.likely.__getitem__)
        info = SimpleNamespace(language=chosen, all_language_probs=None if language else list(self.likely.items()))
        return iter([segment(f" spoken in {chosen}")]), info


@pytest.mark.parametrize(
    ("options", "multilingual", "language"),
    [
        (HearOptions(), True, "fr"),
        (HearOptions(language="de"), True, "de"),
        (HearOptions(languages=("it",)), True, "it"),
        (HearOptions(languages=("en", "de")), True, "de"),
        (HearOptions(languages=("fr", "de")), True, "fr"),
        (HearOptions(language="de"), False, "en"),
    ],
)
def test_language_is_automatic_fixed_or_one_of_those_allowed(
    options: HearOptions, multilingual: bool, language: str
) -> None:
    engine = FasterWhisper("unused")
    fake = FakeModel({"en": 0.1, "de": 0.3, "fr": 0.6}, multilingual)
    engine._model = fake  # type: ignore[assignment]
    heard = engine.hear(bytes(64_000), options, options.language, "", final=True)
    assert heard.text == f"spoken in {language}"
    assert heard.language == language


def test_hotwords_and_caps_reach_the_model() -> None:
    engine = FasterWhisper("unused")
    fake = FakeModel({"en": 1.0})
    engine._model = fake  # type: ignore[assignment]
    engine.hear(bytes(64_000), HearOptions(hotwords=("Zorkmid", "Ada")), None, "before", final=True)
    call = fake.calls[0]
    assert call["hotwords"] == "Zorkmid, Ada"
    assert call["initial_prompt"] == "before"
    assert call["max_new_tokens"] == 32
    assert call["vad_filter"] is True


class LocalEntryNotFoundError(FileNotFoundError):
    """Named like the hub's own."""


class HFValidationError(ValueError):
    """Named like the hub's own."""


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (LocalEntryNotFoundError("Cannot find an appropriate cached snapshot folder"), "not on this computer yet"),
        (HFValidationError("Repo id must be in the form 'repo_name'"), "no Whisper model called"),
        (ValueError("Invalid model size 'huge', expected one of: tiny"), "no Whisper model called"),
        (RuntimeError("Unable to open file 'model.bin' in model '/x'"), "model.bin cannot be opened"),
        (RuntimeError("File model.bin is incomplete: failed to read a buffer"), "damaged"),
        (RuntimeError("Unsupported model binary version. This executable supports version 6"), "damaged"),
        (ValueError("Requested float16 compute type, but the target device do not support"), "number format"),
        (RuntimeError("CUDA failed with error out of memory"), "not enough memory"),
        (MemoryError("std::bad_alloc"), "not enough memory"),
        (RuntimeError("Library libcublas.so.12 is not found or cannot be loaded"), "graphics card"),
        (ValueError("unsupported device tpu"), "no such device"),
        (ConnectionError("Connection refused"), "network is down"),
        (RuntimeError("something new"), "Whisper failed: something new"),
    ],
)
def test_every_error_says_what_happened_and_what_to_do(error: Exception, says: str) -> None:
    text = str(explain(error, "base"))
    assert says in text
    assert text.endswith(".")
    assert len(text.split(". ")) >= 2, "it also says what to do"
