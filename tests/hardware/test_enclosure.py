"""The enclosure by geometry: closed meshes, no collisions, every opening where the board needs it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

TOUCH = 0.01  # mm3: less than this is two faces touching


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    from enclosure import export

    return export.parts()


@pytest.fixture(scope="module")
def inside() -> dict[str, Any]:
    """Everything that lies in the case."""
    from enclosure import board_model

    return {**board_model.boxes(), "board": board_model.board(), **board_model.loose_parts()}


def overlap(a: Any, b: Any) -> float:
    """Common volume in mm3; boxes that do not meet are not worth a boolean."""
    box_a, box_b = a.bounding_box(), b.bounding_box()
    if any(
        getattr(box_a.max, axis) <= getattr(box_b.min, axis) or getattr(box_b.max, axis) <= getattr(box_a.min, axis)
        for axis in "XYZ"
    ):
        return 0.0
    common = a.intersect(b)
    if common is None:
        return 0.0
    solids = common if isinstance(common, list) else [common]
    return sum(float(solid.volume) for solid in solids)


def test_parts_are_single_valid_solids(made: dict[str, Any]) -> None:
    for name, part in made.items():
        assert part.is_valid and len(part.solids()) == 1, name


def test_meshes_are_watertight_and_match_the_committed_ones(root: Path, made: dict[str, Any]) -> None:
    """The STL files in the repository are closed, of positive volume, and of the volume that the code makes."""
    import trimesh

    for name, part in made.items():
        mesh = trimesh.load(root / "hardware" / "exports" / "enclosure" / f"{name}.stl")
        assert mesh.is_watertight and mesh.is_winding_consistent, name
        assert mesh.volume == pytest.approx(part.volume, rel=0.01), name
        assert (root / "hardware" / "exports" / "enclosure" / f"{name}.step").stat().st_size > 10_000


def test_device_is_within_its_limits(made: dict[str, Any]) -> None:
    from enclosure import parameters as p

    boxes = [part.bounding_box() for part in made.values()]
    size = [
        max(getattr(box.max, axis) for box in boxes) - min(getattr(box.min, axis) for box in boxes) for axis in "XYZ"
    ]
    assert all(got <= limit for got, limit in zip(size, p.MECHANICS["device"]["max"], strict=True)), size


def test_printed_parts_do_not_collide(made: dict[str, Any]) -> None:
    for (a, first), (b, second) in itertools.combinations(made.items(), 2):
        assert overlap(first, second) < TOUCH, f"{a} and {b}"


@pytest.mark.parametrize("name", ["shell", "lid", "cap"])
def test_no_part_of_the_board_collides(made: dict[str, Any], inside: dict[str, Any], name: str) -> None:
    bad = {ref: round(volume, 3) for ref, solid in inside.items() if (volume := overlap(made[name], solid)) >= TOUCH}
    assert bad == {}


def test_loose_parts_do_not_collide_with_the_board(inside: dict[str, Any]) -> None:
    """Cell, speaker and motor have their own room; screw heads touch only the board's face."""
    loose = {"cell", "speaker", "motor"}
    for name in loose:
        for ref, solid in inside.items():
            if ref != name:
                assert overlap(inside[name], solid) < TOUCH, f"{name} and {ref}"


