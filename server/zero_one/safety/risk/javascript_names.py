"""JavaScript names traced through ``require`` and ``import``, and texts folded from literals."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from zero_one.safety.risk.model import Effect, changes, opaque
from zero_one.safety.risk.words import ansi, text_of

Classify = Callable[[str, str, int], list[Effect]]

LOOKING_MODULES = set(
    """
        path os util url querystring assert buffer events crypto zlib readline string_decoder timers perf_hooks
        stream tty lodash underscore moment dayjs date-fns chalk yargs commander minimist uuid ramda mathjs
        cheerio async colors luxon csv-parse papaparse js-yaml systeminformation pretty-bytes glob fast-glob
        semver validator marked process http-status qs nanoid slugify fuse.js turndown jsdom node-html-parser xml2js
        fast-xml-parser ini toml dotenv-parse ora cli-table3 figlet boxen string-width iconv-lite mime mime-types ip
        diff leven natural compromise franc rxjs immutable immer zod joi ajv yup d3 three chart.js simple-statistics
        node:test worker-timers exifr image-size pdf-parse pdfjs-dist mammoth tar-stream p-limit p-map bluebird
        module inspector v8 diagnostics_channel async_hooks punycode constants sys globby micromatch picomatch
        """.split()
)
CLIENTS = set(
    """
    pg mysql mysql2 sqlite3 better-sqlite3 mongodb mongoose redis ioredis knex sequelize typeorm prisma @prisma/client
    octokit aws-sdk stripe twilio nodemailer @sendgrid/mail firebase firebase-admin googleapis shelljs zx del trash
    playwright puppeteer puppeteer-core selenium-webdriver express fastify koa socket.io ws dockerode kubernetes-client
    @kubernetes/client-node web3 ethers discord.js telegraf @slack/web-api twit needle ky superagent request axios
    request-promise phin bent wretch sharp node-pty ssh2 node-ssh ftp basic-ftp imap mqtt amqplib kafkajs open chokidar
    archiver adm-zip unzipper tar cassandra-driver neo4j-driver @elastic/elasticsearch elasticsearch bun electron
    """.split()
)
"""Packages whose calls are told by their names and by what they are given; loading one does nothing."""


_NAMES = ("identifier", "shorthand_property_identifier_pattern")
_PATTERNS = (
    "object_pattern", "array_pattern", "rest_pattern", "assignment_pattern", "pair_pattern", "formal_parameters",
    "object_assignment_pattern",
)  # fmt: skip
_BINDERS = (
    "variable_declarator", "function_declaration", "generator_function_declaration", "function_expression",
    "arrow_function",
    "method_definition", "class_declaration", "catch_clause", "for_in_statement", "assignment_expression", "class",
    "import_specifier", "import_clause", "namespace_import", "function", "generator_function",
)  # fmt: skip
_MODULES_OF_POWER = ("fs", "fs-extra", "child_process", "http", "https", "net", "vm", "worker_threads", "dns")
_WORLD = ("globalThis", "global", "window", "self", "top")


class Names:
    """Names of one program and what they stand for; ``effects`` grow as modules are met."""

    def __init__(self, classify: Classify, depth: int) -> None:
        self.classify, self.depth = classify, depth
        self.effects: list[Effect] = []
        self.names: dict[str, str] = {}
        self.known: dict[str, str] = {}
        self.sketches: dict[str, str] = {}
        self.parents: dict[int, Node] = {}
        self.defined: set[str] = set()
        """Methods and functions that this program defines itself, and which are read where they stand."""
        self.bound: set[str] = set()
        """Names that this program gives to anything: variables, parameters, what is imported."""
        self.collections = False

    # --- names ----------------------------------------------------------------------------------------------------

    def parent(self, node: Node) -> Node | None:
        """``Node.parent`` looks from the root down each time; here every parent is remembered once."""
        return self.parents.get(node.id)

    def bind_all(self, root: Node) -> None:
        self.parents = {child.id: node for node in walk(root) for child in node.children}
        bound: set[str] = set()
        self.bound = {text_of(n) for n in walk(root) if n.type in _NAMES and self._is_bound(n)}
        for node in walk(root):
            if node.type in (
                "method_definition",
                "function_declaration",
                "generator_function_declaration",
                "class_declaration",
            ):
                self.defined.add(text_of(node.child_by_field_name("name") or node))
            if node.type == "call_expression":
                self._then(node)
            if node.type == "import_statement":
                self._import(node)
            elif node.type in ("variable_declarator", "assignment_expression"):
                left = node.child_by_field_name("name") or node.child_by_field_name("left")
                right = node.child_by_field_name("value") or node.child_by_field_name("right")
                if left is None or right is None:
                    continue
                origin = "{}" if right.type == "object" else self.resolve(right)
                if left.type == "object_pattern" and origin:
                    self._take_apart(left, origin)
                elif left.type == "identifier":
                    key = text_of(left)
                    if origin:
                        self.names[key] = origin
                    value = self.fold(right)
                    if value is not None and key not in bound and len(value) < 8_000:
                        self.known[key] = value
                    else:
                        self.known.pop(key, None)
                    bound.add(key)
                    sketched = self.sketch(right)
                    if sketched is not None:
                        self.sketches[key] = sketched

    def _take_apart(self, pattern: Node, origin: str) -> None:
        """``{ rm: remove, promises: { unlink } } = require("fs")``."""
        for part in pattern.named_children:
            key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
            if key is None or value is None:
                named = text_of(part).partition("=")[0].strip()
                self.names[named] = f"{origin}.{named}"
            elif value.type == "object_pattern":
                self._take_apart(value, f"{origin}.{text_of(key)}")
            else:
                self.names[text_of(value).partition("=")[0].strip()] = f"{origin}.{text_of(key)}"

    def _then(self, call: Node) -> None:
        """``import("fs").then(({ rm }) => …)``: what the function is given is what was promised."""
        function, given = call.child_by_field_name("function"), arguments(call)
        if function is None or not given or function.type != "member_expression":
            return
        if text_of(function.child_by_field_name("property") or function) != "then":
            return
        origin = self.resolve(function.child_by_field_name("object"))
        if origin is None or "()" in origin or origin.split("/")[0].split(".")[0] not in _MODULES_OF_POWER:
            return
        taken = given[0].child_by_field_name("parameter") or given[0].child_by_field_name("parameters")
        for pattern in taken.named_children if taken is not None and taken.type == "formal_parameters" else [taken]:
            if pattern is not None and pattern.type == "object_pattern":
                self._take_apart(pattern, origin)
            elif pattern is not None and pattern.type == "identifier":
                self.names[text_of(pattern)] = origin

    def _is_bound(self, name: Node) -> bool:
        """Whether a name stands where names are given, and not where they are used."""
        child, parent = name, self.parent(name)
        while parent is not None and parent.type in _PATTERNS:
            child, parent = parent, self.parent(parent)
        if parent is None:
            return False
        given = ("name", "left", "parameter", "parameters", "pattern", "alias")
        return parent.type in _BINDERS and any(parent.child_by_field_name(f) == child for f in given)

    def _import(self, node: Node) -> None:
        source = node.child_by_field_name("source")
        module = (self.fold(source) or "?").removeprefix("node:") if source is not None else "?"
        self.module(module)
        for child in walk(node):
            if child.type == "import_specifier":
                name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
                if name is not None:
                    self.names[text_of(alias or name)] = f"{module}.{text_of(name)}"
            elif child.type == "namespace_import" or (
                child.type == "identifier" and (clause := self.parent(child)) and clause.type == "import_clause"
            ):
                self.names[text_of(child.named_children[0] if child.named_children else child)] = module

    def module(self, module: str) -> None:
        top = module.split("/")[0]
        if module.startswith((".", "/")):
            told = module.endswith((".json", ".csv", ".txt"))
            self.effects += [] if told else [opaque(f"runs {module}")]
            return
        if "://" in module or module.startswith("data:"):
            self.effects.append(opaque(f"runs code from {module[:60]}"))
            return
        if (
            top in CLIENTS
            or module in CLIENTS
            or module.startswith(("@aws-sdk/", "@octokit/", "@google-cloud/", "@azure/"))
        ):
            return
        if top not in LOOKING_MODULES | {
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

    def is_awaited(self, node: Node) -> bool:
        """``await (…)`` outside of a function, which the grammar takes for a call of something named so."""
        function = node.child_by_field_name("function")
        named = function is not None and function.type == "identifier" and text_of(function) == "await"
        return named and "await" not in self.bound and "await" not in self.defined

    def resolve(self, node: Node | None) -> str | None:
        """The full name an expression stands for: ``fs.unlinkSync`` for ``require('fs')['unlink' + 'Sync']``."""
        if node is None:
            return None
        match node.type:
            case "identifier":
                name = text_of(node)
                return self.names.get(name, name)
            case "member_expression" if text_of(node.child_by_field_name("object") or node) in _WORLD:
                prop = node.child_by_field_name("property")
                return text_of(prop) if prop is not None else None
            case "subscript_expression" if text_of(node.child_by_field_name("object") or node) in _WORLD:
                return self.fold(node.child_by_field_name("index")) or "globalThis.?"
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
                args = arguments(node)
                if self.is_awaited(node) and args:
                    return self.resolve(args[-1])
                if (
                    called
                    in ("require", "import", "module.require", "process.mainModule.require", "globalThis.require")
                    and args
                ):
                    return (self.fold(args[0]) or "?").removeprefix("node:")
                if called == "Reflect.get" and len(args) > 1:
                    owner = "" if text_of(args[0]) in _WORLD else f"{self.resolve(args[0])}."
                    return f"{owner}{self.fold(args[1]) or '?'}"
                if called in ("util.promisify",) and args:
                    return self.resolve(args[0])
                return f"{called}()" if called else None
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
            case "number" | "unary_expression":
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
                return f"{left}{right}" if joined and len(left or "") + len(right or "") < 20_000 else None
            case "call_expression":
                return self._fold_call(node)
        return None

    def sketch(self, node: Node | None) -> str | None:
        """A text as far as it is known, with "…" for what is not. Good for naming a file, never for reading code."""
        out = self._sketch(node, 0)[:4_000]
        return out if out.strip("…/") else None

    def _sketch(self, node: Node | None, depth: int) -> str:
        if node is None or depth > 60:
            return "…"
        value = self.fold(node)
        if value is not None:
            return value
        match node.type:
            case "template_string":
                return "".join(
                    self._sketch(c.named_children[0], depth + 1) if c.type == "template_substitution" else text_of(c)
                    for c in node.named_children
                )
            case "binary_expression":
                sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
                return "".join(self._sketch(side, depth + 1) for side in sides)
            case "member_expression" | "subscript_expression":
                return "~" if self.resolve(node) in ("process.env.HOME", "process.env.USERPROFILE") else "…"
            case "call_expression":
                name = (self.resolve(node) or "").replace("()", "")
                if name.endswith("homedir"):
                    return "~"
                if name in ("path.join", "path.resolve", "path.posix.join"):
                    return "/".join(self._sketch(a, depth + 1) for a in arguments(node))
            case "identifier":
                return self.sketches.get(text_of(node), "…")
        return "…"

    def _fold_call(self, node: Node) -> str | None:
        import base64
        import binascii

        function, args = node.child_by_field_name("function"), arguments(node)
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


def walk(node: Node) -> list[Node]:
    out, todo = [], [node]
    while todo:
        current = todo.pop()
        out.append(current)
        todo.extend(reversed(current.children))
    return out


def arguments(node: Node) -> list[Node]:
    args = node.child_by_field_name("arguments")
    return [c for c in args.named_children if c.type != "comment"] if args is not None else []
