"""The part catalogue `hardware/parts.toml` as `Part`s the sheets can place: `R:10k`, `C:100n`, or a key."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import symbols
from drawing import Part

HARDWARE = Path(__file__).resolve().parents[1]


def read() -> dict[str, Any]:
    return tomllib.loads((HARDWARE / "parts.toml").read_text(encoding="utf-8"))


def _buy(maker: str, mpn: str, price: list[float], source: str) -> dict[str, str]:
    return {
        "MPN": mpn,
        "Manufacturer": maker,
        "Price 1": f"{price[0]:.3f}",
        "Price 100": f"{price[1]:.3f}",
        "Price from": source,
    }


def load() -> dict[str, Part]:
    table = read()
    source = table["defaults"]["price_from"]
    parts: dict[str, Part] = {}
    for group in ("ic", "part"):
        for key, entry in table[group].items():
            footprint = entry.get("footprint") or symbols.default_field(entry["symbol"], "Footprint")
            parts[key] = Part(
                entry["symbol"],
                entry["value"],
                footprint,
                entry["datasheet"],
                _buy(entry["maker"], entry["mpn"], entry["price"], entry.get("price_from", source)),
            )
    resistor = table["resistor"]
    for value, code in resistor["values"].items():
        parts[f"R:{value}"] = Part(
            "Device:R_Small",
            value,
            resistor["footprint"],
            resistor["datasheet"],
            _buy("Yageo", f"RC0603FR-07{code}L", resistor["price"], source),
        )
    for value, entry in table["capacitor"]["values"].items():
        metric = {"0603": "1608", "0805": "2012"}[entry["case"]]
        parts[f"C:{value}"] = Part(
            "Device:C_Small",
            value,
            f"Capacitor_SMD:C_{entry['case']}_{metric}Metric",
            table["capacitor"]["datasheet"],
            {**_buy("Samsung", entry["mpn"], entry["price"], source), "Note": entry["note"]},
        )
    for key, entry in table["mechanical"].items():
        parts[key] = Part(entry["symbol"], entry.get("value", ""), entry["footprint"], in_bom=False)
    return parts
