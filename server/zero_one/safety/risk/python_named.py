"""What a function does whose full name is known: the tables of ``python_names``, asked one after the other."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.model import Effect, Kind, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.python_call import Call, environment_effects
from zero_one.safety.risk.python_guarded import acting_method, guarded
from zero_one.safety.risk.python_methods import ending, method_effects, remote_effects
from zero_one.safety.risk.python_modules import DEVICE_MODULES, KNOWN_MODULES, is_listed, is_of_a_table

if TYPE_CHECKING:
    pass

_DEVICE_LOOKS = set(
    """
    position size onScreen screenshot locateOnScreen pixel getActiveWindow getAllWindows getWindowsWithTitle
    getActiveWindowTitle getAllTitles is_pressed sleep
    """.split()
)


def _written(node: ast.Call) -> str:
    """The texts among the arguments, one after the other."""
    texts = (
        n.value for a in node.args for n in ast.walk(a) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )
    return " ".join(texts)[:400]


def named_effects(call: Call) -> list[Effect]:
    name, reader, node = call.name, call.reader, call.node
    last = name.rsplit(".", 1)[-1]
    top = name.split(".")[0]
    if name in names.OPAQUE:
        return [opaque(name)]
    if name in names.PROCESS | names.SHELL and re.search(r"\bps\b.{0,9}(aux|-e|-A|-ax|pid)", _written(node)):
        reader.lists_processes = True
    if name == "dns.resolver.resolve":
        return [sends("a computed name")] if call.text(0) is None else [fetches(call.text(0) or "")]
    if name in names.SHELL:
        return call.code("shell")
    if name in names.PROCESS:
        return call.process()
    if name in names.DELETE:
        return [paths.deleting(call.path(0, "path"))]
    if name in names.MOVE:
        return list(paths.moving(call.path(0, "src"), call.path(1, "dst")))
    if name in names.COPY:
        return list(paths.copying(call.path(0, "src"), call.path(1, "dst")))
    if name in names.MODES:
        return [paths.protecting(call.path(0, "path"), "")]
    if name in names.WRITE:
        return [paths.writing(call.path(0))]
    if name in names.FETCH or (top in names.HTTP and last in ("get", "head", "options", "stream", "urlopen")):
        return call.fetching()
    if name in names.DOWNLOAD:
        return [*call.fetching(), paths.writing(call.path(1, "filename", "out"))]
    if name in names.SEND or (
        top in ("requests", "httpx", "aiohttp") and last in ("put", "patch", "post", "request", "delete")
    ):
        method = (call.text(0, "method") or "").upper() if last == "request" else last.upper()
        if last == "request" and method in ("GET", "HEAD"):
            return [fetches(call.text(1, "url") or "an address")]
        return (
            [destroys("send", call.text(0, "url") or "a delete request")]
            if method == "DELETE"
            else [sends(call.text(0, "url") or name)]
        )
    if name.startswith("urllib.request.") and last == "open" and len(node.args) > 1:
        return [sends(call.text(0) or "an address")]
    if top in names.SPEND and verbs.risk_of(last) in (Risk.DESTROY, Risk.OBSERVE):
        return remote_effects(call, last)
    if top in names.SPEND:
        return [Effect("spend", name, Risk.SPEND_OR_SEND)]
    if name in names.CREDENTIAL or name in names.SECRET_DELETE:
        return [Effect("credential", name, Risk.SPEND_OR_SEND)]
    if name == "cv2.VideoCapture" and call.text(0) is not None:
        return [paths.reading(call.path(0))]
    if name in names.LISTEN:
        return [Effect("device", f"{name} records", Risk.SPEND_OR_SEND)]
    if name in names.PROCESS_END:
        if name in ("os.kill", "os.killpg") and call.number(0) in (-1, 0, 1):
            return [destroys("process", "ends every program")]
        return [ending(reader, f"a program ({name})")]
    if name in names.PERSIST:
        return [Effect("persist", call.text(1) or name, Risk.SPEND_OR_SEND)]
    if name in names.DEVICE:
        if name.startswith("webbrowser.") and node.args and call.text(0) is None:
            reader.fetches_computed.append(call.path(0))
        return [changes("device", f"{last} {call.text(0) or ''}".strip())]
    if top in DEVICE_MODULES:
        looking = last in _DEVICE_LOOKS
        if last in ("typewrite", "write", "type", "press_and_release", "send_keys"):
            return call.typed()
        pressed = " ".join(
            str(n.value) for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
        if last in ("click", "submit", "press", "tap") and (said := verbs.risk_of(pressed)) and said > Risk.CHANGE:
            return [Effect("delete" if said is Risk.DESTROY else "send", f"presses {pressed[:60]}", said)]
        if last.lower() in ("send", "submit"):
            return [sends(name)]
        if last.lower().startswith(("delete", "kill", "empty")):
            return [destroys("delete", name)]
        return [] if looking else [changes("device", f"uses keyboard, mouse or browser ({last})")]
    if name in ("os.getenv", "os.environ.get", "os.environ.pop", "os.environ.__getitem__"):
        return environment_effects(call.text(0, "key"))
    if name in (
        "os.environ.update",
        "os.environ.setdefault",
        "os.putenv",
        "os.chdir",
        "os.umask",
        "sys.path.append",
        "sys.path.insert",
    ):
        return [changes("process", name, undoable=True)]
    if top == "getpass" and last == "getpass":
        return [Effect("credential", "a password", Risk.SPEND_OR_SEND)]
    effect = acting_method(name) or (None if is_of_a_table(name) else guarded(name))
    if effect is not None:
        return [effect, *method_effects(reader, node, name)]
    if names.looks(name) and top not in ("os",):
        return method_effects(reader, node, name)
    if top in (
        "os",
        "sys",
        "shutil",
        "signal",
        "pathlib",
        "Path",
        "computer",
        "tkinter",
        "turtle",
        "pygame",
        "subprocess",
        "http",
        "socket",
        "ssl",
        "smtplib",
    ):
        return method_effects(reader, node, name)
    if "." not in name:
        from zero_one.safety.risk.python import BUILTINS

        if name in BUILTINS:
            return []
        if name in ("display", "get_ipython", "_", "__"):
            return []
        return [changes("process", f"calls {name}, which was defined earlier")]
    if is_listed(top) or top in KNOWN_MODULES:
        return method_effects(reader, node, name)
    from zero_one.safety.risk.python import BUILTINS

    if top in BUILTINS or top not in reader.aliases.values():
        return method_effects(reader, node, name)
    said = verbs.risk_of(last) or Risk.CHANGE
    kind: Kind = "delete" if said is Risk.DESTROY else "send" if said is Risk.SPEND_OR_SEND else "process"
    return [Effect(kind, f"calls {name}", max(said, Risk.CHANGE)), *method_effects(reader, node, name)]
