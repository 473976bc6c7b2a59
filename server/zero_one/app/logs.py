"""Logging: warnings on standard error; with ``--debug`` ours in full, there and in a file that only its owner reads.

No secret is written: what is known or looks like one is masked in every line, those of exceptions too.
"""

from __future__ import annotations

import logging
import logging.handlers
import os
import sys
from collections.abc import Iterable

from zero_one.config.paths import data_dir, private_dir
from zero_one.safety.redact import Redactor, environment_secrets

_CHATTY = (
    "uvicorn",
    "websockets",
    "asyncio",
    "httpx",
    "httpcore",
    "litellm",
    "LiteLLM",
    "numba",
    "hassil",
    "markdown_it",
)
_MAX_BYTES = 5_000_000
_BRIEF = 160
"""Characters of a line."""
_redactor = Redactor()


def hide(secrets: Iterable[str]) -> None:
    """From now on these are masked wherever they are logged."""
    _redactor.add(secrets)


class _Clean(logging.Formatter):
    """Formats, then masks: the message, its arguments, and the text of an exception."""

    def format(self, record: logging.LogRecord) -> str:
        return _redactor.text(super().format(record))


class _Brief(_Clean):
    """For a terminal where nobody looks for a fault: of what a library said at length, the beginning."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if record.exc_info:
            return text
        first = text.partition("\n")[0]
        return text if len(first) == len(text) <= _BRIEF else f"{first[:_BRIEF]} ... (all of it with --debug)"


def setup(*, debug: bool) -> None:
    """Set up the root logger. Safe to call again. Other people's loggers stay at WARNING."""
    hide(environment_secrets(os.environ))
    root = logging.getLogger()
    for handler in list(root.handlers):
        if getattr(handler, "zero_one", False):
            root.removeHandler(handler)
            handler.close()
    console = logging.StreamHandler(sys.stderr)
    console.setFormatter(
        _Clean("%(asctime)s %(name)s: %(message)s", "%H:%M:%S") if debug else _Brief("01: %(message)s")
    )
    _add(root, console)
    if debug:
        folder = private_dir(data_dir() / "logs")
        path = folder / "01.log"
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        file = logging.handlers.RotatingFileHandler(path, maxBytes=_MAX_BYTES, backupCount=2, encoding="utf-8")
        file.setFormatter(_Clean("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        _add(root, file)
    root.setLevel(logging.WARNING)
    for name in ("zero_one", "zero_one_desktop"):
        logging.getLogger(name).setLevel(logging.DEBUG if debug else logging.WARNING)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.WARNING)


def _add(root: logging.Logger, handler: logging.Handler) -> None:
    handler.zero_one = True  # type: ignore[attr-defined]
    root.addHandler(handler)
