"""The system's keyring, where a working one is there. A locked or absent one is given up on instead of waited for."""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeVar

log = logging.getLogger(__name__)

SERVICE: Final = "01 desktop client"
# Some backends ask D-Bus services that wait two minutes for an answer, or for a password nobody is there to type.
PATIENCE_S: Final = 5.0

T = TypeVar("T")


class VaultError(Exception):
    """The keyring did not do what was asked. The text says why."""


class Vault(Protocol):
    """Secrets by name. Every method may raise VaultError, and returns within ``PATIENCE_S`` or so."""

    def get(self, name: str) -> str | None: ...

    def put(self, name: str, secret: str) -> None: ...

    def drop(self, name: str) -> None: ...


class SystemKeyring:
    """``keyring`` with a time limit. Backends that keep secrets readable (priority below 1) do not count as one."""

    def __init__(self, patience_s: float = PATIENCE_S) -> None:
        self._patience = patience_s

    def get(self, name: str) -> str | None:
        found: str | None = self._within(lambda ring: ring.get_password(SERVICE, name))
        return found

    def put(self, name: str, secret: str) -> None:
        def keep(ring: Any) -> None:
            ring.set_password(SERVICE, name, secret)
            if ring.get_password(SERVICE, name) != secret:
                raise VaultError("The keyring did not keep what it was given.")

        self._within(keep)

    def drop(self, name: str) -> None:
        self._within(lambda ring: ring.delete_password(SERVICE, name))

    def _within(self, work: Callable[[Any], T]) -> T:
        """In a daemon thread: one that hangs is left behind and never holds up the end of the program."""
        outcome: list[T] = []
        failure: list[str] = []
        done = threading.Event()

        def run() -> None:
            try:
                outcome.append(work(_backend()))
            except VaultError as problem:
                failure.append(str(problem))
            except Exception as problem:  # noqa: BLE001  (each backend has errors of its own, import errors among them)
                # Only the kind: a backend's text might hold what it was given.
                failure.append(f"The keyring refused ({type(problem).__name__}).")
            finally:
                done.set()

        threading.Thread(target=run, name="keyring", daemon=True).start()
        if not done.wait(self._patience):
            raise VaultError(f"The keyring did not answer within {self._patience:g} s; it may be locked.")
        if failure:
            raise VaultError(failure[0])
        return outcome[0]


def _backend() -> Any:
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        raise VaultError("No keyring is installed.") from None
    ring = keyring.get_keyring()
    if ring.priority < 1:
        raise VaultError("This system has no keyring that works.")
    return ring
