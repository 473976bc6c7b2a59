"""Deliberate mistakes, drawn into copies of the sheets and sent through KiCad: a rule must catch each one."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Tree = list[Any]
Redraw = Callable[[str, Callable[[Tree], None]], Any]


@pytest.fixture
def redraw(root: Path, tmp_path: Path) -> Redraw:
    """Copy the project, change one sheet's S-expression, return the netlist KiCad then sees."""
    import netlist
    import sexpr

    def change(sheet: str, edit: Callable[[Tree], None]) -> Any:
        folder = tmp_path / "schematics"
        shutil.copytree(root / "hardware" / "schematics", folder)
        path = folder / f"{sheet}.kicad_sch"
        tree = sexpr.parse(path.read_text(encoding="utf-8"))
        before = sexpr.dump(tree)
        edit(tree)
        assert sexpr.dump(tree) != before, "the mistake was not made"
        path.write_text(sexpr.dump(tree), encoding="utf-8")
        return netlist.load(folder / "zero_one_light.kicad_sch")

    return change


def _field(symbol: Tree, name: str) -> Tree:
    return next(item for item in symbol if isinstance(item, list) and item[:2] == ["property", name])


def _symbols(tree: Tree, ref: str) -> list[Tree]:
    return [
        item for item in tree if isinstance(item, list) and item[0] == "symbol" and _field(item, "Reference")[2] == ref
    ]


def without(ref: str) -> Callable[[Tree], None]:
    def edit(tree: Tree) -> None:
        for symbol in _symbols(tree, ref):
            tree.remove(symbol)

    return edit


def renamed(kind: str, names: dict[str, str]) -> Callable[[Tree], None]:
    """Rename labels of one kind, all at once, so that two can be swapped."""

    def edit(tree: Tree) -> None:
        for item in tree:
            if isinstance(item, list) and item[0] == kind:
                item[1] = names.get(item[1], item[1])

    return edit


def with_value(old: str, new: str, above: str) -> Callable[[Tree], None]:
    """The supply symbol `old` that stands over part `above` becomes `new`."""

    def edit(tree: Tree) -> None:
        part = _symbols(tree, above)[-1]
        x = next(item for item in part if isinstance(item, list) and item[0] == "at")[1]
        for item in tree:
            if isinstance(item, list) and item[0] == "symbol" and _field(item, "Value")[2] == old:
                at = next(child for child in item if isinstance(child, list) and child[0] == "at")
                if at[1] == x:
                    _field(item, "Value")[2] = new
                    return

    return edit


def test_swapped_pins_are_caught(redraw: Redraw, pins: dict[str, Any]) -> None:
    import rules

    bad = redraw("mcu", renamed("hierarchical_label", {"MIC_BCLK": "MIC_WS", "MIC_WS": "MIC_BCLK"}))
    assert any("GPIO4" in problem and "MIC_WS" in problem for problem in rules.pins_on_nets(bad, pins))


def test_gpio_used_twice_is_caught_in_the_drawing(redraw: Redraw, pins: dict[str, Any]) -> None:
    import rules

    bad = redraw("mcu", renamed("hierarchical_label", {"LED_EN": "AMP_EN"}))
    assert any("joins GPIO" in problem for problem in rules.pins_on_nets(bad, pins))


def test_gpio_used_twice_is_caught_in_the_table(pins: dict[str, Any]) -> None:
    import rules

    bad = copy.deepcopy(pins)
    bad["pins"]["LED_DATA"]["gpio"] = bad["pins"]["AMP_EN"]["gpio"]
    assert any("given to AMP_EN and LED_DATA" in problem for problem in rules.pin_table(bad))


@pytest.mark.parametrize(("net", "gpio"), [("LED_DATA", 36), ("HAPTIC_EN", 45)])
def test_forbidden_gpio_is_caught(net: str, gpio: int, pins: dict[str, Any]) -> None:
    import rules

    bad = copy.deepcopy(pins)
    bad["pins"][net]["gpio"] = gpio
    assert any(problem.startswith(net) for problem in rules.pin_table(bad))


