"""What a method of something whose type is not known does in JavaScript: by the verb in its name."""

from __future__ import annotations

import re

from tree_sitter import Node

from zero_one.safety.risk import verbs
from zero_one.safety.risk.javascript_known import GLOBALS, METHODS
from zero_one.safety.risk.javascript_names import LOOKING_MODULES, Names, walk
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends
from zero_one.safety.risk.words import text_of

_COLLECTIONS = re.compile(
    r"new (Weak)?(Map|Set)\b|URLSearchParams|searchParams|new URL\b|FormData|new Headers|classList|new Array|LRU"
)
_PAGE = re.compile(
    r"^(document|\$|_|lodash|console|Math|JSON|Object|Array|String|Number|Promise|Date|process|Reflect|Symbol)\b"
)
_REMOTE_VERBS = re.compile(
    r"^(delete|destroy|drop|terminate|purge|flush|truncate|remove|del|wipe|erase|revoke|uninstall)([A-Z]\w*|all|db|All)?$"
)
_AMBIGUOUS = set("delete remove drop clear reset empty".split())
_SENDING = re.compile(
    r"^(send(?!Beacon)|post|publish|upload|put|submit|dispatchMail|transfer|pay|charge|purchase|broadcast|tweet)([A-Z]\w*)?$"
)
_WRITING = re.compile(
    r"^(insert|update|upsert|replace(One|All)?|save|create|write|bulk|set(Item)|toFile|writeFile|rename|move|copy)([A-Z]\w*)?$"
)
_LOCAL = set("emit on once push pop shift splice set get add has forEach map filter find replace replaceAll".split())


def by_name(reader: Names, node: Node, name: str, last: str, args: list[Node]) -> list[Effect]:
    """Effects of ``name(…)``, of which nothing is known but its name."""
    what = name.removeprefix("?.")
    if last.endswith("Command") and last[:1].isupper():  # the commands of a cloud's client
        return _said(verbs.risk_of(last.removesuffix("Command")), what)
    if name == "navigator.mediaDevices.getUserMedia" or last in ("getDisplayMedia", "getUserMedia"):
        return [Effect("device", "camera or microphone", Risk.SPEND_OR_SEND)]
    if last == "goto" and args:
        return [sends("a computed address")] if reader.fold(args[0]) is None else [fetches(reader.fold(args[0]) or "")]
    if name.startswith(("localStorage.", "sessionStorage.")):
        return [changes("process", what)] if last == "setItem" else []
    if name in ("open", "opener") or name.startswith(("open.", "shell.open")):
        return [changes("process", f"opens {reader.fold(args[0]) if args else 'something'}")]
    if last == "listen" and len(name.split(".")) > 1:
        return [sends("opens this machine to the network")]
    if (found := _host(what, last)) is not None:
        return found
    if what.split(".")[0] in LOOKING_MODULES:
        return []
    if last in _RUNS_TEXT and (args or not _PAGE.match(what)):
        told = reader.fold(args[0]) if args else None
        return reader.classify(told, "shell", reader.depth + 1) if told else [opaque(f"a command given to {what}")]
    if name in reader.bound or last in reader.defined:
        return []  # it is read where it is defined, or where it is handed over
    if "." not in name:
        return [] if name in GLOBALS else _unknown(what)
    if _PAGE.match(what):
        return _pressed(what, last, args)
    if _REMOTE_VERBS.match(last):
        return _ends(reader, node, what, last, args)
    if _pressed(what, last, args):
        return _pressed(what, last, args)
    if _SENDING.match(last) or (last == "create" and _elsewhere(what)):
        return [sends(what)]
    if last in _LOCAL:
        return []
    if _WRITING.match(last) and what.split(".")[0] not in ("Object", "Buffer"):
        return [changes("process", what)]
    if last in _AMBIGUOUS and reader.collections:
        return []
    if (
        last in METHODS
        or last[:1].isupper()
        or verbs.looks(last)
        or re.match(r"(to|from|parse|format|as|with)[A-Z]", last)
    ):
        return []
    return _unknown(what)


