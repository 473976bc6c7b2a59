"""Where the text that an act brings in comes from: what must be said of it as long as it is in the conversation.

Whoever wrote a web page, a mail, a file or a window title may have written it for the model to obey. Such text is named
by its source, and so is everything that may hold some of it. What is known to be free of it is a short list; anything
else counts as foreign.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from zero_one.interpreter.asking import PURE_FACTS, Act
from zero_one.safety.risk.model import Effect, Verdict

PROGRAM = "the output of a program"
FILE_NAMES = "file names"
MAIL = "your mail"
TOOL = "a tool"


@dataclass(frozen=True, slots=True)
class Reading:
    """``sources`` of what an act may print. ``recalls``: it may also print what earlier code of its language keeps."""

    sources: tuple[str, ...] = ()
    recalls: bool = False


def reading(act: Act, verdict: Verdict) -> Reading:
    """What the output of ``act`` may hold. Parses: call it from a thread."""
    if act.method:
        return Reading(of_hand(act.method))
    named = [source for effect in verdict.effects if (source := _of_effect(effect))]
    if _MAIL.search(act.code):
        named.insert(0, MAIL)
    pure, recalls = _PURE.get(act.language, _never)(act.code)
    if act.language == "shell":
        named += _shown(act.code)
    if not named and not pure:
        named = [PROGRAM]
    return Reading(tuple(dict.fromkeys(named)), recalls)


def of_hand(name: str) -> tuple[str, ...]:
    """Sources of what the method ``name`` of ``computer`` returns."""
    if name in PURE_FACTS or name.startswith(_OWN_WORDS):
        return ()
    return (next((source for start, source in _HANDS.items() if name.startswith(start)), TOOL),)


def of_command(name: str) -> tuple[str, ...]:
    """Sources of what the spoken command ``name`` replies; the user's own notes and timers are their own words."""
    area = name.partition(".")[0]
    source = _COMMANDS.get(name, _COMMANDS.get(area, TOOL))
    return (source,) if source else ()


def united(*many: Iterable[str]) -> tuple[str, ...]:
    """All of them once, in the order in which they came."""
    return tuple(dict.fromkeys(source for sources in many for source in sources))


_COMMANDS = {
    **dict.fromkeys("alarm alert chance computer date forget note reminder speech stopwatch sum talk".split(), ""),
    **dict.fromkeys("time timer todo volume words".split(), ""),
    **dict.fromkeys("files find open undo".split(), FILE_NAMES),
    "open.site": "",
    "clipboard": "the clipboard",
    "clipboard.copy": "",
    "window": "window titles",
}
"""By the command's name or its area; commands that a package adds may say anything."""
_HANDS = {
    "clipboard.view": "the clipboard",
    "display.": "the screen",
    "windows.": "window titles",
    "files.": FILE_NAMES,
    "mail.": MAIL,
    "system.processes": "the names of programs",
    "opener.": FILE_NAMES,
}
_OWN_WORDS = (
    "keyboard.",
    "mouse.",
    "volume.",
    "notify.",
    "clipboard.set",
    "clipboard.copy",
    "display.lock",
    "opener.url",
)
"""Methods that return nothing, or what they were given."""
_MAIL = re.compile(
    r"(?i)\b(imaplib|poplib|imapclient|mailbox|mutt|mailutils|himalaya|notmuch|offlineimap)\b|/var/(spool/)?mail\b"
    r"|\bMaildir\b|application \"(Mail|Microsoft Outlook)\"|Outlook\.Application|\.(eml|mbox)\b"
)


def _of_effect(effect: Effect) -> str:
    if effect.kind == "fetch":
        host = urlsplit(effect.what).hostname or "" if "://" in effect.what else ""
        return f"a web page at {host}" if re.fullmatch(r"[a-z0-9.-]{1,60}", host) else "a web page"
    if effect.kind in ("read", "credential"):
        if effect.what in _READ_BY_HAND or effect.what.startswith(tuple(_HANDS)):
            return next(iter(of_hand(effect.what)), "")
        return _file(effect.what)
    return ""


