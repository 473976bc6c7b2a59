"""The interpreter of one conversation: a model, a history, a terminal and hands, put together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from zero_one.computer.hands import Hands, HandsError
from zero_one.computer.languages import registry
from zero_one.computer.terminal import Terminal
from zero_one.config.settings import ApprovalSettings, Settings
from zero_one.identity.access import Caller, owner
from zero_one.interpreter.base import Approver
from zero_one.interpreter.chat import Form, compose, tokens
from zero_one.interpreter.faults import ModelFault
from zero_one.interpreter.history import History
from zero_one.interpreter.listening import Heard, listen
from zero_one.interpreter.model import Model
from zero_one.interpreter.outlet import Outlet
from zero_one.interpreter.pictures import picture
from zero_one.interpreter.prompt import Host, system_prompt
from zero_one.interpreter.run import ModelRun
from zero_one.interpreter.sources import united
from zero_one.interpreter.tools import Toolbox
from zero_one.interpreter.witness import Nobody, Witness
from zero_one.protocol.lmc import Message
from zero_one.safety.rules import Rules

SMALL_WINDOW = 8000
"""Tokens. Below it, the hands are reached from Python only: their schemas would crowd out the conversation."""
TIME_LASTS = timedelta(minutes=5)
_ANSWER_SHARE = 4
"""One part in so many of the context window is left for the answer."""


class ModelInterpreter:
    """See ``base.Interpreter``. ``witness`` stands around every act, ``rules`` are what the owner allowed for always
    (None: nothing can be), and ``now`` is the time that the model is told."""

    def __init__(
        self,
        model: Model,
        terminal: Terminal,
        hands: Hands,
        history: History,
        settings: Settings,
        *,
        witness: Witness | None = None,
        rules: Rules | None = None,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self.model, self.machine, self.hands, self.history = model, terminal, hands, history
        self.settings = settings
        self.witness: Witness = witness if witness is not None else Nobody()
        self.rules = rules
        self.host = Host.here(terminal.folder)
        known = {name: kind for name, kind in registry.available().items() if name in terminal.languages}
        self._toolbox = Toolbox(terminal.languages, hands, lambda name: registry.resolve(name, known))
        self._now = now
        self._runs: list[ModelRun] = []
        self._acting: ModelRun | None = None
        self._kept: dict[str, tuple[str, ...]] = {}
        self._told: datetime | None = None
        self._no_tools = self._no_vision = False
        self._scale = 1.0  # of the context window, once the endpoint said that it was exceeded
        if terminal.allow is None:
            terminal.allow = self._gate

    def respond(
        self, request: Message, approve: Approver, *, images: tuple[Message, ...] = (), caller: Caller | None = None
    ) -> ModelRun:
        """Begin a turn. One that still talks is hushed; code that it runs goes on until new code takes its place."""
        self._runs = [run for run in self._runs if not run.done]
        for run in self._runs:
            run.hush()
        self.history.add(request)
        text = request.content if isinstance(request.content, str) else ""
        run = ModelRun(self, text, approve, images, caller if caller is not None else owner("", "you"))
        self._runs.append(run)
        return run

    def note(self, message: Message) -> None:
        """Write down what was said without the model: a spoken command and its reply."""
        self.history.add(message)
        self.history.save()

    async def warm(self) -> None:
        """Load what the first call needs, ahead of it."""
        await self.model.warm()

    async def close(self) -> None:
        """Stop everything and end the languages."""
        await asyncio.gather(*(run.cancel() for run in self._runs))
        await self.history.saved()
        await self.machine.close()

    # --- for runs ----------------------------------------------------------------------------------------------------

    @property
    def approval(self) -> ApprovalSettings:
        return self.settings.approval

    @property
    def folder(self) -> str:
        return self.host.folder

    def standing(self, language: str) -> Path:
        """The folder that relative paths of the next act count from."""
        return self.machine.folder_of(language)

    @property
    def sandboxed(self) -> bool:
        return self.machine.sandboxed

    def remember(self, language: str, sources: tuple[str, ...], *, recall: bool = True) -> tuple[str, ...]:
        """What code of this language may have kept in its variables; returns what it kept so far, if it can be told."""
        kept = self._kept.get(language, ())
        self._kept[language] = united(kept, sources)
        return kept if recall else ()

    def notice(self) -> str:
        """What the user has to hear about the history, once."""
        notice, self.history.notice = self.history.notice, ""
        return notice

    async def prepare(self, images: tuple[Message, ...]) -> None:
        """Write the request's images and the request down."""
        for image in images:
            self.history.add(await asyncio.to_thread(picture, image))
        await self.history.saved()

    async def ask_model(self, outlet: Outlet, step: str, request: str) -> Heard:
        """One answer. What the model turns out to be unable to do is left out from then on."""
        shortened = False
        while True:
            facts = await self.model.facts()
            with_tools = facts.tools is not False and not self._no_tools
            vision = (self.settings.multimodal if facts.vision is None else facts.vision) and not self._no_vision
            tools = self._toolbox.schemas(few=facts.window < SMALL_WINDOW) if with_tools else None
            system = system_prompt(
                self.host,
                languages=self.machine.languages,
                hands=self.hands.names,
                tools=with_tools,
                now=self._time_told(),
                vision=vision,
                instructions=self.settings.model.instructions,
                approval=self.settings.approval,
                lacks=self.machine.lacks(),
            )
            budget = int(facts.window * self._scale)
            reserved = min(facts.max_tokens or budget // _ANSWER_SHARE, budget // 2)
            reserved += tokens([{"content": str(tools)}]) if tools else 0
            form = Form(with_tools, vision, self.settings.caps.output_chars, budget)
            messages, sources = compose(system, self.history.entries, form, reserved=reserved)
            try:
                return await listen(
                    self.model,
                    messages,
                    self._toolbox,
                    outlet,
                    self.history,
                    step,
                    request=request,
                    tools=tools,
                    sources=sources,
                )
            except ModelFault as fault:
                if fault.kind == "no_tools" and with_tools:
                    self._no_tools = True
                elif fault.kind == "no_vision" and vision:
                    self._no_vision = True
                elif fault.kind == "too_long" and not shortened:
                    shortened = True
                    self._scale = min(self._scale / 2, tokens(messages) / 2 / facts.window)
                else:
                    raise

    def _time_told(self) -> datetime:
        """The same for some minutes: a prompt that stays equal spares a model the work of reading everything again."""
        now = self._now()
        if self._told is None or abs(now - self._told) >= TIME_LASTS:
            self._told = now
        return self._told

    @asynccontextmanager
    async def hands_free(self, run: ModelRun) -> AsyncIterator[None]:
        """Code of an earlier turn that still runs ends here: the new request takes its place."""
        if self._acting is not None and self._acting is not run:
            await self._acting.cancel()
        self._acting = run
        try:
            yield
        finally:
            if self._acting is run:
                self._acting = None

    async def _gate(self, name: str, arguments: Mapping[str, Any]) -> None:
        """``computer.*`` called by running code is looked at by the turn that runs it; nothing may call after that."""
        if self._acting is None:
            raise HandsError(f"computer.{name} was called by code that is over.", "Run it again.")
        await self._acting.gate(name, arguments)
