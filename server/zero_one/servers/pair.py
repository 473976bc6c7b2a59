"""``POST /pair``: the code that ``01 pair`` shows becomes a device's own key, once."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import time
from collections.abc import Callable
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse
from starlette.requests import ClientDisconnect

from zero_one.identity.addresses import household
from zero_one.identity.devices import Device
from zero_one.identity.pairing import PairingDesk, PairingError
from zero_one.servers.admission import Doorkeeper
from zero_one.servers.entrance import ends_of, place_of
from zero_one.servers.limits import Attempts, Bucket, Clock, Once

log = logging.getLogger(__name__)

MOST_BYTES = 4096
_READ_S = 5.0
_EACH, _ALL, _WITHIN_S = 4, 20, 300.0
"""Wrong codes from one address (one less than voids a code, so that one stranger cannot void it) and from all."""
_AT_ONCE = 4
"""Guesses that may wait for their turn; each costs a slow hash. Of one address only one, or it could void a code by
guessing several times before the first of them counts."""


class PairPage:
    """Body ``{"code", "name", "kind"}``; answer ``{"key", "device", "name", "scopes", "server", "fingerprint"}``, or
    ``{"error": words}`` with a status of 400 and more. ``fingerprint`` is that of the certificate in use, empty without
    TLS."""

    def __init__(
        self,
        desk: PairingDesk,
        door: Doorkeeper,
        *,
        fingerprint: str = "",
        server: Callable[[], str] = socket.gethostname,
        clock: Clock = time.monotonic,
        wall: Clock = time.time,
    ) -> None:
        self._desk, self._door, self._fingerprint, self._server, self._wall = desk, door, fingerprint, server, wall
        self._wrong = Attempts(_EACH, _ALL, _WITHIN_S, clock)
        self._asked = Bucket(_ALL * 3, _ALL * 3 / _WITHIN_S, clock)
        self._told = Once(_WITHIN_S, clock)
        self._waiting: set[str] = set()

    async def answer(self, request: Request) -> JSONResponse:
        """The route."""
        visitor = self._door.glance(
            ends_of(request.scope)[0], place_of(request.scope).entrance, key=None, headers=request.scope["headers"]
        )
        address = "a tunnel or proxy" if visitor.outside else visitor.address
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return _no(415, "Send JSON, with the content type application/json.")
        try:
            async with asyncio.timeout(_READ_S):
                body = await _body(request)
        except TimeoutError:
            return _no(408, "The request took too long.")
        except ClientDisconnect:
            return _no(400, "The connection ended too early.")
        if body is None:
            return _no(413, f"A request to pair has at most {MOST_BYTES} bytes.")
        fields = _fields(body)
        if fields is None:
            return _no(400, 'Send {"code": "1234 5678", "name": "…", "kind": "…"}.')
        return await self._redeem(address, *fields)

    async def _redeem(self, address: str, code: str, name: str, kind: str) -> JSONResponse:
        who = household(address)
        if self._wrong.exhausted(who) or not self._asked.take():
            self._refused(address, "too many wrong codes")
            return _no(429, "Too many wrong codes came from there. Wait five minutes, then ask for a new code.")
        if len(self._waiting) >= _AT_ONCE or who in self._waiting:
            return _no(503, "Somebody else is pairing at this moment. Try again.")
        self._waiting.add(who)
        try:
            device, key = await asyncio.to_thread(self._admit, code, name, kind)
        except PairingError as no:
            self._wrong.failed(who)
            self._refused(address, "wrong code")
            return _no(403, str(no))
        except OSError as problem:
            log.warning("a device could not be paired: %s", problem)
            return _no(
                503,
                "The key could not be saved on the computer, so nothing was paired. Its log says why. "
                "Then run 01 pair again.",
            )
        finally:
            self._waiting.discard(who)
        self._door.note("paired", f"paired-{device.id}", {"name": device.name, "kind": device.kind, "address": address})
        self._door.tell(f"{device.name} is paired now (from {address}). To undo that: 01 devices revoke {device.id}")
        return JSONResponse(
            {
                "key": key,
                "device": device.id,
                "name": device.name,
                "scopes": sorted(device.scopes),
                "server": self._server(),
                "server_name": self._server(),
                "fingerprint": self._fingerprint,
            }
        )

    def _admit(self, code: str, name: str, kind: str) -> tuple[Device, str]:
        now = self._wall()
        terms = self._desk.redeem(code, now=now)
        return self._door.book.admit(terms.name or name, kind, now=now, scopes=terms.scopes)

    def _refused(self, address: str, why: str) -> None:
        if self._told.now((address, why)):
            self._door.note("refused", "", {"address": address, "why": why})
            self._door.tell(f"Somebody at {address} tried to pair with a wrong code.")


def _no(status: int, text: str) -> JSONResponse:
    return JSONResponse({"error": text}, status_code=status)


async def _body(request: Request) -> bytes | None:
    """None where it is too large; no more than that is read."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            return None
    return body


def _fields(body: bytes) -> tuple[str, str, str] | None:
    try:
        raw: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict):
        return None
    found = [raw.get("code"), raw.get("name", ""), raw.get("kind", "")]
    if not all(isinstance(value, str) and len(value) <= 128 for value in found) or not found[0]:
        return None
    return str(found[0]), str(found[1]), str(found[2])
