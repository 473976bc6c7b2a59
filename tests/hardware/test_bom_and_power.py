"""Money and milliamperes."""

from __future__ import annotations

import copy
import csv
from pathlib import Path
from typing import Any

import pytest

TARGET_USD = 45.0


def test_parts_for_one_device_cost_less_than_the_target_at_a_hundred(board: Any) -> None:
    import bom

    found = bom.lines(board)
    assert 20 < bom.total(found) < TARGET_USD
    assert bom.total(found, hundred=False) > bom.total(found)


def test_bom_counts_every_part_once(root: Path, board: Any) -> None:
    """The CSV lists each bought part exactly once, with a price and where the price is from."""
    with (root / "hardware" / "exports" / "bom.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    refs = [ref for row in rows for ref in row["References"].split()]
    assert sorted(refs) == sorted(part.ref for part in board.components.values() if part.in_bom)
    assert len({row["MPN"] for row in rows}) == len(rows)
    for row in rows:
        assert int(row["Quantity"]) == (len(row["References"].split()) or int(row["Quantity"]))
        assert 0 < float(row["USD at 100"]) <= float(row["USD at 1"])
        assert row["Price from"] == "estimate" or row["Price from"].startswith("http")


def test_no_rail_is_overloaded() -> None:
    import power

    assert power.overloads(power.read()) == []


def test_battery_lasts_two_hours_on_wifi_in_every_waking_mode() -> None:
    import power

    table = power.read()
    for mode, name in enumerate(table["modes"]):
        if name != "sleep":
            assert power.hours(table, mode) > 2.0, name
    assert power.hours(table, 0) > 90 * 24


def test_budget_names_parts_of_the_board(board: Any) -> None:
    """Each load is a real part on the rail that the budget says."""
    import power

    for load in power.read()["load"]:
        nets = {net for net, nodes in board.nets.items() for node in nodes if node.ref == load["part"]}
        assert load["rail"] in nets or (load["part"], load["rail"]) == ("D502", "+3V3"), load


@pytest.mark.parametrize(
    ("part", "peak", "rail"), [("U301", 700, "+3V3"), ("U402", 2500, "VSYS"), ("MK1", 400, "MIC_VDD")]
)
def test_overload_is_noticed(part: str, peak: float, rail: str) -> None:
    """A load that grows beyond its source is reported on that rail."""
    import power

    table = copy.deepcopy(power.read())
    next(load for load in table["load"] if load["part"] == part)["peak"] = peak
    assert any(problem.startswith(rail) for problem in power.overloads(table))
