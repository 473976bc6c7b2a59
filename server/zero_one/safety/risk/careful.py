"""Languages that are not parsed in full: PowerShell and AppleScript.

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

_PS_LOOKS = re.compile(
    r"(?i)^(get|select|where|sort|measure|format|test|compare|group|resolve|find|search|show|join|split|convertto|convertfrom)-\w+$"
    r"|^(write-(output|host|verbose|warning)|out-(string|host|null|gridview)|foreach-object|tee-null|pwd|ls|dir|gci|gc|cat|type|echo|cd|ps"
    r"|sl|select|where|sort|measure|ft|fl|gp|gi|gps|gsv|gm|whoami|hostname|ipconfig|systeminfo|tasklist|\?|%)$"
)
_PS_EFFECTS: tuple[tuple[str, Effect], ...] = (
    (r"(?i)^(remove|clear|format|uninstall|reset|disable|unregister|dismount|initialize)-\w+$", destroys("delete", "PowerShell")),
    (r"(?i)^(rm|del|erase|rd|ri|rmdir|rp|clc|sp|shutdown|bcdedit|vssadmin|diskpart|cipher|reg|format)$", destroys("delete", "PowerShell")),
    (r"(?i)^(stop-computer|restart-computer)$", destroys("system", "turns the machine off")),
    (r"(?i)^(send|publish|push)-\w+$", sends("PowerShell")),
    (r"(?i)^(invoke-expression|iex|invoke-command|icm|start-job|add-type|invoke-wmimethod|invoke-cimmethod|new-object)$", opaque("PowerShell code")),
    (r"(?i)^(set-executionpolicy|set-mppreference|add-mppreference|new-localuser|add-localgroupmember|set-acl|enable-psremoting"
     r"|new-service|set-service|register-scheduledtask|new-scheduledtask\w*|netsh|schtasks|sc)$", destroys("system", "PowerShell")),
    (r"(?i)^(install|update|save)-(module|package|script)$", changes("package", "PowerShell")),
    (r"(?i)^(set|new|copy|move|rename|add|start|stop|restart|out|export|expand|compress|enable|suspend|resume|import|register|mount|update)-\w+$",
     changes("process", "PowerShell")),
    (r"(?i)^(cp|copy|mv|move|ren|mkdir|md|ni|sc|ac|kill|start|saps|spps|rni|ii|tee|mi|cpi|clip|notepad|explorer)$", changes("process", "PowerShell")),
)  # fmt: skip


_PS_ALL_PROCESSES = re.compile(r"(?i)^\s*(get-process|gps|ps)\s*(-name\s+)?\*?\s*\|\s*(stop-process|spps|kill)\b", re.M)
_PS_AUTOSTART = re.compile(r"(?i)CurrentVersion\\+(Run|Winlogon|Policies)|\\Startup\\?|Image File Execution|\$PROFILE")
_PS_ENVIRONMENT = re.compile(
    r"(?i)\b(get-childitem|gci|dir|ls)\s+env:|GetEnvironmentVariables|\$env:\w*(key|token|secret|passw|credential)"
)


def read_powershell(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of a PowerShell script, command by command."""
    out: list[Effect] = []
    encoded = re.search(r"(?i)-e(nc|ncodedcommand|c)?\s+([A-Za-z0-9+/=]{16,})", code)
    if encoded:
        try:
            return classify(base64.b64decode(encoded[2]).decode("utf-16-le"), "powershell", depth + 1)
        except (binascii.Error, ValueError, UnicodeDecodeError):
            return [opaque("encoded PowerShell")]
    if _PS_ALL_PROCESSES.search(code):
        out.append(destroys("process", "ends every program"))
    if _PS_AUTOSTART.search(code) and re.search(r"(?i)\b(set|new|add|copy|move|out|sc|ac|cp|ni|reg|tee)\b|>", code):
        out.append(Effect("persist", "something that starts by itself", Risk.SPEND_OR_SEND))
    if _PS_ENVIRONMENT.search(code):
        out.append(Effect("credential", "variables of the environment", Risk.SPEND_OR_SEND))
    plain = re.sub(r"#[^\n]*|<#.*?#>", "", code, flags=re.S)
    unquoted = re.sub(r"'[^']*'", "''", re.sub(r'"[^"$`]*"', '""', plain))
    if re.search(
        r"(^|[\s;|{(])&\s*[\w$('\"]|\[[\w.]+\]::|`\w|\.Invoke|-join|-f\s|\[char\]|\$\(|::|\.Download|FromBase64",
        unquoted,
        re.I,
    ):
        out.append(opaque("PowerShell that is computed"))
    for command in re.split(r"[;\n|{}()]|&&|\|\|", unquoted):
        words = re.sub(r"^\s*\$\w+\s*\+?=\s*", "", command).split()
        if not words or re.match(
            r"^(\$[\w.:\[\]]+|\d[\d.]*|''|\"\"|if|else|elseif|foreach|for|while|in|return|param|@|-\w+|true|false|function)(?![\w-])",
            words[0],
        ):
            continue
        out += _ps_command(words, command)
    for match in re.finditer(r"[\w$:~\\/.-]*[\\/][\w\\/.-]+", plain):
        effect = paths.reading(match[0].replace("\\", "/"))
        if effect.risk:
            out.append(effect)
    if re.search(r">\s*\S", unquoted) and not re.search(r">\s*\$null", unquoted):
        out.append(changes("write", "a file", undoable=True))
    return out


