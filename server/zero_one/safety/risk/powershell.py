"""PowerShell, which is not parsed in full.

Only what is recognised whole as looking may pass; what is recognised as sending or destroying is named; all the rest
counts as destroying, because it could not be read.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, fetches, opaque, sends

Classify = Callable[[str, str, int], list[Effect]]

_LOOKS = re.compile(
    r"(?i)^((get|select|where|sort|measure|format|test|compare|group|resolve|find|search|show|join|split|convertto"
    r"|convertfrom)-\w+|write-(output|host|verbose|warning)|out-(string|host|null|gridview)|foreach-object|tee-null|pwd"
    r"|ls|dir|gci|gc|cat|type|echo|cd|ps|sl|select|where|sort|measure|ft|fl|gp|gi|gps|gsv|gm|gcim|gwmi|gu|gal|gmo|gdr|gtz|whoami|hostname|ipconfig"
    r"|systeminfo|tasklist|foreach|\?|%)$"
)
_EFFECTS: tuple[tuple[str, Effect], ...] = (
    (
        r"remove|clear|format|uninstall|reset|disable|unregister|dismount|initialize)-\w+|(format-volume)",
        destroys("delete", "PowerShell"),
    ),
    (
        r"rm|del|erase|rd|ri|rmdir|rp|clc|sp|shutdown|bcdedit|vssadmin|diskpart|cipher|reg|format)",
        destroys("delete", "PowerShell"),
    ),
    (r"stop-computer|restart-computer)", destroys("system", "turns the machine off")),
    (r"send|publish|push)-\w+", sends("PowerShell")),
    (
        r"invoke-expression|iex|invoke-command|icm|start-job|add-type|invoke-wmimethod|invoke-cimmethod|new-object)",
        opaque("PowerShell code"),
    ),
    (
        r"set-executionpolicy|set-mppreference|add-mppreference|new-localuser|add-localgroupmember|set-acl"
        r"|enable-psremoting|new-service|set-service|register-scheduledtask|new-scheduledtask\w*|netsh|schtasks|sc\.exe)",
        destroys("system", "PowerShell"),
    ),
    (r"install|update|save)-(module|package|script)", changes("package", "PowerShell")),
    (
        r"set|new|copy|move|rename|add|start|stop|restart|out|export|expand|compress|enable|suspend|resume|import"
        r"|register|mount|update)-\w+",
        changes("process", "PowerShell"),
    ),
    (
        r"cp|copy|mv|move|ren|mkdir|md|ni|sc|ac|kill|start|saps|spps|rni|ii|tee|mi|cpi|clip|notepad|explorer)",
        changes("process", "PowerShell"),
    ),
)
_FORMATS_OUTPUT = re.compile(r"(?i)^format-(table|list|wide|custom|hex)$")
_ALL_PROCESSES = re.compile(r"(?i)^\s*(get-process|gps|ps)\s*(-name\s+)?\*?\s*\|\s*(stop-process|spps|kill)\b", re.M)
_AUTOSTART = re.compile(r"(?i)CurrentVersion\\+(Run|Winlogon|Policies)|\\Startup\\?|Image File Execution|\$PROFILE")
_WRITES = re.compile(r"(?i)\b(set|new|add|copy|move|out|sc|ac|cp|ni|reg|tee)\b|>")
_ENVIRONMENT = re.compile(
    r"(?i)\b(get-childitem|gci|dir|ls)\s+env:|GetEnvironmentVariables|\$env:\w*(key|token|secret|passw|credential)"
)
_TOKENS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"`]|`.|"")*"|<\#.*?\#>|\#[^\n]*""", re.S)
_COMPUTED = re.compile(
    r"(?i)(^|[\s;|{(=])&\s*[\w$('\"]|(^|[\s;|{(=])\.\s+[\w$('\"]|\.Invoke|\.Download|FromBase64|Load(File|From)?\("
    r"|\[(?!(system\.)?(math|int|double|string|datetime|timespan|decimal|char|console|environment|guid|version)\])"
    r"[\w.]+\]::|\[(system\.)?environment\]::(exit|set)"
)
_METHODS: tuple[tuple[str, Effect], ...] = (
    (r"(?i)\.(delete|kill|terminate|shutdown|reboot|format|clear)\w*\(", destroys("delete", "PowerShell")),
    (r"(?i)\.(send|upload|post|put)\w*\(", sends("PowerShell")),
    (r"(?i)\.(create|write|append|move|copy|save|set|start|stop)\w*\(", changes("process", "PowerShell")),
)
_NO_COMMAND = re.compile(
    r"(\$[\w.:\[\]]*|\.\w+|\[[\w.]+\](::\w+)?|,.*|\d[\d.]*|''|\"\"|if|else|elseif|for|while|in|return|param|@|-\w+"
    r"|true|false|function|[-+*/=<>!]+)(?![\w-])"
)