_RUNS_TEXT = set(
    "system popen doShellScript ShellExecute Run shellExecute runCommand execCommandSync do_shell_script".split()
)
_HOSTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"(chrome|browser)\.cookies\.get|navigator\.credentials\.|(chrome|browser)\.identity\.getAuth"),
        "credential",
    ),
    (re.compile(r"(chrome|browser)\.(\w+\.)+(remove|delete|clear|erase|uninstall)\w*|.*\.removeItemAt\w+"), "delete"),
    (re.compile(r"(chrome|browser)\.(\w+\.)+(get|query|search|list|on)\w*(\.\w+)*"), "read"),
    (
        re.compile(r"(chrome|browser)\.(tabs|windows|scripting|debugger|downloads|management|proxy|webRequest)\."),
        "process",
    ),
    (re.compile(r"process\.(chdir|set\w*|umask|initgroups|report\.write\w*)$"), "process"),
    (
        re.compile(r"ObjC\.import|WScript\.CreateObject|ActiveXObject|importScripts|.*\.(CreateObject|GetObject)$"),
        "opaque",
    ),
)
"""What the world around a program offers: browsers to their extensions, node, the scripts of macOS and Windows."""


def _host(what: str, last: str) -> list[Effect] | None:
    kind = next((kind for pattern, kind in _HOSTS if pattern.match(what)), None)
    if kind == "credential":
        return [Effect("credential", what, Risk.SPEND_OR_SEND)]
    if kind == "delete":
        return [destroys("delete", what)]
    if kind == "opaque":
        return [opaque(what)]
    return None if kind is None else [] if kind == "read" else [changes("process", what)]


def _unknown(what: str) -> list[Effect]:
    """Nothing is known but a name: its verb decides, and without one it changes something."""
    said = verbs.risk_of(what.rsplit(".", 1)[-1])
    if said is Risk.DESTROY or said is Risk.SPEND_OR_SEND:
        return _said(said, what)
    return [changes("process", f"calls {what}, of which nothing is known")]


def told_by_verb(name: str) -> Effect | None:
    """A method that is handed on, by a verb that can hardly be mistaken (``names.forEach(client.deleteBucket)``)."""
    last = name.rsplit(".", 1)[-1]
    if _REMOTE_VERBS.match(last) and last not in _AMBIGUOUS and last not in ("delete", "destroy"):
        return destroys("delete", name)
    return sends(name) if _SENDING.match(last) and re.search(r"[A-Z]", last) else None


def _elsewhere(what: str) -> bool:
    return bool(
        re.search(
            r"(?i)stripe|twilio|octokit|issues|messages|orders?|charges|payment|tweets?|mail|events|comments|pulls",
            what,
        )
    )


def _ends(reader: Names, node: Node, what: str, last: str, args: list[Node]) -> list[Effect]:
    """``map.delete(key)`` forgets an entry of a collection, ``bucket.delete()`` a bucket."""
    if last in _AMBIGUOUS or last == "removeItem":
        if last == "clear" or (reader.collections and len(args) == 1 and args[0].type != "object"):
            return []
        if last in ("remove", "reset", "empty") and not args:
            return []  # an element of a page removes itself
        if last == "remove" and args and args[0].type in ("arrow_function", "number"):
            return []
    if re.match(
        r"remove(EventListener|Attribute|Child|Class|Listener|AllListeners|Property|Item$)|deleteRow|deleteCell", last
    ):
        return []
    return [destroys("delete", what)]


def _pressed(what: str, last: str, args: list[Node]) -> list[Effect]:
    """A button of a page: what it does stands in its name, if anywhere."""
    if last == "submit":
        return [sends(what)]
    if last == "fill" and len(args) == 1 and args[0].type not in ("string", "template_string"):
        return []  # an array is filled
    if last not in ("click", "press", "tap", "fill", "type", "check", "selectOption"):
        return []
    said = verbs.risk_of(" ".join(text_of(a) for a in args) + " " + what)
    if said is not None and said >= Risk.SPEND_OR_SEND:
        return _said(said, what)
    return [changes("device", f"uses the page: {what}")]


def _said(said: Risk | None, what: str) -> list[Effect]:
    if said is Risk.DESTROY:
        return [destroys("delete", what)]
    return [fetches(what)] if said is Risk.OBSERVE else [sends(what)]


def collections_in(root: Node) -> bool:
    """Whether a program makes maps, sets or the like, whose methods are named as those of services are."""
    return any(
        node.type in ("new_expression", "member_expression") and _COLLECTIONS.search(text_of(node)[:200])
        for node in walk(root)
    )
