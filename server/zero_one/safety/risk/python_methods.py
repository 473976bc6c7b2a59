"""What a method of something whose type is not known does: by its name."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths
from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, sends
from zero_one.safety.risk.paths import COMPUTED
from zero_one.safety.risk.python_call import Call

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

_SQL = set("execute executescript executemany read_sql read_sql_query raw exec_driver_sql".split())
_ENDS_THINGS = re.compile(r"^(delete|remove|drop|terminate|destroy|purge|prune|flush|empty|truncate|revoke|deregister)")
SENT_ALONG = ("headers", "cookies", "params", "auth", "proxies")
"""What a session adds to each of its requests."""
_CHANGES_THINGS = re.compile(
    r"^(create|add|update|put|insert|set|write|merge|edit|push|upload|post|publish|invite|send|save|modify|start|stop"
    r"|reboot|copy|run|store|append|patch|replace|scale)"
)
_PATH_READS = set("read_text read_bytes iterdir glob rglob stat exists".split())
_PATH_WRITES = set("touch mkdir write_text write_bytes symlink_to hardlink_to".split())


def method_effects(reader: Reader, node: ast.Call, name: str) -> list[Effect]:
    """``name`` is the dotted origin of the method where that is known, else empty."""
    if not isinstance(node.func, ast.Attribute):
        return [] if isinstance(node.func, ast.Name | ast.Lambda) else _computed_function(reader, node)
    last, call, top = node.func.attr, Call(reader, node, name), name.split(".")[0]
    where = reader.sketch(node.func.value) or COMPUTED
    if last in ("unlink", "rmdir") or last in names.METHOD_DELETES:
        return [paths.deleting(where) if last in ("unlink", "rmdir") else destroys("delete", where)]
    if (last == "delete" and _deletes(reader, name)) or (top in names.REMOTE and _ENDS_THINGS.match(last)):
        return [destroys("delete", where if where != COMPUTED else call.path())]
    if top == "docker" and last in ("run", "exec_run", "create", "build"):
        return [opaque("code inside a container")]
    if last == "truncate" and node.args:
        return [destroys("delete", "what a file holds")]
    if last == "communicate" and node.args and call.text(0) is not None and reader.feeds:
        return call.code("shell")
    if last == "update" and isinstance(node.func.value, ast.Attribute) and node.func.value.attr in SENT_ALONG:
        reader.sent_along(node.args[0] if node.args else None)
    if top in names.REMOTE and _CHANGES_THINGS.match(last):
        return [sends(f"{name} {call.text(0) or ''}".strip())]
    if last in _PATH_READS:
        reader.local_data = True
        return [paths.reading(where)] if last.startswith("read") else []
    if last == "open" and (where != COMPUTED or not name or top in ("pathlib", "Path")):
        return [paths.writing(where)] if re.search(r"[wax+]", call.text(0, "mode") or "r") else [paths.reading(where)]
    if last in names.METHOD_MODES:
        return [paths.protecting(where, "")]
    table = bool(node.args) and isinstance(node.args[0], ast.Dict | ast.List | ast.Lambda)
    if last in ("rename", "replace") and len(node.args) == 1 and not node.keywords and not table:
        return list(paths.moving(where, call.path(0)))
    if last in _SQL and node.args:
        return _sql(call)
    if last == "to_sql" and re.search(r"://(?!/|localhost|127\.)", call.text(1, "con") or ""):
        return [sends(call.text(1, "con") or "")]
    if last in names.METHOD_WRITES:
        return [paths.writing(where if last in _PATH_WRITES else call.path(0))]
    if last == "request" and (call.text(0, "method") or "POST").upper() not in ("GET", "HEAD", "OPTIONS"):
        return [sends(call.text(1, "url") or "an address")]
    if last == "connect" and node.args and isinstance(node.args[0], ast.Tuple) and reader.datagrams:
        return []  # a datagram socket is only given its address; nothing goes out
    connects = last in ("connect", "connect_ex", "bind", "listen") and name.startswith("socket")
    pair = last == "connect" and bool(node.args) and isinstance(node.args[0], ast.Tuple)
    if last in names.METHOD_SENDS or connects or pair or (last == "send" and top == "socket"):
        return [sends(call.text(0) or last)]
    if last in names.METHOD_SPENDS and last not in reader.defined:
        return [Effect("spend", last, Risk.SPEND_OR_SEND)]
    if last in names.METHOD_ENDS:
        return [ending(reader, "a program")]
    if last in names.METHOD_PROCESSES and not names.looks(name):
        return call.code("shell")
    return []


def ending(reader: Reader, what: str) -> Effect:
    """A process is ended; when every process is gone through and none is picked out, all of them are."""
    if reader.lists_processes and reader.loops and not reader.choices:
        return destroys("process", "ends every program")
    return changes("process", f"ends {what}")


def _deletes(reader: Reader, name: str) -> bool:
    return "delete" not in reader.defined and not names.looks(name) and name.split(".")[0] not in ("tkinter", "tk")


def _computed_function(reader: Reader, node: ast.Call) -> list[Effect]:
    """``table[key](…)`` and ``getattr(x, y)(…)``: the function is not known."""
    func = node.func
    if isinstance(func, ast.Call) and reader.resolve(func.func) in ("getattr", "builtins.getattr") and func.args[1:]:
        attribute = reader.text(func.args[1])
        if attribute is None:
            return [opaque("a function whose name is computed")]
        called = ast.Call(ast.Attribute(func.args[0], attribute, ast.Load()), node.args, node.keywords)
        return method_effects(reader, ast.copy_location(called, node), "")
    if isinstance(func, ast.Call) and any(reader.resolve(a) in names.POWERFUL for a in node.args):
        return [opaque("a function taken out of a module")]
    if isinstance(func, ast.Call) and reader.resolve(func.func) in ("eval", "builtins.eval"):
        return [opaque("a function whose name is computed")]
    if isinstance(func, ast.Subscript):
        inner = func.value
        if isinstance(inner, ast.Call) and reader.resolve(inner.func) in ("globals", "locals", "vars"):
            return [opaque("a function whose name is computed")]
        return [changes("process", "a function from a table")]
    return []


def _sql(call: Call) -> list[Effect]:
    text = call.text(0, "sql", "query", "statement")
    first = call.node.args[0]
    if text is None and isinstance(first, ast.Call) and first.args:
        text = call.reader.text(first.args[0])
    if text is None:
        text = call.reader.sketch(first)
        if text is not None:  # values are filled in by hand: the verb is known, the rest may hold anything
            effects = call.reader.nested(text.replace("…", "1"), "sql")
            if all(e.risk is Risk.OBSERVE for e in effects):
                return [changes("process", "what is filled into the SQL")]
            return effects
        return [opaque("SQL that is computed")]
    return call.reader.nested(text, "sql")
