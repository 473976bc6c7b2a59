"""Models and voices that can be fetched, and where they lie on this machine.

Every download is pinned to one revision of its repository. Sizes are in bytes as that revision lists them; where a
checksum is not known to us, the hub's own content hash (``x-linked-etag``, the SHA-256 of large files) is what the
bytes are checked against, and the files must also look like what they claim to be.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from zero_one.config.paths import models_dir

COMPLETE = ".complete"
"""Written last: only a folder that holds it was downloaded whole."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """``path`` in the repository; ``size`` in bytes and ``sha256`` where known; ``check`` names a structural check."""

    path: str
    size: int | None = None
    sha256: str | None = None
    check: str = ""

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True, slots=True)
class Model:
    """``folder`` is its name under the models folder; ``megabytes`` is what the download costs."""

    name: str
    kind: str
    repo: str
    revision: str
    files: tuple[RemoteFile, ...]
    megabytes: int
    language: str = ""

    @property
    def folder(self) -> Path:
        return models_dir() / self.kind / self.name

    @property
    def is_complete(self) -> bool:
        return (self.folder / COMPLETE).is_file() and all((self.folder / file.name).is_file() for file in self.files)


def _whisper(name: str, repo: str, megabytes: int, vocabulary: str = "vocabulary.txt", extra: bool = False) -> Model:
    names = ["config.json", "tokenizer.json", vocabulary, *(["preprocessor_config.json"] if extra else [])]
    files = (RemoteFile("model.bin", check="ctranslate2"), *(RemoteFile(n, check=_check_of(n)) for n in names))
    return Model(name, "whisper", repo, "main", files, megabytes)


def _check_of(name: str) -> str:
    return "json" if name.endswith(".json") else "text"


WHISPER: dict[str, Model] = {
    model.name: model
    for model in (
        _whisper("tiny", "Systran/faster-whisper-tiny", 78),
        _whisper("tiny.en", "Systran/faster-whisper-tiny.en", 78),
        _whisper("base", "Systran/faster-whisper-base", 148),
        _whisper("base.en", "Systran/faster-whisper-base.en", 148),
        _whisper("small", "Systran/faster-whisper-small", 486),
        _whisper("small.en", "Systran/faster-whisper-small.en", 486),
        _whisper("medium", "Systran/faster-whisper-medium", 1530),
        _whisper("medium.en", "Systran/faster-whisper-medium.en", 1530),
        _whisper("large-v3", "Systran/faster-whisper-large-v3", 3090, "vocabulary.json", True),
        _whisper("distil-small.en", "Systran/faster-distil-whisper-small.en", 336, "vocabulary.json", True),
    )
}

DEFAULT_VOICE = "en_US-lessac-medium"


def _voice(name: str, megabytes: int) -> Model:
    locale, speaker, quality = name.split("-")
    base = f"{locale.split('_')[0]}/{locale}/{speaker}/{quality}/{name}.onnx"
    files = (RemoteFile(base, check="onnx"), RemoteFile(base + ".json", check="json"))
    return Model(name, "piper", "rhasspy/piper-voices", "v1.0.0", files, megabytes, locale.split("_")[0])


VOICES: dict[str, Model] = {
    model.name: model
    for model in (
        _voice("en_US-lessac-medium", 63),
        _voice("en_US-amy-medium", 63),
        _voice("en_US-ryan-medium", 63),
        _voice("en_GB-alan-medium", 63),
        _voice("en_GB-alba-medium", 63),
        _voice("de_DE-thorsten-medium", 63),
        _voice("fr_FR-siwis-medium", 63),
        _voice("es_ES-davefx-medium", 63),
        _voice("it_IT-paola-medium", 63),
        _voice("nl_NL-mls-medium", 76),
        _voice("pt_BR-faber-medium", 63),
        _voice("ru_RU-irina-medium", 63),
    )
}


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
    if model.is_complete and looks_like_whisper(model.folder):
        return model.folder
    return _in_hub_cache(model)


def looks_like_whisper(folder: Path) -> bool:
    try:
        return (folder / "model.bin").stat().st_size > 1024 and (folder / "config.json").is_file()
    except OSError:
        return False


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
        if looks_like_whisper(folder) and all((folder / file.name).exists() for file in model.files):
            return folder
    return None


def find_voice(name: str) -> Path | None:
    """The ``.onnx`` of a whole piper voice on this machine: a path, one of ours, or one laid into the models folder."""
    named = Path(name).expanduser()
    candidates = [named] if named.suffix == ".onnx" else []
    candidates += [models_dir() / f"{name}.onnx", models_dir() / "piper" / f"{name}.onnx"]
    model = voice(name)
    if model is not None and model.is_complete:
        candidates.append(model.folder / f"{name}.onnx")
    for path in candidates:
        if path.is_file() and _is_json(Path(f"{path}.json")):
            return path
    return None


def _is_json(path: Path) -> bool:
    try:
        return isinstance(json.loads(path.read_text("utf-8")), dict)
    except (OSError, ValueError):
        return False
