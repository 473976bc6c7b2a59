"""The class of each method of ``computer.*``, by what it does with these arguments.

Every method that ``computer/hands.py`` registers stands in ``TABLE``; one that does not counts as change, asked about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, reads, sends

Arguments = Mapping[str, object]
"""By name; code that is only read gives positions as ``"0"``, ``"1"`` …, and None for what is computed."""

_RUNS = re.compile(
    r"(?i)\.(sh|bash|command|desktop|app|exe|bat|cmd|ps1|vbs|msi|jar|py|scpt|workflow|lnk|run|appimage)$"
)
_COMMAND = re.compile(r"[-/|~;&>$]")


def classify_hand(name: str, arguments: Arguments) -> Effect:
    """The effect of ``computer.<name>(**arguments)``."""
    values = [str(v) for v in arguments.values() if v is not None]
    secret = next((v for v in values if len(v) < 1000 and paths.is_secret(v)), None)
    if secret is not None and not name.startswith(("keyboard.", "notify.")):
        return Effect("credential", secret, Risk.SPEND_OR_SEND)
    if name in TABLE:
        return TABLE[name](name, arguments)
    if name.startswith(("mail.", "sms.", "messages.", "contacts.send")):
        return sends(name)
    if re.search(r"delete|remove|erase|empty|shutdown|restart|reboot|power_off", name):
        return destroys("delete", name)
    return changes("device", f"{name} {' '.join(values[:2])}".strip())


Class = Callable[[str, Arguments], Effect]


def _looks(name: str, given: Arguments) -> Effect:
    return reads(name)


def _undoable(name: str, given: Arguments) -> Effect:
    """What a person puts back with one word: volume, which window is in front."""
    return changes("device", f"{name} {_said(given)}".strip(), undoable=True)


def _acts(name: str, given: Arguments) -> Effect:
    """What keys and clicks do depends on what is on the screen, so it cannot be put back."""
    return changes("device", f"{name} {_said(given)}".strip())


def _types(name: str, given: Arguments) -> Effect:
    """Text goes to whatever has the focus; into a terminal, it is a command."""
    text = _one(given, "text", 0)
    if text is None:
        return opaque("types a text that is computed")
    if _COMMAND.search(text) or text.endswith(("\n", "\r")):
        from zero_one.safety.risk.classify import classify

        verdict = classify(text, "shell")
        if verdict.risk > Risk.CHANGE and not any(
            e.kind == "opaque" and "not parse" in e.what for e in verdict.effects
        ):
            return Effect(verdict.effects[0].kind, f"types a command: {text.strip()}", verdict.risk)
    return _acts(name, given)


def _combination(name: str, given: Arguments) -> Effect:
    """Keys pressed together: most belong to what is in front, a few to everybody."""
    keys = set(re.split(r"[^a-z\d]+", (_one(given, "keys", 0) or _one(given, "key", 0) or "?").lower()))
    if {"shift", "delete"} <= keys or {"ctrl", "alt", "delete"} <= keys or {"alt", "sysrq"} <= keys:
        return destroys("delete", f"presses {_said(given)}")
    if keys & {"ctrl", "cmd", "command", "control"} and keys & {"enter", "return"}:
        return sends(f"presses {_said(given)}, which sends in many programs")
    return _acts(name, given)


def _screenshot(name: str, given: Arguments) -> Effect:
    path = _one(given, "path", 0)
    return paths.writing(path) if path else reads(name)


def _address(name: str, given: Arguments) -> Effect:
    """Opening an address tells it to its server; a long query can carry something out."""
    address = _one(given, "address", 0)
    if address is None:
        return sends("a computed address")
    if re.match(r"(?i)\s*(mailto|tel|sms|facetime|javascript|data|file):", address):
        return (
            sends(address) if not re.match(r"(?i)\s*(javascript|data|file):", address) else opaque(f"opens {address}")
        )
    return sends(address) if _carries(address) else changes("process", f"opens {address}")


def _carries(address: str) -> bool:
    """Whether an address is long or scrambled enough to carry something out: what people search for is neither."""
    host, _, rest = re.sub(r"^\w+://", "", address.strip()).partition("/")
    host, rest = (host.split("?")[0], host + rest) if "?" in host or "#" in host else (host, rest)
    scrambled = any(
        re.search(r"\d", token) and re.search(r"[a-z]", token) and re.search(r"[A-Z=+]", token)
        for token in re.findall(r"[\w+/=-]{24,}", rest)
    )
    named = re.search(
        r"(?i)[?&#](data|d|body|payload|exfil|secret|token|key|password|text|content|file|dump)=[^&]{24,}", rest
    )
    return len(rest) > 200 or "@" in host or any(len(p) > 40 for p in host.split(".")) or scrambled or named is not None


def _file(name: str, given: Arguments) -> Effect:
    """Opening a program or script runs it."""
    path = _one(given, "path", 0)
    if path is None or _RUNS.search(path):
        return opaque(f"opens {path or 'a computed file'}")
    return changes("process", f"opens {path}")


def _one(given: Arguments, name: str, position: int) -> str | None:
    value = given.get(name, given.get(str(position)))
    return None if value is None else str(value)


def _said(given: Arguments) -> str:
    return " ".join(str(v) for v in list(given.values())[:2] if v is not None)


def _table(effect: Class, names: str) -> dict[str, Class]:
    return dict.fromkeys(names.split(), effect)


TABLE: dict[str, Class] = {
    **_table(
        _looks,
        """
        clipboard.view display.size display.view files.find files.list files.recent mouse.position notify.send
        system.about system.battery system.clock system.cpu system.disk system.memory system.network
        system.processes system.uptime volume.get windows.active windows.list
        """,
    ),
    **_table(
        _undoable,
        "display.lock volume.change volume.mute volume.set windows.focus windows.maximize windows.minimize",
    ),
    **_table(
        _acts,
        """
        clipboard.copy clipboard.set mouse.click mouse.double mouse.drag mouse.move
        mouse.scroll opener.app opener.folder windows.close
        """,
    ),
    "keyboard.hotkey": _combination,
    "keyboard.press": _combination,
    "keyboard.type": _types,
    "display.screenshot": _screenshot,
    "opener.url": _address,
    "opener.file": _file,
}
