"""Place the board's parts: mechanics by hand, the rest by annealing from hand-given starting points.

Reads and rewrites `hardware/placement.toml`; run it again only when parts change. Seeded, so repeatable.
The cost is wire length (planes excluded), capacitors' distance from the pins they serve, and overlap.
"""

from __future__ import annotations

import argparse
import math
import random
import tomllib
from pathlib import Path

from parts_geometry import HARDWARE, Shape, box_at, shapes, turned

WIDTH, HEIGHT = 49.0, 43.0
PLANES = {"/GND", "GND", "+3V3"}

# ref: x, y, angle, side. These never move.
FIXED: dict[str, tuple[float, float, float, str]] = {
    "U301": (24.5, 6.75, 0, "bottom"),
    "J101": (24.5, 39.8, 0, "bottom"),
    "SW502": (46.6, 32.0, 90, "bottom"),
    "J601": (3.3, 31.0, 270, "bottom"),
    "SW501": (24.5, 18.5, 0, "top"),
    "D503": (24.5, 29.5, 0, "top"),
    "D502": (43.0, 28.5, 0, "top"),
    "MK1": (4.5, 22.0, 0, "bottom"),
    "MK2": (44.5, 22.0, 0, "bottom"),
    "J201": (8.5, 9.5, 0, "bottom"),
    "J401": (41.0, 15.5, 0, "bottom"),
    "J501": (41.5, 9.0, 0, "bottom"),
    "H601": (3.5, 3.5, 0, "top"),
    "H602": (45.5, 3.5, 0, "top"),
    "H603": (3.5, 39.5, 0, "top"),
    "H604": (45.5, 39.5, 0, "top"),
    "SW301": (40.0, 6.0, 0, "top"),
    "SW302": (9.0, 15.0, 0, "top"),
}
# Starting points; annealing may move and turn these.
START: dict[str, tuple[float, float, str]] = {
    "U101": (24.5, 31.5, "bottom"),
    "F101": (30.5, 32, "bottom"),
    "U102": (14.0, 34.0, "bottom"),
    "U201": (6.0, 17.0, "bottom"),
    "Q201": (9.0, 16.0, "bottom"),
    "Q202": (12.0, 16.0, "bottom"),
    "U202": (11.5, 22.5, "bottom"),
    "U203": (17.0, 25.5, "bottom"),
    "L201": (11.0, 26.5, "bottom"),
    "U401": (36.5, 23.5, "bottom"),
    "U402": (37.5, 10.0, "bottom"),
    "U503": (43.5, 26.5, "bottom"),
    "U501": (31.0, 30.0, "top"),
    "U502": (35.0, 30.0, "top"),
    "TH101": (20.0, 30.0, "bottom"),
}
TOP = {
    "D501",
    "R501",
    "R502",
    "C501",
    "U501",
    "U502",
    "C502",
    "C503",
    "C504",
    "C507",
    "R507",
    "R508",
    "R301",
    "C303",
    "R302",
    "R405",
    "R406",
    "R407",
    "C409",
    "C410",
    "R103",
    "R104",
    "C105",
    "R504",
    "R505",
    "R506",
    *(f"TP60{i}" for i in range(1, 7)),
    *(f"TP61{i}" for i in range(6)),
}
# capacitor (or other close part): reference and pin it must sit next to
NEAR: dict[str, tuple[str, str]] = {
    "C101": ("J101", "A4"),
    "C102": ("U102", "13"),
    "C103": ("U102", "10"),
    "C104": ("U102", "2"),
    "R105": ("U102", "12"),
    "R106": ("U102", "16"),
    "C201": ("U201", "5"),
    "C202": ("U202", "3"),
    "C203": ("U203", "5"),
    "C204": ("U203", "8"),
    "C205": ("U203", "1"),
    "C206": ("U203", "1"),
    "C207": ("U203", "10"),
    "C301": ("U301", "2"),
    "C302": ("U301", "2"),
    "C401": ("MK1", "5"),
    "C402": ("MK2", "5"),
    "C403": ("U401", "8"),
    "C404": ("U401", "8"),
    "C405": ("U402", "7"),
    "C406": ("U402", "8"),
    "C502": ("D503", "1"),
    "C503": ("D503", "1"),
    "C504": ("U501", "5"),
    "C505": ("U503", "1"),
    "C506": ("U503", "10"),
    "C507": ("U502", "1"),
    "C601": ("J601", "2"),
    "U101": ("J101", "A6"),
    "D501": ("SW501", "2"),
    "R101": ("J101", "A5"),
    "R102": ("J101", "B5"),
    "C410": ("U301", "18"),
    "R601": ("J601", "3"),
    "R602": ("J601", "4"),
    "C303": ("U301", "3"),
}
WEIGHT = {"/Power: battery and rails/SW1": 4.0, "/Power: battery and rails/SW2": 4.0, "/USB_DM": 2.0, "/USB_DP": 2.0}

