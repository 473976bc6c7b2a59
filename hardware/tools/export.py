"""Write every drawing and list that people look at: PDF, SVG, netlist, BOM, power table.

`export.py` writes them into the repository; `export.py --check` makes them anew elsewhere and tells what differs.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from pathlib import Path

import bom
import generate
import kicad
import netlist
import power

HARDWARE = Path(__file__).resolve().parents[1]
ROOT = HARDWARE.parent
BOARDS = ["m5stack_atom_echo", "esp32_s3_box_3"]


def write_all(root: Path) -> list[Path]:
    """Make all exports below `root` (laid out like the repository); returns their paths relative to it."""
    docs, lists = root / "docs" / "hardware", root / "hardware" / "exports"
    docs.mkdir(parents=True, exist_ok=True)
    lists.mkdir(parents=True, exist_ok=True)
    schematics = [netlist.SCHEMATIC, *(HARDWARE / "schematics" / "boards" / f"{name}.kicad_sch" for name in BOARDS)]
    for schematic in schematics:
        kicad.cli("sch", "export", "pdf", "-o", docs / f"{schematic.stem}.pdf", schematic)
        with tempfile.TemporaryDirectory() as folder:
            kicad.cli("sch", "export", "svg", "-o", folder, schematic)
            for svg in Path(folder).glob("*.svg"):
                name = re.sub(r"[^a-z0-9]+", "_", svg.stem.lower()).strip("_")
                (docs / f"{name}.svg").write_text(stable(svg.read_text(encoding="utf-8")), encoding="utf-8")
    xml = netlist.export_xml()
    (lists / "netlist.xml").write_text(xml, encoding="utf-8")
    found = bom.lines(netlist.parse(xml))
    (lists / "bom.csv").write_text(bom.to_csv(found), encoding="utf-8")
    (docs / "power-table.md").write_text(power.markdown(power.read()), encoding="utf-8")
    return sorted(path.relative_to(root) for folder in (docs, lists) for path in folder.iterdir())


def stable(svg: str) -> str:
    """SVG text without the names that change with the place of the file."""
    return re.sub(r"<title>[^<]*</title>", "<title/>", svg)


def content(path: Path) -> bytes:
    """What must be equal between two exports: everything, for PDF without its dates and ids."""
    data = path.read_bytes()
    if path.suffix == ".pdf":
        data = re.sub(rb"/(CreationDate|ModDate) ?\([^)]*\)|/ID ?\[[^\]]*\]|xref.*", b"", data, flags=re.S)
    return data


def differences() -> list[str]:
    """Exports in the repository that no longer match the schematics."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder)
        return [
            f"{path} is not what the sources give; run `make hardware-exports`"
            for path in write_all(fresh)
            if not (ROOT / path).is_file() or content(ROOT / path) != content(fresh / path)
        ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    if parser.parse_args().check:
        found = differences()
        print("\n".join(found) or "all hardware exports match their sources")
        return 1 if found else 0
    generate.main()
    with tempfile.TemporaryDirectory() as folder:
        for path in write_all(Path(folder)):
            fresh, here = Path(folder) / path, ROOT / path
            if not here.is_file() or content(here) != content(fresh):  # a new date alone is no change
                here.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(fresh, here)
                print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
