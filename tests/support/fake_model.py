"""A model and a machine without threads, network or time, for tests that must be the same at every step of the loop."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zero_one.computer.hands import HandsError
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
    return ToolCall(ident, "run", json.dumps({"language": language, "code": code}))


def hand(name: str, ident: str = "h1", **arguments: Any) -> ToolCall:
    return ToolCall(ident, name.replace(".", "_"), json.dumps(arguments))


def finished(*calls: ToolCall, cost: float = 0.0) -> Finished:
    return Finished(calls, "tool_calls" if calls else "stop", Usage(10, 5, cost))


@dataclass
class FakeMachine:
    """Prints every word of the code as a piece of output of its own, or what ``prints`` says; ``fail`` in the code is
    exit status 1. While code runs, ``calls`` in it are called as ``computer.*``, and what they raised is printed."""

    folder: Path
    languages: tuple[str, ...] = ("python", "shell")
    allow: Any = None
    running: int = 0
    begun: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)
    networks: list[bool] = field(default_factory=list)
    sandboxed: bool = True
    prints: dict[str, list[str]] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, dict[str, Any]]]] = field(default_factory=dict)
    """Methods that a piece of code calls while it runs, by the code."""
    hands: FakeHands | None = None

    async def run(
        self, language: str, code: str, *, timeout_s: float = 1.0, network: bool = True, needs: Any = None
    ) -> AsyncGenerator[Output, None]:
        self.running += 1
        self.networks.append(network)
        self.begun.append(code)
        try:
            for name, arguments in self.calls.get(code, ()):
                try:
                    await self.call(name, arguments)
                except HandsError as error:
                    yield Output("error", str(error))
            for word in self.prints.get(code) or [f"{word} " for word in code.split()]:
                await asyncio.sleep(0)
                yield Output("output", word)
            yield Output("exit", "1" if "fail" in code else "0")
            self.ended.append(code)
        finally:
            self.running -= 1

    def lacks(self) -> str:
        return "Code has no network." if self.sandboxed else ""

    def folder_of(self, language: str) -> Path:
        return self.folder

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """As ``Terminal.call``: the gate first."""
        await self.allow(name, arguments)
        return await self.hands.call(name, **arguments) if self.hands is not None else None

    async def close(self) -> None:
        pass


class _Anything:
    def validate(self, arguments: Mapping[str, Any]) -> None:
        pass


@dataclass
class FakeHands:
    """Hands that do nothing and remember it; ``returns`` by name."""

    returns: dict[str, Any] = field(default_factory=dict)
    done: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    names: tuple[str, ...] = (
        "clipboard.view", "display.screenshot", "files.find", "keyboard.type", "mouse.click", "opener.url",
        "system.clock", "volume.set", "windows.list",
    )  # fmt: skip

    def schemas(self) -> list[dict[str, Any]]:
        return [{"name": name, "description": name, "parameters": {}} for name in self.names]

    def method(self, name: str) -> _Anything:
        return _Anything()

    async def call(self, name: str, /, **arguments: Any) -> Any:
        self.done.append((name, arguments))
        return self.returns.get(name)


class NoHands:
    """A computer without hands."""

    names: tuple[str, ...] = ()

    def schemas(self) -> list[dict[str, Any]]:
        return []
