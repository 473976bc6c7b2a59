"""What notebook commands (``!ls``, ``%pip``, ``%%bash``) do, as the cell transformer writes them."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, opaque
from zero_one.safety.risk.paths import COMPUTED
from zero_one.safety.risk.python_call import Call

_MAGICS_THAT_LOOK = set(
    """
        matplotlib pwd ls who whos who_ls time timeit history hist pinfo pdoc psource pfile config lsmagic
        quickref precision pprint doctest_mode env dirs pycat more less man colors xmode page pdef prun debug
        memit mprun lprun
        """.split()
)


def magic_effects(call: Call) -> list[Effect]:
    last = call.name.split(".", 1)[1]
    if last in ("system", "getoutput"):
        return call.code("shell")
    name, line, cell = call.text(0), call.text(1), call.text(2)
    if name is None or line is None or (last == "run_cell_magic" and cell is None):
        return [opaque("a notebook command that is computed")]
    body = cell if cell is not None else line
    if name in ("bash", "sh", "system", "sx", "!", "script"):
        return call.reader.nested(body, "shell") if name != "script" else [opaque("a script")]
    if name in ("javascript", "js", "html"):
        return call.reader.nested(body, "javascript") if name != "html" else [opaque("a page with scripts")]
    if name in ("time", "timeit", "capture", "prun", "python", "python3", "debug"):
        return call.reader.nested(body, "python") if body.strip() else []
    if name in ("writefile", "file"):
        return [paths.writing((line.split() or [COMPUTED])[-1])]
    if name in ("pip", "conda", "mamba", "uv"):
        return call.reader.nested(f"{name} {line}", "shell")
    if name == "env" and re.search(r"[= ]", line.strip()):
        return [changes("process", "environment variables", undoable=True)]
    if name in ("cd", "pushd", "popd", "set_env", "reset", "autoreload", "load_ext", "store"):
        return [changes("process", f"%{name}", undoable=name in ("cd", "pushd", "popd"))]
    return [] if name in _MAGICS_THAT_LOOK else [opaque(f"%{name}")]
