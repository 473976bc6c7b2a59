"""What a JavaScript program does to files, programs, databases and addresses, by the names of node, Deno and Bun."""

from __future__ import annotations

import re

from tree_sitter import Node

from zero_one.safety.risk import paths
from zero_one.safety.risk.javascript_names import Names, walk
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.words import text_of

_READS = re.compile(
    r"^(read|stat|lstat|access|exists|opendir|watch|createReadStream|realpath|readlink|fstat|existsSync)"
)
DELETES = re.compile(r"^(unlink|rm|rmdir|remove|emptyDir|truncate|ftruncate)(Sync)?$")
_MOVES = re.compile(r"^(rename|move)(Sync)?$")
_WRITES = re.compile(
    r"^(write|append|mkdir|mkdtemp|copyFile|cp|copy|link|symlink|createWriteStream|utimes|output|ensure)"
)
_MODES = re.compile(r"^(l|f)?ch(mod|own)")


class World(Names):
    """The effects of each kind of function; ``args`` are what it is given, ``first`` their first as a text."""

    reads_nothing_here = False
    """Whether the program reads nothing of this machine, so that an address it computes carries nothing away."""
    texts: tuple[str, ...] = ()
    """The texts that stand in such a program: an address may be put together from them."""

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
        if DELETES.match(last):
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
        if first is None and name == "fetch" and args and self.reads_nothing_here:
            where = self.sketch(args[0]) or where
            told = (fetches(where.replace("…", text)) for text in ("…", *self.texts))
            written = (fetches(text) for text in self.texts)
            first = None if any(e.risk for e in (*told, *written)) else where
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
