"""Rules over the netlist of the real board, and the part counts somebody should have decided on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

DESIGN = {  # the agreement between firmware and schematic
    "TALK": 1,
    "MUTE_SENSE": 2,
    "MIC_BCLK": 4,
    "MIC_WS": 5,
    "MIC_DATA": 6,
    "AMP_BCLK": 7,
    "AMP_WS": 15,
    "AMP_DATA": 16,
    "AMP_EN": 17,
    "USB_DM": 19,
    "USB_DP": 20,
    "BOOT": 0,
    "I2C_SDA": 8,
    "I2C_SCL": 9,
    "AMP_REF": 10,
    "CHG_STAT": 11,
    "VBUS_SENSE": 12,
    "LED_DATA": 18,
    "HAPTIC_EN": 21,
    "UART_TX": 43,
    "UART_RX": 44,
}


def test_pin_table_is_the_agreed_one(pins: dict[str, Any]) -> None:
    """Moving a net means changing this table, `pins.toml` and the firmware in one commit."""
    assert {net: pin["gpio"] for net, pin in pins["pins"].items()} == DESIGN


def test_pin_header_for_the_firmware_is_fresh(root: Path, pins: dict[str, Any]) -> None:
    import pins_header

    assert (root / "hardware" / "pins.h").read_text(encoding="utf-8") == pins_header.render(pins)


@pytest.mark.parametrize("rule", ["pins_on_nets", "strapping", "i2c"])
def test_rules_of_board_and_pin_table(rule: str, board: Any, pins: dict[str, Any]) -> None:
    import rules

    assert getattr(rules, rule)(board, pins) == []


@pytest.mark.parametrize("rule", ["decoupling", "part_data", "mute", "usb", "usb_inrush", "levels", "defaults_off"])
def test_rules_of_the_board(rule: str, board: Any) -> None:
    import rules

    assert getattr(rules, rule)(board) == []


def test_pin_table_rules(pins: dict[str, Any]) -> None:
    import rules

    assert rules.pin_table(pins) == []


def test_part_counts(board: Any) -> None:
    """A part that appears or vanishes by accident shows here."""
    assert Counter(part.kind for part in board.components.values()) == {
        "C": 33,
        "R": 30,
        "TP": 12,
        "U": 11,
        "J": 5,
        "SW": 4,
        "H": 4,
        "D": 3,
        "Q": 2,
        "FB": 2,
        "MK": 2,
        "F": 1,
        "TH": 1,
        "L": 1,
    }


def test_every_footprint_exists(root: Path, board: Any) -> None:
    """In KiCad's libraries, or in the project's own few."""
    import kicad

    for part in board.components.values():
        library, name = part.footprint.split(":")
        home = root / "hardware" / "schematics" if library == "zero_one" else kicad.footprint_folder()
        assert (home / f"{library}.pretty" / f"{name}.kicad_mod").is_file(), part.ref
