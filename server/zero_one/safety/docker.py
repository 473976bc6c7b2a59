"""The sandbox as a container: ``sandbox.kind: docker`` with an image of the owner's choice that has Python 3.

This machine's Python and this package are shown to it read-only, so the image needs a C library like this machine's
(for a Debian, another Debian of the same age or younger). Process 1 in there ends when we end.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from zero_one.computer.processes import MARK
from zero_one.computer.processes import environment as clean
from zero_one.safety.sandbox import SOCKETS, Sandbox, environment, inside, python_folders

PROGRAM = "docker"


def command(box: Sandbox, argv: Sequence[str], runtime: Path) -> list[str]:
    limits = box.limits
    out = [PROGRAM, "run", "--rm", "--interactive", "--network", "none", "--read-only", "--cap-drop", "ALL",
           "--security-opt", "no-new-privileges", "--pids-limit", str(limits.processes),
           "--memory", str(limits.memory), "--memory-swap", str(limits.memory), "--ulimit", "core=0",
           "--hostname", "sandbox", "--ipc", "private"]  # fmt: skip
    if hasattr(os, "getuid"):
        out += ["--user", f"{os.getuid()}:{os.getgid()}"]
    home = Path.home()
    mounts: list[tuple[Path, Path, bool]] = [(path, path, False) for path in python_folders()]
    shown: list[Path] = []
    if box.home == "read":
        mounts.append((home, home, False))
        shown.append(home)
    mounts += [(path, path, False) for path in box.read]
    mounts += [(path, path, True) for path in box.write]
    shown += [*box.read, *box.write]
    own = {*box.read, *box.write}
    for secret in box.secrets:
        if secret in own or not any(secret.is_relative_to(folder) for folder in shown):
            continue
        if secret.is_dir():
            out += ["--tmpfs", f"{secret}:size=1m,mode=0500"]
        else:
            mounts.append((Path(os.devnull), secret, False))
    mounts.append((box.project, box.project, True))
    if (box.project / ".output").is_dir():
        mounts.append((box.project / ".output", box.project / ".output", False))
    mounts.append((runtime, runtime, False))
    if (runtime / "cell").is_dir():
        mounts.append((runtime / "cell", runtime / "cell", True))
    if box.scratch is not None:
        mounts.append((box.scratch, Path("/tmp"), True))
    else:
        out += ["--tmpfs", "/tmp:size=256m"]
    if box.proxy is not None:
        mounts.append((box.proxy, box.proxy, False))
    for source, target, writable in mounts:
        out += ["--mount", f"type=bind,src={source},dst={target}{'' if writable else ',readonly'}"]
    # Docker hands on only what it is told to; a name without a value takes the one that we have.
    for name in sorted({*clean(), MARK, "ZERO_ONE_HANDS", "IPYTHONDIR"} - set(SOCKETS) - set(_OF_THE_HOST)):
        out += ["--env", name]
    for name, value in environment(box).items():
        out += ["--env", f"{name}={value}"]
    return [*out, "--workdir", str(box.project), "--entrypoint", "", box.image, *inside(box, argv)]


_OF_THE_HOST = ("PATH", "HOSTNAME", "PWD", "OLDPWD", "SHLVL", "_", "LD_LIBRARY_PATH")
