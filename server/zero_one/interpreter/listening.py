"""One call of the model: its answer is said as it comes, and the acts it asks for are written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from zero_one.interpreter.asking import Act
from zero_one.interpreter.assembly import ToolCall
from zero_one.interpreter.history import Entry, History, fresh_id
from zero_one.interpreter.model import Finished, Model, Text, Usage, Waiting
from zero_one.interpreter.outlet import Outlet, Speech
from zero_one.interpreter.textmode import Event, FenceReader, Prose, Unrunnable, Wanted, clearly_meant
from zero_one.interpreter.thinking import ThoughtFilter
from zero_one.interpreter.tools import BadCall, Toolbox, safe_arguments, safe_name
from zero_one.protocol.lmc import Message


@dataclass(slots=True)
class Request:
    """An act that the model asked for, or why it cannot be done (``bad``), with its place in the history."""

    entry: Entry
    act: Act | None
    bad: str = ""


@dataclass(slots=True)
class Heard:
    """An answer, complete. ``wrong`` is what the model must be told of a block that could not be run.

    ``sources`` name the foreign text that the model had before it.
    """

    text: str = ""
    requests: list[Request] = field(default_factory=list)
    wrong: str = ""
    reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    sources: tuple[str, ...] = ()


async def listen(
    model: Model,
    messages: Sequence[Mapping[str, Any]],
    toolbox: Toolbox,
    outlet: Outlet,
    history: History,
    step: str,
    *,
    request: str,
    tools: Sequence[Mapping[str, Any]] | None,
    sources: tuple[str, ...] = (),
) -> Heard:
    """Call the model. ``tools`` None means that it writes code as text; ``request`` is what the user asked.

    ``sources`` name the foreign text among the messages: whatever the model writes may carry it on, in its own words.
    Raises ``ModelFault``.
    """
    ear = _Ear(toolbox, outlet, history, step, request if tools is None else None, sources)
    async with aclosing(model.stream(messages, tools or ())) as pieces:
        async for piece in pieces:
            if isinstance(piece, Text):
                if ear.text(piece.text):
                    ear.heard.usage = _estimate(messages, ear.heard)
                    break  # it waits for the output of its block; what it says beyond is made up
            elif isinstance(piece, Waiting):
                words = f"{model.who} is not ready ({piece.fault.kind}); trying again."
                outlet.emit(Message("server", "status", "retry", words))
            elif isinstance(piece, Finished):
                ear.finish(piece)
    return ear.heard


class _Ear:
    def __init__(
        self,
        toolbox: Toolbox,
        outlet: Outlet,
        history: History,
        step: str,
        request: str | None,
        sources: tuple[str, ...],
    ) -> None:
        self.heard = Heard(sources=sources)
        self._request = request or ""
        self._toolbox, self._outlet, self._history, self._step = toolbox, outlet, history, step
        self._speech = Speech(outlet, history, step, sources)
        self._thoughts = ThoughtFilter()
        self._fences = FenceReader(toolbox.resolve) if request is not None else None

    def text(self, text: str) -> bool:
        """Take a piece in; True when the answer is complete as far as we are concerned."""
        return self._say(self._thoughts.feed(text))

    def _say(self, text: str) -> bool:
        if self._fences is None:
            self._prose(text)
            return False
        return any(self._event(event) for event in self._fences.feed(text))  # up to the block that runs

    def finish(self, piece: Finished) -> None:
        done = self._say(self._thoughts.finish())
        if self._fences is not None and not done:
            for event in self._fences.finish():
                self._event(event)
        self._speech.end()
        self.heard.reason, self.heard.usage = piece.reason, piece.usage
        for call in piece.calls:
            self._call(call, cut_off=piece.reason == "length")

    def _prose(self, text: str) -> None:
        self._speech.say(text)
        self.heard.text += text

    def _event(self, event: Event) -> bool:
        if isinstance(event, Prose):
            self._prose(event.text)
        elif isinstance(event, Unrunnable):
            self.heard.wrong = event.why
        elif isinstance(event, Wanted) or clearly_meant(self._request, self.heard.text):
            self._speech.end()
            self.heard.requests.append(self._wanted(Act(event.language, event.code)))
            return True
        else:
            self._prose(event.shown)
        return False

    def _wanted(self, act: Act) -> Request:
        """Write down an act that came out of a text answer."""
        shown = Message("assistant", "code", act.language, act.code, id=fresh_id())
        own = {"step": self._step, "call": fresh_id()[:9], "note": "waiting", "sources": self.heard.sources}
        return Request(self._history.add(shown, **own), act)

    def _call(self, call: ToolCall, *, cut_off: bool) -> None:
        name, arguments = safe_name(call.name), safe_arguments(call.arguments)
        ident = call.id
        if any(entry.call == ident for entry in self._history):
            ident = fresh_id()[:9]  # endpoints that count from zero in every answer; nine characters fit the strictest
        own: dict[str, Any] = {"step": self._step, "call": ident, "tool": name, "arguments": arguments}
        own |= {"note": "waiting", "sources": self.heard.sources}
        try:
            act = self._toolbox.act(call, cut_off=cut_off)
        except BadCall as error:
            shown = Message("assistant", "code", "json", f"{name} {call.arguments[:500]}", id=fresh_id())
            self.heard.requests.append(Request(self._history.add(shown, **own), None, str(error)))
            return
        shown = Message("assistant", "code", act.language, act.code, id=fresh_id())
        self.heard.requests.append(Request(self._history.add(shown, **own), act))


def _estimate(messages: Sequence[Mapping[str, Any]], heard: Heard) -> Usage:
    """For a call that was cut short nobody counts the tokens."""
    return Usage(sum(len(str(m.get("content", ""))) for m in messages) // 4, len(heard.text) // 4)
