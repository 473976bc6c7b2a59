"""Who is on a connection, and what that one may do. docs/safety.md has the table; this is the one place that reads it.

Whoever shows a key is the device of that key or nobody: a wrong key is never forgiven. Without a key only the nearness
counts: a program of our own user on this machine is the owner, any other program here may look and change nothing, and
from elsewhere a first 01's device may speak if the owner admitted its address.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from zero_one.identity.access import Caller, owner
from zero_one.identity.addresses import household, loopback, normal
from zero_one.identity.devices import SEEN_EVERY_S, Device, DeviceBook, Scope
from zero_one.identity.neighbour import End, own_user, user_of
from zero_one.servers.entrance import Entrance
from zero_one.servers.limits import Attempts, Clock, Once

log = logging.getLogger(__name__)

NOT_PAIRED, NOT_ALLOWED, TRY_LATER = 4401, 4403, 4429
"""WebSocket close codes: 401, 403 and 429 of HTTP."""

NEARBY: frozenset[Scope] = frozenset({"speak", "captions"})
"""What a program on this machine may do that proved nothing: its deeds are held back by ``keyless``."""

_RESERVED = ("paired-", "level0-", "guest-", "local-")
"""How conversations are called that a device of the owner's own naming can never reach."""

_WRONG_EACH, _WRONG_ALL, _WRONG_WITHIN_S = 10, 100, 60.0
_TOLD_EVERY_S = 600.0


class Note(Protocol):
    """Something worth an entry in the audit log: paired, refused, revoked, connected."""

    def __call__(self, kind: str, device: str, details: Mapping[str, Any]) -> None: ...


def unnoted(kind: str, device: str, details: Mapping[str, Any]) -> None:
    """A ``Note`` where nothing is written down."""


class Refused(Exception):
    """Not let in. ``code`` is the WebSocket close code, the text (at most 123 bytes) tells the one who is refused."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


@dataclass(frozen=True, slots=True)
class Visitor:
    """What is known of a connection before it says a word.

    ``near``: it comes from this machine, to a port where that counts. ``page``: it sent an Origin, so a browser may
    speak. ``user``: the OS user whose program a near one is, "" if unknown. ``ours``: that is we, and no page. ``key``:
    its bearer token, if it sent an Authorization header at all. ``outside``: it came through a tunnel, or a proxy on
    this machine, so that its address means nothing.
    """

    address: str
    near: bool = False
    page: bool = False
    user: str = ""
    ours: bool = False
    key: str | None = None
    outside: bool = False

    @property
    def place(self) -> str:
        """Where nameless devices are told apart by: the address, and the user if it is another one than we."""
        return (
            f"{self.address}/{self.user}"
            if self.near and self.user and not self.ours and not self.page
            else self.address
        )


def bearer(values: Iterable[str]) -> str | None:
    """The key in the Authorization headers; "" where they hold something else, which is no key of anybody."""
    given = list(values)
    if not given:
        return None
    scheme, _, key = given[0].strip().partition(" ")
    return key.strip() if len(given) == 1 and scheme.lower() == "bearer" else ""


_RELAYED = frozenset(
    """cf-connecting-ip fly-client-ip forwarded true-client-ip via x-client-ip x-cluster-client-ip x-forwarded
    x-forwarded-for x-forwarded-host x-forwarded-proto x-original-forwarded-for x-originating-ip x-real-ip""".split()
)


def relayed(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Whether a proxy says that it speaks for somebody else. Then it does not count where the proxy itself stands: one
    that somebody put before this port would make everybody the owner."""
    return any(name.decode("latin-1").lower() in _RELAYED for name, _ in headers)


