"""What a device without a key may order: to look at things, and its own timers. Anybody may call from its address."""

from __future__ import annotations

from typing import Any

from zero_one.commands.desk import Hands
from zero_one.computer.method import HandsError
from zero_one.safety.risk import Risk
from zero_one.safety.risk.hands import classify_hand

NO_KEY = "This device has no key, so it may only ask for things to look at. Pair it first: 01 pair."
NEED_A_KEY = frozenset(
    {
        "note.delete", "todo.done", "todo.clear", "reminder.cancel", "reminder.cancel_all", "alarm.cancel",
        "timer.cancel_all", "undo.last", "undo.again", "undo.list", "forget.time", "forget.all",
    }
)  # fmt: skip
"""Commands that change or tell what others said and did."""


class LookingHands:
    """Hands that look and do nothing else."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    async def call(self, name: str, /, **arguments: Any) -> Any:
        if classify_hand(name, arguments).risk > Risk.OBSERVE:
            raise HandsError(NO_KEY)
        return await self._hands.call(name, **arguments)
