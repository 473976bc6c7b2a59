"""The committed board: DRC clean and in step with the schematic, fits the mechanics, files for the fab are fresh."""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest

BOARD = "hardware/schematics/zero_one_light.kicad_pcb"


@pytest.fixture(scope="module")
def drc(root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    import kicad

    report = tmp_path_factory.mktemp("drc") / "drc.json"
    kicad.cli("pcb", "drc", "--schematic-parity", "--severity-all", "--format", "json", "-o", report, root / BOARD)
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def tree(root: Path) -> list[Any]:
    import sexpr

    return sexpr.parse((root / BOARD).read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def mechanics(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "hardware" / "mechanical.toml").read_text(encoding="utf-8"))


def _footprints(tree: list[Any]) -> dict[str, dict[str, Any]]:
    """Reference -> position, face and pads (net, layers) of every footprint."""
    import sexpr

    found = {}
    for item in sexpr.children(tree, "footprint"):
        at = sexpr.child(item, "at")
        layer = sexpr.child(item, "layer")
        assert at
        assert layer
        ref = next(field[2] for field in sexpr.children(item, "property") if field[1] == "Reference")
        found[ref] = {
            "x": float(at[1]),
            "y": float(at[2]),
            "side": "top" if layer[1] == "F.Cu" else "bottom",
            "node": item,
        }
    return found


def test_drc_has_no_violation_at_any_severity(drc: dict[str, Any]) -> None:
    assert [(v["type"], v["description"]) for v in drc["violations"]] == []


def test_board_and_schematic_agree(drc: dict[str, Any]) -> None:
    assert drc["schematic_parity"] == []


def test_everything_is_connected(drc: dict[str, Any]) -> None:
    """Counted apart from the violations: nothing is left unrouted."""
    assert len(drc["unconnected_items"]) == 0


def test_drc_rules_are_not_softened(root: Path) -> None:
    """Severities are KiCad's own, nothing is excluded, and the limits are what the fab can make."""
    settings = json.loads((root / BOARD).with_suffix(".kicad_pro").read_text(encoding="utf-8"))
    design = settings["board"]["design_settings"]
    assert design.get("rule_severities", {}) == {}
    assert design.get("drc_exclusions", []) == []
    assert design["rules"]["min_clearance"] >= 0.15
    assert design["rules"]["min_copper_edge_clearance"] >= 0.5


def test_outline_is_the_agreed_size(tree: list[Any], mechanics: dict[str, Any]) -> None:
    import sexpr

    points = []
    for kind in ("gr_line", "gr_arc"):
        for item in sexpr.children(tree, kind):
            layer = sexpr.child(item, "layer")
            if layer and layer[1] == "Edge.Cuts":
                points += [
                    tuple(map(float, node[1:3])) for name in ("start", "end") if (node := sexpr.child(item, name))
                ]
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    assert (min(xs), min(ys)) == (0.0, 0.0)
    assert [max(xs), max(ys)] == mechanics["board"]["size"]
    assert all(
        size <= limit for size, limit in zip(mechanics["board"]["size"], mechanics["device"]["max"], strict=False)
    )


@pytest.mark.parametrize(
    ("ref", "key"),
    [
        ("SW501", "talk_button"),
        ("D503", "led"),
        ("D502", "mute_led"),
        ("J201", "battery_connector"),
        ("J401", "speaker_connector"),
        ("J501", "haptic_connector"),
        ("U301", "module"),
    ],
)
def test_parts_sit_where_the_enclosure_expects_them(
    tree: list[Any], mechanics: dict[str, Any], ref: str, key: str
) -> None:
    part = _footprints(tree)[ref]
    assert [part["x"], part["y"]] == pytest.approx(mechanics[key]["at"], abs=0.01)
    assert part["side"] == mechanics[key]["side"]


def test_connectors_and_switch_line_up_with_their_openings(tree: list[Any], mechanics: dict[str, Any]) -> None:
    parts = _footprints(tree)
    assert parts["J101"]["x"] == pytest.approx(mechanics["usb_c"]["at"][0], abs=0.01)
    assert parts["J101"]["y"] + 3.65 == pytest.approx(
        mechanics["usb_c"]["at"][1] + mechanics["usb_c"]["overhang"], abs=0.01
    )
    assert parts["SW502"]["y"] == pytest.approx(mechanics["mute_switch"]["at"][1], abs=0.01)
    assert parts["J601"]["y"] == pytest.approx(mechanics["qwiic"]["at"][1], abs=0.01)
    for hole, ref in zip(mechanics["hole"], ("H601", "H602", "H603", "H604"), strict=True):
        assert [parts[ref]["x"], parts[ref]["y"]] == pytest.approx(hole["at"], abs=0.01)
    for microphone in mechanics["microphone"]:
        part = parts[microphone["ref"]]
        assert math.dist((part["x"], part["y"]), microphone["at"]) < 0.01
        assert part["side"] == "bottom"


def test_antenna_hangs_over_the_edge_and_nothing_is_near_it(tree: list[Any], mechanics: dict[str, Any]) -> None:
    """The module's keep-out lies wholly outside the board, so no copper can be in it."""
    module = _footprints(tree)["U301"]
    assert module["y"] - 6.75 == pytest.approx(0.0, abs=0.01)
    assert 12.75 - module["y"] == pytest.approx(mechanics["antenna"]["overhang"], abs=0.01)


def test_ground_plane_is_solid(tree: list[Any]) -> None:
    """One filled ground area on the first inner layer, no tracks there or on the supply plane."""
    import sexpr

    zones = {}
    for zone in sexpr.children(tree, "zone"):
        layer, net = sexpr.child(zone, "layer"), sexpr.child(zone, "net_name")
        if layer and net:
            zones.setdefault(layer[1], []).append((net[1], len(sexpr.children(zone, "filled_polygon"))))
    assert zones["In1.Cu"] == [("GND", 1)]
    assert zones["In2.Cu"] == [("+3V3", 1)]
    layers = {layer[1] for item in sexpr.children(tree, "segment") if (layer := sexpr.child(item, "layer"))}
    assert layers <= {"F.Cu", "B.Cu"}


def _inside(point: tuple[float, float], polygon: list[tuple[float, float]]) -> bool:
    """Even-odd rule."""
    x, y = point
    hit = False
    for (x1, y1), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            hit = not hit
    return hit


@pytest.mark.parametrize("name", ["VBUS", "VBUS_IN", "VSYS", "VBAT", "CELL-", "SW1", "SW2", "SPK_P", "SPK_N"])
def test_power_copper_is_wide(tree: list[Any], name: str) -> None:
    """Of the tracks of a high-current net, at most 45 % are thinner than 0.3 mm and outside a pour of that net.

    The thin rest are necks into small pads and branches to test pads and to pull-ups, which carry no current,
    and for VSYS the branch to the amplifier (0.25 A).
    """
    import sexpr

    names = {int(net[1]): net[2].split("/")[-1] for net in sexpr.children(tree, "net")}
    areas: dict[str, list[list[tuple[float, float]]]] = {}
    for zone in sexpr.children(tree, "zone"):
        net = sexpr.child(zone, "net_name")
        if net and net[1].split("/")[-1] == name:
            for fill in sexpr.children(zone, "filled_polygon"):
                layer, points = sexpr.child(fill, "layer"), sexpr.child(fill, "pts")
                assert layer
                assert points
                areas.setdefault(layer[1], []).append([(float(xy[1]), float(xy[2])) for xy in points[1:]])
    total = thin = 0.0
    for item in sexpr.children(tree, "segment"):
        start, end, width, net, layer = (sexpr.child(item, key) for key in ("start", "end", "width", "net", "layer"))
        assert start
        assert end
        assert width
        assert net
        assert layer
        if names[int(net[1])] != name:
            continue
        a, b = (float(start[1]), float(start[2])), (float(end[1]), float(end[2]))
        length = math.dist(a, b)
        total += length
        middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        if float(width[1]) < 0.3 and not any(_inside(middle, area) for area in areas.get(layer[1], [])):
            thin += length
    assert total > 0 and thin <= 0.45 * total, f"{name}: {thin:.1f} of {total:.1f} mm thin"


def test_fabrication_files_are_fresh(root: Path, tmp_path: Path) -> None:
    """Gerbers, drill and position files in the repository come from this very board."""
    import fab

    fresh = fab.write(tmp_path)
    committed = sorted(path.name for path in fab.FAB.iterdir())
    assert [path.name for path in fresh] == committed
    for path in fresh:
        assert fab.content(path) == fab.content(fab.FAB / path.name), path.name


def test_positions_list_every_soldered_part(root: Path, board: Any) -> None:
    import csv

    import fab

    with (fab.FAB / "positions.csv").open(encoding="utf-8", newline="") as file:
        placed = {row["Ref"] for row in csv.DictReader(file)}
    assert placed == {part.ref for part in board.components.values() if part.in_bom}
