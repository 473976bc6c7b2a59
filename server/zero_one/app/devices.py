"""``01 devices``: who may talk to this computer, and what each of them may do."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from zero_one.app.screen import printable
from zero_one.app.trust import devices
from zero_one.identity.addresses import loopback
from zero_one.identity.devices import SCOPES, Device, DeviceBook, DeviceError

OK, FAILED, USAGE = 0, 1, 2
_ORDER = ("speak", "captions", "approve", "administer")


def listing(*, as_json: bool) -> int:
    book = _open()
    if as_json:
        print(json.dumps([row(device) for device in book], ensure_ascii=False))
        return OK
    every = list(book)
    if not every:
        print("No device is paired. 01 pair shows a code for one.")
        return OK
    now = time.time()
    cells = [("NAME", "KIND", "ID", "LAST SEEN", "MAY", "KEY")]
    cells += [
        (d.name, d.kind or "-", d.id, ago(d.last_seen, now), in_words(d.scopes),
         "none: by its address " + d.address if d.address else "its own")
        for d in every
    ]  # fmt: skip
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    for line in cells:
        print(printable("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()))
    return OK


def rename(ident: str, name: str) -> int:
    return _change(
        lambda book, device: _say(book.rename(device.id, name), "{0} is now called {1}.", device.name), ident
    )


def allow(ident: str, scopes: str) -> int:
    """``scopes``: words with commas between them."""
    wanted = read_scopes(scopes)

    def change(book: DeviceBook, device: Device) -> int:
        found = book.allow(device.id, wanted)
        print(f"{printable(found.name)} may now {in_words(found.scopes)}.")
        return OK

    return _change(change, ident)


def revoke(ident: str, *, yes: bool) -> int:
    """Only after its name was typed, or with ``yes``: two devices look alike in a list."""

    def change(book: DeviceBook, device: Device) -> int:
        if not yes:
            if not sys.stdin.isatty():
                return _complain(f"to revoke {device.name} without a terminal to ask at, add --yes.", USAGE)
            print(f"Revoke {printable(device.name)} ({device.kind or 'a device'}, {device.id})? It is cut off at once.")
            if input("Type its name to do so: ").strip().casefold() != device.name.casefold():
                return _complain(f"that is not its name; {device.name} stays as it was.")
        book.revoke(device.id)
        left = "Its address is no longer admitted" if device.address else "Its key is worth nothing now"
        print(f"{printable(device.name)} is revoked. {left}; what was open is closed.")
        return OK

    return _change(change, ident)


def admit(address: str, name: str | None) -> int:
    """Let a device of the first 01, which knows no keys, speak from ``address``."""

    def change(book: DeviceBook) -> int:
        if loopback(address):
            return _complain("this computer itself needs no admission.", USAGE)
        known = book.at_address(address)
        if known is not None:
            return _complain(f"{known.name} ({known.id}) is admitted from {known.address} already.")
        device = book.admit_address(address, name or f"01 at {address}", now=time.time())
        print(
            f"{printable(device.name)} ({device.id}) may speak from {device.address}. It carries no key: whoever has "
            "that address is taken for it, so it may ask and hear answers, and nothing it says changes anything here. "
            f"Take it back with: 01 devices revoke {device.id}"
        )
        return OK

    return _guarded(lambda: change(_open()))


def read_scopes(text: str) -> frozenset[str]:
    """Words with commas between them. Raises ConfigError, which is told with status 2."""
    from zero_one.config.problems import did_you_mean, fail

    wanted = frozenset(word.strip().lower() for word in text.split(",") if word.strip())
    for word in sorted(wanted - SCOPES):
        meant = did_you_mean(word, SCOPES)
        raise fail("--scopes", f"{word!r} is no scope.{meant} The scopes are {', '.join(_ORDER)}.")
    return wanted


def row(device: Device) -> dict[str, Any]:
    """A device as JSON: everything but its key's hash. Times are seconds since 1970, null for never."""
    return {
        "id": device.id, "name": device.name, "kind": device.kind, "scopes": _ordered(device.scopes),
        "address": device.address or None, "keyless": not device.key_hash,
        "paired_at": device.paired_at or None, "last_seen": device.last_seen or None,
    }  # fmt: skip


def in_words(scopes: frozenset[str]) -> str:
    return ", ".join(_ordered(scopes)) or "do nothing"


def _ordered(scopes: frozenset[str]) -> list[str]:
    return [scope for scope in _ORDER if scope in scopes]


def ago(then: float, now: float) -> str:
    """A moment as people say it. Both are seconds since 1970."""
    if not then:
        return "never"
    passed = now - then
    if passed < 90:
        return "just now"
    for limit, unit, name in ((3600, 60, "minute"), (86_400, 3600, "hour"), (14 * 86_400, 86_400, "day")):
        if passed < limit:
            count = max(1, round(passed / unit))
            return f"{count} {name}{'' if count == 1 else 's'} ago"
    return datetime.fromtimestamp(then).strftime("%Y-%m-%d")


def _open() -> DeviceBook:
    book = devices()
    if book.lost:
        _complain(book.lost)
    return book


def _change(change: Callable[[DeviceBook, Device], int], ident: str) -> int:
    def work() -> int:
        book = _open()
        return change(book, book.named(ident))

    return _guarded(work)


def _guarded(work: Callable[[], int]) -> int:
    try:
        return work()
    except (DeviceError, KeyError) as problem:
        return _complain(str(problem) if isinstance(problem, DeviceError) else "another process just revoked it.")
    except OSError as problem:
        return _complain(f"the list of devices cannot be changed ({problem.strerror or problem}). It is as it was.")


def _say(device: Device, text: str, before: str) -> int:
    print(printable(text.format(before, device.name)))
    return OK


def _complain(text: str, status: int = FAILED) -> int:
    print(f"01: {printable(text)}", file=sys.stderr)
    return status
