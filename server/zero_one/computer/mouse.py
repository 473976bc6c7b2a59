"""The mouse. Points are pixels from the top left corner of the whole screen."""

from __future__ import annotations

import time
from typing import Annotated, Any, Literal

from pydantic import Field

from zero_one.computer.method import HandsError, method
from zero_one.computer.pointer import pynput

Button = Literal["left", "right", "middle"]
X = Annotated[int, Field(ge=0, description="pixels from the left")]
Y = Annotated[int, Field(ge=0, description="pixels from the top")]

_STEPS = 12
_STEP_S = 0.01  # drags that jump are not seen as drags by many programs
_BETWEEN_S = 0.05  # clicks without a pause are lost to a window manager that is still raising the window


@method("observe")
def position() -> dict[str, int]:
    """Where the mouse is: x and y."""
    x, y = _mouse().position
    return {"x": int(x), "y": int(y)}


@method("change")
def move(x: X, y: Y) -> None:
    """Move the mouse to a point."""
    _move(_mouse(), x, y)


@method("change")
def click(
    x: X | None = None, y: Y | None = None, button: Button = "left", count: Annotated[int, Field(ge=1, le=3)] = 1
) -> None:
    """Click at a point, or where the mouse is when no point is given."""
    if (x is None) != (y is None):
        raise HandsError("A point needs both x and y.")
    mouse = _mouse()
    if x is not None and y is not None:
        _move(mouse, x, y)
    for left in reversed(range(count)):
        mouse.click(_button(button))
        if left:
            time.sleep(_BETWEEN_S)


@method("change")
def double(x: X | None = None, y: Y | None = None) -> None:
    """Double-click at a point, or where the mouse is."""
    click(x, y, "left", 2)


@method("change")
def drag(from_x: X, from_y: Y, to_x: X, to_y: Y, button: Button = "left") -> None:
    """Press at one point, move to another, release."""
    mouse = _mouse()
    _move(mouse, from_x, from_y)
    held = _button(button)
    mouse.press(held)
    try:
        for step in range(1, _STEPS + 1):
            time.sleep(_STEP_S)
            mouse.position = (
                from_x + (to_x - from_x) * step // _STEPS,
                from_y + (to_y - from_y) * step // _STEPS,
            )
    finally:
        mouse.release(held)


@method("change")
def scroll(
    down: Annotated[int, Field(ge=-100, le=100, description="notches; negative scrolls up")] = 0,
    right: Annotated[int, Field(ge=-100, le=100, description="notches; negative scrolls left")] = 0,
) -> None:
    """Turn the wheel where the mouse is."""
    _mouse().scroll(right, -down)


def _mouse() -> Any:
    return pynput("mouse").Controller()


def _button(name: str) -> Any:
    return getattr(pynput("mouse").Button, name)


def _move(mouse: Any, x: int, y: int) -> None:
    mouse.position = (x, y)
    at = tuple(map(int, mouse.position))
    if at != (x, y):
        raise HandsError(
            f"The mouse could not be moved to {x}, {y}; it is at {at[0]}, {at[1]}.", "Is that on the screen?"
        )
