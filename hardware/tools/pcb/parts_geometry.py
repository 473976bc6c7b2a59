"""Footprints of the netlist as plain numbers: courtyards and pads, seen from above, after flip and turn.

Needs KiCad's own Python module `pcbnew` (on Debian: the system's python3).
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import pcbnew

HARDWARE = Path(__file__).resolve().parents[2]
FOOTPRINTS = Path("/usr/share/kicad/footprints")
LOCAL_FOOTPRINTS = HARDWARE / "schematics" / "zero_one.pretty"
Box = tuple[float, float, float, float]  # left, top, right, bottom in mm


@dataclass(frozen=True)
class Shape:
    """A part's outline and pads about its origin, unturned, on the upper side. Millimetres, y downwards."""

    ref: str
    footprint: str
    courtyard: Box
    pads: tuple[tuple[str, float, float], ...]  # number, x, y
    nets: dict[str, str]  # pad number -> net


def turned(x: float, y: float, side: str, angle: float) -> tuple[float, float]:
    """Where a point of the footprint lies after the flip (left to right) and the turn (counter-clockwise)."""
    if side == "bottom":
        x = -x
    rad = math.radians(angle)
    return x * math.cos(rad) + y * math.sin(rad), -x * math.sin(rad) + y * math.cos(rad)


def box_at(shape: Shape, x: float, y: float, side: str, angle: float) -> Box:
    left, top, right, bottom = shape.courtyard
    corners = [turned(px, py, side, angle) for px in (left, right) for py in (top, bottom)]
    return (
        x + min(c[0] for c in corners),
        y + min(c[1] for c in corners),
        x + max(c[0] for c in corners),
        y + max(c[1] for c in corners),
    )


def mm(value: int) -> float:
    return pcbnew.ToMM(value)


def read_netlist() -> tuple[dict[str, ET.Element], dict[str, dict[str, str]]]:
    """Components by reference, and for each reference its net by pin number."""
    root = ET.parse(HARDWARE / "exports" / "netlist.xml").getroot()
    components = {item.get("ref", ""): item for item in root.iterfind("components/comp")}
    nets: dict[str, dict[str, str]] = {ref: {} for ref in components}
    for net in root.iterfind("nets/net"):
        for node in net.iterfind("node"):
            nets[node.get("ref", "")][node.get("pin", "")] = net.get("name", "")
    return components, nets


def load_footprint(name: str) -> pcbnew.FOOTPRINT:
    library, footprint = name.split(":")
    folder = LOCAL_FOOTPRINTS if library == "zero_one" else FOOTPRINTS / f"{library}.pretty"
    return pcbnew.FootprintLoad(str(folder), footprint)


def shapes() -> dict[str, Shape]:
    components, nets = read_netlist()
    found = {}
    for ref, item in components.items():
        name = item.findtext("footprint", "")
        footprint = load_footprint(name)
        yard = footprint.GetCourtyard(pcbnew.F_CrtYd).BBox()
        box = (mm(yard.GetLeft()), mm(yard.GetTop()), mm(yard.GetRight()), mm(yard.GetBottom()))
        if ref == "U301":  # its courtyard also fences the antenna's surroundings, which lie off the board
            box = (-9.75, -6.9, 9.75, 13.5)
        pads = tuple(
            (pad.GetNumber(), mm(pad.GetPosition().x), mm(pad.GetPosition().y))
            for pad in footprint.Pads()
            if pad.GetNumber()
        )
        found[ref] = Shape(ref, name, box, pads, nets[ref])
    return found
