"""One conversation per device: turns, speech queue, pacing, latency spans."""

from zero_one.conversation.conversation import Conversation
from zero_one.conversation.links import Link
from zero_one.conversation.registry import Conversations
from zero_one.conversation.services import Services

__all__ = ["Conversation", "Conversations", "Link", "Services"]
