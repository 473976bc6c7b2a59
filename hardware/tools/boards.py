"""Wiring of the two ready-made boards that the firmware also supports, from their makers' published schematics.

Each board is one sheet: the controller on the left, what it talks to on the right, joined by net names,
and a pin table. Package pin numbers of third-party boards are of no use here: pins are named by GPIO.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from drawing import Part, stable_uuid
from sexpr import Node
from sheet import Sheet

Row = tuple[str, str, str]  # pin number, pin name, electrical type


@dataclass(frozen=True)
class Device:
    """A block with the nets on its pins; `pins` maps pin name to net, "" leaves the pin open."""

    ref: str
    symbol: str
    x: float
    y: float
    pins: dict[str, str]


@dataclass(frozen=True)
class Board:
    name: str
    title: str
    source: str
    devices: list[Device]
    notes: str
    table: list[tuple[str, str, str]]  # GPIO, net, use


SYMBOLS: dict[str, tuple[list[Row], list[Row]]] = {
    "ESP32-PICO-D4": (
        [("G39", "GPIO39", "input"), ("G23", "GPIO23", "input"), ("V", "3V3", "passive"), ("G", "GND", "passive")],
        [
            ("G27", "GPIO27", "output"),
            ("G19", "GPIO19", "output"),
            ("G33", "GPIO33", "output"),
            ("G22", "GPIO22", "output"),
            ("G26", "GPIO26", "bidirectional"),
            ("G32", "GPIO32", "bidirectional"),
        ],
    ),
    "NS4168": (
        [("4", "SDATA", "input"), ("3", "BCLK", "input"), ("2", "LRCLK", "input"), ("1", "CTRL", "input")],
        [("5", "VOP", "output"), ("8", "VON", "output"), ("6", "VDD", "passive"), ("7", "GND", "passive")],
    ),
    "SPM1423": (
        [("1", "CLK", "input"), ("5", "SEL", "input"), ("2", "VDD", "passive"), ("3", "GND", "passive")],
        [("4", "DATA", "tri_state")],
    ),
    "SK6812": ([("1", "DIN", "input"), ("2", "VDD", "passive"), ("3", "GND", "passive")], [("4", "DOUT", "output")]),
    "KEY": ([("1", "A", "passive"), ("2", "B", "passive")], []),
    "SPEAKER": ([("1", "+", "passive"), ("2", "-", "passive")], []),
    "GROVE": (
        [("1", "GND", "passive"), ("2", "5V", "passive"), ("3", "YELLOW", "passive"), ("4", "WHITE", "passive")],
        [],
    ),
    "ESP32-S3-BOX": (
        [
            ("G0", "GPIO0", "input"),
            ("G1", "GPIO1", "input"),
            ("G16", "GPIO16", "input"),
            ("G3", "GPIO3", "input"),
            ("V", "3V3", "passive"),
            ("G", "GND", "passive"),
        ],
        [
            ("G2", "GPIO2", "output"),
            ("G17", "GPIO17", "output"),
            ("G45", "GPIO45", "output"),
            ("G15", "GPIO15", "output"),
            ("G46", "GPIO46", "output"),
            ("G8", "GPIO8", "bidirectional"),
            ("G18", "GPIO18", "output"),
            ("G7", "GPIO7", "output"),
            ("G6", "GPIO6", "output"),
            ("G5", "GPIO5", "output"),
            ("G4", "GPIO4", "output"),
            ("G48", "GPIO48", "output"),
            ("G47", "GPIO47", "output"),
        ],
    ),
    "ES7210": (
        [
            ("1", "MCLK", "input"),
            ("2", "SCLK", "input"),
            ("3", "LRCK", "input"),
            ("4", "CDATA", "bidirectional"),
            ("5", "CCLK", "input"),
            ("6", "VDD", "passive"),
            ("7", "GND", "passive"),
        ],
        [("8", "SDOUT1", "output"), ("9", "MIC1", "passive"), ("10", "MIC2", "passive"), ("11", "REF", "passive")],
    ),
    "ES8311": (
        [
            ("1", "MCLK", "input"),
            ("2", "SCLK", "input"),
            ("3", "LRCK", "input"),
            ("4", "DSDIN", "input"),
            ("5", "CDATA", "bidirectional"),
            ("6", "CCLK", "input"),
            ("7", "VDD", "passive"),
            ("8", "GND", "passive"),
        ],
        [("9", "OUTP", "output"), ("10", "OUTN", "output")],
    ),
    "NS4150": (
        [("1", "CTRL", "input"), ("2", "INP", "input"), ("3", "INN", "input")],
        [("4", "VOP", "output"), ("5", "VON", "output"), ("6", "VDD", "passive"), ("7", "GND", "passive")],
    ),
    "MIC": ([("1", "OUT", "passive"), ("2", "GND", "passive")], []),
    "LCD-ILI9342C": (
        [
            ("1", "SCLK", "input"),
            ("2", "MOSI", "input"),
            ("3", "CS", "input"),
            ("4", "DC", "input"),
            ("5", "RST", "input"),
            ("6", "BL", "input"),
            ("7", "VDD", "passive"),
            ("8", "GND", "passive"),
        ],
        [],
    ),
    "TOUCH-GT911": (
        [("1", "SDA", "bidirectional"), ("2", "SCL", "input"), ("3", "VDD", "passive"), ("4", "GND", "passive")],
        [("5", "INT", "output")],
    ),
    "USB-C": ([], [("1", "5V", "passive"), ("2", "GND", "passive")]),
    "MUTE-LATCH": ([("1", "VDD", "passive"), ("2", "GND", "passive")], [("3", "MUTED", "output")]),
}

_POWER = {"VDD": "+3V3", "3V3": "+3V3", "GND": "GND"}

BOARDS = [
    Board(
        "m5stack_atom_echo",
        "M5Stack Atom Echo: wiring",
        "M5Stack, ATOM ECHO (C008-C) schematic and pin map",
        [
            Device(
                "U1",
                "ESP32-PICO-D4",
                56,
                50,
                {
                    "GPIO39": "BUTTON",
                    "GPIO23": "MIC_DATA",
                    "GPIO27": "LED_DATA",
                    "GPIO19": "AMP_BCLK",
                    "GPIO33": "WS_PDMCLK",
                    "GPIO22": "AMP_DATA",
                    "GPIO26": "GROVE_26",
                    "GPIO32": "GROVE_32",
                },
            ),
            Device(
                "U2",
                "NS4168",
                130,
                34,
                {
                    "SDATA": "AMP_DATA",
                    "BCLK": "AMP_BCLK",
                    "LRCLK": "WS_PDMCLK",
                    "CTRL": "+3V3",
                    "VOP": "SPK_P",
                    "VON": "SPK_N",
                },
            ),
            Device("LS1", "SPEAKER", 186, 34, {"+": "SPK_P", "-": "SPK_N"}),
            Device("MK1", "SPM1423", 130, 58, {"CLK": "WS_PDMCLK", "SEL": "GND", "DATA": "MIC_DATA"}),
            Device("D1", "SK6812", 186, 58, {"DIN": "LED_DATA", "DOUT": "", "VDD": "+5V"}),
            Device("SW1", "KEY", 130, 80, {"A": "BUTTON", "B": "GND"}),
            Device("J1", "GROVE", 186, 80, {"5V": "+5V", "YELLOW": "GROVE_26", "WHITE": "GROVE_32"}),
        ],
        "One I2S port does both: standard I2S to the amplifier while playing, PDM from the microphone while\n"
        "listening. GPIO33 is word select for the one and PDM clock for the other, so the board is half duplex:\n"
        "firmware stops playback before it records. GPIO39 has no inner pull-up; the board brings its own.\n"
        "GPIO19, 22, 23 and 33 are wired to these chips: never give them another use. No battery, no amplifier\n"
        "enable, no mute switch, no charge status.",
        [
            ("39", "BUTTON", "talk, active low"),
            ("27", "LED_DATA", "SK6812, GRB"),
            ("19", "AMP_BCLK", "I2S bit clock"),
            ("33", "WS_PDMCLK", "I2S word select, PDM clock"),
            ("22", "AMP_DATA", "I2S data to NS4168"),
            ("23", "MIC_DATA", "PDM data from SPM1423"),
            ("26", "GROVE_26", "free, Grove yellow"),
            ("32", "GROVE_32", "free, Grove white"),
        ],
    ),
    Board(
        "esp32_s3_box_3",
        "Espressif ESP32-S3-BOX-3: wiring",
        "Espressif, ESP32-S3-BOX-3 main board schematic",
        [
            Device(
                "U1",
                "ESP32-S3-BOX",
                50,
                52,
                {
                    "GPIO0": "BOOT",
                    "GPIO1": "MUTED",
                    "GPIO16": "I2S_DIN",
                    "GPIO3": "TOUCH_INT",
                    "GPIO2": "I2S_MCLK",
                    "GPIO17": "I2S_BCLK",
                    "GPIO45": "I2S_WS",
                    "GPIO15": "I2S_DOUT",
                    "GPIO46": "AMP_EN",
                    "GPIO8": "I2C_SDA",
                    "GPIO18": "I2C_SCL",
                    "GPIO7": "LCD_SCLK",
                    "GPIO6": "LCD_MOSI",
                    "GPIO5": "LCD_CS",
                    "GPIO4": "LCD_DC",
                    "GPIO48": "LCD_RST",
                    "GPIO47": "LCD_BL",
                },
            ),
            Device(
                "U2",
                "ES7210",
                118,
                34,
                {
                    "MCLK": "I2S_MCLK",
                    "SCLK": "I2S_BCLK",
                    "LRCK": "I2S_WS",
                    "CDATA": "I2C_SDA",
                    "CCLK": "I2C_SCL",
                    "SDOUT1": "I2S_DIN",
                    "MIC1": "MIC1",
                    "MIC2": "MIC2",
                    "REF": "DAC_P",
                },
            ),
            Device(
                "U3",
                "ES8311",
                118,
                64,
                {
                    "MCLK": "I2S_MCLK",
                    "SCLK": "I2S_BCLK",
                    "LRCK": "I2S_WS",
                    "DSDIN": "I2S_DOUT",
                    "CDATA": "I2C_SDA",
                    "CCLK": "I2C_SCL",
                    "OUTP": "DAC_P",
                    "OUTN": "DAC_N",
                },
            ),
            Device("MK1", "MIC", 158, 28, {"OUT": "MIC1"}),
            Device("MK2", "MIC", 158, 42, {"OUT": "MIC2"}),
            Device(
                "U4",
                "NS4150",
                160,
                64,
                {"CTRL": "AMP_EN", "INP": "DAC_P", "INN": "DAC_N", "VOP": "SPK_P", "VON": "SPK_N", "VDD": "+5V"},
            ),
            Device("LS1", "SPEAKER", 204, 64, {"+": "SPK_P", "-": "SPK_N"}),
            Device(
                "U5",
                "LCD-ILI9342C",
                204,
                36,
                {
                    "SCLK": "LCD_SCLK",
                    "MOSI": "LCD_MOSI",
                    "CS": "LCD_CS",
                    "DC": "LCD_DC",
                    "RST": "LCD_RST",
                    "BL": "LCD_BL",
                },
            ),
            Device("U6", "TOUCH-GT911", 160, 92, {"SDA": "I2C_SDA", "SCL": "I2C_SCL", "INT": "TOUCH_INT"}),
            Device("SW1", "KEY", 118, 92, {"A": "BOOT", "B": "GND"}),
            Device("J1", "USB-C", 50, 92, {"5V": "+5V"}),
            Device("U7", "MUTE-LATCH", 204, 86, {"MUTED": "MUTED"}),
        ],
        "One full-duplex I2S port, the S3 is master on all clocks. I2C: ES8311 0x18, ES7210 0x40, touch 0x5D.\n"
        "Both codecs must be set up over I2C before sound flows. Talk button: the BOOT key (GPIO0, active low).\n"
        "The ES7210 digitises the DAC's output on a third channel: an echo reference like AMP_REF of the 01 Light.\n"
        "GPIO45 and 46 are strapping pins here in use by the maker; drive them only after boot.",
        [
            ("0", "BOOT", "talk, active low"),
            ("1", "MUTED", "mute latch"),
            ("2", "I2S_MCLK", "4.096 MHz at 16 kHz"),
            ("17", "I2S_BCLK", "bit clock"),
            ("45", "I2S_WS", "word select"),
            ("15", "I2S_DOUT", "to ES8311"),
            ("16", "I2S_DIN", "from ES7210"),
            ("46", "AMP_EN", "amplifier on = 1"),
            ("8 / 18", "I2C_SDA / SCL", "codecs, touch"),
            ("7 6 5 4 48 47", "LCD_*", "SCLK MOSI CS DC RST BL"),
        ],
    ),
]


def board_symbols() -> list[Node]:
    from local_symbols import block

    return [
        block(name, left, right, half_width=10.16 if name.startswith("ESP32") else 7.62, numbers=False)
        for name, (left, right) in SYMBOLS.items()
    ]


def _draw(board: Board) -> Sheet:
    catalogue = {name: Part(f"zero_one:{name}", name, in_bom=False, on_board=False) for name in SYMBOLS}
    s = Sheet(board.name, board.title, catalogue, board.source)
    s.path = f"/{stable_uuid(board.name, 'file')}"
    for device in board.devices:
        rows = max(len(side) for side in SYMBOLS[device.symbol])
        top = -2 * (rows // 2) - 2
        half = -8 if device.symbol.startswith("ESP32") else -6
        s.place(
            device.ref,
            device.symbol,
            device.x,
            device.y,
            ref_at=(half, top - 2.4),
            value_at=(half, top - 0.8),
            justify="left",
        )
        for side, angle in ((0, 180), (1, 0)):
            for _, pin, _ in SYMBOLS[device.symbol][side]:
                net = device.pins.get(pin, _POWER.get(pin, ""))
                if net:
                    s.label(net, s.stub(device.ref, pin, 2), angle)
                else:
                    s.open_pin(device.ref, pin)
    s.text((13, 13), board.title, 3, bold=True)
    for column, x in enumerate((13, 29, 47)):
        s.text((x, 112), ("GPIO", "net", "use")[column], bold=True)
        s.text((x, 115), "\n".join(row[column] for row in board.table))
    s.text((84, 108), board.notes)
    s.text((84, 122), f"Source: {board.source}.")
    return s


def write_all(folder: Path, revision: str, date: str) -> list[str]:
    """Write every board's sheet into `folder`; returns their names."""
    folder.mkdir(exist_ok=True)
    for board in BOARDS:
        _draw(board).write(folder, stable_uuid(board.name, "file"), revision, date)
    return [board.name for board in BOARDS]
