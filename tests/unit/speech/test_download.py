"""A model is on disk whole or it is not a model, whatever the network, the hub or the disk do."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.hub import Hub, serving
from zero_one.speech import download as downloading
from zero_one.speech import models
from zero_one.speech.catalog import VOICES, WHISPER, Model, RemoteFile
from zero_one.speech.download import DownloadError, download, hub_answers

WEIGHTS = b"\x06\0\0\0\x0c\0WhisperSpec\0" + random.Random(1).randbytes(600_000)
CONFIG = json.dumps({"alignment_heads": []}).encode()


def pinned(size: int | None = len(WEIGHTS), sha256: str | None = hashlib.sha256(WEIGHTS).hexdigest()) -> Model:
    files = (RemoteFile("config.json", "json"), RemoteFile("model.bin", "ctranslate2", size, sha256))
    return Model("toy", "whisper", "people/toy", "a1b2c3", files, 1)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    monkeypatch.setenv("ZERO_ONE_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(downloading, "_pause", lambda _tries: 0.0)
    with serving(Hub({"config.json": CONFIG, "model.bin": WEIGHTS})) as running:
        monkeypatch.setenv("ZERO_ONE_HUB", running.url)
        yield running


def leftovers(model: Model) -> list[str]:
    return sorted(path.name for path in models.folder_of(model).iterdir() if ".part" in path.name)


async def test_a_good_day(hub: Hub) -> None:
    """Everything arrives, progress grows to the end, nothing half is left, and a second call asks nobody."""
    seen: list[tuple[str, int, int | None]] = []
    model = pinned()
    folder = await download(model, lambda *step: seen.append(step))
    assert (folder / "model.bin").read_bytes() == WEIGHTS
    assert models.is_complete(model)
    assert leftovers(model) == []
    steps = [done for name, done, _ in seen if name == "model.bin"]
    assert steps == sorted(steps)
    assert seen[-1] == ("model.bin", len(WEIGHTS), len(WEIGHTS))
    assert all("/people/toy/resolve/a1b2c3/" in path for path, _ in hub.requests), "the pinned revision is asked for"
    asked = len(hub.requests)
    await download(model)
    assert len(hub.requests) == asked


@pytest.mark.parametrize("known", [True, False], ids=["our checksum", "the hub's checksum"])
@pytest.mark.parametrize(
    "faults",
    [
        ["", "drop"],
        ["", "drop", "drop", "drop", "drop", "drop"],
        ["", "garbage"],
        ["", "page"],
        ["", "500", "500"],
        ["", "drop", "416"],
        ["", "drop", "moved"],
        ["", "drop", "garbage"],
        ["drop"],
        ["page", "drop"],
    ],
    ids=lambda faults: "-".join(faults),
)
async def test_bad_days_that_end_well(hub: Hub, faults: list[str], known: bool) -> None:
    hub.faults = list(faults)
    model = pinned() if known else pinned(None, None)
    folder = await download(model, silence_s=60)
    assert (folder / "model.bin").read_bytes() == WEIGHTS
    assert (folder / "config.json").read_bytes() == CONFIG
    assert leftovers(model) == []


async def test_what_arrived_is_not_fetched_again(hub: Hub) -> None:
    hub.faults = ["", "drop"]
    await download(pinned())
    ranges = [asked for path, asked in hub.requests if path.endswith("model.bin")]
    assert ranges == [None, f"bytes={len(WEIGHTS) // 2}-"]


async def test_a_server_without_ranges_starts_again(hub: Hub) -> None:
    hub.ranges = False
    hub.faults = ["", "drop"]
    folder = await download(pinned())
    assert (folder / "model.bin").read_bytes() == WEIGHTS


async def test_giving_up_keeps_the_part_and_a_later_call_goes_on(hub: Hub) -> None:
    hub.faults = ["", "drop", *["500"] * 10]
    model = pinned()
    with pytest.raises(DownloadError, match=r"0\.3 MB are kept"):
        await download(model)
    assert not models.is_complete(model)
    assert models.find_whisper("toy") is None
    assert "model.bin.part" in leftovers(model)
    assert not (models.folder_of(model) / "model.bin").exists()
    hub.faults = []
    await download(model)
    assert models.is_complete(model)
    assert hub.requests[-1][1] == f"bytes={len(WEIGHTS) // 2}-"


async def test_a_hub_that_hangs_is_left(hub: Hub) -> None:
    hub.faults = ["", *["hang"] * 30]
    hub.ranges = False
    model = pinned()
    async with asyncio.timeout(100):
        with pytest.raises(DownloadError, match="fell silent"):
            await download(model, silence_s=0.2)
    assert not models.is_complete(model)


@pytest.mark.parametrize("fault", ["garbage", "page"])
async def test_wrong_content_is_never_kept(hub: Hub, fault: str) -> None:
    hub.faults = ["", *[fault] * 20]
    model = pinned()
    with pytest.raises(DownloadError, match=r"checksum is wrong|bytes instead of"):
        await download(model)
    assert not (models.folder_of(model) / "model.bin").exists()
    assert not models.is_complete(model)


async def test_without_any_checksum_the_structure_decides(hub: Hub) -> None:
    hub.declares = False
    hub.files["model.bin"] = b"<!doctype html>" + bytes(2000)
    with pytest.raises(DownloadError, match="web page"):
        await download(pinned(None, None))


async def test_a_missing_file_is_told_at_once(hub: Hub) -> None:
    del hub.files["model.bin"]
    with pytest.raises(DownloadError, match=r"has no model\.bin"):
        await download(pinned())


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
async def test_a_full_disk_keeps_what_arrived_and_says_so(hub: Hub, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    """The disk fills up in the middle; after making room the download goes on from there."""
    model = pinned()
    written = 0
    real = downloading._write

    def full(out: Any, piece: bytes) -> None:
        nonlocal written
        if written + len(piece) > 300_000:
            real(out, piece[: 300_000 - written])
            raise OSError(code, "No space left on device")
        written += len(piece)
        real(out, piece)

    monkeypatch.setattr(downloading, "_write", full)
    with pytest.raises(DownloadError, match=r"disk is full.*Make room"):
        await download(model)
    assert not models.is_complete(model)
    assert (models.folder_of(model) / "model.bin.part").stat().st_size > 0
    monkeypatch.setattr(downloading, "_write", real)
    await download(model)
    assert models.is_complete(model)
    assert (models.folder_of(model) / "model.bin").read_bytes() == WEIGHTS


async def test_a_disk_too_small_is_noticed_before(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "_SPARE_BYTES", 1 << 60)
    with pytest.raises(DownloadError, match="disk is full"):
        await download(pinned())


async def test_cancelling_keeps_the_part(hub: Hub) -> None:
    hub.faults = ["", "hang"]
    model = pinned()
    got_some = asyncio.Event()

    def progress(name: str, done: int, _total: int | None) -> None:
        if name == "model.bin" and done:
            got_some.set()

    task = asyncio.create_task(download(model, progress))
    await asyncio.wait_for(got_some.wait(), 60)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not models.is_complete(model)
    await download(model)
    assert models.is_complete(model)


@pytest.mark.parametrize("harm", ["truncate", "delete", "old marker", "no marker"])
async def test_a_damaged_copy_is_not_taken_for_a_model_and_is_mended(hub: Hub, harm: str) -> None:
    model = pinned()
    folder = await download(model)
    match harm:
        case "truncate":
            (folder / "model.bin").write_bytes(WEIGHTS[:1000])
        case "delete":
            (folder / "config.json").unlink()
        case "old marker":
            (folder / models.COMPLETE).write_text('{"revision": "older", "files": {}}')
        case "no marker":
            (folder / models.COMPLETE).unlink()
    assert not models.is_complete(model)
    await download(model)
    assert models.is_complete(model)
    assert (folder / "model.bin").read_bytes() == WEIGHTS


async def test_whether_the_hub_answers_is_known_soon(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await hub_answers(60)
    monkeypatch.setenv("ZERO_ONE_HUB", "http://127.0.0.1:9")
    assert not await hub_answers()
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("ZERO_ONE_HUB", hub.url)
    assert not await hub_answers()


async def test_a_hub_that_takes_the_call_and_says_nothing_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _reader, writer: held.append(writer), "127.0.0.1", 0)
    monkeypatch.setenv("ZERO_ONE_HUB", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    async with asyncio.timeout(60):
        assert not await hub_answers(0.2)
    for writer in held:
        writer.close()
    server.close()
    await server.wait_closed()


def test_the_catalogue_is_pinned() -> None:
    """Every entry names a commit, and every known checksum is one."""
    for model in [*WHISPER.values(), *VOICES.values()]:
        assert len(model.revision) == 40, model.name
        assert int(model.revision, 16)
        for file in model.files:
            assert file.sha256 is None or (len(file.sha256) == 64 and int(file.sha256, 16)), (model.name, file.name)
            assert file.check in ("ctranslate2", "onnx", "json", "text")
    assert models.DEFAULT_VOICE in VOICES
    weights = {f.sha256 for m in WHISPER.values() for f in m.files if f.name == "model.bin" and f.sha256}
    assert len(weights) == sum(1 for m in WHISPER.values() if m.files[-1].sha256), "no two share a checksum"
