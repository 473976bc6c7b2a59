"""One grammar source: text matcher, recogniser and documentation agree."""

from __future__ import annotations

import random
import re
from pathlib import Path

from zero_one.commands import areas, docs, lexicon
from zero_one.commands.book import CommandBook

ROOT = Path(__file__).parents[3]


def test_the_documentation_is_current(book: CommandBook) -> None:
    assert (ROOT / "docs/commands.md").read_text(encoding="utf-8") == docs.page(book.list())


def test_every_command_can_be_run(book: CommandBook) -> None:
    assert {info.name for info in book.list()} == set(areas.HANDLERS)


def _rules(jsgf: str) -> dict[str, str]:
    return dict(re.findall(r"^(?:public )?<(\w+)> = (.*);$", jsgf, re.MULTILINE))


def _some(body: str, rules: dict[str, str], chance: random.Random) -> str:
    """One sentence of a JSGF expansion."""
    at = 0

    def alternatives(end: str) -> str:
        nonlocal at
        options, parts = [], []
        while True:
            if at >= len(body) or body[at] == end:
                options.append(" ".join(part for part in parts if part))
                at += 1
                return chance.choice(options)
            if body[at] == "|":
                options.append(" ".join(part for part in parts if part))
                parts = []
                at += 1
            elif body[at] in "([":
                closing = ")" if body[at] == "(" else "]"
                optional = body[at] == "["
                at += 1
                inner = alternatives(closing)
                parts.append("" if optional and chance.random() < 0.5 else inner)
            elif body[at] == "<":
                name = body[at + 1 : body.index(">", at)]
                at += len(name) + 2
                parts.append(_some(rules[name], rules, chance))
            elif body[at] == " ":
                at += 1
            else:
                word = re.match(r"[a-z'.]+", body[at:])
                assert word, body[at : at + 20]
                parts.append(word[0])
                at += len(word[0])

    return alternatives("\0")


def test_what_the_recogniser_can_hear_is_taken_for_its_command(book: CommandBook) -> None:
    """Sentences drawn from each command's JSGF rule match that command in text."""
    rules = _rules(book.jsgf())
    chance = random.Random(11)
    wrong = []
    for info in book.list():
        name = "c_" + re.sub(r"\W", "_", info.name)
        assert name in rules, f"the recogniser cannot hear {info.name}"
        for _ in range(6):
            said = _some(rules[name], rules, chance)
            match = book.match(said)
            if match is None or match.command != info.name:
                wrong.append((info.name, said, match and match.command))
    # Contradictions that the small grammar allows ("at half five in the afternoon tomorrow morning") are no commands.
    assert len(wrong) <= 0.06 * 6 * len(book.list()), wrong


def test_the_recogniser_knows_every_word(book: CommandBook) -> None:
    words = set(
        re.findall(r"(?<![\w<])[a-z][a-z'.]*", re.sub(r"<\w+>|^grammar.*|^public", "", book.jsgf(), flags=re.M))
    )
    assert {word for word in words if not lexicon.has_word(word)} == set()


def test_the_recognisers_grammar_stays_small(book: CommandBook) -> None:
    """The recogniser unfolds every mention of a rule; its speed goes with the number of words unfolded."""
    rules = _rules(book.jsgf())
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            body = rules[name]
            own = len(re.findall(r"[a-z'.]+", re.sub(r"<\w+>", "", body)))
            sizes[name] = own + sum(size(other) for other in re.findall(r"<(\w+)>", body))
        return sizes[name]

    words = size("utterance")

    print(f"the recogniser's grammar unfolds to {words} words")
    assert words < 6000
