"""What a client can be told at its start."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from zero_one_desktop.button import DEBOUNCE_MS, GRACE_MS, Mode

DEFAULT_PORT = 10101
DEFAULT_URL = f"ws://127.0.0.1:{DEFAULT_PORT}"


STOP_HOTKEY = "<ctrl>+<alt>+."
"""Not with backspace, which ends the whole session on some X11 desktops."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Times in ms.

    ``wav``: recordings that are spoken one after the other instead of a microphone; the client ends when they are
    answered, unless ``stay``. ``save``: what was heard is written there instead of played. ``once``: end after the
    first answer. ``hotkey`` None: no key is watched; ``stop_hotkey`` stops everything. ``server_url`` empty: the one
    server this client is paired with, or else this machine. ``token`` and ``pin`` take the place of what was kept when
    pairing. ``insecure``: a key may go over a network in plain text. ``state_dir``: where device id and keys are kept
    (None: the user's data folder). ``control``: the socket for ``01-client toggle`` (None: the user's own).
    """

    server_url: str = DEFAULT_URL
    hotkey: str | None = "<ctrl>+<space>"
    stop_hotkey: str | None = STOP_HOTKEY
    mode: Mode = "hold"
    debounce_ms: int = DEBOUNCE_MS
    release_grace_ms: int = GRACE_MS
    pre_roll_ms: int = 300
    microphone: str | None = None
    speaker: str | None = None
    wav: tuple[Path, ...] = ()
    save: Path | None = None
    say: tuple[str, ...] = ()
    once: bool = False
    stay: bool = False
    timeout_s: float = 120.0
    token: str | None = field(default=None, repr=False)
    pin: str = ""
    insecure: bool = False
    device: str | None = None
    typed: bool = True
    quiet: bool = False
    state_dir: Path | None = None
    control: Path | None = None

    @property
    def ends_by_itself(self) -> bool:
        return self.once or (bool(self.wav or self.say) and not self.stay)


def websocket_url(given: str) -> str:
    """A server's address, however it was written, as a WebSocket URL. Raises ValueError with a text for people.

    ``host``, ``host:port``, ``http://…``, ``https://…``, ``ws://…`` and ``wss://…`` are understood. Without a scheme
    the port is 10101 unless given; ``0.0.0.0``, which can only be listened on, becomes this machine.
    """
    text = given.strip()
    bare = "://" not in text
    if bare and text.count(":") > 1 and not text.startswith("["):
        text = f"[{text}]"
    try:
        parts = urlsplit(f"ws://{text}" if bare else text)
        host, port = parts.hostname, parts.port
    except ValueError as problem:
        raise ValueError(f"{given!r} is no server address ({problem}). Write it like 127.0.0.1:10101.") from None
    scheme = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}.get(parts.scheme.lower())
    if scheme is None or not host or any(letter.isspace() for letter in host):
        raise ValueError(f"{given!r} is no server address. Write it like 127.0.0.1:10101 or https://example.org.")
    if host in ("0.0.0.0", "::"):
        host = "127.0.0.1"
    if port is None and bare:
        port = DEFAULT_PORT
    name = f"[{host}]" if ":" in host else host
    path = parts.path or "/"
    return f"{scheme}://{name}{f':{port}' if port else ''}{path}{f'?{parts.query}' if parts.query else ''}"


def is_loopback(host: str) -> bool:
    """Whether this name or address can only be this machine."""
    bare = host.strip("[]").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


def is_near(url: str) -> bool:
    """Whether the address is this machine or a private network, where no web proxy belongs in between."""
    host = urlsplit(url).hostname or ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".local") or "." not in host
    return address.is_loopback or address.is_private or address.is_link_local
