"""Which engine is chosen, what is said about it, and that nothing waits for a missing network."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from support.hub import Hub, serving
from zero_one.config.settings import HearSettings, SpeakSettings
from zero_one.speech import choose, download, models
from zero_one.speech.catalog import Model, RemoteFile
from zero_one.speech.choose import choose_recognizer, choose_synthesizer
from zero_one.speech.stt.base import SpeechError

WEIGHTS = b"\x06\0\0\0\x0c\0WhisperSpec\0" + bytes(5000)


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No models, an empty hub cache, no network."""
    monkeypatch.setenv("ZERO_ONE_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setenv("ZERO_ONE_HUB", "http://127.0.0.1:9")
    return tmp_path


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a toy Whisper "base" and a toy voice, known to the catalogue."""
    parts = {"config.json": b"{}", "tokenizer.json": b"{}", "vocabulary.txt": b"a\nb\n", "model.bin": WEIGHTS}
    checks = {"model.bin": "ctranslate2", "vocabulary.txt": "text"}
    files = tuple(RemoteFile(name, checks.get(name, "json")) for name in parts)
    monkeypatch.setitem(models.WHISPER, "base", Model("base", "whisper", "toy/base", "c0ffee", files, 1))
    name = models.DEFAULT_VOICE
    voice_files = (RemoteFile(f"{name}.onnx.json", "json"), RemoteFile(f"{name}.onnx", "onnx"))
    monkeypatch.setitem(models.VOICES, name, Model(name, "piper", "toy/voices", "c0ffee", voice_files, 1))
    parts |= {f"{name}.onnx.json": b"{}", f"{name}.onnx": b"\x08\x08toy"}
    monkeypatch.setattr(download.hub_answers, "__defaults__", (60.0,))  # a busy machine's hub is not away
    with serving(Hub(parts)) as running:
        monkeypatch.setenv("ZERO_ONE_HUB", running.url)
        yield running


def lay_whisper(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (folder / name).write_text("{}")
    (folder / "model.bin").write_bytes(WEIGHTS)
    return folder


async def test_nothing_here_and_no_network() -> None:
    """The embedded engines serve, quickly, and the line says how to get better ones."""
    await choose_recognizer(HearSettings())  # the first call reads the certificates
    started = time.monotonic()
    hear = await choose_recognizer(HearSettings())
    speak = await choose_synthesizer(SpeakSettings())
    assert time.monotonic() - started < 30
    assert hear.engine.name == "pocketsphinx"
    assert speak.engine.name == "espeak-ng"
    assert "148 MB" in hear.line
    assert "connect to the internet once" in hear.line
    assert "63 MB" in speak.line
    assert hear.upgrade is None
    assert speak.upgrade is None
    assert "\n" not in hear.line + speak.line


async def test_a_hub_that_hangs_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _reader, writer: held.append(writer), "127.0.0.1", 0)
    monkeypatch.setenv("ZERO_ONE_HUB", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    async with asyncio.timeout(60):
        assert (await choose_recognizer(HearSettings())).engine.name == "pocketsphinx"
        assert (await choose_synthesizer(SpeakSettings())).engine.name == "espeak-ng"
    for writer in held:
        writer.close()
    server.close()
    await server.wait_closed()


async def test_a_hub_that_answers_offers_an_upgrade_meanwhile(hub: Hub) -> None:
    hear = await choose_recognizer(HearSettings())
    speak = await choose_synthesizer(SpeakSettings())
    assert hear.engine.name == "pocketsphinx"
    assert "while Whisper base" in hear.line
    assert speak.engine.name == "espeak-ng"
    assert hear.upgrade is not None
    assert speak.upgrade is not None
    better_ears, better_voice = await hear.upgrade(None), await speak.upgrade(None)
    assert better_ears.engine.name == "faster-whisper"
    assert better_voice.engine.name == "piper"
    assert (await choose_recognizer(HearSettings())).engine.name == "faster-whisper", "from now on it is here"
    assert (await choose_synthesizer(SpeakSettings())).engine.name == "piper"


async def test_downloads_can_be_forbidden(hub: Hub) -> None:
    hear = await choose_recognizer(HearSettings(download=False))
    speak = await choose_synthesizer(SpeakSettings(download=False))
    assert (hear.engine.name, hear.upgrade) == ("pocketsphinx", None)
    assert (speak.engine.name, speak.upgrade) == ("espeak-ng", None)
    assert "allow the download" in hear.line
    assert hub.requests == []


async def test_what_is_installed_wins(bare_machine: Path) -> None:
    lay_whisper(bare_machine / "models" / "mine")
    choice = await choose_recognizer(HearSettings(model="mine"))
    assert choice.engine.name == "faster-whisper"
    assert "mine" in choice.line


async def test_the_hubs_cache_counts(bare_machine: Path) -> None:
    model = models.WHISPER["small"]
    folder = bare_machine / "hf" / "hub" / "models--Systran--faster-whisper-small" / "snapshots"
    lay_whisper(folder / "0123abcd")
    assert (await choose_recognizer(HearSettings(model="small"))).engine.name == "faster-whisper"
    (folder / "0123abcd").rename(folder / model.revision)
    assert models.find_whisper("small") is None, "the pinned commit with another size is a partial download"


async def test_a_folder_without_a_whole_model_is_not_taken(bare_machine: Path) -> None:
    folder = lay_whisper(bare_machine / "models" / "base")
    (folder / "model.bin").write_bytes(b"")
    assert (await choose_recognizer(HearSettings())).engine.name == "pocketsphinx"


async def test_configured_engines_are_taken_at_their_word() -> None:
    assert (await choose_recognizer(HearSettings(engine="pocketsphinx"))).engine.name == "pocketsphinx"
    assert (
        await choose_recognizer(HearSettings(engine="openai", api_base="http://127.0.0.1:9"))
    ).engine.name == "openai"
    assert (await choose_recognizer(HearSettings(api_base="http://127.0.0.1:9"))).engine.name == "openai"
    assert (await choose_synthesizer(SpeakSettings(engine="espeak-ng"))).engine.name == "espeak-ng"
    assert (await choose_synthesizer(SpeakSettings(engine="openai"))).engine.name == "openai"


@pytest.mark.parametrize("engine", ["faster-whisper"])
async def test_a_configured_engine_that_cannot_be_had_says_why(engine: str) -> None:
    with pytest.raises(SpeechError, match="does not answer"):
        await choose_recognizer(HearSettings(engine=engine))
    with pytest.raises(SpeechError, match="does not answer"):
        await choose_synthesizer(SpeakSettings(engine="piper"))


async def test_an_unknown_engine_lists_those_known() -> None:
    with pytest.raises(SpeechError, match=r"no engine called 'siri'.*auto, faster-whisper, pocketsphinx, openai"):
        await choose_recognizer(HearSettings(engine="siri"))


async def test_other_languages_are_told_about_the_embedded_ears() -> None:
    assert "English only, not de" in (await choose_recognizer(HearSettings(language="de"))).line


async def test_engines_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are found through entry points, get the settings, and their failure names the package."""

    class Parrot:
        name = "parrot"

        def __init__(self, settings: Any) -> None:
            if settings.model == "broken":
                raise RuntimeError("no feathers")

    point = EntryPoint("parrot", "test_choose:Parrot", "zero_one.stt")
    monkeypatch.setattr(EntryPoint, "load", lambda _self: Parrot)
    monkeypatch.setattr(choose, "entry_points", lambda group: [point] if group == "zero_one.stt" else [])
    assert (await choose_recognizer(HearSettings(engine="parrot"))).engine.name == "parrot"
    with pytest.raises(SpeechError, match=r"parrot.*did not start: no feathers"):
        await choose_recognizer(HearSettings(engine="parrot", model="broken"))


async def test_voices_are_listed(bare_machine: Path) -> None:
    folder = bare_machine / "models" / "piper"
    folder.mkdir(parents=True)
    (folder / "xx_XX-me-low.onnx").write_bytes(b"\x08")
    (folder / "xx_XX-me-low.onnx.json").write_text(json.dumps({}))
    listed = {entry.id: entry for entry in await models.list_voices()}
    assert listed["xx_XX-me-low"].installed
    assert not listed[models.DEFAULT_VOICE].installed
    assert listed[models.DEFAULT_VOICE].megabytes > 0
    assert listed["en-us"].engine == "espeak-ng"
    assert sum(entry.engine == "espeak-ng" for entry in listed.values()) > 80
