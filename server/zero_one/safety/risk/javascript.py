"""Reading JavaScript: the parse tree of tree-sitter's grammar, with names traced through ``require`` and ``import``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.words import ansi, text_of

Classify = Callable[[str, str, int], list[Effect]]

_LOOKING_MODULES = set(
    """
        path os util url querystring assert buffer events crypto zlib readline string_decoder timers perf_hooks
        stream tty lodash underscore moment dayjs date-fns chalk yargs commander minimist uuid ramda mathjs
        cheerio async colors luxon csv-parse papaparse js-yaml systeminformation pretty-bytes glob fast-glob
        semver validator marked process
        """.split()
)
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
    reader.visit(root)
    return reader.effects


class _Reader:
    def __init__(self, classify: Classify, depth: int) -> None:
        self.classify, self.depth = classify, depth
        self.effects: list[Effect] = []
        self.names: dict[str, str] = {}
        self.known: dict[str, str] = {}

    # --- names ----------------------------------------------------------------------------------------------------

    def bind_all(self, root: Node) -> None:
        bound: set[str] = set()
        for node in _walk(root):
            if node.type == "import_statement":
                self._import(node)
            elif node.type in ("variable_declarator", "assignment_expression"):
                left = node.child_by_field_name("name") or node.child_by_field_name("left")
                right = node.child_by_field_name("value") or node.child_by_field_name("right")
                if left is None or right is None:
                    continue
                origin = self.resolve(right)
                if left.type == "object_pattern" and origin:
                    for part in left.named_children:
                        key, _, alias = text_of(part).partition(":")
                        self.names[(alias or key).strip()] = f"{origin}.{key.strip()}"
                elif left.type == "identifier":
                    key = text_of(left)
                    if origin:
                        self.names[key] = origin
                    value = self.fold(right)
                    if value is not None and key not in bound:
                        self.known[key] = value
                    else:
                        self.known.pop(key, None)
                    bound.add(key)

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        module = (self.fold(source) or "?").removeprefix("node:") if source is not None else "?"
        self._module(module)
        for child in _walk(node):
            if child.type == "import_specifier":
                name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if name is not None:
                    self.names[text_of(alias or name)] = f"{module}.{text_of(name)}"
            elif child.type == "namespace_import" or (
                child.type == "identifier" and child.parent and child.parent.type == "import_clause"
            ):
                self.names[text_of(child.named_children[0] if child.named_children else child)] = module

    def _module(self, module: str) -> None:
        top = module.split("/")[0]
        if top not in _LOOKING_MODULES | {
            "fs",
            "fs-extra",
            "child_process",
            "http",
            "https",
            "net",
            "dgram",
            "axios",
            "node-fetch",
            "vm",
        } and top not in (
            "undici",
            "got",
            "worker_threads",
            "cluster",
            "execa",
            "rimraf",
            "nodemailer",
            "dns",
            "tls",
            "http2",
        ):
            self.effects.append(changes("process", f"uses the package {module}"))

    def resolve(self, node: Node | None) -> str | None:
        """The full name an expression stands for: ``fs.unlinkSync`` for ``require('fs')['unlink' + 'Sync']``."""
        if node is None:
            return None
        match node.type:
            case "identifier":
                name = text_of(node)
                return self.names.get(name, name)
            case "member_expression":
                base, prop = self.resolve(node.child_by_field_name("object")), node.child_by_field_name("property")
                return f"{base}.{text_of(prop)}" if base and prop is not None else None
            case "subscript_expression":
                base, index = (
                    self.resolve(node.child_by_field_name("object")),
                    self.fold(node.child_by_field_name("index")),
                )
                return f"{base}.{index}" if base and index is not None else (f"{base}.?" if base else None)
            case "call_expression":
                called = self.resolve(node.child_by_field_name("function"))
                args = _arguments(node)
                if (
                    called
                    in ("require", "import", "module.require", "process.mainModule.require", "globalThis.require")
                    and args
                ):
                    return (self.fold(args[0]) or "?").removeprefix("node:")
                if called in ("util.promisify",) and args:
                    return self.resolve(args[0])
                return called
            case "import":
                return "import"
            case "await_expression" | "parenthesized_expression" | "new_expression":
                inner = node.child_by_field_name("constructor") or (
                    node.named_children[-1] if node.named_children else None
                )
                return self.resolve(inner)
            case "sequence_expression":
                return self.resolve(node.named_children[-1]) if node.named_children else None
        return None

    def fold(self, node: Node | None) -> str | None:
        """The text of a literal string expression, or None."""
        if node is None:
            return None
        match node.type:
            case "string":
                return ansi(text_of(node)[1:-1])
            case "number":
                return text_of(node)
            case "template_string":
                if any(
                    c.type == "template_substitution" and self.fold(c.named_children[0]) is None
                    for c in node.named_children
                ):
                    return None
                return "".join(
                    (self.fold(c.named_children[0]) or "") if c.type == "template_substitution" else text_of(c)
                    for c in node.named_children
                )
            case "identifier":
                return self.known.get(text_of(node))
            case "parenthesized_expression":
                return self.fold(node.named_children[0]) if node.named_children else None
            case "binary_expression":
                left, right = self.fold(node.child_by_field_name("left")), self.fold(node.child_by_field_name("right"))
                operator = node.child_by_field_name("operator")
                joined = operator is not None and text_of(operator) == "+" and left is not None and right is not None
                return f"{left}{right}" if joined else None
            case "call_expression":
                return self._fold_call(node)
        return None

    def _fold_call(self, node: Node) -> str | None:
        import base64
        import binascii

        function, args = node.child_by_field_name("function"), _arguments(node)
        name = self.resolve(function)
        first = self.fold(args[0]) if args else None
        try:
            if name == "atob" and first is not None:
                return base64.b64decode(first + "==").decode("utf-8", "replace")
            if name == "Buffer.from" and first is not None:
                kind = self.fold(args[1]) if len(args) > 1 else "utf8"
                if kind in ("base64", "base64url"):
                    return base64.b64decode(first + "==").decode("utf-8", "replace")
                return bytes.fromhex(first).decode("utf-8", "replace") if kind == "hex" else first
            if name == "String.fromCharCode":
                codes = [self.fold(a) for a in args]
                return "".join(chr(int(c)) for c in codes if c is not None) if all(codes) else None
            if name in ("decodeURIComponent", "unescape") and first is not None:
                from urllib.parse import unquote

                return unquote(first)
        except (ValueError, binascii.Error):
            return None
        if function is not None and function.type == "member_expression":
            inner, method = (
                self.fold(function.child_by_field_name("object")),
                text_of(function.child_by_field_name("property") or function),
            )
            if inner is not None and method in ("toString", "trim", "toLowerCase", "concat"):
                return (
                    inner + (first or "") if method == "concat" else inner.lower() if method == "toLowerCase" else inner
                )
            target = function.child_by_field_name("object")
            if method == "join" and target is not None and target.type == "array":
                items = [self.fold(c) for c in target.named_children]
                return (
                    (first or "").join(i for i in items if i is not None) if all(i is not None for i in items) else None
                )
        return None

    # --- what is done ---------------------------------------------------------------------------------------------

    def visit(self, root: Node) -> None:
        for node in _walk(root):
            if node.type in ("call_expression", "new_expression"):
                self._call(node)
            elif node.type == "member_expression":
                self._member(node)
            elif (
                node.type in ("identifier", "subscript_expression")
                and node.parent is not None
                and node.parent.type == "arguments"
            ):
                self._handed_on(node)

    def _member(self, node: Node) -> None:
        name = self.resolve(node) or ""
        prop = text_of(node.child_by_field_name("property") or node)
        if (
            prop in ("constructor", "__proto__")
            and node.parent is not None
            and node.parent.type in ("call_expression", "member_expression")
        ) and (node.parent.type == "call_expression" or text_of(node.parent).endswith(".constructor")):
            self.effects.append(opaque("a function made from text"))
        if name.startswith("process.env.") and _SECRET.search(prop):
            self.effects.append(Effect("credential", prop, Risk.SPEND_OR_SEND))
        if name in ("process.binding", "process.dlopen"):
            self.effects.append(opaque(name))
        if node.parent is not None and node.parent.type == "arguments":
            self._handed_on(node)

    def _handed_on(self, node: Node) -> None:
        name = self.resolve(node) or ""
        if name in ("eval", "Function") or name.startswith("child_process."):
            self.effects.append(opaque(f"{name} is handed on"))
        elif name.split(".")[0] in ("fs", "fs/promises") and _DELETES.match(name.rsplit(".", 1)[-1]):
            self.effects.append(destroys("delete", "a computed name"))

    def _call(self, node: Node) -> None:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        name, args = self.resolve(function), _arguments(node)
        if name is None:
            if function is not None and function.type in ("call_expression", "subscript_expression"):
                self.effects.append(changes("process", "a computed function"))
            return
        first = self.fold(args[0]) if args else None
        top, last = name.split(".")[0].split("/")[0], name.rsplit(".", 1)[-1]
        where = first or "a computed name"
        if last == "?":
            self.effects.append(opaque("a function whose name is computed"))
        elif (
            name in ("eval", "Function", "globalThis.eval", "window.eval")
            or top == "vm"
            or (name in ("setTimeout", "setInterval") and args and args[0].type in ("string", "template_string"))
        ):
            self._code(first, "javascript")
        elif name in ("require", "import"):
            self.effects.append(opaque("a module whose name is computed")) if first is None else self._module(
                first.removeprefix("node:")
            )
        elif top in ("child_process", "execa", "shelljs") or (
            last in _RUNS and name not in ("exec",) and top in ("cp", "child")
        ):
            self._process(last, args, first)
        elif top in ("fs", "fs-extra", "rimraf") or name.startswith("fs/promises"):
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
            self.effects.append(changes("process", "ends a program"))
        elif name.startswith(("Bun.", "Deno.")):
            self.effects.append(
                destroys("delete", where)
                if "remove" in last
                else opaque(name)
                if last in ("run", "spawn", "Command")
                else changes("write", where)
            )
        elif last in ("deleteMany", "drop", "dropDatabase", "deleteOne", "remove", "dropIndexes") and name.startswith(
            "db."
        ):
            self.effects.append(destroys("delete", name))
        elif last in ("insertOne", "insertMany", "updateOne", "updateMany", "replaceOne", "save") and name.startswith(
            "db."
        ):
            self.effects.append(changes("write", name))
        elif (
            last in ("query", "exec", "run", "execute")
            and first is not None
            and re.match(r"(?i)\s*(select|insert|update|delete|drop|alter|create|truncate)\b", first)
        ):
            self.effects += self.classify(first, "sql", self.depth + 1)

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
            self.effects.append(destroys("delete", where))
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
            self.effects.append(paths.writing(target))
            if last.startswith(("copy", "cp")):
                self.effects.append(paths.reading(where))
        elif _READS.match(last):
            self.effects.append(paths.reading(where))

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
        else:
            self.effects.append(fetches(where))


def _walk(node: Node) -> list[Node]:
    out, todo = [], [node]
    while todo:
        current = todo.pop()
        out.append(current)
        todo.extend(reversed(current.children))
    return out


def _arguments(node: Node) -> list[Node]:
    args = node.child_by_field_name("arguments")
    return [c for c in args.named_children if c.type != "comment"] if args is not None else []
