"""Sheet 1: the blocks and what runs between them; signals flow from left to right."""

from __future__ import annotations

from sheet import Sheet

Ports = dict[str, tuple[float, str, str]]  # name -> (steps below the top edge, side, shape)


def _column(side: str, *names: tuple[str, str], first: float = 3, step: float = 2) -> Ports:
    return {name: (first + step * i, side, shape) for i, (name, shape) in enumerate(names)}


IN, OUT, BOTH = "input", "output", "bidirectional"

USB = _column("right", ("USB_DM", BOTH), ("USB_DP", BOTH), ("VBUS_SENSE", OUT), ("CHG_STAT", OUT))
RAILS = _column("right", ("I2C_SDA", BOTH), ("I2C_SCL", IN), ("GAUGE_ALRT", OUT))
MCU = {
    **_column(
        "left",
        ("USB_DM", BOTH),
        ("USB_DP", BOTH),
        ("VBUS_SENSE", IN),
        ("CHG_STAT", IN),
        ("GAUGE_ALRT", IN),
        ("TALK", IN),
        ("MUTE_SENSE", IN),
        ("MIC_DATA", IN),
        ("AMP_REF", IN),
    ),
    **_column(
        "right",
        ("MIC_BCLK", OUT),
        ("MIC_WS", OUT),
        ("AMP_BCLK", OUT),
        ("AMP_WS", OUT),
        ("AMP_DATA", OUT),
        ("AMP_EN", OUT),
        ("LED_DATA", OUT),
        ("LED_EN", OUT),
        ("HAPTIC_EN", OUT),
        ("I2C_SDA", BOTH),
        ("I2C_SCL", OUT),
        ("UART_TX", OUT),
        ("UART_RX", IN),
        ("EN", OUT),
        ("BOOT", OUT),
    ),
}
AUDIO = {
    **_column(
        "left", ("MIC_BCLK", IN), ("MIC_WS", IN), ("AMP_BCLK", IN), ("AMP_WS", IN), ("AMP_DATA", IN), ("AMP_EN", IN)
    ),
    **_column("right", ("MIC_DATA", OUT), ("AMP_REF", OUT)),
}
INTERFACE = {
    **_column("left", ("LED_DATA", IN), ("LED_EN", IN), ("HAPTIC_EN", IN), ("I2C_SDA", BOTH), ("I2C_SCL", IN)),
    **_column("right", ("TALK", OUT), ("MUTE_SENSE", OUT)),
}
EXPANSION = _column(
    "left", ("I2C_SDA", BOTH), ("I2C_SCL", IN), ("UART_TX", IN), ("UART_RX", OUT), ("EN", IN), ("BOOT", IN)
)


def draw(s: Sheet, sheets: dict[str, Sheet]) -> None:
    places = [
        ("usb_charger", (14, 24), (38, 16), USB),
        ("battery_rails", (14, 62), (38, 14), RAILS),
        ("mcu", (88, 24), (44, 42), MCU),
        ("audio", (168, 22), (40, 22), AUDIO),
        ("user_interface", (168, 58), (40, 18), INTERFACE),
        ("expansion", (168, 90), (40, 20), EXPANSION),
    ]
    for name, at, size, ports in places:
        s.child_sheet(sheets[name], at, size, ports)
        for net, (down, side, _) in ports.items():
            x = at[0] if side == "left" else at[0] + size[0]
            out = -1 if side == "left" else 1
            s.label(net, s.wire((x, at[1] + down), (x + 3 * out, at[1] + down)), 180 if side == "left" else 0)
    s.text((14, 11), "01 Light: push-to-talk voice device", 3, bold=True)
    s.text(
        (14, 84),
        "USB-C (5 V)  ->  charger with power path  ->  VSYS  ->  buck-boost 3.3 V  ->  module, microphones, haptic\n"
        "                          |                              |->  amplifier, light\n"
        "                      Li-Po cell (protection, gauge)",
    )
    s.text(
        (14, 120),
        "Hold to talk, audible at 30 cm, microphones 65 dB(A) SNR with a switch that cuts their supply,\n"
        "more than 2 h on Wi-Fi, charges while in use, firmware over USB-C.  "
        "49 x 43 mm board, device under 55 x 55 x 38 mm.\n\n"
        "Nets of the same name on this sheet are one net.  "
        "Rails (+3V3, VSYS, VBAT, VBUS, MIC_VDD, LED_VDD, GND) are global.\n"
        "Drawn by hardware/tools/generate.py; pins from hardware/pins.toml, parts from hardware/parts.toml.",
    )
