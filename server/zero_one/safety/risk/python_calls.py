"""What a call in a Python program does."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.fold import Unknown
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.python_call import Call
from zero_one.safety.risk.python_magics import magic_effects
from zero_one.safety.risk.python_methods import method_effects, sql_effects
from zero_one.safety.risk.python_modules import module_effects
from zero_one.safety.risk.python_named import named_effects
from zero_one.safety.risk.python_streams import writes_to_stream

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

_OPENERS = set(
    """
    open io.open codecs.open builtins.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open wave.open
    aiofiles.open os.open os.fdopen io.FileIO gzip.GzipFile bz2.BZ2File lzma.LZMAFile aifc.open sunau.open h5py.File
    pandas.ExcelWriter pandas.HDFStore
    """.split()
)
_LOCAL_SOURCES = re.compile(
    r"^(open|io\.open|os\.(listdir|walk|scandir|environ|getenv|popen|uname|getlogin)|glob\.|subprocess\.|pathlib\.|Path|shutil\.|getpass\."
    r"|tkinter\.|pyperclip\.|platform\.|socket\.gethostname|psutil\.|sqlite3\.|mss|PIL\.ImageGrab|pyautogui\.screenshot|keyring|computer\.)"
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
    if writes_to_stream(reader, node, name):
        return []
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
    return named_effects(call) if not (name in names.OPAQUE and _safe_loader(call)) else []


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


def _safe_loader(call: Call) -> bool:
    loader = call.keyword("Loader") or (call.node.args[1] if len(call.node.args) > 1 else None)
    weights = call.keyword("weights_only")
    return (call.name == "yaml.load" and (call.reader.resolve(loader) or "").endswith("SafeLoader")) or (
        call.name == "torch.load" and isinstance(weights, ast.Constant) and weights.value is True)  # fmt: skip
