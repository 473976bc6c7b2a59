"""Files for the board house and pictures of the board, from the finished `.kicad_pcb`.

`fab.py` writes them; the tests make the manufacturing files anew and compare them without their dates.
"""

from __future__ import annotations

import re
from pathlib import Path

import kicad

HARDWARE = Path(__file__).resolve().parents[1]
BOARD = HARDWARE / "schematics" / "zero_one_light.kicad_pcb"
FAB = HARDWARE / "exports" / "fab"
LAYERS = "F.Cu,In1.Cu,In2.Cu,B.Cu,F.Mask,B.Mask,F.Paste,B.Paste,F.Silkscreen,B.Silkscreen,Edge.Cuts"
_DATES = re.compile(r"(?m)^.*(CreationDate|date|Date|Created|created|GenerationSoftware).*$")


def write(folder: Path) -> list[Path]:
    """Gerbers, drill files and positions of all soldered parts into `folder`; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    kicad.cli("pcb", "export", "gerbers", "--layers", LAYERS, "--no-protel-ext", "-o", f"{folder}/", BOARD)
    kicad.cli("pcb", "export", "drill", "--excellon-separate-th", "-o", f"{folder}/", BOARD)
    kicad.cli(
        "pcb",
        "export",
        "pos",
        "--format",
        "csv",
        "--units",
        "mm",
        "--side",
        "both",
        "--exclude-dnp",
        "-o",
        folder / "positions.csv",
        BOARD,
    )
    return sorted(folder.iterdir())


def content(path: Path) -> str:
    """Text of a manufacturing file without the lines that carry dates."""
    return _DATES.sub("", path.read_text(encoding="utf-8"))


def pictures(folder: Path) -> None:
    """Both faces as PNG, and the assembly drawings with all references as SVG.

    Without KiCad's 3D models (Debian: kicad-packages3d, 6 GB unpacked) the PNGs would be bare, so they are left.
    """
    if kicad.models_folder().is_dir():
        _render(folder)
    else:
        print("no 3D models here (Debian: kicad-packages3d): board_top.png and board_bottom.png are left as they are")
    for side, layers in (("top", "F.Fab,F.Mask,Edge.Cuts"), ("bottom", "B.Fab,B.Mask,Edge.Cuts")):
        mirror = ["--mirror"] if side == "bottom" else []
        kicad.cli(
            "pcb",
            "export",
            "svg",
            "--layers",
            layers,
            "--page-size-mode",
            "2",
            "--exclude-drawing-sheet",
            "--drill-shape-opt",
            "0",
            *mirror,
            "--mode-single",
            "-o",
            folder / f"assembly_{side}.svg",
            BOARD,
        )


def _render(folder: Path) -> None:
    for side in ("top", "bottom"):
        kicad.cli(
            "pcb",
            "render",
            "--side",
            side,
            "--width",
            "1400",
            "--height",
            "1250",
            "--quality",
            "basic",
            "--background",
            "opaque",
            "-o",
            folder / f"board_{side}.png",
            BOARD,
        )


def main() -> None:
    for old in FAB.glob("*"):
        old.unlink()
    print("\n".join(path.name for path in write(FAB)))
    pictures(HARDWARE.parent / "docs" / "hardware")


if __name__ == "__main__":
    main()
