"""``01-client pair``, ``servers`` and ``forget``: what the client does with its keys, at a terminal or without one."""

from __future__ import annotations

import argparse
import platform
import sys

from zero_one_desktop.invitation import read_fingerprint
from zero_one_desktop.keys import KeepError, Keys
from zero_one_desktop.pairing import PairError, Pairing
from zero_one_desktop.places import state_dir
from zero_one_desktop.screen import plain
from zero_one_desktop.vault import SystemKeyring

_DONE, _FAILED, _USAGE = 0, 1, 2


def run(given: argparse.Namespace) -> int:
    """One of the deeds. Gives the exit status."""
    keys = Keys(state_dir(), None if given.no_keyring and given.command == "pair" else SystemKeyring())
    try:
        if given.command == "pair":
            return _pair(given, keys)
        if given.command == "forget":
            return _forget(given, keys)
        return _servers(keys)
    except (KeepError, PairError) as problem:
        return _complain(str(problem))
    finally:
        for lost in keys.lost:
            _complain(lost)


def _pair(given: argparse.Namespace, keys: Keys) -> int:
    where, *code = given.words or [given.server_url]
    if not where:
        return _complain("Pair with what? Give the line that 01 pair shows, or the address it names.", _USAGE)
    try:
        pin = read_fingerprint(given.fingerprint)
    except ValueError as problem:
        return _complain(str(problem), _USAGE)
    name = given.name or platform.node() or "a computer"
    Pairing(keys, _ask, _tell, insecure=given.insecure).pair(where, code=" ".join(code), name=name, pin=pin)
    return _DONE


def _forget(given: argparse.Namespace, keys: Keys) -> int:
    if not given.words:
        return _complain("Forget which server? Give its name or address; 01-client servers lists them.", _USAGE)
    gone = keys.forget(" ".join(given.words))
    _tell(
        f"The key for {gone.name} is erased here. It is still in that computer's list until it is revoked there "
        f"(01 devices revoke {gone.device or 'ID'})."
    )
    return _DONE


def _servers(keys: Keys) -> int:
    every = keys.all()
    for one in every:
        how = f"certificate {one.pin[:16]}…" if one.pin else "public certificate" if one.public else "without TLS"
        _tell(f"{one.name}  {', '.join(one.addresses)}  ({how})")
    if not every:
        _tell("This client is paired with no server. Run 01 pair on the other computer, then 01-client pair here.")
    return _DONE


def _ask(question: str) -> str | None:
    """A line typed by a person; None where nobody can be asked."""
    if not sys.stdin.isatty():
        return None
    try:
        return input(question)
    except EOFError:
        return None


def _tell(text: str) -> None:
    print(plain(text), flush=True)


def _complain(text: str, status: int = _FAILED) -> int:
    print(plain(text), file=sys.stderr)
    return status
