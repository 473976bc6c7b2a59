"""Pairing: a short code, shown on this computer, proves once that a device is in its owner's hands.

The code is kept as a salted hash in a file, because ``01 pair`` and the server are two processes. It holds for
``LIFETIME_S`` and one use; after ``MOST_TRIES`` wrong guesses it is void, so that guessing succeeds with a chance of
at most ``MOST_TRIES`` in 10^8.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from filelock import FileLock

from zero_one.files import write_whole
from zero_one.identity.devices import PAIRED, SCOPES

LIFETIME_S = 300
MOST_TRIES = 5
_DIGITS = 8
_ROUNDS = 100_000
_LOCK_S = 10.0
_SKEW_S = 60.0
"""By how much a clock may be put right while a code is open."""


class PairingError(Exception):
    """The code was not accepted. The text tells what to do, and not how close the guess was."""


@dataclass(frozen=True, slots=True)
class _Offer:
    salt: str
    hash: str
    expires: float
    tries: int = 0
    name: str = ""
    scopes: tuple[str, ...] = tuple(sorted(PAIRED))

    def over(self, now: float) -> bool:
        """Its time has run out, or the clock was set back: then nobody knows how old it is."""
        return not 0 <= self.expires - now <= LIFETIME_S + _SKEW_S


@dataclass(frozen=True, slots=True)
class Terms:
    """What the owner decided about the device when the code was made. ``name`` empty: the device's own."""

    name: str
    scopes: frozenset[str]


class PairingDesk:
    """Gives out one code at a time and takes it back."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def offer(self, *, now: float, name: str = "", scopes: Iterable[str] = PAIRED) -> str:
        """A new code such as ``4821 0937``; one that was open before is void. Raises OSError."""
        code = "".join(secrets.choice("0123456789") for _ in range(_DIGITS))
        salt = secrets.token_hex(16)
        offer = _Offer(salt, _slow_hash(code, salt), now + LIFETIME_S, name=name, scopes=tuple(sorted(scopes)))
        with self._alone():
            self._save(offer)
        return f"{code[:4]} {code[4:]}"

    def state(self, *, now: float) -> Literal["open", "guessed", "none"]:
        """Whether a code holds; ``guessed``: it is void because of too many wrong ones; ``none``: used or run out."""
        offer = self._load()
        if offer is None or offer.over(now):
            return "none"
        return "guessed" if offer.tries >= MOST_TRIES else "open"

    def redeem(self, code: str, *, now: float) -> Terms:
        """Accept a code, once. Takes as long for a wrong code as for a right one. Raises PairingError, OSError.

        A guess is counted before it is looked at, and one guess at a time is looked at, in whichever process: guesses
        at the same moment, or a server that is killed in the middle of one, buy nobody a try more.
        """
        with self._alone():
            offer = self._load()
            open_ = offer is not None and not offer.over(now) and offer.tries < MOST_TRIES
            if offer is not None and open_:
                self._save(replace(offer, tries=offer.tries + 1))
            digits = "".join(c for c in code if c.isascii() and c.isdigit())
            given = _slow_hash(digits, offer.salt if offer else "")
            right = hmac.compare_digest(given, offer.hash if offer else "-" * 64)
            if offer is None or offer.over(now):
                self._path.unlink(missing_ok=True)
                raise PairingError("No pairing is open. Run 01 pair on the computer and use the code it shows.")
            if not open_:
                raise PairingError("Too many wrong codes. Run 01 pair again for a new one.")
            if not right:
                raise PairingError("That code is not right. Look at it again on the computer's screen.")
            self._path.unlink(missing_ok=True)
            return Terms(offer.name, frozenset(offer.scopes))

    def withdraw(self) -> None:
        """Void the open code, if there is one."""
        with self._alone():
            self._path.unlink(missing_ok=True)

    def _alone(self) -> FileLock:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(self._path.with_suffix(".lock"), timeout=_LOCK_S, mode=0o600)

    def _load(self) -> _Offer | None:
        try:
            raw = json.loads(self._path.read_text("utf-8"))
            scopes = tuple(str(scope) for scope in raw["scopes"] if scope in SCOPES)
            return _Offer(
                str(raw["salt"]), str(raw["hash"]), float(raw["expires"]), int(raw["tries"]), str(raw["name"]), scopes
            )
        except (OSError, ValueError, KeyError, TypeError):
            # An unreadable offer counts as none: nothing is lost, a new code is one command away.
            return None

    def _save(self, offer: _Offer) -> None:
        write_whole(self._path, json.dumps(asdict(offer)))


def _slow_hash(code: str, salt: str) -> str:
    """PBKDF2-HMAC-SHA256: whoever copies the file should not get the code from it within its lifetime."""
    return hashlib.pbkdf2_hmac("sha256", code.encode(), salt.encode(), _ROUNDS).hex()
