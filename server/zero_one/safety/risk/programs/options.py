"""Options and operands by which programs that look can nevertheless write, or run something."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, opaque
from zero_one.safety.risk.programs.call import Call

_WRITES: dict[str, str] = {
    "iconv": "-o --output",
    "tree": "-o",
    "ncdu": "-o",
    "xmllint": "-o --output",
    "diff": "--output",
    "csvcut": "--output",
    "jq": "--output-file",
    "ffprobe": "-o",
    "mediainfo": "--LogFile",
    "base64": "-o --output",
    "journalctl": "--cursor-file",
    "nvidia-smi": "-f --filename",
    "lshw": "-sanitize-to",
    "dmidecode": "--dump-bin",
    "top": "--write-to",
    "strings": "--output",
    "less": "-o -O --log-file --LOG-FILE",
    "info": "-o --output",
    "column": "--output",
    "shuf": "-o --output",
    "pr": "--output",
    "cloc": "--out --report-file",
    "hunspell": "-p",
    "nmap": "-oN -oX -oG -oA",
}
_RUNS: dict[str, str] = {
    "man": "-P --pager -H --html",
    "less": "--lesskey-src -k",
    "rg": "--pre --hostname-bin",
    "bat": "--pager",
    "batcat": "--pager",
    "compgen": "-C -F",
    "complete": "-C -F",
    "mapfile": "-C",
    "readarray": "-C",
    "bind": "-x",
    "enable": "-f",
    "sort": "--compress-program",
    "info": "--restore",
    "ag": "--pager",
    "ack": "--pager",
    "diff": "--to-command",
}
_INSTEAD: dict[str, tuple[str, ...]] = {
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
}
_SECOND_OPERAND_IS_WRITTEN = set("uniq xxd pdftotext ps2pdf unrtf".split())
_ACTING_OPTIONS: dict[str, re.Pattern[str]] = {
    "exiftool": re.compile(r"-[\w:-]+[-+^]?<?=|-(overwrite_original|delete_original!?|tagsFromFile|r?estore_original)"),
    "ss": re.compile(r"-\w*K|--kill"),
    "nvidia-smi": re.compile(r"-(r|pl|pm|c|e|lgc|rgc|rac)$|--(gpu-reset|power-limit|persistence-mode)"),
    "sensors": re.compile(r"-s|--set"),
    "powertop": re.compile(r"--auto-tune|--calibrate"),
    "hunspell": re.compile(r"-x"),
    "tput": re.compile(r"reset|init"),
    "identify": re.compile(r"-write"),
    "lsof": re.compile(r"\+m"),
    "pdfimages": re.compile(r"-(j|png|all|tiff|jp2)$"),
    "updatedb": re.compile(r"."),
    "fuser": re.compile(r"-\w*k|--kill"),
    "ethtool": re.compile(r"-([sKGCALpf]|-change|-reset)"),
    "smartctl": re.compile(r"-(t|X|s|o|S)\b|--(test|smart|abort)"),
    "stty": re.compile(r"(?!-a$|--all$|size$|speed$|-g$|-F$|/dev).+"),
    "chage": re.compile(r"-(?!l)\w|--(?!list)\w"),
    "nginx": re.compile(r"-s|-c|-g"),
    "dc": re.compile(r"[^\n]*!"),
    "iw": re.compile(r"set|add|del|connect|disconnect|scan trigger"),
}


def looking(call: Call) -> list[Effect]:
    """A program that only looks, but for its own ways to write and to run."""
    program, texts = call.program, call.texts
    out = [] if program == "smartctl" else call.reading()
    for option in _WRITES.get(program, "").split():
        target = call.value(option) if program != "ffprobe" or option in texts else None
        if target and target != "-":
            out.append(paths.writing(target))
    if any(call.has(option) for option in _RUNS.get(program, "").split()):
        out.append(opaque(f"a command that {program} runs"))
    for i, word in enumerate(call.args):
        if word.text in _INSTEAD.get(program, ()):
            call.reader.run([*call.args[i + 1 :], word.__class__(paths.COMPUTED, False, True)], None)
            break
    if program in ("less", "more", "most") and any(re.match(r"\+\S*[!|]|\+.*[!|]", t) for t in texts):
        out.append(opaque(f"a command that {program} runs"))
    operands = call.operands
    if (
        program in _SECOND_OPERAND_IS_WRITTEN
        and len(operands) > 1
        and operands[-1] != "-"
        and not operands[-1].isdigit()
    ):
        out.append(paths.writing(operands[-1]))
    if program == "pdftotext" and len(operands) == 1:
        out.append(paths.writing(re.sub(r"\.pdf$", "", operands[0]) + ".txt"))
    acting = _ACTING_OPTIONS.get(program)
    if acting is not None and any(acting.match(t) for t in texts):
        named = [o for o in operands if not o.startswith("-")]
        out += (
            [paths.writing(o) for o in named]
            if program == "exiftool"
            else [changes("process", f"{program} {' '.join(texts[:3])}")]
        )
    return out
