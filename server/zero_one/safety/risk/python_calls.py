"""What a call in a Python program does."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.fold import Unknown
from zero_one.safety.risk.model import Effect, Kind, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.paths import COMPUTED
from zero_one.safety.risk.python_call import Call, environment_effects
from zero_one.safety.risk.python_guarded import acting_method, guarded
from zero_one.safety.risk.python_magics import magic_effects
from zero_one.safety.risk.python_methods import ending, is_unmistakable, method_effects, remote_effects, sql_effects

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

_OPENERS = set(
    """
    open io.open codecs.open builtins.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open wave.open
    aiofiles.open os.open os.fdopen io.FileIO gzip.GzipFile bz2.BZ2File lzma.LZMAFile aifc.open sunau.open h5py.File pandas.ExcelWriter pandas.HDFStore
    """.split()
)
_LOCAL_SOURCES = re.compile(
    r"^(open|io\.open|os\.(listdir|walk|scandir|environ|getenv|popen|uname|getlogin)|glob\.|subprocess\.|pathlib\.|Path|shutil\.|getpass\."
    r"|tkinter\.|pyperclip\.|platform\.|socket\.gethostname|psutil\.|sqlite3\.|mss|PIL\.ImageGrab|pyautogui\.screenshot|keyring|computer\.)"
)


def _is_of_a_table(name: str) -> bool:
    """A function of a table, or a method of what it gives back."""
    parts = name.split(".")
    return any(is_listed(".".join(parts[:length])) for length in range(2, len(parts) + 1))


def is_listed(name: str) -> bool:
    return any(name in table for table in _TABLES)


def module_effects(module: str) -> list[Effect]:
    """Importing runs a module's code; one that is not known may do anything, so it asks."""
    top = module.split(".")[0]
    if top in names.SPEND:
        return [Effect("spend", module, Risk.SPEND_OR_SEND)]
    if names.looks(module) or top in _KNOWN_MODULES:
        return []
    if top in _DEVICE_MODULES or top in (
        "computer",
        "os",
        "sys",
        "shutil",
        "subprocess",
        "ctypes",
        "keyboard",
        "mouse",
        "tkinter",
        "turtle",
        "pygame",
    ):
        return []
    return [changes("process", f"uses the package {top}")]


def unknown_package(module: str) -> str | None:
    """The package, when nothing is known about it but its name."""
    top = module.split(".")[0]
    return top if module_effects(module) and top not in names.SPEND else None


_DEVICE_MODULES = set(
    """
    pyautogui pynput keyboard mouse pywinauto uiautomation selenium playwright appscript win32com
    """.split()
)


_DEVICE_LOOKS = set(
    """
    position size onScreen screenshot locateOnScreen pixel getActiveWindow getAllWindows getWindowsWithTitle
    getActiveWindowTitle getAllTitles is_pressed sleep
    """.split()
)
_TABLES = (
    names.OPAQUE,
    names.SHELL,
    names.PROCESS,
    names.DELETE,
    names.MOVE,
    names.COPY,
    names.MODES,
    names.WRITE,
    names.FETCH,
    names.DOWNLOAD,
    names.SEND,
    names.CREDENTIAL,
    names.LISTEN,
    names.PROCESS_END,
    names.DEVICE,
    names.PERSIST,
)
_KNOWN_MODULES = {name.split(".")[0] for table in _TABLES for name in table} | names.REMOTE | {"git"}


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


def call_effects(reader: Reader, node: ast.Call) -> list[Effect]:
    origin = (reader.resolve(node.func) or "").removeprefix("IPython.").removeprefix("core.getipython.") or None
    if origin is None:
        return [*_secrets(reader, node, ""), *method_effects(reader, node, "")]
    if isinstance(node.func, ast.Call) and reader.holds_functions:
        return [opaque("a function picked out of a module")]
    name = origin.replace("()", "")
    for private, public in (
        ("nt.", "os."),
        ("posix.", "os."),
        ("_io.", "io."),
        ("_pyio.", "io."),
        ("_socket.", "socket."),
    ):
        if name.startswith(private):
            name = public + name.removeprefix(private)
    for prefix in ("__builtins__.", "builtins.", "builtins.__dict__."):
        if name.startswith(prefix) and name.removeprefix(prefix) in names.BUILTIN_CODE:
            name = name.removeprefix(prefix)
    return [*_secrets(reader, node, name), *_effects(reader, node, name, origin)]


