"""The devices that may talk to this computer: who they are, what they may do, and the hash of each one's key.

A key looks like ``01_<device id>_<secret>``; the secret has 256 random bits and only its SHA-256 is kept (a plain hash
is enough for a secret that cannot be guessed). The first 01's devices carry no key: the owner admits one by its
address, and it may only speak.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from filelock import FileLock, Timeout

from zero_one.files import set_aside, write_whole
from zero_one.identity.addresses import normal, parse

Scope = Literal["speak", "captions", "approve", "administer"]
SCOPES: frozenset[str] = frozenset(get_args(Scope))
PAIRED: frozenset[str] = frozenset({"speak", "captions", "approve"})
"""What a newly paired device may do. Administering this computer is given on purpose only."""


SEEN_EVERY_S = 60.0
"""How often at most a device's being here is written down."""
_LOCK_S = 10.0

OWNER = "this computer"
"""What a program of the owner on this machine is called wherever people read who it was."""
_TAKEN = frozenset({OWNER, "a device on this computer", "another user of this computer"})
"""Names of those who are on no list: no device is called by one."""


class DeviceError(ValueError):
    """A name or id that does not fit. The text says what does."""


@dataclass(frozen=True, slots=True)
class Device:
    """One device. ``address`` is set for a device without a key; times are seconds since 1970, UTC."""

    id: str
    name: str
    kind: str = ""
    scopes: frozenset[str] = PAIRED
    key_hash: str = ""
    address: str = ""
    paired_at: float = 0.0
    last_seen: float = 0.0

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes


