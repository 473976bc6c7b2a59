"""The connected devices of one conversation: sound goes to the newest, everything else to all."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from zero_one.conversation.links import Link, Outlet
from zero_one.conversation.spans import Metrics
from zero_one.identity.access import Caller
from zero_one.protocol.events import ServerEvent, Show, SpeechEnd, SpeechPcm, SpeechStart
from zero_one.protocol.lmc import Message

_MISSED = 400
"""Messages kept for a device that is away."""


class Audience:
    """``on_lost`` is called with a link that failed or was too slow, so that its owner can detach it."""

    def __init__(self, metrics: Metrics, on_lost: Callable[[Link], None]) -> None:
        self._metrics, self._on_lost = metrics, on_lost
        self._outlets: list[Outlet] = []
        self._missed: deque[Message] = deque(maxlen=_MISSED)

    @property
    def away(self) -> bool:
        return not self._outlets

    @property
    def voice(self) -> Link | None:
        """The link that gets the sound: the newest, because an older one may be dead without knowing."""
        return self._outlets[-1].link if self._outlets else None

    def can(self, feature: str) -> bool:
        return any(feature in outlet.link.features for outlet in self._outlets)

    @property
    def callers(self) -> list[Caller]:
        return [outlet.link.caller for outlet in self._outlets]

    @property
    def name(self) -> str:
        """What people call the device; empty while it is away."""
        return self.callers[-1].name if self._outlets else ""

    @property
    def approvers(self) -> bool:
        """Whether somebody who may approve is here."""
        return any(caller.may("approve") and not caller.keyless for caller in self.callers)

    def show_approvers(self, message: Message) -> None:
        for outlet in self._outlets:
            if outlet.link.caller.may("approve") and not outlet.link.caller.keyless:
                outlet.put(Show(message))

    def tell(self, link: Link | None, message: Message) -> None:
        """Show it to one device alone; to all where it is not known to whom."""
        for outlet in self._outlets:
            if link is None or outlet.link is link:
                outlet.put(Show(message))

    def join(self, link: Link, greeting: list[ServerEvent]) -> None:
        """``greeting`` goes to the new one alone, after what was missed while nobody was there."""
        missed = list(self._missed) if self.away else []
        self._missed.clear()
        outlet = Outlet(link, self._on_lost, self._metrics.slow.inc)
        self._outlets.append(outlet)
        self._metrics.links.inc()
        for event in [*map(Show, missed), *greeting]:
            outlet.put(event)

    def forget(self) -> None:
        """Drop what was kept for a device that is away."""
        self._missed.clear()

    def leave(self, link: Link) -> bool:
        """Whether it was there."""
        for outlet in self._outlets:
            if outlet.link is link:
                self._outlets.remove(outlet)
                outlet.cancel()
                self._metrics.links.dec()
                return True
        return False

    def emit(self, event: ServerEvent) -> None:
        if isinstance(event, SpeechStart | SpeechPcm | SpeechEnd):
            if self._outlets:
                self._outlets[-1].put(event)
            return
        if isinstance(event, Show) and self.away:
            self._missed.append(event.message)
        for outlet in self._outlets:
            outlet.put(event)

    def show(self, message: Message) -> None:
        self.emit(Show(message))

    async def drain(self, seconds: float) -> None:
        """Give what is queued a moment to go out, for an orderly end."""
        for outlet in list(self._outlets):
            await outlet.drain(seconds)
