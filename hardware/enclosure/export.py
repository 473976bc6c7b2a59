"""Write STEP and STL of shell, lid and cap, and a line drawing of how they go together.

Run from `hardware/` as `python -m enclosure.export`.
"""

from __future__ import annotations

from pathlib import Path

from build123d import Compound, ExportSVG, LineType, Part, Pos, export_step, export_stl

from . import board_model, cap, lid, shell
from . import parameters as p

OUT = p.HARDWARE / "exports" / "enclosure"
DRAWING = p.HARDWARE.parent / "docs" / "hardware" / "enclosure.svg"
TOLERANCE = 0.02  # mm between mesh and shape


def parts() -> dict[str, Part]:
    return {"shell": shell.make(), "lid": lid.make(), "cap": cap.make()}


def write(folder: Path) -> list[Path]:
    """STEP and STL of every part into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in parts().items():
        export_step(part, folder / f"{name}.step", timestamp="2026-11-22T00:00:00")
        export_stl(part, folder / f"{name}.stl", tolerance=TOLERANCE, angular_tolerance=0.2)
    return sorted(folder.iterdir())


def draw(target: Path) -> None:
    """Exploded view, hidden lines left out."""
    made = parts()
    inside = [*board_model.boxes().values(), board_model.board()]
    whole = Compound(
        [
            made["shell"],
            *(Pos(0, 0, 32) * item for item in inside),
            Pos(0, 0, 52) * made["lid"],
            Pos(0, 0, 80) * made["cap"],
        ]
    )
    middle = (p.CENTRE[0], -p.CENTRE[1], 25)
    seen, _ = whole.project_to_viewport((middle[0] + 160, middle[1] - 220, 150), look_at=middle)
    drawing = ExportSVG(scale=3)
    drawing.add_layer("seen", line_weight=0.25, line_type=LineType.CONTINUOUS)
    drawing.add_shape(seen, layer="seen")
    drawing.write(target)


def main() -> None:
    for path in write(OUT):
        print(path.name)
    draw(DRAWING)


if __name__ == "__main__":
    main()