class DeviceBook:
    """The list of devices in one file. Another process may change it: ``refresh`` tells who was revoked meanwhile.

    Each change is made to what the file holds at that moment, under a lock that all processes share: a server that
    writes when a device was last here never brings back one that ``01 devices`` revoked.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._stamp: tuple[int, int, int] | None = None
        self._devices: dict[str, Device] = {}
        self.lost = ""
        """What could not be read when the file was opened, in words."""
        self.refresh()

    def __iter__(self) -> Iterator[Device]:
        return iter(sorted(self._devices.values(), key=lambda d: d.paired_at))

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(self._devices)

    def get(self, ident: str) -> Device | None:
        return self._devices.get(ident)

    def named(self, text: str) -> Device:
        """The device that a person means by an id, the start of one, or a name. Raises DeviceError."""
        if (exact := self._devices.get(text)) is not None:
            return exact  # a device may have called itself by another's id
        wanted = _folded(text)
        fits = [d for d in self if text and (_folded(d.name) == wanted or d.id.startswith(text))]
        if len(fits) != 1:
            known = ", ".join(f"{d.name} ({d.id})" for d in self._devices.values()) or "none"
            raise DeviceError(f"{'No' if not fits else 'More than one'} device is called {text!r}. Paired: {known}.")
        return fits[0]

    def admit(self, name: str, kind: str, *, now: float, scopes: Iterable[str] = PAIRED) -> tuple[Device, str]:
        """Pair a device: the device, and its key, which is told this once and kept nowhere. Raises OSError."""
        secret = secrets.token_urlsafe(32)
        device = Device(
            secrets.token_hex(6), _clean(name), _clean(kind), _scopes(scopes), _hash(secret), "", paired_at=now
        )
        device = self._add(device)
        return device, f"01_{device.id}_{secret}"

    def admit_address(self, address: str, name: str, *, now: float) -> Device:
        """Let a device of the first 01, which has no key, speak from this address. Raises DeviceError, OSError."""
        if parse(address) is None:
            raise DeviceError(f"{address!r} is no IP address. It looks like 192.168.1.7.")
        device = Device(
            secrets.token_hex(6), _clean(name), "first 01", frozenset({"speak"}), "", normal(address), paired_at=now
        )
        return self._add(device)

    def check(self, key: str) -> Device | None:
        """The device that this key belongs to. Takes as long for a wrong key as for a right one."""
        match = re.fullmatch(r"01_([0-9a-f]{12})_([\w-]{20,100})", key)
        device = self._devices.get(match[1]) if match else None
        given = _hash(match[2] if match else "")
        right = hmac.compare_digest(given, device.key_hash if device is not None and device.key_hash else "-" * 64)
        return device if right else None

    def at_address(self, address: str) -> Device | None:
        address = normal(address)
        return next((d for d in self._devices.values() if d.address and normal(d.address) == address), None)

    def rename(self, ident: str, name: str) -> Device:
        """Raises KeyError, DeviceError (another one is called so), OSError."""
        with self._changing():
            device = replace(self._devices[ident], name=_clean(name))
            if self._free(device.name, but=ident) != device.name:
                raise DeviceError(f"{device.name!r} is taken. Give this device a name that no other one has.")
            return self._set(device)

    def allow(self, ident: str, scopes: Iterable[str]) -> Device:
        """Set what a device may do. A device without a key never gets more than to speak. Raises DeviceError."""
        wanted = _scopes(scopes)
        with self._changing():
            device = self._devices[ident]
            if not device.key_hash and wanted - {"speak"}:
                raise DeviceError(f"{device.name} has no key, so it may only speak. Pair it to give it more.")
            return self._set(replace(device, scopes=wanted))

    def seen(self, ident: str, *, now: float) -> None:
        """Remember that a device was here, to the minute; not worth waiting for, so not while others write.

        Raises OSError.
        """
        known = self._devices.get(ident)
        if known is None or 0 <= now - known.last_seen < SEEN_EVERY_S:
            return
        with suppress(Timeout), self._changing(wait_s=0):
            if ident in self._devices:
                self._set(replace(self._devices[ident], last_seen=now))

    def revoke(self, ident: str) -> Device:
        """From now on its key is worth nothing. Raises KeyError, OSError."""
        with self._changing():
            gone = self._devices[ident]
            self._publish({key: device for key, device in self._devices.items() if key != ident})
            return gone

    def refresh(self) -> frozenset[str]:
        """Read the file again if it changed; the ids of devices that are gone since."""
        with self._lock:
            stamp = _stamp(self._path)
            if stamp == self._stamp:
                return frozenset()
            before = self.ids
            try:
                self._stamp, self._devices = stamp, self._read()
                return before - self.ids
            except OSError:  # for a moment, as Windows does while another process replaces it: the next look tells
                return frozenset()
            except _DamagedError:
                pass
        with self._changing():
            return before - self.ids

    def _add(self, device: Device) -> Device:
        """A new one. A name that another one has gets a number, so that people always know which one is meant."""
        with self._changing():
            return self._set(replace(device, name=self._free(device.name)))

    def _free(self, name: str, but: str = "") -> str:
        taken = {_folded(device.name) for device in self._devices.values() if device.id != but} | _TAKEN
        number, free = 1, name
        while _folded(free) in taken:
            number += 1
            free = f"{name} {number}"
        return free

    @contextmanager
    def _changing(self, wait_s: float = _LOCK_S) -> Iterator[None]:
        """Nobody else writes, and what is changed is what the file says now."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # It keeps out other threads too. Readers are never kept waiting, neither by it nor by the disk.
        with FileLock(self._path.with_suffix(".lock"), timeout=wait_s, mode=0o600):
            with self._lock:
                if _stamp(self._path) != self._stamp:
                    self._devices = self._read_or_set_aside()
                    self._stamp = _stamp(self._path)
            yield

    def _set(self, device: Device) -> Device:
        self._publish({**self._devices, device.id: device})
        return device

    def _read_or_set_aside(self) -> dict[str, Device]:
        """Under the lock of all processes: a damaged file is moved away once."""
        try:
            return self._read()
        except _DamagedError as problem:
            aside = set_aside(self._path)
            self.lost = (
                f"The list of devices could not be read ({problem}); it is kept as {aside.name}. "
                "No device is paired now: pair them again with 01 pair."
            )
            return {}

    def _read(self) -> dict[str, Device]:
        """Raises _DamagedError, OSError."""
        try:
            raw = json.loads(self._path.read_bytes())
            return {d.id: d for d in map(_device, raw["devices"])}
        except FileNotFoundError:
            return {}
        except (ValueError, KeyError, TypeError, RecursionError) as problem:
            raise _DamagedError(str(problem)) from problem

    def _publish(self, devices: dict[str, Device]) -> None:
        """What is not written is not true. Never changed in place: another thread may be going through the old one."""
        rows = [{**asdict(d), "scopes": sorted(d.scopes)} for d in devices.values()]
        write_whole(self._path, json.dumps({"version": 1, "devices": rows}, indent=1, ensure_ascii=False))
        with self._lock:
            self._devices, self._stamp = devices, _stamp(self._path)


class _DamagedError(Exception):
    pass


def _device(row: dict[str, Any]) -> Device:
    """A row of the file; what a later version may have added is left aside. Raises KeyError, TypeError, ValueError."""
    texts = {name: row[name] for name in ("id", "name", "kind", "key_hash", "address")}
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(row["scopes"], list):
        raise TypeError("a device's fields have other types")
    scopes = frozenset(filter(_is_text, row["scopes"])) & SCOPES
    return Device(**texts, scopes=scopes, paired_at=float(row["paired_at"]), last_seen=float(row["last_seen"]))


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _scopes(scopes: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(scopes)
    if wanted - SCOPES:
        raise DeviceError(f"{', '.join(sorted(wanted - SCOPES))} is no scope; scopes are {', '.join(sorted(SCOPES))}.")
    return wanted


def _clean(name: str) -> str:
    """A name as it may be shown in a terminal: printable, one line, at most 60 characters."""
    shown = " ".join("".join(c for c in unicodedata.normalize("NFC", name) if c.isprintable()).split())
    return shown[:60].rstrip() or "a device"


def _folded(name: str) -> str:
    """Names that people would take for one another's: other letter cases, widths and spacings of the same."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
