"""Reading Python programs: names are traced to what they were imported or assigned from, calls to what they do."""

from __future__ import annotations

import ast
import builtins
import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.fold import Unknown
from zero_one.safety.risk.model import Effect, changes, destroys, opaque, sends
from zero_one.safety.risk.paths import is_secret
from zero_one.safety.risk.python_binding import Classify, Names, acts_elsewhere
from zero_one.safety.risk.python_loops import turns
from zero_one.safety.risk.python_methods import unwritten_effects
from zero_one.safety.risk.python_names import DUNDER_WALK, INSPECTORS


def read(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of a program or notebook cell (``!command`` and ``%magic`` lines are understood)."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):
        try:
            tree = ast.parse(_without_magics(code))
        except (SyntaxError, ValueError):
            return [opaque("Python that does not parse")]
    reader = Reader(tree, classify, depth)
    reader.visit(tree)
    return reader.finish()


def _without_magics(code: str) -> str:
    from IPython.core.inputtransformer2 import TransformerManager

    return str(TransformerManager().transform_cell(code))  # type: ignore[no-untyped-call]


class Reader(Names):
    """Walks one program. Every function body counts, called or not: it can be called later."""

    def finish(self) -> list[Effect]:
        if self.encrypts and any(e.kind in ("write", "move") and not e.undoable for e in self.effects):
            self.effects.append(destroys("delete", "files, by encrypting them"))
        self.effects += [changes("process", f"uses the package {p}") for p in sorted(self.unknown)]
        if self.moves:
            self.effects = paths.below(None, self.effects)
        if self.local_data:
            # Something of this machine was read, and an address was computed: it may carry it out.
            self.effects += [sends(where) for where in self.fetches_computed]
        return self.effects

    # --- what is done ---------------------------------------------------------------------------------------------

    def visit_withitem(self, node: ast.withitem) -> None:
        opened = node.context_expr
        if node.optional_vars is None and isinstance(opened, ast.Call):
            self.effects += unwritten_effects(self, opened)
        if node.optional_vars is not None:
            self._bind(node.optional_vars, node.context_expr)
        self.visit(node.context_expr)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.inside.append(node)
        self.generic_visit(node)
        self.inside.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def given(self, node: ast.expr | None) -> list[ast.expr] | None:
        """What a parameter of the function that is being read is given, if all of it stands in this program."""
        if not isinstance(node, ast.Name) or not self.inside:
            return None
        return self.sites.given(self.inside[-1], node.id)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._bind_loop(node.target, node.iter)
        for values in turns(self, node) or [{}]:
            self.known.update(values)
            self._inside(node, loop=True)
            for name in values:
                self.known.pop(name, None)

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        ends = any(isinstance(inner, ast.Break | ast.Return) or _sleeps(inner) for inner in ast.walk(node))
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value) and not ends
        self.endless += endless
        self._inside(node, loop=True)
        self.endless -= endless

    def visit_If(self, node: ast.If) -> None:
        self._inside(node, choice=not _excludes(node))

    def visit_comprehension_of(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        for generator in node.generators:
            self._bind_loop(generator.target, generator.iter)
            self.visit(generator.iter)
        self._inside(node, loop=True, choice=any(g.ifs for g in node.generators))

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = visit_comprehension_of

    def _inside(self, node: ast.AST, *, loop: bool = False, choice: bool = False) -> None:
        self.loops, self.choices = self.loops + loop, self.choices + choice
        self.generic_visit(node)
        self.loops, self.choices = self.loops - loop, self.choices - choice

    def _bind_loop(self, target: ast.expr, values: ast.expr) -> None:
        """What a loop goes through, as far as it names files: a folder, a pattern or a list of names."""
        if isinstance(target, ast.Tuple) and target.elts:
            target = target.elts[0]
        if not isinstance(target, ast.Name):
            return
        text: str | None = None
        origin = self.resolve(values)
        if origin is not None and "(" in origin and acts_elsewhere(origin):
            self.aliases[target.id] = f"{origin}()"
        if isinstance(values, ast.Call):
            name = (self.resolve(values.func) or "").replace("()", "")
            last = values.func.attr if isinstance(values.func, ast.Attribute) else name
            if last in ("glob", "rglob") and isinstance(values.func, ast.Attribute) and not name.startswith("glob."):
                text = self.sketch(values)
            elif name in ("glob.glob", "glob.iglob", "os.walk"):
                text = self.sketch_of(values)
            elif name == "os.scandir":
                text = f"{self.sketch_of(values) or '.'}/…"
            elif last == "iterdir" and isinstance(values.func, ast.Attribute):
                text = f"{self.sketch(values.func.value) or '…'}/…"
        else:
            try:
                items = [i for i in self.fold(values) if isinstance(i, str)]
            except (Unknown, TypeError):
                items = []
            text = next(filter(is_secret, items), items[0] if len(items) == 1 else None)
        if text is not None:
            self.sketches[target.id] = text

    def visit_Call(self, node: ast.Call) -> None:
        from zero_one.safety.risk.python_calls import call_effects
        from zero_one.safety.risk.python_handed import handed_with, reference_effects

        self._called.add(id(node.func))
        name = self.resolve(node.func) or ""
        if (
            name.rsplit(".", 1)[-1] in ("map", "imap", "enter_context")
            and node.args
            and self.resolve(node.args[0]) == "open"
        ):
            self._called.add(id(node.args[0]))  # without a mode, it opens for reading
        if name in INSPECTORS or name.startswith("inspect."):
            self._called.update(id(a) for a in node.args if self.resolve(a) != "os.environ")
        safe = ("get", "setdefault", "pop", "update", "copy", "keys")
        if name.startswith("os.environ.") and isinstance(node.func, ast.Attribute) and node.func.attr in safe:
            self._called.add(id(node.func.value))
        if name.startswith("subprocess."):
            self._called.update(id(inner) for k in node.keywords if k.arg == "env" for inner in ast.walk(k.value))
        if (
            isinstance(node.func, ast.Attribute)
            and re.match(r"encrypt", node.func.attr)
            and (self.loops or self.inside)
        ):
            self.encrypts = True
        self.effects += [*call_effects(self, node), *handed_with(self, node)]
        if name in ("getattr", "builtins.getattr") and id(node) not in self._called and (full := self.resolve(node)):
            self.effects += reference_effects(self, full)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._reference(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not node.attr.startswith("__"):
            self._inner.add(id(node.value))
        if node.attr in DUNDER_WALK:
            self.effects.append(opaque(f"the inside of Python ({node.attr})"))
        if node.attr in ("__doc__", "__name__", "__module__", "__qualname__"):
            self._called.add(id(node.value))
        self._reference(node)
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._called.update(id(c) for c in node.comparators)  # `"HOME" in os.environ` reads no value
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        base = self.resolve(node.value)
        if base in ("os.environ", "os.environ.copy()"):
            self._called.add(id(node.value))
        if base == "os.environ" and isinstance(node.ctx, ast.Load):
            from zero_one.safety.risk.python_call import environment_effects

            self.effects += environment_effects(self.text(node.slice))
        self.generic_visit(node)

    def _reference(self, node: ast.Name | ast.Attribute) -> None:
        """A function that is handed on (``map(os.remove, files)``) will be called."""
        from zero_one.safety.risk.python_handed import handed_on, reference_effects

        if id(node) not in self._called and isinstance(node.ctx, ast.Load):
            name = self.resolve(node)
            found = reference_effects(self, name) if name is not None else []
            if not found and id(node) not in self._inner:
                found = handed_on(self, node, name or "")
            self.effects += found

    def written_here(self, node: ast.expr) -> bool:
        """Whether a table stands in this program as it is, so that all that is in it was read."""
        return isinstance(node, ast.Dict | ast.List | ast.Tuple) or (
            isinstance(node, ast.Name) and node.id in self.tables and self._bindings[node.id] == 1
        )


def _excludes(node: ast.If) -> bool:
    """``if p.pid != me:`` leaves out a few; it picks nothing."""
    if not isinstance(node.test, ast.Compare):
        return False
    skips = all(isinstance(s, ast.Continue | ast.Pass) for s in node.body)
    unequal = all(isinstance(op, ast.NotEq | ast.NotIn | ast.IsNot) for op in node.test.ops)
    return unequal != skips


def _sleeps(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("sleep", "wait", "join")


BUILTINS = frozenset(dir(builtins))
