"""Answers that are cut within a character."""

from __future__ import annotations

import json

from support.scripted_model import Answer, Chunk, Raw, ScriptedModel
from support.talking import Approver, all_of, spoken, user


def piece(text: str) -> Raw:
    return Raw(json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}))


async def test_the_two_halves_of_a_character_come_together(interpreter) -> None:
    """Whoever gets a piece can write it down; half a character that stays alone becomes a mark for one."""
    texts = ("a \ud83d", "\ude00 b", " \ud83d", "c", "\ude00", " end\ud83d")
    with ScriptedModel(Answer((*map(piece, texts), Chunk({}, "stop")))) as model:
        messages = await all_of(interpreter(model).respond(user("hi"), Approver()))
    for message in messages:
        if isinstance(message.content, str):
            message.content.encode()
    assert spoken(messages) == ["a \U0001f600 b \ufffdc\ufffd end"]
