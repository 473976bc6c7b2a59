"""Programs that run other programs: wrappers, shells and interpreters. What they run is read in its own language."""

from __future__ import annotations

import re

from zero_one.safety.risk import paths
from zero_one.safety.risk.model import Effect, Risk, changes, destroys, opaque
from zero_one.safety.risk.programs.call import Call, Handler, table
from zero_one.safety.risk.programs.known import is_known
from zero_one.safety.risk.steering import steers
from zero_one.safety.risk.words import Word

# Options of wrappers that take a value, so that it is not taken for the program that is run.
_VALUED = {
    "sudo": "-u -g -p -C -h -r -t -T -U -D -R".split(),
    "doas": ["-u", "-C"],
    "env": ["-u", "-C", "--unset", "--chdir"],
    "timeout": ["-s", "-k", "--signal", "--kill-after"],
    "nice": ["-n"],
    "ionice": ["-c", "-n"],
    "stdbuf": ["-i", "-o", "-e"],
    "xargs": "-I -n -P -L -d -s -a -E --max-args --max-procs --delimiter --replace".split(),
    "watch": ["-n", "--interval"],
    "time": ["-f", "-o"],
    "flock": ["-w", "-E"],
    "taskset": ["-p"],
    "runuser": ["-u", "-g"],
    "parallel": ["-j", "--jobs", "-a", "-N", "-n", "--arg-file", "--colsep", "--delay", "--timeout"],
    "strace": "-e -o -s -p -u -E -a -P -I -O -S -b -X".split(),
    "ltrace": "-e -o -s -p -u -a -l -n -x".split(),
    "chrt": ["-p"],
    "nsenter": ["-t", "--target", "-S", "-G"],
    "watchexec": ["-e", "-w", "-i", "-f"],
    "exec": ["-a"],
    "gtimeout": ["-s", "-k", "--signal", "--kill-after"],
}
_POSITIONAL = {"timeout": 1, "flock": 1, "taskset": 1, "chroot": 1, "setarch": 1}


def _wrapper(call: Call) -> list[Effect]:
    """``sudo``, ``env``, ``xargs`` …: the effects are those of the command behind it."""
    program, words = call.program, list(call.args)
    if program in ("command", "builtin") and words and re.fullmatch(r"-p?[vV]", words[0].text):
        return []
    skip = _POSITIONAL.get(program, 0)
    after_option = False
    while words:
        text = words[0].text
        if text == "--":
            words.pop(0)
            break
        if text in _VALUED.get(program, []):
            words = words[2:]
        elif program == "env" and (text in ("-S", "--split-string") or re.match(r"-[iv]*S|--split-string=", text)):
            first = re.sub(r"^(-[iv]*S|--split-string=?)", "", text)
            call.reader.nested(" ".join([first, *(w.text for w in words[1:])]), "shell")
            return []
        elif text.startswith("-"):
            after_option = "=" not in text
            words.pop(0)
        elif program in ("env", "sudo", "doas") and re.match(r"\w+=", text):
            if steers(*text.split("=", 1)):
                return [opaque(text)]
            words.pop(0)
        elif skip:
            skip -= 1
            words.pop(0)
        else:
            break
    raised = (
        [changes("system", f"with the rights of the administrator ({program})")]
        if program in ("sudo", "doas", "pkexec", "run0") and not call.has("-l", "-v", "-V", "-h")
        else []
    )
    if not words and program == "env":
        return everything_in_environment()
    if not words and program == "sudo" and call.has("-l", "-v", "-V", "-h"):
        return []
    if not words and program == "numactl" and call.has("-H", "-s", "--hardware", "--show"):
        return []
    if not words and program == "parallel":
        if call.stdin is None or "\0" in call.stdin:
            return [opaque("commands that come from elsewhere")]
        call.reader.nested(call.stdin, "shell")
        return []
    if not words:
        return raised or (
            [] if program in ("env", "time", "command", "builtin", "exec") else [changes("process", program)]
        )
    if program == "perf":
        words = words[1:] if words[:1] and words[0].text in ("stat", "record", "trace") else []
    if program == "hyperfine":
        for word in words:
            call.reader.nested(word.text, "shell")
        return raised
    if program == "parallel":
        marker = next((i for i, w in enumerate(words) if re.fullmatch(r":::\+?:?", w.text)), None)
        words = words[:marker] if marker is not None else words
    if program == "flock" and words[0].text == "-c" and len(words) > 1:
        call.reader.nested(words[1].text, "shell")
        return raised
    if program in ("watch", "parallel", "watchexec", "entr") and len(words) == 1:
        call.reader.nested(words[0].text, "shell")
        return raised
    stdin = call.stdin if program not in ("xargs", "parallel") else None
    if program in ("xargs", "gxargs", "parallel"):
        words = _fed(call, words)
        secret = next((w for w in re.split(r"[\s'\"|;]+", call.reader.source[:20_000]) if paths.is_secret(w)), None)
        if secret is not None:
            call.reader.effects.append(paths.reading(secret))
    before = len(call.reader.effects)
    if after_option and len(words) > 1 and not is_known(words[0].text):
        words = words[1:]  # an option that takes a value: the command begins behind it
    call.reader.run(words, stdin)
    only_looks = all(e.risk is Risk.OBSERVE for e in call.reader.effects[before:])
    return [] if only_looks else raised


