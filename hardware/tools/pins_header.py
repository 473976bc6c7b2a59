"""Write `hardware/pins.h` (C++17) from `hardware/pins.toml`, so that firmware and board cannot drift apart."""

from __future__ import annotations

import tomllib
from pathlib import Path

HARDWARE = Path(__file__).resolve().parents[1]


def render(table: dict) -> str:
    """C++ header text for a parsed `pins.toml`; GPIO numbers are plain ints, I2C addresses 7 bit."""
    lines = [
        "// Made from hardware/pins.toml by hardware/tools/pins_header.py. Change that file, then run it.",
        "#pragma once",
        "",
        "namespace zero_one::board::light {",
        "",
    ]
    for section in ("pins", "extras"):
        for net, pin in table[section].items():
            lines.append(f"constexpr int {net} = {pin['gpio']};  // {pin['note']}")
        lines.append("")
    lines += [f"constexpr int I2C_{part} = 0x{address:02X};" for part, address in table["i2c"].items()]
    return "\n".join([*lines, "", "}  // namespace zero_one::board::light", ""])


def main() -> None:
    table = tomllib.loads((HARDWARE / "pins.toml").read_text(encoding="utf-8"))
    (HARDWARE / "pins.h").write_text(render(table), encoding="utf-8")


if __name__ == "__main__":
    main()
