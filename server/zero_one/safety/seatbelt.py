"""The sandbox on macOS: a profile in Apple's sandbox language for ``sandbox-exec``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from zero_one.safety.sandbox import SOCKETS, Sandbox, environment, python_folders


def command(box: Sandbox, argv: Sequence[str], runtime: Path) -> list[str]:
    changed = [f"{name}={value}" for name, value in environment(box).items()]
    without = [part for name in SOCKETS for part in ("-u", name)]
    return ["sandbox-exec", "-p", profile(box, runtime), "/usr/bin/env", *without, *changed, *_limited(box, argv)]


def profile(box: Sandbox, runtime: Path) -> str:
    """Everything denied but what is listed; of two rules that fit, the later wins."""
    home = Path.home()
    rules = [
        "(version 1)",
        "(deny default)",
        '(import "bsd.sb")',
        "(allow process-fork)",
        "(allow process-exec)",
        "(allow signal (target same-sandbox))",
        "(allow sysctl-read)",
        "(allow file-read*)",
        '(deny file-read* (subpath "/Users") (subpath "/Volumes") (subpath "/private/var/db"))',
        '(deny file-read* (subpath "/private/etc"))',
        '(allow file-read* (literal "/private/etc/hosts") (literal "/private/etc/passwd"))',
        '(allow file-read* (subpath "/private/etc/ssl"))',
        '(deny file-read* (subpath "/private/var/folders") (subpath "/private/tmp") (subpath "/private/var/root"))',
    ]
    if box.home == "read":
        rules.append(f"(allow file-read* (subpath {_quoted(home)}))")
    rules += [f"(allow file-read* (subpath {_quoted(folder)}))" for folder in box.read]
    rules += [f"(allow file-read* file-write* (subpath {_quoted(folder)}))" for folder in box.write]
    own = {*box.read, *box.write}
    rules += [f"(deny file-read* file-write* (subpath {_quoted(s)}))" for s in box.secrets if s not in own]
    rules += [f"(allow file-read* (subpath {_quoted(folder)}))" for folder in python_folders()]
    writable = [box.project, runtime / "cell", *([box.scratch] if box.scratch else [])]
    rules += [f"(allow file-read* (subpath {_quoted(runtime)}))"]
    rules += [f"(allow file-read* file-write* (subpath {_quoted(folder)}))" for folder in writable]
    rules.append(f"(deny file-write* (subpath {_quoted(box.project / '.output')}))")
    rules.append('(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))')
    rules.append("(deny network*)")
    for folder in (runtime, *writable):
        rules.append(f"(allow network* (local unix-socket (subpath {_quoted(folder)})))")
        rules.append(f"(allow network-outbound (remote unix-socket (subpath {_quoted(folder)})))")
    return "\n".join(rules)


def _quoted(path: Path) -> str:
    # What is denied or allowed is the file itself: /var and /tmp are symbolic links there.
    return '"' + os.path.realpath(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _limited(box: Sandbox, argv: Sequence[str]) -> list[str]:
    limits = box.limits
    script = (
        f"ulimit -c 0; ulimit -n {limits.open_files}; ulimit -u {limits.processes}; "
        f'ulimit -f {limits.file_size // 512}; ulimit -t {limits.cpu_s}; exec "$@"'
    )
    return ["/bin/sh", "-c", script, "sh", *argv]
