"""Sheet 7: Qwiic, I2C pull-ups, programming pads, test points, screws."""

from __future__ import annotations

from sheet import Sheet


def draw(s: Sheet) -> None:
    _i2c(s)
    _programming(s)
    _test_points(s)


def _i2c(s: Sheet) -> None:
    s.box((11, 12), (137, 62), "I2C and Qwiic")
    s.port("I2C_SDA", (24, 36), 180)
    s.port("I2C_SCL", (24, 40), 180, "input")
    s.place("J601", "qwiic", 110, 34, ref_at=(3, -1), value_at=(3, 0.8), justify="left")
    # pins: 1 GND, 2 3.3 V, 3 SDA, 4 SCL
    s.wire((24, 36), s.pin("J601", "3"))
    s.wire((24, 40), (96, 40), (96, 38), s.pin("J601", "4"))
    for ref, x, y in (("R601", 44, 36), ("R602", 56, 40)):
        s.place(ref, "R:4.7k", x, 28)
        s.rail("+3V3", ref, "1", 1)
        s.wire(s.pin(ref, "2"), (x, y))
    s.rail("+3V3", "J601", "2", 6, rise=10)
    s.wire(s.pin("J601", "1"), (94, 32), (94, 48))
    s.power("GND", (94, 48))
    s.gnd("J601", "MP", 1)
    s.place("C601", "C:100n", 78, 28)
    s.rail("+3V3", "C601", "1", 1)
    s.gnd("C601", "2", 1)
    s.text(
        (13, 52),
        "One pair of pull-ups for the whole bus: 4.7 k, 100 pF of board and cable: rise 0.85 x 4.7 k x 100 pF\n"
        "= 0.4 us at 100 kHz; for 400 kHz keep the Qwiic cable under 20 cm.  Qwiic may take 100 mA.\n"
        "Taken addresses: 0x36 fuel gauge, 0x5A haptic.",
    )


def _programming(s: Sheet) -> None:
    s.box((11, 65), (137, 116), "Programming pads (only if USB cannot be used)")
    rows = [
        ("TP601", "+3V3"),
        ("TP602", "EN"),
        ("TP603", "BOOT"),
        ("TP604", "UART_TX"),
        ("TP605", "UART_RX"),
        ("TP606", "GND"),
    ]
    for i, (ref, net) in enumerate(rows):
        x = 24 + 20 * i
        s.place(ref, "prog_pad", x, 82, ref_at=(0, -6.4), value_at=(0, -4.6), justify="")
        end = s.stub(ref, "1", 5)
        if net == "GND":
            s.power("GND", end)
        elif net == "+3V3":
            s.power("+3V3", s.wire(end, (x + 5, end[1]), (x + 5, end[1] - 4)))
        else:
            s.port(net, s.wire(end, (x, 90)), 270, "output" if net == "UART_RX" else "input")
    s.text((13, 106), "3.3 V serial, 115200 baud.  Hold BOOT low while EN rises to enter the downloader.")


def _test_points(s: Sheet) -> None:
    s.box((11, 119), (137, 155), "Test points and screws")
    for i, net in enumerate(("VBUS", "VSYS", "VBAT", "MIC_VDD", "LED_VDD", "GND")):
        x = 20 + 18 * i
        ref = f"TP61{i}"
        s.place(ref, "test_pad", x, 136, ref_at=(2, -4.4), value_at=(2, -2.8), justify="left")
        end = s.stub(ref, "1", 2)
        if net == "GND":
            s.power("GND", end)
        else:
            s.power(net, s.wire(end, (x + 6, end[1]), (x + 6, end[1] - 1)))
    for i in range(4):
        s.place(f"H60{i + 1}", "hole", 24 + 24 * i, 150, ref_at=(3, -0.8), value_at=(3, 0.9), justify="left")
