"""piper's real code on a constructed voice: phonemes, ONNX Runtime, pieces, speed, and every load error."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from support.shaped_models import HOP, build_voice
from zero_one.speech.stt.base import SpeechError
from zero_one.speech.tts.base import Voice
from zero_one.speech.tts.piper import Piper, clauses


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ZERO_ONE_MODELS", str(tmp_path))
    build_voice(tmp_path / "piper" / "en_XX-toy-low.onnx")
    return tmp_path / "piper"


async def pieces(engine: Piper, text: str, voice: Voice | None = None) -> list[bytes]:
    return [piece async for piece in engine.speak(text, voice or Voice())]


async def test_sentence_by_sentence_at_the_voices_rate(folder: Path) -> None:
    engine = Piper("en_XX-toy-low")
    await engine.warm()
    assert engine.sample_rate == 22050
    said = await pieces(engine, "Hello there. How are you today?")
    assert len(said) == 2
    assert all(len(piece) % (2 * HOP) == 0 for piece in said), "the model's hop, nothing cut"
    assert await pieces(engine, "") == []
    assert await pieces(engine, "[[ \0 ]]") == []
    await engine.close()


async def test_speed(folder: Path) -> None:
    engine = Piper(str(folder / "en_XX-toy-low.onnx"))
    normal, fast, slow = [
        sum(map(len, await pieces(engine, "One sentence.", Voice(rate=rate)))) for rate in (1.0, 2.0, 0.5)
    ]
    assert abs(fast - normal / 2) <= 2 * HOP
    assert abs(slow - normal * 2) <= 2 * HOP
    await engine.close()


async def test_another_voice_comes_at_our_rate_and_an_unknown_one_is_replaced(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build_voice(folder / "de_XX-small-low.onnx", sample_rate=16_000)
    engine = Piper("en_XX-toy-low")
    await engine.warm()
    own = b"".join(await pieces(engine, "Hello."))
    other = b"".join(await pieces(engine, "Hello.", Voice(id="de_XX-small-low")))
    assert engine.sample_rate == 22050
    assert abs(len(other) / len(own) - 22050 / 16000) < 0.02
    assert b"".join(await pieces(engine, "Hello.", Voice(id="nobody"))) == own
    assert "default voice speaks instead" in caplog.text
    await engine.close()


async def test_closing_stops_between_sentences(folder: Path) -> None:
    engine = Piper("en_XX-toy-low")
    stream = engine.speak("A sentence. " * 400, Voice())
    await anext(stream)
    await stream.aclose()
    async with asyncio.timeout(60):
        assert await pieces(engine, "Next.")
    await engine.close()


async def test_two_at_once_never_mix(folder: Path) -> None:
    engine = Piper("en_XX-toy-low")
    texts = ["First of two.", "And this is the second, which is longer."]
    alone = [await pieces(engine, text) for text in texts]
    assert list(await asyncio.gather(*(pieces(engine, text) for text in texts))) == alone
    await engine.close()


def test_long_sentences_are_cut_at_commas() -> None:
    text = ", ".join(["some words that belong together"] * 12) + "."
    cut = clauses(text)
    assert len(cut) > 2
    assert max(map(len, cut)) < 200
    assert " ".join(cut) == text
    assert clauses("Short, and whole.") == ["Short, and whole."]
    assert clauses("...") == []


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        ("garbage", "is damaged"),
        ("half", "is damaged"),
        ("empty", "There is no piper voice|lacks"),
        ("no json", "There is no piper voice|lacks"),
        ("broken json", "There is no piper voice|damaged"),
        ("json of something else", "is damaged"),
    ],
)
async def test_every_load_error_says_what_to_do(folder: Path, harm: str, says: str) -> None:
    _harm(folder, harm)
    with pytest.raises(SpeechError, match=says) as caught:
        await Piper("en_XX-toy-low").warm()
    assert "speak.engine" in str(caught.value)


def _harm(folder: Path, harm: str) -> None:
    model = folder / "en_XX-toy-low.onnx"
    config = Path(f"{model}.json")
    match harm:
        case "garbage":
            model.write_bytes(b"\x08 this is no model" * 50)
        case "half":
            model.write_bytes(model.read_bytes()[:300])
        case "empty":
            model.write_bytes(b"")
        case "no json":
            config.unlink()
        case "broken json":
            config.write_text("{")
        case "json of something else":
            config.write_text(json.dumps({"name": "package"}))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("en_US-lessac-medium", "not on this computer yet"),
        ("xx_XX-nobody-low", "no piper voice called"),
        ("/no/such/voice.onnx", "no voice file /no/such/voice.onnx"),
    ],
)
async def test_a_voice_that_is_not_here(folder: Path, name: str, says: str) -> None:
    with pytest.raises(SpeechError, match=says):
        await Piper(name).warm()
    with pytest.raises(SpeechError, match=says):
        await pieces(Piper(name), "Hello.")
