"""What the enclosure must leave room for: the board with a box for every part, and cell, speaker, motor, screws."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from build123d import Part

from . import parameters as p
from .shapes import block, rod, rounded

sys.path.insert(0, str(p.HARDWARE / "tools"))

import kicad
import netlist
import sexpr

# height in mm by the beginning of the footprint's name; plugs included where a cable goes in
HEIGHTS = {
    "ESP32-S3-WROOM-1": 3.3,
    "USB_C": 3.3,
    "JST_PH": 8.5,
    "JST_SH_BM02B": 5.5,
    "JST_SH_SM04B": 3.0,
    "Molex": 5.0,
    "SW_SPDT": 1.5,
    "SW_SPST_PTS645": 3.6,
    "SW_SPST_B3U": 1.7,
    "LED_WS2812B": 1.7,
    "LED_0603": 0.8,
    "L_Sunlord": 2.1,
    "C_0805": 1.4,
    "C_0603": 0.9,
    "R_0603": 0.6,
    "L_0603": 0.9,
    "Fuse": 1.1,
    "SOT": 1.5,
    "VQFN": 1.1,
    "TQFN": 0.9,
    "TDFN": 0.9,
    "Texas": 1.1,
    "VSSOP": 1.2,
    "InvenSense": 1.1,
    "D_SOD": 1.2,
}
FLAT = ("TestPoint", "MountingHole")


def height(footprint: str) -> float:
    """KeyError when nobody has said how high such a part is."""
    for start, value in HEIGHTS.items():
        if footprint.startswith(start):
            return value
    raise KeyError(f"no height known for {footprint}")


def fab_box(footprint: str) -> tuple[float, float, float, float]:
    """Outline of the part's body (fabrication layer) in its own frame: left, top, right, bottom."""
    library, name = footprint.split(":")
    home = p.HARDWARE / "schematics" if library == "zero_one" else kicad.footprint_folder()
    tree = sexpr.parse((Path(home) / f"{library}.pretty" / f"{name}.kicad_mod").read_text(encoding="utf-8"))
    xs, ys = [], []
    for kind in ("fp_line", "fp_rect", "fp_arc", "fp_poly"):
        for item in sexpr.children(tree, kind):
            layer = sexpr.child(item, "layer")
            if not layer or layer[1] != "F.Fab":
                continue
            points = [node for key in ("start", "mid", "end") if (node := sexpr.child(item, key))]
            points += (sexpr.child(item, "pts") or [None])[1:]
            xs += [float(node[1]) for node in points]
            ys += [float(node[2]) for node in points]
    return min(xs), min(ys), max(xs), max(ys)


def boxes() -> dict[str, Part]:
    """One solid per part of the board, by reference."""
    placement = tomllib.loads((p.HARDWARE / "placement.toml").read_text(encoding="utf-8"))
    xml = (p.HARDWARE / "exports" / "netlist.xml").read_text(encoding="utf-8")
    found = {}
    for ref, part in netlist.parse(xml).components.items():
        name = part.footprint.split(":")[1]
        if name.startswith(FLAT):
            continue
        place = placement[ref]
        left, top, right, bottom = fab_box(part.footprint)
        if place["side"] == "bottom":
            left, right = -right, -left
        for _ in range(int(place["angle"]) // 90):  # counter-clockwise, y downwards
            left, top, right, bottom = top, -right, bottom, -left
        z = (0.0, height(name)) if place["side"] == "top" else (-p.THICKNESS - height(name), -p.THICKNESS)
        found[ref] = block((place["x"] + left, place["x"] + right), (place["y"] + top, place["y"] + bottom), z)
    at = tuple(p.MECHANICS["talk_button"]["at"])
    found["plunger"] = rod(at, p.MECHANICS["talk_button"]["plunger_diameter"] / 2, (0.0, p.PLUNGER))
    return found


def board() -> Part:
    size = (p.BOARD_X, p.BOARD_Y)
    plate = rounded((size[0] / 2, size[1] / 2), size, p.MECHANICS["board"]["corner_radius"], (-p.THICKNESS, 0.0))
    for hole in p.MECHANICS["hole"]:
        plate -= rod(tuple(hole["at"]), hole["diameter"] / 2, (-3, 1))
    return plate


def loose_parts() -> dict[str, Part]:
    """Cell, speaker, motor and screw heads where the shell seats them."""
    cell, speaker, motor = (p.MECHANICS[key] for key in ("battery", "speaker", "haptic"))
    middle = p.BOARD_X / 2
    found = {
        "cell": block(
            (middle - cell["size"][0] / 2, middle + cell["size"][0] / 2),
            (p.BATTERY_Y, p.BATTERY_Y + cell["size"][1]),
            (p.BATTERY_LOW, p.BATTERY_TOP),
        ),
        "speaker": rod(
            p.SPEAKER_AT, speaker["diameter"] / 2, (p.FLOOR_INNER + 0.05, p.FLOOR_INNER + 0.05 + speaker["height"])
        ),
        "motor": rod(p.MOTOR_AT, motor["diameter"] / 2, (p.FLOOR_INNER + 0.05, p.FLOOR_INNER + 0.05 + motor["height"])),
    }
    for number, hole in enumerate(p.MECHANICS["hole"], start=1):
        found[f"screw {number}"] = rod(tuple(hole["at"]), 2.0, (-p.THICKNESS - 1.6, -p.THICKNESS))
    return found


def antenna() -> Part:
    return block(tuple(p.MECHANICS["antenna"]["x"]), (-p.OVERHANG, 0.0), (-p.THICKNESS - 3.3, -p.THICKNESS))
