"""Streams that are no file: the terminal, and files that live in memory."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

_STREAM = re.compile(r"sys\.(__)?std(out|err)(__)?(\.buffer)?|(io|tempfile)\.(StringIO|BytesIO)(\(\))?(\.\w*buffer)?")
_WRITING = set("write writelines truncate flush seek reconfigure close".split())
_DUMPS = {"csv.writer": 0, "csv.DictWriter": 0, "json.dump": 1, "yaml.dump": 1, "yaml.safe_dump": 1, "toml.dump": 1}
"""Functions that write into the file they are given, and where it stands among their arguments."""


def is_stream(reader: Reader, node: ast.expr | None) -> bool:
    """Whether an expression stands for such a stream, and for nothing else."""
    if isinstance(node, ast.Name) and reader.bound_times(node.id) > 1:
        return False
    return node is not None and _STREAM.fullmatch(reader.resolve(node) or "") is not None


def writes_to_stream(reader: Reader, node: ast.Call, name: str) -> bool:
    """``sys.stdout.writelines(…)``, ``json.dump(x, sys.stdout)``: text that is shown or kept in memory."""
    if reader.endless:
        return False  # even memory ends
    if isinstance(node.func, ast.Attribute) and node.func.attr in _WRITING and is_stream(reader, node.func.value):
        return True
    at = _DUMPS.get(name)
    if at is None:
        return False
    given = node.args[at] if len(node.args) > at else None
    named = next((k.value for k in node.keywords if k.arg in ("fp", "stream", "csvfile", "f")), None)
    return is_stream(reader, given or named)
