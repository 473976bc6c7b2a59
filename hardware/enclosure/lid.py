"""The upper part: holds the board by four screws, lets light out, sound in and the button through."""

from __future__ import annotations

from build123d import Part

from . import parameters as p
from .shapes import bar, rod, rounded, softened
from .shell import INNER, OUTER

PORTS = [tuple(item["port"]) for item in p.MECHANICS["microphone"]]
HOLES = [tuple(item["at"]) for item in p.MECHANICS["hole"]]
BUTTON = tuple(p.MECHANICS["talk_button"]["at"])


def make() -> Part:
    body = softened(rounded(p.CENTRE, OUTER, p.CORNER, (p.LID_INNER, p.LID_TOP)), p.LID_TOP, 1.0)
    size = (INNER[0] - 2 * p.FIT, INNER[1] - 2 * p.FIT)
    radius = p.CORNER - p.WALL - p.FIT
    skirt = rounded(p.CENTRE, size, radius, (p.SKIRT_LOW, p.LID_INNER + 0.5))
    skirt -= rounded(
        p.CENTRE, (size[0] - 2 * p.SKIRT, size[1] - 2 * p.SKIRT), radius - p.SKIRT, (p.SKIRT_LOW - 1, p.LID_INNER + 1)
    )
    body += skirt
    y = (p.CENTRE[1] - 6, p.CENTRE[1] + 6)
    body += bar(p.X_MIN + p.FIT * 2, y, p.RIDGE_Z, p.RIDGE) + bar(p.X_MAX - p.FIT * 2, y, p.RIDGE_Z, p.RIDGE)
    for hole in HOLES:
        body += rod(hole, p.BOSS, (0.0, p.LID_INNER + 0.5))
        body -= rod(hole, p.PILOT, (-1.0, 5.8))
    for port in PORTS:  # a tube down to a foam ring on the board
        body += rod(port, p.MIC_TUBE, (0.5, p.LID_INNER + 0.5))
        body -= rod(port, p.MIC_HOLE, (-1.0, p.LID_TOP + 1))
    body -= rod(BUTTON, p.CAP_RADIUS + p.CAP_GAP, (p.LID_INNER - 0.5, p.LID_TOP + 1))
    body -= rod(tuple(p.MECHANICS["led"]["at"]), p.LED_HOLE, (p.LID_INNER - 0.5, p.LID_TOP + 1))
    body -= rod(tuple(p.MECHANICS["mute_led"]["at"]), p.MUTE_LED_HOLE, (p.LID_INNER - 0.5, p.LID_TOP + 1))
    return body
