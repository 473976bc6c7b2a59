"""What a method of something whose type is not known does: by its name."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk import python_names as names
from zero_one.safety.risk.fold import Unknown
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.paths import COMPUTED
from zero_one.safety.risk.programs.known import is_known
from zero_one.safety.risk.python_call import Call

if TYPE_CHECKING:
    from zero_one.safety.risk.python import Reader

_SQL = set("execute executescript executemany read_sql read_sql_query raw exec_driver_sql".split())
SENT_ALONG = ("headers", "cookies", "params", "auth", "proxies")
"""What a session adds to each of its requests."""
_PATH_READS = set("read_text read_bytes iterdir glob rglob stat exists".split())
_PATH_WRITES = set("touch mkdir write_text write_bytes symlink_to hardlink_to".split())


def method_effects(reader: Reader, node: ast.Call, name: str) -> list[Effect]:
    """``name`` is the dotted origin of the method where that is known, else empty."""
    if not isinstance(node.func, ast.Attribute):
        named = isinstance(node.func, ast.Name) and (
            name or node.func.id in reader.defined or not reader.holds_functions
        )
        return [] if named or isinstance(node.func, ast.Lambda) else _computed_function(reader, node)
    last, call, top = node.func.attr, Call(reader, node, name), name.split(".")[0]
    where = reader.sketch(node.func.value) or COMPUTED
    if last in ("unlink", "rmdir") or last in names.METHOD_DELETES:
        return [paths.deleting(where) if last in ("unlink", "rmdir") else destroys("delete", where)]
    receiver = node.func.value
    if last == "close" and isinstance(receiver, ast.Call):
        return unwritten_effects(reader, receiver)
    own = isinstance(receiver, ast.Name) and receiver.id in reader.own and not name
    if own and last in reader.defined:
        return []  # what it does is read where it is defined
    if last == "delete" and _deletes(reader, name):
        return [destroys("delete", where if where != COMPUTED else call.path())]
    if last == "drop" and not node.args and not node.keywords:
        return [destroys("delete", where)]
    if last.startswith("delete_") and not own and not names.looks(name):
        return [destroys("delete", f"{last} {call.path()}")]
    if (
        last == "execute"
        and not node.args
        and isinstance(receiver, ast.Call)
        and isinstance(receiver.func, ast.Attribute)
    ):
        return remote_effects(call, receiver.func.attr)
    if top == "docker" and last in ("run", "exec_run", "create", "build"):
        return [opaque("code inside a container")]
    if last == "truncate" and node.args:
        return [destroys("delete", "what a file holds")]
    if last == "communicate" and node.args and call.text(0) is not None and reader.feeds:
        return call.code("shell")
    if last == "update" and isinstance(node.func.value, ast.Attribute) and node.func.value.attr in SENT_ALONG:
        reader.sent_along(node.args[0] if node.args else None)
    if top == "git":
        said = verbs.risk_of(last)
        forced = any(k.arg in ("force", "f") for k in node.keywords) or re.match(
            r"--force|-f$|\+|:", call.text(0) or ""
        )
        if said is Risk.DESTROY or (last == "push" and forced):
            return [destroys("delete", name)]
        if said is Risk.SPEND_OR_SEND:
            return [sends(name)]
        return [changes("process", name)] if said is Risk.CHANGE or last == "clone_from" else []
    if top in names.REMOTE and name.count(".") and not (last in _SQL and node.args):
        return remote_effects(call, last)
    if top in ("xml", "lxml") and last == "write":
        return [paths.writing(call.path(0))]
    if top == "sqlite3" and last == "backup":
        return [changes("process", "copies a database")]
    text = call.text(0) if node.args else None
    if text is not None and _WRITES_SQL.match(text) and last not in names.TEXT_METHODS and not names.looks(name):
        return call.reader.nested(text, "sql")
    if last in _PATH_READS:
        reader.local_data = True
        return [paths.reading(where)] if last.startswith("read") else []
    if last == "open" and (where != COMPUTED or not name or top in ("pathlib", "Path")):
        return [paths.writing(where)] if re.search(r"[wax+]", call.text(0, "mode") or "r") else [paths.reading(where)]
    if last in names.METHOD_MODES:
        return [paths.protecting(where, "")]
    table = bool(node.args) and isinstance(node.args[0], ast.Dict | ast.List | ast.Lambda)
    if last in ("rename", "replace") and len(node.args) == 1 and not node.keywords and not table:
        return list(paths.moving(where, call.path(0)))
    if last in _SQL and node.args:
        return sql_effects(call)
    if last == "to_sql" and re.search(r"://(?!/|localhost|127\.)", call.text(1, "con") or ""):
        return [sends(call.text(1, "con") or "")]
    if last.startswith("to_") and not node.args and not any(k.arg in _TARGETS for k in node.keywords):
        return []  # `to_json()` gives text back
    if last == "to_clipboard":
        return [changes("device", "the clipboard")]
    if last in ("to_gbq", "push_to_hub"):
        return [sends(last)]
    if reader.endless and last in ("append", "extend", "write", "writelines", "appendleft"):
        return [destroys("process", "fills memory or disk without end")]
    if last == "extract" and node.args and top in ("zipfile", "tarfile"):
        return [changes("process", "unpacks a file")]
    if (
        last in ("write", "dump")
        and top not in ("sys", "ast")
        and re.fullmatch(r"[\w./~ -]+\.[a-z]\w{1,4}", call.text(0) or "")
    ):
        return [paths.writing(call.path(0))]
    if last in ("write_text", "write_bytes") and call.text(0) == "":
        return [paths.emptying(where)]
    if last in names.METHOD_WRITES or (last.startswith("write_") and node.args and last not in _PATH_WRITES):
        return [paths.writing(where if last in _PATH_WRITES else call.path(0))]
    if last == "request" and (call.text(0, "method") or "").upper() == "DELETE":
        return [destroys("send", f"a delete request to {call.text(1, 'url') or 'an address'}")]
    if last == "request" and (call.text(0, "method") or "POST").upper() not in ("GET", "HEAD", "OPTIONS"):
        return [sends(call.text(1, "url") or "an address")]
    if last == "connect" and node.args and isinstance(node.args[0], ast.Tuple) and reader.datagrams:
        return []  # a datagram socket is only given its address; nothing goes out
    connects = last in ("connect", "connect_ex", "bind", "listen") and name.startswith("socket")
    if last in ("connect", "connect_ex") and node.args and isinstance(node.args[0], ast.Tuple):
        host = node.args[0].elts[0] if node.args[0].elts else None
        if reader.text(host) in ("127.0.0.1", "localhost", "::1") and last == "connect_ex":
            return []
    if last in ("connect", "connect_ex") and name.startswith("socket.socket.") and reader.only_connects and node.args:
        try:
            return [fetches(f"{reader.fold(node.args[0])}")]
        except Unknown:
            return [sends("a computed address")]
    pair = last == "connect" and bool(node.args) and isinstance(node.args[0], ast.Tuple)
    if last in names.METHOD_SENDS or connects or pair or (last == "send" and top == "socket"):
        return [sends(call.text(0) or last)]
    if last in names.METHOD_SPENDS and last not in reader.defined:
        return [Effect("spend", last, Risk.SPEND_OR_SEND)]
    if last in names.METHOD_ENDS:
        return [ending(reader, "a program")]
    if last in names.METHOD_PROCESSES and not names.looks(name):
        return call.code("shell")
    if last == "subprocess_shell":
        return call.code("shell", 1)
    if last in ("run", "runctx") and top in ("cProfile", "profile", "trace", "pdb", "bdb"):
        return call.code("python")
    if last == "subprocess_exec":
        return call.words_from(1) if call.text(1) is not None else [opaque("a command that is computed")]
    if last in ("query", "eval") and re.search(r"__|@\w+\s*[.(]", text or ""):
        return [opaque(f"code given to {last}")]
    return unknown_receiver(call, last) if not name else []


_UNMISTAKABLE = re.compile(
    r"(delete|destroy|drop|purge|wipe|erase|uninstall|decommission|deregister|nuke|shred|truncate|flush_?all|flush_?db|terminate"
    r"|kill_all|unlink|rmtree|reboot|power_?off|shutdown_(machine|host|now|computer)|format_(disk|drive|volume))(_\w+|[A-Z]\w*)?"
    r"|(remove|clear|empty|reset)_?(all_)?(files?|dir(ectory|s)?|tree|folders?|users?|accounts?|buckets?|tables?|database|databases|objects?|disk|volume"
    r"|trash|history|logs?|backups?|snapshots?|everything|data)"
)
_IN_MEMORY = re.compile(
    r"drop(na|_duplicates|level|_nulls|_vars|_in_place|while|out\w*)?|delete_(rows|cols)|terminate|destroy|deletes?|truncate"
)
"""What tables of data, windows and programs of our own are told; other rules look at these."""
_TELLS_SECRETS = re.compile(
    r"(get|read|fetch|list|access|retrieve|reveal|decrypt)_?\w*(secret|password|credential|passphrase|private_?key|api_?key|token)\w*",
    re.I,
)


def is_unmistakable(name: str) -> bool:
    return _UNMISTAKABLE.fullmatch(name) is not None and not _IN_MEMORY.fullmatch(name)


def unknown_receiver(call: Call, last: str) -> list[Effect]:
    """A method of an object of which nothing is known: by a name that can hardly be mistaken."""
    reader, text = call.reader, call.text(0)
    if last in reader.defined:
        return []
    if is_unmistakable(last):
        return [destroys("delete", f"{last} {text or ''}".strip())]
    if last == "send" and call.node.args and not reader.generates:
        return [sends(text or last)]
    if last in ("eval", "execfile") and call.node.args:
        return [opaque(f"code given to {last}")]
    if last in ("run", "execute", "call", "cmd", "command", "shell", "exec", "sudo", "bash") and text and " " in text:
        found = reader.nested(text, "shell") if is_known(text.split()[0]) else []
        return [e for e in found if e.risk > Risk.OBSERVE]
    return []


def unwritten_effects(reader: Reader, node: ast.Call) -> list[Effect]:
    """A file that is opened for writing while nothing can be written into it: what it holds is lost."""
    opened = Call(reader, node, "open")
    if reader.resolve(node.func) in (
        "open",
        "io.open",
        "builtins.open",
        "codecs.open",
        "io.FileIO",
        "gzip.open",
        "bz2.open",
        "lzma.open",
    ):
        return [paths.emptying(opened.path(0, "file"))] if "w" in (opened.text(1, "mode") or "") else []
    if isinstance(node.func, ast.Attribute) and node.func.attr == "open" and "w" in (opened.text(0, "mode") or ""):
        return [paths.emptying(reader.sketch(node.func.value) or COMPUTED)]
    return []


def ending(reader: Reader, what: str) -> Effect:
    """A process is ended; when every process is gone through and none is picked out, all of them are."""
    if reader.lists_processes and reader.loops and not reader.choices:
        return destroys("process", "ends every program")
    return changes("process", f"ends {what}")


def _deletes(reader: Reader, name: str) -> bool:
    return "delete" not in reader.defined and not names.looks(name) and name.split(".")[0] not in ("tkinter", "tk")


def _computed_function(reader: Reader, node: ast.Call) -> list[Effect]:
    """``table[key](…)`` and ``getattr(x, y)(…)``: the function is not known."""
    func = node.func
    if reader.holds_functions and not isinstance(func, ast.Subscript | ast.Attribute):
        return [opaque("a function picked out of a module")]
    if isinstance(func, ast.Call) and reader.resolve(func.func) in ("getattr", "builtins.getattr") and func.args[1:]:
        attribute = reader.text(func.args[1])
        if attribute is None:
            return [opaque("a function whose name is computed")]
        called = ast.Call(ast.Attribute(func.args[0], attribute, ast.Load()), node.args, node.keywords)
        return method_effects(reader, ast.copy_location(called, node), "")
    if isinstance(func, ast.Call) and any(reader.resolve(a) in names.POWERFUL for a in node.args):
        return [opaque("a function taken out of a module")]
    if isinstance(func, ast.Call) and reader.resolve(func.func) in ("eval", "builtins.eval"):
        return [opaque("a function whose name is computed")]
    if isinstance(func, ast.Subscript):
        inner = func.value
        if reader.holds_functions and (reader.text(func.slice) is None or not isinstance(inner, ast.Attribute)):
            return [opaque("a function picked out of a module")]
        key = reader.text(func.slice)
        if key in names.BUILTIN_CODE - {"open", "input"} or key in names.POWERFUL or key in names.METHOD_PROCESSES:
            return [opaque(f"{key} out of a table")]
        if isinstance(inner, ast.Attribute) and inner.attr in ("__dict__", "modules"):
            return [opaque(f"{key or 'a function'} out of the inside of a module")]
        if isinstance(inner, ast.Call) and reader.resolve(inner.func) in ("globals", "locals", "vars"):
            return [opaque("a function whose name is computed")]
        if isinstance(inner, ast.Name | ast.Dict) and reader.written_here(inner):
            return []  # each function in it was read where it stands
        return [changes("process", "a function from a table")]
    return []


def remote_effects(call: Call, last: str) -> list[Effect]:
    """A method of a service elsewhere: looking, ending, or changing something that others see."""
    what = f"{call.name or last} {call.text(0) or ''}".strip()
    said = verbs.risk_of(last)
    if said is Risk.DESTROY or (last in _COMMANDS and verbs.risk_of(call.text(0) or "") is Risk.DESTROY):
        return [destroys("delete", what)]
    if _TELLS_SECRETS.fullmatch(last):
        return [Effect("credential", what, Risk.SPEND_OR_SEND)]
    if said is Risk.OBSERVE or last[:1].isupper() or last in _CONNECTS or last in _NEUTRAL:
        return [fetches(what)] if said is Risk.OBSERVE else []
    if verbs.spends(last):
        return [Effect("spend", what, Risk.SPEND_OR_SEND)]
    if last in ("exec_command", "exec_run", "sudo", "run_command", "invoke_shell"):
        text = call.text(0)
        return [sends(what), *(call.reader.nested(text, "shell") if text else [opaque("a command that is computed")])]
    if said is None and not (call.node.args or call.node.keywords):
        return []
    return [sends(what)]


_COMMANDS = ("execute_command", "command", "run_command", "execute", "call", "do")
_CONNECTS = set(
    """
    client resource from_env from_url connect session Session from_connection_string load_config login authorize cursor
    load_kube_config service_account open open_sftp sftp get_client config authenticate set_missing_host_key_policy
    load_system_host_keys initialize_app from_transport filesystem open_fs close quit select_db auth build
    """.split()
)
_NEUTRAL = set(
    """
    items keys values format join split append extend sort_values strip decode encode lower upper isoformat strftime
    to_dict json paginate filter all first limit sort order_by by_id wait_until_ready batch pipeline collection document
    Table Bucket Object bucket blob repository table database objects containers images volumes networks index sheet1
    worksheet users messages files events repos issues projects fetchone fetchall fetchmany mogrify startswith endswith
    """.split()
)
_TARGETS = ("path_or_buf", "buf", "path", "fname", "excel_writer", "path_or_buffer", "file", "con", "name")
_WRITES_SQL = re.compile(
    r"(?is)\s*(delete\s+from|drop\s+(table|database|schema|view|index|user)|truncate\s+(table\s+)?\w|update\s+\S+\s+set\b"
    r"|insert\s+(or\s+\w+\s+)?into|alter\s+(table|user|role|database)|create\s+(or\s+replace\s+)?(table|user|role|view"
    r"|trigger|function)|grant\s+\w|with\s.*\b(delete|update|insert)\b)"
)


def sql_effects(call: Call) -> list[Effect]:
    """SQL that a method is given. A database in memory is gone with the program, so nothing is lost in it."""
    found = _sql(call)
    if call.reader.in_memory and call.name.startswith("sqlite3."):
        return [e for e in found if e.kind not in ("process", "delete")]
    return found


def _selects(reader: Reader, node: ast.expr) -> bool:
    """``select(User).where(…)`` of sqlalchemy, which can only look."""
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Call) and (reader.resolve(node.func) or "").replace("()", "") in (
            "sqlalchemy.select", "sqlmodel.select", "sqlalchemy.future.select", "sqlalchemy.func.count",
        ):  # fmt: skip
            return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def _sql(call: Call) -> list[Effect]:
    text = call.text(0, "sql", "query", "statement")
    first = call.node.args[0]
    if text is None and isinstance(first, ast.Call) and first.args:
        text = call.reader.text(first.args[0])
    if text is None and _selects(call.reader, first):
        return []
    if text is None:
        text = call.reader.sketch(first)
        if text is not None:  # values are filled in by hand: the verb is known, the rest may hold anything
            effects = call.reader.nested(text.replace("…", "1"), "sql")
            if any("not parse" in e.what for e in effects):
                effects = call.reader.nested(text.replace("…", "x"), "sql")
            if (
                call.name.startswith("sqlite3.")
                and re.match(r"(?i)\s*select\b", text)
                and not any(e.risk for e in effects)
            ):
                return effects  # one statement at a time: a SELECT stays one
            if all(e.risk is Risk.OBSERVE for e in effects):
                return [changes("process", "what is filled into the SQL")]
            return effects
        return [opaque("SQL that is computed")]
    return call.reader.nested(text, "sql")