_READ_BY_HAND = PURE_FACTS | {"notify.send"}


def _file(what: str) -> str:
    """``the file notes.txt``; what is no plain name of a file is not repeated, for it would be said aloud."""
    name = what.rstrip("/").rpartition("/")[2]
    return f"the file {name}" if re.fullmatch(r"[\w][\w .+-]{0,39}", name) else "files"


# --- what is free of foreign text -------------------------------------------------------------------------------------


def _never(code: str) -> tuple[bool, bool]:
    return False, True


_MODULES = frozenset(
    """array bisect calendar cmath collections copy dataclasses datetime decimal enum fractions functools hashlib heapq
    itertools json math numbers numpy operator pathlib platform random re secrets statistics string struct textwrap
    time types typing unicodedata uuid zoneinfo base64 binascii colorsys difflib pprint""".split()
)
"""Modules that compute. Those that look at the machine, at files or at the network are not among them."""
_REACHING = frozenset(
    """open input eval exec compile __import__ breakpoint help globals locals vars dir getattr setattr delattr
    get_ipython __builtins__ __loader__ __spec__ _ __ ___ In Out""".split()
)
_BUILTINS = frozenset(dir(builtins)) - _REACHING
_PARTLY = {
    "os": frozenset("path mkdir makedirs rename replace chdir sep linesep nproc cpu_count".split()),
    "shutil": frozenset("move copy copy2 copyfile rmtree copytree disk_usage".split()),
    "sys": frozenset("exit version version_info platform maxsize argv".split()),
}
"""Of these modules, the attributes that show nothing but what they were given, or facts of the machine."""
_READS = re.compile(
    r"^(__.*|load|loadtxt|fromfile|genfromtxt|(?:rec|nd|ma)from\w+|memmap|fromregex|DataSource|read_text|read_bytes|"
    r"iterdir|r?glob|walk|open|readlink|popen|listdir|scandir|getenv|environb?|stdin|modules|check_output)$"
)
"""Methods by which objects of the modules above read."""
_DOORS = frozenset(
    """builtins bz2 codecs ctypes fcntl fileinput glob gzip importlib inspect io linecache lzma marshal mmap
    multiprocessing nt os pickle pkgutil posix runpy shutil socket subprocess sys tarfile tempfile tokenize urllib
    zipfile""".split()
)
"""Modules that others keep as attributes (``platform.os``, ``random._os``): what is done by them is not computing."""


