"""All numbers of the enclosure. Change them here; positions of board parts come from `hardware/mechanical.toml`.

CAD frame: x as on the board, y turned round (the board's y points down), z upwards from the board's upper face.
Millimetres.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

HARDWARE = Path(__file__).resolve().parents[1]
MECHANICS: dict[str, Any] = tomllib.loads((HARDWARE / "mechanical.toml").read_text(encoding="utf-8"))

WALL = 2.0
FLOOR = 2.0
LID = 2.0
GAP = 0.8  # board edge (and antenna) to inner wall
CORNER = 4.0  # outer corner radius
FIT = 0.15  # between parts that slide into each other
FOOT = 1.5  # height of the feet: air for the speaker grille

BOARD_X, BOARD_Y = MECHANICS["board"]["size"]
THICKNESS = MECHANICS["board"]["thickness"]
OVERHANG = MECHANICS["antenna"]["overhang"]

# heights, from the top down
LID_INNER = 6.5  # underside of the lid
LID_TOP = LID_INNER + LID
CAP_TOP = LID_TOP + 1.0
PLUNGER = MECHANICS["talk_button"]["height"]
BATTERY_TOP = -THICKNESS - MECHANICS["battery_connector"]["height_with_plug"] - 0.5
BATTERY_LOW = BATTERY_TOP - MECHANICS["battery"]["size"][2]
SPEAKER_TOP = BATTERY_LOW - 0.3
FLOOR_INNER = SPEAKER_TOP - MECHANICS["speaker"]["height"] - 0.1
BOTTOM = FLOOR_INNER - FLOOR
FOOT_BOTTOM = BOTTOM - FOOT

# cavity, board frame (x right, y down)
X_MIN, X_MAX = -GAP, BOARD_X + GAP
Y_MIN, Y_MAX = -OVERHANG - GAP, BOARD_Y + GAP
CENTRE = ((X_MIN + X_MAX) / 2, (Y_MIN + Y_MAX) / 2)

SKIRT = 1.2  # lid's inner wall
SKIRT_LOW = 3.0  # how deep it reaches (z)
RIDGE = 0.5  # radius of the snap ridge
RIDGE_Z = 4.6
BOSS = 2.4  # radius of the screw bosses under the lid
PILOT = 0.8  # radius for M2 self-tapping screws
CAP_RADIUS = 8.0
CAP_GAP = 0.25
FLANGE = 9.5  # keeps the cap from falling out
MIC_TUBE, MIC_HOLE = 1.7, 0.6
LED_HOLE, MUTE_LED_HOLE = 2.0, 1.0
USB_PLUG = (12.8, 7.2)  # cut-out for the plug's overmould
GRILLE_HOLE, GRILLE_PITCH, GRILLE_REACH = 1.1, 3.6, 11.0
SPEAKER_AT = (24.5, 18.5)
MOTOR_AT = (43.0, 0.5)
BATTERY_Y = Y_MAX - 1.05 - MECHANICS["battery"]["size"][1]  # its edge towards the antenna; clear of the round corners
