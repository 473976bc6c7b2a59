"""Sheet 6: talk button, RGB light, haptic driver, and the switch that cuts the microphones' supply."""

from __future__ import annotations

from sheet import Sheet


def draw(s: Sheet) -> None:
    _talk(s)
    _mute(s)
    _light(s)
    _haptic(s)


def _talk(s: Sheet) -> None:
    s.box((11, 12), (112, 70), "Talk button: hold to talk; wakes from sleep")
    s.place("SW501", "talk_switch", 22, 40, rot=90, ref_at=(-3.5, -0.8), value_at=(-3.5, 0.9), justify="left")
    s.gnd("SW501", "1", 3)
    node = s.wire(s.pin("SW501", "2"), (22, 32))
    s.place("D501", "esd", 34, 40, rot=90, ref_at=(1.8, -0.8), value_at=(1.8, 0.9), justify="right")
    s.wire(node, (34, 32), s.pin("D501", "2"))
    s.gnd("D501", "1", 4)
    s.place("R501", "R:100R", 52, 32, rot=90)
    s.wire((34, 32), s.pin("R501", "1"))
    s.label("BUTTON", (38, 32))
    s.place("R502", "R:10k", 62, 26)
    s.rail("+3V3", "R502", "1", 1)
    s.wire(s.pin("R501", "2"), (62, 32))
    s.wire(s.pin("R502", "2"), (62, 32))
    s.place("C501", "C:100n", 74, 38)
    s.wire((62, 32), (74, 32), s.pin("C501", "1"))
    s.gnd("C501", "2", 1)
    s.port("TALK", s.wire((74, 32), (88, 32)), 0, "output")
    s.text(
        (13, 56),
        "Release: 10 k x 100 nF = 1 ms, press: 100 R x 100 nF = 10 us: the edge is clean and the\n"
        "firmware debounces 30 ms.  Pressed level: 3.3 V x 100 / 10100 = 33 mV.\n"
        "D501 takes the finger's 8 kV.",
    )


def _mute(s: Sheet) -> None:
    s.box((115, 12), (222, 70), "Mute: the switch itself cuts the microphones' supply")
    s.place("SW502", "slide_switch", 138, 32, ref_at=(-3.5, -7.6), value_at=(-3.5, -6), justify="left")
    s.wire(s.stub("SW502", "B", 4), (130, 28))
    s.power("+3V3", (130, 28))
    on = s.wire(s.pin("SW502", "A"), (168, 30))
    s.power("MIC_VDD", s.wire(on, (168, 26)))
    s.flag((162, 30))
    s.place("R503", "R:220k", 152, 36, ref_at=(1.3, -0.8), value_at=(1.3, 0.9))
    s.wire((152, 30), s.pin("R503", "1"))
    s.gnd("R503", "2", 1)
    muted = s.wire(s.pin("SW502", "C"), (146, 34), (146, 50), (172, 50))
    s.label("MUTED", (149, 50))
    s.place("R504", "R:1k", 178, 50, rot=90)
    s.wire(muted, s.pin("R504", "1"))
    s.place("D502", "red_led", 190, 50, mirror="y", ref_at=(0, -2.6), value_at=(0, 2.6))
    s.wire(s.pin("R504", "2"), s.pin("D502", "A"))
    s.gnd("D502", "K", 3, drop=2)
    s.place("R505", "R:10k", 178, 40, rot=90)
    s.wire((166, 50), (166, 40), s.pin("R505", "1"))
    s.port("MUTE_SENSE", s.wire(s.pin("R505", "2"), (202, 40)), 0, "output")
    s.place("R506", "R:100k", 190, 34, ref_at=(1.3, -0.8), value_at=(1.3, 0.9))
    s.wire(s.pin("R506", "2"), (190, 40))
    s.power("GND", s.wire(s.pin("R506", "1"), (190, 30), (197, 30), (197, 32)))
    s.text(
        (117, 57),
        "Slide towards D502: +3V3 leaves MIC_VDD and lights D502 (1.3 mA).  No software is\n"
        "involved and none can undo it.  R503 empties MIC_VDD (1.3 uF x 220 k = 0.3 s at most).\n"
        "MUTE_SENSE only tells the firmware, which then stops the microphones' clocks.",
    )


