"""Which languages this machine can run, by name and by the other names people give them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata

from zero_one.computer.languages.base import Language

GROUP = "zero_one.languages"
"""Entry points of this group name classes like those of ``Language``."""


def _built_in() -> list[type[Language]]:
    from zero_one.computer.languages.powershell import PowerShell
    from zero_one.computer.languages.python import Python
    from zero_one.computer.languages.script import AppleScript, JavaScript
    from zero_one.computer.languages.shell import Shell

    return [Python, Shell, JavaScript, AppleScript, PowerShell]


def available() -> Mapping[str, type[Language]]:
    """Languages of this machine by name, ours first; another package's of the same name wins."""
    types = [*_built_in(), *(entry.load() for entry in metadata.entry_points(group=GROUP))]
    return {kind.name: kind for kind in types if kind.available()}


def resolve(name: str, known: Mapping[str, type[Language]]) -> str | None:
    """The registered name for ``name`` or one of its aliases, in any case; None when there is none."""
    wanted = name.strip().lower()
    if wanted in known:
        return wanted
    return next((kind.name for kind in known.values() if wanted in kind.aliases), None)
