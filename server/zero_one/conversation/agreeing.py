"""How a yes must be given: the rules, without any state. Times are seconds of the conversation's clock.

| needed | what agrees |
|---|---|
| any    | a spoken yes, and all that follows |
| press  | a press of yes, a typed yes, and all that follows |
| hold   | two seconds of holding, a slide, the typed word of the question |

Where a challenge is asked, saying exactly its words agrees to anything.
"""

from __future__ import annotations

from typing import Final

from zero_one.interpreter.base import Question
from zero_one.protocol.events import Answer, Hand
from zero_one.safety.policy import Hand as Needed

DEAF_S: Final = 0.7
"""Nothing that began earlier than this after the question was spoken is a yes: nobody answers what they have not
heard. A no counts always."""
HOLD_S: Final = 2.0

_RANK: Final = {"any": 0, "voice": 0, "press": 1, "hold": 2}


def enough(needed: Needed, given: Hand) -> bool:
    return _RANK[given] >= _RANK[needed]


def hand_of(answer: Answer, word: str) -> Hand:
    """What a device's answer is worth; ``word`` is the one to be typed. A hold that was let go too early is a press."""
    if answer.word is not None and word and answer.word.strip().strip(".!").casefold() == word:
        return "hold"
    if answer.hand == "slide" or (answer.hand == "hold" and answer.held_ms >= HOLD_S * 1000):
        return "hold"
    return "voice" if answer.hand == "voice" else "press"


def word_of(question: Question) -> str:
    """The word that agrees when it is typed, or nothing where a plain yes does."""
    if question.hand != "hold":
        return ""
    return "delete" if any(effect.startswith("delete") for effect in question.effects) else "agree"


def how_to_agree(needed: Needed, word: str) -> str:
    """For one who agreed in a way that does not count here."""
    if needed == "hold":
        return (
            f"This needs more than a yes. To agree, hold the button for two seconds without speaking, or type {word}."
        )
    if needed == "press":
        return "A spoken yes is not enough for this. To agree, hold the button for two seconds, or press or type yes."
    return "Please answer after the question. Say yes, or say no."