def _ps_command(words: list[str], command: str) -> list[Effect]:
    name = words[0]
    if re.match(r"(?i)^(invoke-webrequest|invoke-restmethod|iwr|irm|curl|wget)$", name):
        if re.search(r"(?i)-(method\s+(?!get|head)\w+|body|infile|form)\b", command):
            return [sends("PowerShell")]
        return (
            [changes("write", "a download", undoable=True)]
            if re.search(r"(?i)-o(ut)?f", command)
            else [fetches("a page")]
        )
    for pattern, effect in _PS_EFFECTS:
        if re.match(pattern, name):
            return [effect]
    if _PS_LOOKS.match(name):
        secret = re.match(r"(?i)^get-(credential|storedcredential|secret|clipboardhistory)$", name)
        return [Effect("credential", name, Risk.SPEND_OR_SEND)] if secret else []
    return [opaque(f"PowerShell: {name}")]


_AS_LOOKS = re.compile(
    r"""(?ix)^\s*(
      (return|get|log|count)\b.* | set\s+\w+\s+to\s+(?!.*\bdo\ shell).* | end(\ \w+)? | tell\ (application|app)\s+"[^"]+"(\s+to\s+(get|return|count)\b.*)?
    | tell\ .+ | display\ (dialog|notification|alert)\b.* | (if|else|repeat|try|on\ error|considering|ignoring)\b.* | --.* | the\ .*
    | (current\ date|volume\ settings|name\ of|version\ of|path\ to)\b.* | )\s*$"""
)


def read_applescript(code: str, classify: Classify, depth: int) -> list[Effect]:
    """Effects of an AppleScript, line by line."""
    out: list[Effect] = []
    for match in re.finditer(r'(?i)do shell script\s+("((?:[^"\\]|\\.)*)"|\S+)([^\n]*)', code):
        if match[2] is None or "&" in match[3]:
            out.append(opaque("a shell command that is computed"))
        else:
            out += classify(re.sub(r"\\(.)", r"\1", match[2]), "shell", depth + 1)
        if "administrator" in match[3].lower():
            out.append(destroys("system", "with the rights of the administrator"))
    plain = re.sub(r'"(?:[^"\\]|\\.)*"', '""', code)
    if re.search(
        r"(?i)\b(delete|erase|empty\s+(the\s+)?trash|shut\s*down|restart|log\s*out|eject|move\b.*\btrash)\b", plain
    ):
        out.append(destroys("delete", "AppleScript"))
    if re.search(r"(?i)\bsend\b|make new outgoing message|\bpost\b|mailto:", plain) or re.search(r"(?i)mailto:", code):
        out.append(sends("AppleScript"))
    if re.search(r"(?i)\blogin item", plain) and re.search(r"(?i)\b(make|set|delete)\b", plain):
        out.append(Effect("persist", "something that starts at login", Risk.SPEND_OR_SEND))
    if re.search(r"(?i)\b(keystroke|key code|click|perform action|open|activate|launch|quit|close|make|save|duplicate|move|set volume|set the clipboard"
                 r"|play|pause|next track|reopen|say|beep|set .* of .* to|start|stop|put|reveal|select)\b", plain):  # fmt: skip
        out.append(changes("device", "AppleScript"))
    if re.search(r"(?i)\b(run script|load script|store script|osascript|system attribute|keychain|password)\b", plain):
        out.append(opaque("AppleScript code"))
    if not out and not all(
        _AS_LOOKS.match(line) for line in plain.split("\n") if "do shell script" not in line.lower()
    ):
        out.append(opaque("AppleScript that was not understood"))
    return out
