"""Reading PowerShell: a small tokenizer, commands with their arguments, and the tables of ``powershell_names``.

What is not recognised counts as destroying, because it could not be read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from zero_one.safety.risk import paths, verbs
from zero_one.safety.risk import powershell_names as names
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque, reads, sends
from zero_one.safety.risk.powershell_commands import AUTOSTART, HANDLERS, Given
from zero_one.safety.risk.powershell_words import Group, Item, Text, pipelines

Classify = Callable[[str, str, int], list[Effect]]

_SECRET_VARIABLE = re.compile(r"(?i)\$(env:)?\{?(env:)?\w*(key|token|secret|passw|credential)\w*")
_OF_CURL = re.compile(r"-[a-zA-Z]|-[sSLfkoOIXdHT]{2,}|--\w.*")
_SYSTEM_FOLDER = re.compile(r"(?i)system32|\$env:(windir|systemroot)|[a-z]:\\windows|\\drivers\\etc\\")


def read(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of a script, command by command."""
    reader = Reader(classify, depth)
    encoded = re.search(r"(?i)(?<!\w)-e(nc|ncodedcommand|c)?\s+([A-Za-z0-9+/=]{16,})", code)
    if encoded:
        try:
            reader.effects += classify(base64.b64decode(encoded[2]).decode("utf-16-le"), "powershell", depth + 1)
            code = code.replace(encoded[2], "''")
        except (binascii.Error, ValueError, UnicodeDecodeError):
            return [opaque("encoded PowerShell")]
    reader.watches = "stopwatch" in code.lower()
    reader.script(pipelines(re.sub(r"`([A-Za-z])", r"\1", code)))  # a backtick inside a word only hides it
    return reader.effects