class Doorkeeper:
    """Lets connections in.

    ``near`` tells which addresses are this machine; ``user`` which OS user a near socket belongs to (it may block);
    ``tell`` speaks to the owner on the terminal; ``note`` writes to the audit log.
    """

    def __init__(
        self,
        book: DeviceBook,
        *,
        require_pairing: bool = False,
        near: Callable[[str], bool] = loopback,
        user: Callable[[End, End], str | None] = user_of,
        tell: Callable[[str], None] = log.warning,
        note: Note = unnoted,
        clock: Clock = time.monotonic,
        wall: Clock = time.time,
    ) -> None:
        self.book = book
        self.note, self.tell = note, tell
        self._require_pairing, self._near, self._user, self._wall = require_pairing, near, user, wall
        self._wrong = Attempts(_WRONG_EACH, _WRONG_ALL, _WRONG_WITHIN_S, clock)
        self._told = Once(_TOLD_EVERY_S, clock)

    # --- before a word

    def glance(
        self,
        peer: End | None,
        entrance: Entrance,
        *,
        key: str | None,
        page: bool = False,
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> Visitor:
        """What its own end and the head of its request tell of a connection."""
        if peer is None:
            return Visitor("unknown", page=page, key=key, outside=entrance.outside)
        here = self._near(peer[0])
        outside = entrance.outside or (here and relayed(headers))
        near = here and not (outside or entrance.plain or self._require_pairing)
        return Visitor(normal(peer[0]), near, page, key=key, outside=outside)

    async def look(
        self,
        peer: End | None,
        here: End | None,
        entrance: Entrance,
        *,
        key: str | None,
        page: bool = False,
        headers: Iterable[tuple[bytes, bytes]] = (),
    ) -> Visitor:
        """All that can be seen of a connection whose ends are ``peer`` and ``here``."""
        visitor = self.glance(peer if here is not None else None, entrance, key=key, page=page, headers=headers)
        if peer is None or here is None or not visitor.near or key is not None:
            return visitor
        user = await asyncio.to_thread(self._user, peer, here)
        return replace(visitor, user=user or "", ours=user is not None and user == own_user() and not page)

    # --- keys

    def device_of(self, key: str, visitor: Visitor) -> Device:
        """The paired device whose key this is. Raises Refused.

        An address from which too many wrong keys came is not listened to for a while; but where many have one address
        (behind a tunnel, on this machine) nobody keeps the others out: a right key is let in all the same.
        """
        who = household(visitor.address)
        self.book.refresh()
        device = self.book.check(key)
        shared = visitor.outside or self._near(visitor.address)
        if self._wrong.exhausted(who) and not (device is not None and shared):
            self._refuse(
                visitor, TRY_LATER, "Too many wrong keys came from there. Wait a minute.", "too many wrong keys"
            )
        if device is None:
            self._wrong.failed(who)
            self._refuse(
                visitor,
                NOT_PAIRED,
                "This key is not known here (any more). Pair it again: 01 pair",
                "wrong or revoked key",
            )
        assert device is not None
        return device

    # --- who it is

    def admit(
        self, visitor: Visitor, *, keys: Iterable[str] = (), claimed: str | None = None, nameless: str = ""
    ) -> Caller:
        """Who speaks. ``keys`` were said on the connection: each must be right, and the last one counts. ``claimed`` is
        the id of a hello (None: level 0), ``nameless`` the name of a level 0 conversation. Raises Refused."""
        shown = [self.device_of(one, visitor) for one in (visitor.key, *keys) if one is not None]
        if shown:
            return caller_of(shown[-1])
        if visitor.near:
            if claimed is None:
                return Caller(nameless, "a device on this computer", NEARBY)
            if visitor.ours:
                return owner(own_name(claimed))
            return Caller(f"guest-{visitor.user or 'unknown'}/{claimed}", "another user of this computer", NEARBY)
        if claimed is None and (device_here := self.admitted(visitor)) is not None:
            return Caller(nameless, device_here.name, device_here.scopes & {"speak"}, paired=device_here.id)
        return self._turn_away(visitor, claimed)

    def admitted(self, visitor: Visitor) -> Device | None:
        """The first 01's device that the owner admitted at this address."""
        return None if visitor.outside else self.book.at_address(visitor.address)

    def still(self, caller: Caller) -> Caller | None:
        """The same caller as the list of devices stands now; None if it was revoked."""
        if not caller.paired:
            return caller
        device = self.book.get(caller.paired)
        if device is None:
            return None
        if caller.keyless:
            return replace(caller, scopes=device.scopes & {"speak"}, name=device.name)
        return caller_of(device)

    async def here(self, caller: Caller) -> None:
        """Remember when a device was last here, to the minute."""
        now = self._wall()
        device = self.book.get(caller.paired) if caller.paired else None
        if device is None or 0 <= now - device.last_seen < SEEN_EVERY_S:
            return
        try:
            await asyncio.to_thread(self.book.seen, device.id, now=now)
        except OSError as problem:
            if self._told.now("last seen"):
                log.warning("when devices were last here cannot be written down: %s", problem)

    # --- no

    def _turn_away(self, visitor: Visitor, claimed: str | None) -> Caller:
        if self._told.now(("turned away", household(visitor.address))):
            if visitor.outside:
                self.tell(
                    "A device came through a tunnel or proxy without a key and was refused. To let it in: 01 pair."
                )
            else:
                self.tell(
                    f"A device at {visitor.address} was refused: it is not paired. If it is yours, 01 pair gives it a "
                    f"key; if it is one of the first 01, which knows no keys: 01 devices admit {visitor.address}"
                )
        return self._refuse(visitor, NOT_PAIRED, "Not paired with this computer. On it, run: 01 pair", "no key")

    def _refuse(self, visitor: Visitor, code: int, text: str, why: str) -> Caller:
        if self._told.now((why, household(visitor.address))):
            self.note("refused", "", {"address": visitor.address, "why": why, "outside": visitor.outside})
        raise Refused(code, text)


def caller_of(device: Device) -> Caller:
    """A device with a key: its conversation is called by the id that we gave it, never by one that it chose."""
    return Caller(f"paired-{device.id}", device.name, device.scopes, keyless=False, paired=device.id)


def own_name(claimed: str) -> str:
    """The conversation of a program of the owner: called as it wishes, but never as one of another kind."""
    return f"local-{claimed}" if claimed.startswith(_RESERVED) else claimed
