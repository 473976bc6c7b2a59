"""Route the board: negotiated maze routing on two layers, planes by vias, then wider tracks where there is room.

Every net is routed as if alone, crossing others at a price; each round the price of a crossing rises (PathFinder,
McMurchie and Ebeling 1995) until nobody crosses. GND and +3V3 pads only look for the nearest place for a via.
"""

from __future__ import annotations

import heapq
import itertools
import sys
import tomllib
from dataclasses import dataclass, field

import pcbnew
import tracks
from build import make, point
from grid import CLEARANCE, FREE, LAYERS, PITCH, TRACK, VIA, VIA_DRILL, Grid
from parts_geometry import HARDWARE

VIA_COST = 10.0
PLANES = ("GND", "+3V3")


def disc(radius: float) -> list[tuple[int, int]]:
    reach = int(radius / PITCH) + 1
    return [
        (dx, dy)
        for dx in range(-reach, reach + 1)
        for dy in range(-reach, reach + 1)
        if (dx * dx + dy * dy) ** 0.5 * PITCH < radius - 1e-6
    ]


TRACK_TRACK = disc(TRACK + CLEARANCE)
TRACK_VIA = disc(TRACK / 2 + CLEARANCE + VIA / 2)
VIA_VIA = disc(VIA + CLEARANCE)
HOLE_HOLE = disc(VIA_DRILL + 0.26)


@dataclass
class Route:
    """Copper of one net: node runs on one layer each, and via places (nodes without layer)."""

    runs: list[list[int]] = field(default_factory=list)
    vias: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    crowded: set[int] = field(default_factory=set)  # cells where a hole would touch an own hole
    failed: list[str] = field(default_factory=list)


