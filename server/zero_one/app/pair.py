"""``01 pair`` and ``--qr``: a one-time code for one device, shown as a QR code and as digits, and what became of it."""

from __future__ import annotations

import asyncio
import json
import platform
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from zero_one.app import qr
from zero_one.app.devices import in_words, row
from zero_one.app.local import interruptible
from zero_one.app.screen import printable
from zero_one.app.trust import desk, devices
from zero_one.app.whereabouts import Whereabouts, running
from zero_one.identity.devices import PAIRED, Device, DeviceBook
from zero_one.identity.pairing import LIFETIME_S
from zero_one_desktop.invitation import Invitation, shown_fingerprint
from zero_one_desktop.keys import join

OK, FAILED, INTERRUPTED = 0, 1, 130
_TAKEN_BACK = "the code is taken back; no device has paired."
_LOOK_S = 0.3
"""How often the files are looked at that the server, another process, writes; no system-wide event tells of it."""
_AFTER_S = 3.0
"""The server takes the code first and writes the device down after it; a code that is gone may still have succeeded."""

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Offer:
    """A code that is open. ``before`` are the devices that were paired when it was made."""

    invitation: Invitation
    code: str
    expires: float
    before: frozenset[str]

    @property
    def uri(self) -> str:
        return self.invitation.uri


def run(*, name: str, scopes: frozenset[str], as_json: bool) -> int:
    """Gives the exit status: 0 when a device has paired, 130 when the code was taken back."""
    try:
        return asyncio.run(_run(name, scopes or PAIRED, as_json))
    except OSError as problem:
        return _complain(f"the code cannot be kept ({problem.strerror or problem}), so no device could pair.")


async def _run(name: str, scopes: frozenset[str], as_json: bool) -> int:
    where = await running()
    if where is None:
        return _complain(
            "no server of yours runs on this computer, so there is nothing to pair with. Start one that other machines "
            "can reach, in another terminal, then run 01 pair again:\n    01 --server --server-host 0.0.0.0"
        )
    # Whoever sees the code can take it back: Ctrl-C is watched before it is shown.
    async with offered(where, name=name, scopes=scopes) as offer, interruptible() as stop:
        if as_json:
            _print_json({"uri": offer.uri, "code": offer.code, "hosts": list(offer.invitation.hosts),
                         "port": where.port, "fingerprint": where.shown_pin or None, "public": where.public or None,
                         "scopes": sorted(scopes), "expires": offer.expires})  # fmt: skip
        else:
            present(offer, where, print)
        outcome = await _until(offer, stop)
    if isinstance(outcome, Device):
        if as_json:
            _print_json({"paired": row(outcome)})
        else:
            print(paired(outcome))
        return OK
    if as_json:
        _print_json({"paired": None, "reason": outcome})
    else:
        _complain(outcome)
    return INTERRUPTED if outcome == _TAKEN_BACK else FAILED


@asynccontextmanager
async def offered(where: Whereabouts, *, name: str = "", scopes: frozenset[str] = PAIRED) -> AsyncIterator[Offer]:
    """A code that holds until it is used, runs out, or the block ends. Raises OSError."""
    book, pairing = await asyncio.to_thread(devices), desk()
    before = frozenset(device.id for device in book)
    now = time.time()
    code = await asyncio.to_thread(lambda: pairing.offer(now=now, name=name, scopes=scopes))
    computer = platform.node().partition(".")[0]
    invitation = Invitation(
        tuple(where.hosts()), where.port, code.replace(" ", ""), where.shown_pin, computer, where.public
    )
    try:
        yield Offer(invitation, code, now + LIFETIME_S, before)
    finally:
        if pairing.state(now=time.time()) != "none":
            pairing.withdraw()


def present(offer: Offer, where: Whereabouts, tell: Tell) -> None:
    """Show the code in all its forms. A key is never part of it."""
    shown = qr.show(offer.uri)
    if shown:
        tell("Scan this with the device, or give it this line:")
    else:
        tell("Give this line to the device:")
    tell(f"    {offer.uri}")
    places = [join(*place) for place in offer.invitation.places] + ([where.public] if where.public else [])
    tell(f"Code: {offer.code}    at {', '.join(places)}")
    if where.shown_pin:
        tell("The certificate's fingerprint, to compare where a device shows one:")
        tell("\n".join(f"    {line}" for line in shown_fingerprint(where.shown_pin).splitlines()))
    if where.near_only:
        tell(
            "The server listens on this computer only, so nothing but programs here can pair. To let other devices in, "
            "start it with: 01 --server --server-host 0.0.0.0"
        )
    elif not where.shown_pin and not where.public:
        tell("TLS is off (server.tls): keys and speech travel readable for everyone in the network.")
    tell(f"On another computer: 01-client pair '…' with that line. The code holds {LIFETIME_S // 60} minutes, for one "
         "device. Ctrl-C takes it back.")  # fmt: skip


def paired(device: Device) -> str:
    return printable(
        f"Paired: {device.name} ({device.kind or 'a device'}, {device.id}). It may {in_words(device.scopes)}. "
        f"If that was not you: 01 devices revoke {device.id}"
    )


async def watch(offer: Offer) -> Device | str:
    """Wait until a device has used the code, or until nobody can any more; then why, in words."""
    book, pairing = await asyncio.to_thread(devices), desk()
    gone_at: float | None = None
    while True:
        state = await asyncio.to_thread(lambda: pairing.state(now=time.time()))
        if (device := await asyncio.to_thread(_newest, book, offer)) is not None:
            return device
        if state == "guessed":
            return "the code is void: wrong ones were tried too often. Is somebody guessing? 01 pair makes a new one."
        if state == "none" and time.time() >= offer.expires:
            return "the code has run out and no device has paired. 01 pair makes a new one."
        if state == "none":
            gone_at = gone_at or time.monotonic()
            if time.monotonic() - gone_at > _AFTER_S:
                return "the code was taken back or replaced by a newer one; no device has paired with it."
        await asyncio.sleep(_LOOK_S)


async def _until(offer: Offer, stop: asyncio.Event) -> Device | str:
    watching, stopped = asyncio.create_task(watch(offer)), asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({watching, stopped}, return_when=asyncio.FIRST_COMPLETED)
        return watching.result() if watching.done() else _TAKEN_BACK
    finally:
        for task in (watching, stopped):
            task.cancel()
        await asyncio.gather(watching, stopped, return_exceptions=True)


def _newest(book: DeviceBook, offer: Offer) -> Device | None:
    book.refresh()
    return next((device for device in book if device.key_hash and device.id not in offer.before), None)


def _print_json(body: dict[str, object]) -> None:
    print(json.dumps(body, ensure_ascii=False), flush=True)


def _complain(text: str) -> int:
    print("\n".join(f"01: {line}" for line in printable(text).splitlines()), file=sys.stderr, flush=True)
    return FAILED
