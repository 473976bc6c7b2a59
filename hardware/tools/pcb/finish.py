"""The finished board: parts, saved tracks, wider power tracks, ground stitching, filled planes.

Run after `route.py`, or any time parts' data changed but placement and nets did not.
"""

from __future__ import annotations

import math
import tomllib

import pcbnew
import tracks
from build import BOARD, make, plane, point
from grid import CLEARANCE, EDGE, TRACK, VIA, VIA_DRILL
from parts_geometry import HARDWARE, mm

# net (last part of its name) -> widest track wanted, mm
POWER = {
    "VBUS": 0.8,
    "VBUS_IN": 0.8,
    "VSYS": 0.8,
    "VBAT": 0.8,
    "CELL-": 0.8,
    "SW1": 1.0,
    "SW2": 1.0,
    "+3V3": 0.5,
    "GND": 0.4,
    "SPK_P": 0.5,
    "SPK_N": 0.5,
    "AMP_OUTP": 0.4,
    "AMP_OUTN": 0.4,
    "LED_VDD": 0.5,
    "MIC_VDD": 0.4,
    "Net-(Q201-D)": 1.0,
}
SAFE = 0.005


class Neighbours:
    """All copper and holes of the board with their boxes, to ask what a new shape would come too near to."""

    def __init__(self, board: pcbnew.BOARD) -> None:
        self.items = [*board.GetTracks(), *(pad for footprint in board.GetFootprints() for pad in footprint.Pads())]

    def clear(self, shape: pcbnew.SHAPE, layer: int, net: int, gap: float, same_net: bool = False) -> bool:
        """Whether `shape` on `layer` keeps `gap` mm from copper of other nets (or of any, with `same_net`)."""
        box = shape.BBox(pcbnew.FromMM(gap + 0.05))
        for item in self.items:
            if not same_net and item.GetNetCode() == net:
                continue
            if not box.Intersects(item.GetBoundingBox()):
                continue
            hole = isinstance(item, pcbnew.PAD) and item.GetDrillSize().x > 0
            if hole and item.GetEffectiveHoleShape().Collide(shape, pcbnew.FromMM(max(gap, 0.25) + SAFE)):
                return False
            if item.IsOnLayer(layer) and item.GetEffectiveShape(layer).Collide(shape, pcbnew.FromMM(gap + SAFE)):
                return False
        return True


def inside(x: float, y: float, margin: float, size: tuple[float, float], radius: float) -> bool:
    cx, cy = min(max(x, radius), size[0] - radius), min(max(y, radius), size[1] - radius)
    away = math.hypot(x - cx, y - cy)
    return (
        (away <= radius - margin)
        if (x != cx and y != cy)
        else (margin <= x <= size[0] - margin and margin <= y <= size[1] - margin)
    )


def widen(board: pcbnew.BOARD, size: tuple[float, float], radius: float) -> None:
    """Make each power track as wide as wanted or as its neighbours and the edge allow."""
    near = Neighbours(board)
    for track in list(board.GetTracks()):
        wanted = POWER.get(track.GetNetname().split("/")[-1])
        if isinstance(track, pcbnew.PCB_VIA) or wanted is None:
            continue
        width = wanted
        while width > TRACK + 0.01:
            shape = pcbnew.SHAPE_SEGMENT(track.GetStart(), track.GetEnd(), pcbnew.FromMM(width))
            ends = [(mm(p.x), mm(p.y)) for p in (track.GetStart(), track.GetEnd())]
            if all(inside(x, y, EDGE + width / 2, size, radius) for x, y in ends) and near.clear(
                shape, track.GetLayer(), track.GetNetCode(), CLEARANCE
            ):
                track.SetWidth(pcbnew.FromMM(width))
                break
            width = round(width - 0.1, 2)


def stitch(board: pcbnew.BOARD, size: tuple[float, float], radius: float, pitch: float = 3.5) -> int:
    """Join the ground planes with vias wherever a lattice point is free; returns how many."""
    ground = board.FindNet("GND")
    near = Neighbours(board)
    count = 0
    for row in range(1, int(size[1] / pitch) + 1):
        for column in range(1, int(size[0] / pitch) + 1):
            x, y = column * pitch, row * pitch
            shape = pcbnew.SHAPE_CIRCLE(point(x, y), pcbnew.FromMM(VIA / 2))
            if not inside(x, y, EDGE + VIA / 2 + 0.1, size, radius):
                continue
            if all(
                near.clear(shape, layer, ground.GetNetCode(), 0.2, same_net=True)
                for layer in (pcbnew.F_Cu, pcbnew.B_Cu)
            ):
                via = pcbnew.PCB_VIA(board)
                via.SetPosition(point(x, y))
                via.SetWidth(pcbnew.FromMM(VIA))
                via.SetDrill(pcbnew.FromMM(VIA_DRILL))
                via.SetNet(ground)
                board.Add(via)
                count += 1
    return count


