"""An act that a model wants done, and the words of it that need no classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zero_one.safety.question import short
from zero_one.safety.rules import normal

PURE_FACTS = frozenset(
    {
        "display.size",
        "mouse.position",
        "system.about",
        "system.battery",
        "system.clock",
        "system.cpu",
        "system.disk",
        "system.memory",
        "system.network",
        "system.uptime",
        "volume.get",
    }
)
"""Methods of ``computer`` that only read a fact of the machine: nobody else wrote what they return.

Not among them on purpose: screenshots, clipboard, window titles, processes and file names."""


@dataclass(frozen=True, slots=True)
class Act:
    """What a model wants done: code in a language, or a method of ``computer`` (then the language is ``computer``)."""

    language: str
    code: str
    method: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    @property
    def signature(self) -> tuple[str, str]:
        """Equal for acts that differ in white space at line ends only."""
        return self.language, normal(self.code.strip())

    @classmethod
    def of_method(cls, name: str, arguments: Mapping[str, Any]) -> Act:
        """The call of a method of ``computer``, written as Python would."""
        written = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
        return cls("computer", f"computer.{name}({written})", name, arguments)


_SPOKEN = {
    "clipboard.copy": "Copy that to the clipboard",
    "clipboard.set": "Put {text} on the clipboard",
    "display.lock": "Lock the screen",
    "keyboard.hotkey": "Press {keys}",
    "keyboard.press": "Press {key}",
    "keyboard.type": "Type {text}",
    "mouse.click": "Click at {x}, {y}",
    "mouse.double": "Double-click at {x}, {y}",
    "mouse.move": "Move the mouse to {x}, {y}",
    "notify.send": "Show the notification {title}",
    "opener.app": "Open {name}",
    "opener.file": "Open the file {path}",
    "opener.folder": "Open the folder {path}",
    "opener.url": "Open the page {address}",
    "volume.set": "Set the volume to {percent} percent",
    "windows.close": "Close the window {window}",
    "windows.focus": "Switch to {window}",
}


def said_of_method(act: Act) -> str:
    """The call of a method in plain words, with what it is given."""
    values = {name: short(_value(value)) for name, value in act.arguments.items() if value not in (None, "", [], {})}
    if phrase := _SPOKEN.get(act.method):
        try:
            return phrase.format_map(values)
        except KeyError:
            pass  # an argument was left at its default: said in the general form
    what = act.method.replace(".", " ").replace("_", " ")
    said = ", ".join(f"{name} {value}" for name, value in list(values.items())[:4])
    return f"Use {what} with {said}" if said else f"Use {what}"


def _value(value: Any) -> str:
    return " and ".join(map(str, value)) if isinstance(value, list) else str(value)