def _secrets(reader: Reader, node: ast.Call, name: str) -> list[Effect]:
    """A secret's path that is handed to anything but text functions will be read."""
    if name in names.INSPECTORS or re.match(r"(re|os\.path|logging|textwrap|shlex|pathlib|Path|urllib)\b", name):
        return []
    if isinstance(node.func, ast.Attribute) and node.func.attr in names.TEXT_METHODS:
        return []
    texts = (reader.sketch(a) for a in [*node.args, *(k.value for k in node.keywords)])
    return [paths.reading(t) for t in texts if t and len(t) < 300 and "\n" not in t and paths.is_secret(t)]


def _effects(reader: Reader, node: ast.Call, name: str, origin: str) -> list[Effect]:
    if name in ("psutil.process_iter", "psutil.pids") or (name == "os.listdir" and reader.sketch_of(node) == "/proc"):
        reader.lists_processes = True
    if _LOCAL_SOURCES.match(name):
        reader.local_data = True
    if reader.endless and name in ("multiprocessing.Process", "subprocess.Popen", "os.fork", "threading.Thread"):
        return [destroys("process", "processes without end")]
    if name in ("pip.main", "pip._internal.main", "pip._internal.cli.main.main"):
        return Call(reader, node, name).listed("pip")
    if name == "os.startfile":
        from zero_one.safety.risk.hands import classify_hand

        return [classify_hand("opener.file", {"path": Call(reader, node, name).text(0)})]
    if name.startswith("git.Repo.git.") and name.endswith(".execute"):
        return Call(reader, node, name).process()
    if name.startswith("git.Repo.git."):
        return Call(reader, node, name).words(["git", name.rsplit(".", 1)[1].replace("_", "-")])
    if name.startswith("git.Repo.") and name.endswith((".reset", ".delete_head", ".delete_tag", ".delete_remote")):
        return [destroys("delete", "what the repository holds")]
    if any(_bare(a) and reader.resolve(a) in names.POWERFUL for a in node.args) and name not in _MODULE_LOOKERS:
        return [opaque(f"a module is handed to {name}")]
    call = Call(reader, node, name)
    if name.startswith("computer.") and "()" not in origin:
        from zero_one.safety.risk.hands import classify_hand

        return [classify_hand(name[9:], call.constants())]
    if name.startswith("get_ipython."):
        return magic_effects(call)
    if name in ("compile", "builtins.compile"):
        return []  # it runs nothing; what runs the result cannot be seen through
    if name in ("eval", "exec", "builtins.eval", "builtins.exec"):
        return call.code("python")
    if name in ("__import__", "importlib.import_module", "builtins.__import__", "importlib.__import__"):
        module = call.text(0)
        return module_effects(module) if module else [opaque("a module whose name is computed")]
    if name in ("getattr", "builtins.getattr"):
        base = reader.resolve(node.args[0]) if node.args else None
        hidden = (
            base is not None
            and call.text(1) is None
            and base.split(".")[0] in ("os", "sys", "subprocess", "shutil", "builtins", "__builtins__", "importlib")
        )
        return [opaque("a function whose name is computed")] if hidden else _taken(call)
    if (
        name in ("setattr", "builtins.setattr")
        and node.args
        and reader.resolve(node.args[0]) in ("os", "sys", "builtins", "subprocess")
    ):
        return [opaque("replaces a function")]
    if name in ("operator.methodcaller", "operator.attrgetter") and node.args:
        method = call.text(0)
        if method is None:
            return [opaque("a method whose name is computed")]
        later = ast.Call(ast.Attribute(ast.Name("what_it_is_given", ast.Load()), method, ast.Load()), node.args[1:], [])
        return method_effects(reader, ast.copy_location(ast.fix_missing_locations(later), node), "")
    if name == "webbrowser.get" and re.search(r"[%\s/]", call.text(0, "using") or ""):
        return [opaque(f"a command that is run as a browser ({call.text(0)})")]
    if name == "socket.create_connection" and reader.only_connects and node.args:
        try:
            return [fetches(f"{reader.fold(node.args[0])}")]
        except Unknown:
            return [sends("a computed address")]
    if name in names.CODE:
        if call.text(0, "stmt", "statement", "expr", "ex") is None and (not node.args or _bare_or_lambda(node.args[0])):
            return []
        return call.code("python")
    if any(
        k.arg in _TRUSTING and isinstance(k.value, ast.Constant) and k.value.value is _TRUSTING[k.arg]
        for k in node.keywords
    ):
        return [opaque(f"{name} with code from elsewhere")]
    if name.startswith("sh.") and "()" not in origin and name.count(".") == 1:
        return call.words([name[3:]]) if name != "sh.Command" else call.process()
    if _SHELLS.match(name):
        where = sends(name.rsplit(".", 1)[0])
        return [where, *call.code("shell")] if not name.endswith(".local") else call.code("shell")
    if name == "logging.basicConfig" and call.keyword("filename") is not None:
        return [paths.writing(call.path(9, "filename"))]
    if name in ("tempfile.NamedTemporaryFile", "tempfile.TemporaryFile") and call.keyword("delete") is not None:
        return [changes("process", "a temporary file")]
    if name == "fileinput.input" and call.keyword("inplace") is not None:
        return [paths.writing(call.path(0, "files"))]
    if name in ("duckdb.sql", "duckdb.query", "duckdb.execute", "polars.SQLContext.execute") and node.args:
        return sql_effects(call)
    if name in ("os.chdir", "contextlib.chdir"):
        reader.moves = True
    if name in _OPENERS:
        return call.opening(name)
    if name == "mmap.mmap" and re.search(r"ACCESS_READ|PROT_READ\b(?!.*PROT_(WRITE|EXEC))", ast.unparse(node)):
        return []
    return _named(call) if not (name in names.OPAQUE and _safe_loader(call)) else []


