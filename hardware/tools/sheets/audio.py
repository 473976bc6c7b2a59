"""Sheet 5: two microphones behind a supply-cut buffer, class-D amplifier, echo reference."""

from __future__ import annotations

from sheet import Sheet


def draw(s: Sheet) -> None:
    _microphones(s)
    _amplifier(s)
    _reference(s)


def _microphones(s: Sheet) -> None:
    s.box((11, 12), (222, 76), "Microphones: I2S, one line, 40 mm apart; everything here dies with MIC_VDD")
    for unit, (pin_in, pin_out, y, net, inner) in enumerate(
        [("1", "7", 28, "MIC_BCLK", "MICB_BCLK"), ("6", "2", 40, "MIC_WS", "MICB_WS")], start=1
    ):
        s.place("U401", "mic_buffer", 46, y, unit=unit, ref_at=(0, -4.6), value_at=(0, 4.6), justify="")
        s.port(net, s.stub("U401", pin_in, 4, unit), 180, "input")
        s.label(inner, s.stub("U401", pin_out, 3, unit))
    for ref, y, side, net in (("MK1", 28, "left", "GND"), ("MK2", 54, "right", "MIC_VDD")):
        s.place(ref, "microphone", 112, y, mirror="y", ref_at=(3, -7), value_at=(3, -5.4), justify="right")
        s.label("MICB_WS", s.stub(ref, "WS", 8), 180)
        s.label("MICB_BCLK", s.stub(ref, "SCK", 8), 180)
        s.label("MICB_DATA", s.stub(ref, "SD", 8), 180)
        s.rail("MIC_VDD", ref, "VDD", 1)
        s.gnd(ref, "GND", 1)
        if net == "GND":
            s.gnd(ref, "LR", 2, drop=4)
        else:
            s.rail("MIC_VDD", ref, "LR", 5, rise=4)
        s.text((112 + 12, y + 4), f"{ref}: {side} slot (LR = {'low' if net == 'GND' else 'high'})")
    # data back through the buffer, flowing right
    s.place("U401", "mic_buffer", 176, 28, unit=3, ref_at=(0, -4.6), value_at=(0, 4.6), justify="")
    s.label("MICB_DATA", s.stub("U401", "3", 2, 3), 180)
    end = s.stub("U401", "5", 8, 3)
    s.port("MIC_DATA", s.wire(end, (204, end[1])), 0, "output")
    s.place("R402", "R:100k", 194, 34)
    s.wire((194, 28), s.pin("R402", "1"))
    s.gnd("R402", "2", 1)
    s.place("R401", "R:100k", 160, 34)
    s.wire((162, 28), (160, 28), s.pin("R401", "1"))
    s.gnd("R401", "2", 1)
    # supply of this block
    s.place("U401", "mic_buffer", 24, 60, unit=4, ref_at=(4.5, -1), value_at=(4.5, 0.8), justify="left")
    s.rail("MIC_VDD", "U401", "8", 1, 4)
    s.gnd("U401", "4", 1, 4)
    for ref, key, x in (("C401", "C:100n", 44), ("C402", "C:100n", 56), ("C403", "C:100n", 68), ("C404", "C:1u", 80)):
        s.place(ref, key, x, 60)
        s.rail("MIC_VDD", ref, "1", 1)
        s.gnd(ref, "2", 1)
    s.text(
        (150, 46),
        "U401 runs from MIC_VDD and has Ioff: with the switch open no\n"
        "clock of the ESP32-S3 can feed the microphones through their\n"
        "pins, and no pin of theirs reaches the ESP32-S3 directly.\n"
        "R401, R402 hold the line low when nobody drives it.\n"
        "Port holes face up through the board.  SNR 65 dB(A) each.",
    )


