"""What a call in a Python program does."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths
from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.fold import Unknown
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

COMPUTED = "a computed name"
_OPENERS = set(
    """
    open io.open codecs.open builtins.open gzip.open bz2.open lzma.open zipfile.ZipFile tarfile.open wave.open
    aiofiles.open os.open os.fdopen h5py.File pandas.ExcelWriter pandas.HDFStore
    """.split()
)
_SQL = set(
    """
    execute executescript executemany read_sql read_sql_query raw exec_driver_sql
    """.split()
)
_HARMLESS_BUILTINS_ASIDE = set(
    """
    eval exec compile __import__ open breakpoint input
    """.split()
)
_SECRET_NAME = re.compile(r"key|token|secret|passw|credential|auth", re.I)
_LOCAL_SOURCES = re.compile(
    r"^(open|io\.open|os\.(listdir|walk|scandir|environ|getenv|popen|uname|getlogin)|glob\.|subprocess\.|pathlib\.|Path|shutil\.|getpass\."
    r"|pyperclip\.|platform\.|socket\.gethostname|psutil\.|sqlite3\.|mss|PIL\.ImageGrab|pyautogui\.screenshot|keyring|computer\.)"
)


def is_listed(name: str) -> bool:
    return any(name in t for t in (names.OPAQUE, names.SHELL, names.PROCESS, names.DELETE, names.MOVE, names.COPY, names.MODES,
                                   names.WRITE, names.FETCH, names.SEND, names.CREDENTIAL, names.PROCESS_END))  # fmt: skip


def module_effects(module: str) -> list[Effect]:
    """Importing runs a module's code; one that is not known may do anything, so it asks."""
    top = module.split(".")[0]
    if top in names.SPEND:
        return [Effect("spend", module, Risk.SPEND_OR_SEND)]
    if _looks(module) or any(module.split(".")[0] == n.split(".")[0] for t in _tables() for n in t):
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


_DEVICE_MODULES = set(
    """
    pyautogui pynput keyboard mouse pywinauto uiautomation selenium playwright appscript win32com
    """.split()
)


def _tables() -> tuple[set[str], ...]:
    return (names.OPAQUE, names.SHELL, names.PROCESS, names.DELETE, names.MOVE, names.COPY, names.MODES, names.WRITE, names.FETCH,
            names.DOWNLOAD, names.SEND, names.CREDENTIAL, names.LISTEN, names.PROCESS_END, names.DEVICE)  # fmt: skip


def _looks(name: str) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:i]) in names.LOOKING_MODULES for i in range(len(parts), 0, -1))


def reference_effects(reader: Reader, name: str) -> list[Effect]:
    """A function that is mentioned but not called here."""
    if name.startswith("os.environ"):
        reader.local_data = True
        return []
    if name in ("eval", "exec", "compile", "__import__", "builtins.eval", "builtins.exec"):
        return [opaque(f"{name} is handed on")]
    if name in names.DELETE:
        return [destroys("delete", COMPUTED)]
    if name in names.SHELL or name in names.PROCESS or name in names.OPAQUE:
        return [opaque(f"{name} is handed on")]
    if name in names.SEND:
        return [sends(name)]
    if name in names.MOVE or name in names.WRITE or name in names.COPY:
        return [changes("write", COMPUTED, undoable=True)]
    return []


def environment_effects(key: str | None) -> list[Effect]:
    """A variable of the environment is read; keys and passwords live there too."""
    return [Effect("credential", key, Risk.SPEND_OR_SEND)] if key and _SECRET_NAME.search(key) else []


