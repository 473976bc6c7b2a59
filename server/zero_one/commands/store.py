"""Small lists kept as JSON files: written whole to a temporary file, then renamed, so a crash leaves old or new."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

from zero_one.files import set_aside, write_whole

_log = logging.getLogger(__name__)


class ListFile:
    """A list of JSON objects and the file that keeps it. A broken file is set aside, never overwritten, and ``lost``
    says so."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.items: list[dict[str, Any]] = []
        self.lost = ""
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
            aside = set_aside(self.path)
            self.items = []
            self.lost = f"The {self.path.stem} could not be read; the file is kept as {aside}. The list starts afresh."
            _log.warning("%s", self.lost)

    async def save(self) -> None:
        """Keep what the list holds now. Raises OSError, then the old file still stands."""
        async with self._lock:
            text = json.dumps(self.items, ensure_ascii=False, indent=1)
            await asyncio.to_thread(write_whole, self.path, text)
