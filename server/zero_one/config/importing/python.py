"""Read a Python profile by its syntax tree. Not one line of it is executed, imported or evaluated.

Only what can be known without running it counts: constants, strings put together from constants, and look-ups in the
environment, which become references. Everything else is listed with its line.
"""

from __future__ import annotations

import ast
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from zero_one.config.importing.found import Found, Left, Reading
from zero_one.config.problems import SECRET, fail
from zero_one.config.profiles import Reference

MAX_TEXT = 200_000
_MAKERS = frozenset({"OpenInterpreter", "AsyncInterpreter", "Interpreter"})
_CALLS = {
    "llm.load": "models are loaded when they are needed",
    "llm.run": "a profile runs nothing here",
    "display_message": "a profile shows no messages here",
    "computer.run": "code in a profile is never executed; ask for it aloud",
    "computer.terminate": "a profile runs nothing here",
    "computer.vision.load": "models are loaded when they are needed",
    "computer.ai.chat": "a profile runs nothing here",
    "chat": "a profile runs nothing here",
    "local_setup": "choose a local model with `model.name`, for example ollama/llama3.2",
}
_METHODS: dict[str, Callable[..., Any]] = {
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
    "lower": str.lower,
    "upper": str.upper,
}


class Unknown(Exception):
    """A value that only running the profile would tell. The text says why."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """``interpreter.llm.model``, seen from the interpreter object: ``("llm", "model")``; itself is ``()``."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.names)


