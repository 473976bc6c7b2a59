"""Folders for sockets and scripts while something runs: short names in the system's temporary folder, mode 0700."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path

import psutil

_NAME = re.compile(r"01-(\d+)-\w+")


def make() -> Path:
    """A new one. Its name tells whose it is, so that it can be removed when nobody was left to do so."""
    return Path(tempfile.mkdtemp(prefix=f"01-{os.getpid()}-"))


def sweep() -> int:
    """Remove what processes of ours that are gone have left; returns how many."""
    removed = 0
    try:
        entries = list(os.scandir(tempfile.gettempdir()))
    except OSError:
        return 0
    for entry in entries:
        found = _NAME.fullmatch(entry.name)
        try:
            ours = entry.is_dir(follow_symlinks=False) and (
                not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()
            )
        except OSError:
            continue
        if found and ours and not psutil.pid_exists(int(found[1])):
            shutil.rmtree(entry.path, ignore_errors=True)
            removed += 1
    return removed
