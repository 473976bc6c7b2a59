"""Tracks and vias as data (`hardware/tracks.json`): route once, build the board any time."""

from __future__ import annotations

import json
from pathlib import Path

import pcbnew
from parts_geometry import HARDWARE, mm

TRACKS = HARDWARE / "tracks.json"
_NAMES = {pcbnew.F_Cu: "top", pcbnew.B_Cu: "bottom"}
_LAYERS = {name: layer for layer, name in _NAMES.items()}


def save(board: pcbnew.BOARD, path: Path = TRACKS) -> None:
    """Write every track and via of `board`, the builder's vias under chips included."""
    found = []
    for item in board.GetTracks():
        net = item.GetNetname()
        if isinstance(item, pcbnew.PCB_VIA):
            at = (round(mm(item.GetPosition().x), 3), round(mm(item.GetPosition().y), 3))
            found.append([net, "via", *at])
        else:
            start, end = item.GetStart(), item.GetEnd()
            found.append([net, _NAMES[item.GetLayer()], *(round(mm(v), 3) for v in (start.x, start.y, end.x, end.y))])
    found.sort(key=lambda row: [str(cell) for cell in row])
    path.write_text("[\n" + ",\n".join(json.dumps(row) for row in found) + "\n]\n", encoding="utf-8")


def lay(board: pcbnew.BOARD, width: float, via: float, drill: float, path: Path = TRACKS) -> None:
    """Put the saved tracks and vias on `board`."""

    def at(x: float, y: float) -> pcbnew.VECTOR2I:
        return pcbnew.VECTOR2I(pcbnew.FromMM(x), pcbnew.FromMM(y))

    for net, kind, *numbers in json.loads(path.read_text(encoding="utf-8")):
        if kind == "via":
            item = pcbnew.PCB_VIA(board)
            item.SetPosition(at(*numbers))
            item.SetWidth(pcbnew.FromMM(via))
            item.SetDrill(pcbnew.FromMM(drill))
        else:
            item = pcbnew.PCB_TRACK(board)
            item.SetLayer(_LAYERS[kind])
            item.SetStart(at(*numbers[:2]))
            item.SetEnd(at(*numbers[2:]))
            item.SetWidth(pcbnew.FromMM(width))
        item.SetNet(board.FindNet(net))
        board.Add(item)
