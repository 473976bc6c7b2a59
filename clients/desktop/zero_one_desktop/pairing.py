"""``01-client pair``: a one-time code becomes this client's own key, over TLS to exactly the right server."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from zero_one_desktop.invitation import Invitation, digits, is_invitation, read_invitation, shown_fingerprint
from zero_one_desktop.keys import Keys, Paired, join
from zero_one_desktop.options import DEFAULT_PORT, is_loopback, websocket_url
from zero_one_desktop.pin import WrongCertificate, pinned, shown_certificate

# A server that is asleep answers nothing, and an invitation's addresses are tried one after the other.
_CONNECT_S: Final = 4.0
# The server takes its time with codes on purpose (a slow hash), and a small machine more of it.
_ANSWER_S: Final = 20.0
_CODE_DIGITS: Final = 8
_TRIES: Final = 3
_MOST: Final = 64 * 1024


class PairError(Exception):
    """It is not paired. The text says why, and what to do."""


class _Refused(PairError):
    """The server did not take the code."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One way to the server. ``context`` None: without TLS."""

    host: str
    port: int
    pin: str
    context: ssl.SSLContext | None


Ask = Callable[[str], str | None]
"""Puts a question to whoever sits there; None where nobody does."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """``tell`` gets lines for people. ``insecure``: the code and the key may go over a network in plain text."""

    keys: Keys
    ask: Ask
    tell: Callable[[str], None]
    insecure: bool = False

    def pair(self, given: str, *, code: str = "", name: str, pin: str = "") -> Paired:
        """Pair with the server of an invitation or at an address. Raises PairError."""
        invitation = _invited(given, code, pin)
        way = self._way(invitation, sure=is_invitation(given))
        granted = self._redeem(way, invitation.code, name)
        key = granted.get("key")
        if not isinstance(key, str) or not key:
            raise PairError("The server answered, but gave no key. Is it of the same version? Nothing was kept.")
        addresses = [join(*place) for place in invitation.places]
        public = ""
        if invitation.public:
            public = join(*_public(invitation.public))
            addresses.append(public)
        if not way.pin and way.context is not None:
            public = join(way.host, way.port)
        called = invitation.name or str(granted.get("server_name") or "") or way.host
        paired = Paired(
            called, tuple(dict.fromkeys([join(way.host, way.port), *addresses])), way.pin or invitation.fingerprint,
            public, str(granted.get("device") or granted.get("id") or ""), key,
        )  # fmt: skip
        where = self.keys.keep(paired)
        self.tell(f"Paired with {called}. The key is kept {where}.")
        return paired

    def _way(self, invitation: Invitation, *, sure: bool) -> _Way:
        """The first address where the right server answers. ``sure``: the fingerprint came with the code."""
        failures = []
        for host, port in invitation.places:
            try:
                shown = shown_certificate(host, port, _CONNECT_S)
            except OSError as problem:
                failures.append(f"{join(host, port)}: {problem.strerror or problem}")
                continue
            if shown is None:
                if invitation.fingerprint or not (is_loopback(host) or self.insecure):
                    failures.append(f"{join(host, port)} speaks without TLS, so no key is asked for there")
                    continue
                return _Way(host, port, "", None)
            if not invitation.fingerprint:
                return self._compared(host, port, shown)
            if shown == invitation.fingerprint:
                return _Way(host, port, shown, pinned(shown))
            failures.append(
                f"{join(host, port)} shows another certificate than the one that belongs to this code: "
                "it is another machine, or somebody is in between"
            )
        if invitation.public:
            host, port = _public(invitation.public)
            return _Way(host, port, "", ssl.create_default_context())
        hint = "" if sure else " On that computer, 01 pair says at which addresses it can be reached."
        raise PairError(f"Not paired; nothing was sent. {'; '.join(failures)}.{hint}")

    def _compared(self, host: str, port: int, shown: str) -> _Way:
        """Nobody told us the fingerprint. A public certificate proves itself; any other is compared by a person."""
        if _publicly_certified(host, port):
            return _Way(host, port, "", ssl.create_default_context())
        self.tell(f"{join(host, port)} shows a certificate with this fingerprint:\n{shown_fingerprint(shown)}")
        said = self.ask("Does 01 pair show exactly the same on that computer? Type yes if so: ")
        if said is None:
            raise PairError(
                "Not paired: somebody has to compare the certificate's fingerprint. Use the whole zero-one:// line "
                "that 01 pair shows, or give the fingerprint with --fingerprint."
            )
        if said.strip().lower() not in ("yes", "y"):
            raise PairError("Not paired; nothing was sent. If the two differ, somebody may be in between.")
        return _Way(host, port, shown, pinned(shown))

    def _redeem(self, way: _Way, code: str, name: str) -> dict[str, Any]:
        typed = not code
        for left in reversed(range(_TRIES)):
            if typed:
                code = digits(self.ask("The code that 01 pair shows: ") or "")
                if not code:
                    raise PairError("Not paired: no code was given. Run 01 pair on that computer for one.")
            if len(code) != _CODE_DIGITS:
                problem = f"A code has {_CODE_DIGITS} digits, this one has {len(code)}."
            else:
                try:
                    return _post(way, {"code": code, "name": name, "kind": "desktop"})
                except _Refused as refused:
                    problem = str(refused)
            if not typed or not left:
                raise PairError(f"Not paired. {problem}")
            self.tell(problem)
        raise AssertionError("unreachable")


def _invited(given: str, code: str, pin: str) -> Invitation:
    try:
        if is_invitation(given):
            found = read_invitation(given)
            wrong = pin and found.fingerprint and pin != found.fingerprint
            if wrong:
                raise PairError("The fingerprint that was given is not the one in this pairing code. Nothing was sent.")
            return Invitation(
                found.hosts, found.port, digits(code) or found.code, found.fingerprint or pin, found.name, found.public
            )
        parts = urlsplit(websocket_url(given))
    except ValueError as problem:
        raise PairError(str(problem)) from None
    port = parts.port or {"ws": 80, "wss": 443}.get(parts.scheme, DEFAULT_PORT)
    return Invitation((parts.hostname or "",), port, digits(code), pin)


def _public(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 443


def _publicly_certified(host: str, port: int) -> bool:
    link = http.client.HTTPSConnection(host, port, timeout=_CONNECT_S, context=ssl.create_default_context())
    try:
        link.connect()
    except OSError:
        return False
    finally:
        link.close()
    return True


def _post(way: _Way, body: dict[str, str]) -> dict[str, Any]:
    """Ask for a key. Raises _Refused for a code that is not taken, PairError for everything else."""
    link: http.client.HTTPConnection
    if way.context is None:
        link = http.client.HTTPConnection(way.host, way.port, timeout=_ANSWER_S)
    else:
        link = http.client.HTTPSConnection(way.host, way.port, timeout=_ANSWER_S, context=way.context)
    try:
        link.request("POST", "/pair", json.dumps(body), {"Content-Type": "application/json"})
        answer = link.getresponse()
        status, raw = answer.status, answer.read(_MOST)
    except WrongCertificate:
        raise PairError("The server's certificate changed from one moment to the next. Nothing was sent.") from None
    except (OSError, http.client.HTTPException) as problem:
        raise PairError(
            f"The server did not answer ({problem}). If 01 pair there says that a device has paired, revoke it with "
            "01 devices; then pair again with a new code."
        ) from None
    finally:
        link.close()
    try:
        told = json.loads(raw)
    except ValueError:
        told = {}
    told = told if isinstance(told, dict) else {}
    if status == 200:
        return told
    words = next((told[name] for name in ("error", "content", "detail") if isinstance(told.get(name), str)), "")
    if status == 404:
        raise PairError("There is no 01 at this address that can pair (HTTP 404). Is it an older version?")
    raise _Refused(words or f"The server refused (HTTP {status}).")
