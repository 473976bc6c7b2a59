"""A model and a machine without threads, network or time, for tests that must be the same at every step of the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zero_one.computer.languages.base import Output
from zero_one.interpreter.assembly import ToolCall
from zero_one.interpreter.faults import ModelFault
from zero_one.interpreter.model import Finished, Piece, Usage
from zero_one.interpreter.route import Facts


@dataclass
class FakeModel:
    """Answers with ``answers`` in turn, one piece per tick of the loop."""

    answers: list[list[Piece | ModelFault]]
    known: Facts = field(default_factory=lambda: Facts(16_000, True, False))
    who: str = "the model"
    asked: list[list[dict[str, Any]]] = field(default_factory=list)
    under_way: int = 0

    async def warm(self) -> None:
        pass

    async def facts(self) -> Facts:
        await asyncio.sleep(0)
        return self.known

    async def stream(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncGenerator[Piece, None]:
        self.asked.append([dict(message) for message in messages])
        self.under_way += 1
        try:
            for piece in self.answers.pop(0) if self.answers else [Finished()]:
                await asyncio.sleep(0)
                if isinstance(piece, ModelFault):
                    raise piece
                yield piece
                await asyncio.sleep(0)
        finally:
            self.under_way -= 1


def call(code: str, ident: str = "c1", language: str = "shell") -> ToolCall:
    import json

    return ToolCall(ident, "run", json.dumps({"language": language, "code": code}))


def finished(*calls: ToolCall, cost: float = 0.0) -> Finished:
    return Finished(calls, "tool_calls" if calls else "stop", Usage(10, 5, cost))


@dataclass
class FakeMachine:
    """Prints every word of the code as a piece of output of its own; ``fail`` in the code is exit status 1."""

    folder: Path
    languages: tuple[str, ...] = ("python", "shell")
    allow: Any = None
    running: int = 0
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    networks: list[bool] = field(default_factory=list)
    sandboxed: bool = True

    async def run(
        self, language: str, code: str, *, timeout_s: float = 1.0, network: bool = True, needs: Any = None
    ) -> AsyncGenerator[Output, None]:
        self.running += 1
        self.networks.append(network)
        self.begun.append(code)
        try:
            for word in code.split():
                await asyncio.sleep(0)
                yield Output("output", f"{word} ")
            yield Output("exit", "1" if "fail" in code else "0")
            self.ended.append(code)
        finally:
            self.running -= 1

    async def close(self) -> None:
        pass


class NoHands:
    """A computer without hands."""

    names: tuple[str, ...] = ()

    def schemas(self) -> list[dict[str, Any]]:
        return []
