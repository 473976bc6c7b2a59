"""What must be true of the board, as functions from a netlist to a list of problems (empty = good).

The tests run every rule on the real board, and on boards with a deliberate mistake to see that it is caught.
"""

from __future__ import annotations

from typing import Any

from netlist import GROUNDS, Netlist

MODULE = "U301"
MICROPHONES = {"MK1", "MK2"}
MIC_BUFFER = "U401"
MUTE_SWITCH = "SW502"


def pin_table(pins: dict[str, Any]) -> list[str]:
    """The table itself: no GPIO twice, none that flash or PSRAM own, wake and ADC nets on fitting pins."""
    problems = []
    used: dict[int, str] = {}
    module = pins["module"]
    for section in ("pins", "extras"):
        for net, pin in pins[section].items():
            gpio = pin["gpio"]
            if gpio in used:
                problems.append(f"GPIO{gpio} is given to {used[gpio]} and {net}")
            used[gpio] = net
            if gpio in module["reserved"]:
                problems.append(f"{net}: GPIO{gpio} belongs to flash or PSRAM")
            if gpio in module["strapping"] and net != "BOOT":
                problems.append(f"{net}: GPIO{gpio} is a strapping pin")
    for net in ("TALK", "MUTE_SENSE", "CHG_STAT", "VBUS_SENSE"):
        if pins["pins"][net]["gpio"] not in module["rtc"]:
            problems.append(f"{net} cannot wake deep sleep")
    if pins["pins"]["AMP_REF"]["gpio"] not in module["adc1"]:
        problems.append("AMP_REF is not on ADC1")
    return problems


def pins_on_nets(board: Netlist, pins: dict[str, Any]) -> list[str]:
    """Every net of the table is on its GPIO, and no GPIO carries a net that the table does not know."""
    wanted = {pin["gpio"]: net for section in ("pins", "extras") for net, pin in pins[section].items()}
    found: dict[int, str] = {}
    problems = []
    for name, nodes in board.nets.items():
        on_module = [node for node in nodes if node.ref == MODULE and node.gpio is not None]
        if len(on_module) > 1:
            problems.append(f"{name} joins {' and '.join(f'GPIO{node.gpio}' for node in on_module)}")
        for node in on_module:
            assert node.gpio is not None
            if not name.startswith("unconnected-"):
                found[node.gpio] = name
    for gpio in sorted(wanted.keys() | found.keys()):
        if wanted.get(gpio) != found.get(gpio):
            problems.append(f"GPIO{gpio}: table says {wanted.get(gpio)}, board has {found.get(gpio)}")
    return problems


def strapping(board: Netlist, pins: dict[str, Any]) -> list[str]:
    """GPIO0 is pulled up and only a button or pad can pull it down; the other strapping pins are open."""
    problems = []
    for name, nodes in board.nets.items():
        for node in nodes:
            if node.ref != MODULE or node.gpio not in pins["module"]["strapping"]:
                continue
            others = {peer.ref for peer in nodes} - {MODULE}
            if node.gpio == 0:
                ups = [part for part, other in board.other_ends(name, "R") if other == "+3V3"]
                strange = [ref for ref in others if board.components[ref].kind not in ("R", "SW", "TP")]
                if len(ups) != 1 or strange or len(board.other_ends(name, "R")) != 1:
                    problems.append(f"GPIO0: pull-ups {[p.ref for p in ups]}, unexpected {strange}")
            elif others:
                problems.append(f"GPIO{node.gpio} must stay open at boot, but meets {sorted(others)}")
    return problems


def decoupling(board: Netlist) -> list[str]:
    """On its own sheet, every chip's supply net has at least one capacitor to ground per chip."""
    users: dict[tuple[str, str], set[str]] = {}
    for net, nodes in board.nets.items():
        for node in nodes:
            component = board.components[node.ref]
            if node.kind == "power_in" and net not in GROUNDS and component.kind in ("U", "MK", "D"):
                users.setdefault((component.sheet, net), set()).add(node.ref)
    problems = []
    for (sheet, net), refs in sorted(users.items()):
        caps = [part.ref for part, other in board.other_ends(net, "C") if other in GROUNDS and part.sheet == sheet]
        if len(caps) < len(refs):
            problems.append(f"{net} on {sheet}: {sorted(refs)} share {caps}")
    return problems


def i2c(board: Netlist, pins: dict[str, Any]) -> list[str]:
    """Addresses differ; SDA and SCL have one pull-up each, of 2.2 k to 10 k, to +3V3."""
    addresses = list(pins["i2c"].values())
    problems = [] if len(set(addresses)) == len(addresses) else [f"address used twice: {addresses}"]
    parts = {component.value for component in board.components.values()}
    problems += [f"{part} is in the table but not on the board" for part in pins["i2c"] if part not in parts]
    for net in ("I2C_SDA", "I2C_SCL"):
        ups = [part for part, other in board.other_ends(net, "R") if other == "+3V3"]
        if len(ups) != 1 or not 2.2 <= float(ups[0].value.rstrip("k")) <= 10:
            problems.append(f"{net} has pull-ups {[(part.ref, part.value) for part in ups]}")
    return problems


def part_data(board: Netlist) -> list[str]:
    """Everything that is bought has an order number, maker, footprint, datasheet and price."""
    problems = []
    for part in board.components.values():
        missing = [] if part.footprint else ["footprint"]
        if part.in_bom:
            missing += [
                name
                for name in ("MPN", "Manufacturer", "Price 1", "Price 100", "Price from")
                if not part.fields.get(name)
            ]
            missing += [] if part.datasheet.startswith("http") else ["datasheet"]
        problems += [f"{part.ref} lacks {', '.join(missing)}"] if missing else []
    return problems


