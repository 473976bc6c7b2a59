"""What is put on a sheet: parts with the places of their pins, text settings, ids that never change."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

import symbols
from sexpr import Node, word

STEP = 1.27
Point = tuple[float, float]
_SPACE = uuid.UUID("8d7c1a52-01aa-4b01-9f01-000000000001")


def stable_uuid(*path: object) -> str:
    """The same id for the same thing on every run, so that files reproduce byte for byte."""
    return str(uuid.uuid5(_SPACE, "/".join(map(str, path))))


def mm(steps: float) -> float:
    return round(steps * STEP, 4)


def effects(justify: str = "", size: float = 1.27, hide: bool = False, bold: bool = False) -> Node:
    font: Node = [word("font"), [word("size"), size, size]]
    if bold:
        font.append([word("bold"), word("yes")])
    node: Node = [word("effects"), font]
    if justify:
        node.append([word("justify"), *map(word, justify.split())])
    if hide:
        node.append([word("hide"), word("yes")])
    return node


@dataclass(frozen=True)
class Part:
    """What a catalogue entry (`parts.toml`) says about a component."""

    symbol: str
    value: str
    footprint: str = ""
    datasheet: str = "~"
    fields: dict[str, str] = field(default_factory=dict)
    in_bom: bool = True
    on_board: bool = True
    unit_count: int = 1


@dataclass
class Placed:
    part: Part
    x: float
    y: float
    rot: int
    mirror: str
    unit: int

    def pin(self, name: str) -> symbols.Pin:
        """Pin by number or name of this unit; a shared name picks the visible pin."""
        found = [p for p in symbols.pins(self.part.symbol) if p.unit in (0, self.unit)]
        for match in (
            [p for p in found if p.number == name],
            [p for p in found if p.name == name and not p.hidden],
            [p for p in found if p.name == name],
        ):
            if match:
                return match[0]
        raise KeyError(f"{self.part.symbol} has no pin {name!r}")

    def _turn(self, x: float, y: float) -> Point:
        for _ in range(self.rot // 90):
            x, y = -y, x
        if self.mirror == "y":
            x = -x
        if self.mirror == "x":
            y = -y
        return x, y

    def place_of(self, name: str) -> Point:
        pin = self.pin(name)
        x, y = self._turn(pin.x, pin.y)
        return round(self.x + x / STEP, 3), round(self.y - y / STEP, 3)

    def outward(self, name: str) -> Point:
        """Unit step away from the body at this pin, in sheet coordinates (y downwards)."""
        pin = self.pin(name)
        dx, dy = {0: (-1, 0), 90: (0, -1), 180: (1, 0), 270: (0, 1)}[pin.angle]
        x, y = self._turn(dx, dy)
        return x, -y
