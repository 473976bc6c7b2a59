"""Python names: what they were imported or assigned from, and what texts stand for."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

from zero_one.safety.risk.fold import Unknown, fold, sketch
from zero_one.safety.risk.model import Effect, changes, opaque
from zero_one.safety.risk.python_loops import grown, steady
from zero_one.safety.risk.python_methods import SENT_ALONG
from zero_one.safety.risk.python_names import POWERFUL, REMOTE, looks
from zero_one.safety.risk.python_sites import Function, Sites
from zero_one.safety.risk.steering import steers

Classify = Callable[[str, str, int], list[Effect]]


class Names(ast.NodeVisitor):
    """The names of one program, as they are met."""

    def __init__(self, tree: ast.AST, classify: Classify, depth: int) -> None:
        self.classify, self.depth = classify, depth
        nodes = list(ast.walk(tree))
        self.effects: list[Effect] = []
        self.aliases: dict[str, str] = {}
        self.stars: list[str] = []
        self.known: dict[str, Any] = {}
        self.sketches: dict[str, str] = {}
        self.defined: set[str] = set()
        self.lists_processes = any(isinstance(n, ast.Attribute) and n.attr in ("process_iter", "pids") for n in nodes)
        self.loops = self.choices = self.endless = 0
        self.feeds = False
        self.datagrams = any(isinstance(n, ast.Attribute) and n.attr == "SOCK_DGRAM" for n in nodes)
        told = {n.attr for n in nodes if isinstance(n, ast.Attribute)}
        self.only_connects = not told & {
            "send",
            "sendall",
            "sendto",
            "sendfile",
            "makefile",
            "fileno",
            "write",
            "dup",
            "detach",
        }
        connected = [c for c in nodes if isinstance(c, ast.Call) and ast.unparse(c.func).endswith("connect")]
        self.in_memory = bool(connected) and all(
            c.args and isinstance(c.args[0], ast.Constant) and c.args[0].value == ":memory:" for c in connected
        )
        self.local_data = False
        self.generates = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in nodes)
        self.fetches_computed: list[str] = []
        self._called: set[int] = set()
        self._inner: set[int] = set()
        """Attributes of which another attribute is taken: they are not handed on."""
        self.names_modes = any(isinstance(n, ast.Constant) and _is_writing_mode(n.value) for n in nodes)
        self.holds_functions = any(_holds_functions(n) for n in nodes)
        self.own: set[str] = {"self", "cls"}
        """Names that hold objects of classes that this program defines: what their methods do is read there."""
        self.tables: set[str] = set()
        """Names that hold a table which stands in this program, so that all that is in it is read."""
        self.unknown: set[str] = set()
        """Packages of which nothing is known: importing one runs code that nobody here has seen."""
        self.moves = self.encrypts = False
        self.sites = Sites(tree)
        self.steady, self.grown = steady(tree), grown(tree)
        """Tables that are written out and stay as they are."""
        self.inside: list[Function] = []
        self._bindings = _count_bindings(tree)
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.defined.add(node.name)

    def visit_Import(self, node: ast.Import) -> None:
        for item in node.names:
            self.aliases[item.asname or item.name.split(".")[0]] = item.name if item.asname else item.name.split(".")[0]
            self._use_module(item.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self._use_module(module)
        for item in node.names:
            if item.name == "*":
                self.stars.append(module)
            elif module == "plumbum.cmd":
                self.effects += self.nested(f"{item.name} $COMPUTED", "shell")
            else:
                self.aliases[item.asname or item.name] = f"{module}.{item.name}"

    def _use_module(self, module: str) -> None:
        from zero_one.safety.risk.python_modules import module_effects, unknown_package

        package = unknown_package(module)
        if package is not None:
            self.unknown.add(package)
        else:
            self.effects += module_effects(module)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name) and self._bindings[target.id] == 1 and self._is_listed(node.value):
                self._called.add(id(node.value))  # another name for it, which is followed wherever it is used
            self._bind(target, node.value)
            self._store(target, node.value)
        self.visit(node.value)

    def _is_listed(self, node: ast.expr) -> bool:
        from zero_one.safety.risk.python_modules import is_listed

        return is_listed(self.resolve(node) or "")

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, node.value)
            self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._bind(node.target, node.value)
        self.visit(node.value)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            for one, other in zip(target.elts, value.elts, strict=False):
                self._bind(one, other)
            return
        if not isinstance(target, ast.Name):
            return
        origin = self.resolve(value)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.defined:
            self.own.add(target.id)
        if isinstance(value, ast.Dict | ast.List | ast.Tuple):
            self.tables.add(target.id)
        if origin is not None:
            self.aliases[target.id] = origin
        text = self.sketch(value)
        if text is not None:
            self.sketches[target.id] = text
        if self._bindings[target.id] == 1:
            try:
                self.known[target.id] = self.fold(value)
            except Unknown:
                self.known.pop(target.id, None)

    def _store(self, target: ast.expr, value: ast.expr) -> None:
        """``os.environ[...] = …`` and replaced functions (``os.listdir = os.remove``)."""
        base = target.value if isinstance(target, ast.Subscript | ast.Attribute) else None
        if isinstance(base, ast.Attribute) and base.attr in SENT_ALONG:
            self.sent_along(value)
        name = self.resolve(base) if base is not None else None
        if (
            name == "os.environ"
            and isinstance(target, ast.Subscript)
            and _steers(self.text(target.slice), self.sketch(value))
        ):
            self.effects.append(opaque(f"which programs run ({self.text(target.slice)})"))
        elif name == "os.environ":
            self.effects.append(changes("process", "environment variables", undoable=True))
        elif (
            name is not None
            and isinstance(target, ast.Attribute)
            and name.split(".")[0] in ("os", "sys", "builtins", "subprocess")
        ) and self.resolve(value) is not None:
            self.effects.append(opaque(f"replaces {name}.{target.attr}"))

    def sent_along(self, value: ast.expr | None) -> None:
        """A header or cookie of a session: a computed one can carry something out with each fetch."""
        try:
            self.fold(value)
        except Unknown:
            self.fetches_computed.append("a computed header")

    def nested(self, code: str, language: str) -> list[Effect]:
        return self.classify(code, language, self.depth + 1)

    def resolve(self, node: ast.expr | None) -> str | None:
        """The full dotted name that an expression stands for: ``os.remove`` for ``getattr(o, "rem" + "ove")``."""
        match node:
            case ast.Name(id=name):
                if name in self.aliases:
                    return self.aliases[name]
                if name in self.defined or self._bindings[name]:
                    return None
                return self._star(name) or name
            case ast.Attribute(value=value, attr=attr):
                base = self.resolve(value)
                base = "builtins" if base == "__builtins__" else base
                if base and "(" not in base and attr.lstrip("_") in POWERFUL and base.split(".")[0] != "computer":
                    return attr.lstrip("_")  # `random._os`, `os.path.os`: a module through another one
                return f"{base}.{attr}" if base else None
            case ast.Call(func=func, args=args):
                called = self.resolve(func)
                if (
                    called in ("__import__", "builtins.__import__", "importlib.import_module", "importlib.__import__")
                    and args
                ):
                    return self.text(args[0])
                if called in ("getattr", "builtins.getattr") and len(args) >= 2:
                    owner, named = self.resolve(args[0]), self.text(args[1])
                    owner = "builtins" if owner == "__builtins__" else owner
                    return f"{owner}.{named}" if owner and named else None
                if called in ("eval", "builtins.eval") and args and (code := self.text(args[0])) is not None:
                    return self._evaluated(code)
                if called in ("functools.partial", "staticmethod", "functools.wraps") and args:
                    return self.resolve(args[0])
                return f"{called}()" if called else None
            case ast.Subscript(value=value, slice=index):
                return self._resolve_subscript(value, index)
            case ast.Await(value=value):
                return self.resolve(value)
        return None

    def _evaluated(self, code: str) -> str | None:
        """``eval("__import__('shutil')")`` stands for what its text stands for."""
        try:
            inner = ast.parse(code.strip(), mode="eval").body
        except (SyntaxError, ValueError):
            return None
        return None if isinstance(inner, ast.Call) and "eval" in ast.dump(inner.func) else self.resolve(inner)

    def _resolve_subscript(self, value: ast.expr, index: ast.expr) -> str | None:
        base, key = self.resolve(value), self.text(index)
        if base and base.split(".")[0].split("(")[0] in REMOTE | {"wmi"}:
            return base  # `client["shop"]` is still of that service
        if isinstance(value, ast.Call):
            inner = self.resolve(value.func)
            if inner in ("vars", "builtins.vars") and value.args and key:
                return f"{self.resolve(value.args[0])}.{key}"
            if inner in ("globals", "locals", "vars") and key:
                return self.aliases.get(key, key)
        if base and key and base.endswith((".__dict__", "sys.modules", "__builtins__")):
            return (
                key
                if base.endswith(("sys.modules", "__builtins__"))
                else f"{base[:-9]}.{key}".removeprefix("__builtins__.")
            )
        return None

    def _star(self, name: str) -> str | None:
        from zero_one.safety.risk.python_modules import is_listed

        return next((f"{m}.{name}" for m in self.stars if is_listed(f"{m}.{name}")), None)

    def fold(self, node: ast.expr | None) -> Any:
        return fold(self._rename(node), self.known)

    def _rename(self, node: ast.expr | None) -> ast.expr | None:
        """Fold knows functions by their full names, so aliases are written out first."""
        if node is None or not self.aliases:
            return node
        aliases = self.aliases

        class Renamer(ast.NodeTransformer):
            def visit_Name(self, name: ast.Name) -> ast.expr:
                full = aliases.get(name.id)
                return ast.parse(full, mode="eval").body if full and re.fullmatch(r"[\w.]+", full) else name

        names = (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        if not any(name in aliases and name not in self.known for name in names):
            return node
        import copy

        try:
            return Renamer().visit(copy.deepcopy(node))  # type: ignore[no-any-return]
        except SyntaxError:
            return node

    def sketch(self, node: ast.expr | None) -> str | None:
        """What is known of a text; see ``fold.sketch``."""
        return sketch(self._rename(node), self.known, self.sketches)

    def sketch_of(self, call: ast.Call) -> str | None:
        return self.sketch(call.args[0]) if call.args else None

    def bound_times(self, name: str) -> int:
        """How often assignments bind a name; loops and parameters count as often."""
        return self._bindings[name]

    def text(self, node: ast.expr | None) -> str | None:
        try:
            value = self.fold(node)
        except Unknown:
            return None
        return value if isinstance(value, str) else None


def _is_writing_mode(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[rbt]*[wax+][rbt+]*", value) is not None


def _holds_functions(node: ast.AST) -> bool:
    """``vars(…)``, ``….__dict__``, ``inspect.getmembers(…)``: all that a module holds, to pick from."""
    if isinstance(node, ast.Call):
        named = ast.unparse(node.func)
        return bool(node.args) and (named in ("vars", "builtins.vars") or named.endswith("getmembers"))
    return isinstance(node, ast.Attribute) and node.attr == "__dict__"


def _count_bindings(tree: ast.AST) -> Counter[str]:
    """How often each name is bound. A name bound once has one value; loops and parameters bind an unknown number."""
    counts: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                counts[name] += 1
            case ast.arg(arg=name):
                counts[name] += 2
            case ast.AugAssign(target=ast.Name(id=name)):
                counts[name] += 2
            case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
                for inner in ast.walk(target):
                    if isinstance(inner, ast.Name):
                        counts[inner.id] += 2
            case ast.ExceptHandler(name=str(name)):
                counts[name] += 2
    return counts


def acts_elsewhere(origin: str) -> bool:
    """Objects of services elsewhere, and of packages that nobody knows, keep where they came from."""
    top = origin.split(".")[0].split("(")[0]
    return top in REMOTE or ("." in origin and not looks(origin) and top not in POWERFUL)


def _steers(variable: str | None, value: str | None) -> bool:
    """A variable that says which code is loaded; adding to the end of the search path is what installers do."""
    if variable is None:
        return False
    if variable == "PATH":
        return not (value or "").startswith("…")
    return steers(variable, value)
