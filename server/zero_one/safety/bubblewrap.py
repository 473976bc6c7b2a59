"""The sandbox on Linux: bubblewrap (https://github.com/containers/bubblewrap), whose options are the man page's."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from zero_one.safety import seccomp
from zero_one.safety.sandbox import SOCKETS, Sandbox, environment, inside, python_folders

# What programs need of /etc. The rest (shadow, sudoers, ssh host keys, cron, …) is not there.
_ETC = """
    alternatives ca-certificates ca-certificates.conf debian_version fonts group hosts ld.so.cache ld.so.conf
    ld.so.conf.d localtime locale.alias locale.conf machine-id magic mime.types nsswitch.conf os-release
    passwd pki protocols python3 python3.11 python3.12 python3.13 services ssl/certs ssl/openssl.cnf timezone xdg
    ImageMagick-6 ImageMagick-7 java-17-openjdk java-21-openjdk php perl texmf crypto-policies gai.conf
""".split()
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
_STATE = ("/var/lib/dpkg", "/var/cache/fontconfig", "/var/lib/texmf", "/sys/devices/system/cpu")
_SHM = 256 << 20  # bytes of /dev/shm and the like
_MASK = ("--perms", "0500", "--size", "1048576", "--tmpfs")  # an empty folder that nothing can be put into


def command(box: Sandbox, argv: Sequence[str], runtime: Path) -> list[str]:
    home = Path.home()
    out = ["bwrap", "--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop", "ALL",
           "--hostname", "sandbox"]  # fmt: skip
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            out += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            out += ["--ro-bind", str(path), str(path)]
    for name in _ETC:
        out += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    for name in _STATE:
        out += ["--ro-bind-try", name, name]
    out += ["--proc", "/proc", "--dev", "/dev", "--size", str(_SHM), "--tmpfs", "/dev/shm"]
    out += ["--size", "16777216", "--tmpfs", "/run", "--symlink", "../run", "/var/run"]
    out += _tmp(box, home)
    out += ["--size", str(_SHM), "--tmpfs", "/var/tmp"]

    shown = [Path(name) for name in (*_SYSTEM, *_STATE)]
    if not _can_be_shown(home):
        pass
    elif box.home == "hidden":
        out += ["--perms", "0700", "--size", str(_SHM), "--tmpfs", str(home)]
    else:
        out += ["--ro-bind", str(home), str(home)]
        shown.append(home)
    # Symbolic links are followed here, outside, where what they name is known.
    for path in sorted({path.resolve() for path in box.read if path.exists()}):
        out += ["--ro-bind", str(path), str(path)]
        shown.append(path)
    entries = {path for path in box.write if path.parent == home.resolve()}
    if entries:
        out += _entries(home.resolve(), entries)
        shown.append(home)
    for path in sorted(path for path in {path.resolve() for path in box.write if path not in entries} if path.exists()):
        out += ["--bind", str(path), str(path)]
        shown.append(path)
    own = {path.resolve() for path in (*box.read, *box.write)}
    for secret in box.secrets:
        # What is not there (any more) needs no mask, and a place for one cannot be made where nothing can be written.
        if secret in own or not os.path.lexists(secret) or not any(secret.is_relative_to(folder) for folder in shown):
            continue
        out += [*_MASK, str(secret)] if secret.is_dir() else ["--ro-bind", "/dev/null", str(secret)]
    for path in python_folders():
        out += ["--ro-bind-try", str(path), str(path)]

    out += ["--bind", str(box.project), str(box.project)]
    kept = box.project / ".output"
    if kept.is_dir() and not kept.is_symlink():
        out += ["--ro-bind", str(kept), str(kept)]  # the host writes there: no traps for it
    out += ["--ro-bind", str(runtime), str(runtime)]
    if (runtime / "cell").is_dir():
        out += ["--bind", str(runtime / "cell"), str(runtime / "cell")]
    if box.proxy is not None:
        out += ["--ro-bind", str(box.proxy), str(box.proxy)]
    out += ["--remount-ro", "/", "--chdir", str(box.project)]
    for name in SOCKETS:
        out += ["--unsetenv", name]
    for name, value in environment(box).items():
        out += ["--setenv", name, value]
    return _filtered([*out, "--", *inside(box, argv)], runtime)


def _tmp(box: Sandbox, home: Path) -> list[str]:
    """One scratch folder for all sandboxes of a conversation, unless something of the host's lies below ``/tmp``:

    what one of them puts there must not lead astray what is to be shown in the next.
    """
    private = box.scratch is None or any(
        path.is_relative_to("/tmp") for path in (box.project, home, *box.read, *box.write)
    )
    return ["--size", str(_SHM), "--tmpfs", "/tmp"] if private else ["--bind", str(box.scratch), "/tmp"]


def _entries(home: Path, named: set[Path]) -> list[str]:
    """The home folder, writable, but of what lies there only the ``named`` entries; "…" stands for all plain files."""
    out = ["--bind", str(home), str(home)]
    files = any(path.name == "…" for path in named)
    for entry in sorted(os.scandir(home), key=lambda entry: entry.name):
        path = home / entry.name
        plain = files and entry.is_file(follow_symlinks=False) and not entry.name.startswith(".")
        if path not in named and not plain and not entry.is_symlink():
            out += ["--ro-bind", str(path), str(path)]
    return out


def _can_be_shown(home: Path) -> bool:
    """Some service users live in ``/`` or in a system folder: that is no home to show, or to put anything over."""
    return home.is_absolute() and len(home.parts) > 1 and not any(Path(name).is_relative_to(home) for name in _SYSTEM)


def _filtered(argv: list[str], runtime: Path) -> list[str]:
    """With the system calls filtered; bubblewrap takes the filter from an open file."""
    program = seccomp.program()
    if not program:
        return argv
    file = runtime / "filter"
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(program)
    script = f'exec 9<{shlex.quote(str(file))}; exec "$@"'
    return ["sh", "-c", script, "sh", argv[0], "--seccomp", "9", *argv[1:]]
