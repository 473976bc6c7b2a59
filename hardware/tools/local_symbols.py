"""Write `zero_one.kicad_sym`: the few symbols that KiCad's libraries lack or type too loosely for ERC."""

from __future__ import annotations

from drawing import effects
from kicad import symbol_folder
from sexpr import Node, child, children, dump, word
from symbols import LOCAL, _library, flatten

PinRow = tuple[str, str, str]  # number, name, electrical type

GAUGE_LEFT: list[PinRow] = [
    ("3", "VDD", "power_in"),
    ("2", "CELL", "input"),
    ("6", "QSTRT", "input"),
    ("1", "CTG", "passive"),
]
GAUGE_RIGHT: list[PinRow] = [("8", "SDA", "bidirectional"), ("7", "SCL", "input"), ("5", "~{ALRT}", "open_collector")]
GAUGE_BOTTOM: list[PinRow] = [("4", "GND", "power_in"), ("9", "EP", "passive")]


def block(
    name: str,
    left: list[PinRow],
    right: list[PinRow],
    bottom: list[PinRow] | None = None,
    *,
    half_width: float = 7.62,
    footprint: str = "",
    datasheet: str = "~",
    about: str = "",
    prefix: str = "U",
    numbers: bool = True,
) -> Node:
    """A rectangle with pins on its sides, 2.54 mm apart, the first row at the top."""
    rows = max(len(left), len(right))
    top = 2.54 * (rows // 2) + 2.54
    low = top - 2.54 * (rows + 1)
    pins: list[Node] = []

    def pin(row: PinRow, x: float, y: float, angle: int) -> None:
        pins.append(
            [
                word("pin"),
                word(row[2]),
                word("line"),
                [word("at"), x, y, angle],
                [word("length"), 2.54],
                [word("name"), row[1], effects()],
                [word("number"), row[0], effects()],
            ]
        )

    for i, row in enumerate(left):
        pin(row, -half_width - 2.54, top - 2.54 * (i + 1), 0)
    for i, row in enumerate(right):
        pin(row, half_width + 2.54, top - 2.54 * (i + 1), 180)
    for i, row in enumerate(bottom or []):
        pin(row, 2.54 * i - 2.54 * (len(bottom or []) // 2), low - 2.54, 90)
    fields = [
        ("Reference", prefix, top + 2.54, False),
        ("Value", name, top + 1, False),
        ("Footprint", footprint, 0, True),
        ("Datasheet", datasheet, 0, True),
        ("Description", about, 0, True),
    ]
    return [
        word("symbol"),
        name,
        *([] if numbers else [[word("pin_numbers"), [word("hide"), word("yes")]]]),
        [word("exclude_from_sim"), word("no")],
        [word("in_bom"), word("yes")],
        [word("on_board"), word("yes")],
        *([word("property"), key, value, [word("at"), 0, y, 0], effects(hide=hide)] for key, value, y, hide in fields),
        [
            word("symbol"),
            f"{name}_0_1",
            [
                word("rectangle"),
                [word("start"), -half_width, top],
                [word("end"), half_width, low],
                [word("stroke"), [word("width"), 0.254], [word("type"), word("default")]],
                [word("fill"), [word("type"), word("background")]],
            ],
        ],
        [word("symbol"), f"{name}_1_1", *pins],
        [word("embedded_fonts"), word("no")],
    ]


def retyped(library: str, name: str, kinds: dict[str, str]) -> Node:
    """KiCad's symbol with other electrical types for some pins (by number)."""
    symbol = flatten(_library(symbol_folder() / f"{library}.kicad_sym"), name)
    for body in children(symbol, "symbol"):
        for pin in children(body, "pin"):
            number = child(pin, "number")
            if number and number[1] in kinds:
                pin[1] = word(kinds[number[1]])
    return symbol


def main() -> None:
    from boards import board_symbols

    found = [
        block(
            "MAX17048",
            GAUGE_LEFT,
            GAUGE_RIGHT,
            GAUGE_BOTTOM,
            footprint="Package_DFN_QFN:TDFN-8-1EP_2x2mm_P0.5mm_EP0.8x1.2mm",
            datasheet="https://www.analog.com/media/en/technical-documentation/data-sheets/MAX17048-MAX17049.pdf",
            about="Fuel gauge for one Li-ion cell, I2C",
        ),
        # two microphones take turns on one data line: their outputs are three-state
        retyped("Sensor_Audio", "ICS-43434", {"6": "tri_state"}),
        # the pad is ground, not "unspecified"
        retyped("Audio", "MAX98357A", {"17": "passive"}),
        *board_symbols(),
    ]
    tree: Node = [
        word("kicad_symbol_lib"),
        [word("version"), word("20241209")],
        [word("generator"), "zero_one"],
        [word("generator_version"), "9.0"],
        *found,
    ]
    LOCAL.write_text(dump(tree) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
