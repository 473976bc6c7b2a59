"""Who is on the other end of a connection, and what that one may do."""

from __future__ import annotations

from dataclasses import dataclass

from zero_one.identity.devices import OWNER, SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """The one who speaks. ``device`` names the conversation, ``name`` is what a person calls it.

    ``keyless``: it proved nothing about itself (a device of the first 01), so it may look and never change anything.
    ``paired`` is the id in the list of devices, empty for a program of the owner on this machine itself.
    """

    device: str
    name: str = ""
    scopes: frozenset[str] = frozenset({"speak"})
    keyless: bool = True
    paired: str = ""

    def may(self, scope: Scope) -> bool:
        return scope in self.scopes


def owner(device: str, name: str = OWNER) -> Caller:
    """A program of the same user on this machine: whoever runs it could run anything anyhow."""
    return Caller(device, name, SCOPES, keyless=False)
