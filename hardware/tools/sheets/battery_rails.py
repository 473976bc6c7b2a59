"""Sheet 3: cell connector with protection, fuel gauge, 3.3 V buck-boost."""

from __future__ import annotations

from sheet import Sheet


def draw(s: Sheet) -> None:
    _protection(s)
    _gauge(s)
    _regulator(s)


def _protection(s: Sheet) -> None:
    s.box((11, 12), (112, 78), "Cell and protection")
    s.place("J201", "battery_socket", 20, 40, mirror="y", ref_at=(0, -4), value_at=(0, -2.4), justify="")
    plus = s.wire(s.pin("J201", "1"), (30, 40), (30, 26))
    s.wire(plus, (104, 26))
    s.power("VBAT", (104, 26))
    s.gnd("J201", "MP", 1)
    s.place("U201", "protector", 70, 40, ref_at=(-6, -6.6), value_at=(-6, -5), justify="left")
    s.place("R201", "R:100R", 44, 38, rot=90)
    s.wire((38, 26), (38, 38), s.pin("R201", "1"))
    s.wire(s.pin("R201", "2"), s.pin("U201", "VCC"))
    s.place("C201", "C:100n", 55, 40)
    s.flag((50, 38))
    s.wire(s.pin("J201", "2"), s.pin("U201", "GND"))
    s.place("Q201", "nmos", 70, 58, rot=270, ref_at=(-4, 4.2), value_at=(-4, 5.8), justify="")
    s.place("Q202", "nmos", 84, 58, rot=270, mirror="y", ref_at=(5, 4.2), value_at=(5, 5.8), justify="")
    s.wire((36, 42), (36, 60), s.pin("Q201", "S"))
    s.label("CELL-", (38, 60))
    s.flag((48, 60))
    s.wire(s.pin("Q201", "D"), s.pin("Q202", "D"))
    s.wire(s.pin("U201", "OD"), (68, 49), (70, 49), s.pin("Q201", "G"))
    s.wire(s.pin("U201", "OC"), (72, 49), (84, 49), s.pin("Q202", "G"))
    s.place("R202", "R:1k", 90, 42, rot=90)
    s.wire(s.pin("U201", "CS"), s.pin("R202", "1"))
    s.wire(s.pin("R202", "2"), (98, 42), (98, 60))
    s.wire(s.pin("Q202", "S"), (98, 60))
    s.power("GND", s.wire((98, 60), (98, 63)))
    s.text(
        (13, 67),
        "Discharge stops at 2.4 V, charge at 4.3 V (U201).  Over-current: 150 mV / (2 x 28 mOhm) = 2.7 A.\n"
        "The cell should have its own protection too; this one covers bare cells and shorts on the board.\n"
        "Polarity of JST PH cells differs between makers: measure before plugging in.  Pin 1 = plus.",
    )


def _gauge(s: Sheet) -> None:
    s.box((115, 12), (222, 78), "Fuel gauge, I2C address 0x36")
    s.place("U202", "gauge", 158, 36, ref_at=(-6, -8.6), value_at=(-6, -7), justify="left")
    vdd = s.stub("U202", "VDD", 8)
    s.wire(s.stub("U202", "CELL", 8), vdd)
    s.wire(vdd, (130, vdd[1]))
    s.power("VBAT", (130, vdd[1]))
    s.place("C202", "C:100n", 136, vdd[1] + 4)
    s.wire((136, vdd[1]), s.pin("C202", "1"))
    s.gnd("C202", "2", 1)
    qstrt = s.stub("U202", "QSTRT", 3)
    s.wire(s.stub("U202", "CTG", 3), qstrt)
    x, y = s.stub("U202", "CTG", 3)
    s.power("GND", s.wire((x, y), (x, y + 4)))
    s.gnd("U202", "GND", 2)
    s.gnd("U202", "EP", 2)
    s.port("I2C_SDA", s.stub("U202", "SDA", 18), 0)
    s.port("I2C_SCL", s.stub("U202", "SCL", 18), 0, "input")
    alert = s.stub("U202", "~{ALRT}", 8)
    s.place("R203", "R:1M", 176, 48)
    s.wire(alert, (176, alert[1]), s.pin("R203", "1"))
    s.power("+3V3", s.wire(s.pin("R203", "2"), (176, 54), (182, 54), (182, 46)))
    s.port("GAUGE_ALRT", s.wire((176, alert[1]), (188, alert[1])), 0, "output")
    s.text(
        (117, 66),
        "ModelGauge needs no shunt: state of charge comes from the cell's voltage.  23 uA, 4 uA in hibernate.\n"
        "The gauge measures behind the protection FETs: at 0.5 A it reads 28 mV low, within its model.\n"
        "ALRT wakes the ESP32-S3 at the low-battery threshold; the line may be ignored.",
    )