def _fed(call: Call, words: list[Word]) -> list[Word]:
    """The command of xargs or parallel with its input in its place, or at its end."""
    holder = call.value("-I", "-i", "--replace") or "{}"
    computed = Word("$COMPUTED", False, True)
    out = [Word(w.text.replace(holder, "$COMPUTED"), False, True) if holder in w.text else w for w in words]
    return out if any(holder in w.text for w in words) else [*out, computed]


def everything_in_environment() -> list[Effect]:
    return [Effect("credential", "every variable of the environment", Risk.SPEND_OR_SEND)]


def _su(call: Call) -> list[Effect]:
    code = call.value("-c", "--command")
    if code is not None:
        call.reader.nested(code, "shell")
    return (
        [destroys("system", "a shell of another user")]
        if code is None
        else [changes("system", "the rights of another user")]
    )


def _eval(call: Call) -> list[Effect]:
    if not all(a.sure for a in call.args):
        return [opaque("code that is computed (eval)")]
    call.reader.nested(" ".join(call.texts), "shell")
    return []


def _source(call: Call) -> list[Effect]:
    name = call.operands[0] if call.operands else ""
    if name in ("/etc/os-release", "/usr/lib/os-release", "/etc/lsb-release"):
        return []  # names and versions, which the system itself puts there
    if re.search(r"(^|/)(\.?venv[\w.-]*|env)/bin/activate(\.\w+)?$", name):
        return [changes("process", f"uses the environment {name}", undoable=True)]
    return [opaque(f"runs {name or 'a file'}")]


def _alias(call: Call) -> list[Effect]:
    for text in call.texts:
        name, eq, code = text.partition("=")
        if eq:
            call.reader.aliases[name] = code
            call.reader.nested(code, "shell")
    return []


def _trap(call: Call) -> list[Effect]:
    if call.operands and call.operands[0] not in ("-", ""):
        call.reader.nested(call.operands[0], "shell")
    return []


_INLINE = {
    "shell": (("-c",), ()),
    "python": (("-c",), ("-m",)),
    "javascript": (("-e", "--eval", "-p", "--print", "-pe"), ()),
    "powershell": (("-c", "-command", "-Command", "-e", "-enc", "-EncodedCommand", "-encodedcommand", "-ec"), ()),
    "applescript": (("-e",), ()),
}
_MODULES_THAT_LOOK = "this calendar platform sysconfig site dis ast tokenize tabnanny pickletools mimetypes".split()
_MODULES_THAT_RUN = set(
    """
    pdb cProfile profile trace runpy coverage debugpy scalene kernprof memory_profiler pyinstrument viztracer
    IPython code
    IPython.terminal twine.__main__ torch.distributed.run torch.distributed.launch accelerate.commands.launch xdist
    """.split()
)


