"""The one source of the grammar: ``grammar/*.yaml``, sentence templates by area.

A file holds ``area`` (its heading) and ``commands``, by name: ``about`` (one line), ``examples``, ``say`` (templates for
the text matcher and for the embedded recogniser) and ``type`` (rarer wordings, for the text matcher only). ``rules.yaml``
holds what templates share and ``spoken.yaml`` what the recogniser may hear in each slot. Templates are hassil's: ``[maybe]``,
``(this|that)``, ``<rule>``, ``{slot}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml
from hassil import Intents, recognize_all
from hassil.parse_expression import parse_sentence

from zero_one.commands import slots
from zero_one.commands.loose import Loose
from zero_one.commands.words import Words, norm


@dataclass(frozen=True, slots=True)
class CommandInfo:
    """What can be said: for ``01 commands``, the spoken help and the documentation."""

    name: str
    area: str
    examples: tuple[str, ...]
    description: str


@dataclass(frozen=True, slots=True)
class Command:
    info: CommandInfo
    say: tuple[str, ...]
    type: tuple[str, ...] = ()
    loose: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """Templates of every command, the rules that they share, and what can be heard in a slot."""

    commands: tuple[Command, ...]
    rules: Mapping[str, str]
    spoken: Mapping[str, str]

    def with_sources(self, sources: Iterable[str]) -> Grammar:
        """This grammar and the commands of further YAML texts."""
        more = tuple(command for source in sources for command in _commands(yaml.safe_load(source)))
        return Grammar(self.commands + more, self.rules, self.spoken)

    def command(self, name: str) -> Command:
        return next(command for command in self.commands if command.info.name == name)


def _commands(data: Mapping[str, Any]) -> list[Command]:
    out = []
    for name, entry in data["commands"].items():
        info = CommandInfo(name, data["area"], tuple(entry["examples"]), entry["about"])
        out.append(Command(info, tuple(entry.get("say", ())), tuple(entry.get("type", ())), entry.get("loose")))
    return out


@cache
def load() -> Grammar:
    """The grammar that ships with the package."""
    shared: dict[str, Any] = {}
    commands: list[Command] = []
    for path in sorted((p for p in files(__package__).joinpath("grammar").iterdir()), key=lambda p: p.name):
        if not path.name.endswith(".yaml"):
            continue
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.name in ("rules.yaml", "spoken.yaml"):
            shared[path.name] = data
        else:
            commands += _commands(data)
    return Grammar(tuple(commands), shared["rules.yaml"], shared["spoken.yaml"])


@dataclass(frozen=True, slots=True)
class Found:
    """One way a reading fits a template. ``literal`` counts the letters that the template itself spelled."""

    command: str
    slots: dict[str, Any]
    literal: int


class Matcher:
    """hassil over the grammar; slots are wildcards to hassil and are read and judged by ``slots``."""

    def __init__(self, grammar: Grammar) -> None:
        self._loose = [Loose.read(command.info.name, command.loose) for command in grammar.commands if command.loose]
        self._intents = Intents.from_dict(
            {
                "language": "en",
                "intents": {
                    command.info.name: {"data": [{"sentences": [*command.say, *command.type]}]}
                    for command in grammar.commands
                },
                "lists": {kind: {"wildcard": True} for kind in slots.READERS},
                "expansion_rules": dict(grammar.rules),
            }
        )
        self.vocabulary = _vocabulary(
            [*grammar.rules.values(), *(t for c in grammar.commands for t in (*c.say, *c.type))]
        )

    def find(self, words: Words, scene: slots.Scene) -> Found | None:
        """The best way to take all of ``words``: the one in which the template spells most of them."""
        best: Found | None = None
        for result in recognize_all(norm(words), self._intents, language="en"):
            if best is not None and result.text_chunks_matched <= best.literal:
                continue
            values: dict[str, Any] | None = {}
            for entity in result.entities_list:
                said = entity.text.strip()
                part = _part(words, said)
                found = slots.read(entity.name, part, scene) if part else None
                if found is None or values is None:
                    values = None
                    break
                values |= found
            if values is not None:
                best = Found(result.intent.name, values, result.text_chunks_matched)
        return best

    def find_loose(self, words: Words) -> Found | None:
        """The command whose words these are in any order; the one that more of them tell of."""
        fit, best = max(((loose.fits(words), loose.command) for loose in self._loose), default=(0, ""))
        return Found(best, {}, 0) if fit else None


def _part(words: Words, said: str) -> Words:
    """The run of ``words`` that reads ``said``; the last such run, since open slots stand at the end."""
    target = said.split()
    for at in range(len(words) - len(target), -1, -1):
        if [word.norm for word in words[at : at + len(target)]] == target:
            return words[at : at + len(target)]
    return ()


def _vocabulary(templates: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    for template in templates:
        for mark in "[]()|":
            template = template.replace(mark, " ")
        found |= {word for word in template.split() if "<" not in word and "{" not in word and word.isalpha()}
    return frozenset(found)


def parse(template: str) -> Any:
    """hassil's expression tree of a template."""
    return parse_sentence(template).expression