def mute(board: Netlist) -> list[str]:
    """With the slide switch open nothing can power or clock a microphone.

    MIC_VDD is reached through the switch alone, and every signal of a microphone ends at the buffer, which
    lives on MIC_VDD itself; the ESP32-S3 never touches a microphone's pin.
    """
    problems = []
    if (board.net_of(MUTE_SWITCH, "2"), board.net_of(MUTE_SWITCH, "1")) != ("+3V3", "MIC_VDD"):
        problems.append("the mute switch does not lie between +3V3 and MIC_VDD")
    for ref in sorted({*MICROPHONES, MIC_BUFFER}):
        supplies = {
            net
            for net, nodes in board.nets.items()
            for node in nodes
            if node.ref == ref and node.kind == "power_in" and net not in GROUNDS
        }
        if supplies != {"MIC_VDD"}:
            problems.append(f"{ref} is fed by {sorted(supplies)}, not by MIC_VDD")
    for node in board.nets.get("MIC_VDD", []):
        kind = board.components[node.ref].kind
        if kind in ("R", "C"):
            ends = {net for net, nodes in board.nets.items() for peer in nodes if peer.ref == node.ref} - {"MIC_VDD"}
            if ends != {"GND"}:
                problems.append(f"{node.ref} joins MIC_VDD and {sorted(ends)}")
        elif node.ref not in {*MICROPHONES, MIC_BUFFER, MUTE_SWITCH} and kind != "TP":
            problems.append(f"{node.ref} also hangs on MIC_VDD")
    for net, nodes in board.nets.items():
        refs = {node.ref for node in nodes}
        if net in {"GND", "MIC_VDD"} or not refs & MICROPHONES:
            continue
        strange = {ref for ref in refs - MICROPHONES - {MIC_BUFFER} if board.components[ref].kind != "R"}
        strange |= {part.ref for part, other in board.other_ends(net, "R") if other != "GND"}
        if strange:
            problems.append(f"microphone signal {net} reaches {sorted(strange)}")
    return problems


def usb(board: Netlist) -> list[str]:
    """CC1 and CC2 have their own 5.1 k to ground; the data pair passes the ESD part before the module."""
    problems = []
    for net in ("CC1", "CC2"):
        pulls = [(part.value, other) for part, other in board.other_ends(net, "R")]
        if pulls != [("5.1k", "GND")]:
            problems.append(f"{net}: {pulls}")
    for net in ("USB_DM", "USB_DP"):
        if board.refs_on(net) != {MODULE, "U101"} or board.refs_on(f"{net}_C") != {"J101", "U101"}:
            problems.append(f"{net} does not run connector, U101, module")
    return problems


HIGH_V = 0.75 * 3.3
"""What the ESP32-S3 surely reads as 1 (its datasheet, DC characteristics: 0.75 VDD)."""
MOST_V = 3.3 + 0.3
DIVIDED = {
    "VBUS_SENSE": ("VBUS", 4.25, 5.5),  # the least a 500 mA device gets, less the fuse; the most a port may give
    "MUTE_SENSE": ("MUTED", 3.2, 3.4),
}
"""Inputs behind a divider, with what feeds them and between which voltages."""


def levels(board: Netlist) -> list[str]:
    """A divided input is surely read as 1 at the lowest voltage, and bears the highest."""
    problems = []
    for net, (source, least, most) in DIVIDED.items():
        ends = {other: ohms(part.value) for part, other in board.other_ends(net, "R")}
        if set(ends) != {source, "GND"}:
            problems.append(f"{net} hangs between {sorted(ends)}, not between {source} and GND")
            continue
        share = ends["GND"] / (ends["GND"] + ends[source])
        if least * share < HIGH_V or most * share > MOST_V:
            problems.append(f"{net}: {least * share:.2f} V to {most * share:.2f} V is no sure 1")
    return problems


def usb_inrush(board: Netlist) -> list[str]:
    """No more than 10 uF hang on the plug (USB 2.0, 7.2.4.1)."""
    found = {part.ref: farads(part.value) for part, other in board.other_ends("VBUS", "C") if other in GROUNDS}
    return [f"VBUS carries {found}"] if sum(found.values()) > 10e-6 else []


def ohms(value: str) -> float:
    return _number(value, {"R": 1.0, "k": 1e3, "M": 1e6})


def farads(value: str) -> float:
    return _number(value, {"p": 1e-12, "n": 1e-9, "u": 1e-6})


def _number(value: str, units: dict[str, float]) -> float:
    return float(value[:-1]) * units[value[-1]]


def defaults_off(board: Netlist) -> list[str]:
    """Amplifier and haptic driver are held off until firmware says otherwise; the LED supply is held on."""
    problems = []
    for net, level in (("AMP_EN", "GND"), ("HAPTIC_EN", "GND"), ("LED_EN", "+3V3")):
        if [other for _, other in board.other_ends(net, "R")] != [level]:
            problems.append(f"{net} is not held at {level}")
    return problems


def board_problems(board: Netlist, pins: dict[str, Any]) -> list[str]:
    """All rules that need only the netlist and the pin table."""
    return [
        *pin_table(pins),
        *pins_on_nets(board, pins),
        *strapping(board, pins),
        *decoupling(board),
        *i2c(board, pins),
        *part_data(board),
        *mute(board),
        *usb(board),
        *usb_inrush(board),
        *levels(board),
        *defaults_off(board),
    ]