def _light(s: Sheet) -> None:
    s.box((11, 73), (222, 116), "Light: one addressable RGB LED, supply can be switched off")
    s.place("U502", "load_switch", 48, 92, ref_at=(0, -7.4), value_at=(0, -5.8), justify="left")
    s.rail("VSYS", "U502", "VIN", 4, rise=3)
    s.open_pin("U502", "CT", "QOD")
    s.place("C507", "C:1u", 180, 94)
    s.rail("VSYS", "C507", "1", 1)
    s.gnd("C507", "2", 1)
    enable = s.stub("U502", "ON", 12)
    s.port("LED_EN", s.wire(enable, (24, enable[1])), 180, "input")
    s.place("R507", "R:1M", 28, 90, ref_at=(-1.3, -0.8), value_at=(-1.3, 0.9), justify="right")
    s.rail("+3V3", "R507", "1", 1)
    s.wire(s.pin("R507", "2"), (28, enable[1]))
    s.gnd("U502", "GND", 1)
    out = s.wire(s.stub("U502", "VOUT", 4), (66, 90))
    s.power("LED_VDD", s.wire(out, (66, 86)))
    s.place("C502", "C:10u", 66, 96)
    s.wire(out, s.pin("C502", "1"))
    s.gnd("C502", "2", 1)
    s.place("U501", "led_buffer", 112, 94, ref_at=(2, -7.4), value_at=(2, -5.8), justify="left")
    s.port("LED_DATA", s.stub("U501", "A", 4), 180, "input")
    s.rail("LED_VDD", "U501", "5", 1)
    s.gnd("U501", "3", 1)
    s.place("R508", "R:330R", 128, 94, rot=90)
    s.wire(s.pin("U501", "Y"), s.pin("R508", "1"))
    s.place("D503", "rgb", 146, 94, ref_at=(2, -7.4), value_at=(2, -5.8), justify="left")
    s.wire(s.pin("R508", "2"), s.pin("D503", "DIN"))
    s.rail("LED_VDD", "D503", "VDD", 1)
    s.gnd("D503", "VSS", 1)
    s.open_pin("D503", "DOUT")
    for ref, x in (("C503", 164),):
        s.place(ref, "C:100n", x, 94)
        s.rail("LED_VDD", ref, "1", 1)
        s.gnd(ref, "2", 1)
    s.place("C504", "C:100n", 78, 96)
    s.wire((66, 90), (78, 90), s.pin("C504", "1"))
    s.gnd("C504", "2", 1)
    s.text(
        (13, 107),
        "U501 lifts 3.3 V data to LED_VDD (up to 4.4 V, where D503 wants 3.1 V); threshold 1 V.\n"
        "D503 takes 0.6 mA even when dark: LED_EN low in deep sleep.  R507: on when nobody says.\n"
        "Below 3.7 V blue fades first: signal low battery in red.",
    )


def _haptic(s: Sheet) -> None:
    s.box((11, 119), (137, 155), "Haptic: ERM coin motor, I2C address 0x5A")
    s.place("U503", "haptic", 58, 138, ref_at=(2, -11), value_at=(2, -9.4), justify="left")
    s.port("I2C_SDA", s.stub("U503", "SDA", 18), 180)
    s.port("I2C_SCL", s.stub("U503", "SCL", 18), 180, "input")
    s.port("HAPTIC_EN", s.stub("U503", "EN", 18), 180, "input")
    s.place("R509", "R:100k", 36, 147)
    s.wire((36, 142), s.pin("R509", "1"))
    s.gnd("R509", "2", 1)
    s.wire(s.stub("U503", "IN/TRIG", 4), (44, 147))
    s.power("GND", (44, 147))
    s.rail("+3V3", "U503", "10", 1)
    s.wire(s.pin("U503", "6"), (56, 129), (58, 129))
    s.gnd("U503", "8", 1)
    s.place("C505", "C:1u", 74, 146)
    s.wire(s.stub("U503", "REG", 4), (74, 142), s.pin("C505", "1"))
    s.gnd("C505", "2", 1)
    s.place("C506", "C:1u", 80, 128)
    s.rail("+3V3", "C506", "1", 1)
    s.gnd("C506", "2", 1)
    s.place("J501", "haptic_socket", 104, 134, ref_at=(3, -1), value_at=(3, 0.8), justify="left")
    s.wire(s.pin("U503", "OUT+"), s.pin("J501", "1"))
    s.wire(s.pin("U503", "OUT-"), s.pin("J501", "2"))
    s.gnd("J501", "MP", 1)
    s.text((86, 146), "3 V, 80 mA from +3V3 while it buzzes.\nHAPTIC_EN low = off, 4 uA.")
