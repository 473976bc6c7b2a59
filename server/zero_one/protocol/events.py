"""What a device can say to a conversation, and what a conversation can say to a device.

Transports translate their frames to and from these; a conversation knows nothing else of the wire. PCM is signed
16-bit little-endian mono at ``PCM_RATE_IN`` Hz towards the server and at ``SpeechStart``'s rate towards the device.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from zero_one.protocol.lmc import Message

PCM_RATE_IN = 16_000
PCM_RATE_OUT = 24_000

Hand = Literal["voice", "press", "hold"]
"""How an answer was given: said, by a hand, or by a deliberate hand (2 s hold, slide, typed word)."""

Gesture = Literal["voice", "press", "hold", "slide"]
"""What a device says was done to give an answer."""

Opener = Literal["hand", "voice"]
"""What opened the microphone: a held button, or something that nobody holds (a wake word, a toggle, a call)."""


# --- device to server ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hello:
    """A level 1 device introduces itself. ``device`` is a stable id it chose or was given; ``features`` are words."""

    device: str
    kind: str = ""
    features: frozenset[str] = frozenset()
    rate_out: int = PCM_RATE_OUT
    token: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Pressed:
    """The talk button went down: an utterance begins. Speech stops at once.

    ``id`` names the utterance where the device names it; one sent again after a lost link keeps its id. ``by``: only
    while a hand holds the button down does the length of an utterance mean anything.
    """

    id: str | None = None
    by: Opener = "hand"


@dataclass(frozen=True, slots=True)
class Pcm:
    """A piece of the utterance. It may still arrive shortly after Released (level 0 devices flush late)."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Released:
    """The talk button went up: the utterance is over once the transport says that no tail can follow.

    ``ago_ms`` is how long before this event the finger really left the button, where the device says so.
    """

    ago_ms: int = 0


@dataclass(frozen=True, slots=True)
class TailClosed:
    """No more PCM of the released utterance can follow: recognition may be finished."""


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The utterance is thrown away, for example a press shorter than the debounce time."""


@dataclass(frozen=True, slots=True)
class Typed:
    """Typed text, with images as (format, content) pairs: ``base64.png`` and base64 text, or ``path`` and a path.

    ``id`` names the message where the device names it; one sent again after a lost link keeps its id.
    """

    text: str
    images: tuple[tuple[str, str], ...] = ()
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Stop:
    """Stop this turn: speech, model and running code. ``silence_only`` leaves work running (a tap); ``everything``
    stops every conversation of the house (a triple tap)."""

    silence_only: bool = False
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Repeat:
    """Say the last answer again (a double tap)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to an approval question: ``yes``, ``no`` or ``edit`` (with ``code``); ``but`` goes to the model.

    ``hand`` is how the device says it was given, ``held_ms`` how long the button was down until now, ``word`` what was
    typed to agree. ``remember``: always allow.
    """

    id: str
    answer: str
    but: str | None = None
    code: str | None = None
    hand: Gesture = "press"
    held_ms: int = 0
    remember: bool = False
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """How much of generation ``generation`` has been heard, in ms since its SpeechStart."""

    generation: int
    played_ms: int


@dataclass(frozen=True, slots=True)
class SetVolume:
    """The device's own volume was turned, 0 to 100."""

    percent: int


DeviceEvent = (
    Hello | Pressed | Pcm | Released | TailClosed | Cancelled | Typed | Stop | Repeat | Answer | Played | SetVolume
)


# --- server to device ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SpeechStart:
    """Sound of generation ``generation`` follows, at ``rate`` Hz."""

    generation: int
    rate: int = PCM_RATE_OUT


@dataclass(frozen=True, slots=True)
class SpeechPcm:
    generation: int
    data: bytes


@dataclass(frozen=True, slots=True)
class SpeechEnd:
    generation: int


@dataclass(frozen=True, slots=True)
class Flush:
    """Everything of a generation below ``generation`` is stale: drop what is buffered."""

    generation: int


@dataclass(frozen=True, slots=True)
class Show:
    """An LMC message to show: transcript, caption, code, console, status, error, approval. Never sound."""

    message: Message


@dataclass(frozen=True, slots=True)
class State:
    """What the assistant is doing: idle, listening, thinking, acting, asking or speaking."""

    name: str


@dataclass(frozen=True, slots=True)
class VolumeTo:
    """Ask the device to set its volume, 0 to 100."""

    percent: int


@dataclass(frozen=True, slots=True)
class Received:
    """The whole utterance or message ``id`` is kept here now, also over a restart; the device may let go of it."""

    id: str


ServerEvent = SpeechStart | SpeechPcm | SpeechEnd | Flush | Show | State | VolumeTo | Received
