"""Doing one act that was agreed to: its output is streamed, and written to the history as it comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol

from zero_one.computer.hands import HandsError
from zero_one.computer.languages.base import TIMED_OUT, Output
from zero_one.interpreter.asking import Act
from zero_one.interpreter.history import Entry, History, fresh_id
from zero_one.interpreter.outlet import Outlet
from zero_one.interpreter.pictures import picture
from zero_one.protocol.lmc import Message


class Machine(Protocol):
    """What is used of ``computer.terminal.Terminal``."""

    @property
    def languages(self) -> list[str]: ...

    def run(self, language: str, code: str, *, timeout_s: float) -> AsyncGenerator[Output, None]: ...


class Callables(Protocol):
    """What is used of ``computer.hands.Hands``."""

    async def call(self, name: str, /, **arguments: Any) -> Any: ...


class Result:
    """The output of one call: a console message, its images, and the words that end it."""

    def __init__(self, outlet: Outlet, history: History, entry: Entry) -> None:
        self._outlet, self._history, self._made = outlet, history, entry
        self._console = Message("computer", "console", "output", id=fresh_id())
        self._entry: Entry | None = None
        self._kind = ""

    def text(self, text: str, kind: str = "output") -> None:
        """Printed text; pieces of different kinds begin on a line of their own."""
        if not text:
            return
        if self._entry is None:
            self._entry = self._add(self._console)
        elif kind != self._kind and not self._entry.text.endswith("\n"):
            text = f"\n{text}"
        self._kind = kind
        self._outlet.stream(self._console, self._entry, text)

    async def image(self, content: str, form: str = "base64.png") -> None:
        message = Message("computer", "image", form, content, id=fresh_id())
        self._outlet.whole(message)
        seen = await asyncio.to_thread(picture, message)
        if seen.type == "image":
            self._add(seen)
        else:
            self.note(seen.content)

    def note(self, text: str) -> None:
        """Words for the model only."""
        self._add(Message("computer", "console", "note", f"\n{text}\n"))

    def _add(self, message: Message) -> Entry:
        return self._history.add(message, step=self._made.step, call=self._made.call)


async def act_out(act: Act, result: Result, machine: Machine, hands: Callables, timeout_s: float) -> bool:
    """Do it; returns whether it went well. Never raises for what the code or the hand does."""
    if act.method:
        return await _use_hand(act, result, hands, timeout_s)
    status = ""
    async with aclosing(machine.run(act.language, act.code, timeout_s=timeout_s)) as pieces:
        async for piece in pieces:
            if piece.kind == "exit":
                status = piece.content
            elif piece.kind == "image":
                await result.image(piece.content)
            else:
                result.text(piece.content, piece.kind)
    if status not in ("0", "", TIMED_OUT):  # at its time limit the language itself says what happened
        result.note(f"(It failed with exit status {status}.)")
    return status in ("0", "")


async def _use_hand(act: Act, result: Result, hands: Callables, timeout_s: float) -> bool:
    try:
        async with asyncio.timeout(timeout_s):
            value = await hands.call(act.method, **act.arguments)
    except HandsError as error:
        result.text(str(error), "error")
        return False
    except TimeoutError:
        result.text(f"computer.{act.method} took longer than {timeout_s:g} seconds and was given up.", "error")
        return False
    if isinstance(value, dict) and isinstance(value.get("png"), str):
        await result.image(value["png"])
        value = {name: kept for name, kept in value.items() if name != "png"}
    if value is not None:
        result.text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return True
