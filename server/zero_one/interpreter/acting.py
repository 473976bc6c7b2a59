"""Doing one act that was agreed to: its output is streamed, and written to the history as it comes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any, Protocol

from zero_one.computer.hands import HandsError
from zero_one.computer.languages.base import TIMED_OUT, Needs, Output
from zero_one.interpreter.asking import Act
from zero_one.interpreter.consent import Granted
from zero_one.interpreter.history import Entry, History, fresh_id
from zero_one.interpreter.outlet import Outlet
from zero_one.interpreter.pictures import picture
from zero_one.interpreter.sources import united
from zero_one.protocol.lmc import Message
from zero_one.safety.redact import Redactor


class Machine(Protocol):
    """What is used of ``computer.terminal.Terminal``."""

    @property
    def languages(self) -> list[str]: ...

    @property
    def sandboxed(self) -> bool: ...

    def lacks(self) -> str: ...

    def folder_of(self, language: str) -> Path: ...

    def run(
        self, language: str, code: str, *, timeout_s: float, network: bool = True, needs: Needs | None = None
    ) -> AsyncGenerator[Output, None]: ...


class Callables(Protocol):
    """What is used of ``computer.hands.Hands``."""

    async def call(self, name: str, /, **arguments: Any) -> Any: ...


class Result:
    """The output of one call: a console message, its images, and the words that end it.

    ``sources`` name what foreign text it holds. ``redactor`` takes secrets out, before anybody sees them.
    """

    def __init__(
        self,
        outlet: Outlet,
        history: History,
        entry: Entry,
        sources: tuple[str, ...] = (),
        redactor: Redactor | None = None,
    ) -> None:
        self._outlet, self._history, self._made = outlet, history, entry
        self.sources, self._redactor = sources, redactor or Redactor()
        self._clean = self._redactor.stream()
        self._console = Message("computer", "console", "output", id=fresh_id())
        self._entry: Entry | None = None
        self._kind = ""
        self._shown = ""

    def taint(self, sources: tuple[str, ...]) -> None:
        """What is printed from here on may hold text from there too."""
        self.sources = united(self.sources, sources)

    def text(self, text: str, kind: str = "output") -> None:
        """Printed text; pieces of different kinds begin on a line of their own."""
        if kind != self._kind:
            self.flush()
        self._kind = kind
        self._put(self._clean.feed(text))

    def flush(self) -> None:
        """What was held back, because it might have been the beginning of a secret."""
        self._put(self._clean.finish())
        self._clean = self._redactor.stream()

    def _put(self, text: str) -> None:
        if not text:
            return
        if self._entry is None:
            self._entry = self._add(self._console)
        elif self._kind != self._shown and not self._entry.text.endswith("\n"):
            text = f"\n{text}"
        self._shown = self._kind
        self._entry.sources = self.sources
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
        """Words for the model only; they are our own."""
        own = Message("computer", "console", "note", f"\n{text}\n")
        self._history.add(own, step=self._made.step, call=self._made.call)

    def _add(self, message: Message) -> Entry:
        return self._history.add(message, step=self._made.step, call=self._made.call, sources=self.sources)


async def act_out(granted: Granted, result: Result, machine: Machine, hands: Callables, timeout_s: float) -> str:
    """Do it; returns the exit status, "0" when it went well. Never raises for what the code or the hand does."""
    act = granted.act
    try:
        if act.method:
            return await _use_hand(act, result, hands, timeout_s)
        return await _run(granted, result, machine, timeout_s)
    finally:
        result.flush()


async def _run(granted: Granted, result: Result, machine: Machine, timeout_s: float) -> str:
    act, status = granted.act, ""
    running = machine.run(act.language, act.code, timeout_s=timeout_s, network=granted.network, needs=granted.verdict)
    async with aclosing(running) as pieces:
        async for piece in pieces:
            if piece.kind == "exit":
                status = piece.content
            elif piece.kind == "image":
                result.flush()
                await result.image(piece.content)
            else:
                result.text(piece.content, piece.kind)
    result.flush()
    if status not in ("0", "", TIMED_OUT):  # at its time limit the language itself says what happened
        result.note(f"(It failed with exit status {status}.)")
    return status or "0"


async def _use_hand(act: Act, result: Result, hands: Callables, timeout_s: float) -> str:
    try:
        async with asyncio.timeout(timeout_s):
            value = await hands.call(act.method, **act.arguments)
    except HandsError as error:
        result.text(str(error), "error")
        return "1"
    except TimeoutError:
        result.text(f"computer.{act.method} took longer than {timeout_s:g} seconds and was given up.", "error")
        return TIMED_OUT
    if isinstance(value, dict) and isinstance(value.get("png"), str):
        await result.image(value["png"])
        value = {name: kept for name, kept in value.items() if name != "png"}
    if value is not None:
        result.text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return "0"