# parts with holes or pegs: they take their place on both sides
THROUGH = {"J101", "SW502", "MK1", "MK2", "U301", "H601", "H602", "H603", "H604", "U102", "U202", "U203", "U402"}
WORDS = [
    (30.0, 40.4, 46.0, 42.0, "top"),
    (37.5, 2.8, 42.5, 4.2, "top"),
    (7.0, 11.6, 11.0, 13.0, "top"),
    (22.5, 13.2, 26.5, 14.6, "top"),
    (43.5, 25.9, 48.0, 27.2, "top"),
    (5.0, 14.5, 12.0, 15.8, "bottom"),
    (38.0, 11.7, 45.0, 13.0, "bottom"),
    (43.8, 6.4, 48.0, 7.6, "bottom"),
]  # room for printed words

Place = tuple[float, float, float, str]


class Plan:
    """Positions of all parts and the cost of each; moves are tried one part at a time."""

    def __init__(self, parts: dict[str, Shape], rng: random.Random) -> None:
        self.parts, self.rng = parts, rng
        self.at: dict[str, Place] = {}
        for ref in parts:
            side = "top" if ref in TOP else "bottom"
            if ref in FIXED:
                self.at[ref] = FIXED[ref]
            elif ref in START:
                x, y, side = START[ref]
                self.at[ref] = (x, y, 0, side)
            else:
                x, y = self._first_guess(ref)
                self.at[ref] = (x, y, 0, side)
        self.boxes = {ref: box_at(parts[ref], *place[:2], place[3], place[2]) for ref, place in self.at.items()}
        self.pads: dict[str, dict[tuple[float, float], tuple[float, float]]] = {}
        self.blockers = {
            side: [ref for ref, place in self.at.items() if place[3] == side or ref in THROUGH]
            for side in ("top", "bottom")
        }
        self.members: dict[str, list[tuple[str, float, float]]] = {}
        for ref, shape in parts.items():
            seen = set()
            for number, px, py in shape.pads:
                net = shape.nets.get(number, "")
                if net and net not in PLANES and not net.startswith("unconnected") and (number, px, py) not in seen:
                    seen.add((number, px, py))
                    self.members.setdefault(net, []).append((ref, px, py))
        self.nets_of = {
            ref: sorted({n for n, ms in self.members.items() if any(m[0] == ref for m in ms)}) for ref in parts
        }
        self.goals = {ref: self._goal(ref) for ref in NEAR}
        self.tied: dict[str, list[str]] = {}
        for ref, (target, _) in NEAR.items():
            self.tied.setdefault(target, []).append(ref)

    def _goal(self, ref: str) -> tuple[str, tuple[float, float], tuple[float, float]]:
        """Part to sit next to, its pin, and the own pad that shares the pin's net."""
        target, number = NEAR[ref]
        goal = next((px, py) for n, px, py in self.parts[target].pads if n == number)
        net = self.parts[target].nets[number]
        own = [(px, py) for n, px, py in self.parts[ref].pads if self.parts[ref].nets.get(n) == net]
        return target, goal, own[0] if own else (0.0, 0.0)

    def _first_guess(self, ref: str) -> tuple[float, float]:
        x, y = 24.5, 26.0
        if ref in NEAR:
            target = NEAR[ref][0]
            x, y = (FIXED.get(target) or START[target])[:2]
        return x + self.rng.uniform(-5, 5), min(40.0, max(3.0, y + self.rng.uniform(-4, 4)))

    def move(self, ref: str, place: Place) -> None:
        self.at[ref] = place
        self.boxes[ref] = box_at(self.parts[ref], *place[:2], place[3], place[2])
        self.pads.pop(ref, None)

    def pad(self, ref: str, px: float, py: float) -> tuple[float, float]:
        known = self.pads.setdefault(ref, {})
        if (px, py) not in known:
            x, y, angle, side = self.at[ref]
            dx, dy = turned(px, py, side, angle)
            known[px, py] = (x + dx, y + dy)
        return known[px, py]

    def net_cost(self, net: str) -> float:
        points = [self.pad(*member) for member in self.members[net]]
        xs, ys = [p[0] for p in points], [p[1] for p in points]
        return WEIGHT.get(net, 1.0) * (max(xs) - min(xs) + max(ys) - min(ys))

    def near_cost(self, ref: str) -> float:
        if ref not in NEAR:
            return 0.0
        target, goal, own = self.goals[ref]
        x, y = self.pad(target, *goal)
        ox, oy = self.pad(ref, *own)
        return 3.0 * math.hypot(ox - x, oy - y)

    def clash(self, ref: str) -> float:
        """Overlap with other parts of the same side and with the edge; grows with depth."""
        side = self.at[ref][3]
        left, top, right, bottom = self.boxes[ref]
        total = 0.0
        if ref not in FIXED:
            margin = 0.6
            total += 40 * (
                max(0, margin - left)
                + max(0, margin - top)
                + max(0, right - WIDTH + margin)
                + max(0, bottom - HEIGHT + margin)
            )
        gap = 0.25
        for l2, t2, r2, b2, face in WORDS:
            if face == side and min(right, r2) > max(left, l2) and min(bottom, b2) > max(top, t2):
                total += 20
        for other in self.blockers[side]:
            l2, t2, r2, b2 = self.boxes[other]
            w = min(right, r2) - max(left, l2) + gap
            if w <= 0 or other == ref:
                continue
            h = min(bottom, b2) - max(top, t2) + gap
            if h > 0:
                total += 15 + 25 * min(w, h) + 4 * w * h
        return total

    def cost_of(self, ref: str, pressure: float) -> float:
        cost = sum(self.net_cost(net) for net in self.nets_of[ref]) + self.near_cost(ref)
        cost += sum(self.near_cost(other) for other in self.tied.get(ref, []))
        return cost + pressure * self.clash(ref)

    def anneal(self, rounds: int, warm: bool) -> None:
        movable = [ref for ref in sorted(self.parts) if ref not in FIXED]
        for step in range(rounds):
            share = step / rounds
            heat = (0.8 if warm else 8.0) * (1 - share) ** 2 + 0.02
            reach = (3.0 if warm else 12.0) * (1 - share) ** 1.5 + 0.3
            pressure = 3.0 if warm else 0.15 + 1.2 * share
            ref = self.rng.choice(movable)
            old = self.at[ref]
            if self.rng.random() < 0.15:  # trade places with a part of the same side
                other = self.rng.choice(movable)
                if self.at[other][3] != old[3] or other == ref:
                    continue
                before = self.cost_of(ref, pressure) + self.cost_of(other, pressure)
                theirs = self.at[other]
                self.move(ref, (*theirs[:2], *old[2:]))
                self.move(other, (*old[:2], *theirs[2:]))
                after = self.cost_of(ref, pressure) + self.cost_of(other, pressure)
                if after > before and self.rng.random() >= math.exp((before - after) / heat):
                    self.move(ref, old)
                    self.move(other, theirs)
                continue
            before = self.cost_of(ref, pressure)
            x, y, angle, side = old
            if self.rng.random() < 0.25:
                angle = (angle + self.rng.choice((90, 180, 270))) % 360
            else:
                x = round((x + self.rng.gauss(0, reach / 2)) * 10) / 10
                y = round((y + self.rng.gauss(0, reach / 2)) * 10) / 10
            self.move(ref, (min(48.0, max(1.0, x)), min(42.0, max(1.0, y)), angle, side))
            after = self.cost_of(ref, pressure)
            if after > before and self.rng.random() >= math.exp((before - after) / heat):
                self.move(ref, old)


