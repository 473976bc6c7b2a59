"""What comes out of a sandbox is data, whoever wrote it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from zero_one.computer.languages import carry


def given(**parts: Any) -> str:
    return json.dumps({"values": {}, "modules": {}, "things": {}, "lost": [], "folder": ""} | parts)


@pytest.mark.parametrize("kind", ["modules", "things"])
@pytest.mark.parametrize("module", ["antigravity", "this", "idlelib.idle", "pip.__main__", "no_such_module_at_all"])
def test_no_module_is_imported_that_acts_by_it(kind: str, module: str) -> None:
    names: dict[str, Any] = {}
    assert carry.take(names, given(**{kind: {"fly": module}})) == ["fly"]
    assert names == {}
    assert module not in sys.modules


@pytest.mark.parametrize("name", ["print", "__builtins__", "computer", "exit", "_x", "import", "a.b", "get_ipython"])
def test_no_name_that_python_or_we_have_is_taken(name: str) -> None:
    names: dict[str, Any] = {}
    carry.take(names, given(values={name: 1}, modules={name: "json"}))
    assert names == {}


@pytest.mark.parametrize(
    "packed", [{"a": 1}, ["code", "x"], ["list"], ["dict", [[["list", []], 1]]], ["bytes", 5], [1]]
)
def test_what_is_no_plain_value_is_none(packed: Any) -> None:
    with pytest.raises((ValueError, TypeError)):
        carry.unpack(packed)
