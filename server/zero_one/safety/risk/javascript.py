"""Reading JavaScript: the parse tree of tree-sitter's grammar, with names traced through ``require`` and ``import``."""

from __future__ import annotations

import re
from functools import lru_cache

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from zero_one.safety.risk import paths
from zero_one.safety.risk.javascript_methods import by_name, collections_in, told_by_verb
from zero_one.safety.risk.javascript_names import Classify, Names, arguments, walk
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.words import text_of

_READS = re.compile(
    r"^(read|stat|lstat|access|exists|opendir|watch|createReadStream|realpath|readlink|fstat|existsSync)"
)
_DELETES = re.compile(r"^(unlink|rm|rmdir|remove|emptyDir|truncate|ftruncate)(Sync)?$")
_MOVES = re.compile(r"^(rename|move)(Sync)?$")
_WRITES = re.compile(
    r"^(write|append|mkdir|mkdtemp|copyFile|cp|copy|link|symlink|createWriteStream|utimes|output|ensure)"
)
_MODES = re.compile(r"^(l|f)?ch(mod|own)")
_RUNS = set(
    """
    exec execSync spawn spawnSync execFile execFileSync fork execa execaCommand $
    """.split()
)
_SECRET = re.compile(r"key|token|secret|passw|credential", re.I)


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_javascript.language()))


