"""The class of each method of ``computer.*``, by what it does with these arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, reads

_LOOKS = re.compile(
    r"^(system\.\w+|files\.(find|list|info|read)|windows\.(list|active)|volume\.get|mouse\.position|display\.(size|info|screens)|opener\.apps"
    r"|power\.status|clipboard\.(view|get|read)|display\.(screenshot|view))$"
)


def classify_hand(name: str, arguments: Mapping[str, object]) -> Effect:
    """The effect of ``computer.<name>(**arguments)``. A method that is not known counts as change, asked about."""
    values = [str(v) for v in arguments.values() if v is not None]
    if any(paths.is_secret(v) for v in values):
        return Effect("credential", values[0], Risk.SPEND_OR_SEND)
    if name in (
        "display.screenshot",
        "display.view",
        "clipboard.view",
        "clipboard.get",
        "clipboard.read",
    ) or _LOOKS.match(name):
        return reads(name)
    if name.startswith(("volume.", "notify.")) or name in (
        "display.lock",
        "windows.focus",
        "windows.minimize",
        "windows.maximize",
    ):
        return changes("device", name, undoable=True)
    if name.startswith(("mail.", "sms.", "messages.", "contacts.send")):
        return Effect("send", name, Risk.SPEND_OR_SEND)
    if re.search(r"delete|remove|erase|empty|shutdown|restart|reboot|power_off", name):
        return destroys("delete", name)
    return changes("device", f"{name} {' '.join(values[:2])}".strip())
