"""Tool calls put together from the fragments in which endpoints stream them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A complete call as the model wrote it; ``arguments`` is its text, hopefully JSON."""

    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class _Part:
    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)


class CallAssembler:
    """Collects fragments. Endpoints differ: some leave the index out or always send 0, some repeat the id or the name
    with every fragment, some send arguments as an object. A new id together with a name always begins a new call."""

    def __init__(self) -> None:
        self._parts: list[_Part] = []

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, index: int | None, ident: str | None, name: str | None, arguments: Any) -> None:
        part = self._find(index, ident, name)
        if part is None:
            part = _Part(index)
            self._parts.append(part)
        if ident and not part.id:
            part.id = ident
        if name and not part.name:
            part.name = name
        if isinstance(arguments, Mapping):
            part.arguments.append(json.dumps(dict(arguments)))
        elif arguments:
            part.arguments.append(str(arguments))

    def _find(self, index: int | None, ident: str | None, name: str | None) -> _Part | None:
        if not self._parts:
            return None
        if ident:
            known = next((part for part in self._parts if part.id == ident), None)
            if known is not None:
                return known
        if index is None:
            last = self._parts[-1]
            return None if ident and name and last.id else last
        same = [part for part in self._parts if part.index == index]
        if not same:
            return None
        if ident and name and same[-1].id and same[-1].id != ident:
            return None
        return same[-1]

    def finish(self, fresh_id: str) -> tuple[ToolCall, ...]:
        """The calls in the order in which they began. Missing or repeated ids become ``fresh_id`` plus a number."""
        out: list[ToolCall] = []
        taken: set[str] = set()
        for number, part in enumerate(self._parts):
            ident = part.id if part.id and part.id not in taken else f"{fresh_id}{number}"
            taken.add(ident)
            out.append(ToolCall(ident, part.name, "".join(part.arguments)))
        return tuple(out)