def _regulator(s: Sheet) -> None:
    s.box((11, 81), (137, 155), "3.3 V rail, buck-boost")
    s.place("U203", "regulator", 66, 112, ref_at=(2, -13), value_at=(2, -11.4), justify="left")
    vin = s.stub("U203", "VIN", 24)
    s.wire(vin, (15, vin[1]))
    s.power("VSYS", (15, vin[1]))
    s.place("C203", "C:22u", 20, 110)
    s.wire((20, vin[1]), s.pin("C203", "1"))
    s.gnd("C203", "2", 1)
    s.place("C204", "C:100n", 28, 110)
    s.wire((28, vin[1]), s.pin("C204", "1"))
    s.gnd("C204", "2", 1)
    for name in ("VINA", "EN"):
        x, y = s.stub("U203", name, 4)
        s.wire((x, y), (x, vin[1]))
    s.power("GND", s.stub("U203", "PS/SYNC", 22))
    s.place("L201", "inductor", 46, 116, ref_at=(-1.6, -0.8), value_at=(-1.6, 0.9), justify="right")
    s.wire(s.pin("U203", "L1"), (46, 112), s.pin("L201", "1"))
    s.wire(s.pin("U203", "L2"), (46, 120), s.pin("L201", "2"))
    s.label("SW1", (49, 112), 0)
    s.label("SW2", (49, 120), 0)
    s.gnd("U203", "GND", 2)
    s.gnd("U203", "PGND", 2)
    out = s.stub("U203", "VOUT", 8)
    s.wire(out, (118, out[1]))
    s.power("+3V3", (118, out[1]))
    fb = s.stub("U203", "FB", 4)
    s.wire(fb, (fb[0], out[1]))
    for ref, x, key in (("C205", 88, "C:22u"), ("C206", 98, "C:22u"), ("C207", 108, "C:100n")):
        s.place(ref, key, x, 110)
        s.wire((x, out[1]), s.pin(ref, "1"))
        s.gnd(ref, "2", 1)
    s.text(
        (13, 133),
        "Why buck-boost: the cell runs from 4.2 V to 3.0 V and crosses 3.3 V; the radio needs 3.0 V.\n"
        "U203 gives 0.8 A in boost (VSYS 2.5 to 3.3 V) and 1.2 A in buck; the rail's worst sum is 0.53 A (docs).\n"
        "PS low = power save: 50 uA idle.  Peak coil current at 3.0 V in: "
        "0.53 A x 3.3 / (3.0 x 0.9) + 0.15 A = 0.80 A, limit 1.7 A.\n"
        "Brown-out: U203 starts at 1.9 V, the protection cuts at 2.4 V, the S3 resets below 2.98 V:\n"
        "firmware must sleep at 3.3 V cell voltage (gauge alert).",
    )
    s.box((149, 81), (222, 104), "Rails")
    s.text(
        (151, 87),
        "VBUS: 5.0 V from USB-C, fused\n"
        "VBAT: cell behind protection, 3.0 to 4.2 V\n"
        "VSYS: power path: 4.4 V on USB, else VBAT\n"
        "+3V3: logic, microphones, haptic, Qwiic\n"
        "MIC_VDD: +3V3 through the mute switch\n"
        "LED_VDD: VSYS through U502",
    )
