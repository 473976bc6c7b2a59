"""What the words of a shell program stand for: quotes, variables, substitutions, braces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self

from tree_sitter import Node

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, opaque
from zero_one.safety.risk.words import Word, ansi, text_of

Classify = Callable[[str, str, int], list[Effect]]
"""``(code, language, depth) -> effects`` of code in another language, or of this one, one level deeper."""

LONGEST = 40_000
_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
_KNOWN = {"HOME": "~", "PWD": ".", "OLDPWD": "..", "USER": "$USER", "TMPDIR": "/tmp", "IFS": " ", "SHELL": "bash"}


@dataclass
class Words:
    """What is known of a program's names where a word stands."""

    classify: Classify
    depth: int = 0
    variables: dict[str, Word] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, Node] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    source: str = ""
    folder: str | None = ""
    """Where relative paths are counted from: "" where the program starts, None when that cannot be known."""

    def inside(self) -> Self:
        """A reader of code that stands inside this one and knows what is known here."""
        return type(self)(self.classify, self.depth + 1, dict(self.variables), dict(self.aliases), dict(self.functions))

    def statement(self, node: Node, stdin: str | None) -> str | None:
        """Read a statement; ``stdin`` is the literal text piped into it, the result the literal text it prints."""
        raise NotImplementedError

    def word(self, node: Node) -> Word:
        kind, text = node.type, text_of(node)
        if kind in ("word", "number", "variable_name", "extglob_pattern", "regex", "test_operator"):
            plain = re.sub(r"\\(.)", r"\1", text, flags=re.S)
            return Word(plain, not re.search(r"(?<!\\)[*?\[]", text) or not _looks_like_program(text))
        if kind == "raw_string":
            return Word(text[1:-1], True, True)
        if kind == "ansi_c_string":
            return Word(ansi(text[2:-1]), True, True)
        if kind == "string":
            return self._string(node)
        if kind in ("simple_expansion", "expansion"):
            return self._expansion(node)
        if kind in ("command_substitution", "process_substitution"):
            inner = self.inside()
            inner.source = self.source
            out: str | None = None
            for child in node.named_children:
                out = inner.statement(child, None)
            self.effects += paths.below(self.folder, inner.effects)
            return Word(out.strip("\n"), True) if out is not None else Word(text, False)
        if kind == "concatenation":
            parts = self._parts(node.children)
            return Word("".join(p.text for p in parts), all(p.sure for p in parts), any(p.quoted for p in parts))
        if kind == "arithmetic_expansion":
            for child in node.named_children:
                self.word(child)  # what is computed may run something
            return Word(text, False, True)
        if node.named_child_count:
            parts = [self.word(c) for c in node.named_children]
            return Word(text, all(p.sure for p in parts))
        return Word(text)

    def _parts(self, nodes: Sequence[Node]) -> list[Word]:
        """The words of a word, as long as they do not grow without measure."""
        out: list[Word] = []
        size = 0
        for node in nodes:
            out.append(self.word(node))
            size += len(out[-1].text)
            if size > LONGEST:
                return [*out, Word("", False)]
        return out

    def _string(self, node: Node) -> Word:
        out: list[str] = []
        sure, size = True, 0
        for child in node.children:
            if child.type == '"':
                continue
            size += len(out[-1]) if out else 0
            if size > LONGEST:
                return Word("".join(out), False, True)
            if child.type == "string_content":
                out.append(re.sub(r'\\([$`"\\\n])', r"\1", text_of(child)))
                continue
            word = self.word(child)
            out.append(word.text)
            sure = sure and word.sure
        inner = text_of(node)[1:-1]
        return Word("".join(out) if out else inner, sure, True)

    def _expansion(self, node: Node) -> Word:
        text = text_of(node)
        for child in node.named_children:
            if child.type not in ("variable_name", "special_variable_name"):
                self.word(child)
        name = re.match(r"\$\{?(\w+)", text)
        if text.endswith("@P}"):
            self.effects.append(opaque(f"text that is expanded as a prompt ({text})"))
        plain = re.fullmatch(r"\$(\w+)|\$\{(\w+)\}", text)
        if name and name[1] in _KNOWN and plain:
            return Word(_KNOWN[name[1]], True)
        if plain and name and name[1] in self.variables:
            return self.variables[name[1]]
        if name and _SECRET_VARIABLE.search(name[1]) and name[1] not in self.variables:
            self.effects.append(Effect("credential", f"${name[1]}", Risk.SPEND_OR_SEND))
        default = re.fullmatch(r"\$\{(\w+):?[-=]([^{}$`]*)\}", text)
        if default and default[1] not in self.variables:
            return Word(default[2], False)
        return Word(text, False)


def _looks_like_program(text: str) -> bool:
    """A glob such as /bin/r? may name any program; a glob of files stays what it is."""
    return bool(re.match(r"(/usr)?/s?bin/", text))
