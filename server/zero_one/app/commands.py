"""``01 commands``: what can be said with no language model, and what a wording would be taken for."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from typing import Any, TextIO

from zero_one.commands.base import Match
from zero_one.commands.book import CommandBook
from zero_one.computer.hands import Hands
from zero_one.config.paths import data_dir


def book() -> CommandBook:
    """The spoken commands, to be looked at; nothing is started."""
    return CommandBook(Hands(), data_dir())


def listing(*, as_json: bool) -> int:
    infos = book().list()
    if as_json:
        print(json.dumps([dataclasses.asdict(one) for one in infos], indent=2, ensure_ascii=False))
        return 0
    for area in dict.fromkeys(one.area for one in infos):
        print(f"\n{area}")
        for one in infos:
            if one.area == area:
                print(f"  {one.description}")
                print(f"      {', '.join(f'“{example}”' for example in one.examples[:3])}")
    print(f'\n{len(infos)} commands. Ask what a wording would be taken for with: 01 commands --match "TEXT"')
    return 0


def match_one(text: str, *, as_json: bool) -> int:
    """Print what ``text`` would be taken for. 0 if it is a command, 1 if it is left to the language model."""
    found: Match | None = book().match(text)
    if as_json:
        print(json.dumps(_row(text, found), ensure_ascii=False, default=str))
    elif found is None:
        print("No command: this would go to the language model.")
    else:
        slots = ", ".join(f"{name} = {value}" for name, value in found.slots.items())
        print(found.command + (f" ({slots})" if slots else ""))
    return 0 if found is not None else 1


def match_lines(lines: Iterable[bytes], out: TextIO) -> int:
    """One wording a line in, one JSON object a line out, at once."""
    known = book()
    for line in lines:
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        out.write(json.dumps(_row(text, known.match(text)), ensure_ascii=False, default=str) + "\n")
        out.flush()
    return 0


def _row(text: str, found: Match | None) -> dict[str, Any]:
    return {"text": text, "command": found and found.command, "slots": dict(found.slots) if found else {}}
