"""Power budget: rail sums and battery life from `hardware/power.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

HARDWARE = Path(__file__).resolve().parents[1]
FEEDS = {"MIC_VDD": "+3V3", "LED_VDD": "VSYS"}  # rail -> rail it hangs on, same voltage


def read() -> dict[str, Any]:
    return tomllib.loads((HARDWARE / "power.toml").read_text(encoding="utf-8"))


def rail_sum(table: dict[str, Any], rail: str, column: int | str, voltage: float) -> float:
    """Current in mA that `rail` carries in a mode (index) or at "peak"; `voltage` is the cell's."""
    own = sum(
        load["peak"] if column == "peak" else load["ma"][column] for load in table["load"] if load["rail"] == rail
    )
    own += sum(rail_sum(table, child, column, voltage) for child, parent in FEEDS.items() if parent == rail)
    if rail == "VSYS":  # the buck-boost draws the 3.3 V rail's power from here
        own += rail_sum(table, "+3V3", column, voltage) * 3.3 / (voltage * table["rail"]["+3V3"]["efficiency"])
    return own


def hours(table: dict[str, Any], mode: int) -> float:
    cell = table["cell"]
    return float(cell["capacity_mah"] * cell["usable"] / rail_sum(table, "VSYS", mode, cell["voltage"]))


def overloads(table: dict[str, Any]) -> list[str]:
    """Rails whose worst case, at the lowest cell voltage, is above what their source gives."""
    return [
        f"{rail}: {worst:.0f} mA of {limits['limit_ma']} mA"
        for rail, limits in table["rail"].items()
        if (worst := rail_sum(table, rail, "peak", table["cell"]["lowest"])) > limits["limit_ma"]
    ]


def markdown(table: dict[str, Any]) -> str:
    """The budget as Markdown tables: loads, rails, battery life."""
    modes = table["modes"]
    lines = [
        f"| part | rail | {' | '.join(f'{m} mA' for m in modes)} | peak mA | from |",
        "|---|---|" + "---:|" * (len(modes) + 1) + "---|",
    ]
    for load in table["load"]:
        row = " | ".join(f"{value:g}" for value in [*load["ma"], load["peak"]])
        lines.append(f"| {load['what']} ({load['part']}) | {load['rail']} | {row} | {load['source']} |")
    lines += ["", "| rail | worst case mA | limit mA | in use |", "|---|---:|---:|---:|"]
    for rail, limits in table["rail"].items():
        worst = rail_sum(table, rail, "peak", table["cell"]["lowest"])
        lines.append(f"| {rail} | {worst:.0f} | {limits['limit_ma']} | {worst / limits['limit_ma']:.0%} |")
    lines += [
        "",
        f"| mode | from the cell, mA at {table['cell']['voltage']} V | life with {table['cell']['capacity_mah']} mAh |",
        "|---|---:|---:|",
    ]
    for index, mode in enumerate(modes):
        life = hours(table, index)
        shown = f"{life / 24:.0f} days" if life > 100 else f"{life:.1f} h"
        lines.append(f"| {mode} | {rail_sum(table, 'VSYS', index, table['cell']['voltage']):.3g} | {shown} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(read()))