def _python(code: str) -> tuple[bool, bool]:
    """Whether it only computes, and whether it uses names that it does not define itself."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False, True
    pure, defined, used = True, set[str](), set[str]()
    plain: set[ast.AST] = set()  # names of partly pure modules, and of open, where they stand for something pure
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                pure = pure and all(_harmless(one.name, one.asname) for one in names)
                defined |= {one.asname or one.name.partition(".")[0] for one in names}
            case ast.ImportFrom(module=module, names=names):
                known = _PARTLY.get(module or "", frozenset())
                top = (module or "").partition(".")[0]
                pure = pure and (top in _MODULES or module == "os.path" or {one.name for one in names} <= known)
                defined |= {one.asname or one.name for one in names}
            case ast.Call(func=ast.Name(id="open") as name) if _writes(node):
                plain.add(name)
            case ast.Name() if node in plain or (node.id in _PARTLY and not isinstance(node.ctx, ast.Load)):
                defined |= {node.id} - _REACHING
            case ast.Name(id=name) if name in _PARTLY:
                pure = False
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name):
                defined.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                defined.add(name)
            case ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                defined.add(name)
            case ast.Attribute(value=ast.Name(id=module) as base, attr=name) if module in _PARTLY:
                plain.add(base)
                pure = pure and name in _PARTLY[module]
            case ast.Attribute(attr=name):
                pure = pure and not _READS.match(name) and name.lstrip("_") not in _DOORS
    # The hands of ``computer`` are seen where they are called, at the gate.
    unknown = used - defined - _BUILTINS - {"computer"}
    # A name that is bound somewhere below may be read before that, and then it is an earlier run's.
    return pure and not unknown & _REACHING, bool(unknown) or _reads_early(tree, defined)


def _harmless(module: str, alias: str | None) -> bool:
    return module.partition(".")[0] in _MODULES or (module in _PARTLY and alias is None) or module == "os.path"


def _writes(call: ast.Call) -> bool:
    """Whether this ``open`` can only write."""
    mode = call.args[1] if len(call.args) > 1 else next((k.value for k in call.keywords if k.arg == "mode"), None)
    return isinstance(mode, ast.Constant) and re.fullmatch(r"[wax][bt]?", str(mode.value)) is not None


def _reads_early(tree: ast.Module, defined: set[str]) -> bool:
    """Whether a name is read in an earlier statement than the one that binds it (``x += 1``, ``print(x); x = 2``)."""
    bound: set[str] = set()
    for statement in tree.body:
        names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
        stored = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        loaded = {node.id for node in names if isinstance(node.ctx, ast.Load)}
        own = stored if isinstance(statement, _SCOPED) else set()
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            loaded.add(statement.target.id)
        if (loaded & defined & _assigned(tree)) - bound - own:
            return True
        bound |= stored
    return False


_SCOPED = (
    ast.For,
    ast.AsyncFor,
    ast.With,
    ast.AsyncWith,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Expr,
)


def _assigned(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


_PLAIN_COMMANDS = frozenset(
    """echo printf true false : seq sleep date cal expr test [ exit return cd pwd mkdir touch sync nproc uname arch
    uptime whoami id tty wait kill nice clear break continue shift let unset""".split()
)


@lru_cache(maxsize=1)
def _bash() -> Any:
    import tree_sitter_bash
    from tree_sitter import Language, Parser

    return Parser(Language(tree_sitter_bash.language()))


def _shell(code: str) -> tuple[bool, bool]:
    root = _bash().parse(code.encode("utf-8", "surrogatepass")).root_node
    pure, recalls = not root.has_error, False
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        text = (node.text or b"").decode("utf-8", "replace")
        if node.type == "command_name":
            pure = pure and text in _PLAIN_COMMANDS
        elif node.type == "command":
            # It repeats the lines of the file that are no dates.
            pure = pure and not re.match(r"date\s(?:.*\s)?(?:-[a-zA-Z]*f|--fi)", text, re.S)
        elif node.type == "file_redirect":
            pure = pure and not text.lstrip("0123456789").startswith("<")
        elif node.type in ("word", "concatenation"):
            pure = pure and not re.search(r"[*?\[]", text)
        elif node.type in ("simple_expansion", "expansion", "declaration_command"):
            recalls = True
    return pure, recalls


_VIEWERS = frozenset(
    """cat tac nl head tail less more bat batcat strings pdftotext docx2txt antiword catdoc html2text xxd od fold fmt
    rev column""".split()
)
"""Programs whose words without a dash are the files that they show."""


def _shown(code: str) -> list[str]:
    """The files that well-known viewers are told to show, so that a question can name them; ``PROGRAM`` stands in the
    list too where any other program may have printed something. Empty where no viewer is called."""
    files: list[str] = []
    others = False
    waiting = [_bash().parse(code.encode("utf-8", "surrogatepass")).root_node]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        if node.type != "command":
            continue
        name, *words = [(child.text or b"").decode("utf-8", "replace") for child in node.named_children]
        if name in _VIEWERS:
            files += [_file(word.strip("'\"")) for word in words if not re.match(r"[-+<>]|\d+[kKmMgGb]?$", word)]
        else:
            others = others or name not in _PLAIN_COMMANDS
    return [*files, *([PROGRAM] if others else [])] if files else []


_JS_REACHING = re.compile(
    r"\b(require|import|fetch|process|Deno|Bun|globalThis|global|window|eval|Function|constructor|module|XMLHttpRequest)\b"
)


def _javascript(code: str) -> tuple[bool, bool]:
    return _JS_REACHING.search(code) is None, False


_PURE = {"python": _python, "shell": _shell, "javascript": _javascript}
