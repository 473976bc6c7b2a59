"""Bill of materials: parts of the netlist grouped by order number, and what is bought beside the board."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, field

import catalogue
from netlist import Component, Netlist

COLUMNS = [
    "References",
    "Quantity",
    "Value",
    "Footprint",
    "Manufacturer",
    "MPN",
    "Datasheet",
    "USD at 1",
    "USD at 100",
    "Price from",
]


@dataclass
class Line:
    value: str
    footprint: str
    maker: str
    mpn: str
    datasheet: str
    price_1: float
    price_100: float
    source: str
    refs: list[str] = field(default_factory=list)
    quantity: int = 0


def _order(ref: str) -> tuple[str, int]:
    match = re.fullmatch(r"([A-Z]+)(\d+)", ref)
    return (match[1], int(match[2])) if match else (ref, 0)


def _line(part: Component) -> Line:
    get = part.fields.get
    return Line(
        part.value,
        part.footprint.split(":")[-1],
        get("Manufacturer", ""),
        get("MPN", ""),
        part.datasheet,
        float(get("Price 1", "0")),
        float(get("Price 100", "0")),
        get("Price from", ""),
    )


def lines(board: Netlist) -> list[Line]:
    """Grouped lines, sorted by reference; parts that are bought but not soldered come last, without reference."""
    grouped: dict[str, Line] = {}
    for part in sorted(board.components.values(), key=lambda part: _order(part.ref)):
        if part.in_bom:
            line = grouped.setdefault(part.fields.get("MPN", ""), _line(part))
            line.refs.append(part.ref)
            line.quantity += 1
    table = catalogue.read()
    extra = [
        Line(
            item["what"],
            "",
            item["maker"],
            item["mpn"],
            "",
            *item["price"],
            item.get("price_from", table["defaults"]["price_from"]),
            [],
            item["quantity"],
        )
        for item in table["offboard"]
    ]
    return [*grouped.values(), *extra]


def total(found: list[Line], hundred: bool = True) -> float:
    """USD for one device, at the price of a hundred or of one."""
    return sum(line.quantity * (line.price_100 if hundred else line.price_1) for line in found)


def to_csv(found: list[Line]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for line in found:
        writer.writerow(
            [
                " ".join(line.refs),
                line.quantity,
                line.value,
                line.footprint,
                line.maker,
                line.mpn,
                line.datasheet,
                f"{line.price_1:.3f}",
                f"{line.price_100:.3f}",
                line.source,
            ]
        )
    return out.getvalue()
