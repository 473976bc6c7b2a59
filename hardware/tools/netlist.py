"""The netlist as KiCad sees it: exported XML turned into components and nets."""

from __future__ import annotations

import re
import tempfile
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import kicad

HARDWARE = Path(__file__).resolve().parents[1]
SCHEMATIC = HARDWARE / "schematics" / "zero_one_light.kicad_sch"
GROUNDS = {"GND", "CELL-"}
_USB = {"USB_D-": 19, "USB_D+": 20, "TXD0": 43, "RXD0": 44}


@dataclass(frozen=True)
class Node:
    """One pin on a net; `kind` is KiCad's electrical type."""

    ref: str
    pin: str
    function: str
    kind: str

    @property
    def gpio(self) -> int | None:
        """GPIO number when this is a pin of the ESP32-S3 module."""
        match = re.fullmatch(r"IO(\d+)", self.function)
        return int(match[1]) if match else _USB.get(self.function)


@dataclass(frozen=True)
class Component:
    ref: str
    value: str
    footprint: str
    datasheet: str
    sheet: str
    fields: dict[str, str]
    in_bom: bool

    @property
    def kind(self) -> str:
        return re.sub(r"\d+$", "", self.ref)


@dataclass
class Netlist:
    components: dict[str, Component]
    nets: dict[str, list[Node]]

    def net_of(self, ref: str, pin: str) -> str:
        """Name of the net at a pin (by number); KeyError when the pin does not exist."""
        for name, nodes in self.nets.items():
            if any(node.ref == ref and node.pin == pin for node in nodes):
                return name
        raise KeyError(f"{ref} has no pin {pin}")

    def refs_on(self, net: str) -> set[str]:
        return {node.ref for node in self.nets.get(net, [])}

    def other_ends(self, net: str, kind: str) -> list[tuple[Component, str]]:
        """Two-pin parts of `kind` ("R", "C", ...) with one end on `net`: the part and the net at its other end."""
        found = []
        for node in self.nets.get(net, []):
            component = self.components[node.ref]
            if component.kind == kind:
                found += [
                    (component, other)
                    for other, nodes in self.nets.items()
                    for peer in nodes
                    if peer.ref == node.ref and peer.pin != node.pin
                ]
        return found


def export_xml(schematic: Path = SCHEMATIC) -> str:
    """KiCad's XML netlist without what changes from run to run (date, place on the disk)."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "netlist.xml"
        kicad.cli("sch", "export", "netlist", "--format", "kicadxml", "-o", target, schematic)
        text = target.read_text(encoding="utf-8")
    text = re.sub(r"<date>[^<]*</date>", "<date/>", text)
    text = re.sub(
        r"<source>[^<]*</source>", lambda m: f"<source>{Path(m[0][8:-9].replace(chr(92), '/')).name}</source>", text
    )
    text = re.sub(r"<tool>[^<]*</tool>", "<tool/>", text)
    return re.sub(r'uri="[^"]*"', 'uri=""', re.sub(r"<uri>[^<]*</uri>", "<uri/>", text))


def parse(xml: str) -> Netlist:
    root = ET.fromstring(xml)
    components = {}
    for item in root.iterfind("components/comp"):
        fields = {field.get("name", ""): field.text or "" for field in item.iterfind("fields/field")}
        sheet = item.find("sheetpath")
        flags = {prop.get("name") for prop in item.iterfind("property")}
        ref = item.get("ref", "")
        components[ref] = Component(
            ref,
            item.findtext("value", ""),
            item.findtext("footprint", ""),
            item.findtext("datasheet", ""),
            sheet.get("names", "") if sheet is not None else "",
            fields,
            "exclude_from_bom" not in flags,
        )
    nets = {}
    for net in root.iterfind("nets/net"):
        nets[net.get("name", "").split("/")[-1]] = [
            Node(
                node.get("ref", ""),
                node.get("pin", ""),
                node.get("pinfunction", "").split("_")[0]
                if node.get("pinfunction", "").startswith("IO")
                else node.get("pinfunction", ""),
                node.get("pintype", "").split("+")[0],
            )
            for node in net.iterfind("node")
        ]
    return Netlist(components, nets)


def load(schematic: Path = SCHEMATIC) -> Netlist:
    return parse(export_xml(schematic))
