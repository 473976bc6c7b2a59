"""PowerShell's commands with what they are given: what each does to files, programs, addresses and the registry."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from zero_one.safety.risk import paths
from zero_one.safety.risk import powershell_names as names
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.powershell_words import Group, Item, Text

if TYPE_CHECKING:
    from zero_one.safety.risk.powershell import Reader

AUTOSTART = re.compile(r"(?i)CurrentVersion\\+(Run|RunOnce|Winlogon)\b|Start Menu|\\Startup|\$PROFILE|shell:startup")


class Given:
    """The arguments of one command: options by their names, operands, and what is piped into it."""

    def __init__(self, reader: Reader, name: str, args: list[Item], fed: list[Item] | None) -> None:
        self.reader, self.name, self.args, self.fed = reader, name, args, fed
        self.options: dict[str, str] = {}
        self.operands: list[str] = []
        self.blocks = [a for a in args if isinstance(a, Group) and a.kind == "{"]
        waiting: str | None = None
        for arg in args:
            option = isinstance(arg, Text) and arg.kind == "word" and re.match(r"-([A-Za-z]\w*):?(.*)", arg.text)
            if option:
                if waiting is not None:
                    self.options[waiting] = ""
                waiting = option[1].lower()
                if option[2]:
                    self.options[waiting], waiting = option[2], None
                continue
            value = reader.path(arg) if isinstance(arg, Text) else "$COMPUTED"
            if waiting is not None and waiting not in _SWITCHES:
                self.options[waiting], waiting = value, None
            else:
                if waiting is not None:
                    self.options[waiting], waiting = "", None
                if not (isinstance(arg, Group) and arg.kind == "{"):
                    self.operands.append(value.rstrip(",") if value != "," else value)
        if waiting is not None:
            self.options[waiting] = ""

    def option(self, *wanted: str) -> str | None:
        """The value of an option, which may be cut short (``-Rec`` for ``-Recurse``)."""
        for name, value in self.options.items():
            if any(w == name or (len(name) >= 2 and w.startswith(name)) for w in wanted):
                return value
        return None

    def target(self, *wanted: str) -> str:
        return self.option(*wanted) or (self.operands[0] if self.operands else "$COMPUTED")

    def sure(self) -> bool:
        """Whether nothing among the arguments is computed."""
        return all(isinstance(a, Text) and self.reader.value(a) is not None for a in self.args)

    def line(self) -> str:
        return " ".join(a.text for a in self.args if isinstance(a, Text))[:80]


_SWITCHES = set(
    """
    recurse force confirm verbose wait passthru asjob append noclobber usebasicparsing raw nonewline quiet noprofile
    """.split()
)


def _remove(reader: Reader, given: Given) -> None:
    if given.option("whatif") is not None:
        return
    targets = [given.option("path", "literalpath")] if given.option("path", "literalpath") else given.operands
    reader.effects += [paths.deleting(t or "$COMPUTED") for t in targets or ["$COMPUTED"]]


def _write(reader: Reader, given: Given) -> None:
    target = given.target("path", "filepath", "literalpath")
    if re.match(r"(?i)(hklm|hkcu|registry::|hkey_)", target):
        _registry(reader, given)
        return
    if given.name == "new-item" and (name := given.option("name")):
        target = f"{given.option('path') or '.'}/{name}"
    reader.effects.append(reader.writing(target))


def _registry(reader: Reader, given: Given) -> None:
    line = given.line()
    if AUTOSTART.search(line):
        reader.effects.append(Effect("persist", line, Risk.SPEND_OR_SEND))
    elif names.REGISTRY_PROTECTION.search(line):
        reader.effects.append(destroys("system", line))
    else:
        reader.effects.append(changes("system", f"{given.name} {line}"))


def _copy(reader: Reader, given: Given) -> None:
    source = given.option("path", "literalpath") or (given.operands[0] if given.operands else "$COMPUTED")
    rest = given.operands if given.option("path", "literalpath") else given.operands[1:]
    target = given.option("destination", "newname") or (rest[0] if rest else ".")
    if re.fullmatch(r"(?i)nul|\$null", target):
        reader.effects.append(paths.deleting(source))
        return
    read = paths.reading(source.replace("\\", "/"))
    reader.effects += [read] if read.risk else []
    if given.name != "copy-item":
        reader.effects.append(paths.moving(source, "x")[0])
    reader.effects.append(reader.writing(target))


def _web(reader: Reader, given: Given) -> None:
    if given.name in ("curl", "wget"):
        reader.native(given.name, given.args, given.fed)
        return
    where = given.target("uri")
    method = (given.option("method") or "GET").upper()
    if method == "DELETE":
        reader.effects.append(destroys("send", f"a delete request to {where}"))
    elif method not in ("GET", "HEAD", "OPTIONS") or given.option("body", "infile", "form") is not None or given.fed:
        reader.effects.append(sends(where))
    elif not given.sure():
        reader.effects.append(sends(f"{where} (the address is computed)"))
    if (kept := given.option("outfile")) is not None:
        reader.effects.append(reader.writing(kept or "$COMPUTED"))
    if not reader.effects or reader.effects[-1].what != where:
        reader.effects.append(fetches(where))


def _evaluate(reader: Reader, given: Given) -> None:
    source = next(iter(given.args), None) or (given.fed[0] if given.fed and len(given.fed) == 1 else None)
    text = reader.value(source) if isinstance(source, Text) else None
    if text is None:
        reader.effects.append(opaque("PowerShell code that is computed"))
    else:
        reader.effects += reader.classify(text, "powershell", reader.depth + 1)


def _start(reader: Reader, given: Given) -> None:
    target = given.target("filepath")
    plain = re.fullmatch(r"[\w .+-]+", target) and not target.lower().endswith((".exe", ".bat", ".cmd", ".msi", ".ps1"))
    if re.match(r"(?i)https?://", target):
        reader.effects.append(changes("process", f"opens {target}") if given.sure() else sends(target))
    elif re.match(r"(?i)(mailto|tel|sms):", target):
        reader.effects.append(sends(target))
    elif (
        not plain
        or given.option("argumentlist", "verb") is not None
        or len(given.operands) > 1
        or re.match(r"(?i)(powershell|pwsh|cmd|wscript|cscript|mshta|rundll32|regsvr32|msiexec|wsl|bash)$", target)
    ):
        reader.effects.append(opaque(f"starts {target}"))
    else:
        reader.effects.append(changes("process", f"starts {target}"))


def _stop(reader: Reader, given: Given) -> None:
    named = given.option("name", "id", "processname", "inputobject") or (given.operands[0] if given.operands else None)
    fed = given.fed[0].text.lower() if given.fed and isinstance(given.fed[0], Text) else ""
    source = names.ALIASES.get(fed, fed)
    everything = named in ("*", "$COMPUTED") or (
        named is None and source == "get-process" and len(given.fed or []) == 1
    )
    everything = everything or (
        source == "get-process" and any(isinstance(f, Text) and f.text == "*" for f in given.fed or [])
    )
    if everything:
        reader.effects.append(destroys("process", "ends every program"))
    else:
        reader.effects.append(changes("process", f"ends {named or 'a program'}"))


def _object(reader: Reader, given: Given) -> None:
    kind = given.target("typename")
    if given.option("comobject") is not None:
        reader.effects.append(opaque(f"an object of another program ({given.line()})"))
    elif re.search(r"(?i)sockets|webclient|mail|httpclient|ftp", kind):
        reader.effects.append(sends(f"a connection ({kind})"))
    elif not names.PURE_TYPES.match(re.split(r"[(\[]", kind)[0]):
        reader.effects.append(opaque(f"an object of {kind}"))


def _elsewhere(reader: Reader, given: Given) -> None:
    if given.option("computername", "session", "hostname") is not None:
        reader.effects.append(sends(given.line()))
    if not given.blocks:
        reader.effects.append(opaque(f"{given.name} {given.line()}"))
    elif given.name == "start-job":
        reader.effects.append(changes("process", "a job in the background"))


def _content(reader: Reader, given: Given) -> None:
    reader.effects.append(paths.emptying(given.target("path").replace("\\", "/")))


def _service(reader: Reader, given: Given) -> None:
    grave = names.PROTECTS.search(given.line())
    line = f"{given.name} {given.line()}"
    reader.effects.append(destroys("system", line) if grave else changes("process", line))


def _tee(reader: Reader, given: Given) -> None:
    if given.option("variable") is None:
        reader.effects.append(reader.writing(given.target("filepath")))


HANDLERS: dict[str, Callable[[Reader, Given], None]] = {
    "remove-item": _remove,
    **dict.fromkeys(
        "set-content add-content out-file new-item export-csv export-clixml set-item out-printer".split(), _write
    ),
    **dict.fromkeys("set-itemproperty new-itemproperty".split(), _registry),
    **dict.fromkeys("copy-item move-item rename-item".split(), _copy),
    **dict.fromkeys("invoke-webrequest invoke-restmethod curl wget".split(), _web),
    "invoke-expression": _evaluate,
    "start-process": _start,
    "stop-process": _stop,
    "new-object": _object,
    **dict.fromkeys("invoke-command start-job start-threadjob".split(), _elsewhere),
    "clear-content": _content,
    **dict.fromkeys("stop-service suspend-service".split(), _service),
    "tee-object": _tee,
    "measure-command": lambda reader, given: None,
}
