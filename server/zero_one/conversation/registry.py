"""All conversations of a server, one for each device id."""

from __future__ import annotations

import asyncio
import time

from zero_one.conversation.conversation import Conversation
from zero_one.conversation.desk import Desk
from zero_one.conversation.services import Services

MAX_IDLE = 64
"""Conversations kept in memory while nobody is there and nothing goes on; older ones are on disk alone."""


class Conversations:
    """Finds or makes the one conversation of a device. It survives reconnects."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._desk = Desk(services.note)
        self._all: dict[str, Conversation] = {}
        self._closed = False

    def get(self, device: str) -> Conversation:
        """Raises ConnectionError when the server is stopping."""
        if self._closed:
            raise ConnectionError("the server is stopping")
        conversation = self._all.pop(device, None)
        if conversation is None:
            # Generations never go back, not even over a restart: devices drop what is older than what they know.
            conversation = Conversation(device, self._services, desk=self._desk, generation=int(time.time()))
        self._all[device] = conversation
        return conversation

    def resume(self, device: str) -> tuple[int, str]:
        """Generation and state of a device's conversation, for the hello."""
        conversation = self.get(device)
        return conversation.generation, conversation.state.value

    def open(self, device: str | None = None) -> list[Conversation]:
        """Those in memory, or the one of a device if it is."""
        return [c for c in self._all.values() if device is None or c.device == device]

    async def announce(self, device: str, text: str) -> None:
        """Speak up unasked on a device, now or when it is next there."""
        await self.get(device).announce(text)

    async def stop_everything(self, by: str) -> list[str]:
        """Stop all that is being done in every conversation; ``by`` says who wanted it, and is told to all.

        Returns what was stopped, in words, when all of it is gone: model calls, processes, sound, questions.
        """
        return await self._desk.stop_everything(by)

    async def tidy(self) -> None:
        """Let go of the longest unused conversations in which nothing goes on."""
        idle = [conversation for conversation in self._all.values() if conversation.unused]
        for conversation in idle[: max(0, len(idle) - MAX_IDLE)]:
            del self._all[conversation.device]
            await conversation.close()

    async def close(self) -> None:
        """End all of them; what they remember is saved."""
        self._closed = True
        await self._desk.close()
        await asyncio.gather(*(conversation.close() for conversation in self._all.values()))
        self._all.clear()

    def __len__(self) -> int:
        return len(self._all)
