"""Build the board file from netlist, placement and mechanics: outline, footprints, nets, planes. No tracks.

`route.py` adds the tracks. Run with the Python that has KiCad's `pcbnew`.
"""

from __future__ import annotations

import tomllib
import uuid
from typing import Any

import pcbnew
from parts_geometry import HARDWARE, load_footprint, read_netlist

BOARD = HARDWARE / "schematics" / "zero_one_light.kicad_pcb"
_SPACE = uuid.UUID("8d7c1a52-01aa-4b01-9f01-000000000002")
_FOUR = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
THERMAL = {
    "U102": [(0.45 * x, 0.45 * y) for x, y in _FOUR],
    "U402": [(0.3 * x, 0.3 * y) for x, y in _FOUR],
    "U202": [(0.0, 0.0)],
}


def point(x: float, y: float) -> pcbnew.VECTOR2I:
    return pcbnew.VECTOR2I(pcbnew.FromMM(x), pcbnew.FromMM(y))


def outline(board: pcbnew.BOARD, width: float, height: float, radius: float) -> None:
    """Rectangle with round corners on Edge.Cuts."""

    def add(
        kind: int, start: tuple[float, float], end: tuple[float, float], mid: tuple[float, float] | None = None
    ) -> None:
        shape = pcbnew.PCB_SHAPE(board, kind)
        shape.SetLayer(pcbnew.Edge_Cuts)
        shape.SetWidth(pcbnew.FromMM(0.1))
        if mid is None:
            shape.SetStart(point(*start))
            shape.SetEnd(point(*end))
        else:
            shape.SetArcGeometry(point(*start), point(*mid), point(*end))
        board.Add(shape)

    r, d = radius, radius * (1 - 2**-0.5)
    w, h = width, height
    for start, end in (((r, 0), (w - r, 0)), ((w, r), (w, h - r)), ((w - r, h), (r, h)), ((0, h - r), (0, r))):
        add(pcbnew.SHAPE_T_SEGMENT, start, end)
    for start, mid, end in (
        ((0, r), (d, d), (r, 0)),
        ((w - r, 0), (w - d, d), (w, r)),
        ((w, h - r), (w - d, h - d), (w - r, h)),
        ((r, h), (d, h - d), (0, h - r)),
    ):
        add(pcbnew.SHAPE_T_ARC, start, end, mid)


def name_on_fab(footprint: pcbnew.FOOTPRINT) -> None:
    """No references or values on the silkscreen, which has no room for 100 of them.

    KiCad's footprints print the reference a second time on the assembly layer; that one stays.
    """
    footprint.Reference().SetVisible(False)
    footprint.Value().SetVisible(False)


def words(board: pcbnew.BOARD) -> None:
    """The few words a person needs on the bare board: text, x, y, height, upper or lower face."""
    for text, x, y, height, back in (
        ("01 Light  rev A", 38.0, 41.2, 1.2, False),
        ("RESET", 40.0, 3.6, 0.9, False),
        ("BOOT", 9.0, 12.4, 0.9, False),
        ("TALK", 24.5, 14.0, 1.0, False),
        ("MUTED", 45.8, 26.6, 0.9, False),
        ("+ CELL -", 5.0, 13.5, 0.9, True),
        ("SPEAKER", 41.5, 12.4, 0.9, True),
        ("MOTOR", 41.5, 5.4, 0.9, True),
    ):
        item = pcbnew.PCB_TEXT(board)
        item.SetText(text)
        item.SetLayer(pcbnew.B_SilkS if back else pcbnew.F_SilkS)
        item.SetPosition(point(x, y))
        item.SetTextSize(pcbnew.VECTOR2I(pcbnew.FromMM(height), pcbnew.FromMM(height)))
        item.SetTextThickness(pcbnew.FromMM(0.15))
        item.SetMirrored(back)
        board.Add(item)


def thermal_vias(board: pcbnew.BOARD) -> None:
    """Vias from the pads under chips into the ground plane; the regulator's footprint brings its own."""
    for ref, offsets in THERMAL.items():
        footprint = board.FindFootprintByReference(ref)
        centre = footprint.GetPosition()
        for dx, dy in offsets:
            via = pcbnew.PCB_VIA(board)
            via.SetPosition(pcbnew.VECTOR2I(centre.x + pcbnew.FromMM(dx), centre.y + pcbnew.FromMM(dy)))
            via.SetWidth(pcbnew.FromMM(0.5))
            via.SetDrill(pcbnew.FromMM(0.25))
            via.SetNet(board.FindNet("GND"))
            board.Add(via)