# Copper areas for high currents: net, priority, layers, and the parts whose pads they join. Small ones go first.
BOTH = (pcbnew.B_Cu, pcbnew.F_Cu)
POURS = [
    ("VSYS", 10, BOTH, ("U102", "U203", "C103", "C203", "C204")),
    ("VBUS", 12, BOTH, ("F101", "C101", "U101", "U102", "C102")),
    ("VBAT", 11, BOTH, ("J201", "U102", "C104", "U202", "C202")),
    ("VBUS_IN", 14, (pcbnew.B_Cu,), ("J101", "F101")),
    ("CELL-", 15, (pcbnew.B_Cu,), ("J201", "Q201", "U201")),
    ("Net-(Q201-D)", 16, (pcbnew.B_Cu,), ("Q201", "Q202")),
    ("SW1", 17, (pcbnew.B_Cu,), ("U203", "L201")),
    ("SW2", 17, (pcbnew.B_Cu,), ("U203", "L201")),
    ("+3V3", 13, (pcbnew.B_Cu,), ("U203", "C205", "C206", "C207")),
    ("SPK_P", 15, (pcbnew.B_Cu,), ("J401", "FB401")),
    ("SPK_N", 15, (pcbnew.B_Cu,), ("J401", "FB402")),
]


def pours(board: pcbnew.BOARD) -> None:
    """Fill the box around the named parts' pads with their net, wherever nothing else lies."""
    for name, priority, layers, refs in POURS:
        pads = [
            pad
            for ref in refs
            for pad in board.FindFootprintByReference(ref).Pads()
            if pad.GetNetname().split("/")[-1] == name
        ]
        boxes = [pad.GetBoundingBox() for pad in pads]
        box = (
            max(0.5, min(mm(b.GetLeft()) for b in boxes) - 0.4),
            max(0.5, min(mm(b.GetTop()) for b in boxes) - 0.4),
            min(48.5, max(mm(b.GetRight()) for b in boxes) + 0.4),
            min(42.5, max(mm(b.GetBottom()) for b in boxes) + 0.4),
        )
        for layer in layers:
            plane(board, layer, pads[0].GetNetname(), box, priority)
            board.Zones()[-1].SetPadConnection(pcbnew.ZONE_CONNECTION_FULL)


# ground pads so hemmed in that only one thermal spoke fits: they join the pour all round
SOLID = [
    ("U502", "2"),
    ("TP606", "1"),
    ("MK1", "3"),
    ("C408", "2"),
    ("J401", "MP"),
    ("D503", "3"),
    ("U203", "11"),
    ("J201", "MP"),
    ("C102", "2"),
    ("U102", "8"),
]


def solid_pads(board: pcbnew.BOARD) -> None:
    for ref, number in SOLID:
        for pad in board.FindFootprintByReference(ref).Pads():
            if pad.GetNumber() == number:
                pad.SetLocalZoneConnection(pcbnew.ZONE_CONNECTION_FULL)


def main() -> None:
    mechanics = tomllib.loads((HARDWARE / "mechanical.toml").read_text(encoding="utf-8"))["board"]
    size, radius = tuple(mechanics["size"]), mechanics["corner_radius"]
    board = make(with_thermal_vias=False)
    tracks.lay(board, TRACK, VIA, VIA_DRILL)
    widen(board, size, radius)
    solid_pads(board)
    pours(board)
    print(f"{stitch(board, size, radius)} stitching vias")
    pcbnew.SaveBoard(str(BOARD), board, True)
    saved = pcbnew.LoadBoard(str(BOARD))  # with the project's rules, which filling needs
    pcbnew.ZONE_FILLER(saved).Fill(saved.Zones())
    pcbnew.SaveBoard(str(BOARD), saved, True)


if __name__ == "__main__":
    main()
