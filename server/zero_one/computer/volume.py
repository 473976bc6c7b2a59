"""The loudness of the sound output that is in use."""

from __future__ import annotations

import re
import sys
from typing import Annotated, Any

from pydantic import Field

from zero_one.computer import tools
from zero_one.computer.method import HandsError, method

Percent = Annotated[int, Field(ge=0, le=100, description="percent")]
_SINK = "@DEFAULT_SINK@"
_WIRE = "@DEFAULT_AUDIO_SINK@"


@method("observe")
def get() -> dict[str, Any]:
    """The volume: percent (0 to 100, more when amplified) and muted."""
    if sys.platform == "darwin":
        settings = tools.osascript("get volume settings")
        level = re.search(r"output volume:(\d+)", settings)
        if level is None:
            raise HandsError(
                "This sound output has no volume that can be read.", "Choose another one in Sound settings."
            )
        return {"percent": int(level[1]), "muted": "output muted:true" in settings}
    tool = _tool()
    if tool == "pactl":
        level = re.search(r"(\d+)%", tools.run(["pactl", "get-sink-volume", _SINK]))
        muted = "yes" in tools.run(["pactl", "get-sink-mute", _SINK]).lower()
    elif tool == "wpctl":
        said = tools.run(["wpctl", "get-volume", _WIRE])
        part = re.search(r"([\d.]+)", said)
        return {"percent": round(float(part[1]) * 100) if part else 0, "muted": "MUTED" in said}
    else:
        said = tools.run(["amixer", "sget", "Master"])
        level = re.search(r"\[(\d+)%\]", said)
        muted = "[off]" in said
    if level is None:
        raise HandsError(f"{tool} did not say how loud it is.")
    return {"percent": int(level[1]), "muted": muted}


@method("change")
def set_(percent: Percent) -> dict[str, Any]:
    """Set the volume, and unmute when it is above 0. Returns what it is now, as get does."""
    if sys.platform == "darwin":
        tools.osascript("on run argv\nset volume output volume (item 1 of argv as integer)\nend run", str(percent))
    else:
        tool = _tool()
        tools.run(
            {
                "pactl": ["pactl", "set-sink-volume", _SINK, f"{percent}%"],
                "wpctl": ["wpctl", "set-volume", _WIRE, f"{percent}%"],
                "amixer": ["amixer", "sset", "Master", f"{percent}%"],
            }[tool]
        )
    if percent and get()["muted"]:
        return mute(False)
    return get()


@method("change")
def change(
    by: Annotated[int, Field(ge=-100, le=100, description="percent to add; negative is quieter")],
) -> dict[str, Any]:
    """Make it louder or quieter. Returns what it is now, as get does."""
    return set_(max(0, min(100, int(get()["percent"]) + by)))


@method("change")
def mute(on: bool = True) -> dict[str, Any]:
    """Mute, or unmute with on=false. Returns what it is now, as get does."""
    if sys.platform == "darwin":
        tools.osascript('on run argv\nset volume output muted (item 1 of argv is "true")\nend run', str(on).lower())
    else:
        tool = _tool()
        tools.run(
            {
                "pactl": ["pactl", "set-sink-mute", _SINK, "1" if on else "0"],
                "wpctl": ["wpctl", "set-mute", _WIRE, "1" if on else "0"],
                "amixer": ["amixer", "sset", "Master", "mute" if on else "unmute"],
            }[tool]
        )
    return get()


def _tool() -> str:
    """The program that reaches the sound server, tried in the order in which it tells the truth on today's desktops."""
    if sys.platform == "win32":
        raise HandsError(
            "The volume cannot be set on Windows from here.", "Use the volume keys: computer.keyboard.press."
        )
    reasons = []
    for tool, ask in {
        "pactl": ["pactl", "get-sink-volume", _SINK],
        "wpctl": ["wpctl", "get-volume", _WIRE],
        "amixer": ["amixer", "sget", "Master"],
    }.items():
        if tools.first(tool) is None:
            continue
        try:
            tools.run(ask)
        except HandsError as error:
            reasons.append(error.what)
        else:
            return tool
    if reasons:
        raise HandsError(f"No sound output answers: {reasons[0]}", "Is a sound server running, with an output chosen?")
    raise HandsError("The volume cannot be reached: its program is missing.", tools.install("pulseaudio-utils"))
