"""Constant folding over Python's AST: what a string expression stands for, when that can be known.

Obfuscated code hides names in concatenations, ``chr``, ``join``, base64, hex, rot13, zlib or reversed slices. All of
these are folded with the real functions on literal values; nothing of the code itself is ever run.
"""

from __future__ import annotations

import ast
import base64
import binascii
import codecs
import re
import shlex
import zlib
from collections.abc import Callable, Mapping
from typing import Any

LIMIT = 200_000
LONGEST_SKETCH = 4_000
Known = Mapping[str, Any]


class Unknown(Exception):
    """The value cannot be known without running the code."""


def fold(node: ast.expr | None, known: Known) -> Any:
    """The value of a literal expression (str, bytes, int, list, …). Raises Unknown."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.Attribute(value=ast.Name(id="sys"), attr="executable"):
            return "python3"
        case ast.Attribute(value=ast.Name(id="os"), attr="sep"):
            return "/"
        case ast.JoinedStr(values=values):
            parts: list[str] = []
            for part in values:
                parts.append(_formatted(part, known))
                _bounded(_size(parts[-1:]) * (len(values) if len(parts[-1]) > 1000 else 1))
            return "".join(parts)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(fold(left, known), op, fold(right, known))
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [fold(i, known) for i in items]
        case ast.Subscript(value=value, slice=index):
            return _subscript(fold(value, known), index, known)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = fold(operand, known)
            if isinstance(value, int | float):
                return -value
        case ast.Call():
            return _call(node, known)
        case ast.ListComp(elt=elt, generators=[gen]) | ast.GeneratorExp(elt=elt, generators=[gen]):
            if isinstance(gen.target, ast.Name) and not gen.ifs:
                items = fold(gen.iter, known)
                nested = any(isinstance(n, ast.ListComp | ast.GeneratorExp) for n in ast.walk(elt))
                if isinstance(items, list | str | bytes) and len(items) < (100 if nested else 10_000):
                    return [fold(elt, {**known, gen.target.id: item}) for item in items]
    raise Unknown


def _formatted(node: ast.expr, known: Known) -> str:
    if isinstance(node, ast.FormattedValue):
        if node.format_spec is not None:
            raise Unknown
        return str(fold(node.value, known))
    return str(fold(node, known))


def _bounded(size: int, pattern: str = "") -> None:
    """A few characters of code can ask for gigabytes: what would be longer than ``LIMIT`` is not folded (Unknown).

    ``pattern`` is a format, whose fields may ask for a width.
    """
    if size > LIMIT or re.search(r"\d{5}|\*", pattern):
        raise Unknown


def _size(value: Any) -> int:
    """Characters that a value takes when it is written out, at least."""
    if isinstance(value, str | bytes):
        return len(value)
    return sum(map(_size, value)) if isinstance(value, list) else 20


def _binary(left: Any, op: ast.operator, right: Any) -> Any:
    try:
        match op:
            case ast.Add():
                out = left + right
            case ast.Mod() if isinstance(left, str):
                _bounded(left.count("%") * _size(right), left)
                out = left % (tuple(right) if isinstance(right, list) else right)
            case ast.Mult() if isinstance(left, int) != isinstance(right, int) or (
                abs(left) < 2**40 and abs(right) < 2**40
            ):
                if isinstance(left, str | bytes | list) or isinstance(right, str | bytes | list):
                    times, length = (right, len(left)) if isinstance(right, int) else (left, len(right))
                    _bounded(times * length)
                out = left * right
            case ast.Sub():
                out = left - right
            case ast.BitXor():
                out = left ^ right
            case ast.Div():
                from pathlib import PurePosixPath

                out = str(PurePosixPath(left) / right) if isinstance(left, str) else left / right
            case _:
                raise Unknown
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise Unknown from error
    if isinstance(out, str | bytes | list) and len(out) > LIMIT:
        raise Unknown
    return out


def _subscript(value: Any, index: ast.expr, known: Known) -> Any:
    try:
        if isinstance(index, ast.Slice):
            parts = [fold(p, known) if p is not None else None for p in (index.lower, index.upper, index.step)]
            return value[slice(*parts)]
        return value[fold(index, known)]
    except (TypeError, KeyError, IndexError, ValueError) as error:
        raise Unknown from error


def sketch(node: ast.expr | None, known: Known, sketches: Mapping[str, str]) -> str | None:
    """A text as far as it is known, with "…" for what is not: ``f"{home}/.ssh/id_rsa"`` is ``…/.ssh/id_rsa``.

    None when nothing of it is known. Good for naming a path, never for reading code.
    """
    out = _sketch(node, known, sketches, 0)[:LONGEST_SKETCH]
    return out if out.strip("…/") or out.startswith("/") else None


def _sketch(node: ast.expr | None, known: Known, sketches: Mapping[str, str], depth: int) -> str:
    if node is None or depth > 60:
        return "…"

    def inner(part: ast.expr | None) -> str:
        return _sketch(part, known, sketches, depth + 1)

    try:
        value = fold(node, known)
        if isinstance(value, str):
            return value
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else "…"
    except Unknown:
        pass
    match node:
        case ast.Name(id=name):
            return sketches.get(name, "…")
        case ast.JoinedStr(values=values):
            return "".join(inner(v.value if isinstance(v, ast.FormattedValue) else v) for v in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return inner(left) + inner(right)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return f"{inner(left)}/{inner(right)}"
        case ast.Call(func=func, args=args):
            name = dotted(func) or ""
            if name.removeprefix("pathlib.") in ("Path", "PurePath") or name.endswith("path.join"):
                return "/".join(map(inner, args)) or "…"
            if name.endswith(("path.expanduser", "path.abspath", "path.realpath")) or name == "str":
                return inner(args[0]) if args else "…"
            if name in ("os.environ.get", "os.getenv") and args and inner(args[0]) in ("HOME", "USERPROFILE"):
                return "~"
            if isinstance(func, ast.Attribute) and func.attr in _PATH_METHODS:
                return inner(func.value)
            if isinstance(func, ast.Attribute) and func.attr in ("joinpath", "glob", "rglob"):
                return "/".join([inner(func.value), *map(inner, args)])
            if isinstance(func, ast.Attribute) and func.attr == "format":
                return re.sub(r"\{[^{}]*\}", "…", inner(func.value))
        case ast.Subscript(value=value, slice=ast.Constant(value="HOME")) if dotted(value) == "os.environ":
            return "~"
    return "…"


def dotted(node: ast.expr) -> str | None:
    """``a.b.c`` as text; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _text(value: Any = "", *encoding: str) -> str:
    return value.decode(*encoding) if isinstance(value, bytes) and encoding else str(value)