def add_parts(board: pcbnew.BOARD, placement: dict[str, Any]) -> None:
    components, nets = read_netlist()
    codes: dict[str, pcbnew.NETINFO_ITEM] = {}
    for names in nets.values():
        for name in names.values():
            if name not in codes:
                codes[name] = pcbnew.NETINFO_ITEM(board, name)
    for name in sorted(codes):
        board.Add(codes[name])
    for ref, item in sorted(components.items()):
        name = item.findtext("footprint", "")
        footprint = load_footprint(name)
        footprint.SetFPID(pcbnew.LIB_ID(*name.split(":")))
        footprint.SetReference(ref)
        footprint.SetValue(item.findtext("value", ""))
        for field in item.iterfind("fields/field"):
            key = field.get("name", "")
            if key not in ("Footprint", "Reference", "Value"):
                footprint.SetField(key, field.text or "")
                footprint.GetFieldByName(key).SetVisible(False)
        sheet = item.find("sheetpath")
        stamp = (sheet.get("tstamps", "/") if sheet is not None else "/") + item.findtext("tstamps", "")
        footprint.SetPath(pcbnew.KIID_PATH(stamp))
        flags = {prop.get("name") for prop in item.iterfind("property")}
        footprint.SetExcludedFromBOM("exclude_from_bom" in flags)
        if "exclude_from_bom" in flags:
            footprint.SetExcludedFromPosFiles(True)
        for pad in footprint.Pads():
            net = nets[ref].get(pad.GetNumber())
            if net is not None:
                pad.SetNet(codes[net])
        place = placement[ref]
        board.Add(footprint)
        footprint.SetPosition(point(place["x"], place["y"]))
        if place["side"] == "bottom":
            footprint.Flip(point(place["x"], place["y"]), pcbnew.FLIP_DIRECTION_LEFT_RIGHT)
        # KiCad counts a flipped part's angle from the other end
        footprint.SetOrientationDegrees((place["angle"] + (180 if place["side"] == "bottom" else 0)) % 360)
        name_on_fab(footprint)


def plane(board: pcbnew.BOARD, layer: int, net: str, box: tuple[float, float, float, float], priority: int = 0) -> None:
    zone = pcbnew.ZONE(board)
    zone.SetLayer(layer)
    zone.SetNet(board.FindNet(net))
    zone.SetAssignedPriority(priority)
    zone.SetLocalClearance(pcbnew.FromMM(0.2))
    zone.SetMinThickness(pcbnew.FromMM(0.2))
    zone.SetThermalReliefGap(pcbnew.FromMM(0.25))
    zone.SetThermalReliefSpokeWidth(pcbnew.FromMM(0.3))
    zone.SetIslandRemovalMode(pcbnew.ISLAND_REMOVAL_MODE_ALWAYS)
    left, top, right, bottom = box
    corners = pcbnew.SHAPE_LINE_CHAIN()
    for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)):
        corners.Append(point(x, y))
    corners.SetClosed(True)
    zone.AddPolygon(corners)
    board.Add(zone)


def planes(board: pcbnew.BOARD, width: float, height: float) -> None:
    """Ground inside and outside, 3.3 V on the second inner layer."""
    box = (0.5, 0.5, width - 0.5, height - 0.5)
    plane(board, pcbnew.In1_Cu, "GND", box)
    plane(board, pcbnew.In2_Cu, "+3V3", box)
    plane(board, pcbnew.F_Cu, "GND", box)
    plane(board, pcbnew.B_Cu, "GND", box)


def make(with_thermal_vias: bool = True) -> pcbnew.BOARD:
    mechanics = tomllib.loads((HARDWARE / "mechanical.toml").read_text(encoding="utf-8"))["board"]
    placement = tomllib.loads((HARDWARE / "placement.toml").read_text(encoding="utf-8"))
    board = pcbnew.CreateEmptyBoard()
    board.SetCopperLayerCount(4)
    settings = board.GetDesignSettings()
    settings.SetBoardThickness(pcbnew.FromMM(mechanics["thickness"]))
    outline(board, *mechanics["size"], mechanics["corner_radius"])
    add_parts(board, placement)
    if with_thermal_vias:
        thermal_vias(board)
    words(board)
    planes(board, *mechanics["size"])
    return board


def main() -> None:
    board = make()
    pcbnew.SaveBoard(str(BOARD), board, True)


if __name__ == "__main__":
    main()
