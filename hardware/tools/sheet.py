"""One schematic sheet, drawn in code. Places are in steps of 1.27 mm (KiCad's 50 mil grid), y downwards."""

from __future__ import annotations

import itertools
from pathlib import Path

import symbols
from drawing import STEP, Part, Placed, Point, effects, mm, stable_uuid
from sexpr import Node, dump, word


def _inside(p: Point, a: Point, b: Point) -> bool:
    """Whether `p` lies on the wire from `a` to `b`, its ends left out."""
    (x, y), (x1, y1), (x2, y2) = p, a, b
    return p not in (a, b) and (
        (x == x1 == x2 and min(y1, y2) < y < max(y1, y2)) or (y == y1 == y2 and min(x1, x2) < x < max(x1, x2))
    )


class Sheet:
    """Collects items; `write` puts a complete `.kicad_sch` down. Junctions are found, never drawn by hand."""

    def __init__(self, name: str, title: str, catalogue: dict[str, Part], comment: str = "") -> None:
        self.name, self.title, self.catalogue, self.comment = name, title, catalogue, comment
        self.placed: dict[tuple[str, int], Placed] = {}
        self.project = name
        self.path = ""
        self.page = "1"
        self._items: list[Node] = []
        self._used: dict[str, None] = {}
        self._wires: list[tuple[Point, Point]] = []
        self._ends: list[Point] = []
        self._pin_ends: list[Point] = []
        self._counts: dict[str, int] = {}
        self._symbols: list[tuple[str, Placed, list[Node]]] = []

    # -- parts ---------------------------------------------------------------------------------------

    def place(
        self,
        ref: str,
        key: str,
        x: float,
        y: float,
        rot: int = 0,
        mirror: str = "",
        unit: int = 1,
        ref_at: Point | None = None,
        value_at: Point | None = None,
        justify: str | None = None,
    ) -> Placed:
        """Put catalogue part `key` at (x, y). Text goes beside two-pin parts and above others unless told."""
        part = self.catalogue[key]
        placed = Placed(part, x, y, rot, mirror, unit)
        self.placed[ref, unit] = placed
        ref_xy, value_xy, side = self._text_places(placed)
        side = side if justify is None else justify
        self._used[part.symbol] = None
        angle = 90 if rot in (90, 270) else 0
        show = [("Reference", ref, ref_at or ref_xy, False), ("Value", part.value, value_at or value_xy, False)]
        hidden = {
            "Footprint": part.footprint,
            "Datasheet": part.datasheet,
            "Description": symbols.default_field(part.symbol, "Description"),
            **part.fields,
        }
        show += [(name, value, (0.0, 0.0), True) for name, value in hidden.items()]
        fields = []
        for name, value, (dx, dy), hide in show:
            fields.append(
                [
                    word("property"),
                    name,
                    value,
                    [word("at"), mm(x + dx), mm(y + dy), angle],
                    effects(side if not hide else "", hide=hide),
                ]
            )
        self._symbols.append((ref, placed, fields))
        self._touch_pins(placed)
        return placed

    def _touch_pins(self, placed: Placed) -> None:
        places = [placed.place_of(p.number) for p in symbols.pins(placed.part.symbol) if p.unit in (0, placed.unit)]
        self._pin_ends += dict.fromkeys(places)
        self._ends += places

    @staticmethod
    def _text_places(placed: Placed) -> tuple[Point, Point, str]:
        pins = symbols.pins(placed.part.symbol)
        if len(pins) <= 2 and placed.rot in (0, 180):
            vertical = all(p.x == 0 for p in pins)
            return ((1.5, -0.8), (1.5, 0.9), "left") if vertical else ((0, -2.4), (0, 2.4), "")
        if len(pins) <= 2:
            return (0, -1.7), (0, 1.9), ""
        left = min(p.x for p in pins) / STEP + 2
        top = -max(p.y for p in pins) / STEP
        return (left, top - 1.2), (left, top + 0.4), "left"

    def pin(self, ref: str, name: str, unit: int = 1) -> Point:
        return self.placed[ref, unit].place_of(name)

    # -- wires and names -----------------------------------------------------------------------------

    def wire(self, *points: Point) -> Point:
        """Wire through the points; a slanted leg becomes horizontal, then vertical. Returns the last point."""
        for a, b in itertools.pairwise(points):
            corner = (b[0], a[1])
            for start, end in ((a, corner), (corner, b)):
                if start != end:
                    self._wires.append((start, end))
        return points[-1]

    def stub(self, ref: str, name: str, length: float = 2, unit: int = 1) -> Point:
        """A short wire straight out of a pin; returns its free end."""
        x, y = self.pin(ref, name, unit)
        dx, dy = self.placed[ref, unit].outward(name)
        end = (x + dx * length, y + dy * length)
        if length:
            self.wire((x, y), end)
        return end

    def power(self, net: str, at: Point, down: bool = False) -> None:
        """Supply symbol at a wire end; GND hangs down, rails stand up."""
        lib = "power:GND" if net == "GND" else "power:+3V3" if net == "+3V3" else "power:VCC"
        self._used[lib] = None
        part = Part(lib, net)
        placed = Placed(part, at[0], at[1], 180 if down else 0, "", 1)
        count = self._counts["#PWR"] = self._counts.get("#PWR", 0) + 1
        ref = f"#PWR{self.page}{count:02d}"
        dy = (2.6 if net == "GND" else -2.6) * (-1 if down else 1)
        fields = [
            [word("property"), "Reference", ref, [word("at"), mm(at[0]), mm(at[1]), 0], effects(hide=True)],
            [
                word("property"),
                "Value",
                net,
                [word("at"), mm(at[0]), mm(at[1] + dy), 0],
                effects(hide=net == "GND", size=1.1),
            ],
            *(
                [word("property"), name, "", [word("at"), mm(at[0]), mm(at[1]), 0], effects(hide=True)]
                for name in ("Footprint", "Datasheet", "Description")
            ),
        ]
        self._symbols.append((ref, placed, fields))
        self._touch_pins(placed)

    def flag(self, at: Point) -> None:
        """PWR_FLAG: tells ERC that this net gets its power from outside or through a passive part."""
        self._used["power:PWR_FLAG"] = None
        count = self._counts["#FLG"] = self._counts.get("#FLG", 0) + 1
        placed = Placed(Part("power:PWR_FLAG", "PWR_FLAG"), at[0], at[1], 0, "", 1)
        fields = [
            [
                word("property"),
                name,
                value,
                [word("at"), mm(at[0]), mm(at[1] - 3), 0],
                effects(hide=name != "Value", size=0.9),
            ]
            for name, value in (
                ("Reference", f"#FLG{self.page}{count:02d}"),
                ("Value", "PWR_FLAG"),
                ("Footprint", ""),
                ("Datasheet", "~"),
                ("Description", ""),
            )
        ]
        self._symbols.append((f"#FLG{self.page}{count:02d}", placed, fields))
        self._touch_pins(placed)

    def gnd(self, ref: str, name: str, length: float = 1, unit: int = 1, drop: float = 0) -> None:
        """Ground at a pin; sideways pins get a stub and, with `drop`, a leg down."""
        end = self.stub(ref, name, length, unit)
        if drop:
            end = self.wire(end, (end[0], end[1] + drop))
        self.power("GND", end)

    def rail(self, net: str, ref: str, name: str, length: float = 1, unit: int = 1, rise: float = 0) -> None:
        end = self.stub(ref, name, length, unit)
        if rise:
            end = self.wire(end, (end[0], end[1] - rise))
        self.power(net, end)

    def label(self, net: str, at: Point, angle: int = 0) -> None:
        """Local net name at a wire; angle 0 reads to the right of the point, 180 to its left."""
        self._name_item("label", net, at, angle, [])

    def port(self, net: str, at: Point, angle: int = 0, shape: str = "bidirectional") -> None:
        """Hierarchical label: this net goes on in the parent sheet."""
        self._name_item("hierarchical_label", net, at, angle, [[word("shape"), word(shape)]])

    def _name_item(self, kind: str, net: str, at: Point, angle: int, extra: list[Node]) -> None:
        justify = "left" if angle in (0, 90) else "right"
        justify += " bottom" if kind == "label" else ""
        self._items.append(
            [
                word(kind),
                net,
                *extra,
                [word("at"), mm(at[0]), mm(at[1]), angle],
                effects(justify),
                [word("uuid"), stable_uuid(self.name, kind, net, *at)],
            ]
        )

    def open_pin(self, ref: str, *names: str, unit: int = 1) -> None:
        """A pin that is meant to stay open."""
        for name in names:
            x, y = self.pin(ref, name, unit)
            self._items.append(
                [
                    word("no_connect"),
                    [word("at"), mm(x), mm(y)],
                    [word("uuid"), stable_uuid(self.name, "open", ref, name)],
                ]
            )

    # -- words and lines that carry no signal --------------------------------------------------------

    def text(self, at: Point, words: str, size: float = 1.4, bold: bool = False) -> None:
        self._items.append(
            [
                word("text"),
                words,
                [word("exclude_from_sim"), word("no")],
                [word("at"), mm(at[0]), mm(at[1]), 0],
                effects("left top", size, bold=bold),
                [word("uuid"), stable_uuid(self.name, "text", *at, words[:20])],
            ]
        )

    def box(self, a: Point, b: Point, title: str = "") -> None:
        """Dashed frame around a block of the drawing, with its title inside at the top left."""
        self._items.append(
            [
                word("rectangle"),
                [word("start"), mm(a[0]), mm(a[1])],
                [word("end"), mm(b[0]), mm(b[1])],
                [word("stroke"), [word("width"), 0.15], [word("type"), word("dash")]],
                [word("fill"), [word("type"), word("none")]],
                [word("uuid"), stable_uuid(self.name, "box", *a, *b)],
            ]
        )
        if title:
            self.text((a[0] + 1, a[1] + 1), title, 1.8, bold=True)

    # -- child sheets --------------------------------------------------------------------------------

    def child_sheet(self, child: Sheet, at: Point, size: Point, ports: dict[str, tuple[float, str, str]]) -> None:
        """Box for `child`; ports: name -> (steps down from the top, 'left' or 'right', shape)."""
        x, y = at
        own = stable_uuid(self.name, "sheet", child.name)
        pins = []
        for name, (down, side, shape) in ports.items():
            px, angle = (x, 180) if side == "left" else (x + size[0], 0)
            pins.append(
                [
                    word("pin"),
                    name,
                    word(shape),
                    [word("at"), mm(px), mm(y + down), angle],
                    [word("uuid"), stable_uuid(self.name, "sheetpin", child.name, name)],
                    effects("left" if side == "left" else "right"),
                ]
            )
            self._ends.append((px, y + down))
        child.path, child.project = f"{self.path}/{own}", self.project
        self._items.append(
            [
                word("sheet"),
                [word("at"), mm(x), mm(y)],
                [word("size"), mm(size[0]), mm(size[1])],
                [word("exclude_from_sim"), word("no")],
                [word("in_bom"), word("yes")],
                [word("on_board"), word("yes")],
                [word("dnp"), word("no")],
                [word("stroke"), [word("width"), 0.1524], [word("type"), word("solid")]],
                [word("fill"), [word("color"), 0, 0, 0, word("0.0000")]],
                [word("uuid"), own],
                [
                    word("property"),
                    "Sheetname",
                    child.title,
                    [word("at"), mm(x), mm(y) - 0.7, 0],
                    effects("left bottom", 1.6, bold=True),
                ],
                [
                    word("property"),
                    "Sheetfile",
                    f"{child.name}.kicad_sch",
                    [word("at"), mm(x), mm(y + size[1]) + 0.6, 0],
                    effects("left top"),
                ],
                *pins,
                [
                    word("instances"),
                    [word("project"), self.project, [word("path"), self.path, [word("page"), child.page]]],
                ],
            ]
        )

    # -- output --------------------------------------------------------------------------------------

    def _whole_wires(self) -> list[tuple[Point, Point]]:
        """Wires as KiCad keeps them: broken wherever another wire, a pin or a name touches."""
        touch = sorted({p for wire in self._wires for p in wire} | set(self._ends))
        pieces: dict[tuple[Point, Point], None] = {}
        for a, b in self._wires:
            inner = sorted((p for p in touch if _inside(p, a, b)), key=lambda p: abs(p[0] - a[0]) + abs(p[1] - a[1]))
            for start, end in itertools.pairwise([a, *inner, b]):
                pieces[min(start, end), max(start, end)] = None
        return list(pieces)

    def _junctions(self) -> list[Point]:
        wires = self._whole_wires()
        ends = {p for wire in wires for p in wire}
        pins = set(self._pin_ends)
        found = []
        for p in sorted(ends):
            legs = sum(p in wire for wire in wires)
            if legs + (p in pins) >= 3 and legs >= 2:
                found.append(p)
        return found

    def _instance(self, ref: str, placed: Placed, fields: list[Node]) -> Node:
        part = placed.part
        node: Node = [
            word("symbol"),
            [word("lib_id"), part.symbol],
            [word("at"), mm(placed.x), mm(placed.y), placed.rot],
        ]
        if placed.mirror:
            node.append([word("mirror"), word(placed.mirror)])
        node += [
            [word("unit"), placed.unit],
            [word("exclude_from_sim"), word("no")],
            [word("in_bom"), word("yes" if part.in_bom else "no")],
            [word("on_board"), word("yes" if part.on_board else "no")],
            [word("dnp"), word("no")],
            [word("uuid"), stable_uuid(self.name, "symbol", ref, placed.unit)],
            *fields,
        ]
        seen = set()
        for pin in symbols.pins(part.symbol):
            if pin.unit in (0, placed.unit) and pin.number not in seen:
                seen.add(pin.number)
                node.append(
                    [
                        word("pin"),
                        pin.number,
                        [word("uuid"), stable_uuid(self.name, "pin", ref, placed.unit, pin.number)],
                    ]
                )
        node.append(
            [
                word("instances"),
                [
                    word("project"),
                    self.project,
                    [word("path"), self.path, [word("reference"), ref], [word("unit"), placed.unit]],
                ],
            ]
        )
        return node

    def write(self, folder: Path, root_id: str, revision: str, date: str) -> None:
        """Write `<name>.kicad_sch` into `folder`; `root_id` is the id of this very sheet file."""
        line = [word("stroke"), [word("width"), 0], [word("type"), word("default")]]
        tree: Node = [
            word("kicad_sch"),
            [word("version"), word("20250114")],
            [word("generator"), "zero_one"],
            [word("generator_version"), "9.0"],
            [word("uuid"), root_id],
            [word("paper"), "A4"],
            [
                word("title_block"),
                [word("title"), self.title],
                [word("date"), date],
                [word("rev"), revision],
                [word("company"), "The 01 platform"],
                [word("comment"), 1, self.comment],
                [word("comment"), 2, "Apache-2.0"],
            ],
            [word("lib_symbols"), *(symbols.load(lib) for lib in sorted(self._used))],
            *self._items,
            *(
                [
                    word("junction"),
                    [word("at"), mm(x), mm(y)],
                    [word("diameter"), 0],
                    [word("color"), 0, 0, 0, 0],
                    [word("uuid"), stable_uuid(self.name, "junction", x, y)],
                ]
                for x, y in self._junctions()
            ),
            *(
                [
                    word("wire"),
                    [word("pts"), [word("xy"), mm(a[0]), mm(a[1])], [word("xy"), mm(b[0]), mm(b[1])]],
                    line,
                    [word("uuid"), stable_uuid(self.name, "wire", i, *a, *b)],
                ]
                for i, (a, b) in enumerate(self._whole_wires())
            ),
            *(self._instance(*entry) for entry in self._symbols),
        ]
        if self.page == "1":
            tree.append([word("sheet_instances"), [word("path"), "/", [word("page"), "1"]]])
        tree.append([word("embedded_fonts"), word("no")])
        (folder / f"{self.name}.kicad_sch").write_text(dump(tree) + "\n", encoding="utf-8")
