"""What the commands do, one module an area."""

from zero_one.commands.areas import alarms, computer, files, notes, past, sound, sums, talk, time, timers  # noqa: F401
from zero_one.commands.desk import HANDLERS

__all__ = ["HANDLERS"]
