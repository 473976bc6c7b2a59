"""Loading a Whisper model, and saying in plain words why it could not be loaded or run."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from zero_one.speech import models
from zero_one.speech.stt.base import SpeechError

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

log = logging.getLogger(__name__)

_FALLBACK = "Or set hear.engine to pocketsphinx, which needs no model."


def load(name: str, device: str = "auto", compute_type: str = "auto", threads: int = 0) -> WhisperModel:
    """Load from this machine only. On a GPU that does not work the CPU takes over. Raises SpeechError."""
    try:
        import ctranslate2
        from faster_whisper import WhisperModel
    except (ImportError, OSError) as error:
        raise SpeechError(
            f"Whisper is not installed: {error}. Reinstall with: uv pip install faster-whisper"
        ) from error

    source = _source(name)
    if device == "auto":
        device = "cuda" if ctranslate2.get_cuda_device_count() > 0 else "cpu"
    if compute_type == "auto":
        compute_type = "int8" if device == "cpu" else "default"
    threads = threads or min(8, os.cpu_count() or 4)
    try:
        model = WhisperModel(
            source, device=device, compute_type=compute_type, cpu_threads=threads, local_files_only=True
        )
        if device != "cpu":
            _try_out(model)
        return model
    except Exception as error:  # several libraries' own exception trees; all of them end here, translated
        if device == "cuda":
            log.warning("Whisper does not run on the graphics card (%s); the processor takes over", error)
            return load(name, "cpu", "auto", threads)
        raise explain(error, name) from error


def _source(name: str) -> str:
    """A folder that holds a whole model, or a name for the hub's cache. Raises SpeechError for a wrong path."""
    folder = models.find_whisper(name)
    if folder is None:
        named = Path(name).expanduser()
        is_path = named.is_absolute() or name.startswith((".", "~")) or "\\" in name or named.is_dir()
        if not is_path and name.count("/") <= 1:
            return name
        folder = named
    problem = broken(folder)
    if problem:
        raise SpeechError(f"{problem} {_repair(name)}")
    return str(folder)


def broken(folder: Path) -> str:
    """What is wrong with a model folder, or an empty string."""
    if not folder.exists():
        return f"There is no Whisper model at {folder}."
    if not folder.is_dir():
        return f"{folder} is a file; a Whisper model is a folder with model.bin in it."
    weights = folder / "model.bin"
    if not weights.is_file():
        return f"The folder {folder} holds no Whisper model: model.bin is missing."
    if weights.stat().st_size < 1024:
        return f"The Whisper model in {folder} is incomplete: model.bin is nearly empty."
    # Without these faster-whisper would ask the network.
    for name in ("config.json", "tokenizer.json"):
        if not (folder / name).is_file():
            return f"The Whisper model in {folder} is incomplete: {name} is missing."
    if not any(folder.glob("vocabulary.*")):
        return f"The Whisper model in {folder} is incomplete: its vocabulary is missing."
    return ""


def _repair(name: str) -> str:
    if name in models.WHISPER:
        return f"Start 01 while connected to the internet and it is fetched. {_FALLBACK}"
    return f"Correct hear.model in your profile; known sizes are {', '.join(models.WHISPER)}. {_FALLBACK}"


def explain(error: BaseException, name: str) -> SpeechError:
    """An error of faster-whisper, CTranslate2 or the hub in words that say what to do."""
    kind = type(error).__name__
    text = str(error)
    low = text.lower()
    if isinstance(error, MemoryError) or "out of memory" in low or "bad_alloc" in low or "cannot allocate" in low:
        return SpeechError(
            f"There is not enough memory for the Whisper model {name}. Close other programs or set hear.model to tiny."
        )
    if kind == "LocalEntryNotFoundError" or "cannot find an appropriate cached snapshot" in low:
        return SpeechError(f"The Whisper model {name} is not on this computer yet. {_repair(name)}")
    if kind in ("HFValidationError", "RepositoryNotFoundError") or "invalid model size" in low:
        return SpeechError(f"There is no Whisper model called {name}. {_repair(name)}")
    if "unable to open file" in low:
        return SpeechError(f"The Whisper model {name} is incomplete: model.bin cannot be opened. {_repair(name)}")
    if (
        "incomplete" in low
        or "unsupported model binary" in low
        or "model is incomplete" in low
        or "failed to read" in low
        or "payload size" in low
    ):
        return SpeechError(f"The Whisper model {name} is damaged or from another version. {_repair(name)}")
    if "compute type" in low:
        return SpeechError(
            "This computer cannot run Whisper with the chosen number format. Set the compute type to auto or int8."
        )
    if "unsupported device" in low:
        return SpeechError("Whisper knows no such device. Use auto, cpu or cuda.")
    if "cuda" in low or "cublas" in low or "cudnn" in low:
        return SpeechError(f"Whisper could not use the graphics card: {_first_line(text)}. Set the device to cpu.")
    if kind in ("ConnectionError", "ConnectTimeout", "OfflineModeIsEnabled") or "connection" in low:
        return SpeechError(f"The Whisper model {name} is not on this computer and the network is down. {_repair(name)}")
    return SpeechError(f"Whisper failed: {_first_line(text) or kind}. {_repair(name)}")


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0].rstrip(".")[:200]


def _try_out(model: WhisperModel) -> None:
    import numpy as np

    segments, _ = model.transcribe(np.zeros(16_000, dtype=np.float32), language="en", max_new_tokens=1)
    list(segments)
