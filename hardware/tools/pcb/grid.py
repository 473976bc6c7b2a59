"""The routing grid: which net may use which node, by copper that is already there.

Nodes lie 0.1 mm apart on two routing layers (0 = bottom, 1 = top); the inner layers are planes and only take vias.
A node belongs to nobody (FREE), to one net, or is SHUT. Distances: see the constants.
"""

from __future__ import annotations

import math
from array import array

import pcbnew

PITCH = 0.1
TRACK = 0.15
CLEARANCE = 0.15
VIA, VIA_DRILL = 0.5, 0.25
EDGE = 0.5
HOLE = 0.25  # copper to an unplated hole
FREE, SHUT = 0, -1
LAYERS = (pcbnew.B_Cu, pcbnew.F_Cu)


class Grid:
    """Static owners of nodes for tracks (per layer) and for vias (all layers at once)."""

    def __init__(self, board: pcbnew.BOARD, width: float, height: float, radius: float) -> None:
        self.cols, self.rows = round(width / PITCH) + 1, round(height / PITCH) + 1
        self.size = self.cols * self.rows
        self.track = array("i", [FREE]) * (2 * self.size)
        self.via = array("i", [FREE]) * self.size
        self.pads: dict[int, list[tuple[str, list[int]]]] = {}  # net -> [(pad name, its nodes)]
        self._edge(width, height, radius)
        for footprint in board.GetFootprints():
            for pad in footprint.Pads():
                self._pad(footprint.GetReference(), pad)

        self.holes: dict[int, set[int]] = {}  # net -> cells of vias that are there from the start
        for via in board.GetTracks():
            if isinstance(via, pcbnew.PCB_VIA):
                self._via(via)

    def _via(self, via: pcbnew.PCB_VIA) -> None:
        net, at = via.GetNetCode(), via.GetPosition()
        cell = round(pcbnew.ToMM(at.y) / PITCH) * self.cols + round(pcbnew.ToMM(at.x) / PITCH)
        self.holes.setdefault(net, set()).add(cell)
        for layer in (0, 1):
            self._claim(self.track, layer * self.size, self._round(cell, VIA / 2 + CLEARANCE + TRACK / 2 + 0.06), net)
        self._claim(self.via, 0, self._round(cell, VIA + CLEARANCE + 0.06), net)

    def _round(self, cell: int, radius: float) -> list[int]:
        reach = int(radius / PITCH) + 1
        return [
            cell + dy * self.cols + dx
            for dx in range(-reach, reach + 1)
            for dy in range(-reach, reach + 1)
            if (dx * dx + dy * dy) ** 0.5 * PITCH <= radius
        ]

    def node(self, layer: int, x: float, y: float) -> int:
        return layer * self.size + round(y / PITCH) * self.cols + round(x / PITCH)

    def place(self, node: int) -> tuple[int, float, float]:
        """Layer index, x and y in mm."""
        layer, rest = divmod(node, self.size)
        row, col = divmod(rest, self.cols)
        return layer, col * PITCH, row * PITCH

    def _edge(self, width: float, height: float, radius: float) -> None:
        def inside(x: float, y: float, margin: float) -> bool:
            if not (margin <= x <= width - margin and margin <= y <= height - margin):
                return False
            cx = min(max(x, radius), width - radius)
            cy = min(max(y, radius), height - radius)
            return math.hypot(x - cx, y - cy) <= max(radius - margin, 0.01) or x == cx or y == cy

        for row in range(self.rows):
            for col in range(self.cols):
                x, y = col * PITCH, row * PITCH
                at = row * self.cols + col
                if not inside(x, y, EDGE + TRACK / 2 + 0.01):
                    self.track[at] = self.track[self.size + at] = SHUT
                if not inside(x, y, EDGE + VIA / 2 + 0.01):
                    self.via[at] = SHUT

    def _pad(self, ref: str, pad: pcbnew.PAD) -> None:
        net = pad.GetNetCode()
        unplated = pad.GetAttribute() == pcbnew.PAD_ATTRIB_NPTH
        if unplated:
            gap_track, gap_via, owner = HOLE + TRACK / 2, HOLE + VIA / 2, SHUT
        else:
            gap_track, gap_via, owner = CLEARANCE + TRACK / 2, CLEARANCE + VIA / 2, net or SHUT
        drilled = pad.GetDrillSize().x > 0
        paste_only = not (pad.IsOnLayer(pcbnew.F_Cu) or pad.IsOnLayer(pcbnew.B_Cu) or unplated)
        if paste_only:
            return
        for index, layer in enumerate(LAYERS):
            if not (pad.IsOnLayer(layer) or drilled):
                continue
            self._claim(self.track, index * self.size, self._cells(pad, layer, gap_track + 0.005), owner)
            if net and not unplated and pad.GetNumber():
                cells = self._cells(pad, layer, -0.02) or [self._nearest(pad)]
                self.pads.setdefault(net, []).append(
                    (f"{ref}.{pad.GetNumber()}", [index * self.size + cell for cell in cells])
                )
        layer = pcbnew.F_Cu if pad.IsOnLayer(pcbnew.F_Cu) else pcbnew.B_Cu
        self._claim(self.via, 0, self._cells(pad, layer, gap_via + 0.005), owner)
        if drilled and not unplated:
            self._claim(self.via, 0, self._cells(pad, layer, 0.26 + VIA_DRILL / 2, hole=True), SHUT)
        if not drilled and not unplated and pad.GetBoundingBox().GetWidth() < pcbnew.FromMM(1.1):
            self._claim(self.via, 0, self._cells(pad, layer, VIA / 2), SHUT)  # no via in a solder pad

    def _nearest(self, pad: pcbnew.PAD) -> int:
        at = pad.GetPosition()
        return round(pcbnew.ToMM(at.y) / PITCH) * self.cols + round(pcbnew.ToMM(at.x) / PITCH)

    def _cells(self, pad: pcbnew.PAD, layer: int, grow: float, hole: bool = False) -> list[int]:
        """Nodes (without layer) inside the pad's shape, or its hole, grown by `grow` mm."""
        shape = pcbnew.SHAPE_POLY_SET()
        if hole or pad.GetAttribute() == pcbnew.PAD_ATTRIB_NPTH:
            pad.TransformHoleToPolygon(shape, pcbnew.FromMM(grow), pcbnew.FromMM(0.005), pcbnew.ERROR_OUTSIDE)
        else:
            pad.TransformShapeToPolygon(
                shape, layer, pcbnew.FromMM(max(grow, 0)), pcbnew.FromMM(0.005), pcbnew.ERROR_OUTSIDE
            )
        box = shape.BBox()
        found = []
        for row in range(
            max(0, math.floor(pcbnew.ToMM(box.GetTop()) / PITCH)),
            min(self.rows - 1, math.ceil(pcbnew.ToMM(box.GetBottom()) / PITCH)) + 1,
        ):
            for col in range(
                max(0, math.floor(pcbnew.ToMM(box.GetLeft()) / PITCH)),
                min(self.cols - 1, math.ceil(pcbnew.ToMM(box.GetRight()) / PITCH)) + 1,
            ):
                if shape.Contains(pcbnew.VECTOR2I(pcbnew.FromMM(col * PITCH), pcbnew.FromMM(row * PITCH))):
                    found.append(row * self.cols + col)
        return found

    @staticmethod
    def _claim(owners: array[int], offset: int, cells: list[int], owner: int) -> None:
        for cell in cells:
            now = owners[offset + cell]
            owners[offset + cell] = owner if now in (FREE, owner) else SHUT
