"""The talk button's cap: a plunger that rests on the switch and is kept by its flange."""

from __future__ import annotations

from build123d import Part

from . import parameters as p
from .shapes import rod, softened

AT = tuple(p.MECHANICS["talk_button"]["at"])
FLANGE_LOW, FLANGE_HIGH = p.LID_INNER - 1.6, p.LID_INNER - 0.3


def make() -> Part:
    body = softened(rod(AT, p.CAP_RADIUS, (FLANGE_LOW, p.CAP_TOP)), p.CAP_TOP, 0.8)
    body += rod(AT, p.FLANGE, (FLANGE_LOW, FLANGE_HIGH))
    body += rod(AT, 2.0, (p.PLUNGER + 0.05, FLANGE_LOW + 0.2))
    return body
