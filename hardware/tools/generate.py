"""Draw every schematic of the project from the sheets in `sheets/`."""

from __future__ import annotations

import json
from pathlib import Path

import boards
import catalogue
import local_symbols
import pins_header
from drawing import stable_uuid
from sheet import Sheet
from sheets import audio, battery_rails, expansion, mcu, root, usb_charger, user_interface

HARDWARE = Path(__file__).resolve().parents[1]
FOLDER = HARDWARE / "schematics"
PROJECT, REVISION, DATE = "zero_one_light", "A", "2026-11-22"

# What common four-layer fabs make without extra cost; violations keep KiCad's default severities.
FAB = {
    "board": {
        "design_settings": {
            "rules": {
                "min_clearance": 0.15,
                "min_track_width": 0.15,
                "min_through_hole_diameter": 0.2,
                "min_via_diameter": 0.5,
                "min_via_annular_width": 0.12,
                "min_copper_edge_clearance": 0.5,
                "min_hole_clearance": 0.25,
                "min_hole_to_hole": 0.25,
            }
        }
    },
    "net_settings": {
        "classes": [
            {
                "name": "Default",
                "priority": 2147483647,
                "clearance": 0.15,
                "track_width": 0.15,
                "via_diameter": 0.5,
                "via_drill": 0.25,
                "diff_pair_width": 0.2,
                "diff_pair_gap": 0.2,
                "wire_width": 6,
                "bus_width": 12,
                "line_style": 0,
                "microvia_diameter": 0.3,
                "microvia_drill": 0.1,
                "pcb_color": "rgba(0, 0, 0, 0.000)",
                "schematic_color": "rgba(0, 0, 0, 0.000)",
            }
        ],
        "meta": {"version": 4},
    },
}

CHILDREN = [
    ("usb_charger", "Power: USB and charger", usb_charger),
    ("battery_rails", "Power: battery and rails", battery_rails),
    ("mcu", "Microcontroller", mcu),
    ("audio", "Audio", audio),
    ("user_interface", "User interface", user_interface),
    ("expansion", "Expansion", expansion),
]


def board(folder: Path = FOLDER) -> None:
    """The 01 Light board: root sheet, six children, project file and library table."""
    parts = catalogue.load()
    top = Sheet(PROJECT, "01 Light", parts, "Blocks")
    root_id = stable_uuid(PROJECT, "root")
    top.path = f"/{root_id}"
    sheets = {}
    for page, (name, title, _) in enumerate(CHILDREN, start=2):
        sheets[name] = Sheet(name, title, parts, "01 Light board")
        sheets[name].page = str(page)
    root.draw(top, sheets)
    for name, _, module in CHILDREN:
        module.draw(sheets[name])
        sheets[name].write(folder, stable_uuid(name, "file"), REVISION, DATE)
    top.write(folder, root_id, REVISION, DATE)
    project_files(folder, PROJECT, "${KIPRJMOD}/zero_one.kicad_sym")


def project_files(folder: Path, name: str, library: str) -> None:
    project: dict[str, object] = {"meta": {"filename": f"{name}.kicad_pro", "version": 3}}
    if name == PROJECT:
        project |= FAB
    (folder / f"{name}.kicad_pro").write_text(json.dumps(project, indent=2) + "\n", encoding="utf-8")
    (folder / "sym-lib-table").write_text(
        "(sym_lib_table\n  (version 7)\n"
        f'  (lib (name "zero_one")(type "KiCad")(uri "{library}")(options "")(descr "Symbols of this project"))\n)\n',
        encoding="utf-8",
    )
    if name == PROJECT:
        (folder / "fp-lib-table").write_text(
            "(fp_lib_table\n  (version 7)\n"
            '  (lib (name "zero_one")(type "KiCad")(uri "${KIPRJMOD}/zero_one.pretty")(options "")'
            '(descr "Footprints of this project"))\n)\n',
            encoding="utf-8",
        )


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    local_symbols.main()
    pins_header.main()
    board()
    for name in boards.write_all(FOLDER / "boards", REVISION, DATE):
        project_files(FOLDER / "boards", name, "${KIPRJMOD}/../zero_one.kicad_sym")


if __name__ == "__main__":
    main()
