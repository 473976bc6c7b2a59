"""YAML that remembers on which line everything stood. Only plain data: tags are refused, nothing is constructed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from zero_one.config.problems import ConfigError, Key, Problem, fail

MAX_BYTES = 300_000
MAX_NODES = 5_000
MAX_DEPTH = 40
MAX_BRACKETS = 1_000
"""The scanner's time grows with the square of brackets left open; no profile has use for this many."""


@dataclass(slots=True)
class Located:
    """Plain data, and for every path in it its line (from 1) and, for scalars, the text as it was written."""

    file: str
    data: dict[str, Any] = field(default_factory=dict)
    lines: dict[Key, int] = field(default_factory=dict)
    raw: dict[Key, str] = field(default_factory=dict)

    def where(self, path: Key) -> str:
        """``file:line`` of the nearest thing that stands in the file."""
        while path and path not in self.lines:
            path = path[:-1]
        return f"{self.file}:{self.lines.get(path, 1)}"


def read_text(path: Path) -> str:
    """The text of a small configuration file. Raises ConfigError that says why it cannot be used."""
    try:
        if not path.is_file():
            raise fail(str(path), "there is no such file.")
        with path.open("rb") as file:
            blob = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise fail(str(path), f"it cannot be read: {error.strerror or error}.") from error
    if len(blob) > MAX_BYTES:
        raise fail(str(path), f"it is larger than {MAX_BYTES // 1000} kB; that is no profile.")
    try:
        text = blob.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = blob.count(b"\n", 0, error.start) + 1
        raise fail(f"{path}:{line}", "it is not UTF-8 text. Save it as UTF-8 and try again.") from error
    if "\0" in text:
        raise fail(
            f"{path}:{text.count(chr(10), 0, text.index(chr(0))) + 1}", "it holds a NUL byte; that is no text file."
        )
    return text


def load(path: Path, *, plain_text: Callable[[Key], bool] = lambda path: False) -> Located:
    """Read a YAML mapping. ``plain_text`` names the paths whose scalars stay as written, so that ``language: no`` is
    Norwegian and ``api_version: 2024-06-01`` is no date. Raises ConfigError."""
    return parse(read_text(path), str(path), plain_text=plain_text)


def parse(text: str, file: str, *, plain_text: Callable[[Key], bool] = lambda path: False) -> Located:
    if text.count("[") + text.count("{") > MAX_BRACKETS:
        raise fail(file, "there are far too many brackets in it; that is no profile.")
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        detail = error.problem or error.context or "it cannot be read"
        unclosed = re.search("end of stream|stream end", detail) and (error.context_mark or error.problem_mark)
        mark = unclosed or error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        if unclosed:
            detail = "a quote or bracket opens here and is never closed"
        if "another document" in detail:
            detail = "a second document begins here (`---`), and a profile is one"
        hint = " Indent with spaces, not tabs." if "\\t" in detail else ""
        raise fail(f"{file}:{line}", f"this is not valid YAML: {detail}.{hint}") from error
    except yaml.YAMLError as error:
        position = getattr(error, "position", 0)
        raise fail(
            f"{file}:{text.count(chr(10), 0, position) + 1}", f"this is not valid YAML: {error}".splitlines()[0]
        ) from error
    except RecursionError as error:
        raise fail(file, "it is nested too deeply; that is no profile.") from error
    located = Located(file)
    if node is None:
        return located
    if not isinstance(node, yaml.MappingNode):
        raise fail(f"{file}:{node.start_mark.line + 1}", "a profile is a list of `name: value` lines.")
    located.data = _Reader(located, plain_text).mapping(node, ())
    return located


class _Reader:
    def __init__(self, located: Located, plain_text: Callable[[Key], bool]) -> None:
        self._located = located
        self._plain_text = plain_text
        self._left = MAX_NODES
        self._loader = yaml.SafeLoader("")

    def mapping(self, node: yaml.MappingNode, path: Key) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._fail(line, "a name must be plain text.")
            key = str(key_node.value)
            if key == "<<":
                raise self._fail(
                    line, "merge keys (`<<`) are not used in profiles; `extends: NAME` builds on another profile."
                )
            here = (*path, key)
            if key in found:
                raise self._fail(
                    line, f"`{key}` stands here for the second time; first on line {self._located.lines[here]}."
                )
            self._located.lines[here] = line
            found[key] = self.value(value_node, here)
        return found

    def value(self, node: yaml.Node, path: Key) -> Any:
        self._left -= 1
        line = node.start_mark.line + 1
        if self._left < 0 or len(path) > MAX_DEPTH:
            raise self._fail(line, "there is far too much here for a profile.")
        if not node.tag.startswith("tag:yaml.org,2002:") or ":python/" in node.tag:
            raise self._fail(
                line, f"`{node.tag}` is a tag; profiles hold plain values only, nothing in them is executed."
            )
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            for index, item in enumerate(node.value):
                self._located.lines[*path, str(index)] = item.start_mark.line + 1
            return [self.value(item, (*path, str(index))) for index, item in enumerate(node.value)]
        self._located.raw[path] = str(node.value)
        bare = node.tag.rsplit(":", 1)[-1]
        if bare not in {"str", "null"} and self._plain_text(path):
            return str(node.value)
        if bare not in {"str", "null", "bool", "int", "float", "timestamp"}:
            raise self._fail(line, f"a value of the kind `{bare}` is not used in profiles.")
        try:
            value = self._loader.construct_object(node, deep=True)
        except (ValueError, yaml.YAMLError) as error:
            raise self._fail(line, f"this value cannot be read: {str(error).splitlines()[0]}.") from error
        return str(node.value) if bare == "timestamp" else value

    def _fail(self, line: int, text: str) -> ConfigError:
        return ConfigError([Problem(f"{self._located.file}:{line}", "", text)])
