"""Sheet 4: the ESP32-S3 module, its reset and boot strapping."""

from __future__ import annotations

import tomllib
from pathlib import Path

from sheet import Sheet

PINS = Path(__file__).resolve().parents[2] / "pins.toml"

# net, module pin name, direction as seen from the module
LEFT = [
    ("TALK", "IO1", "input"),
    ("MUTE_SENSE", "IO2", "input"),
    ("MIC_BCLK", "IO4", "output"),
    ("MIC_WS", "IO5", "output"),
    ("MIC_DATA", "IO6", "input"),
    ("AMP_BCLK", "IO7", "output"),
    ("I2C_SDA", "IO8", "bidirectional"),
    ("I2C_SCL", "IO9", "output"),
    ("AMP_REF", "IO10", "input"),
    ("CHG_STAT", "IO11", "input"),
    ("VBUS_SENSE", "IO12", "input"),
    ("LED_EN", "IO13", "output"),
    ("GAUGE_ALRT", "IO14", "input"),
    ("AMP_WS", "IO15", "output"),
    ("AMP_DATA", "IO16", "output"),
]
RIGHT = [
    ("UART_TX", "TXD0", "output"),
    ("UART_RX", "RXD0", "input"),
    ("AMP_EN", "IO17", "output"),
    ("LED_DATA", "IO18", "output"),
    ("USB_DM", "USB_D-", "bidirectional"),
    ("USB_DP", "USB_D+", "bidirectional"),
    ("HAPTIC_EN", "IO21", "output"),
]
OPEN = ["IO3", "IO35", "IO36", "IO37", "IO38", "IO39", "IO40", "IO41", "IO42", "IO45", "IO46", "IO47", "IO48"]


def draw(s: Sheet) -> None:
    s.place("U301", "module", 122, 66, ref_at=(3, -25.5), value_at=(3, -23.9), justify="left")
    for net, pin, shape in LEFT:
        s.port(net, s.stub("U301", pin, 5), 180, shape)
    for net, pin, shape in RIGHT:
        s.port(net, s.stub("U301", pin, 5), 0, shape)
    s.open_pin("U301", *OPEN)
    s.gnd("U301", "GND", 2)
    _supply(s)
    _reset_and_boot(s)
    _notes(s)


def _supply(s: Sheet) -> None:
    s.rail("+3V3", "U301", "3V3", 4)
    s.box((158, 12), (222, 34), "Supply")
    for ref, key, x in (("C301", "C:22u", 176), ("C302", "C:100n", 190)):
        s.place(ref, key, x, 24)
        s.rail("+3V3", ref, "1", 1)
        s.gnd(ref, "2", 1)


def _reset_and_boot(s: Sheet) -> None:
    s.box((11, 12), (92, 96), "Reset and boot")
    # EN: 10 k and 1 uF hold reset for about 10 ms after the rail is up
    s.place("R301", "R:10k", 34, 24)
    s.rail("+3V3", "R301", "1", 1)
    en = s.wire(s.pin("R301", "2"), (34, 32))
    s.place("SW301", "small_switch", 27, 40, rot=90, ref_at=(-3.5, -0.8), value_at=(-3.5, 0.9), justify="left")
    s.wire(en, (27, 32), s.pin("SW301", "2"))
    s.gnd("SW301", "1", 2)
    s.place("C303", "C:1u", 34, 38)
    s.wire(en, s.pin("C303", "1"))
    s.gnd("C303", "2", 1)
    s.wire(en, (60, 32))
    s.port("EN", (60, 32), 0, "output")
    s.text((52, 37), "RESET\nt = 10 k x 1 uF = 10 ms")
    s.label("EN", s.stub("U301", "EN", 5), 180)
    s.label("EN", (50, 32))
    # BOOT
    s.place("R302", "R:10k", 34, 64)
    s.rail("+3V3", "R302", "1", 1)
    boot = s.wire(s.pin("R302", "2"), (34, 72))
    s.place("SW302", "small_switch", 27, 80, rot=90, ref_at=(-3.5, -0.8), value_at=(-3.5, 0.9), justify="left")
    s.wire(boot, (27, 72), s.pin("SW302", "2"))
    s.gnd("SW302", "1", 2)
    s.wire(boot, (60, 72))
    s.port("BOOT", (60, 72), 0, "output")
    s.text((42, 77), "BOOT: hold while pressing RESET\nfor the serial downloader.\nUSB flashing needs neither.")
    s.label("BOOT", s.stub("U301", "IO0", 5), 180)
    s.label("BOOT", (50, 72))


def _notes(s: Sheet) -> None:
    s.box((11, 99), (137, 155), "Notes")
    s.text(
        (13, 105),
        "Strapping at reset:  GPIO0 high (R302) = boot from flash.  GPIO3 open: JTAG over USB.\n"
        "GPIO45 low (inside) = 3.3 V flash.  GPIO46 low (inside) = ROM messages on, download allowed.\n"
        "Nothing else may ever hang on these four.  GPIO35 to 37 belong to the octal PSRAM: open.\n\n"
        "Antenna: the module hangs over the board edge by 6 mm.  No copper, part, screw, cell or speaker\n"
        "within 10 mm of the antenna; the keep-out zone of its footprint lies wholly off the board.\n\n"
        "Supply: 340 mA peak while sending 802.11b at 21 dBm (Espressif asks for 500 mA).\n"
        "C301 next to pin 2.  Rail droop of a 340 mA step before the loop of U203 answers (10 us):\n"
        "340 mA x 10 us / 66 uF = 52 mV.  Brown-out reset is at 2.98 V.\n\n"
        "TALK, GAUGE_ALRT, VBUS_SENSE, CHG_STAT and MUTE_SENSE are RTC pins: each can wake deep sleep.",
    )
    s.box((158, 37), (222, 129), "Pins: hardware/pins.toml")
    table = tomllib.loads(PINS.read_text(encoding="utf-8"))
    rows = sorted((pin["gpio"], net) for section in ("pins", "extras") for net, pin in table[section].items())
    half = (len(rows) + 1) // 2
    for column, part in enumerate((rows[:half], rows[half:])):
        s.text((162 + 30 * column, 44), "\n".join(f"{gpio}" for gpio, _ in part))
        s.text((167 + 30 * column, 44), "\n".join(net for _, net in part))
    s.text(
        (162, 72),
        "Firmware includes pins.h, made from that table;\ntests compare it with the netlist.\n\n"
        "Free: 38 to 42, 47, 48.\n\n35, 36, 37 stay open: octal PSRAM.\n3, 45, 46 stay open: strapping.",
    )
