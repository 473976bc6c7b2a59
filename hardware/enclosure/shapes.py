"""Small helpers: solids placed by board coordinates."""

from __future__ import annotations

from build123d import Axis, Box, Cylinder, Location, Part, Pos, RectangleRounded, Rot, extrude


def block(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Part:
    """Box between board coordinates x, y (y downwards) and heights z."""
    size = (abs(x[1] - x[0]), abs(y[1] - y[0]), abs(z[1] - z[0]))
    return Pos((x[0] + x[1]) / 2, -(y[0] + y[1]) / 2, (z[0] + z[1]) / 2) * Box(*size)


def rod(at: tuple[float, float], radius: float, z: tuple[float, float]) -> Part:
    """Upright cylinder at a board place."""
    return Pos(at[0], -at[1], (z[0] + z[1]) / 2) * Cylinder(radius, abs(z[1] - z[0]))


def bar(x: float, y: tuple[float, float], z: float, radius: float) -> Part:
    """Cylinder lying along y."""
    return Location((x, -(y[0] + y[1]) / 2, z)) * Rot(90, 0, 0) * Cylinder(radius, abs(y[1] - y[0]))


def rounded(centre: tuple[float, float], size: tuple[float, float], radius: float, z: tuple[float, float]) -> Part:
    """Upright prism with round corners."""
    return Pos(centre[0], -centre[1], z[0]) * extrude(RectangleRounded(*size, radius), z[1] - z[0])


def softened(part: Part, z: float, radius: float) -> Part:
    """Round the edges that lie wholly at height `z`."""
    edges = part.edges().filter_by_position(Axis.Z, z - 0.01, z + 0.01)
    return part.fillet(radius, edges)
