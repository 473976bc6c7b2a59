"""The one source of the grammar: ``grammar/*.yaml``, sentence templates by area.

A file holds ``area`` (its heading) and ``commands``. Each has ``about`` (one line), ``examples`` and templates: ``say``
(for the text matcher and for the embedded recogniser), ``type`` (rarer wordings, for the text
matcher only) and ``hear`` (for
the recogniser instead of ``say``, where a slot must be smaller); and it may have ``loose`` (words in any order, see
``loose.py``). ``rules.yaml`` holds what templates share, ``spoken.yaml`` what the recogniser may hear in each slot.
Templates are hassil's: ``[maybe]``, ``(this|that)``, ``<rule>``, ``{slot}``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from hassil import Intents
from hassil.parse_expression import parse_sentence
from hassil.string_matcher import MatchContext, MatchSettings, match_expression

from zero_one.commands import slots
from zero_one.commands.loose import Loose
from zero_one.commands.sources import read_yaml
from zero_one.commands.words import Words, norm, written


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
    hear: tuple[str, ...]
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
        more = tuple(command for source in sources for command in _commands(read_yaml(source)))
        return Grammar(self.commands + more, self.rules, self.spoken)

    def command(self, name: str) -> Command:
        return next(command for command in self.commands if command.info.name == name)


def _commands(data: Mapping[str, Any]) -> list[Command]:
    out = []
    for name, entry in data["commands"].items():
        info = CommandInfo(name, data["area"], tuple(entry["examples"]), entry["about"])
        out.append(
            Command(
                info,
                tuple(entry.get("say", ())),
                tuple(entry.get("hear", ())),
                tuple(entry.get("type", ())),
                entry.get("loose"),
            )
        )
    return out


@cache
def load() -> Grammar:
    """The grammar that ships with the package."""
    shared: dict[str, Any] = {}
    commands: list[Command] = []
    for path in sorted((p for p in files(__package__).joinpath("grammar").iterdir()), key=lambda p: p.name):
        if not path.name.endswith(".yaml"):
            continue
        data = read_yaml(path.read_text(encoding="utf-8"))
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
    """hassil over the grammar; slots are wildcards to hassil and are read and judged by ``slots``.

    hassil tries every template on a text. Most texts are tried in several readings, so templates are looked up by the
    words that they cannot do without first.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._loose = [Loose.read(command.info.name, command.loose) for command in grammar.commands if command.loose]
        rules = {name: parse_sentence(body) for name, body in grammar.rules.items()}
        wildcard = {"wildcard": True}
        lists = Intents.from_dict({"language": "en", "intents": {}, "lists": dict.fromkeys(slots.READERS, wildcard)})
        self._settings = MatchSettings(slot_lists=lists.slot_lists, expansion_rules=rules, language="en")
        self._by_word: dict[str, list[_Template]] = {}
        for command in grammar.commands:
            for text in (*command.say, *command.type):
                sentence = parse_sentence(text)
                needs = sorted(sentence.get_required_clauses(rules), key=len)
                template = _Template(command.info.name, sentence.expression, tuple(needs[1:]))
                for word in needs[0] if needs else ("",):
                    self._by_word.setdefault(word, []).append(template)
        texts = [*grammar.rules.values(), *(t for c in grammar.commands for t in (*c.say, *c.type))]
        self.vocabulary = _vocabulary(texts) | written()

    def find(self, words: Words, scene: slots.Scene) -> Found | None:
        """The best way to take all of ``words``: the one in which the template spells most of them."""
        best: Found | None = None
        said = {word.norm for word in words}
        text = norm(words) + " "
        for template in (t for word in ("", *sorted(said)) for t in self._by_word.get(word, ())):
            if any(need.isdisjoint(said) for need in template.needs):
                continue
            for context in match_expression(self._settings, MatchContext(text=text), template.expression):
                if (rest := context.text.strip()) and (open_slot := context.get_open_wildcard()):
                    open_slot.text += rest  # a slot at the end takes what is left
                    context.text = ""
                if not context.is_match or (best is not None and context.text_chunks_matched <= best.literal):
                    continue
                values = _values(context.entities, words, scene)
                if values is not None:
                    best = Found(template.command, values, context.text_chunks_matched)
        return best

    def find_loose(self, words: Words) -> Found | None:
        """The command whose words these are in any order; the one that more of them tell of."""
        fit, best = max(((loose.fits(words), loose.command) for loose in self._loose), default=(0, ""))
        return Found(best, {}, 0) if fit else None


@dataclass(frozen=True, slots=True)
class _Template:
    """One template. ``needs``: of each of these groups at least one word must be said."""

    command: str
    expression: Any
    needs: tuple[frozenset[str], ...]


def _values(entities: Iterable[Any], words: Words, scene: slots.Scene) -> dict[str, Any] | None:
    """What the slots say, or None when one of them cannot be read."""
    values: dict[str, Any] = {}
    for entity in entities:
        part = _part(words, entity.text.strip())
        found = slots.read(entity.name, part, scene) if part else None
        if found is None:
            return None
        values |= found
    return values


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
