"""The lower part: walls, floor with grille and feet, seats for speaker, motor and cell, openings in the walls."""

from __future__ import annotations

from build123d import Part

from . import parameters as p
from .shapes import bar, block, rod, rounded, softened

INNER = (p.X_MAX - p.X_MIN, p.Y_MAX - p.Y_MIN)
OUTER = (INNER[0] + 2 * p.WALL, INNER[1] + 2 * p.WALL)


def make() -> Part:
    body = softened(rounded(p.CENTRE, OUTER, p.CORNER, (p.BOTTOM, p.LID_INNER)), p.BOTTOM, 1.0)
    body -= rounded(p.CENTRE, INNER, p.CORNER - p.WALL, (p.FLOOR_INNER, p.LID_INNER + 1))
    body += _seats()
    body -= _grille()
    body -= _openings()
    body -= _grooves()
    for x in (p.X_MIN + 4, p.X_MAX - 4):
        for y in (p.Y_MIN + 4, p.Y_MAX - 4):
            body += rod((x, y), 3.0, (p.FOOT_BOTTOM, p.BOTTOM + 0.5))
    return body


def _seats() -> Part:
    """Rings for speaker and motor; ledges under the cell and stops before it, towards the antenna."""
    low = p.FLOOR_INNER
    radius = p.MECHANICS["speaker"]["diameter"] / 2 + 0.2
    part = rod(p.SPEAKER_AT, radius + 1.2, (low - 0.5, low + 3)) - rod(p.SPEAKER_AT, radius, (low - 1, low + 4))
    motor = p.MECHANICS["haptic"]["diameter"] / 2 + 0.15
    part += rod(p.MOTOR_AT, motor + 1.2, (low - 0.5, low + 2)) - rod(p.MOTOR_AT, motor, (low - 1, low + 3))
    for wall, reach in ((p.X_MIN - 0.5, p.X_MIN + 1.5), (p.X_MAX + 0.5, p.X_MAX - 1.5)):
        part += block((wall, reach), (p.BATTERY_Y, p.Y_MAX - 4), (p.BATTERY_LOW - 1.6, p.BATTERY_LOW - 0.1))
    for wall, reach in ((p.X_MIN - 0.5, p.X_MIN + 3), (p.X_MAX + 0.5, p.X_MAX - 3)):
        part += block((wall, reach), (p.BATTERY_Y - 2.3, p.BATTERY_Y - 0.3), (p.BATTERY_LOW - 1.6, p.BATTERY_TOP - 1))
    return part


def _grille() -> Part:
    cut = Part()
    steps = int(p.GRILLE_REACH / p.GRILLE_PITCH) + 1
    for row in range(-steps, steps + 1):
        for column in range(-steps, steps + 1):
            x = (column + (row % 2) / 2) * p.GRILLE_PITCH
            y = row * p.GRILLE_PITCH * 0.866
            if x * x + y * y <= p.GRILLE_REACH**2:
                cut += rod((p.SPEAKER_AT[0] + x, p.SPEAKER_AT[1] + y), p.GRILLE_HOLE, (p.BOTTOM - 1, p.FLOOR_INNER + 1))
    return cut


def _openings() -> Part:
    """USB plug, Qwiic plug, and the mute switch in a shallow pocket so that a fingernail reaches it."""
    usb, qwiic, mute = (p.MECHANICS[key] for key in ("usb_c", "qwiic", "mute_switch"))
    under = -p.THICKNESS
    z = under - usb["height"] / 2
    cut = block(
        (usb["at"][0] - p.USB_PLUG[0] / 2, usb["at"][0] + p.USB_PLUG[0] / 2),
        (p.Y_MAX - 1, p.Y_MAX + p.WALL + 1),
        (z - p.USB_PLUG[1] / 2, z + p.USB_PLUG[1] / 2),
    )
    z = under - qwiic["height"] / 2
    cut += block((p.X_MIN - p.WALL - 1, p.X_MIN + 1), (qwiic["at"][1] - 3.75, qwiic["at"][1] + 3.75), (z - 2, z + 2))
    z = under - mute["height"] / 2
    slot = (mute["actuator_travel"] + mute["actuator"][0]) / 2 + 0.5
    y = mute["at"][1]
    cut += block((p.X_MAX - 1, p.X_MAX + p.WALL + 1), (y - slot, y + slot), (z - 1.3, z + 1.3))
    cut += block((p.X_MAX + 0.7, p.X_MAX + p.WALL + 1), (y - 6, y + 6), (z - 3.5, z + 3.5))
    return cut


def _grooves() -> Part:
    y = (p.CENTRE[1] - 6.5, p.CENTRE[1] + 6.5)
    return bar(p.X_MIN + p.FIT * 2, y, p.RIDGE_Z, p.RIDGE + 0.15) + bar(
        p.X_MAX - p.FIT * 2, y, p.RIDGE_Z, p.RIDGE + 0.15
    )
