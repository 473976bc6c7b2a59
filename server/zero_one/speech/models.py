"""Which models and voices lie on this machine, and where. Only whole ones count."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zero_one.config.paths import models_dir
from zero_one.speech.catalog import DEFAULT_VOICE, VOICES, WHISPER, Model

__all__ = ["DEFAULT_VOICE", "VOICES", "WHISPER", "Model", "Progress", "VoiceListing", "list_voices", "voice", "whisper"]

Progress = Callable[[str, int, int | None], None]
"""Told during a download: file name, bytes so far, bytes in all (None where unknown)."""

COMPLETE = ".complete.json"
"""Written last, with the revision and every file's size: only a folder that holds it was downloaded whole."""


def folder_of(model: Model) -> Path:
    return models_dir() / model.kind / model.name


def is_complete(model: Model, folder: Path | None = None) -> bool:
    """Whether ``download`` finished here and nothing was cut off since."""
    folder = folder or folder_of(model)
    try:
        marker = json.loads((folder / COMPLETE).read_text("utf-8"))
        sizes = marker["files"]
        return marker["revision"] == model.revision and all(
            (folder / file.name).stat().st_size == sizes[file.name] for file in model.files
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def whisper(name: str) -> Model | None:
    return WHISPER.get(name)


def voice(name: str) -> Model | None:
    return VOICES.get(name)


def find_whisper(name: str) -> Path | None:
    """A whole model on this machine: a folder that was named, one of ours, or the hub's own cache."""
    named = Path(name).expanduser()
    for folder in (named if named.is_dir() else None, models_dir() / name, models_dir() / f"faster-whisper-{name}"):
        if folder is not None and looks_like_whisper(folder):
            return folder
    model = whisper(name)
    if model is None:
        return None
    return folder_of(model) if is_complete(model) else _in_hub_cache(model)


def looks_like_whisper(folder: Path) -> bool:
    try:
        whole = (folder / "model.bin").stat().st_size > 1024 and (folder / "config.json").is_file()
    except OSError:
        return False
    return whole and (folder / "tokenizer.json").is_file() and any(folder.glob("vocabulary.*"))


def _in_hub_cache(model: Model) -> Path | None:
    home = os.environ.get("HF_HUB_CACHE") or os.path.join(
        os.environ.get("HF_HOME") or os.path.expanduser("~/.cache/huggingface"), "hub"
    )
    snapshots = Path(home) / f"models--{model.repo.replace('/', '--')}" / "snapshots"
    try:
        folders = sorted(snapshots.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return None
    for folder in folders:
        if looks_like_whisper(folder) and _sizes_fit(model, folder):
            return folder
    return None


def _sizes_fit(model: Model, folder: Path) -> bool:
    if folder.name != model.revision:
        return True  # another commit: only its structure can be judged
    return all(file.size is None or (folder / file.name).stat().st_size == file.size for file in model.files)


def find_voice(name: str) -> Path | None:
    """The ``.onnx`` of a whole piper voice on this machine: a path, one of ours, or one laid into the models folder."""
    named = Path(name).expanduser()
    candidates = [named] if named.suffix == ".onnx" else []
    candidates += [models_dir() / f"{name}.onnx", models_dir() / "piper" / f"{name}.onnx"]
    model = voice(name)
    if model is not None and is_complete(model):
        candidates.append(folder_of(model) / f"{name}.onnx")
    for path in candidates:
        if path.is_file() and path.stat().st_size > 0 and _is_json(Path(f"{path}.json")):
            return path
    return None


def _is_json(path: Path) -> bool:
    try:
        return isinstance(json.loads(path.read_text("utf-8")), dict)
    except (OSError, ValueError):
        return False


@dataclass(frozen=True, slots=True)
class VoiceListing:
    """A voice one can name in ``speak.voice``; ``megabytes`` is what fetching it costs (0: it is here)."""

    engine: str
    id: str
    language: str
    description: str
    installed: bool
    megabytes: int = 0


async def list_voices() -> list[VoiceListing]:
    """Every voice: piper's that are here, those that can be fetched, and espeak-ng's."""
    from zero_one.speech.tts import espeak

    found: dict[str, VoiceListing] = {}
    for model in VOICES.values():
        here = find_voice(model.name) is not None
        cost = 0 if here else model.megabytes
        found[model.name] = VoiceListing("piper", model.name, model.language, _describe(model.name), here, cost)
    for folder in (models_dir(), models_dir() / "piper"):
        for path in sorted(folder.glob("*.onnx")) if folder.is_dir() else ():
            if path.stem not in found and find_voice(path.stem):
                language = path.stem.split("_")[0].split("-")[0]
                found[path.stem] = VoiceListing("piper", path.stem, language, _describe(path.stem), True)
    listed = sorted(found.values(), key=lambda entry: (not entry.installed, entry.id))
    embedded = [
        VoiceListing("espeak-ng", tag, tag.split("-")[0], name, True) for tag, name in await espeak.list_voices()
    ]
    return [*listed, *embedded]


def _describe(name: str) -> str:
    parts = name.split("-")
    return f"{parts[1].replace('_', ' ').title()} ({parts[0]}, {parts[2]})" if len(parts) == 3 else name
