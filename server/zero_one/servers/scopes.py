"""What a caller may say and see, at the wire: what is not allowed never reaches a conversation, nor a device."""

from __future__ import annotations

from zero_one.identity.access import Caller
from zero_one.protocol.events import (
    Answer,
    Cancelled,
    DeviceEvent,
    Pcm,
    Pressed,
    Released,
    Repeat,
    ServerEvent,
    Show,
    Stop,
    TailClosed,
    Typed,
)

_SPEAKING = (Pressed, Pcm, Released, TailClosed, Cancelled, Typed, Stop, Repeat)
_SILENTLY = (Pcm, Released, TailClosed, Cancelled)
"""What follows a press that was refused already is not refused once more."""


def refusal(caller: Caller, event: DeviceEvent) -> str | None:
    """Why this may not be said, in words; "" where that was said already; None where it may."""
    if isinstance(event, _SPEAKING) and not caller.may("speak"):
        if isinstance(event, _SILENTLY):
            return ""
        return "This device may not speak or type here. The owner can change that: 01 devices"
    if isinstance(event, Answer) and not caller.may("approve"):
        return (
            "This device may not answer questions here, so nothing has changed. The owner can change that: 01 devices"
        )
    if isinstance(event, Typed) and not local(caller) and any(kind == "path" for kind, _ in event.images):
        return "Images of the format path name files of this computer; send the image itself, as base64.png."
    return None


def may_see(caller: Caller, event: ServerEvent) -> bool:
    """Errors are meant for whoever is there; questions for those who may answer; the rest is captions."""
    if not isinstance(event, Show) or event.message.type == "error" or caller.may("captions"):
        return True
    return event.message.type == "approval" and caller.may("approve")


def local(caller: Caller) -> bool:
    """A program of the owner on this machine itself, which could read any file that we can."""
    return not caller.keyless and not caller.paired
