"""faster-whisper's real code: on a Whisper of true shape with random weights, and on the stand-in where it is.

The shaped one proves loading, pipeline and every load error; its words mean nothing. The stand-in knows thirty phrases
and proves that what was said comes back; neither says anything about accuracy.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.shaped_models import build_whisper
from support.voices import noise, say, silence, stand_in
from zero_one.speech.stt.base import HearOptions, SpeechError, Transcript
from zero_one.speech.stt.faster_whisper import FasterWhisper


@pytest.fixture(scope="session")
def shaped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_whisper(tmp_path_factory.mktemp("whisper"))


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No models and an empty hub cache."""
    monkeypatch.setenv("ZERO_ONE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path


async def hear(engine: FasterWhisper, pcm: bytes, options: HearOptions | None = None, piece: int = 6400) -> Transcript:
    utterance = engine.start(options or HearOptions())
    for start in range(0, len(pcm), piece):
        utterance.feed(pcm[start : start + piece])
    return await utterance.finish()


async def caught_up(utterance: Any) -> None:
    """The worker has heard all that was fed."""
    if utterance._pending is not None:
        await asyncio.wrap_future(utterance._pending)


def plain(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum() or sign == " ").strip()


async def test_the_whole_path_runs_on_a_shaped_model(shaped: Path) -> None:
    """Load, mel features, encoder, decoder, tokenizer, guards: with hotwords and a language, within the token cap."""
    engine = FasterWhisper(str(shaped))
    await engine.warm()
    await engine.warm()
    heard = await hear(engine, say("what is the capital of france"), HearOptions(language="en", hotwords=("Paris",)))
    assert heard.engine == "faster-whisper"
    assert heard.language == "en"
    assert heard.audio_ms > 1000
    raw, _ = engine.ready().transcribe(_floats(say("hello there")), max_new_tokens=8, temperature=0.0)
    tokens = [token for segment in raw for token in segment.tokens]
    assert 0 < len(tokens) <= 10
    await engine.close()


async def test_silence_is_never_asked_about(shaped: Path) -> None:
    engine = FasterWhisper(str(shaped))
    for pcm in (b"", b"\0", silence(4000), noise(3000, 20)):
        heard = await hear(engine, pcm)
        assert heard.text == ""
        assert not heard.rejected
    await engine.close()


def _harm(model: Path, harm: str) -> None:
    weights = model / "model.bin"
    match harm:
        case "no weights":
            weights.unlink()
        case "empty weights":
            weights.write_bytes(b"")
        case "half the weights":
            weights.write_bytes(weights.read_bytes()[: weights.stat().st_size // 2])
        case "a web page":
            weights.write_bytes(b"<html>please log in</html>" * 100)
        case "another version":
            weights.write_bytes(b"\xff\0\0\0" + weights.read_bytes()[4:])
        case "no tokenizer":
            (model / "tokenizer.json").unlink()
        case "no vocabulary":
            (model / "vocabulary.json").unlink()
        case "no config":
            (model / "config.json").unlink()
        case "broken tokenizer":
            (model / "tokenizer.json").write_text("{")


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        ("no weights", "model.bin is missing"),
        ("empty weights", "nearly empty"),
        ("half the weights", "damaged"),
        ("a web page", "damaged"),
        ("another version", "damaged"),
        ("no tokenizer", "tokenizer.json is missing"),
        ("no vocabulary", "vocabulary is missing"),
        ("no config", "config.json is missing"),
        ("broken tokenizer", "Whisper failed"),
    ],
)
async def test_a_damaged_model_says_what_is_wrong(shaped: Path, away: Path, harm: str, says: str) -> None:
    copy = away / "copy"
    shutil.copytree(shaped, copy)
    _harm(copy, harm)
    with pytest.raises(SpeechError, match=says) as caught:
        await FasterWhisper(str(copy)).warm()
    assert "hear.engine" in str(caught.value), "and what to do"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("base", "not on this computer yet"),
        ("somebody/some-model", "not on this computer yet"),
        ("huge", "no Whisper model called huge"),
        ("/no/such/folder", "no Whisper model at /no/such/folder"),
        ("a/b/c", "no Whisper model at a/b/c"),
        ("./here", "no Whisper model at here"),
    ],
)
async def test_a_model_that_is_not_here_says_so_at_once(away: Path, name: str, says: str) -> None:
    async with asyncio.timeout(60):
        with pytest.raises(SpeechError, match=says):
            await FasterWhisper(name).warm()


async def test_an_empty_folder_and_a_file_are_no_model(away: Path) -> None:
    (away / "empty").mkdir()
    (away / "file").write_text("x")
    with pytest.raises(SpeechError, match=r"model\.bin is missing"):
        await FasterWhisper(str(away / "empty")).warm()
    with pytest.raises(SpeechError, match="is a file"):
        await FasterWhisper(str(away / "file")).warm()


@pytest.mark.parametrize(
    ("options", "says"),
    [({"compute_type": "float3"}, "number format|failed"), ({"device": "tpu"}, "no such device|failed")],
)
async def test_impossible_settings_are_told(shaped: Path, options: dict[str, str], says: str) -> None:
    with pytest.raises(SpeechError, match=says):
        await FasterWhisper(str(shaped), **options).warm()  # type: ignore[arg-type]