def call_effects(reader: Reader, node: ast.Call) -> list[Effect]:
    name = reader.resolve(node.func)
    if name is None:
        return _method(reader, node, "")
    if _LOCAL_SOURCES.match(name):
        reader.local_data = True
    call = _Call(reader, node, name)
    if name.startswith("computer."):
        from zero_one.safety.risk.hands import classify_hand

        return [classify_hand(name[9:], call.constants())]
    if name.startswith("get_ipython."):
        return _magic(call)
    if name in ("eval", "exec", "compile", "builtins.eval", "builtins.exec", "builtins.compile"):
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
        return [opaque("a function whose name is computed")] if hidden else []
    if (
        name in ("setattr", "builtins.setattr")
        and node.args
        and reader.resolve(node.args[0]) in ("os", "sys", "builtins", "subprocess")
    ):
        return [opaque("replaces a function")]
    if name in _OPENERS or (name.endswith(".open") and name.split(".")[0] in ("Path", "pathlib")):
        return call.opening(name)
    return _named(call) if not (name in names.OPAQUE and _safe_loader(call)) else []


def _safe_loader(call: _Call) -> bool:
    loader = call.keyword("Loader") or (call.node.args[1] if len(call.node.args) > 1 else None)
    weights = call.keyword("weights_only")
    return (call.name == "yaml.load" and (call.reader.resolve(loader) or "").endswith("SafeLoader")) or (
        call.name == "torch.load" and isinstance(weights, ast.Constant) and weights.value is True)  # fmt: skip


class _Call:
    """One call with its arguments."""

    def __init__(self, reader: Reader, node: ast.Call, name: str) -> None:
        self.reader, self.node, self.name = reader, node, name

    def keyword(self, name: str) -> ast.expr | None:
        return next((k.value for k in self.node.keywords if k.arg == name), None)

    def value(self, index: int, *keywords: str) -> object:
        node = (
            self.node.args[index]
            if len(self.node.args) > index
            else next(filter(None, map(self.keyword, keywords)), None)
        )
        return self.reader.fold(node)

    def text(self, index: int, *keywords: str) -> str | None:
        try:
            value = self.value(index, *keywords)
        except Unknown:
            return None
        return (
            value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else None
        )

    def path(self, index: int = 0, *keywords: str) -> str:
        return self.text(index, *keywords) or COMPUTED

    def constants(self) -> dict[str, object]:
        out: dict[str, object] = {}
        for i, arg in enumerate(self.node.args):
            try:
                out[str(i)] = self.reader.fold(arg)
            except Unknown:
                out[str(i)] = None
        for keyword in self.node.keywords:
            try:
                out[keyword.arg or ""] = self.reader.fold(keyword.value)
            except Unknown:
                out[keyword.arg or ""] = None
        return out

    def code(self, language: str, index: int = 0) -> list[Effect]:
        text = self.text(index, "source", "cmd", "command", "args", "object")
        if text is None:
            return [opaque(f"{language} code that is computed")]
        return self.reader.nested(text, language)

    def opening(self, name: str) -> list[Effect]:
        target = self.path(0, "file", "filename", "name", "path")
        if name == "os.open":
            return (
                [paths.writing(target)]
                if re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC)", ast.dump(self.node))
                else [paths.reading(target)]
            )
        mode_at = 0 if name.endswith(".open") and name.split(".")[0] in ("Path", "pathlib") else 1
        has_mode = len(self.node.args) > mode_at or self.keyword("mode") is not None
        mode = self.text(mode_at, "mode") if has_mode else "r"
        if mode is not None and not re.search(r"[wax+]", mode):
            return [paths.reading(target)]
        return [paths.writing(target)]

    def process(self) -> list[Effect]:
        """subprocess and exec: a list of words, or a shell string."""
        try:
            value = self.value(0, "args", "cmd", "command")
        except Unknown:
            return self._process_words()
        if isinstance(value, str):
            shell = self.keyword("shell")
            if shell is None or (isinstance(shell, ast.Constant) and not shell.value):
                more = (
                    [self.text(i) or "" for i in range(1, len(self.node.args))]
                    if self.name.startswith("os.") or "create_subprocess" in self.name
                    else []
                )
                return self._words([value, *more] if more else value.split() or [value])
            return self.reader.nested(value, "shell")
        if isinstance(value, list) and value:
            first, rest = value[0], value[1:]
            if self.name.startswith("os.exec") and not isinstance(first, str):
                return [opaque("a command that is computed")]
            return self._words([str(first), *map(str, rest)])
        return [opaque("a command that is computed")]

    def _process_words(self) -> list[Effect]:
        node = self.node.args[0] if self.node.args else self.keyword("args")
        if isinstance(node, ast.List | ast.Tuple) and node.elts:
            words: list[str | None] = []
            for item in node.elts:
                try:
                    words.append(str(self.reader.fold(item)))
                except Unknown:
                    words.append(None)
            if words[0] is not None:
                return self._words(words)
        return [opaque("a command that is computed")]

    def _words(self, words: list[str] | list[str | None]) -> list[Effect]:
        from zero_one.safety.risk.shell import UNKNOWN
        from zero_one.safety.risk.shell import Reader as ShellReader
        from zero_one.safety.risk.words import Word

        inner = ShellReader(self.reader.classify, self.reader.depth + 1)
        given = self.keyword("input")
        stdin: str | None = None
        if given is not None:
            try:
                folded = self.reader.fold(given)
                stdin = folded.decode("utf-8", "replace") if isinstance(folded, bytes) else str(folded)
            except Unknown:
                stdin = UNKNOWN
        inner.run([Word(COMPUTED, False, True) if w is None else Word(w, True, True) for w in words], stdin)
        return inner.effects

    def fetching(self) -> list[Effect]:
        where = self.text(0, "url")
        body = self.keyword("data") or self.keyword("json") or self.keyword("files")
        if self.name.startswith("urllib") and len(self.node.args) > 1:
            body = self.node.args[1]
        if body is not None and not (isinstance(body, ast.Constant) and body.value is None):
            return [sends(where or "an address")]
        method = (self.text(9, "method") or "GET").upper()
        if method not in ("GET", "HEAD", "OPTIONS"):
            return [sends(where or "an address")]
        computed = where is None
        for keyword in self.node.keywords:
            if keyword.arg in ("params", "headers", "cookies", "auth"):
                try:
                    self.reader.fold(keyword.value)
                except Unknown:
                    computed = (
                        computed
                        or not isinstance(keyword.value, ast.Dict)
                        or not _constant_dict(self.reader, keyword.value)
                    )
        if computed:
            self.reader.fetches_computed.append(where or "a computed address")
        return [fetches(where or "a computed address")]


