"""The grammar as JSGF for the embedded recogniser (W3C note "JSpeech Grammar Format", June 2000)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from hassil.expression import Alternative, Expression, ListReference, RuleReference, Sequence, TextChunk

from zero_one.commands import known, zones
from zero_one.commands.grammar import Grammar, parse

# The matcher sees contractions written out; people say them, and the recogniser must hear what is said.
_CONTRACTED = {
    "what is today date": "what is today's date", "today date": "today's date", "what is": "(what is | what's)",
    "where is": "(where is | where's)", "that is": "(that is | that's)",
}  # fmt: skip
_SPOKEN_AS = {"cpu": "c. p. u.", "ip": "i. p.", "unmute": "un mute"}


def write(grammar: Grammar, here: known.Known, has_word: Callable[[str], bool]) -> str:
    """The JSGF of ``grammar`` on this machine. Alternatives with a word that ``has_word`` denies are left out."""
    writer = _Writer(grammar, here, has_word)
    return writer.whole()


class _Writer:
    def __init__(self, grammar: Grammar, here: known.Known, has_word: Callable[[str], bool]) -> None:
        self._grammar = grammar
        self._has_word = has_word
        self._dynamic: Mapping[str, Iterable[str]] = {
            "app": known.spoken_apps(here),
            "folder": known.spoken_folders(here),
            "site": known.spoken_sites(),
            "place": zones.spoken(),
        }
        self._needed: dict[str, str] = {}

    def whole(self) -> str:
        names, bodies = [], []
        for command in self._grammar.commands:
            alternatives = [text for template in (command.hear or command.say) if (text := self._text(parse(template)))]
            if alternatives:
                name = "c_" + re.sub(r"\W", "_", command.info.name)
                names.append(f"<{name}>")
                bodies.append(f"<{name}> = {' | '.join(alternatives)};")
        lead = self._text(parse("<lead>"))
        tail = self._text(parse("<tail>"))
        rules = [f"<{name}> = {body};" for name, body in self._needed.items()]
        bodies = [_as_said(body) for body in bodies]
        return "\n".join(
            ["#JSGF V1.0;", "grammar commands;", *rules, *bodies, f"<command> = {' | '.join(names)};",
             f"public <utterance> = [{lead}] <command> [{tail}];", ""]
        )  # fmt: skip

    def _text(self, expression: Expression) -> str:
        """JSGF of an expression; empty where it can match nothing that the dictionary can hear."""
        if isinstance(expression, TextChunk):
            return self._words(expression.text)
        if isinstance(expression, Alternative):
            options = [(item, self._text(item)) for item in expression.items]
            texts = list(dict.fromkeys(text for _, text in options if text))
            if not texts:
                return ""
            inner = " | ".join(texts)
            return f"[{inner}]" if expression.is_optional else f"({inner})"
        if isinstance(expression, Sequence):
            return self._sequence(expression)
        if isinstance(expression, RuleReference):
            return self._rule(expression.rule_name, self._grammar.rules)
        if isinstance(expression, ListReference):
            return self._slot(expression.list_name)
        raise TypeError(f"no JSGF for {type(expression).__name__}")

    def _sequence(self, expression: Sequence) -> str:
        parts = []
        for item in expression.items:
            text = self._text(item)
            if not text and not _blank(item):
                return ""
            parts.append(text)
        return " ".join(part for part in parts if part)

    def _words(self, text: str) -> str:
        out = []
        for word in text.split():
            spoken = _SPOKEN_AS.get(word, word)
            if not all(self._has_word(part) for part in re.findall(r"[a-z'.]+", spoken)):
                return ""
            out.append(spoken)
        return " ".join(out)

    def _rule(self, name: str, rules: Mapping[str, str], prefix: str = "r_") -> str:
        key = f"{prefix}{name}"
        if key not in self._needed:
            body = self._text(parse(rules[name]))
            if not body:
                return ""
            self._needed[key] = body
        return f"<{key}>"

    def _slot(self, kind: str) -> str:
        if kind in self._dynamic:
            key = f"s_{kind}"
            if key not in self._needed:
                texts = [text for words in self._dynamic[kind] if (text := self._words(words))]
                if not texts:
                    return ""
                self._needed[key] = " | ".join(texts)
            return f"<{key}>"
        return self._rule(kind, self._grammar.spoken, "s_") if kind in self._grammar.spoken else ""


def _as_said(body: str) -> str:
    for plain, said in _CONTRACTED.items():
        body = re.sub(rf"(?<![\w'.]){plain}(?![\w'.])", said, body)
    return body


def _blank(expression: Expression) -> bool:
    """Nothing to hear here, and nothing missing either: white space, or an optional part left out."""
    if isinstance(expression, TextChunk):
        return not expression.text.strip()
    if isinstance(expression, Alternative):
        return bool(expression.is_optional)
    return isinstance(expression, Sequence) and all(_blank(item) for item in expression.items)
