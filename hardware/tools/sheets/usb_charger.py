"""Sheet 2: USB-C in, over-current and ESD protection, Li-ion charger with power path."""

from __future__ import annotations

from sheet import Sheet


def draw(s: Sheet) -> None:
    _usb(s)
    _sense(s)
    _charger(s)
    _notes(s)


def _usb(s: Sheet) -> None:
    s.box((11, 12), (88, 92), "USB-C: 5 V, 500 mA, full-speed data")
    s.place("J101", "usb_c", 24, 48, ref_at=(-8, -16.5), value_at=(-8, -15), justify="left")
    # 5 V through the fuse
    vbus_in = s.stub("J101", "VBUS", 4)
    s.place("F101", "fuse", 46, 36, rot=90)
    s.wire(vbus_in, s.pin("F101", "1"))
    s.label("VBUS_IN", (37, 36))
    fused = s.wire(s.pin("F101", "2"), (76, 36))
    s.power("VBUS", (53, 36))
    s.flag((66, 36))
    s.place("C101", "C:4.7u", 76, 40)
    s.wire(fused, s.pin("C101", "1"))
    s.gnd("C101", "2", 1)
    # configuration channel: this end is a sink
    for ref, name, x in (("R101", "CC1", 42), ("R102", "CC2", 52)):
        s.label(name, s.stub("J101", name, 2))
        s.place(ref, "R:5.1k", x, 76)
        s.label(name, s.stub(ref, "1", 3), 90)
        s.gnd(ref, "2", 1)
    # data pair: both sides of the plug, then ESD
    s.place("U101", "usb_esd", 60, 48, ref_at=(2.5, -5), value_at=(2.5, -3.4), justify="left")
    s.wire(s.pin("J101", "A7"), (39, 46), (39, 48))
    s.wire(s.pin("J101", "B7"), s.pin("U101", "1"))
    s.wire(s.pin("J101", "B6"), (39, 52), (39, 50))
    s.wire(s.pin("J101", "A6"), s.pin("U101", "3"))
    s.label("USB_DM_C", (41, 48))
    s.label("USB_DP_C", (41, 50))
    s.rail("VBUS", "U101", "5", 2)
    s.gnd("U101", "2", 1)
    s.port("USB_DM", s.stub("U101", "6", 5), 0)
    s.port("USB_DP", s.stub("U101", "4", 5), 0)
    s.open_pin("J101", "SBU1", "SBU2")
    s.gnd("J101", "SHIELD", 2)
    s.gnd("J101", "A1", 2)
    s.flag(s.wire((24, 68), (31, 68)))
    s.text(
        (50, 59),
        "CC1, CC2: 5.1 k to ground each: we ask\nfor power as a sink (USB-C, Rd).\n"
        "U101 clamps the data pair and VBUS;\nplace it next to J101. C101 and C102:\n"
        "9.4 uF; USB allows 10 uF at the plug.",
    )


def _sense(s: Sheet) -> None:
    s.box((11, 95), (88, 130), "USB power sense")
    s.place("R103", "R:100k", 30, 106)
    s.rail("VBUS", "R103", "1", 1)
    node = s.wire(s.pin("R103", "2"), (30, 111))
    s.place("R104", "R:150k", 30, 115)
    s.wire(node, s.pin("R104", "1"))
    s.gnd("R104", "2", 1)
    s.place("C105", "C:100n", 42, 115)
    s.wire(node, (42, 111), s.pin("C105", "1"))
    s.gnd("C105", "2", 1)
    s.port("VBUS_SENSE", s.wire((42, 111), (62, 111)), 0, "output")
    s.text((44, 121), "VBUS_SENSE = 0.6 VBUS: 2.55 V at 4.25 V,\n3.3 V at 5.5 V; a 1 begins at 2.48 V.\nNo USB: 0 V.")


def _charger(s: Sheet) -> None:
    s.box((91, 12), (222, 92), "Charger with power path")
    s.place("U102", "charger", 150, 44, ref_at=(3, -15), value_at=(3, -13.4), justify="left")
    # input
    s.rail("VBUS", "U102", "IN", 3)
    s.place("C102", "C:4.7u", 104, 24)
    s.rail("VBUS", "C102", "1", 1)
    s.gnd("C102", "2", 1)
    # settings
    s.open_pin("U102", "ITERM", "TMR")
    s.wire(s.stub("U102", "EN1", 14), (126, 30))
    s.power("VSYS", (126, 30))
    s.wire(s.stub("U102", "~{CE}", 8), (132, 46))
    s.wire(s.stub("U102", "EN2", 8), (132, 46))
    s.power("GND", s.wire((132, 46), (132, 48)))
    s.place("R105", "R:1.5k", 124, 62)
    s.wire(s.pin("U102", "ILIM"), (124, 50), s.pin("R105", "1"))
    s.gnd("R105", "2", 1)
    s.place("R106", "R:1.8k", 133, 62)
    s.wire(s.pin("U102", "ISET"), (133, 52), s.pin("R106", "1"))
    s.gnd("R106", "2", 1)
    s.gnd("U102", "8", 2)
    # outputs
    out = s.wire(s.stub("U102", "OUT", 5), (165, 28), (190, 28))
    s.power("VSYS", out)
    s.place("C103", "C:22u", 176, 32)
    s.wire((176, 28), s.pin("C103", "1"))
    s.gnd("C103", "2", 1)
    bat = s.stub("U102", "BAT", 28)
    s.place("C104", "C:10u", 188, 47)
    s.wire(bat, (188, 42), s.pin("C104", "1"))
    s.gnd("C104", "2", 1)
    s.power("VBAT", s.wire((188, 42), (200, 42)))
    # cell temperature
    s.place("TH101", "ntc", 172, 60, ref_at=(3, -0.8), value_at=(3, 0.9))
    s.wire(s.stub("U102", "TS", 12), s.pin("TH101", "1"))
    s.gnd("TH101", "2", 1)
    # status
    s.open_pin("U102", "~{PGOOD}")
    s.place("R107", "R:100k", 186, 62)
    s.power("+3V3", s.stub("R107", "1", 2))
    s.wire(s.pin("U102", "~{CHG}"), (164, 52), (164, 70), (186, 70), s.pin("R107", "2"))
    s.port("CHG_STAT", s.wire((186, 70), (200, 70)), 0, "output")
    s.text(
        (96, 78),
        "EN2 = 0, EN1 = 1: USB500, at most 500 mA from USB (what any USB-C source gives).\n"
        "ISET: 890 V / R106 1.8 k = 494 mA fast charge = 0.5 C for 1000 mAh.  ITERM open: ends at 10 %.\n"
        "ILIM: 1550 V / R105 1.5 k = 1.03 A, used only if EN2 and EN1 are swapped.  TMR open: 5 h limit.\n"
        "TH101 lies under the cell: 10 k at 25 C, charging stops below 0 C and above 50 C.",
    )


def _notes(s: Sheet) -> None:
    s.text(
        (91, 97),
        "Use while charging: the power path serves VSYS first (DPPM, 4.4 V) and gives the cell what is left.\n"
        "When the load is above 500 mA the cell helps, so a Wi-Fi burst never pulls VBUS down.\n"
        "Heat: (5.0 V - 3.7 V) x 494 mA = 0.64 W in U102 at mid charge; 16-VQFN with vias about 45 K/W:\n"
        "+29 K. At 3.0 V: 1.0 W, +45 K; above 125 C junction U102 lowers the current by itself.",
    )