def _constant_dict(reader: Reader, node: ast.Dict) -> bool:
    try:
        for value in node.values:
            reader.fold(value)
    except Unknown:
        return False
    return True


def _named(call: _Call) -> list[Effect]:
    name, reader, node = call.name, call.reader, call.node
    last = name.rsplit(".", 1)[-1]
    top = name.split(".")[0]
    if name in names.OPAQUE:
        return [opaque(name)]
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
    if name in names.FETCH:
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
    if top in names.SPEND:
        return [Effect("spend", name, Risk.SPEND_OR_SEND)]
    if name in names.CREDENTIAL or name in names.SECRET_DELETE:
        return [Effect("credential", name, Risk.SPEND_OR_SEND)]
    if name in names.LISTEN:
        return [Effect("device", f"{name} records", Risk.SPEND_OR_SEND)]
    if name in names.PROCESS_END:
        return [changes("process", f"ends a program ({name})")]
    if name in names.DEVICE:
        return [changes("device", f"{last} {call.text(0) or ''}".strip())]
    if top in _DEVICE_MODULES:
        looking = last in ("position", "size", "onScreen", "screenshot", "locateOnScreen", "pixel", "getActiveWindow", "getAllWindows",
                           "getWindowsWithTitle", "getActiveWindowTitle", "getAllTitles", "is_pressed", "sleep")  # fmt: skip
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
    if _looks(name) and top not in ("os",):
        return _method(reader, node, name)
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
        return _method(reader, node, name)
    if "." not in name:
        from zero_one.safety.risk.python import BUILTINS

        if name in BUILTINS:
            return []
        if name in ("display", "get_ipython", "_", "__"):
            return []
        return [changes("process", f"calls {name}, which was defined earlier")]
    if is_listed(top) or any(n.split(".")[0] == top for t in _tables() for n in t):
        return _method(reader, node, name)
    from zero_one.safety.risk.python import BUILTINS

    if top in BUILTINS or top not in reader.aliases.values():
        return _method(reader, node, name)
    return [changes("process", f"calls {name}"), *_method(reader, node, name)]