@pytest.mark.parametrize(("ref", "net"), [("R601", "I2C_SDA"), ("R602", "I2C_SCL")])
def test_missing_pull_up_is_caught(redraw: Redraw, pins: dict[str, Any], ref: str, net: str) -> None:
    import rules

    bad = redraw("expansion", without(ref))
    assert any(problem.startswith(net) for problem in rules.i2c(bad, pins))


def test_second_device_on_an_address_is_caught(board: Any, pins: dict[str, Any]) -> None:
    import rules

    bad = copy.deepcopy(pins)
    bad["i2c"]["DRV2605L"] = bad["i2c"]["MAX17048"]
    assert any("twice" in problem for problem in rules.i2c(board, bad))


@pytest.mark.parametrize("part", ["MK1", "U401"])
def test_microphone_rail_that_the_switch_does_not_cut_is_caught(redraw: Redraw, part: str) -> None:
    """A microphone, or the buffer in front of it, that hangs on +3V3 directly."""
    import rules

    bad = redraw("audio", with_value("MIC_VDD", "+3V3", above=part))
    assert any(part in problem for problem in rules.mute(bad))


def test_clock_that_bypasses_the_buffer_is_caught(redraw: Redraw) -> None:
    """The module's clock on a microphone's pin could feed it through its protection diodes."""
    import rules

    bad = redraw("audio", renamed("label", {"MICB_BCLK": "MIC_BCLK"}))
    assert any("U301" in problem for problem in rules.mute(bad))


def test_bridge_over_the_mute_switch_is_caught(redraw: Redraw) -> None:
    import rules

    bad = redraw("user_interface", with_value("GND", "+3V3", above="R503"))
    assert any("R503" in problem for problem in rules.mute(bad))


@pytest.mark.parametrize(("sheet", "ref"), [("audio", "C404"), ("usb_charger", "C103"), ("battery_rails", "C202")])
def test_missing_capacitor_is_caught(redraw: Redraw, sheet: str, ref: str) -> None:
    """Where one capacitor alone serves a chip, its absence is a problem; C404 is a spare and is not."""
    import rules

    bad = redraw(sheet, without(ref))
    problems = rules.decoupling(bad)
    assert bool(problems) == (ref == "C202")


def test_signal_on_a_strapping_pin_is_caught(redraw: Redraw, pins: dict[str, Any]) -> None:
    """BOOT without its pull-up may start the downloader at power-on."""
    import rules

    bad = redraw("mcu", without("R302"))
    assert rules.strapping(bad, pins)


def test_amplifier_that_is_not_held_off_is_caught(redraw: Redraw) -> None:
    import rules

    assert rules.defaults_off(redraw("audio", without("R403")))


def test_shared_cc_resistor_is_caught(redraw: Redraw) -> None:
    import rules

    bad = redraw("usb_charger", renamed("label", {"CC2": "CC1"}))
    assert rules.usb(bad)


@pytest.mark.parametrize(
    ("ref", "value", "rule"), [("R104", "100k", "levels"), ("R104", "1M", "levels"), ("C102", "22u", "usb_inrush")]
)
def test_wrong_value_is_caught(redraw: Redraw, ref: str, value: str, rule: str) -> None:
    """Half of VBUS is no sure 1; nearly all of it is more than the pin bears; 27 uF is more than a plug may meet."""
    import rules

    def edit(tree: Tree) -> None:
        _field(_symbols(tree, ref)[0], "Value")[2] = value

    assert getattr(rules, rule)(redraw("usb_charger", edit))


def test_part_without_order_number_is_caught(redraw: Redraw) -> None:
    import rules

    def edit(tree: Tree) -> None:
        symbol = _symbols(tree, "U402")[0]
        symbol.remove(_field(symbol, "MPN"))

    assert rules.part_data(redraw("audio", edit)) == ["U402 lacks MPN"]