def read(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of a script or module."""
    root = _parser().parse(code.encode("utf-8", "surrogatepass")).root_node
    reader = _Reader(classify, depth)
    if root.has_error:
        reader.effects.append(opaque("JavaScript that does not parse"))
    reader.bind_all(root)
    reader.collections = collections_in(root)
    reader.made = set(re.findall(r"createElement\(['\"`](\w+)", code))
    reader.visit(root)
    return reader.effects


_RUNS_ONLY = set("execSync spawnSync execFileSync execFile".split())
"""Names that nothing but child_process has, whatever they are called on."""
_FILE_ONLY = re.compile(
    r"^((unlink|rm|rmdir|writeFile|appendFile|readFile|rename|copyFile|chmod|chown|truncate|mkdir|readdir|symlink)Sync"
    r"|unlink|rmdir|writeFile|appendFile|readFile)$"
)


_KEEPS = set(
    """
    arguments pair array return_statement ternary_expression arrow_function spread_element parenthesized_expression
    binary_expression
    """.split()
)


class _Reader(Names):
    made: frozenset[str] | set[str] = frozenset()
    """The elements that are made for a page."""

    # --- what is done ---------------------------------------------------------------------------------------------

    def visit(self, root: Node) -> None:
        for node in walk(root):
            if node.type in ("call_expression", "new_expression"):
                self._call(node)
                if self._is_argument(node) and self.resolve(node) in ("fs", "child_process", "fs/promises"):
                    self._handed_on(node)
            elif node.type == "member_expression":
                self._member(node)
            elif node.type == "assignment_expression":
                self._leaving(node)
            elif node.type == "subscript_expression" and self._constructs(node):
                self.effects.append(opaque("a function made from text"))
            elif node.type in ("identifier", "subscript_expression") and self._is_argument(node):
                self._handed_on(node)

    def _constructs(self, node: Node) -> bool:
        """``[]["filter"]["constructor"]("…")``: the maker of functions, under whatever name it is called."""
        parent = self.parent(node)
        made = self.fold(node.child_by_field_name("index")) in ("constructor", "__proto__")
        return (
            made
            and parent is not None
            and parent.type in ("call_expression", "subscript_expression", "member_expression")
        )

    def _is_argument(self, node: Node) -> bool:
        """Handed to something, or kept in something, to be called later."""
        parent = self.parent(node)
        return parent is not None and parent.type in _KEEPS

    def _assigned(self, node: Node) -> bool:
        parent = self.parent(node)
        assigned = parent is not None and parent.type == "assignment_expression"
        return assigned and parent is not None and parent.child_by_field_name("left") == node

    def _in_env(self, node: Node) -> bool:
        """``process.env.PATH`` reads one variable, ``{env: {...process.env}}`` hands them to a child of ours."""
        parent = self.parent(node)
        if parent is not None and parent.type in ("member_expression", "subscript_expression"):
            return True
        for _ in range(3):
            if parent is None:
                return False
            if parent.type == "pair" and text_of(parent).startswith("env"):
                return True
            parent = self.parent(parent)
        return False

    def _leaving(self, node: Node) -> None:
        """``image.src = "https://…" + data``: the browser fetches that address at once."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or not re.search(r"(^|\.)(src|href|location|action)$", text_of(left)):
            return
        where = self.sketch(right) or ""
        if "script" in self.made and where.startswith(("http", "//", "data:", "…")) and text_of(left).endswith(".src"):
            self.effects.append(opaque(f"runs code from {where}"))
        if self.fold(right) is None and re.match(r"(https?:)?//|…", where):
            self.effects.append(sends(where))

    def _member(self, node: Node) -> None:
        name = self.resolve(node) or ""
        prop = text_of(node.child_by_field_name("property") or node)
        parent = self.parent(node)
        if prop in ("constructor", "__proto__") and parent is not None:
            called = parent.type == "call_expression"
            if called or (parent.type == "member_expression" and text_of(parent).endswith(".constructor")):
                self.effects.append(opaque("a function made from text"))
        if name.startswith("process.env.") and _SECRET.search(prop):
            self.effects.append(Effect("credential", prop, Risk.SPEND_OR_SEND))
        if name in ("document.cookie", "window.document.cookie") and not self._assigned(node):
            self.effects.append(Effect("credential", "the cookies of the page", Risk.SPEND_OR_SEND))
        if name == "process.env" and not self._in_env(node):
            self.effects.append(Effect("credential", "every variable of the environment", Risk.SPEND_OR_SEND))
        if name in ("process.binding", "process.dlopen"):
            self.effects.append(opaque(name))
        if self._is_argument(node):
            self._handed_on(node)

    def _handed_on(self, node: Node) -> None:
        name = self.resolve(node) or ""
        if "()" in name:
            return  # a result, not a function
        if name in ("eval", "Function") or name.startswith("child_process."):
            self.effects.append(opaque(f"{name} is handed on"))
        elif name in ("fs", "fs/promises", "fs.promises", "fs-extra", "child_process", "process.mainModule"):
            parent = self.parent(node)
            called = self.resolve(parent and self._function_of(parent)) or ""
            if not called.startswith(("console.", "util.inspect")):
                self.effects.append(opaque(f"the module {name} is handed on"))
        elif name.split(".")[0] in ("fs", "fs/promises", "fs-extra") and "." in name:
            self._file(name.rsplit(".", 1)[-1], [], "a computed name")
        elif node.type == "member_expression" and (said := told_by_verb(name)) is not None:
            self.effects.append(said)

    def _function_of(self, given: Node) -> Node | None:
        call = self.parent(given)
        return call.child_by_field_name("function") if call is not None else None

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        name, args = self.resolve(function), arguments(node)
        if name and re.search(r"\w\.(call|apply|bind)$", name) and not name.startswith(("Function.", "Reflect.")):
            name, args = name.rsplit(".", 1)[0], args[1:]  # `unlink.call(fs, path)` calls unlink
        if name in ("Reflect.apply", "Reflect.construct") and args:
            name, args = self.resolve(args[0]), args[2:]
        if name and name.startswith("{}."):
            return  # a method of an object that is written out: it is read where it stands
        if name and name.startswith("child_process.") and "()." in name:
            return  # a method of what a command has printed
        if name and "()." in name and name.rsplit(".", 1)[-1] in ("then", "catch", "finally"):
            return  # what follows is read where it stands
        chained = name is not None and "()." in name
        name = name.replace("()", "") if name else name
        if name is None and function is not None and function.type == "member_expression":
            name = f"?.{text_of(function.child_by_field_name('property') or function)}"
        if name is None:
            if function is not None and function.type in ("call_expression", "subscript_expression"):
                self.effects.append(changes("process", "a computed function"))
            return
        first = self.fold(args[0]) if args else None
        top, last = name.split(".")[0].split("/")[0], name.rsplit(".", 1)[-1]
        where = first or (self.sketch(args[0]) if args else None) or "a computed name"
        if last == "?":
            self.effects.append(opaque("a function whose name is computed"))
        elif (
            name in ("eval", "Function", "AsyncFunction", "GeneratorFunction", "globalThis.eval", "window.eval")
            or top == "vm"
            or (name in ("setTimeout", "setInterval") and args and args[0].type in ("string", "template_string"))
        ):
            self._code(self.fold(args[-1]) if args and name.endswith("Function") else first, "javascript")
        elif "_load" in last or name.startswith(
            ("module.constructor", "Module.", "WebAssembly.instantiate", "WebAssembly.Instance")
        ):
            self.effects.append(opaque(f"{name} loads code"))
        elif name in ("Worker", "worker_threads.Worker"):
            self.effects.append(opaque("code in a worker"))
        elif name in ("require", "import"):
            self.effects.append(opaque("a module whose name is computed")) if first is None else self.module(
                first.removeprefix("node:")
            )
        elif last == "$":
            tagged = node.child_by_field_name("arguments")
            if tagged is not None and tagged.type == "template_string":
                self._code(self.fold(tagged), "shell")
        elif top == "shelljs" and last != "exec":
            words = [self.fold(a) for a in args]
            self.effects += self.classify(
                " ".join([last, *(w if w is not None else "$COMPUTED" for w in words)]), "shell", self.depth + 1
            )
        elif (
            top in ("child_process", "execa", "shelljs")
            or last in _RUNS_ONLY
            or (last in _RUNS and name not in ("exec",) and top in ("cp", "child"))
        ):
            self._process(last, args, first)
        elif top in ("del", "trash") and len(name.split(".")) <= 2:
            self.effects += [paths.deleting(where) if top == "del" else paths.trashing(where)]
        elif name == "fs.createWriteStream.end" and not args:
            self.effects.append(destroys("delete", "what a file holds"))
        elif chained and top in ("fs", "fs-extra"):
            pass  # a method of what was opened or read, which was told before
        elif top in ("fs", "fs-extra", "rimraf") or name.startswith("fs/promises") or _FILE_ONLY.match(last):
            self._file(last if top != "rimraf" else "rm", args, where)
        elif name == "fetch" or top in (
            "axios",
            "http",
            "https",
            "node-fetch",
            "got",
            "undici",
            "superagent",
            "request",
        ):
            self._network(name, last, args, first)
        elif (
            top in ("net", "dgram", "tls", "nodemailer", "WebSocket", "ws", "XMLHttpRequest", "http2")
            or last == "sendBeacon"
        ):
            self.effects.append(sends(where))
        elif name.startswith("process.") and last in ("kill", "abort"):
            everything = first in ("-1", "0", "1")
            end = destroys("process", "ends every program") if everything else changes("process", "ends a program")
            self.effects.append(end)
        elif top == "dns":
            self.effects.append(sends("a computed name") if first is None else fetches(first))
        elif re.match(r"(window\.|self\.)?(localStorage|sessionStorage|indexedDB|caches)\.(clear|remove|delete)", name):
            self.effects.append(destroys("delete", f"what the page keeps ({name})"))
        elif last == "ajax" and args:
            gets = re.search(r"(?i)\b(type|method)\s*:\s*['\"]get", text_of(args[0]))
            self.effects.append(fetches(where) if gets else sends(where))
        elif (last == "post" and args) or (name in ("open", "window.open") and first is None and args):
            self.effects.append(sends(where))
        elif name.startswith(("Bun.", "Deno.")):
            self._runtime(name, last, where, args)
        elif (
            first is not None
            and re.match(
                r"(?i)\s*(select|insert|update|delete|drop|alter|create|truncate|with|pragma|grant)\b.*\s", first
            )
            and last in ("query", "exec", "run", "execute", "prepare", "raw", "unsafe", "all", "get", "each")
        ):
            self.effects += self.classify(first, "sql", self.depth + 1)
        elif (
            last in ("query", "execute", "raw", "$executeRawUnsafe", "$queryRawUnsafe")
            and args
            and first is None
            and top not in ("document", "chrome")
        ):
            self._query(args[0])
        elif first is not None and re.match(r"(DELETE|POST|PUT|PATCH) /", first) and last == "request":
            self.effects.append(destroys("send", first) if first.startswith("DELETE") else sends(first))
        else:
            self.effects += by_name(self, node, name, last, args)

    def _query(self, node: Node) -> None:
        """SQL of which a part is computed: its verb is known, values may hold anything."""
        text = self.sketch(node)
        found = self.classify((text or "?").replace("…", "1"), "sql", self.depth + 1)
        self.effects += found if any(e.risk for e in found) else [changes("process", "what is filled into the SQL")]

    def _runtime(self, name: str, last: str, where: str, args: list[Node]) -> None:
        """What Deno and Bun bring along."""
        if name.startswith("Bun.file."):
            where = self.bun_file(where)
        if "remove" in last or name == "Bun.file.delete" or "truncate" in last.lower():
            self.effects.append(paths.deleting(where))
        elif last in ("run", "spawn", "spawnSync", "Command", "$", "exec", "dlopen", "plugin"):
            self.effects.append(opaque(name))
        elif last in ("serve", "listen", "serveHttp", "connect"):
            self.effects.append(sends("opens this machine to the network"))
        elif name.startswith("Deno.env.") and last == "toObject":
            self.effects.append(Effect("credential", "every variable of the environment", Risk.SPEND_OR_SEND))
        elif re.match(
            r"(read|stat|lstat|open|file|text|json|exists|cwd|env|get|realPath|hash|version|memory|inspect|arrayBuffer|sleep|now)",
            last,
        ):
            self.effects.append(paths.reading(where))
        elif last in ("write", "writer") or last.startswith(
            ("writeText", "writeFile", "mkdir", "create", "copy", "rename")
        ):
            self.effects.append(paths.writing(where))
        else:
            self.effects.append(changes("process", f"{name} {where}"))

    def bun_file(self, where: str) -> str:
        return where if where != "a computed name" else "a file"

    def _code(self, text: str | None, language: str) -> None:
        self.effects += (
            [opaque(f"{language} code that is computed")]
            if text is None
            else self.classify(text, language, self.depth + 1)
        )

    def _process(self, last: str, args: list[Node], first: str | None) -> None:
        if first is None:
            self.effects.append(opaque("a command that is computed"))
            return
        if last in ("fork",):
            self.effects.append(opaque(f"runs {first}"))
            return
        if len(args) > 1 and args[1].type == "array":
            words = [self.fold(c) for c in args[1].named_children]
            first = " ".join(
                [first, *("'" + w.replace("'", "'\\''") + "'" if w is not None else '"$COMPUTED"' for w in words)]
            )
        elif (
            len(args) > 1
            and args[1].type in ("identifier", "call_expression")
            and last in ("spawn", "spawnSync", "execFile", "execFileSync")
        ):
            first += ' "$COMPUTED"'
        self.effects += self.classify(first, "shell", self.depth + 1)

    def _file(self, last: str, args: list[Node], where: str) -> None:
        if _DELETES.match(last):
            self.effects.append(paths.deleting(where))
        elif _MOVES.match(last):
            self.effects += paths.moving(where, (self.fold(args[1]) if len(args) > 1 else None) or "a computed name")
        elif _MODES.match(last):
            self.effects.append(paths.protecting(where, ""))
        elif last in ("open", "openSync"):
            mode = (self.fold(args[1]) if len(args) > 1 else "r") or "w"
            self.effects.append(paths.writing(where) if re.search(r"[wax+]", mode) else paths.reading(where))
        elif _WRITES.match(last):
            target = (
                (self.fold(args[1]) if len(args) > 1 else None) or "a computed name"
                if last.startswith(("copy", "cp", "link", "symlink"))
                else where
            )
            empties = last.startswith("writeFile") and len(args) > 1 and self.fold(args[1]) == ""
            self.effects.append(paths.emptying(target) if empties else paths.writing(target))
            if last.startswith(("copy", "cp")):
                self.effects.append(paths.reading(where))
        elif _READS.match(last):
            self.effects.append(paths.reading(where))
        elif not re.match(r"(glob|close|path|json|fsync|Stats|Dirent|constants|dir)", last):
            self.effects.append(changes("process", f"fs.{last} {where}"))

    def _carries(self, options: Node) -> bool:
        """Whether what was read on this machine goes along with a request, in a header say."""
        named = (
            self.resolve(n) or ""
            for n in walk(options)
            if n.type in ("call_expression", "identifier", "member_expression")
        )
        return any(
            re.match(r"(fs|fs/promises|child_process|os|process\.env|document\.cookie|localStorage)\b", n)
            for n in named
        )

    def _network(self, name: str, last: str, args: list[Node], first: str | None) -> None:
        options = " ".join(text_of(a) for a in args[1:]) + (
            text_of(args[0]) if args and args[0].type == "object" else ""
        )
        method = re.search(r"method['\"]?\s*:\s*(['\"`]?)(\w+)", options)
        verb = method[2].upper() if method else last.upper() if last in ("post", "put", "patch", "delete") else "GET"
        where = first or "a computed address"
        if last in ("createServer", "listen"):
            self.effects.append(sends("opens this machine to the network"))
        elif verb == "DELETE":
            self.effects.append(destroys("send", where))
        elif verb not in ("GET", "HEAD") or first is None or re.search(r"\b(body|data)\b\s*:", options):
            self.effects.append(sends(where))
        elif any(self._carries(a) for a in args if a.type == "object"):
            self.effects.append(sends(f"{where}, with what was read here"))
        else:
            self.effects.append(fetches(where))