def _taken(call: Call) -> list[Effect]:
    """``getattr(x, "re" + "move")`` of something unknown: a name that is put together hides itself."""
    name, written = call.text(1), call.node.args[1] if len(call.node.args) > 1 else None
    if name is None or isinstance(written, ast.Name) or call.reader.resolve(call.node.args[0]) is not None:
        return []
    if not isinstance(written, ast.Constant):
        return [opaque(f"a function whose name is put together ({name})")]
    own = name in call.reader.defined
    return [destroys("delete", name)] if verbs.risk_of(name) is Risk.DESTROY and not own else []


_MODULE_LOOKERS = names.INSPECTORS | {
    "getattr",
    "setattr",
    "inspect.getmembers",
    "importlib.reload",
    "builtins.getattr",
}


_TRUSTING = {"allow_pickle": True, "trust_remote_code": True, "weights_only": False, "safe_mode": False}
"""Arguments that let data bring code along."""
_SHELLS = re.compile(
    r"(fabric|fabric2|invoke|paramiko|asyncssh|pssh|netmiko|parallel_ssh|ansible_runner)\b.*\.(run|sudo|local|exec_command"
    r"|run_command|send_command|shell)$"
)


def _bare_or_lambda(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Lambda | ast.Attribute)


def _bare(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Call)


def _written(node: ast.Call) -> str:
    """The texts among the arguments, one after the other."""
    texts = (
        n.value for a in node.args for n in ast.walk(a) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    )
    return " ".join(texts)[:400]


def _safe_loader(call: Call) -> bool:
    loader = call.keyword("Loader") or (call.node.args[1] if len(call.node.args) > 1 else None)
    weights = call.keyword("weights_only")
    return (call.name == "yaml.load" and (call.reader.resolve(loader) or "").endswith("SafeLoader")) or (
        call.name == "torch.load" and isinstance(weights, ast.Constant) and weights.value is True)  # fmt: skip


def _named(call: Call) -> list[Effect]:
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
    if top in _DEVICE_MODULES:
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
    effect = acting_method(name) or (None if _is_of_a_table(name) else guarded(name))
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
    if is_listed(top) or top in _KNOWN_MODULES:
        return method_effects(reader, node, name)
    from zero_one.safety.risk.python import BUILTINS

    if top in BUILTINS or top not in reader.aliases.values():
        return method_effects(reader, node, name)
    said = verbs.risk_of(last) or Risk.CHANGE
    kind: Kind = "delete" if said is Risk.DESTROY else "send" if said is Risk.SPEND_OR_SEND else "process"
    return [Effect(kind, f"calls {name}", max(said, Risk.CHANGE)), *method_effects(reader, node, name)]
