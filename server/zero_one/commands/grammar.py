"""The one source of the grammar: ``grammar/*.yaml``, sentence templates by area.

A file holds ``area`` (its heading) and ``commands``. Each has ``about`` (one line), ``examples`` and templates: ``say``
(for the text matcher and for the embedded recogniser), ``type`` (rarer wordings, for the text
matcher only) and ``hear`` (for
the recogniser instead of ``say``, where a slot must be smaller); and it may have ``loose`` (words in any order, see
``loose.py``). ``rules.yaml`` holds what templates share, ``spoken.yaml`` what the recogniser may hear in each slot.
Templates are hassil's: ``[maybe]``, ``(this|that)``, ``<rule>``, ``{slot}``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from typing import Any

from hassil import Intents
from hassil.parse_expression import parse_sentence
from hassil.string_matcher import MatchContext, MatchSettings, match_expression

from zero_one.commands import outline, slots
from zero_one.commands.loose import Loose
from zero_one.commands.scene import Scene
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
    rarest of the words that they cannot do without, and parsed when they are first tried.
    """

    def __init__(self, grammar: Grammar) -> None:
        self._loose = [Loose.read(command.info.name, command.loose) for command in grammar.commands if command.loose]
        self._texts = [*grammar.rules.values(), *(t for c in grammar.commands for t in (*c.say, *c.type))]
        self._rules = grammar.rules
        templates = [
            (command.info.name, text, outline.needs(text, self._rule_needs))
            for command in grammar.commands
            for text in (*command.say, *command.type)
        ]
        common = Counter(word for _, _, needs in templates for group in needs for word in group)
        self._by_word: dict[str, list[_Template]] = {}
        for name, text, needs in templates:
            groups = sorted(needs, key=lambda group: sum(common[word] for word in group))
            template = _Template(name, text, tuple(groups[1:]))
            for word in groups[0] if groups else ("",):
                self._by_word.setdefault(word, []).append(template)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every word that a template spells."""
        return _vocabulary(self._texts) | written()

    @cached_property
    def _settings(self) -> MatchSettings:
        wildcard = {"wildcard": True}
        lists = Intents.from_dict({"language": "en", "intents": {}, "lists": dict.fromkeys(slots.READERS, wildcard)})
        rules = {name: parse_sentence(body) for name, body in self._rules.items()}
        return MatchSettings(slot_lists=lists.slot_lists, expansion_rules=rules, language="en")

    @cache  # noqa: B019 (as many as there are rules)
    def _rule_needs(self, name: str) -> outline.Needs:
        return outline.needs(self._rules[name], self._rule_needs)

    def find(self, words: Words, scene: Scene) -> Found | None:
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

    def find_loose(self, words: Words, scene: Scene) -> Found | None:
        """The command whose words these are in any order; the one that more of them tell of."""
        best: Found | None = None
        for loose in self._loose:
            told, values = loose.fits(words, scene)
            if told > (best.literal if best else 0):
                best = Found(loose.command, dict(values), told)
        return best


@dataclass(frozen=True)
class _Template:
    """One template. ``needs``: what else must be said, besides the word that it is looked up by."""

    command: str
    text: str
    needs: outline.Needs

    @cached_property
    def expression(self) -> Any:
        return parse_sentence(self.text).expression


def _values(entities: Iterable[Any], words: Words, scene: Scene) -> dict[str, Any] | None:
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