def read(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of a PowerShell script, command by command."""
    encoded = re.search(r"(?i)(?<!\w)-e(nc|ncodedcommand|c)?\s+([A-Za-z0-9+/=]{16,})", code)
    if encoded:
        try:
            return classify(base64.b64decode(encoded[2]).decode("utf-16-le"), "powershell", depth + 1)
        except (binascii.Error, ValueError, UnicodeDecodeError):
            return [opaque("encoded PowerShell")]
    out: list[Effect] = []
    if _ALL_PROCESSES.search(code):
        out.append(destroys("process", "ends every program"))
    if _AUTOSTART.search(code) and _WRITES.search(code):
        out.append(Effect("persist", "something that starts by itself", Risk.SPEND_OR_SEND))
    if _ENVIRONMENT.search(code):
        out.append(Effect("credential", "variables of the environment", Risk.SPEND_OR_SEND))
    plain = re.sub(r"`([A-Za-z])", r"\1", code)  # a backtick inside a word only hides it
    unquoted = _TOKENS.sub(_blank, plain)
    if _COMPUTED.search(unquoted):
        out.append(opaque("PowerShell that is computed"))
    out += [effect for pattern, effect in _METHODS if re.search(pattern, unquoted)]
    for command in re.split(r"[;\n|{}()]|&&|\|\|", unquoted):
        words = re.sub(r"^\s*\$[\w:]+\s*[-+*/]?=\s*", "", command).split()
        if words and not _NO_COMMAND.match(words[0]):
            out += _command(words, command, plain)
    named = (w for w in re.split(r"[\s'\"(){};,|=]+", plain) if "\\" in w or "/" in w)
    out += [e for e in (paths.reading(w.replace("\\", "/")) for w in named) if e.risk]
    if re.search(r"(?<![-=])>\s*\S", unquoted) and not re.search(r">\s*\$null", unquoted):
        out.append(changes("process", "writes a file"))
    return out


def _blank(match: re.Match[str]) -> str:
    """Texts and comments say nothing, but for ``$( … )`` inside a text, which is run."""
    if not match[0].startswith('"'):
        return "''" if match[0].startswith("'") else ""
    inner = re.findall(r"\$\(([^\"]*)\)", match[0])
    return '""' + "".join(f" ({part})" for part in inner)


def _command(words: list[str], command: str, script: str) -> list[Effect]:
    name = words[0]
    if re.match(r"(?i)^(invoke-webrequest|invoke-restmethod|iwr|irm|curl|wget)$", name):
        if re.search(r"(?i)-(method\s+(?!get|head)\w+|body|infile|form)\b", command):
            return [sends("PowerShell")]
        saves = re.search(r"(?i)-o(ut)?f", command)
        return [changes("process", "a download")] if saves else [fetches("a page")]
    if _FORMATS_OUTPUT.match(name):
        return []
    for pattern, effect in _EFFECTS:
        if re.match(f"(?i)^({pattern}$", name):
            named = destroys(effect.kind, _target(words, script)) if effect.kind == "delete" else effect
            return [named]
    if _LOOKS.match(name):
        secret = re.match(r"(?i)^get-(credential|storedcredential|secret|clipboardhistory)$", name)
        return [Effect("credential", name, Risk.SPEND_OR_SEND)] if secret else []
    return [opaque(f"PowerShell: {name}")]


def _target(words: list[str], script: str) -> str:
    """What a destroying command is given, as far as it was written out."""
    given = [w for w in words[1:] if not w.startswith("-") and w not in ("''", '""')]
    return given[0] if given else f"what {words[0]} is given"
