"""The approval question in plain words, made from the parse of the code and from what is on the disk."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable
from pathlib import Path

from zero_one.safety.policy import Hand
from zero_one.safety.risk.model import Effect, Kind, Risk, Verdict

_MOST = 1000
_VERBS: dict[Kind, str] = {
    "write": "Write {what}",
    "move": "Move {what}",
    "fetch": "Fetch {what}",
    "send": "Send something out: {what}",
    "spend": "Spend money: {what}",
    "process": "Do this: {what}",
    "package": "Install or remove the package {what}",
    "credential": "Read a secret: {what}",
    "device": "Use this: {what}",
    "system": "Change the system: {what}",
    "persist": "Make something start by itself: {what}",
    "opaque": "Run something that I cannot see through: {what}",
    "read": "Read {what}",
}
_AGREE: dict[Hand, str] = {
    "any": "Is that all right?",
    "press": "Press yes to agree.",
    "hold": "Hold the button for two seconds to agree.",
}


def question(verdict: Verdict, cwd: Path, hand: Hand, reason: str = "", said: str = "") -> str:
    """A few sentences that can be spoken: the worst effects first, then how to agree. Counts files: it blocks.

    ``reason`` stands between; ``said`` takes the place of the effects where there are better words for the act.
    """
    text = said or what_happens(verdict, cwd)
    return " ".join(part for part in (f"{text}.", reason, _AGREE[hand]) if part)


def what_happens(verdict: Verdict, cwd: Path) -> str:
    """What would happen, as a sentence without its stop."""
    grave = [e for e in verdict.effects if e.risk is verdict.risk and (e.risk > Risk.OBSERVE or e.kind == "fetch")]
    lesser = [e for e in verdict.effects if Risk.OBSERVE < e.risk < verdict.risk]
    said: list[str] = []
    deletes = [e.what for e in grave if e.kind == "delete"]
    if deletes:
        said.append(_deletion(deletes, cwd))
    said += [_VERBS[e.kind].format(what=short(e.what)) for e in grave if e.kind != "delete"]
    said = list(dict.fromkeys(said))
    packages = [_VERBS["package"].format(what=short(e.what)) for e in lesser if e.kind == "package"]
    said += packages  # a package is asked about by its name, whatever else is
    more = max(0, len(said) - 2) + len({e.kind for e in lesser if e.kind != "package"})
    text = ", and ".join(s if i == 0 else s[0].lower() + s[1:] for i, s in enumerate(said[:2])) or "Do this"
    if more > 0:
        text += f", and {more} more thing{'s' if more > 1 else ''}"
    return text


def effects_in_words(effects: Iterable[Effect]) -> tuple[str, ...]:
    """Every effect as a short line, for surfaces that can show a list."""
    lines = (f"{e.kind}: {short(e.what)}" for e in effects if e.risk > Risk.OBSERVE)
    return tuple(dict.fromkeys(lines))


def _deletion(targets: list[str], cwd: Path) -> str:
    files = 0
    folders: set[str] = set()
    for target in targets:
        count, folder = _count(target, cwd)
        files += count
        folders.add(folder)
    if files <= 1 and len(targets) == 1:
        return f"Delete {short(targets[0])}"
    number = f"{files} files" if files < _MOST else f"more than {_MOST} files"
    if files == 0:
        return f"Delete {short(targets[0])}" + (f" and {len(targets) - 1} more" if len(targets) > 1 else "")
    where = f" in {folders.pop()}" if len(folders) == 1 else ""
    return f"Delete {number}{where}"


def _count(target: str, cwd: Path) -> tuple[int, str]:
    """How many files a path or pattern stands for now, and the name of their folder."""
    pattern = os.path.join(cwd, os.path.expanduser(target))
    total = 0
    for name in glob.iglob(pattern):
        path = Path(name)
        if path.is_dir() and not path.is_symlink():
            for _, _, names in os.walk(path):
                total += len(names)
                if total >= _MOST:
                    break
        else:
            total += 1
        if total >= _MOST:
            break
    base = Path(pattern) if os.path.isdir(pattern) else Path(pattern).parent
    return min(total, _MOST), base.name or "the top folder"


def short(text: str) -> str:
    """Fit to be spoken: no line breaks, no control characters, at most 60 characters."""
    plain = re.sub(r"\s+", " ", "".join(c if c.isprintable() else " " for c in text)).strip()
    return plain if len(plain) <= 60 else f"{plain[:57]}…"
