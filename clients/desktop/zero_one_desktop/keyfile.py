"""A key that was made elsewhere and is handed to this client: by a file or the environment, never on the command line,
where every user of the machine could read it."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "ZERO_ONE_TOKEN"


def given_token(path: Path | None) -> str | None:
    """The key in ``path``, or else in the environment. Raises ValueError with a text for people."""
    if path is None:
        return os.environ.get(VARIABLE, "").strip() or None
    try:
        status = path.stat()
        token = path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else "it is no text"
        raise ValueError(f"The key in {path} cannot be read ({why}).") from None
    if os.name == "posix" and status.st_mode & 0o077:
        raise ValueError(f"Others may read the key in {path}. Make it yours alone first: chmod 600 {path}")
    if not token or any(letter.isspace() for letter in token):
        raise ValueError(f"{path} holds no key: one line is expected.")
    return token
