"""Which server, over which kind of connection, with which key: decided once, before anything is sent."""

from __future__ import annotations

import json
import ssl
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from zero_one_desktop.keys import KeepError, Keys, Paired, address_of
from zero_one_desktop.options import DEFAULT_URL, is_loopback, websocket_url
from zero_one_desktop.pin import pinned


class TargetError(Exception):
    """There is no safe way to the server that was named. The text says what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """``urls`` are ways to one server, tried in turn. ``token`` is this client's key, ``pin`` its certificate's.

    ``public`` urls show a certificate of a public authority, checked as a browser does it.
    """

    urls: tuple[str, ...]
    token: str | None = field(default=None, repr=False)
    pin: str = ""
    public: frozenset[str] = frozenset()
    name: str = ""

    def context(self, url: str) -> ssl.SSLContext | None:
        """How to check the server at ``url``; None without TLS."""
        if not url.startswith("wss:"):
            return None
        return pinned(self.pin) if self.pin and url not in self.public else ssl.create_default_context()


def find_target(
    given: str, keys: Keys, *, token: str | None = None, pin: str = "", insecure: bool = False, here: Path | None = None
) -> Target:
    """``given`` is an address, a paired server's name, or empty: the one paired server, or else this machine.

    ``token`` and ``pin`` take the place of what was kept when pairing. A key goes over a plain connection only to this
    machine, or with ``insecure``. ``here`` is our own data folder, where a server of this machine says which
    certificate it shows. Raises TargetError.
    """
    try:
        known = None if pin else keys.find(given) if given else _only(keys)
        if known is not None:
            return _paired(known, given, token, insecure)
        url = websocket_url(given or (_running(here) if here is not None else "") or DEFAULT_URL)
        if here is not None and not pin and is_loopback(urlsplit(url).hostname or ""):
            pin = _shown_here(here, urlsplit(url).port)
    except (KeepError, ValueError) as problem:
        raise TargetError(str(problem)) from None
    if pin:
        url = _secure(url)
    if token and not url.startswith("wss:") and not is_loopback(urlsplit(url).hostname or "") and not insecure:
        raise TargetError(
            f"The key is not sent to {url}: without TLS everyone on the way could take it. Pair with that server "
            "(01-client pair), or use wss://. --insecure sends it all the same."
        )
    return Target((url,), token, pin)


def _server_here(folder: Path) -> tuple[int, str]:
    """Port and pin of the server that runs from the same data folder; zero where none does."""
    try:
        row = json.loads((folder / "server.json").read_text("utf-8"))
        return int(row["port"]), str(row.get("pin") or "")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return 0, ""


def _running(folder: Path) -> str:
    port, pin = _server_here(folder)
    return f"{'wss' if pin else 'ws'}://127.0.0.1:{port}" if port else ""


def _shown_here(folder: Path, port: int | None) -> str:
    found, pin = _server_here(folder)
    return pin if found == port else ""


def _only(keys: Keys) -> Paired | None:
    every = keys.all()
    if len(every) != 1:
        return None
    return keys.find(every[0].addresses[0])


def _paired(known: Paired, given: str, token: str | None, insecure: bool) -> Target:
    addresses = known.addresses
    try:
        named = address_of(given) if given else ""
    except ValueError:
        named = ""
    if named in addresses:
        # The address that was asked for comes first; the others are the same server, by its pin.
        addresses = (named, *(one for one in addresses if one != named))
    urls, public = [], []
    for address in addresses:
        if address == known.public:
            public.append(f"wss://{address}/")
        urls.append(f"{'wss' if known.pin or address == known.public else 'ws'}://{address}/")
    target = Target(tuple(urls), token or known.key, known.pin, frozenset(public), known.name)
    if not known.pin and not insecure:
        safe = tuple(url for url in urls if url in public or is_loopback(urlsplit(url).hostname or ""))
        if not safe:
            raise TargetError(
                f"{known.name} was paired without TLS. The key is sent to {urls[0]} only with --insecure; better pair "
                "again with TLS on."
            )
        return replace(target, urls=safe)
    return target


def _secure(url: str) -> str:
    return "wss:" + url.partition(":")[2] if url.startswith("ws:") else url