def _method(reader: Reader, node: ast.Call, name: str) -> list[Effect]:
    """A method of something whose type is not known: by its name."""
    if not isinstance(node.func, ast.Attribute):
        return [] if isinstance(node.func, ast.Name | ast.Lambda) else _computed_function(reader, node)
    last, call = node.func.attr, _Call(reader, node, name)
    try:
        target = reader.fold(node.func.value)
        where = target if isinstance(target, str) else COMPUTED
    except Unknown:
        where = COMPUTED
    if last in ("unlink", "rmdir") or last in names.METHOD_DELETES:
        return [destroys("delete", where)]
    if last in ("read_text", "read_bytes", "iterdir", "glob", "rglob", "stat", "exists"):
        reader.local_data = True
        return [paths.reading(where)]
    if last == "open" and (where != COMPUTED or not name):
        return [paths.writing(where)] if re.search(r"[wax+]", call.text(0, "mode") or "r") else [paths.reading(where)]
    if last in names.METHOD_MODES:
        return [paths.protecting(where, "")]
    if last in ("rename", "replace") and len(node.args) == 1 and not node.keywords:
        return list(paths.moving(where, call.path(0)))
    if last in _SQL and node.args:
        return _sql(call)
    if last in names.METHOD_WRITES:
        return [
            paths.writing(
                where
                if last in ("touch", "mkdir", "write_text", "write_bytes", "symlink_to", "hardlink_to")
                else call.path(0)
            )
        ]
    if last in names.METHOD_SENDS or (last == "connect" and name.startswith("socket")):
        return [sends(call.text(0) or last)]
    if last in names.METHOD_SPENDS:
        return [Effect("spend", last, Risk.SPEND_OR_SEND)]
    if last in names.METHOD_ENDS:
        return [changes("process", "ends a program")]
    if last in names.METHOD_PROCESSES and not _looks(name):
        return call.code("shell")
    return []


def _computed_function(reader: Reader, node: ast.Call) -> list[Effect]:
    """``table[key](…)`` and ``getattr(x, y)(…)``: the function is not known."""
    if isinstance(node.func, ast.Call) and reader.resolve(node.func.func) in ("getattr", "eval", "builtins.getattr"):
        return [opaque("a function whose name is computed")]
    if isinstance(node.func, ast.Subscript):
        inner = node.func.value
        if isinstance(inner, ast.Call) and reader.resolve(inner.func) in ("globals", "locals", "vars"):
            return [opaque("a function whose name is computed")]
        return [changes("process", "a function from a table")]
    return []


def _sql(call: _Call) -> list[Effect]:
    text = call.text(0, "sql", "query", "statement")
    if text is None and isinstance(call.node.args[0], ast.Call) and call.node.args[0].args:
        inner = call.node.args[0].args[0]
        try:
            folded = call.reader.fold(inner)
            text = folded if isinstance(folded, str) else None
        except Unknown:
            text = None
    if text is None:
        return [opaque("SQL that is computed")]
    return call.reader.nested(text, "sql")


_MAGICS_THAT_LOOK = set(
    """
        matplotlib pwd ls who whos who_ls time timeit history hist pinfo pdoc psource pfile config lsmagic
        quickref precision pprint doctest_mode env dirs pycat more less man colors xmode page pdef prun debug
        memit mprun lprun
        """.split()
)


def _magic(call: _Call) -> list[Effect]:
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
