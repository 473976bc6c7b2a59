"""Folders that people name without a path: downloads, documents, the desktop."""

from __future__ import annotations

import os
import re
from pathlib import Path

# Spoken name -> (XDG key, folder name below home where XDG says nothing)
_PLACES = {
    "desktop": ("DESKTOP", "Desktop"),
    "downloads": ("DOWNLOAD", "Downloads"),
    "documents": ("DOCUMENTS", "Documents"),
    "pictures": ("PICTURES", "Pictures"),
    "music": ("MUSIC", "Music"),
    "videos": ("VIDEOS", "Videos"),
    "templates": ("TEMPLATES", "Templates"),
    "public": ("PUBLICSHARE", "Public"),
}
_SAME = {
    "download": "downloads",
    "document": "documents",
    "docs": "documents",
    "photos": "pictures",
    "images": "pictures",
    "picture": "pictures",
    "photo": "pictures",
    "songs": "music",
    "video": "videos",
    "movies": "videos",
}
_LINE = re.compile(r'^XDG_(\w+)_DIR="(.*)"$', re.MULTILINE)


def named(name: str) -> Path | None:
    """The folder that a spoken name means ("my downloads folder", "home"), or None when it means none."""
    words = re.sub(r"\b(?:my|the|folder|directory)\b", " ", name.lower()).split()
    word = " ".join(words)
    if word in ("home", "~"):
        return Path.home()
    word = _SAME.get(word, word)
    return folder(word) if word in _PLACES else None


def folder(word: str) -> Path:
    """The folder of one of the known names, as the desktop's ``user-dirs.dirs`` has it."""
    key, default = _PLACES[word]
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    try:
        entries = dict(_LINE.findall((config / "user-dirs.dirs").read_text(encoding="utf-8")))
    except OSError:
        entries = {}
    path = entries.get(key, "").replace("$HOME", str(Path.home()))
    return Path(path) if path else Path.home() / default
