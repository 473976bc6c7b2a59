"""pynput, imported when first needed: on import it opens the display, and raises where there is none."""

from __future__ import annotations

import os
from types import ModuleType

from zero_one.computer import tools
from zero_one.computer.method import HandsError


def pynput(part: str) -> ModuleType:
    """``pynput.mouse`` or ``pynput.keyboard``; raises ``HandsError`` where nothing can be moved or pressed."""
    tools.need_x11("Moving the mouse or pressing keys")
    import importlib

    try:
        return importlib.import_module(f"pynput.{part}")
    except ImportError as error:
        # It says so at length and in the words of its own parts; on a desktop there is one reason for it.
        where = os.environ.get("DISPLAY")
        why = f"The display {where} does not answer." if where else f"The desktop cannot be reached: {error}."
        raise HandsError(why, "Check DISPLAY and XAUTHORITY.") from None
