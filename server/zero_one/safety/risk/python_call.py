"""One call in a Python program, with what the tables ask about it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths
from zero_one.safety.risk.fold import Unknown
from zero_one.safety.risk.model import Effect, Risk, destroys, fetches, opaque, sends
from zero_one.safety.risk.paths import COMPUTED

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth", re.I)


def environment_effects(key: str | None) -> list[Effect]:
    """A variable of the environment is read; keys and passwords live there too."""
    return [Effect("credential", key, Risk.SPEND_OR_SEND)] if key and _SECRET_NAME.search(key) else []


class Call:
    """One call with its arguments."""

    def __init__(self, reader: Reader, node: ast.Call, name: str) -> None:
        self.reader, self.node, self.name = reader, node, name

    def keyword(self, name: str) -> ast.expr | None:
        return next((k.value for k in self.node.keywords if k.arg == name), None)

    def value(self, index: int, *keywords: str) -> object:
        node = (
            self.node.args[index]
            if len(self.node.args) > index
            else next(filter(None, map(self.keyword, keywords)), None)
        )
        return self.reader.fold(node)

    def text(self, index: int, *keywords: str) -> str | None:
        try:
            value = self.value(index, *keywords)
        except Unknown:
            return None
        return (
            value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else None
        )

    def path(self, index: int = 0, *keywords: str) -> str:
        node = self.node.args[index] if len(self.node.args) > index else None
        node = node or next(filter(None, map(self.keyword, keywords)), None)
        return self.reader.sketch(node) or COMPUTED

    def number(self, index: int) -> int | None:
        try:
            value = self.value(index)
        except Unknown:
            return None
        return value if isinstance(value, int) else None

    def constants(self) -> dict[str, object]:
        out: dict[str, object] = {}
        for i, arg in enumerate(self.node.args):
            try:
                out[str(i)] = self.reader.fold(arg)
            except Unknown:
                out[str(i)] = None
        for keyword in self.node.keywords:
            try:
                out[keyword.arg or ""] = self.reader.fold(keyword.value)
            except Unknown:
                out[keyword.arg or ""] = None
        return out

    def words(self, first: list[str]) -> list[Effect]:
        """A command whose further words are the arguments of this call."""
        given = [self.text(i) for i in range(len(self.node.args))]
        return self._words([*first, *given])

    def words_from(self, index: int) -> list[Effect]:
        """A command whose words are the arguments from ``index`` on."""
        return self._words([self.text(i) for i in range(index, len(self.node.args))])

    def listed(self, program: str) -> list[Effect]:
        """A command whose further words are the list that this call is given."""
        try:
            value = self.value(0)
        except Unknown:
            value = None
        return self._words([program, *map(str, value)]) if isinstance(value, list) else [opaque(f"{program}, computed")]

    def _each(self) -> list[Call] | None:
        """This call with each thing that its first argument, a parameter of the function around it, is given."""
        first = self.node.args[0] if self.node.args else None
        given = self.reader.given(first)
        if given is None or self.name == "":
            return None
        rest = self.node.args[1:]
        calls = (ast.Call(self.node.func, [value, *rest], self.node.keywords) for value in given)
        known = [Call(self.reader, ast.copy_location(call, self.node), self.name) for call in calls]
        try:
            for call in known:
                call.value(0)
        except Unknown:
            return None
        return known

    def code(self, language: str, index: int = 0) -> list[Effect]:
        text = self.text(index, "source", "cmd", "command", "args", "object")
        each = self._each() if text is None and index == 0 else None
        if each is not None:
            return [effect for call in each for effect in call.code(language)]
        if text is None:
            return [opaque(f"{language} code that is computed")]
        return self.reader.nested(text, language)

    def typed(self) -> list[Effect]:
        """Keys that go to whatever has the focus."""
        from zero_one.safety.risk.hands import classify_hand

        text = self.text(0, "message", "text", "s", "write")
        given = [] if text is None else [text]
        return [classify_hand("keyboard.type", {str(i): t for i, t in enumerate(given)})]

    def opening(self, name: str) -> list[Effect]:
        target = self.path(0, "file", "filename", "name", "path")
        if name == "os.open":
            return (
                [paths.emptying(target) if "O_TRUNC" in ast.dump(self.node) else paths.writing(target)]
                if re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", ast.dump(self.node))
                else [paths.reading(target)]
            )
        mode_at = 1
        has_mode = len(self.node.args) > mode_at or self.keyword("mode") is not None
        mode = self.text(mode_at, "mode") if has_mode else "r"
        if mode is not None and not re.search(r"[wax+]", mode):
            return [paths.reading(target)]
        return [paths.writing(target)]

    def process(self) -> list[Effect]:
        """subprocess and exec: a list of words, or a shell string."""
        try:
            value = self.value(0, "args", "cmd", "command")
        except Unknown:
            each = self._each()
            return [e for call in each for e in call.process()] if each is not None else self._process_words()
        if isinstance(value, str):
            shell = self.keyword("shell")
            if shell is None or (isinstance(shell, ast.Constant) and not shell.value):
                more = (
                    [self.text(i) or "" for i in range(1, len(self.node.args))]
                    if self.name.startswith("os.") or "create_subprocess" in self.name
                    else []
                )
                return self._words([value, *more] if more else value.split() or [value])
            return self.reader.nested(value, "shell")
        if isinstance(value, list) and value:
            first, rest = value[0], value[1:]
            if self.name.startswith("os.exec") and not isinstance(first, str):
                return [opaque("a command that is computed")]
            return self._words([str(first), *map(str, rest)])
        return [opaque("a command that is computed")]

    def _process_words(self) -> list[Effect]:
        node = self.node.args[0] if self.node.args else self.keyword("args")
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            words: list[str | None] = []
            for item in node.elts:
                try:
                    words.append(str(self.reader.fold(item)))
                except Unknown:
                    words.append(None)
            if words[0] is not None:
                return self._words(words)
        return [opaque("a command that is computed")]

    def _words(self, words: list[str] | list[str | None]) -> list[Effect]:
        from zero_one.safety.risk.shell import UNKNOWN
        from zero_one.safety.risk.shell import Reader as ShellReader
        from zero_one.safety.risk.words import Word

        inner = ShellReader(self.reader.classify, self.reader.depth + 1)
        given, piped = self.keyword("input"), self.keyword("stdin")
        if piped is not None and (self.reader.resolve(piped) or "").endswith(("PIPE", "()")):
            self.reader.feeds = True  # `communicate` may feed an interpreter
        stdin: str | None = None
        if given is not None:
            try:
                folded = self.reader.fold(given)
                stdin = folded.decode("utf-8", "replace") if isinstance(folded, bytes) else str(folded)
            except Unknown:
                stdin = UNKNOWN
        inner.run([Word("$COMPUTED", False, True) if w is None else Word(w, True, True) for w in words], stdin)
        return inner.effects

    def fetching(self) -> list[Effect]:
        where = self.text(0, "url")
        body = self.keyword("data") or self.keyword("json") or self.keyword("files")
        if self.name.startswith("urllib") and len(self.node.args) > 1 and not self.name.endswith("retrieve"):
            body = self.node.args[1]
        if body is not None and not (isinstance(body, ast.Constant) and body.value is None):
            return [sends(where or "an address")]
        method = (self.text(9, "method") or "GET").upper()
        if method == "DELETE":
            return [destroys("send", f"a delete request to {where or 'an address'}")]
        if method not in ("GET", "HEAD", "OPTIONS"):
            return [sends(where or "an address")]
        computed = where is None
        for keyword in self.node.keywords:
            if keyword.arg in ("params", "headers", "cookies", "auth"):
                try:
                    self.reader.fold(keyword.value)
                except Unknown:
                    computed = (
                        computed
                        or not isinstance(keyword.value, ast.Dict)
                        or not _constant_dict(self.reader, keyword.value)
                    )
        if computed:
            self.reader.fetches_computed.append(where or "a computed address")
        return [fetches(where or "a computed address")]


def _constant_dict(reader: Reader, node: ast.Dict) -> bool:
    try:
        for value in node.values:
            reader.fold(value)
    except Unknown:
        return False
    return True
