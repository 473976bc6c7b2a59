"""A verdict told from where the code will really stand.

Code is read as if it ran in the project folder. An earlier run may have gone elsewhere, and there a harmless name is
another one: ``x.desktop`` in the folder of what starts by itself.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from zero_one.safety.risk.model import Effect, Risk, Verdict
from zero_one.safety.risk.paths import writing

_PLACED = re.compile(r"[/~\\$]|[A-Za-z]:")


def seen_from(verdict: Verdict, folder: Path, project: Path) -> Verdict:
    """The verdict over code that runs in ``folder``: what is graver there is named by its whole path."""
    if folder == project:
        return verdict
    start = os.path.relpath(folder, project) if folder.is_relative_to(project) else os.fspath(folder)
    effects = [_there(effect, start) for effect in verdict.effects]
    return Verdict.of(effects) if effects != list(verdict.effects) else verdict


def graver(folder: Path, name: str = "x") -> bool:
    """Whether writing ``name`` there is more than a change."""
    return any(writing(where).risk > Risk.CHANGE for where in (f"{folder}/", f"{folder}/{name}"))


def _there(effect: Effect, start: str) -> Effect:
    if _PLACED.match(effect.what) or not effect.file:
        return effect
    path = os.path.normpath(f"{start}/{effect.what}")
    judged = writing(path)
    if judged.risk <= effect.risk:
        return effect
    return replace(effect, kind=judged.kind, what=path, risk=judged.risk, undoable=False)