def _amplifier(s: Sheet) -> None:
    s.box((11, 79), (138, 155), "Amplifier: mono class D, 8 ohm")
    s.place("U402", "amplifier", 58, 106, ref_at=(2, -13), value_at=(2, -11.4), justify="left")
    for net, pin in (("AMP_DATA", "DIN"), ("AMP_BCLK", "BCLK"), ("AMP_WS", "LRCLK")):
        s.port(net, s.stub("U402", pin, 18), 180, "input")
    enable = s.stub("U402", "~{SD_MODE}", 18)
    s.port("AMP_EN", enable, 180, "input")
    s.place("R403", "R:100k", 34, 114)
    s.wire((34, enable[1]), s.pin("R403", "1"))
    s.gnd("R403", "2", 1)
    s.place("R404", "R:0R", 44, 120)
    s.wire(s.pin("U402", "GAIN_SLOT"), (44, 110), s.pin("R404", "1"))
    s.gnd("R404", "2", 1)
    s.rail("VSYS", "U402", "7", 2)
    s.gnd("U402", "3", 2)
    s.gnd("U402", "17", 2)
    for ref, key, x in (("C405", "C:22u", 78), ("C406", "C:100n", 90)):
        s.place(ref, key, x, 88)
        s.rail("VSYS", ref, "1", 1)
        s.gnd(ref, "2", 1)
    s.place("FB401", "bead", 88, 100, rot=90)
    s.place("FB402", "bead", 88, 108, rot=90)
    s.wire(s.pin("U402", "OUTP"), (78, 100), s.pin("FB401", "1"))
    s.wire(s.pin("U402", "OUTN"), (72, 102), (72, 108), s.pin("FB402", "1"))
    s.label("AMP_OUTP", (70, 100))
    s.label("AMP_OUTN", (73, 108))
    s.place("J401", "speaker_socket", 124, 102, ref_at=(3, -1), value_at=(3, 0.8), justify="left")
    s.wire(s.pin("FB401", "2"), (100, 100), (100, 98), (114, 98), (114, 102), s.pin("J401", "1"))
    s.wire(s.pin("FB402", "2"), (114, 108), (114, 104), s.pin("J401", "2"))
    s.label("SPK_P", (102, 98))
    s.label("SPK_N", (106, 108))
    s.gnd("J401", "MP", 1)
    for ref, x, y in (("C407", 96, 104), ("C408", 102, 112)):
        s.place(ref, "C:220p", x, y if ref == "C408" else 104)
    s.wire((96, 100), s.pin("C407", "1"))
    s.gnd("C407", "2", 1)
    s.wire((102, 108), s.pin("C408", "1"))
    s.gnd("C408", "2", 1)
    s.text(
        (13, 128),
        "AMP_EN high = on, plays the left slot (SD_MODE > 1.4 V); R403 keeps it off at boot: no pop.\n"
        "Gain by R404: to ground 12 dB (fitted); left open 9 dB; 100 k to ground 15 dB.\n"
        "Full scale at 12 dB: 2.1 dBV + 12 dB = 5.1 V rms asked, so the supply limits, not the gain.\n"
        "8 ohm: 3.7 V gives 0.77 W, 4.4 V gives 1.09 W at 10 % THD.  About 88 dB at 30 cm (docs).\n"
        "FB401, FB402 and 220 pF keep the switching edges off the speaker leads,\n"
        "which lie near the antenna.  Keep the leads short and twisted.",
    )


def _reference(s: Sheet) -> None:
    s.box((141, 79), (222, 129), "Echo reference")
    s.place("R405", "R:100k", 160, 98, rot=90)
    s.label("AMP_OUTP", s.wire(s.pin("R405", "1"), (152, 98)), 180)
    s.place("C409", "C:1u", 170, 98, rot=90)
    s.wire(s.pin("R405", "2"), s.pin("C409", "1"))
    s.wire(s.pin("C409", "2"), (204, 98))
    s.port("AMP_REF", (204, 98), 0, "output")
    s.place("R406", "R:220k", 180, 92)
    s.rail("+3V3", "R406", "1", 1)
    s.wire(s.pin("R406", "2"), (180, 98))
    s.place("R407", "R:220k", 180, 104)
    s.wire((180, 98), s.pin("R407", "1"))
    s.gnd("R407", "2", 1)
    s.place("C410", "C:470p", 192, 104)
    s.wire((192, 98), s.pin("C410", "1"))
    s.gnd("C410", "2", 1)
    s.text(
        (143, 114),
        "What the speaker plays, for echo cancellation in firmware or server.\n"
        "Bias 1.65 V.  Gain 110 k / (100 k + 110 k) = 0.52: +-2.2 V becomes\n"
        "+-1.15 V, inside the ADC's 0.1 to 3.1 V.  Low pass: 52 k, 470 pF:\n"
        "6.5 kHz; the 300 kHz carrier falls by 33 dB.  Bias costs 7.5 uA.",
    )
