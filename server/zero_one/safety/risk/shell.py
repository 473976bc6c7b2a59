"""Reading shell programs: the parse tree of tree-sitter's bash grammar, command by command.

Wrapped code (``eval``, ``bash -c``, here-documents, pipes into an interpreter, aliases, functions, ``base64 -d``) is
unwrapped where it is literal; where it is not, it counts as opaque.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, destroys, fetches, opaque
from zero_one.safety.risk.shell_words import LONGEST, Words
from zero_one.safety.risk.steering import steers
from zero_one.safety.risk.words import Word, decode, expand_braces, printed, split_unquoted, text_of

DEEPEST = 12


@lru_cache(maxsize=1)
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@dataclass
class Reader(Words):
    """Reads one program. ``variables`` and ``aliases`` grow as assignments are met, in the order they stand."""

    looping: bool = False

    def read(self, code: str) -> list[Effect]:
        if self.depth > DEEPEST:
            return [opaque("code wrapped too deeply")]
        self.source = code
        root = _parser().parse(code.encode("utf-8", "surrogatepass")).root_node
        if root.has_error:
            # What the grammar cannot read may still run; what it could read is kept as well.
            self.effects.append(opaque("shell code that does not parse"))
        self.statement(root, None)
        return self.effects

    # --- statements -----------------------------------------------------------------------------------------------

    def statement(self, node: Node, stdin: str | None) -> str | None:
        """Read a statement; ``stdin`` is the literal text piped into it, the result the literal text it prints."""
        kind = node.type
        if kind == "command":
            return self._command(node, stdin)
        if kind == "raw_string" and EVALUATED.search(text_of(node)):
            self.effects.append(opaque(f"an index that runs something ({text_of(node)[:40]})"))
        if kind == "subshell":
            folder = self.folder
            out = self._statements(node, stdin)
            self.folder = folder
            return out
        if kind == "pipeline":
            return self._pipeline([c for c in node.named_children if c.type != "comment"], stdin)
        if kind == "redirected_statement":
            return self._redirected(node, stdin)
        if kind in ("variable_assignment", "variable_assignments", "declaration_command"):
            return self._assign(node)
        if kind == "function_definition":
            self._function(node)
            return None
        if kind == "for_statement":
            return self._for(node, stdin)
        if kind in ("while_statement", "c_style_for_statement") and _without_end(node):
            self.effects.append(destroys("process", "processes without end"))
        return self._statements(node, stdin)

    def _statements(self, node: Node, stdin: str | None) -> str | None:
        printed_text: str | None = None
        count = 0
        for child in node.named_children:
            if child.type in ("comment", "heredoc_body"):
                continue
            printed_text = self.statement(child, stdin)
            count += 1
        return (
            printed_text if count == 1 and node.type in ("program", "subshell", "compound_statement", "list") else None
        )

    def _pipeline(self, stages: list[Node], stdin: str | None) -> str | None:
        feed = stdin
        for index, stage in enumerate(stages):
            feed = self.statement(stage, feed if index or feed is not None else None)
            if index + 1 < len(stages) and feed is None:
                feed = UNKNOWN
        return None if feed is UNKNOWN else feed

    def _redirected(self, node: Node, stdin: str | None) -> str | None:
        body = node.child_by_field_name("body")
        redirects = [c for c in node.named_children if c.type.endswith("redirect")]
        trailing: list[Node] = []
        to_file = False
        for redirect in redirects:
            if redirect.type == "heredoc_redirect":
                bodies = [c for c in redirect.named_children if c.type == "heredoc_body"]
                stdin = "".join(map(text_of, bodies)) or _misread_body(redirect)
                for part in (c for body in bodies for c in body.named_children if c.type != "heredoc_content"):
                    self.word(part)
                if not any(c.type == "heredoc_start" and text_of(c)[:1] in "'\"\\" for c in redirect.named_children):
                    for command in re.findall(r"(?<!\\)`([^`]+)`", stdin):  # the grammar takes these for text
                        self.nested(command, "shell")
                trailing += [c for c in redirect.named_children if not c.type.startswith("heredoc")]
            elif redirect.type == "herestring_redirect":
                word = self.word(redirect.named_children[0])
                stdin = word.text if word.sure else UNKNOWN
            else:
                to_file = self._file_redirect(redirect, body) or to_file
                if text_of(redirect).lstrip("0123456789").startswith("<"):
                    stdin = "" if text_of(redirect).endswith("/dev/null") else UNKNOWN
        extra = [c for r in redirects if r.type == "file_redirect" for c in _targets(r)[1:]]
        if body is not None and body.type == "command" and extra:
            out = self._command(body, stdin, extra)
        else:
            out = self.statement(body, stdin) if body is not None else None
        for child in trailing:  # `cat <<EOF | bash`: the grammar hangs the rest of the pipeline under the here-document
            out = self.statement(child, out if out is not None else UNKNOWN)
        return None if to_file else out

    def _file_redirect(self, redirect: Node, body: Node | None) -> bool:
        """Effects of ``> file`` and the like; true when the output goes to a file."""
        targets = _targets(redirect)
        operator = re.sub(r"^\d+", "", text_of(redirect)).strip()
        if not targets:
            return False
        word = self.word(targets[0])
        if operator.startswith("<") and not operator.startswith("<>"):
            self.effects.append(self._socket(body, word) if paths.is_socket(word.text) else paths.reading(word.text))
            return False
        if re.match(r"[<>]&\d|>&-", operator):
            return False
        if paths.is_socket(word.text) and body is not None and re.match(r"\S*(sh|bash|exec)\b", text_of(body)):
            self.effects.append(destroys("send", f"a shell for {word.text}"))
        effect = paths.writing(word.text)
        nothing_printed = body is None or re.fullmatch(
            r"(:|true|exec|cat\s+/dev/null|echo(\s+-n)?\s*(''|\"\")?|printf\s+(''|\"\"))", text_of(body)
        )
        if nothing_printed and not operator.startswith((">>", "&>>")):
            effect = paths.emptying(word.text)
        said = text_of(body) if body is not None else ""
        endless = re.match(r"(yes\b|cat\s+/dev/(zero|u?random)\b|tr\s.*/dev/zero)", said)
        if endless and effect.risk and "head" not in said:
            effect = destroys("process", f"fills the disk ({word.text})")
        self.effects += paths.below(self.folder, [effect])
        return True

    def _socket(self, body: Node | None, word: Word) -> Effect:
        """Reading from an address; a shell that does so runs what it is sent."""
        if body is not None and re.match(r"\S*(sh|bash|exec|python\d?|perl|source|\.)\b", text_of(body)):
            return destroys("send", f"a shell for {word.text}")
        return fetches(word.text) if word.sure else paths.writing(word.text)

    def _assign(self, node: Node) -> str | None:
        for child in [node, *node.named_children]:
            if child.type != "variable_assignment":
                continue
            name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
            if name is None:
                continue
            if name.type == "subscript":
                self.word(name)
            word = self.word(value) if value is not None else Word("")
            key = text_of(name)
            if text_of(child)[len(key) :].startswith("+="):
                before = self.variables.get(key, Word(""))
                word = Word(before.text + word.text, before.sure and word.sure)
            if EVALUATED.search(word.text) and word.quoted:
                self.effects.append(opaque(f"an index that runs something ({key})"))
            short = len(word.text) <= LONGEST  # a few doublings make gigabytes
            self.variables[key] = Word(word.text[:LONGEST], word.sure and short)
            if steers(key, word.text if word.sure else None):
                self.effects.append(opaque(f"{key}={word.text}"))
            elif key == "PATH" and not re.match(
                r"[\"']?(\$\{?PATH|(/usr|/opt/|~|\$\{?HOME)[^:]*:.*\$\{?PATH)", text_of(value) if value else ""
            ):
                self.effects.append(opaque(f"PATH={word.text}"))
        return None

    def _function(self, node: Node) -> None:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None:
            return
        key = text_of(name)
        self.functions[key] = body
        if re.search(rf"(?<![\w-]){re.escape(key)}\s*\|\s*{re.escape(key)}(?![\w-])", text_of(body)):
            self.effects.append(destroys("process", "processes without end"))
        self.statement(body, UNKNOWN)

    def _for(self, node: Node, stdin: str | None) -> str | None:
        """A loop over few words that are written out is read once for each of them."""
        name = node.child_by_field_name("variable")
        values = [w for c in node.children_by_field_name("value") for w in expand_braces(self.word(c))]
        if name is None:
            return self._statements(node, stdin)
        known = bool(values) and all(v.sure and not re.search(r"[*?\[]", v.text) for v in values)
        if known and 1 < len(values) <= 8 and not self.looping:
            self.looping = True
            for value in values:
                self.variables[text_of(name)] = Word(value.text, True, True)
                self._statements(node, stdin)
            self.looping = False
            return None
        text = "\n".join(v.text for v in values)
        self.variables[text_of(name)] = Word(text or f"${text_of(name)}", known and len(values) == 1, True)
        return self._statements(node, stdin)

    # --- commands -------------------------------------------------------------------------------------------------

    def _command(self, node: Node, stdin: str | None, extra: Sequence[Node] = ()) -> str | None:
        """One simple command. ``extra``: words that stand behind a redirect (``rm 2>/dev/null -rf x``)."""
        words: list[Word] = []
        # A bare `-` or `[` is a word that the grammar gives no name.
        for child in [*node.children, *extra]:
            if not child.is_named:
                words.append(Word(text_of(child)))
                continue
            if child.type == "variable_assignment":
                self._assign(child)
            elif child.type == "herestring_redirect":
                here = self.word(child.named_children[0])
                stdin = here.text if here.sure else UNKNOWN
            elif child.type.endswith("redirect"):
                self._file_redirect(child, node)
            elif child.type != "comment":
                inner = child.named_children[0] if child.type == "command_name" and child.named_children else child
                for word in split_unquoted(self.word(inner)):
                    words += expand_braces(word)
        return self.run(words, stdin)

    def run(self, words: list[Word], stdin: str | None = None) -> str | None:
        """The effects of one simple command; the literal text it prints, where that is known."""
        from zero_one.safety.risk.programs import effects_of

        if not words:
            return None
        if not words[0].sure or (words[0].quoted and re.search(r"\s", words[0].text)):
            self.effects.append(opaque(f"a command whose name is computed ({words[0].text[:40]})"))
            return None
        name = words[0].text
        if not name.isascii():
            self.effects.append(opaque(f"a command whose name only looks like another ({name[:40]})"))
            return None
        if (
            name in ("{", "!", "then", "do", "else") and len(words) > 1
        ):  # `time { rm x; }` is one command to the grammar
            return self.run(words[1:], stdin)
        if name in ("}", "fi", "done"):
            return None
        if name in self.aliases and self.depth < DEEPEST:
            tail = " ".join(_quote(w) for w in words[1:])
            self.nested(f"{self.aliases[name]} {tail}", "shell")
            return None
        if name in self.functions:
            return None  # its body was read where it was defined, with its arguments taken as unknown
        program = name.rsplit("/", 1)[-1]
        if name in _EVALUATING and any(EVALUATED.search(w.text) for w in words[1:] if w.quoted):
            self.effects.append(opaque(f"an index that runs something ({name})"))
        if name.startswith("\\"):
            program = name.lstrip("\\")
        args = words[1:]
        self.effects += paths.below(self.folder, effects_of(self, program, name, args, stdin))
        if program in ("cd", "pushd", "popd"):
            self._go(program, args)
        text = printed(program, args)
        if text is None and stdin is not None and stdin is not UNKNOWN:
            text = decode(program, [a.text for a in args], stdin)
        return text

    def _go(self, program: str, args: list[Word]) -> None:
        targets = [a for a in args if not a.text.startswith("-")]
        if program == "popd" or len(targets) != len(args) or len(targets) > 1:
            self.folder = None
        elif not targets:
            self.folder = "~"
        elif not targets[0].sure or not paths.is_written_out(targets[0].text) or re.search(r"[*?]", targets[0].text):
            self.folder = None
        elif re.match(r"[/~]", targets[0].text):
            self.folder = targets[0].text
        elif self.folder is not None:
            self.folder = f"{self.folder.rstrip('/')}/{targets[0].text}".lstrip("/") if self.folder else targets[0].text

    def nested(self, code: str, language: str) -> None:
        """Code inside code. Shell inside shell keeps the variables that are known."""
        if language == "shell":
            inner = self.inside()
            self.effects += paths.below(self.folder, inner.read(code))
            self.variables.update(inner.variables)
            self.aliases.update(inner.aliases)
        else:
            self.effects += paths.below(self.folder, self.classify(code, language, self.depth + 1))


EVALUATED = re.compile(r"\w\[[^\]]*(\$\(|`)")
"""An index inside quotes: where numbers are compared or names are set, the shell evaluates it."""
_EVALUATING = set("test [ [[ let printf read unset declare typeset local export readonly".split())
UNKNOWN = "\0unknown"
"""Piped text that cannot be known. Compared with ``is``-like care: it never occurs in real code."""


def _quote(word: Word) -> str:
    return "'" + word.text.replace("'", "'\\''") + "'" if word.sure else word.text


def _misread_body(redirect: Node) -> str:
    """A body that begins with a backslash is taken for words by the grammar; its lines are there all the same."""
    lines = text_of(redirect).split("\n")
    return "\n".join(lines[1:-1])


def _targets(redirect: Node) -> list[Node]:
    """The file of a redirect, and the further words that the grammar hangs on it, which belong to the command."""
    return [c for c in redirect.named_children if c.type != "file_descriptor"]


def _without_end(node: Node) -> bool:
    """``while true; do x & done``: programs are started and none is waited for."""
    text = text_of(node)
    endless = re.match(
        r"(while|until)\s+(true|:|false|\[\[?\s*1\s*\]\]?|\(\(\s*1\s*\)\))\s*[;\n]|for\s*\(\(\s*;\s*;", text
    )
    waits = re.search(r"\b(sleep|wait|read|break|exit|return|inotifywait)\b", text)
    return bool(endless) and not waits and re.search(r"(?<![&>|<])&(?![&>\d])", text) is not None