def _decode(value: Any, codec: str = "utf-8") -> Any:
    """The codecs that hide text; the compressing ones could unfold to gigabytes."""
    if codec.lower().replace("_", "").replace("-", "") not in _CODECS:
        raise Unknown
    return codecs.decode(value, codec)


def _encode(value: Any, codec: str = "utf-8") -> Any:
    """Only rot13 hides text in this direction."""
    if "rot" not in codec:
        raise Unknown
    return codecs.encode(value, codec)


_CODECS = {
    "rot13",
    "hex",
    "hexcodec",
    "base64",
    "base64codec",
    "utf8",
    "ascii",
    "latin1",
    "unicodeescape",
    "utf16",
    "utf16le",
}


def _bytes(value: Any = b"", *encoding: str) -> bytes:
    _bounded(value if isinstance(value, int) else 0)
    return bytes(value, *encoding) if encoding else bytes(value)


def _range(*bounds: int) -> list[int]:
    if any(abs(bound) >= 10_000 for bound in bounds):
        raise Unknown
    return list(range(*bounds))


def _joined(*parts: Any) -> str:
    last = len(parts) - 1
    return "/".join(str(part) if i == last else str(part).rstrip("/") for i, part in enumerate(parts))


def _path(*parts: Any) -> str:
    return "/".join(map(str, parts)) or "."