async def test_a_failure_in_the_middle_is_told_on_finish(shaped: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = FasterWhisper(str(shaped))
    await engine.warm()

    def burst(*_: object, **__: object) -> None:
        raise RuntimeError("CUDA failed with error out of memory")

    monkeypatch.setattr(engine.ready(), "transcribe", burst)
    with pytest.raises(SpeechError, match="not enough memory"):
        await hear(engine, say("open the browser"))
    monkeypatch.undo()
    await hear(engine, say("open the browser"))
    await engine.close()


def _floats(pcm: bytes):
    import numpy as np

    return np.frombuffer(pcm, dtype="<i2").astype(np.float32) / 32768


# --- the stand-in ---


@pytest.fixture(scope="session")
def known() -> Iterator[tuple[FasterWhisper, list[str]]]:
    folder = stand_in()
    engine = FasterWhisper(str(folder))
    yield engine, [line for line in (folder / "phrases.txt").read_text().splitlines() if line]
    asyncio.run(engine.close())


@pytest.mark.models
async def test_every_phrase_is_heard(known: tuple[FasterWhisper, list[str]]) -> None:
    engine, phrases = known
    voices = ("rms", "kal16")
    heard = {}
    for index, phrase in enumerate(phrases):
        pcm = silence(300) + say(phrase, voices[index % 2]) + silence(300)
        heard[phrase] = plain((await hear(engine, pcm)).text)
    assert heard == {phrase: phrase for phrase in phrases}


@pytest.mark.models
async def test_sentences_with_pauses_are_committed_while_the_button_is_held(
    known: tuple[FasterWhisper, list[str]],
) -> None:
    """Over thirty seconds of phrases: all of them, in order; after release only the tail is left to do."""
    engine, phrases = known
    chosen = phrases[:12]
    pcm = b"".join(say(phrase, "rms") + silence(1100) for phrase in chosen) + say(phrases[15], "rms")
    assert len(pcm) > 30 * 32_000
    partials: list[str] = []
    utterance = engine.start(HearOptions(), partials.append)
    for start in range(0, len(pcm), 9600):
        utterance.feed(pcm[start : start + 9600])
        await caught_up(utterance)
        assert len(utterance._tail) < 6 * 32_000, "committed sound is thrown away"
    assert len(utterance._committed) == len(chosen)
    heard = await utterance.finish()
    said = [plain(part) for part in heard.text.replace("?", ".").replace("!", ".").split(".") if plain(part)]
    assert said == [*chosen, phrases[15]]
    assert any(plain(text).startswith(chosen[0]) for text in partials)
    assert heard.confidence is not None
    assert heard.confidence > 0.5


@pytest.mark.models
async def test_a_burst_is_the_same_as_speech_in_time(known: tuple[FasterWhisper, list[str]]) -> None:
    """A device that delivers ten seconds at once is heard like one that streams."""
    engine, phrases = known
    pcm = b"".join(say(phrase, "kal16") + silence(1100) for phrase in phrases[:4])
    at_once = await hear(engine, silence(9000) + pcm, piece=len(pcm) * 10)
    assert plain(at_once.text) == " ".join(phrases[:4])


@pytest.mark.models
async def test_the_answer_is_ready_when_they_pause_before_letting_go(
    known: tuple[FasterWhisper, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, phrases = known
    utterance = engine.start(HearOptions())
    for piece in (silence(300), say(phrases[0], "rms"), silence(500)):
        utterance.feed(piece)
        await caught_up(utterance)
    calls = []
    real = engine.hear
    monkeypatch.setattr(engine, "hear", lambda *a, **k: [calls.append(1), real(*a, **k)][1])
    utterance.feed(silence(100))
    assert plain((await utterance.finish()).text) == phrases[0]
    assert calls == [], "nothing was left to do after release"


@pytest.mark.models
async def test_two_conversations_never_mix(known: tuple[FasterWhisper, list[str]]) -> None:
    engine, phrases = known
    chosen = phrases[:6]
    utterances = [engine.start(HearOptions()) for _ in chosen]
    pcm = [say(phrase, "rms") for phrase in chosen]
    cancelled = engine.start(HearOptions())
    cancelled.feed(pcm[0])
    for start in range(0, max(map(len, pcm)), 6400):
        for utterance, data in zip(utterances, pcm, strict=True):
            utterance.feed(data[start : start + 6400])
        await asyncio.sleep(0)
    cancelled.cancel()
    heard = await asyncio.gather(*(utterance.finish() for utterance in utterances))
    assert [plain(one.text) for one in heard] == chosen
    assert (await cancelled.finish()).text == ""


@pytest.mark.models
async def test_silence_and_noise_stay_empty(known: tuple[FasterWhisper, list[str]]) -> None:
    """The stand-in makes "Volume up." of silence; the guards must not let it."""
    engine, _ = known
    for pcm in (silence(3000), noise(2000, 300), silence(500) + noise(40, 9000) + silence(1000)):
        assert (await hear(engine, pcm)).text == ""