def _probes() -> dict[str, tuple[str, Any]]:
    """What must pass through which part: opening -> (part, solid that goes through)."""
    from enclosure import parameters as p
    from enclosure.shapes import block, rod

    mechanics = p.MECHANICS
    usb, qwiic, mute = mechanics["usb_c"], mechanics["qwiic"], mechanics["mute_switch"]
    usb_z, qwiic_z, mute_z = (-p.THICKNESS - item["height"] / 2 for item in (usb, qwiic, mute))
    reach = (mute["actuator_travel"] + mute["actuator"][0]) / 2
    found = {
        "usb plug": ("shell", block((usb["at"][0] - 6.2, usb["at"][0] + 6.2), (43.5, 50), (usb_z - 3.3, usb_z + 3.3))),
        "qwiic plug": (
            "shell",
            block((-5, 0.5), (qwiic["at"][1] - 3.0, qwiic["at"][1] + 3.0), (qwiic_z - 1.5, qwiic_z + 1.5)),
        ),
        "mute actuator": (
            "shell",
            block((49, 55), (mute["at"][1] - reach, mute["at"][1] + reach), (mute_z - 0.7, mute_z + 0.7)),
        ),
        "button": ("lid", rod(tuple(mechanics["talk_button"]["at"]), p.CAP_RADIUS, (p.LID_INNER - 1, p.LID_TOP + 2))),
        "light": ("lid", rod(tuple(mechanics["led"]["at"]), 1.5, (1.7, p.LID_TOP + 2))),
        "mute light": ("lid", rod(tuple(mechanics["mute_led"]["at"]), 0.8, (0.9, p.LID_TOP + 2))),
        "sound out": ("shell", rod(p.SPEAKER_AT, 0.9, (p.FOOT_BOTTOM - 1, p.FLOOR_INNER + 2))),
    }
    for number, microphone in enumerate(mechanics["microphone"], start=1):
        found[f"microphone {number}"] = ("lid", rod(tuple(microphone["port"]), 0.5, (0.1, p.LID_TOP + 2)))
    for number, hole in enumerate(mechanics["hole"], start=1):
        found[f"screw {number}"] = ("lid", rod(tuple(hole["at"]), 0.75, (0.0, 4.4)))
    return found


@pytest.mark.parametrize(
    "name",
    [
        "usb plug",
        "qwiic plug",
        "mute actuator",
        "button",
        "light",
        "mute light",
        "sound out",
        "microphone 1",
        "microphone 2",
        "screw 1",
        "screw 2",
        "screw 3",
        "screw 4",
    ],
)
def test_openings_line_up_with_the_board(made: dict[str, Any], name: str) -> None:
    """A probe at the board part's own place passes, and the same probe moved aside by 3 mm does not."""
    from build123d import Pos

    part, probe = _probes()[name]
    assert overlap(made[part], probe) < TOUCH
    aside = Pos(0, 3, 0) if name in ("qwiic plug", "mute actuator") else Pos(3, 0, 0)
    assert overlap(made[part], aside * probe) > TOUCH


def test_openings_follow_the_routed_board(root: Path) -> None:
    """The numbers that the case is drawn from are where the parts really are, ports of the microphones included."""
    import tomllib

    from enclosure import parameters as p

    placement = tomllib.loads((root / "hardware" / "placement.toml").read_text(encoding="utf-8"))
    for ref, key in (("SW501", "talk_button"), ("D503", "led"), ("D502", "mute_led")):
        assert [placement[ref]["x"], placement[ref]["y"]] == pytest.approx(p.MECHANICS[key]["at"])
    for microphone in p.MECHANICS["microphone"]:
        place = placement[microphone["ref"]]
        assert place["angle"] == 0  # then the hole lies 0.71 mm below the middle, as its footprint has it
        assert [place["x"], place["y"] + 0.71] == pytest.approx(microphone["port"])


def test_cap_rests_on_the_plunger_and_can_travel(made: dict[str, Any], inside: dict[str, Any]) -> None:
    from build123d import Pos
    from enclosure import parameters as p

    cap = made["cap"]
    assert 0 < cap.bounding_box().min.Z - p.PLUNGER < 0.2
    pressed = Pos(0, 0, -p.MECHANICS["talk_button"]["travel"] - 0.1) * cap
    assert overlap(pressed, made["lid"]) < TOUCH
    assert [ref for ref, solid in inside.items() if ref != "plunger" and overlap(pressed, solid) >= TOUCH] == []


def test_no_metal_near_the_antenna(inside: dict[str, Any]) -> None:
    from enclosure import board_model
    from enclosure import parameters as p

    antenna = board_model.antenna()
    for name in ("cell", "speaker", "motor", "screw 1", "screw 2", "screw 3", "screw 4"):
        assert inside[name].distance_to(antenna) >= p.MECHANICS["antenna"]["keepout"], name


def test_every_part_has_a_known_height(board: Any) -> None:
    """A new footprint without a height would silently leave a hole in the collision check."""
    from enclosure import board_model

    for part in board.components.values():
        name = part.footprint.split(":")[1]
        assert name.startswith(board_model.FLAT) or board_model.height(name) > 0
