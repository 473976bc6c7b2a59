"""LMC messages (Language Model Computer): the one vocabulary between all parts.

A message is either whole (``content`` with neither flag), or streamed: a start flag, any number of content chunks, an
end flag. The vocabulary is the one that Open Interpreter's server and the first 01 spoke.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

Role = Literal["user", "assistant", "computer", "server"]
Type = Literal["message", "code", "console", "image", "audio", "file", "command", "status", "error", "approval"]

ROLES: frozenset[str] = frozenset(get_args(Role))
TYPES: frozenset[str] = frozenset(get_args(Type))


class MessageError(ValueError):
    """A mapping that is no LMC message. The text names the field at fault and what it may hold."""


@dataclass(frozen=True, slots=True)
class Message:
    """One LMC message or one chunk of a streamed one.

    ``format`` refines ``type`` (a language for code, ``output`` for console, ``base64.png`` for image, ``bytes.raw``
    for audio). ``content`` is a string, or a mapping for structured types such as approval. ``id`` ties chunks,
    approvals and their answers together.
    """

    role: Role
    type: Type
    format: str | None = None
    content: Any = None
    start: bool = False
    end: bool = False
    id: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form; fields that are unset are left out."""
        out: dict[str, Any] = {"role": self.role, "type": self.type}
        if self.format is not None:
            out["format"] = self.format
        if self.content is not None:
            out["content"] = self.content
        if self.start:
            out["start"] = True
        if self.end:
            out["end"] = True
        if self.id is not None:
            out["id"] = self.id
        return out

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Message:
        """Read the JSON form. Unknown fields are ignored. Raises MessageError."""
        role, kind = raw.get("role"), raw.get("type")
        if not isinstance(role, str) or role not in ROLES:
            raise MessageError(f"role is {_short(role)}; it must be one of {', '.join(sorted(ROLES))}")
        if not isinstance(kind, str) or kind not in TYPES:
            raise MessageError(f"type is {_short(kind)}; it must be one of {', '.join(sorted(TYPES))}")
        fmt, ident = raw.get("format"), raw.get("id")
        if fmt is not None and not isinstance(fmt, str):
            raise MessageError("format must be a string")
        if ident is not None and not isinstance(ident, str):
            raise MessageError("id must be a string")
        for flag in ("start", "end"):
            if not isinstance(raw.get(flag, False), bool):
                raise MessageError(f"{flag} must be true or false")
        return cls(
            cast(Role, role),
            cast(Type, kind),
            fmt,
            raw.get("content"),
            raw.get("start", False),
            raw.get("end", False),
            ident,
        )

    def started(self) -> Message:
        """The start flag that opens a stream of this message's chunks."""
        return replace(self, content=None, start=True, end=False)

    def ended(self) -> Message:
        """The end flag that closes a stream of this message's chunks."""
        return replace(self, content=None, start=False, end=True)


def _short(value: object) -> str:
    """A wrong value as an error may show it: a stranger chose its length, and quotes could imitate another message."""
    text = value if isinstance(value, str) else type(value).__name__
    return "".join(letter for letter in text[:40] if letter.isprintable() and letter not in '"\\') or "missing"