class Router:
    def __init__(self, grid: Grid, plane_nets: set[int], names: dict[int, str]) -> None:
        self.grid, self.planes, self.names = grid, plane_nets, names
        self.routes: dict[int, Route] = {}
        self.on_track: dict[int, dict[int, int]] = {}  # node -> {net: times} where a track would be too near
        self.on_via: dict[int, dict[int, int]] = {}  # cell -> {net: times} where a via would be too near
        self.history: dict[int, float] = {}
        self.price = 0.5
        self.crossings = 0

    # -- painting ------------------------------------------------------------------------------------

    def _paint(self, net: int, sign: int) -> None:
        route, grid = self.routes[net], self.grid

        def add(table: dict[int, dict[int, int]], key: int) -> None:
            here = table.setdefault(key, {})
            here[net] = here.get(net, 0) + sign
            if here[net] == 0:
                del here[net]
                if not here:
                    del table[key]

        for node in route.nodes:
            layer, cell = divmod(node, grid.size)
            for dx, dy in TRACK_TRACK:
                add(self.on_track, layer * grid.size + cell + dy * grid.cols + dx)
            for dx, dy in TRACK_VIA:
                add(self.on_via, cell + dy * grid.cols + dx)
        for cell in route.vias:
            for dx, dy in TRACK_VIA:
                add(self.on_track, cell + dy * grid.cols + dx)
                add(self.on_track, grid.size + cell + dy * grid.cols + dx)
            for dx, dy in VIA_VIA:
                add(self.on_via, cell + dy * grid.cols + dx)

    def _others(self, table: dict[int, dict[int, int]], key: int, net: int) -> int:
        here = table.get(key)
        return 0 if here is None else len(here) - (net in here)

    # -- search --------------------------------------------------------------------------------------

    def _search(self, net: int, sources: set[int], goals: set[int], to_plane: bool) -> list[int] | None:
        """Cheapest node path from `sources` to `goals` (or, for planes, to any place for a via)."""
        grid = self.grid
        cols, size, track, via = grid.cols, grid.size, grid.track, grid.via
        crowded, own_vias = self.routes[net].crowded, self.routes[net].vias
        if goals:
            places = [divmod(goal % size, cols) for goal in goals]
            low_r, high_r = min(p[0] for p in places), max(p[0] for p in places)
            low_c, high_c = min(p[1] for p in places), max(p[1] for p in places)

        def ahead(node: int) -> float:
            if not goals:
                return 0.0
            row, col = divmod(node % size, cols)
            dr = low_r - row if row < low_r else row - high_r if row > high_r else 0
            dc = low_c - col if col < low_c else col - high_c if col > high_c else 0
            return dr + dc - 0.586 * min(dr, dc)

        steps = [
            (1, 1.0),
            (-1, 1.0),
            (cols, 1.0),
            (-cols, 1.0),
            (cols + 1, 1.414),
            (cols - 1, 1.414),
            (1 - cols, 1.414),
            (-cols - 1, 1.414),
        ]
        best = dict.fromkeys(sources, 0.0)
        came: dict[int, int] = {}
        heap = [(ahead(node), node) for node in sources]
        heapq.heapify(heap)
        done: set[int] = set()
        while heap:
            _, node = heapq.heappop(heap)
            if node in done:
                continue
            done.add(node)
            cell = node % size
            drillable = via[cell] in (FREE, net) and (cell not in crowded or cell in own_vias)
            if node in goals or (to_plane and drillable and not self._others(self.on_via, cell, net)):
                path = [node]
                while node in came:
                    node = came[node]
                    path.append(node)
                return path[::-1]
            cost = best[node]
            for step, length in steps:
                nxt = node + step
                if nxt in done or track[nxt] not in (FREE, net):
                    continue
                fee = length + self.history.get(nxt, 0.0)
                crossing = self._others(self.on_track, nxt, net)
                if crossing:
                    fee += length * crossing * self.price
                new = cost + fee
                if new < best.get(nxt, 1e18):
                    best[nxt] = new
                    came[nxt] = node
                    heapq.heappush(heap, (new + ahead(nxt), nxt))
            other = node - size if node >= size else node + size
            if drillable and other not in done and track[other] in (FREE, net):
                new = cost + VIA_COST + 6 * self._others(self.on_via, cell, net) * self.price
                if new < best.get(other, 1e18):
                    best[other] = new
                    came[other] = node
                    heapq.heappush(heap, (new + ahead(other), other))
        return None

    # -- nets ----------------------------------------------------------------------------------------

    def route_net(self, net: int) -> None:
        if net in self.routes:
            self._paint(net, -1)
        self.routes[net] = Route()
        for cell in self.grid.holes.get(net, ()):
            self.routes[net].crowded.update(cell + dy * self.grid.cols + dx for dx, dy in HOLE_HOLE)
        if net in self.planes:
            self._route_plane(net)
        else:
            self._route_signal(net)
        self._paint(net, +1)

    def _take(self, route: Route, path: list[int]) -> None:
        run = [path[0]]
        for a, b in itertools.pairwise(path):
            if abs(a - b) == self.grid.size:
                self._drill(route, a % self.grid.size)
                route.runs.append(run)
                run = [b]
            else:
                run.append(b)
        route.runs.append(run)
        route.nodes.update(path)

    def _drill(self, route: Route, cell: int) -> None:
        route.vias.add(cell)
        route.crowded.update(cell + dy * self.grid.cols + dx for dx, dy in HOLE_HOLE)

    def _groups(self, net: int) -> list[tuple[str, set[int]]]:
        """Pads of the net; the two faces of a plated hole are one pad."""
        merged: dict[tuple[str, int], set[int]] = {}
        for name, nodes in self.grid.pads[net]:
            cells = {node % self.grid.size for node in nodes}
            key = next(
                (k for k, have in merged.items() if k[0] == name and {n % self.grid.size for n in have} & cells),
                (name, len(merged)),
            )
            merged.setdefault(key, set()).update(nodes)
        return [(key[0], nodes) for key, nodes in merged.items()]

    def _route_signal(self, net: int) -> None:
        route = self.routes[net]
        groups = self._groups(net)
        tree = set(groups[0][1])
        left = groups[1:]
        while left:
            goals = {node: i for i, (_, nodes) in enumerate(left) for node in nodes}
            path = self._search(net, tree, self._closest(tree, left), False)
            if path is None:
                name, _ = left.pop(0)
                route.failed.append(name)
                continue
            self._take(route, path)
            hit = goals[path[-1]]
            tree |= set(path) | left[hit][1]
            left.pop(hit)

    def _closest(self, tree: set[int], left: list[tuple[str, set[int]]]) -> set[int]:
        """Nodes of the pad that is nearest to what is already joined."""
        cols, size = self.grid.cols, self.grid.size
        sample = [divmod(node % size, cols) for node in list(tree)[::7] or tree]

        def distance(nodes: set[int]) -> float:
            row, col = divmod(next(iter(nodes)) % size, cols)
            return min(abs(row - r) + abs(col - c) for r, c in sample)

        return min(left, key=lambda item: distance(item[1]))[1]

    def _route_plane(self, net: int) -> None:
        route = self.routes[net]
        for name, nodes in self._groups(net):
            cells = {node % self.grid.size for node in nodes}
            if len({node // self.grid.size for node in nodes}) == 2 or cells & self.grid.holes.get(net, set()):
                continue  # a plated hole, or a via in the pad, touches the plane already
            path = self._search(net, nodes, set(), True)
            if path is None:
                route.failed.append(name)
                continue
            self._take(route, path)
            self._drill(route, path[-1] % self.grid.size)

    def conflicts(self) -> set[int]:
        bad: set[int] = set()
        self.crossings = 0
        for net, route in self.routes.items():
            for node in route.nodes:
                if self._others(self.on_track, node, net):
                    bad.add(net)
                    bad |= set(self.on_track[node])
                    self.crossings += 1
                    self.history[node] = self.history.get(node, 0.0) + 1.0
            for cell in route.vias:
                if self._others(self.on_via, cell, net):
                    bad.add(net)
                    bad |= set(self.on_via[cell])
                    for node in (cell, cell + self.grid.size):
                        self.history[node] = self.history.get(node, 0.0) + 2.0
        return bad

    def run(self, rounds: int) -> None:
        order = sorted(self.grid.pads, key=lambda net: (net in self.planes, self._span(net)))
        todo = [net for net in order if len(self.grid.pads[net]) > 1]
        for turn in range(rounds):
            for net in todo:
                self.route_net(net)
            bad = self.conflicts()
            failed = sum(len(route.failed) for route in self.routes.values())
            print(
                f"round {turn}: {len(bad)} nets in conflict at {self.crossings} places, {failed} pads without a way",
                flush=True,
            )
            if not bad:
                return
            if len(bad) < 8:
                for net in sorted(bad):
                    places = [
                        self.grid.place(node)
                        for node in self.routes[net].nodes
                        if self._others(self.on_track, node, net)
                    ]
                    print(
                        f"    {self.names.get(net, net)}: "
                        f"{[(face, round(x, 1), round(y, 1)) for face, x, y in places[::6]]}",
                        flush=True,
                    )
            self.price = min(self.price * 1.5, 8.0)
            todo = [net for net in order if net in bad]

    def _span(self, net: int) -> int:
        cells = [
            divmod(node % self.grid.size, self.grid.cols) for _, nodes in self.grid.pads[net] for node in nodes[:1]
        ]
        return (max(c[0] for c in cells) - min(c[0] for c in cells)) + (
            max(c[1] for c in cells) - min(c[1] for c in cells)
        )


def corners(grid: Grid, run: list[int]) -> list[int]:
    """A run without the nodes in the middle of straight pieces."""
    kept = run[:1]
    for before, here, after in zip(run, run[1:], run[2:], strict=False):
        if here - before != after - here:
            kept.append(here)
    return kept + run[-1:] if len(run) > 1 else kept


def lay(board: pcbnew.BOARD, grid: Grid, routes: dict[int, Route]) -> None:
    for net, route in sorted(routes.items()):
        for run in route.runs:
            turns = corners(grid, run)
            for a, b in itertools.pairwise(turns):
                layer, x1, y1 = grid.place(a)
                _, x2, y2 = grid.place(b)
                track = pcbnew.PCB_TRACK(board)
                track.SetLayer(LAYERS[layer])
                track.SetStart(point(x1, y1))
                track.SetEnd(point(x2, y2))
                track.SetWidth(pcbnew.FromMM(TRACK))
                track.SetNetCode(net)
                board.Add(track)
        for cell in sorted(route.vias):
            _, x, y = grid.place(cell)
            via = pcbnew.PCB_VIA(board)
            via.SetPosition(point(x, y))
            via.SetWidth(pcbnew.FromMM(VIA))
            via.SetDrill(pcbnew.FromMM(VIA_DRILL))
            via.SetNetCode(net)
            board.Add(via)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    mechanics = tomllib.loads((HARDWARE / "mechanical.toml").read_text(encoding="utf-8"))["board"]
    board = make()
    grid = Grid(board, *mechanics["size"], mechanics["corner_radius"])
    names = {code: str(net.GetNetname()) for code, net in board.GetNetInfo().NetsByNetcode().items()}
    router = Router(grid, {board.FindNet(name).GetNetCode() for name in PLANES}, names)
    router.run(rounds)
    for net, route in router.routes.items():
        for name in route.failed:
            print(f"no way: {board.FindNet(net).GetNetname()} at {name}")
    lay(board, grid, router.routes)
    tracks.save(board)


if __name__ == "__main__":
    main()
