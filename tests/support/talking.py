"""Helpers for tests that talk with an interpreter: answering its questions, and reading what it streamed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from zero_one.interpreter.base import Decision, Question, Run
from zero_one.protocol.lmc import Message


def user(text: str) -> Message:
    return Message("user", "message", content=text)


def asked(shell: str) -> str:
    """Shell code that does the same and is asked about first: it also changes something, for nothing."""
    return f"renice -n 0 $$ >/dev/null 2>&1; {shell}"


@dataclass
class Approver:
    """Answers questions with ``answers`` in turn, then with ``then``; keeps the questions."""

    answers: list[Decision] = field(default_factory=list)
    then: Decision = field(default_factory=lambda: Decision(True))
    questions: list[Question] = field(default_factory=list)

    async def __call__(self, question: Question) -> Decision:
        self.questions.append(question)
        return self.answers.pop(0) if self.answers else self.then


async def all_of(run: Run) -> list[Message]:
    return [message async for message in run]


def joined(messages: Iterable[Message], role: str, kind: str) -> list[str]:
    """Contents of the streamed messages of one kind, their chunks put together by id."""
    parts: dict[str | None, str] = {}
    for message in messages:
        if message.role == role and message.type == kind and isinstance(message.content, str):
            parts[message.id] = parts.get(message.id, "") + message.content
    return list(parts.values())


def spoken(messages: Iterable[Message]) -> list[str]:
    return joined(messages, "assistant", "message")


def printed(messages: Iterable[Message]) -> list[str]:
    return joined(messages, "computer", "console")


def codes(messages: Iterable[Message]) -> list[str]:
    return joined(messages, "assistant", "code")


def errors(messages: Iterable[Message]) -> list[Message]:
    return [message for message in messages if message.type == "error"]


def well_formed(messages: Iterable[Message]) -> None:
    """Every streamed message starts once, ends once, and has its chunks in between; none is left open."""
    opened: str | None = None
    for message in messages:
        if message.role == "server":
            continue
        assert message.id, message
        if message.start:
            assert opened is None, f"{message} opened inside {opened}"
            opened = message.id
        elif message.end:
            assert opened == message.id, f"{message} closed, {opened} was open"
            opened = None
        else:
            assert opened == message.id, f"{message} outside its message"
    assert opened is None, f"{opened} was left open"


def paired(chat: Iterable[dict[str, object]]) -> None:
    """Every tool call of a chat is answered at once, by exactly one result, and no result is an orphan."""
    waiting: list[object] = []
    for message in chat:
        if message["role"] == "tool":
            assert message["tool_call_id"] in waiting, f"orphan {message}"
            waiting.remove(message["tool_call_id"])
            assert message["content"], message
        else:
            assert not waiting, f"{message} before the results of {waiting}"
            calls = message.get("tool_calls") or []
            assert isinstance(calls, list)
            waiting = [call["id"] for call in calls]
            assert len(set(waiting)) == len(waiting)
            assert message.get("content") or calls, f"empty {message}"
    assert not waiting, f"no results of {waiting}"
