"""Reading JavaScript: the parse tree of tree-sitter's grammar, with names traced through ``require`` and ``import``."""

from __future__ import annotations

import re
from functools import lru_cache

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from zero_one.safety.risk import paths
from zero_one.safety.risk.javascript_fetched import reads_nothing_here, texts_in
from zero_one.safety.risk.javascript_methods import by_name, collections_in, told_by_verb
from zero_one.safety.risk.javascript_names import CLIENTS, Classify, arguments, walk
from zero_one.safety.risk.javascript_world import World
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.words import text_of

_RUNS = set(
    """
    exec execSync spawn spawnSync execFile execFileSync fork execa execaCommand $
    """.split()
)
_TELLS = set("getServers getDefaultResultOrder Resolver isIP isIPv4 isIPv6 BlockList SocketAddress".split())
"""What node's modules for the network tell without using it."""
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
    reader.reads_nothing_here = reads_nothing_here(root, reader.bound, reader.defined)
    if reader.reads_nothing_here:
        reader.texts = texts_in(root)
    reader.visit(root)
    return reader.effects


_ASKS = set("get post put patch delete head request fetch send end write pipe listen createServer".split())
_RUNS_ONLY = set("execSync spawnSync execFileSync execFile".split())
"""Names that nothing but child_process has, whatever they are called on."""
_FILE_ONLY = re.compile(
    r"^((unlink|rm|rmdir|writeFile|appendFile|readFile|rename|copyFile|chmod|chown|truncate|mkdir|readdir|symlink)Sync"
    r"|unlink|rmdir|writeFile|appendFile|readFile)$"
)


_HANDED = set("fetch navigator.sendBeacon localStorage.clear sessionStorage.clear process.kill window.open".split())
_HANDING = CLIENTS | {"rimraf", "execa", "net", "http", "https", "dgram", "tls", "vm", "cluster", "undici", "got"}
"""Functions, and packages whose functions, act as well when they are handed on."""
_KEEPS = set(
    """
    assignment_pattern field_definition
    arguments pair array return_statement ternary_expression arrow_function spread_element parenthesized_expression
    binary_expression
    """.split()
)


class _Reader(World):
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
        if parent is not None and parent.type == "assignment_expression":  # `window.go = fs.rmSync`
            left = parent.child_by_field_name("left")
            return left is not None and left != node and left.type != "identifier"
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
        if not name or name.endswith("()"):
            return  # a result, not a function
        top = re.split(r"[./(]", name)[0]
        if name in ("eval", "Function") or name.startswith("child_process."):
            self.effects.append(opaque(f"{name} is handed on"))
        elif name in ("fs", "fs/promises", "fs.promises", "fs-extra", "child_process", "process.mainModule"):
            parent = self.parent(node)
            called = self.resolve(parent and self._function_of(parent)) or ""
            if not called.startswith(("console.", "util.inspect")):
                self.effects.append(opaque(f"the module {name} is handed on"))
        elif re.match(r"fs(/promises|-extra)?(\.promises)?\.constants\.[A-Z_]+$", name):
            return  # a number
        elif name.split(".")[0] in ("fs", "fs/promises", "fs-extra") and "." in name and "()" not in name:
            self._file(name.rsplit(".", 1)[-1], [], "a computed name")
        elif node.type == "member_expression" and (said := told_by_verb(name)) is not None:
            self.effects.append(said)
        elif "()" not in name and (name in _HANDED or (top in _HANDING and "." in name)):
            before = len(self.effects)
            if re.search(r"\.(query|execute|raw|exec|run|unsafe)$", name):
                self.effects.append(changes("process", f"{name} is handed on"))
            self._does(node, name, [], False)
            self.effects[before:] = [e for e in self.effects[before:] if e.risk > Risk.OBSERVE]

    def _function_of(self, given: Node) -> Node | None:
        call = self.parent(given)
        return call.child_by_field_name("function") if call is not None else None

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        if self.is_awaited(node):
            return  # what is awaited is read where it stands
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
        self._does(node, name, args, chained)

    def _does(self, node: Node, name: str, args: list[Node], chained: bool) -> None:
        """What a function does that is called, or handed on, by its full name."""
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
        elif (not chained or last in _ASKS) and (
            name == "fetch"
            or top
            in (
                "axios",
                "http",
                "https",
                "node-fetch",
                "got",
                "undici",
                "superagent",
                "request",
            )
        ):
            self._network(name, last, args, first)
        elif top in ("dns", "net") and last in _TELLS:
            pass
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
