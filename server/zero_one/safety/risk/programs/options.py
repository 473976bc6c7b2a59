"""Options and operands by which programs that look can nevertheless write, or run something."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, changes, opaque
from zero_one.safety.risk.programs.call import Call

_WRITES: dict[str, str] = {
    "iconv": "-o --output",
    "ncdu": "-o",
    "xmllint": "-o --output",
    "diff": "--output",
    "sdiff": "-o --output",
    "sar": "-o",
    "atop": "-w",
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
    "hash": "-p",
    "xmllint": "--shell",
}
_INSTEAD: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("fd", "fdfind"), ("-x", "-X", "--exec", "--exec-batch")),
    "jobs": ("-x",),
}
_SECOND_OPERAND_IS_WRITTEN = set("uniq xxd pdftotext pdfimages ps2pdf unrtf lstopo".split())
_RUNNING_WORDS = set(
    """
    exec command cmd program prog pager script plugin plugins hook eval engine preprocessor filter extract shell rsh
    askpass rcfile provider load lib
    """.split()
)
"""Words in the name of a long option that say that its value is run."""
_TARGETS = tuple(
    """
    --output --output-file
    --out-file --outfile --out --log-file --logfile --write-to --save --save-to --dump-to
    """.split()
)
_COLUMNS = set(
    """
    lsblk lscpu lsmem lsns lsipc lsfd lslocks lslogins df findmnt ps journalctl zramctl losetup last lastlog prtstat
    """.split()
)
"""Programs that mean columns or a format by ``--output``."""

_OPTIONS_THAT_LOOK: dict[str, re.Pattern[str]] = {
    "apachectl": re.compile(r"-[tSMVvlL]"),
    "aspell": re.compile(r"-l\S*|-a|--lang\S*|--mode\S*|-d\S*"),
    "hunspell": re.compile(r"-[lawDGLtTHn]+|-d|-i"),
    "chage": re.compile(r"-l|--list"),
    "cpupower": re.compile(r"-[cmfsewpdg]\S*"),
    "ethtool": re.compile(r"-[iSkgcaPmTlnduxhe]|--(show|driver|statistics|json)\S*"),
    "exiftool": re.compile(
        r"-{1,2}(json|csv|[jngGsSaeufhXbqrtTvcdDHlLmx]\d*|[gG]\d(:\d)*|ver|ee\d?|fast\d?|ext|php|charset|common|list\w?|all:?\w*"
        r"|(?!(?i:tagsfrom|textout|tagout|geo(tag|sync|time)|w$|o$|out$))[A-Z]\w*[#*]?|\w+:\w+"
        r"|(?i:filename|filesize|filetype|directory|\w+date|datetimeoriginal|imagesize|model|make|lens\w*|iso"
        r"|gps(latitude|longitude|position|altitude)|keywords|title|artist|author|duration|if|p))"
    ),
    "file": re.compile(r"-[bEhikLlNnprsSvzZ0cdmeFP]+|--(?!compile)\S+"),
    "fuser": re.compile(r"-[avumn46fsl]+|-n|--(all|verbose|user|mount|namespace|ismountpoint)\S*"),
    "glances": re.compile(r"-[1467bcCdhqtTz]+|--(disable|enable|stdout|fahrenheit|time|percpu|help|version)\S*"),
    "hash": re.compile(r"-[rltd]+"),
    "iw": re.compile(r"--debug|--version"),
    "ldd": re.compile(r"-[vdru]+|--(verbose|version|data-relocs|function-relocs|unused)"),
    "nginx": re.compile(r"-[tTvVqh]+"),
    "nvidia-smi": re.compile(r"-[qLlix]+|-d|-lms|-f|--(query|list|format|loop|id|display|help|xml|filename)\S*"),
    "powertop": re.compile(r"--(version|time|iteration|quiet|debug)\S*"),
    "resolvectl": re.compile(r"-[46tcip]+|--(?!set)\S+"),
    "scutil": re.compile(r"--(get|dns|proxy|nwi)|-r|-w"),
    "sensors": re.compile(r"-[fuAjHv]+|--(fahrenheit|no-adapter|bus-list|version|help)"),
    "smartctl": re.compile(r"-[aixHAcgPdnqTjlfv]\S*|--(?!test|smart|abort|set|offlineauto|saveauto)\S+"),
    "sntp": re.compile(r"-[46dvt]\S*"),
    "ss": re.compile(r"-(?!\w*[KD])\w+|--(?!kill|diag)\S+"),
    "stty": re.compile(r"-[agF]|--(all|save|file)\S*"),
    "tree": re.compile(r"-[adflxLPIruqNQpugsDFhvtcUiSAnCJXH]+|--(?!output)\S+"),
    "vnstat": re.compile(
        r"-[dhmytl5sibrqu]+|--(?!add|remove|rename|create|delete|config|setalias|enable|reset|sync)\S+"
    ),
    "wlr-randr": re.compile(r"--(json|dryrun)"),
    "xprop": re.compile(r"-(id|name|len|display|font|root|notype|spy|frame|fs)"),
}
"""Programs that look or act by their options: any other option acts."""
_WORDS_THAT_LOOK: dict[str, re.Pattern[str]] = {
    "airport": re.compile(r"(?!)"),
    "apachectl": re.compile(r"configtest|(full)?status"),
    "aspell": re.compile(r"list|dump|dicts|pipe|config|munch"),
    "cpupower": re.compile(r"\S+-info|monitor|help"),
    "ipconfig": re.compile(r"(?i)/(all\w*|displaydns|showclassid\d?|\?)|get\w+"),
    "iw": re.compile(r"list|dev|phy|reg|event|features|help"),
    "nbtstat": re.compile(r"(?!)"),
    "resolvectl": re.compile(r"status|query|statistics|service|tlsa|openpgp|show-\S+|monitor"),
    "scutil": re.compile(r"\w+"),
    "stty": re.compile(r"size|speed|/dev/\S+"),
    "wlr-randr": re.compile(r"(?!)"),
}
"""Programs that look or act by their first word: any other word acts."""
_SETTING_WORDS = {"iw": re.compile(r"set|add|del|connect|disconnect|join|leave|trigger|switch|auth|start|stop|rem\w*")}
_BARE_ACTS = set("nginx apachectl aspell hunspell".split())
_OPAQUE_ARGUMENTS: dict[str, re.Pattern[str]] = {
    "exiftool": re.compile(r"-(if\d|config|@|execute\d?|api|userParam)$|-@"),
    "identify": re.compile(r"(ephemeral|msl|mvg|label|text|caption|https?):|-write|@"),
    "ldd": re.compile(r"\.{0,2}/(?!usr/|bin/|lib|sbin/|opt/)|[^/-][^/]*/"),
    **dict.fromkeys(("less", "more", "most"), re.compile(r"\+\S*[!|]|\+.*[!|]")),
    "cloc": re.compile(r"--(extract-with|script-lang|config)"),
    "neofetch": re.compile(r"--config"),
    "fastfetch": re.compile(r"--config|-c"),
}
"""Arguments that make a program run what they say."""


def looking(call: Call) -> list[Effect]:
    """A program that only looks, but for its own ways to write and to run."""
    program, texts, operands = call.program, call.texts, call.operands
    out = [] if program == "smartctl" else [e for e in map(paths.reading, _read_by(call)) if e.risk]
    targets = _TARGETS if program not in _COLUMNS else ()
    for option in [*_WRITES.get(program, "").split(), *targets]:
        target = call.value(option) if program != "ffprobe" or option in texts else None
        if target and target != "-":
            out.append(paths.writing(target))
    if any(call.has(option) for option in _RUNS.get(program, "").split()) or _is_told_to_run(call):
        out.append(opaque(f"a command that {program} runs"))
    for i, word in enumerate(call.args):
        if word.text in _INSTEAD.get(program, ()):
            call.reader.run([*call.args[i + 1 :], word.__class__(paths.COMPUTED, False, True)], None)
            break
    if (
        program in _SECOND_OPERAND_IS_WRITTEN
        and len(operands) > (program != "lstopo")
        and operands[-1] != "-"
        and not operands[-1].isdigit()
        and not call.has("-list")
    ):
        out.append(paths.writing(operands[-1]))
    if program == "pdftotext" and len(operands) == 1:
        out.append(paths.writing(re.sub(r"\.pdf$", "", operands[0]) + ".txt"))
    if _acts(call):
        out.append(changes("process", f"{program} {' '.join(texts[:3])}".strip()))
        out += [paths.writing(o) for o in operands if program == "exiftool"]
    return out


_SEARCHES = set("grep egrep fgrep zgrep rg ag ack ugrep pdfgrep pgrep".split())


def _read_by(call: Call) -> list[str]:
    """The files among the operands; what is searched for is none."""
    searched = call.program in _SEARCHES and not call.has("-e", "-f", "--regexp", "--file", "--files")
    return call.operands[1:] if searched else call.operands


def _is_told_to_run(call: Call) -> bool:
    """Whether an option or another argument names something that is run."""
    opaque_one = _OPAQUE_ARGUMENTS.get(call.program)
    if call.program == "exiftool" and not _asks_plainly(call):
        return True
    if opaque_one is not None and any(opaque_one.match(t) for t in call.texts):
        return True
    options = (t.partition("=")[0][2:] for t in call.texts if t.startswith("--"))
    told = any(set(name.split("-")) & _RUNNING_WORDS for name in options if not name.startswith("no-"))
    joined = call.program in ("fd", "fdfind") and any(re.match(r"-[A-WYZa-z]*[xX]\S", t) for t in call.texts)
    return joined or (told and call.program not in _LOADS_NOTHING)


_TAG = r"\$(\{[\w:#-]+\}|[\w:#-]+)"
_CONDITION = re.compile(
    rf"(?x)(\s|[()!]|{_TAG}|\d+(\.\d+)?|'[^'$@`\\]*'|\"[^\"$@`\\]*\"|[=!]=|[<>]=?|&&|\|\|"
    r"|=~\s*/[\w\s.*+^|\[\]-]*\$?/i?(?!\w)|\b(and|or|not|eq|ne|lt|gt|le|ge|defined)\b)+"
)
_FORMAT = re.compile(rf"({_TAG}|\\[nt]|[^${{}}@`\\])+")


def _asks_plainly(call: Call) -> bool:
    """exiftool's conditions and formats are Perl: only those that compare and name tags are let through."""
    for option, value in zip(call.texts, [*call.args[1:], None], strict=True):
        plain = {"-if": _CONDITION, "-p": _FORMAT}.get(option.lower())
        if plain is not None:
            inline = value is not None and value.sure and "$" in value.text and len(value.text) < 400
            if value is None or not inline or not plain.fullmatch(value.text):
                return False
    return True


_LOADS_NOTHING = set("ps pgrep lsof echo printf test grep egrep fgrep zgrep find".split())


def _acts(call: Call) -> bool:
    """Whether a program that looks or acts is told to act. What it is not known to look by, acts."""
    program, texts, operands = call.program, call.texts, call.operands
    options, words, setting = (t.get(program) for t in (_OPTIONS_THAT_LOOK, _WORDS_THAT_LOOK, _SETTING_WORDS))
    dashed = [t for t in texts if t.startswith("-") and len(t) > 1 and not re.fullmatch(r"-\d+", t)]
    return (
        (options is not None and not all(options.fullmatch(t) for t in dashed))
        or (words is not None and bool(operands) and not words.fullmatch(operands[0]))
        or (setting is not None and any(setting.fullmatch(o) for o in operands))
        or (program in _BARE_ACTS and not texts)
        or (program == "lsof" and any(t.startswith("+m") for t in texts))
        or (program == "updatedb")
    )
