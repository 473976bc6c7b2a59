"""What a loop goes through, when that is short and written out: its body is read once for each turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from zero_one.safety.risk.fold import Unknown

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

MOST = 6
_READING = set("items keys values get index count".split())
_GROWING = set("append extend insert update setdefault __setitem__ __iadd__".split())
_HARMLESS = set("len enumerate zip sorted reversed print sum min max".split())


def steady(tree: ast.AST) -> dict[str, ast.Dict]:
    """The tables that are written out and, by each way in which their names are used, stay what they are."""
    tables: dict[str, ast.Dict] = {}
    nodes = list(ast.walk(tree))
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table):
                tables[name] = table
    used: set[int] = set()
    for node in nodes:
        match node:
            case ast.Attribute(value=ast.Name() as used_name, attr=attr, ctx=ast.Load()) if attr in _READING:
                used.add(id(used_name))
            case ast.Subscript(value=ast.Name() as used_name, ctx=ast.Load()):
                used.add(id(used_name))
            case ast.For(iter=ast.Name() as used_name) | ast.comprehension(iter=ast.Name() as used_name):
                used.add(id(used_name))
            case ast.Call(func=ast.Name(id=called), args=args) if called in _HARMLESS:
                used.update(id(a) for a in args)
    moved = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in used}
    return {name: table for name, table in tables.items() if name not in moved}


def grown(tree: ast.AST) -> set[str]:
    """Names of lists to which something is added later: they hold more than what is written out."""
    return {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _GROWING and isinstance(node.value, ast.Name)
    }


def turns(reader: Reader, node: ast.For | ast.AsyncFor) -> list[dict[str, Any]]:
    """The values that the loop's names take, turn by turn; empty when they are many, or not all of them are known."""
    names = [n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)]
    if reader.loops or not names or any(reader.bound_times(name) != 3 for name in names):
        return []
    try:
        values = _values(reader, node.iter)
        out = [dict(_taken(node.target, value)) for value in values] if 0 < len(values) <= MOST else []
    except Unknown:
        return []
    return [] if any(not isinstance(v, str | int | list) for turn in out for v in turn.values()) else out


def _values(reader: Reader, node: ast.expr) -> list[Any]:
    match node:
        case ast.Call(func=ast.Attribute(value=table, attr="items" | "keys" | "values" as what), args=[]):
            pairs = _pairs(reader, table)
            return [pair if what == "items" else pair[what == "values"] for pair in pairs]
        case ast.Call(func=ast.Name(id="enumerate"), args=[inner, *start]) if not node.keywords:
            first = reader.fold(start[0]) if start else 0
            return [[i, value] for i, value in enumerate(_values(reader, inner), first)]
        case ast.Call(func=ast.Name(id="zip"), args=several):
            return [list(turn) for turn in zip(*(_values(reader, one) for one in several), strict=False)]
        case ast.Call(func=ast.Name(id="sorted" | "list" | "tuple"), args=[inner]) if not node.keywords:
            return _values(reader, inner)
        case ast.Set(elts=items):
            return [reader.fold(item) for item in items]
        case ast.Dict():
            return [key for key, _ in _pairs(reader, node)]
        case ast.Name(id=name) if name in reader.steady:
            return [key for key, _ in _pairs(reader, node)]
    if isinstance(node, ast.Name) and node.id in reader.grown:
        raise Unknown
    values = reader.fold(node)
    if not isinstance(values, list):
        raise Unknown
    return values


def _pairs(reader: Reader, node: ast.expr) -> list[list[Any]]:
    table = node
    if isinstance(node, ast.Name) and node.id in reader.steady and reader.bound_times(node.id) == 1:
        table = reader.steady[node.id]
    if not isinstance(table, ast.Dict):
        raise Unknown
    return [[reader.fold(key), reader.fold(value)] for key, value in zip(table.keys, table.values, strict=True)]


def _taken(target: ast.expr, value: Any) -> Iterator[tuple[str, Any]]:
    """Each name of a target, with its part of the value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, list) and len(value) == len(target.elts):
        for one, part in zip(target.elts, value, strict=True):
            yield from _taken(one, part)
    else:
        raise Unknown
