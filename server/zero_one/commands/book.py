"""All spoken commands: what a wording means, doing it, and what the embedded recogniser may expect to hear."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Protocol

from zero_one.commands import areas, asides, grammar, jsgf, known, lexicon
from zero_one.commands.alerts import Alerts
from zero_one.commands.base import Announce, Match, Reply
from zero_one.commands.clock import Clock, SystemClock
from zero_one.commands.desk import Ask, Desk, Handler, Hands
from zero_one.commands.grammar import CommandInfo
from zero_one.commands.keyless import NEED_A_KEY, NO_KEY, LookingHands
from zero_one.commands.past import NoPast, Past
from zero_one.commands.scene import Scene
from zero_one.commands.store import ListFile
from zero_one.commands.words import readings, split
from zero_one.computer.method import HandsError
from zero_one.identity.access import Caller, owner

_log = logging.getLogger(__name__)
_MOST_SPELLINGS, _MOST_SLIPS, _MOST_WORDS = 9, 3, 16
GROUP = "zero_one.commands"
"""Entry points of this group name objects with ``GRAMMAR`` (YAML text) and ``HANDLERS`` (command name to coroutine)."""


class Package(Protocol):
    """What a package that adds commands offers."""

    GRAMMAR: str
    HANDLERS: Mapping[str, Handler]


class CommandBook:
    """``match`` is pure and quick; ``run`` acts. ``start`` lets timers, alarms and reminders speak up by themselves.

    ``data_dir`` keeps alerts, notes and to-dos. ``here`` is what can be opened by name (looked up when None), ``past``
    what can be taken back or forgotten.
    """

    def __init__(
        self,
        hands: Hands,
        data_dir: Path,
        clock: Clock | None = None,
        here: known.Known | None = None,
        past: Past | None = None,
    ) -> None:
        self._clock = clock or SystemClock()
        self._here = here or known.look_around()
        folder = data_dir / "commands"
        self._grammar = grammar.load()
        self._handlers: dict[str, Handler] = dict(areas.HANDLERS)
        for entry in metadata.entry_points(group=GROUP):
            self._add(entry.load())
        self._matcher = grammar.Matcher(self._grammar)
        alerts = Alerts(folder / "alerts.json", self._clock)
        self._desk = Desk(
            hands, self._clock, alerts, ListFile(folder / "notes.json"), ListFile(folder / "todo.json"),
            self._here.home,
            self.list, past or NoPast(),
        )  # fmt: skip
        alerts.load()
        self._desk.notes.load()
        self._desk.todo.load()
        self._jsgf = ""

    def _add(self, package: Package) -> None:
        self._grammar = self._grammar.with_sources([package.GRAMMAR])
        self._handlers |= package.HANDLERS

    def match(self, text: str) -> Match | None:
        """The command that all of ``text`` says, or None for anything else."""
        entries = frozenset(item["text"].lower() for item in self._desk.todo.items if not item.get("done"))
        scene = Scene(self._clock.now().replace(tzinfo=None), self._here, entries)
        found = self._find(text, scene) or self._find_misspelt(text, scene) or self._find_core(text, scene)
        return Match(found.command, found.slots) if found else None

    def _find(self, text: str, scene: Scene) -> grammar.Found | None:
        ways = list(readings(text))
        for find in (self._matcher.find, self._matcher.find_loose):
            for words in ways:
                if found := find(words, scene):
                    return found
        return None

    def _find_core(self, text: str, scene: Scene) -> grammar.Found | None:
        """As ``_find``, without what is only told around it."""
        for core in asides.cores(text):
            if (found := self._find(core, scene)) and found.command not in asides.NEVER:
                return found
        return None

    def _find_misspelt(self, text: str, scene: Scene) -> grammar.Found | None:
        """As ``_find``, with slips of the finger put right."""
        words = split(text)
        fixes = lexicon.corrections((word.norm for word in words), self._matcher.vocabulary)
        if not 0 < len(fixes) <= _MOST_SLIPS or len(words) > _MOST_WORDS:
            return None
        for choice in itertools.islice(itertools.product(*fixes.values()), _MOST_SPELLINGS):
            fixed = dict(zip(fixes, choice, strict=True))
            spelt = " ".join(fixed.get(word.norm, word.raw) for word in words if word.raw)
            if found := self._find(spelt, scene):
                return found
        return None

    async def run(self, match: Match, device: str, caller: Caller | None = None) -> Reply:
        """Do it for ``caller`` (None: the owner). A failure comes back as a reply that says what happened and what to
        do; nothing is raised."""
        caller = caller or owner(device)
        desk = self._desk
        if caller.keyless:
            if match.command in NEED_A_KEY:
                return Reply(NO_KEY, failed=True)
            desk = replace(desk, hands=LookingHands(desk.hands))
        try:
            return await self._handlers[match.command](Ask(match.slots, device, desk, caller))
        except HandsError as error:
            return Reply(str(error), failed=True)
        except OSError as error:
            _log.exception("%s failed", match.command)
            return Reply(f"That did not work: {error.strerror or error}.", failed=True)

    def jsgf(self) -> str:
        """The grammar for the embedded recogniser. Takes a few tenths of a second the first time."""
        if not self._jsgf:
            self._jsgf = jsgf.write(self._grammar, self._here, lexicon.has_word)
        return self._jsgf

    def list(self) -> list[CommandInfo]:
        return [command.info for command in self._grammar.commands]

    async def start(self, announce: Announce) -> None:
        await asyncio.to_thread(lexicon.dictionary)
        await self._desk.alerts.start(announce)

    async def close(self) -> None:
        await self._desk.alerts.close()
