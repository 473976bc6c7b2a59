# mypy: disable-error-code="misc"
"""Taking a Python's plain values and imports from one process into another, as JSON. Runs in the kernels.

Never pickles, never functions, never source: what comes out of a sandbox is data, and stays data where it goes.
"""

from __future__ import annotations

import base64
import builtins
import datetime
import importlib
import json
import keyword
import os
import pathlib
import sys
from types import ModuleType
from typing import Any

KIND = "application/vnd.zero-one.carried+json"
"""Type under which a kernel shows what it gives."""

_MOST = 8 * 1024 * 1024  # characters of it all
_EACH = 4 * 1024 * 1024
_DEPTH = 40
_USUAL = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "sns": "seaborn", "dt": "datetime"}


_ACTING = frozenset({"antigravity", "this", "idlelib", "turtledemo", "test", "tests"})
"""Modules that do something by being imported: none is, on the word of what ran in a sandbox."""


class Cannot(Exception):
    """A value that is not plain data."""


def pack(value: Any, depth: int = 0) -> Any:
    """JSON for a plain value: scalars as they are, everything else as ``[kind, content]``. Raises ``Cannot``."""
    kind = type(value)
    if depth > _DEPTH:
        raise Cannot
    if value is None or kind in (bool, float, str):
        return value
    if kind is int:
        return value if value.bit_length() < 4000 else ["int", hex(value)]
    if kind in (list, tuple, set, frozenset):
        return [kind.__name__, [pack(one, depth + 1) for one in value]]
    if kind is dict:
        return ["dict", [[pack(key, depth + 1), pack(one, depth + 1)] for key, one in value.items()]]
    if kind in (bytes, bytearray):
        return [kind.__name__, base64.b64encode(value).decode()]
    if isinstance(value, pathlib.PurePath):
        return ["path", str(value)]
    if kind in (datetime.datetime, datetime.date, datetime.time) and getattr(value, "tzinfo", None) is None:
        return [kind.__name__, value.isoformat()]
    if kind.__module__ == "numpy" and kind.__name__.rstrip("0123456789_") in ("int", "uint", "float", "bool"):
        return pack(value.item(), depth)
    raise Cannot


def unpack(data: Any) -> Any:
    """The value again. Raises ``ValueError`` (or the like) for what ``pack`` does not make."""
    if not isinstance(data, list):
        if isinstance(data, dict):
            raise ValueError("no such value")
        return data
    kind, content = data
    many = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
    if kind in many:
        return many[kind](unpack(one) for one in content)
    if kind == "dict":
        return {unpack(key): unpack(one) for key, one in content}
    if kind in ("bytes", "bytearray"):
        return {"bytes": bytes, "bytearray": bytearray}[kind](base64.b64decode(content))
    if kind == "path":
        return pathlib.Path(content)
    if kind in ("datetime", "date", "time"):
        return getattr(datetime, kind).fromisoformat(content)
    if kind == "int":
        return int(content, 16)
    raise ValueError("no such value")


def _may_be_named(name: str) -> bool:
    """A name of the user's: none that Python, or what we put there, has for itself."""
    return (
        name.isidentifier()
        and not name.startswith("_")
        and not keyword.iskeyword(name)
        and not hasattr(builtins, name)
        and name not in ("computer", "In", "Out", "exit", "quit", "get_ipython")
    )


def _installed(module: ModuleType) -> bool:
    """Whether it comes with Python or was installed: not a file of the working folder, which code can write."""
    top = module.__name__.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def give(names: dict[str, Any]) -> str:
    """``{"values", "modules", "things", "lost", "folder"}`` of a namespace, as JSON."""
    values: dict[str, Any] = {}
    modules: dict[str, str] = {}
    things: dict[str, str] = {}
    lost: list[str] = []
    size = 0
    for name, value in list(names.items()):
        if not _may_be_named(name):
            continue
        if isinstance(value, ModuleType):
            usual = value.__name__ in (name, _USUAL.get(name))
            if usual and _installed(value):
                modules[name] = value.__name__
            else:
                lost.append(name)
            continue
        try:
            packed = pack(value)
            length = len(json.dumps(packed))
        except (Cannot, ValueError, RecursionError):
            home = sys.modules.get(getattr(value, "__module__", None) or "")
            known = home is not None and home.__name__ != "__main__" and getattr(home, name, None) is value
            if home is not None and known and _installed(home):
                things[name] = home.__name__
            else:
                lost.append(name)
            continue
        if length > _EACH or size + length > _MOST:
            lost.append(name)
            continue
        size += length
        values[name] = packed
    try:
        folder = os.getcwd()
    except OSError:
        folder = ""
    return json.dumps({"values": values, "modules": modules, "things": things, "lost": lost[:200], "folder": folder})


def take(names: dict[str, Any], text: str) -> list[str]:
    """Put what another kernel gave into a namespace; returns what could not be."""
    given = json.loads(text)
    lost = [str(name) for name in given["lost"]]
    for name, packed in given["values"].items():
        if _may_be_named(name):
            names[name] = unpack(packed)
    for kind in ("modules", "things"):
        for name, module in given[kind].items():
            if not _may_be_named(name):
                continue
            try:
                if module.partition(".")[0] in _ACTING or "__main__" in module:
                    raise ImportError(module)
                found = importlib.import_module(module)
                if not _installed(found):
                    raise ImportError(module)
                names[name] = found if kind == "modules" else getattr(found, name)
            except Exception:  # noqa: BLE001 - importing runs other people's code
                lost.append(name)
    try:
        os.chdir(given["folder"])
    except OSError:
        pass  # a folder that is not there, or not shown here
    return [name for name in lost if name not in names]


def show() -> None:
    """Give this kernel's names to whoever listens to its output."""
    shell = _shell()
    own = set(shell.user_ns_hidden)
    text = give({name: value for name, value in shell.user_ns.items() if name not in own})
    shell.display_pub.publish({KIND: text})


def put(text: str) -> None:
    """Take what another kernel gave; shows the names that are missing."""
    shell = _shell()
    shell.display_pub.publish({KIND: json.dumps(take(shell.user_ns, text))})


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    return get_ipython()