def write(plan: Plan, path: Path) -> None:
    lines = [
        "# Placement of the 01 Light board, by hardware/tools/pcb/place.py. Millimetres and degrees; seen from above,",
        "# origin at the board's upper left corner, y downwards; angle after the flip for parts on the bottom.",
        "",
    ]
    for ref in sorted(plan.at, key=lambda r: ("".join(c for c in r if c.isalpha()), r)):
        x, y, angle, side = plan.at[ref]
        lines.append(f'{ref} = {{ x = {x:g}, y = {y:g}, angle = {angle:g}, side = "{side}" }}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=450_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warm", action="store_true", help="start from placement.toml, move little")
    options = parser.parse_args()
    plan = Plan(shapes(), random.Random(options.seed))
    path = HARDWARE / "placement.toml"
    if options.warm:
        for ref, place in tomllib.loads(path.read_text(encoding="utf-8")).items():
            if ref in plan.parts and ref not in FIXED:
                plan.move(ref, (place["x"], place["y"], place["angle"], place["side"]))
    plan.anneal(options.rounds, options.warm)
    clashes = {ref: round(c, 1) for ref in plan.at if ref not in FIXED and (c := plan.clash(ref)) > 0}
    length = sum(plan.net_cost(net) for net in plan.members)
    print(f"wire length {length:.0f} mm, clashes {clashes}")
    write(plan, path)


if __name__ == "__main__":
    main()