def read(text: str, file: str) -> Reading:
    """Everything that the profile sets on its interpreter object. Raises ConfigError where it is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        raise fail(f"{file}:{error.lineno or 1}", f"this is not valid Python: {error.msg}.") from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise fail(file, "this is nested too deeply to be a profile.") from error
    reader = _Reader()
    try:
        reader.body(tree.body)
    except RecursionError as error:
        raise fail(file, "this is nested too deeply to be a profile.") from error
    return reader.reading


class _Reader:
    def __init__(self) -> None:
        self.reading = Reading()
        self._names: dict[str, Any] = {"interpreter": _Chain(())}
        self._modules: dict[str, str] = {}
        self._settings: dict[str, Any] = {}

    def body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _left(self, node: ast.AST, what: str, why: str) -> None:
        self.reading.left.append(Left(getattr(node, "lineno", 1), what, why))

    # --- statements ------------------------------------------------------------------------------------------------

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._assign(target, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign(node.target, node.value)
        elif isinstance(node, ast.AugAssign):
            self._augment(node)
        elif isinstance(node, ast.Expr):
            self._expression(node.value)
        elif isinstance(node, ast.Pass):
            pass
        else:
            self._compound(node)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        module = node.module if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            name = alias.asname or alias.name
            if module and module.split(".")[0] == "interpreter":
                if alias.name == "interpreter":
                    self._names[name] = _Chain(())
                else:
                    self._modules[name] = alias.name
            elif module in {"os", "textwrap"}:
                self._modules[name] = f"{module}.{alias.name}"
            elif module is None and alias.name in {"os", "textwrap", "interpreter"}:
                self._modules[name] = alias.name
                if alias.name == "interpreter":
                    self._names.pop(name, None)
            else:
                source = f"from {module} import {alias.name}" if module else f"import {alias.name}"
                self._left(node, source, "nothing is imported; settings are plain values")

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
                for one, part in zip(target.elts, value.elts, strict=True):
                    self._assign(one, part)
            else:
                self._left(target, ast.unparse(target)[:60], "what it is set to is only known when it runs")
            return
        if isinstance(target, ast.Name):
            self._bind(target.id, value)
            return
        chain = self._chain(target)
        if chain is None:
            environ = isinstance(target, ast.Subscript) and self._qualified(target.value) == "os.environ"
            why = "put it into a .env file" if environ else "it does not set anything of the interpreter"
            self._left(target, f"{ast.unparse(target)[:60]} = ...", why)
            return
        self._set(chain, value, target)

    def _bind(self, name: str, value: ast.expr) -> None:
        """A name of the profile's own: a constant, another name for a part of the interpreter, or a new interpreter."""
        if isinstance(value, ast.Call) and self._is_maker(value.func):
            self._names[name] = _Chain(())
            for keyword in value.keywords:
                if keyword.arg is None:
                    self._left(value, "**...", "what it holds is only known when it runs")
                else:
                    self._set(_Chain((keyword.arg,)), keyword.value, keyword.value)
            return
        chain = self._chain(value)
        if chain is not None and str(chain) not in self._settings:
            self._names[name] = chain
            return
        try:
            self._names[name] = self._value(value)
        except Unknown:
            self._names[name] = Unknown(f"`{name}` is only known when it runs")
            if isinstance(value, ast.Call):
                self._expression(value)

    def _set(self, chain: _Chain, value: ast.expr, node: ast.AST) -> None:
        name = str(chain)
        self.reading.touched = True
        try:
            found = self._value(value)
        except Unknown as unknown:
            self._settings.pop(name, None)
            said = "..." if chain.names[-1:] and chain.names[-1] in SECRET else ast.unparse(value)[:60]
            self._left(node, f"{name} = {said}", str(unknown))
            return
        self._settings[name] = found
        self.reading.found.append(Found(name, found, getattr(node, "lineno", 1)))

    def _augment(self, node: ast.AugAssign) -> None:
        what = ast.unparse(node)[:70]
        chain = self._chain(node.target)
        key = str(chain) if chain else node.target.id if isinstance(node.target, ast.Name) else ""
        before = self._settings.get(key) if chain else self._names.get(key)
        try:
            added = self._value(node.value)
        except Unknown as unknown:
            self._left(node, what, str(unknown))
            return
        if not isinstance(node.op, ast.Add) or not isinstance(added, str) or not isinstance(before, str | None):
            self._left(node, what, "only texts are put together")
            return
        if before is None and not (chain and key == "custom_instructions"):
            self._left(node, what, "it adds to a text that is not in this file")
            return
        joined = self._bounded((before or "") + added)
        if chain:
            self._settings[key] = joined
            self.reading.found.append(Found(key, joined, node.lineno))
        else:
            self._names[key] = joined

    def _expression(self, value: ast.expr) -> None:
        if isinstance(value, ast.Constant):
            return
        what = ast.unparse(value)[:70]
        if isinstance(value, ast.Call):
            function = value.func
            if isinstance(function, ast.Name) and function.id == "setattr" and len(value.args) == 3:
                owner, name = self._chain(value.args[0]), value.args[1]
                if owner is not None and isinstance(name, ast.Constant) and isinstance(name.value, str):
                    self._set(_Chain((*owner.names, *name.value.split("."))), value.args[2], value)
                    return
            chain = self._chain(function)
            if chain is not None:
                self.reading.touched = True
                self._left(value, what, _CALLS.get(str(chain), "a profile calls nothing here"))
                return
        self._left(value, what, "code in a profile is never executed")

    def _compound(self, node: ast.stmt) -> None:
        """Conditions, loops, functions: what they would do is not known. Settings inside are named one by one."""
        kinds: dict[type[ast.stmt], str] = {
            ast.If: "if",
            ast.For: "for",
            ast.While: "while",
            ast.Try: "try",
            ast.With: "with",
        }
        word = kinds.get(type(node), type(node).__name__.removesuffix("Def").lower())
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        title = getattr(node, "name", "") if named else ""
        self._left(node, f"{word} {title}".strip() + " ...", "code in a profile is never executed")
        for inner in ast.walk(node):
            if isinstance(inner, ast.Assign | ast.AnnAssign | ast.AugAssign):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                for target in targets:
                    if (chain := self._chain(target)) is not None and chain.names:
                        self.reading.touched = True
                        self._left(inner, f"{chain} = ...", f"whether it is set depends on the `{word}` around it")
                        self._settings.pop(str(chain), None)
                    elif isinstance(target, ast.Name) and not named:
                        self._names[target.id] = Unknown(f"`{target.id}` is only known when it runs")

    # --- values ----------------------------------------------------------------------------------------------------

    def _is_maker(self, function: ast.expr) -> bool:
        name = (
            function.attr
            if isinstance(function, ast.Attribute)
            else function.id
            if isinstance(function, ast.Name)
            else ""
        )
        return self._modules.get(name, name) in _MAKERS

    def _chain(self, node: ast.expr) -> _Chain | None:
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        root = self._names.get(node.id)
        if self._modules.get(node.id) == "interpreter" and names and names[-1] == "interpreter":
            names.pop()
            root = _Chain(())
        return _Chain((*root.names, *reversed(names))) if isinstance(root, _Chain) else None

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str | int | float | bool | None):
                return node.value
            raise Unknown("this kind of value is not used in profiles")
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.JoinedStr):
            return self._joined(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self._value(node.left), self._value(node.right)
            if isinstance(left, str) and isinstance(right, str):
                return self._bounded(left + right)
            raise Unknown("only texts are put together")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self._value(node.operand)
            if isinstance(number, int | float):
                return -number
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and len(node.values) == 2:
            first = self._value(node.values[0])
            if isinstance(first, Reference) and first.otherwise is None:
                otherwise = self._value(node.values[1])
                if isinstance(otherwise, str | None):
                    return Reference(first.name, otherwise)
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            return [self._value(part) for part in node.elts]
        if isinstance(node, ast.Dict) and None not in node.keys:
            return {
                str(self._value(key)): self._value(value)
                for key, value in zip(node.keys, node.values, strict=True)
                if key
            }
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript) and self._qualified(node.value) == "os.environ":
            return Reference(self._text(node.slice))
        if isinstance(node, ast.Attribute):
            chain = self._chain(node)
            if chain is not None and str(chain) in self._settings:
                return self._settings[str(chain)]
        raise Unknown("what it is set to is only known when it runs")

    def _name(self, name: str) -> Any:
        if name not in self._names or isinstance(self._names[name], _Chain):
            raise Unknown(f"`{name}` is only known when it runs")
        value = self._names[name]
        if isinstance(value, Unknown):
            raise value
        return value

    def _joined(self, node: ast.JoinedStr) -> str:
        parts: list[str] = []
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            if isinstance(part, ast.FormattedValue) and (part.format_spec is not None or part.conversion != -1):
                raise Unknown("its formatting is only known when it runs")
            value = self._value(inner)
            if isinstance(value, Reference | list | dict):
                raise Unknown("only texts are put together")
            parts.append(str(value))
        return self._bounded("".join(parts))

    def _call(self, node: ast.Call) -> Any:
        name = self._qualified(node.func)
        if name in {"os.getenv", "os.environ.get"} and 1 <= len(node.args) <= 2 and not node.keywords:
            otherwise = self._value(node.args[1]) if len(node.args) == 2 else None
            if not isinstance(otherwise, str | None):
                raise Unknown("the default of an environment variable must be text")
            return Reference(self._text(node.args[0]), otherwise)
        if name == "textwrap.dedent" and len(node.args) == 1:
            return textwrap.dedent(self._text(node.args[0]))
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS and not node.args and not node.keywords:
            value = self._value(node.func.value)
            if isinstance(value, str):
                return _METHODS[node.func.attr](value)
        raise Unknown("what it is set to is only known when it runs")

    def _text(self, node: ast.expr) -> str:
        value = self._value(node)
        if not isinstance(value, str):
            raise Unknown("a text is expected here")
        return value

    def _qualified(self, node: ast.expr) -> str:
        names: list[str] = []
        while isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        root = self._modules.get(node.id, "") if isinstance(node, ast.Name) else ""
        return ".".join([root, *reversed(names)])

    @staticmethod
    def _bounded(text: str) -> str:
        if len(text) > MAX_TEXT:
            raise Unknown("it grows too long for a profile")
        return text
