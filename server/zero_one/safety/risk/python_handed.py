"""Functions that are handed on and not called where they stand: whoever is given them will call them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, sends
from zero_one.safety.risk.paths import COMPUTED
from zero_one.safety.risk.python_calls import call_effects
from zero_one.safety.risk.python_methods import is_unmistakable
from zero_one.safety.risk.python_modules import is_listed

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader


def reference_effects(reader: Reader, name: str) -> list[Effect]:
    """A function that is mentioned but not called here."""
    if name in ("os.environ", "os.environ.copy()"):
        reader.local_data = True
        return [Effect("credential", "every variable of the environment", Risk.SPEND_OR_SEND)]
    if name in ("eval", "exec", "compile", "__import__", "builtins.eval", "builtins.exec"):
        return [opaque(f"{name} is handed on")]
    if name in names.DELETE:
        return [destroys("delete", COMPUTED)]
    if name in names.SHELL or name in names.PROCESS or name in names.OPAQUE:
        return [opaque(f"{name} is handed on")]
    if name in names.SEND:
        return [sends(name)]
    if name in ("open", "io.open", "builtins.open"):
        return [] if not reader.names_modes else [changes("process", "open is handed on")]
    if name in names.MOVE or name in names.WRITE or name in names.COPY:
        return [changes("process", f"{name} is handed on")]
    return []


_HANDED = names.METHOD_DELETES | names.METHOD_WRITES | names.METHOD_SENDS | names.METHOD_ENDS | names.METHOD_PROCESSES
_HANDED |= names.METHOD_SPENDS | set(
    "rmdir execute executescript executemany exec_driver_sql rename replace truncate extractall".split()
)


def handed_on(reader: Reader, node: ast.Name | ast.Attribute, name: str) -> list[Effect]:
    """``map(Path.unlink, files)``, ``done = client.delete_bucket``: what a function that is handed on will do."""
    if name.endswith("()"):
        return []  # what a function has given back
    method = isinstance(node, ast.Attribute) and (node.attr in _HANDED or is_unmistakable(node.attr))
    if (isinstance(node, ast.Attribute) and node.attr in reader.defined) or not (name or method):
        return []
    before = reader.loops
    reader.loops += 1  # it may be called for each of many
    found = _called_later(reader, node, [ast.Name("what_it_is_given", ast.Load())], [])
    reader.loops = before
    listed = method or is_listed(name.replace("()", ""))
    return [e for e in found if e.risk > (Risk.OBSERVE if listed else Risk.CHANGE)]


def handed_with(reader: Reader, node: ast.Call) -> list[Effect]:
    """``submit(shutil.move, a, b)``, ``Thread(target=f, args=(a, b))``: a function and what it will be given."""
    out: list[Effect] = []
    later = next((k.value for k in node.keywords if k.arg == "args"), None)
    for i, given in enumerate(node.args):
        rest = node.args[i + 1 :]
        if len(rest) == 1 and isinstance(rest[0], ast.Tuple | ast.List):
            rest = rest[0].elts
        if (
            rest
            and isinstance(given, ast.Name | ast.Attribute)
            and is_listed((reader.resolve(given) or "").replace("()", ""))
        ):
            out += _called_later(reader, given, rest, node.keywords)
    for keyword in node.keywords:
        function = keyword.value
        if keyword.arg in ("target", "func", "function", "fn") and isinstance(function, ast.Name | ast.Attribute):
            given_later = later.elts if isinstance(later, ast.Tuple | ast.List) else []
            out += _called_later(reader, function, list(given_later), []) if reader.resolve(function) else []
    return [e for e in out if e.risk > Risk.OBSERVE and e.kind != "opaque"]


def _called_later(
    reader: Reader, function: ast.expr, args: list[ast.expr], keywords: list[ast.keyword]
) -> list[Effect]:
    return call_effects(
        reader, ast.copy_location(ast.fix_missing_locations(ast.Call(function, args, keywords)), function)
    )