def _same(value: Any) -> Any:
    """A path stays as it is written: what it names matters here, not where it stands on this disk."""
    return value


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "chr": chr,
    "ord": ord,
    "str": _text,
    "int": int,
    "len": len,
    "hex": hex,
    "sorted": sorted,
    "list": lambda value=(): list(value),
    "tuple": lambda value=(): list(value),
    "reversed": lambda value: list(reversed(value)),
    "bytes": _bytes,
    "bytearray": _bytes,
    "range": _range,
    "map": lambda function, values: [function(value) for value in values],
    "b64decode": base64.b64decode,
    "unhexlify": binascii.unhexlify,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "bytes.fromhex": bytes.fromhex,
    "bytearray.fromhex": bytes.fromhex,
    "codecs.decode": _decode,
    "codecs.encode": _encode,
    "shlex.split": shlex.split,
    "shlex.quote": _same,
    "os.path.join": _joined,
    "os.getcwd": lambda: ".",
    **dict.fromkeys(("Path", "pathlib.Path"), _path),
    **dict.fromkeys(("Path.home", "pathlib.Path.home"), lambda: "~"),
    **dict.fromkeys(("Path.cwd", "pathlib.Path.cwd"), lambda: "."),
    **{f"os.path.{name}": _same for name in ("expanduser", "expandvars", "abspath", "realpath")},
    **{
        f"base64.{name}": getattr(base64, name)
        for name in "b64decode urlsafe_b64decode b32decode b16decode b85decode a85decode decodebytes".split()
    },
}
_METHODS = set(
    """
    join replace decode encode format strip lstrip rstrip lower upper split title swapcase hex removeprefix
    removesuffix translate zfill capitalize splitlines
    """.split()
)
_PATH_METHODS = set(
    """
    expanduser resolve absolute as_posix __str__
    """.split()
)


def _call(node: ast.Call, known: Known) -> Any:
    name = dotted(node.func)
    if node.keywords and name not in ("Path",):
        raise Unknown
    args = node.args
    if name in ("map",) and len(args) == 2 and dotted(args[0]) in ("chr", "ord", "str", "int"):
        return [_FUNCTIONS[dotted(args[0]) or ""](x) for x in fold(args[1], known)]
    try:
        if name in ("zlib.decompress", "zlib.decompressobj", "gzip.decompress", "bz2.decompress", "lzma.decompress"):
            data = fold(args[0], known)
            if name == "zlib.decompress":
                unpacker = zlib.decompressobj()
                plain = unpacker.decompress(data, LIMIT)
                if unpacker.eof:
                    return plain
            if name == "gzip.decompress":
                unpacker = zlib.decompressobj(31)
                plain = unpacker.decompress(data, LIMIT)
                if unpacker.eof:
                    return plain
            raise Unknown
        if name in _FUNCTIONS and name.split(".")[0] not in known:
            return _FUNCTIONS[name](*[fold(a, known) for a in args])
        if isinstance(node.func, ast.Attribute):
            target = fold(node.func.value, known)
            if isinstance(target, str) and node.func.attr in _PATH_METHODS:
                return target
            if isinstance(target, str) and node.func.attr == "joinpath":
                return "/".join([target, *(str(fold(a, known)) for a in args)])
            if isinstance(target, str | bytes) and node.func.attr in _METHODS:
                given = [fold(a, known) for a in args]
                _bounded(_grown(target, node.func.attr, given), str(target) if node.func.attr == "format" else "")
                out = getattr(target, node.func.attr)(*given)
                if isinstance(out, str | bytes) and len(out) > LIMIT:
                    raise Unknown
                return out
    except Unknown:
        raise
    except (
        TypeError,
        ValueError,
        KeyError,
        IndexError,
        LookupError,
        OverflowError,
        zlib.error,
        MemoryError,
        UnicodeError,
    ) as error:
        raise Unknown from error
    raise Unknown


def _grown(target: str | bytes, method: str, given: list[Any]) -> int:
    """How long the result of a method may become, where it can be much longer than what goes in."""
    if method == "join" and given and isinstance(given[0], list | str | bytes):
        return _size(given[0]) + len(given[0]) * len(target)
    if method == "replace" and len(given) >= 2:
        return len(target) * max(1, _size(given[1]) // max(1, _size(given[0])) + 1)
    if method == "format":
        return str(target).count("{") * _size(given)
    if method == "zfill":
        return int(given[0]) if given and isinstance(given[0], int) else 0
    return len(target)
