"""The servers this client is paired with: where they are, their certificates' pins, and the key for each.

One file of mode 0600 a server in the client's folder; where the system has a working keyring, the key lies there and
the file only says so.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from zero_one.files import set_aside, write_whole
from zero_one_desktop.options import DEFAULT_PORT, websocket_url
from zero_one_desktop.vault import Vault, VaultError

_VERSION = 1


class KeepError(Exception):
    """A key could not be kept, found or forgotten. The text says what is left and what to do."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A server that gave this client a key. ``addresses`` are ``host:port``; ``pin`` is empty where its certificate is
    a public one (``public``) or where it is on this machine and speaks without TLS."""

    name: str
    addresses: tuple[str, ...]
    pin: str = ""
    public: str = ""
    device: str = ""
    key: str = field(default="", repr=False)

    @property
    def id(self) -> str:
        """The name of its file: the same for the same certificate, or else for the same address."""
        return hashlib.sha256((self.pin or self.addresses[0]).encode()).hexdigest()[:16]

    def at(self, address: str) -> bool:
        return address in self.addresses


def address_of(url: str) -> str:
    """``host:port`` of a server's address however it was written, to compare with. Raises ValueError."""
    parts = urlsplit(websocket_url(url))
    port = parts.port or {"ws": 80, "wss": 443}.get(parts.scheme, DEFAULT_PORT)
    return join(parts.hostname or "", port)


def join(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host.lower()}:{port}"


class Keys:
    """All of them. ``vault`` None: files only. Reading a key may take a few seconds where a keyring is slow."""

    def __init__(self, folder: Path, vault: Vault | None) -> None:
        self._folder, self._vault = folder / "servers", vault
        self.lost: list[str] = []
        """What could not be read, in words."""

    def all(self) -> list[Paired]:
        """Without their keys, by name."""
        return sorted((one for one, _ in self._read().values()), key=lambda one: one.name.casefold())

    def find(self, text: str) -> Paired | None:
        """The server at this address or of this name, with its key. Raises KeepError where its key cannot be had."""
        found = self._looked_up(text)
        if found is None:
            return None
        path, (paired, row) = found
        if row.get("keyring") is not True:
            return replace(paired, key=str(row.get("key") or ""))
        try:
            key = self._vault.get(path.stem) if self._vault is not None else None
        except VaultError as problem:
            raise KeepError(
                f"{problem} The key for {paired.name} lies there: unlock the keyring and start again, or forget the "
                f"server (01-client forget {paired.name}) and pair again."
            ) from None
        if not key:
            raise KeepError(
                f"The key for {paired.name} is gone from the keyring. Pair again: 01 pair on that computer."
            )
        return replace(paired, key=key)

    def keep(self, paired: Paired) -> str:
        """Keep it in place of what was known of that server; gives where the key lies, in words. Raises KeepError."""
        where, row = "in a file that only you can read", {"key": paired.key}
        if self._vault is not None:
            try:
                self._vault.put(paired.id, paired.key)
                where, row = "in your keyring", {"keyring": True}  # type: ignore[dict-item]
            except VaultError as problem:
                where = f"in a file that only you can read ({problem})"
        try:
            # What was known of these addresses is out of date: the newest pairing is the one that counts.
            for path, (other, old) in self._read().items():
                left = tuple(one for one in other.addresses if one not in paired.addresses)
                if other.id != paired.id and left != other.addresses:
                    if left and other.pin:
                        self._write(path, replace(other, addresses=left), old)
                    else:
                        self._erase(path, old)
            self._write(self._folder / f"{paired.id}.json", paired, row)
        except OSError as problem:
            raise KeepError(
                f"The key cannot be kept ({problem.strerror or problem}). Free {self._folder}, then pair again; revoke "
                f"what was paired just now with 01 devices on that computer."
            ) from None
        return where

    def forget(self, text: str) -> Paired:
        """Erase a server's key and pin. Raises KeepError."""
        found = self._looked_up(text)
        if found is None:
            known = ", ".join(f"{one.name} ({one.addresses[0]})" for one in self.all()) or "none"
            raise KeepError(f"No server called {text!r} is known here. Paired with: {known}.")
        path, (paired, row) = found
        try:
            self._erase(path, row)
        except OSError as problem:
            raise KeepError(f"{path} cannot be removed ({problem.strerror or problem}). It is still known.") from None
        return paired

    def _looked_up(self, text: str) -> tuple[Path, tuple[Paired, dict[str, Any]]] | None:
        try:
            address = address_of(text)
        except ValueError:
            address = ""
        entries = self._read().items()
        fits = [one for one in entries if one[1][0].at(address)]
        fits = fits or [one for one in entries if one[1][0].name.casefold() == text.strip().casefold()]
        return fits[0] if fits else None

    def _read(self) -> dict[Path, tuple[Paired, dict[str, Any]]]:
        found: dict[Path, tuple[Paired, dict[str, Any]]] = {}
        for path in sorted(self._folder.glob("*.json")):
            try:
                row = json.loads(path.read_text("utf-8"))
                addresses = tuple(str(one) for one in row["addresses"])
                if not addresses:
                    raise ValueError("no address")
                texts = {name: str(row.get(name) or "") for name in ("name", "pin", "public", "device")}
                found[path] = Paired(addresses=addresses, **texts), row
            except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
                aside = set_aside(path)
                self.lost.append(f"{path.name} could not be read ({problem}) and is kept as {aside.name}; pair again.")
        return found

    def _write(self, path: Path, paired: Paired, row: dict[str, Any]) -> None:
        kept: dict[str, Any] = {name: row[name] for name in ("key", "keyring") if name in row}
        body = {
            "version": _VERSION, "name": paired.name, "addresses": list(paired.addresses), "pin": paired.pin,
            "public": paired.public, "device": paired.device, **kept,
        }  # fmt: skip
        write_whole(path, json.dumps(body, indent=1, ensure_ascii=False))

    def _erase(self, path: Path, row: dict[str, Any]) -> None:
        if row.get("keyring") is True and self._vault is not None:
            try:
                self._vault.drop(path.stem)
            except VaultError as problem:
                self.lost.append(f"{problem} A key without use may be left in the keyring.")
        path.unlink(missing_ok=True)