def _interpreter(language: str) -> Handler:
    flags, _ = _INLINE[language]

    def handler(call: Call) -> list[Effect]:
        texts = call.texts
        for i, text in enumerate(texts):
            clustered = language == "shell" and re.fullmatch(r"-[a-z]*c[a-z]*", text)
            if (text in flags or clustered) and i + 1 < len(texts):
                rest = call.args[i + 1 :]
                code = (
                    rest[0]
                    if language in ("shell", "python", "javascript")
                    else Word(" ".join(w.text for w in rest), all(w.sure for w in rest))
                )
                if language == "powershell" and text.lower().startswith("-e"):
                    return [opaque("encoded PowerShell")]
                return _code(call, code, language)
            joined = re.match(r"(-c|-e)(?=['\w(])(.+)", text, re.S)
            if language == "python" and joined and not text.startswith("--"):
                return _code(call, Word(joined[2], call.args[i].sure), language)
            if language == "python" and text == "-m" and i + 1 < len(texts):
                return _module(call, texts[i + 1], call.args[i + 2 :])
            if language == "shell" and text == "-n":
                return []  # only the syntax is checked
            if language == "javascript" and re.match(
                r"-r\S|--(require|import|loader|experimental-loader|env-file|run)\b", text
            ):
                return [opaque(f"{call.program} {text}")]
            if not text.startswith("-") and not (language == "shell" and text.startswith("+")):
                return [opaque(f"runs {text}")]
        if len(texts) == 1 and texts[0] in ("--version", "-V", "--help", "-version", "-v", "-VV"):
            return []
        if call.stdin is not None:
            if "\0" in call.stdin:
                return [opaque(f"{language} code that comes from elsewhere")]
            call.reader.nested(call.stdin, language)
            return []
        if call.reader.depth:
            return [opaque(f"{call.program} that is fed by a program")]
        return [changes("process", f"opens {call.program}")]

    return handler


def _code(call: Call, code: Word, language: str) -> list[Effect]:
    if code.sure:
        call.reader.nested(code.text, language)
        return []
    if language == "shell" and re.match(r"[\w./-]+\s", code.text):
        # Only arguments are computed: read it with those left as they stand, as the shell would be given them.
        call.reader.nested(code.text, language)
        if not re.search(r"`|\$\(|^\s*\$", code.text):
            return []
    return [opaque(f"{language} code that is computed")]


def _module(call: Call, module: str, args: list[Word]) -> list[Effect]:
    texts = [a.text for a in args]
    operands = [t for t in texts if not t.startswith("-")]
    if module in _MODULES_THAT_LOOK:
        return [e for e in map(paths.reading, operands) if e.risk]
    if module == "json.tool":
        read = [e for e in map(paths.reading, operands[:1]) if e.risk]
        return [*read, *map(paths.writing, operands[1:2])]
    if module in ("zipfile", "tarfile") and texts[:1] and texts[0] in ("-l", "--list", "-t", "--test"):
        return [e for e in map(paths.reading, operands) if e.risk]
    if module == "pydoc" and operands and not set(texts) - set(operands) and "/" not in operands[0]:
        return []
    if module == "timeit":
        for word in args:
            if not word.text.startswith("-") and not word.text.isdigit():
                call.reader.nested(word.text, "python") if word.sure else call.reader.effects.append(
                    opaque("python code that is computed")
                )
        return []
    if module in _MODULES_THAT_RUN:
        return [opaque(f"python -m {module}")]
    if module in ("pip", "pytest", "mypy", "ruff", "black", "flake8", "pylint", "isort"):
        call.reader.run([Word(module), *args], call.stdin)
        return []
    if module == "venv":
        return [paths.writing(t) for t in texts if not t.startswith("-")]
    if module == "http.server":
        return [Effect("send", "opens this folder to the network", Risk.SPEND_OR_SEND)]
    return [changes("process", f"python -m {module}")]


_HARMLESS_WORDS = set(
    """
    print if unless and or not my split join length uc lc say BEGIN END sprintf printf sum for foreach sort reverse map
    scalar F puts p s g i x upcase downcase to_i to_s echo strlen date time n abs int sqrt keys
    """.split()
)


