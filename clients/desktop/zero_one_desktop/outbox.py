"""What was said and not yet confirmed. An utterance that began while the link was down is kept and sent; one whose
link broke is sent again, whole. No I/O: ``next_events`` says what to send now."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from zero_one.protocol.events import Cancelled, DeviceEvent, Opener, Pcm, Pressed, Released, Typed

# 5 minutes at 16 kHz. Who holds the button longer has put something on it.
MAX_BYTES: Final = 5 * 60 * 32_000
MAX_ITEMS: Final = 20


@dataclass(slots=True)
class _Item:
    id: str
    text: str | None = None
    pcm: bytearray = field(default_factory=bytearray)
    closed: bool = False
    ago_ms: int = 0
    begun: bool = False  # its start went out on this link
    sent: int = 0
    ended: bool = False  # its end went out on this link
    live: bool = False  # began while linked: nobody waited for it
    by: Opener = "hand"


class Outbox:
    """One device's unsent words, oldest first; at most one is being spoken.

    Kept words are sent one by one, the next when the assistant is idle again: two at once would silence each other.
    """

    def __init__(self) -> None:
        self._items: deque[_Item] = deque()
        self._speaking: _Item | None = None
        self._linked = False
        self._confirms = True
        self._busy = False
        self._seen_busy = False

    @property
    def waiting(self) -> int:
        """How many are not confirmed yet."""
        return len(self._items)

    @property
    def linked(self) -> bool:
        return self._linked

    def link_up(self, confirms: bool) -> None:
        """The greeting is over. ``confirms``: the server answers with Received (level 1)."""
        self._linked, self._confirms, self._busy, self._seen_busy = True, confirms, False, False
        for item in self._items:
            item.begun, item.sent, item.ended, item.live = False, 0, False, item is self._speaking

    def link_down(self) -> None:
        self._linked = False

    def begin(self, ident: str, by: Opener = "hand") -> None:
        """``by``: whether a hand holds a button for as long as it lasts."""
        self._speaking = _Item(ident, live=self._linked, by=by)
        self._add(self._speaking)

    def feed(self, pcm: bytes) -> bool:
        """Add sound to the utterance that is spoken. False when it has become too long."""
        if self._speaking is None:
            return True
        self._speaking.pcm += pcm
        return len(self._speaking.pcm) < MAX_BYTES

    def end(self, ago_ms: int = 0) -> None:
        if self._speaking is not None:
            self._speaking.closed, self._speaking.ago_ms = True, ago_ms if self._linked else 0
            self._speaking = None

    def cancel(self) -> list[DeviceEvent]:
        """Throw the utterance that is spoken away; what the server must be told."""
        item, self._speaking = self._speaking, None
        if item is None:
            return []
        self._items.remove(item)
        return [Cancelled()] if item.begun and self._linked else []

    def type(self, ident: str, text: str) -> None:
        self._add(_Item(ident, text=text, closed=True, live=self._linked))

    def confirmed(self, ident: str) -> None:
        for item in self._items:
            if item.id == ident and item.ended:
                self._items.remove(item)
                return

    def state(self, name: str) -> None:
        """The assistant's state: kept words wait until it is idle after the ones before."""
        if name != "idle":
            self._seen_busy = True
        elif self._seen_busy:
            self._busy = self._seen_busy = False

    def next_events(self) -> list[DeviceEvent]:
        """What can be sent now."""
        events: list[DeviceEvent] = []
        if not self._linked:
            return events
        for item in list(self._items):
            if item.ended:
                continue
            if not item.begun and not item.live and self._busy:
                break
            events += self._send(item)
            if not item.ended:
                break
            if not self._confirms:
                self._items.remove(item)
        return events

    def _send(self, item: _Item) -> list[DeviceEvent]:
        events: list[DeviceEvent] = []
        if not item.begun:
            item.begun = self._busy = True
            self._seen_busy = False
            if item.text is not None:
                item.ended = True
                return [Typed(item.text, id=item.id)]
            # What is sent later than it was said was held for as long as it lasts by nobody.
            events.append(Pressed(item.id, item.by if item.live else "voice"))
        if len(item.pcm) > item.sent:
            events.append(Pcm(bytes(item.pcm[item.sent :])))
            item.sent = len(item.pcm)
        if item.closed:
            events.append(Released(item.ago_ms))
            item.ended = True
        return events

    def _add(self, item: _Item) -> None:
        """A live one goes before those that wait for their turn: who presses now wants to be heard now."""
        if item.live:
            at = next((n for n, other in enumerate(self._items) if not other.begun), len(self._items))
            self._items.insert(at, item)
        else:
            self._items.append(item)
        while len(self._items) > MAX_ITEMS:
            self._items.popleft()
