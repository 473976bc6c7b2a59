"""Symbols: read from KiCad's libraries and from ours, with the places of their pins."""

from __future__ import annotations

import copy
import functools
from dataclasses import dataclass
from pathlib import Path

from kicad import symbol_folder
from sexpr import Node, child, children, parse

LOCAL_NAME = "zero_one"
LOCAL = Path(__file__).resolve().parents[1] / "schematics" / f"{LOCAL_NAME}.kicad_sym"


@dataclass(frozen=True)
class Pin:
    """A pin in symbol coordinates: millimetres, y upwards; `angle` points from its free end into the body."""

    number: str
    name: str
    kind: str
    x: float
    y: float
    angle: int
    unit: int
    hidden: bool


@functools.cache
def _library(path: Path) -> dict[str, Node]:
    root = parse(path.read_text(encoding="utf-8"))
    return {symbol[1]: symbol for symbol in children(root, "symbol")}


@functools.cache
def load(lib_id: str) -> Node:
    """The flattened symbol `Library:Name`, named by its full id as a schematic wants it."""
    library, name = lib_id.split(":")
    path = LOCAL if library == LOCAL_NAME else symbol_folder() / f"{library}.kicad_sym"
    symbol = flatten(_library(path), name)
    symbol[1] = lib_id
    return symbol


def flatten(library: dict[str, Node], name: str) -> Node:
    """`name` with everything it inherits by `extends` written out."""
    own = library[name]
    extends = child(own, "extends")
    if extends is None:
        return copy.deepcopy(own)
    base = flatten(library, extends[1])
    own_fields = {field[1]: field for field in children(own, "property")}
    merged: Node = []
    for item in base:
        if isinstance(item, list) and item[0] == "property":
            merged.append(copy.deepcopy(own_fields.pop(item[1], item)))
        elif isinstance(item, list) and item[0] == "symbol":
            item[1] = item[1].replace(f"{base[1]}_", f"{name}_", 1)
            merged.append(item)
        else:
            merged.append(item)
    place = max(i for i, item in enumerate(merged) if isinstance(item, list) and item[0] == "property") + 1
    merged[place:place] = list(copy.deepcopy(list(own_fields.values())))
    merged[1] = name
    return merged


@functools.cache
def pins(lib_id: str) -> tuple[Pin, ...]:
    found = []
    for body in children(load(lib_id), "symbol"):
        unit = int(body[1].rsplit("_", 2)[1])
        for pin in children(body, "pin"):
            at, name, number = child(pin, "at"), child(pin, "name"), child(pin, "number")
            assert at
            assert name
            assert number
            hidden = child(pin, "hide") is not None
            found.append(Pin(number[1], name[1], pin[1], float(at[1]), float(at[2]), int(at[3]), unit, hidden))
    return tuple(found)


def default_field(lib_id: str, name: str) -> str:
    for field in children(load(lib_id), "property"):
        if field[1] == name:
            return str(field[2])
    return ""
