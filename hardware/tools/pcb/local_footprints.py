"""Write `zero_one.pretty`: KiCad's footprints with less silkscreen.

Three overhanging parts lose the lines beyond the board's edge, the light loses a loose "1" (its corner shows pin 1).
"""

from __future__ import annotations

import shutil

import pcbnew
from parts_geometry import FOOTPRINTS, LOCAL_FOOTPRINTS

# library, footprint, and the y (mm, footprint frame) of the board's edge, and on which side of it the board lies
TRIMMED = [
    ("RF_Module", "ESP32-S3-WROOM-1", -6.75, "below"),
    ("Connector_USB", "USB_C_Receptacle_HRO_TYPE-C-31-M-12", 3.2, "above"),
    ("Button_Switch_SMD", "SW_SPDT_PCM12", 2.4, "above"),
]


UNLABELLED = [("LED_SMD", "LED_WS2812B_PLCC4_5.0x5.0mm_P3.2mm")]


def trim(footprint: pcbnew.FOOTPRINT, edge: float, board_lies: str) -> None:
    for item in list(footprint.GraphicalItems()):
        if item.GetLayer() == pcbnew.F_SilkS:
            box = item.GetBoundingBox()
            beyond = (
                box.GetTop() < pcbnew.FromMM(edge + 0.1)
                if board_lies == "below"
                else box.GetBottom() > pcbnew.FromMM(edge - 0.1)
            )
            if beyond:
                footprint.Delete(item)


def unlabel(footprint: pcbnew.FOOTPRINT) -> None:
    for item in list(footprint.GraphicalItems()):
        if isinstance(item, pcbnew.PCB_TEXT) and item.GetText() == "1":
            footprint.Delete(item)


def main() -> None:
    LOCAL_FOOTPRINTS.mkdir(exist_ok=True)
    work = [(library, name, lambda part, e=edge, s=side: trim(part, e, s)) for library, name, edge, side in TRIMMED]
    work += [(library, name, unlabel) for library, name in UNLABELLED]
    for library, name, change in work:
        footprint = pcbnew.FootprintLoad(str(FOOTPRINTS / f"{library}.pretty"), name)
        change(footprint)
        footprint.SetFPID(pcbnew.LIB_ID("zero_one", name))
        # KiCad tells a library by the footprints in it: there must be one before it saves another
        shutil.copy(FOOTPRINTS / f"{library}.pretty" / f"{name}.kicad_mod", LOCAL_FOOTPRINTS)
        pcbnew.FootprintSave(str(LOCAL_FOOTPRINTS), footprint)


if __name__ == "__main__":
    main()
