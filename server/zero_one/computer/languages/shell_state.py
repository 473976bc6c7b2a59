"""Taking a shell's folder and plain variables into another shell: as words of data, never as code.

Functions, aliases, arrays and options stay where they are. Into a shell outside the sandbox go no variables that steer
programs, and none is exported there: a value is then only what a script writes down as ``$NAME``.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from zero_one.computer.processes import environment

# NUL cannot stand in the text that comes out (it becomes U+FFFD there), so fields end with it in that form.
GIVE = """\
__names=(); mapfile -t __names < <(compgen -v)
for __name in "${__names[@]}"; do
  printf '%s\\0%s\\0%s\\0' "$__name" "${!__name@a}" "${!__name}"
done 2>/dev/null
mapfile -t __names < <(compgen -A function)
for __name in "${__names[@]}"; do printf '%s\\0f\\0\\0' "$__name"; done
unset __name __names
"""
_END = "\ufffd"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}")
_LONGEST, _MOST = 64 * 1024, 500

# Variables of the shell's own, and those that decide which program runs, what it loads, or where it looks for files.
_STEERING = re.compile(
    r"""(?x) _ | __.* | BASH.* | COMP_.* | DIRSTACK | E?UID | PPID | FUNCNAME | GROUPS | HIST.* | HOST(NAME|TYPE) | IFS
    | LINENO | MACHTYPE | OLDPWD | OPT(ARG|ERR|IND) | OSTYPE | PIPESTATUS | PWD | RANDOM | SRANDOM | SECONDS | EPOCH.*
    | SHELLOPTS | SHLVL | REPLY | PS[0-4] | PROMPT_.* | MAPFILE | READLINE_.* | COPROC | TIMEFORMAT | TMOUT | MAIL.*
    | PATH | CDPATH | ENV | EXECIGNORE | GLOBIGNORE | FIGNORE | FUNCNEST | POSIXLY_CORRECT | CHILD_MAX | COLUMNS | LINES
    | LD_.* | DYLD_.* | GCONV_PATH | LOCPATH | NLSPATH | MALLOC_.* | GLIBC_.* | PYTHON.* | PERL.* | RUBY.* | NODE_.*
    | GIT_.* | SSH_.* | GPG_.* | DBUS_.* | XDG_.* | DISPLAY | WAYLAND_DISPLAY | .*_PROXY | .*_proxy | EDITOR | VISUAL
    | PAGER | .*PAGER | BROWSER | SHELL | HOME | TMPDIR | TERM.* | LESS.* | MAN.* | ZERO_ONE_.* | JAVA_.* | _JAVA_.*
    | MAKE.* | CC | CXX | LDFLAGS | CFLAGS | CPPFLAGS | PIP_.* | npm_.* | CARGO.* | RUST.* | GO[A-Z]+ | DOCKER_.*
    | SUDO_.* | PKEXEC_.* | VIM.* | EX(INIT)? | INPUTRC | TERMINFO.* | CURL_.* | WGETRC | .*_ASKPASS | AWS_.* | LC_.*
    | LANG(UAGE)? | TZ.*
    """
)
_ACTIVE = re.compile(r"`|\$\(|\$\{|[<>]\(|\[")
"""Text that arithmetic would run: ``$((n))`` evaluates what ``n`` holds."""


def can_give(program: str) -> bool:
    return Path(program).name == "bash"


def read(shown: str, folder: str, base: Mapping[str, str]) -> str:
    """What ``GIVE`` printed, as JSON: ``{"folder", "values": {name: [exported, value]}, "lost"}``."""
    fields = shown.split(_END)
    values: dict[str, tuple[bool, str]] = {}
    lost: list[str] = []
    for name, marks, value in zip(fields[::3], fields[1::3], fields[2::3], strict=False):
        if not _NAME.fullmatch(name) or _STEERING.fullmatch(name) or base.get(name) == value:
            continue
        if environment({name: value}).get(name) != value:
            continue  # a secret: it stays where it is, unnamed
        if not set(marks) <= {"x"} or len(value) > _LONGEST or len(values) >= _MOST:
            lost.append(name)
        else:
            values[name] = ("x" in marks, value)
    return json.dumps({"folder": folder, "values": values, "lost": lost})


def write(text: str, *, outside: bool) -> tuple[str, list[str]]:
    """The script that takes what was given in, and the names that it leaves out."""
    given: dict[str, Any] = json.loads(text)
    lost = list(given.get("lost", ()))
    lines = [f"cd -- {shlex.quote(given['folder'])} 2>/dev/null || :"]
    for name, (exported, value) in given.get("values", {}).items():
        if outside and _ACTIVE.search(value):
            lost.append(name)
            continue
        export = "export " if exported and not outside else ""
        lines.append(f"{export}{name}={shlex.quote(value)}")
    return "\n".join(lines), lost