class Reader:
    def __init__(self, classify: Classify, depth: int) -> None:
        self.classify, self.depth = classify, depth
        self.effects: list[Effect] = []
        self.known: dict[str, str] = {}
        self.defined: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.watches = False
        """Whether time is taken with a stopwatch, which is stopped without an effect."""

    def script(self, lines: list[list[list[Item]]]) -> None:
        for pipeline in lines:
            fed: list[Item] | None = None
            for command in pipeline:
                self.command(command, fed)
                fed = command

    def command(self, items: list[Item], fed: list[Item] | None) -> None:
        for item in items:
            if isinstance(item, Group):
                self.script(item.lines)
            else:
                self.script([line for inner in item.inner for line in inner])
                if _SECRET_VARIABLE.search(item.text) and item.kind != "single":
                    self.effects.append(Effect("credential", item.text[:60], Risk.SPEND_OR_SEND))
        items = self._redirects(items)
        if not items:
            return
        first = items[0]
        self._methods(items)
        if isinstance(first, Group):
            set_one = len(items) > 2 and isinstance(items[2], Text) and items[2].text in ("=", "+=")
            if set_one and isinstance(items[1], Text) and items[1].text.startswith("$_."):
                self.effects.append(changes("process", f"sets {items[1].text[3:]}"))
            return
        word = first.text
        if first.kind == "word" and word.startswith("$"):
            self._variable(items, fed)
            return
        if first.kind != "word":
            return  # a text by itself is printed
        if word in ("&", ".") and len(items) > 1:
            self._called(items[1:], fed)
        elif word.lower() in names.KEYWORDS:
            self._keyword(word.lower(), items[1:], fed)
        elif re.match(r"[A-Za-z][\w.]*=|\[|[-+!,@]|\d|\.\w|::", word) and not re.match(r"\.[\\/]", word):
            at = next((i for i, x in enumerate(items) if isinstance(x, Text) and x.text in ("=", "+=")), None)
            if at is not None:
                self.command(items[at + 1 :], None)
        elif len(items) > 1 and isinstance(items[1], Text) and items[1].text == "=":
            self.command(items[2:], None)  # an entry of a hash table
        else:
            self._named(word, items[1:], fed)

    # --- statements -----------------------------------------------------------------------------------------------

    def _redirects(self, items: list[Item]) -> list[Item]:
        out: list[Item] = []
        skip = False
        for i, item in enumerate(items):
            if skip:
                skip = False
                continue
            operator = isinstance(item, Text) and item.kind == "word" and re.fullmatch(r"[\d*]?>>?(&\d)?", item.text)
            if operator and not isinstance(item, Group) and not item.text.endswith(("&1", "&2")):
                target = items[i + 1] if i + 1 < len(items) else None
                skip = True
                if isinstance(target, Text) and target.text.lower() != "$null":
                    empties = len(out) <= 1 and all(
                        isinstance(o, Text) and o.text.lower() in ("$null", "''") for o in out
                    )
                    where = self.path(target)
                    self.effects.append(paths.emptying(where.replace("\\", "/")) if empties else self.writing(where))
            elif not operator:
                out.append(item)
        return out

    def _variable(self, items: list[Item], fed: list[Item] | None) -> None:
        first = items[0]
        second = items[1] if len(items) > 1 else None
        if isinstance(first, Text) and isinstance(second, Text) and second.kind == "word":
            if second.text in ("=", "+=", "-=", "*=", "??="):
                rest = items[2:]
                if len(rest) == 1 and isinstance(rest[0], Text) and rest[0].sure and second.text == "=":
                    self.known[first.text[1:].lower()] = rest[0].text
                else:
                    self.known.pop(first.text[1:].lower(), None)
                if first.text.lower().startswith("$env:path") or first.text.lower() == "$profile":
                    self.effects.append(changes("process", "environment variables"))
                self.command(rest, None)
            elif second.text.lower() == "in":
                self.command(items[2:], fed)
        if isinstance(first, Text) and re.fullmatch(r"(?i)\$env:", first.text):
            self.effects.append(Effect("credential", "variables of the environment", Risk.SPEND_OR_SEND))

    def _keyword(self, word: str, rest: list[Item], fed: list[Item] | None) -> None:
        if word in ("function", "filter", "workflow") and rest and isinstance(rest[0], Text):
            self.defined.add(rest[0].text.lower().split("(")[0])
        elif word in ("return", "throw", "else", "do", "exit") and rest:
            self.command(rest, fed)

    def _called(self, items: list[Item], fed: list[Item] | None) -> None:
        target = items[0]
        if isinstance(target, Group):
            if target.kind != "{":
                self.effects.append(opaque("a command whose name is computed"))
            return
        known = self.value(target)
        if known is None:
            self.effects.append(opaque(f"a command whose name is computed ({target.text[:40]})"))
        else:
            self._named(known, items[1:], fed)

    # --- commands -------------------------------------------------------------------------------------------------

    def _named(self, word: str, args: list[Item], fed: list[Item] | None) -> None:
        name = word.lower().removesuffix(".exe")
        if re.search(r"[\\/]|\.(ps1|psm1|bat|cmd|vbs|js|msi)$", name) and "/" not in name[:1]:
            self.effects.append(opaque(f"runs {word}"))
            return
        name = names.ALIASES.get(name, name) if word.lower() == name or name in ("curl", "wget") else name
        if word.lower() in ("curl.exe", "wget.exe"):
            name = word.lower()[:4]
        elif word.lower() in ("curl", "wget") and any(isinstance(a, Text) and _OF_CURL.fullmatch(a.text) for a in args):
            self.native(word.lower(), args, fed)  # the program's own options: it may stand for either
        if name in self.defined:
            return
        name = self.aliases.get(word.lower(), name)
        if name in ("set-alias", "new-alias"):
            given = Given(self, name, args, fed)
            words = [given.option("name"), given.option("value"), *given.operands]
            if len(told := [w for w in words if w]) >= 2:
                self.aliases[told[0].lower()] = told[1].lower()
        handler = HANDLERS.get(name)
        if handler is not None:
            handler(self, Given(self, name, args, fed))
        elif names.SECRETS.match(name):
            self.effects.append(Effect("credential", word, Risk.SPEND_OR_SEND))
        elif names.LOOKS.match(name):
            self._looks(name, Given(self, name, args, fed))
        elif "-" in name and re.fullmatch(r"[a-z]+-\w+", name):
            self._cmdlet(name, Given(self, name, args, fed))
        elif name in ("shutdown", "bcdedit", "diskpart", "cipher", "format", "takeown", "icacls"):
            self.effects.append(destroys("system", f"{name} {Given(self, name, args, fed).line()}".strip()))
        else:
            self.native(name, args, fed)

    def _looks(self, name: str, given: Given) -> None:
        if name in ("resolve-dnsname", "test-connection", "test-netconnection") and not given.sure():
            self.effects.append(sends("a computed name"))
        elif name == "foreach-object":
            member = given.option("membername") or (given.operands[0] if given.operands else None)
            if member is not None:
                self._method(member)
        elif name == "read-host" and given.option("assecurestring", "maskinput") is not None:
            self.effects.append(Effect("credential", "a password", Risk.SPEND_OR_SEND))
        elif name in ("get-childitem", "get-item") and any(re.match(r"(?i)env:", o) for o in given.operands):
            self.effects.append(Effect("credential", "variables of the environment", Risk.SPEND_OR_SEND))
        for operand in [*given.operands, *given.options.values()]:
            effect = paths.reading(operand.replace("\\", "/")) if operand else reads("")
            if effect.risk:
                self.effects.append(effect)

    def _cmdlet(self, name: str, given: Given) -> None:
        line = f"{name} {given.line()}".strip()
        if names.OPAQUE.match(name):
            self.effects.append(opaque(line))
        elif names.DESTROYS.match(name):
            self.effects.append(
                destroys("system" if name.startswith(("set", "add", "new", "enable")) else "delete", line)
            )
        elif names.PERSISTS.match(name):
            self.effects.append(Effect("persist", line, Risk.SPEND_OR_SEND))
        elif names.SENDS.match(name):
            self.effects.append(sends(line))
        elif names.PACKAGES.match(name):
            self.effects.append(changes("package", given.option("name") or (given.operands or [line])[0]))
        elif names.CHANGES.match(name):
            said = verbs.risk_of(name.split("-", 1)[1])
            grave = name.startswith(("stop-", "suspend-")) and names.PROTECTS.search(line)
            self.effects.append(destroys("system", line) if grave or said is Risk.DESTROY else changes("process", line))
        else:
            self.effects.append(opaque(f"PowerShell: {name}"))

    def native(self, name: str, args: list[Item], fed: list[Item] | None) -> None:
        from zero_one.safety.risk.shell import UNKNOWN
        from zero_one.safety.risk.shell import Reader as ShellReader
        from zero_one.safety.risk.words import Word

        inner = ShellReader(self.classify, self.depth + 1)
        words = [Word(name)]
        for arg in args:
            value = self.value(arg) if isinstance(arg, Text) else None
            words.append(Word("$COMPUTED", False, True) if value is None else Word(value, True, True))
        inner.run(words, UNKNOWN if fed is not None else None)
        self.effects += inner.effects

    # --- values ---------------------------------------------------------------------------------------------------

    def value(self, item: Item) -> str | None:
        """What a word stands for, None where that is computed."""
        if isinstance(item, Group):
            return None
        if item.sure:
            return item.text
        if item.inner:
            return None
        out = re.sub(r"\$\{?(\w+)\}?", lambda m: self.known.get(m[1].lower(), m[0]), item.text)
        out = re.sub(r"(?i)\$(env:userprofile|home)\b", "~", out)
        return None if "$" in out else out

    def path(self, item: Text) -> str:
        value = self.value(item)
        return item.text if value is None else value

    def writing(self, path: str) -> Effect:
        if AUTOSTART.search(path):
            return Effect("persist", path, Risk.SPEND_OR_SEND)
        if _SYSTEM_FOLDER.search(path):
            return destroys("system", path)
        return paths.writing(path if path.startswith("\\\\") else path.replace("\\", "/"))

    # --- methods --------------------------------------------------------------------------------------------------

    def _methods(self, items: list[Item]) -> None:
        """``[Type]::Name(…)``, ``$x.Name(…)`` and ``(…).Name(…)``."""
        for i, item in enumerate(items):
            if not isinstance(item, Text) or item.kind != "word":
                continue
            following = items[i + 1] if i + 1 < len(items) else None
            call = following if isinstance(following, Group) and following.kind == "(" and following.joined else None
            if item.text.startswith("[") and re.search(r"::\$|::\(|::$", item.text):
                self.effects.append(opaque("a method whose name is computed"))
            static = re.match(r"\[([\w.,` ]+(?:\[[\w., ]*\])?)\](?:::(\w+))?(?:\.(\w+))*", item.text)
            if static and re.fullmatch(r"[\d.,\s-]+", static[1]):
                if static[3] is not None and call is not None:
                    self._method(static[3])  # an index, and a method of what stands there
            elif static:
                self._static(static[1], static[2], static[3], call)
            elif call is not None and (member := re.search(r"(?:\.|::)(\$?)(\w+)$", item.text)):
                known = self.known.get(member[2].lower()) if member[1] else member[2]
                self._method(known) if known else self.effects.append(opaque("a method whose name is computed"))

    def _static(self, kind: str, member: str | None, chained: str | None, call: Group | None) -> None:
        plain = re.sub(r"(?i)^system\.", "", kind)
        if names.STATICS_THAT_LOOK.fullmatch(f"{plain}::{member}" if member else plain):
            return
        if not names.PURE_TYPES.match(kind):
            if member is not None or not re.match(r"(?i)[\w.]*(attribute|exception)$", kind):
                self.effects.append(opaque(f"[{kind}]::{member or ''}"))
            return
        told = self.value(call.first) if call is not None and call.first is not None else None
        if re.match(r"(?i)io\.(file|directory)$", plain) and member:
            texts = call.lines[0][0] if call is not None and call.lines and call.lines[0] else []
            empties = len(texts) == 2 and isinstance(texts[1], Text) and texts[1].kind != "word" and not texts[1].text
            self._static_file(member.lower(), told or paths.COMPUTED, empties)
        elif re.match(r"(?i)environment$", plain) and member:
            if re.match(r"(?i)getenvironmentvariables", member):
                self.effects.append(Effect("credential", "variables of the environment", Risk.SPEND_OR_SEND))
            elif re.match(r"(?i)set|exit|failfast", member):
                self.effects.append(changes("process", f"[{kind}]::{member}"))
        elif re.match(r"(?i)net\.dns$", plain) and told is None:
            self.effects.append(sends("a computed name"))
        elif chained is not None and call is not None:
            self._method(chained)

    def _static_file(self, member: str, where: str, empties: bool) -> None:
        if member.startswith("delete"):
            self.effects.append(paths.deleting(where))
        elif member.startswith(("read", "exists", "get", "enumerate", "openread", "opentext")):
            self.effects.append(paths.reading(where.replace("\\", "/")))
        elif member.startswith(("move", "replace", "encrypt", "set")):
            self.effects.append(changes("process", f"{member} {where}"))
        else:
            self.effects.append(paths.emptying(where.replace("\\", "/")) if empties else self.writing(where))

    def _method(self, member: str) -> None:
        said = next((what for pattern, what in names.METHODS if pattern.match(member)), None)
        if said == "destroy":
            self.effects.append(destroys("delete", f"{member} on what it is given"))
        elif said == "opaque":
            self.effects.append(opaque(f"a method that runs something ({member})"))
        elif said == "send":
            self.effects.append(sends(f"{member} of an object"))
        elif names.SECRET_METHODS.fullmatch(member):
            self.effects.append(Effect("credential", f"{member} of an object", Risk.SPEND_OR_SEND))
        elif member.lower() == "stop" and self.watches:
            return
        elif said == "change" or not names.METHODS_THAT_LOOK.fullmatch(member):
            self.effects.append(changes("process", f"{member} of an object"))
