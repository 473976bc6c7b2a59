"""Small lists kept as JSON files: written whole to a temporary file, then renamed, so a crash leaves old or new."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
from pathlib import Path
from typing import Any


class ListFile:
    """A list of JSON objects and the file that keeps it. A broken file is set aside, never overwritten."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items: list[dict[str, Any]] = []
        self._lock = asyncio.Lock()

    def load(self) -> None:
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
            if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
                raise ValueError("not a list of objects")
            self.items = data
        except FileNotFoundError:
            self.items = []
        except (ValueError, UnicodeDecodeError):
            os.replace(self.path, self.path.with_suffix(".broken.json"))
            self.items = []

    async def save(self) -> None:
        """Keep what the list holds now. Raises OSError, then the old file still stands."""
        async with self._lock:
            text = json.dumps(self.items, ensure_ascii=False, indent=1)
            await asyncio.to_thread(_write, self.path, text)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
