"""The composition root: engines, commands and interpreter made from the settings, warmed behind an open door."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from zero_one.app import logs
from zero_one.app.past import ServerPast
from zero_one.app.rules import rules_file
from zero_one.audio.earcon import earcon
from zero_one.commands.base import Announce
from zero_one.config.paths import config_dir, data_dir
from zero_one.config.settings import Settings
from zero_one.conversation.mailbox import safe_name
from zero_one.conversation.services import Services
from zero_one.conversation.warming import LateRecognizer, LateSynthesizer
from zero_one.interpreter.base import Interpreter
from zero_one.interpreter.history import History
from zero_one.safety.redact import environment_secrets
from zero_one.safety.rules import Rules
from zero_one.safety.trust import open_trust
from zero_one.speech import choose
from zero_one.speech.speakable import speakable
from zero_one.speech.stt.base import Recognizer, SpeechError
from zero_one.speech.tts.base import Synthesizer
from zero_one.speech.tts.espeak import EspeakNG

log = logging.getLogger(__name__)

_COMMANDS = "understand commands"
E = TypeVar("E", Recognizer, Synthesizer)


def _tell(line: str) -> None:
    print(f"01: {line}", file=sys.stderr, flush=True)


class House:
    """Everything that a server's conversations share. ``open`` starts the warming, ``close`` ends all of it.

    ``tell`` gets the lines that say which engines were chosen and how to get better ones. ``typed``: it lives for what
    is typed into this terminal, so that no ears are opened and nothing is said of engines that nobody hears.
    """

    def __init__(self, settings: Settings, *, tell: Callable[[str], None] = _tell, typed: bool = False) -> None:
        self._settings, self._tell, self._typed = settings, tell, typed
        self._ears, self._voice = LateRecognizer(), LateSynthesizer()
        self._problems: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._retired: list[Recognizer | Synthesizer] = []
        self._book: Any = None
        self._jsgf: str | None = None
        self._announce: Announce | None = None
        self._prepared = asyncio.Event()
        self._model_ready = settings.model.name is None
        self._pool: Any = None
        self._housing: Any = None
        self._hands: Any = None
        keys = (settings.model.api_key, settings.hear.api_key, settings.speak.api_key)
        secrets = [*filter(None, keys), *environment_secrets(os.environ)]
        logs.hide(secrets)
        self.trust = open_trust(data_dir() / "trust", tell=tell, secrets=secrets)
        self.rules = Rules(rules_file())
        self.past = ServerPast(self.trust, data_dir())
        self.services = Services(
            recognizer=self._ears,
            synthesizer=self._voice,
            speakable=speakable,
            settings=settings,
            fallback=EspeakNG(),
            folder=data_dir() / "conversations",
            earcon=earcon("release"),
            ready=self.ready,
            prepared=self.prepared,
            note=self.trust.journal.note,
            interpreter=self._interpreter if settings.model.name is not None else None,
        )

    def ready(self) -> bool:
        return (self._typed or self._ears.ready) and self._voice.ready and self._prepared.is_set()

    async def prepared(self) -> None:
        """Returns when commands and interpreter are known."""
        await self._prepared.wait()

    async def open(self, announce: Announce) -> None:
        """Begin to warm everything; returns at once."""
        self._announce = announce
        self._start("undo", self.trust.start())
        self._start(_COMMANDS, self._warm_commands())
        if self._typed:
            self._ears.fail(SpeechError("This server was started for typed words only."))
        else:
            self._start("hear", self._warm_ears())
        self._start("speak", self._warm_voice())
        if self._settings.model.name is not None:
            self._start("think", self._warm_model())

    def _start(self, name: str, work: Awaitable[None]) -> None:
        task = asyncio.get_running_loop().create_task(self._guard(name, work))
        self._tasks.add(task)

    async def _guard(self, name: str, work: Awaitable[None]) -> None:
        """A part that cannot be had is told, in its own words, to whoever needs it; the server goes on."""
        try:
            await work
        except SpeechError as error:
            self._failed(name, error)
        except Exception as error:
            log.exception("what should %s could not be prepared", name)
            self._failed(name, SpeechError(f"My part that should {name} could not be prepared: {error}."))
        finally:
            if name == _COMMANDS:
                self._prepared.set()

    def _failed(self, name: str, error: SpeechError) -> None:
        self._problems[name] = str(error)
        self._tell(str(error))
        if name == "hear":
            self._ears.fail(error)
        elif name == "speak":
            self._voice.fail(error)

    # --- commands, ears, voice

    async def _warm_commands(self) -> None:
        assert self._announce is not None
        self._book, self._jsgf = await asyncio.to_thread(_open_book, data_dir(), self.past)
        if self._settings.model.name is not None:
            await asyncio.to_thread(_import_interpreter)
        self.services.commands = self._book
        await self._book.start(self._announce)

    async def _warm_ears(self) -> None:
        """After the commands: the embedded recogniser listens for their grammar."""
        await self._prepared.wait()
        choice = await choose.choose_recognizer(self._settings.hear, self._jsgf)
        self._tell(choice.line)
        await choice.engine.warm()
        self._ears.set(choice.engine)
        await self._upgrade(choice, self._ears.set)

    async def _warm_voice(self) -> None:
        # The first number said loads the rules for saying numbers: not while somebody waits.
        await asyncio.to_thread(speakable, "At 5:30 it is 3.5 kg for $29.", "en")
        choice = await choose.choose_synthesizer(self._settings.speak)
        if not self._typed:
            self._tell(choice.line)
        await choice.engine.warm()
        self._voice.set(choice.engine)
        await self._upgrade(choice, self._voice.set)

    async def _upgrade(self, choice: choose.Choice[E], put: Callable[[E], None]) -> None:
        """Fetch what would be better, and put it in the place of what serves meanwhile."""
        if choice.upgrade is None or self._typed:
            return
        try:
            better = await choice.upgrade(None)
            await better.engine.warm()
        except SpeechError as error:
            self._tell(f"{error} The embedded engine goes on serving.")
            return
        self._retired.append(choice.engine)
        put(better.engine)
        self._tell(better.line)

    # --- the model

    async def _warm_model(self) -> None:
        await self._prepared.wait()
        from zero_one.interpreter.model import LiteLlm

        await LiteLlm(self._settings.model).warm()
        housing = await asyncio.to_thread(self._sandboxes)
        if housing.trouble:
            self._tell(housing.trouble)
        if housing.kind is None:
            self._kernels().start()
        self._model_ready = True

    def _sandboxes(self) -> Any:
        """Finding out what this machine can sandbox with starts a program: not on the event loop."""
        if self._housing is None:
            from zero_one.computer import runtime
            from zero_one.safety.cells import Housing

            runtime.sweep()
            self._housing = Housing(self._settings.sandbox, (data_dir(), config_dir()))
        return self._housing

    def _kernels(self) -> Any:
        if self._pool is None:
            from zero_one.computer.languages.pool import KernelPool

            self._pool = KernelPool()
        return self._pool

    def _interpreter(self, device: str, history: History) -> Interpreter:
        """A conversation's own interpreter, with its own folder and languages."""
        from zero_one.computer.hands import Hands
        from zero_one.computer.terminal import Terminal
        from zero_one.interpreter.loop import ModelInterpreter
        from zero_one.interpreter.model import LiteLlm

        if self._hands is None:
            self._hands = Hands()
        folder = data_dir() / "work" / safe_name(device)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        terminal = Terminal(folder, self._hands, cells=self._sandboxes().rooms(folder), pool=self._kernels())
        terminal.warm()  # while the model thinks
        model = LiteLlm(self._settings.model)
        return ModelInterpreter(
            model, terminal, self._hands, history, self._settings, witness=self.trust, rules=self.rules
        )

    # --- state

    def health(self) -> dict[str, Any]:
        """The state of each engine, as JSON."""
        states: dict[str, tuple[str, bool]] = {
            "hear": (self._ears.name, self._ears.ready),
            "speak": (self._voice.name, self._voice.ready),
            _COMMANDS: ("hassil", self._book is not None),
        }
        if self._typed:
            del states["hear"]
        if self._settings.model.name is not None:
            states["think"] = (self._settings.model.name, self._model_ready)
        engines: dict[str, dict[str, str]] = {}
        for name, (engine, ready) in states.items():
            engines[name] = {"engine": engine, "state": "ready" if ready else "warming"}
            if name in self._problems:
                engines[name] |= {"state": "failed", "problem": self._problems[name]}
        all_states = {engine["state"] for engine in engines.values()}
        status = "failed" if "failed" in all_states else "warming" if "warming" in all_states else "ready"
        return {"status": status, "engines": engines}

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._book is not None:
            await self._book.close()
        if self._pool is not None:
            await self._pool.close()
        engines: list[Any] = [self._ears, self._voice, *self._retired]
        if self.services.fallback is not None:
            engines.append(self.services.fallback)
        for engine in engines:
            await engine.close()
        await self.trust.close()


def _import_interpreter() -> None:
    """In a worker thread, so that the first request finds it there."""
    import zero_one.computer.languages.pool
    import zero_one.interpreter.loop
    import zero_one.interpreter.model  # noqa: F401


def _open_book(folder: Path, past: ServerPast) -> tuple[Any, str]:
    """In a worker thread: reading the grammars takes a moment. The first match builds what later ones reuse."""
    from zero_one.commands.book import CommandBook
    from zero_one.computer.hands import Hands

    book = CommandBook(Hands(), folder, past=past)
    book.match("what can I say")
    return book, book.jsgf()