_SUBSTITUTION = re.compile(
    r"\b(?:s|y|tr)([/|#,!])(?:(?!\1)[^\\]|\\.)*\1(?:(?!\1)[^\\$@`]|\\.|\$[\d&])*\1[gimsxru]*(?![\w])"
)
"""``s/…/…/`` that computes nothing in what it puts in."""


_FILTERING = re.compile(r"-[lanpwE0]*[eEr]?|-F\S+|-0\d*")
"""Options of filters over lines; every other one may load code or write."""


def _without_texts(code: str) -> str:
    return re.sub(r"\"[^\"`@{|<>]*\"|'[^'`|<>]*'|(?<![\w)$}])/(?:[^/\\\n`]|\\.)*/(?!\w*[er])", " ", code)


def _careless(call: Call) -> list[Effect]:
    """Languages that we do not read (Perl, Ruby, PHP, Lua …): a filter over lines may pass, the rest is opaque."""
    texts = call.texts
    if len(texts) == 1 and texts[0] in ("-v", "--version", "-V", "-version", "-h", "--help"):
        return []
    if not all(_FILTERING.fullmatch(t) for t in texts if t.startswith("-")) or any("|" in o for o in call.operands[1:]):
        return [opaque(f"{call.program} code")]
    told = call.values("-e", "-ne", "-pe", "-r", "-lne", "-nle", "-lane", "-ane", "-lpe", "-ple", "-E")
    code = told[0] if len(told) == 1 else ""
    code = _SUBSTITUTION.sub(" ", code)
    words = set(re.findall(r"[A-Za-z_]\w*", _without_texts(code)))
    if (
        code
        and words <= _HARMLESS_WORDS
        and not re.search(r"`|[|<>]|\bqx\b|/e\b|\$\{|@\{|system|-i", _without_texts(code))
        and not any(t.startswith("-i") for t in texts)
    ):
        return [e for e in map(paths.reading, call.operands) if e.risk]
    return [opaque(f"{call.program} code")]


def _terminal(call: Call) -> list[Effect]:
    """tmux, screen, script, expect: they can type any command."""
    if (
        ";" not in call.texts and call.operands[:1] in (["ls"], ["list-sessions"], ["list-windows"], ["capture-pane"])
    ) or call.texts[:1] == ["-ls"]:
        return []
    code = call.value("-c")
    if call.program == "script" and code:
        call.reader.nested(code, "shell")
        return []
    return [opaque(f"{call.program} {' '.join(call.texts[:3])}")]


def unversioned(program: str) -> str:
    """python3.12 is python."""
    return re.sub(r"[\d.]+$", "", program)


TABLE: dict[str, Handler] = {
    **table(_wrapper, """
        sudo doas pkexec run0 env nice ionice nohup time timeout stdbuf setsid xargs parallel watch command
        builtin exec flock taskset chroot setarch unshare busybox toybox firejail bwrap runuser chronic
        caffeinate coproc unbuffer strace ltrace perf valgrind hyperfine entr ifne watchexec chrt cgexec nsenter gosu
        tini dumb-init faketime softlimit setpriv capsh vglrun optirun prime-run gtimeout proxychains torsocks
        proot fakeroot gxargs rlwrap catchsegv linux32
        numactl linux64 systemd-run start-stop-daemon dbus-run-session xvfb-run
        """),
    "su": _su,
    "eval": _eval,
    **table(_source, "source ."),
    "alias": _alias,
    "unalias": lambda c: [],
    "trap": _trap,
    **table(_interpreter("shell"), "sh bash zsh dash ksh ash fish mksh rbash csh tcsh yash"),
    **table(_interpreter("python"), "python python2 python3 pypy pypy3 ipython ipython3 py"),
    **table(_interpreter("javascript"), "node nodejs deno bun-eval"),
    **table(_interpreter("powershell"), "pwsh powershell"),
    **table(_interpreter("applescript"), "osascript"),
    **table(_careless, """
        perl ruby php lua luajit tclsh Rscript julia raku groovy elixir erl ghci scala java jshell R swift
        octave
        """),
    **table(_terminal, "gdb lldb tmux screen script expect byobu zellij dtach at-spi cmd wsl"),
}  # fmt: skip
