"""What code that a model wrote can reach: its project folder, read-only programs, and little else.

The sandbox is no policy: it stands whether something was agreed to or not. On Linux it is bubblewrap (a new user,
mount, process, IPC and network namespace), on macOS a seatbelt profile. Where neither is there, ``missing`` says so
and what to do; nothing is widened in silence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

# What programs need of /etc. The rest (shadow, sudoers, ssh host keys, …) is not there.
_ETC = """
    alternatives ca-certificates ca-certificates.conf debian_version fonts group hosts ld.so.cache ld.so.conf
    ld.so.conf.d localtime locale.alias locale.conf machine-id magic mime.types nsswitch.conf os-release
    passwd pki protocols python3 python3.11 python3.12 python3.13 resolv.conf services ssl timezone xdg
    ImageMagick-6 java-17-openjdk
""".split()
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt")


@dataclass(frozen=True, slots=True)
class Limits:
    """Per process tree of one kernel: memory in bytes, processes, open files, bytes of one file, CPU seconds."""

    memory: int = 4 << 30
    processes: int = 512
    open_files: int = 1024
    file_size: int = 2 << 30
    cpu_s: int = 3600


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One kernel's sandbox.

    ``home``: ``hidden`` shows an empty one, ``read`` shows it read-only and without secrets.
    """

    project: Path
    network: bool = False
    home: Literal["hidden", "read"] = "hidden"
    limits: Limits = Limits()
    extra_read: tuple[Path, ...] = ()

    def wrap(self, argv: list[str], runtime: Path) -> list[str]:
        """The command that runs ``argv`` inside, with ``runtime`` (sockets of the kernel) writable too."""
        return _MAKERS[_kind() or "none"](self, argv, runtime)

    def lacks(self) -> str:
        """In words, what code in here cannot have; for the model and for the person."""
        parts = ["no network"] if not self.network else []
        parts.append(
            "an empty home folder" if self.home == "hidden" else "a home folder that can only be read, without keys"
        )
        return f"It runs in a sandbox with {' and '.join(parts)}; only {self.project} can be written."


def available() -> bool:
    """Whether this machine can sandbox, tried for real once."""
    return _kind() is not None


def missing() -> str:
    """What to do where there is no sandbox; empty where there is one."""
    if available():
        return ""
    if sys.platform == "linux":
        return "Code cannot be sandboxed here. Install bubblewrap: sudo apt-get install -y bubblewrap"
    return "Code cannot be sandboxed on this system; every change is asked about instead."


_found: list[Literal["bubblewrap", "seatbelt"] | None] = []


def _kind() -> Literal["bubblewrap", "seatbelt"] | None:
    if not _found:
        _found.append(_look())
    return _found[0]


def _look() -> Literal["bubblewrap", "seatbelt"] | None:
    if sys.platform == "darwin":
        return "seatbelt" if shutil.which("sandbox-exec") else None
    bwrap = shutil.which("bwrap")
    if sys.platform != "linux" or bwrap is None:
        return None
    try:
        # Some kernels and containers forbid namespaces to users; only trying tells.
        tried = subprocess.run(
            [bwrap, "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return "bubblewrap" if tried.returncode == 0 else None


def _bubblewrap(box: Sandbox, argv: Sequence[str], runtime: Path) -> list[str]:
    home = Path.home()
    out = ["bwrap", "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--hostname", "sandbox"]
    if box.network:
        out.append("--share-net")
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            out += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            out += ["--ro-bind", str(path), str(path)]
    for name in _ETC:
        out += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    out += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run", "--tmpfs", "/var/tmp"]
    if box.home == "hidden":
        out += ["--tmpfs", str(home)]
    else:
        out += ["--ro-bind", str(home), str(home)]
        for secret in SECRETS:
            hidden = home / secret
            if hidden.is_dir():
                out += ["--tmpfs", str(hidden)]
            elif hidden.exists():
                out += ["--ro-bind", "/dev/null", str(hidden)]
    for path in dict.fromkeys([*_python_folders(), *box.extra_read]):
        out += ["--ro-bind-try", str(path), str(path)]
    out += [
        "--bind",
        str(box.project),
        str(box.project),
        "--bind",
        str(runtime),
        str(runtime),
        "--chdir",
        str(box.project),
    ]
    return [*out, "--", *_limited(box.limits, argv)]


def _python_folders() -> list[Path]:
    """This Python, its environment and this package: read-only, wherever they are installed."""
    import zero_one

    package = Path(zero_one.__file__).resolve().parent
    folders = [
        Path(sys.base_prefix).resolve(),
        Path(sys.prefix),
        Path(os.path.realpath(sys.executable)).parents[1],
        package,
    ]
    return [f for f in folders if not str(f).startswith(("/usr", "/bin", "/lib"))]


def _limited(limits: Limits, argv: Sequence[str]) -> list[str]:
    if shutil.which("prlimit") is None:
        return list(argv)
    return [
        "prlimit", f"--as={limits.memory}", f"--nproc={limits.processes}", f"--nofile={limits.open_files}",
        f"--fsize={limits.file_size}", f"--cpu={limits.cpu_s}", "--core=0", "--", *argv,
    ]  # fmt: skip


def _seatbelt(box: Sandbox, argv: Sequence[str], runtime: Path) -> list[str]:
    return ["sandbox-exec", "-p", seatbelt_profile(box, runtime), *argv]


def seatbelt_profile(box: Sandbox, runtime: Path) -> str:
    """A profile in Apple's sandbox language: everything denied but what is listed; later rules win."""

    def quoted(path: Path | str) -> str:
        return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'

    home = Path.home()
    rules = ["(version 1)", "(deny default)", '(import "bsd.sb")', "(allow process-fork)", "(allow process-exec)",
             "(allow signal (target same-sandbox))", "(allow sysctl-read)", "(allow file-read*)"]  # fmt: skip
    if box.home == "hidden":
        rules.append(f"(deny file-read* (subpath {quoted(home)}))")
    rules += [f"(deny file-read* (subpath {quoted(home / s)}))" for s in SECRETS]
    rules += [f"(allow file-read* (subpath {quoted(f)}))" for f in [*_python_folders(), *box.extra_read]]
    for folder in (box.project, runtime):
        rules.append(f"(allow file-read* file-write* (subpath {quoted(folder)}))")
    if box.network:
        rules.append("(allow network*)")
    else:
        rules.append(f"(allow network* (local unix-socket (subpath {quoted(runtime)})))")
    return "\n".join(rules)


SECRETS = (
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".config/gh",
    ".password-store",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    ".thunderbird",
    ".local/share/keyrings",
    ".config/01",
    ".local/share/01",
    ".electrum",
    ".bitcoin",
    ".bash_history",
    ".zsh_history",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    "Library/Cookies",
    "Library/Safari",
    "Library/Messages",
    "Library/Mail",
)
"""Below the home folder: keys, tokens, browser profiles, keychains and our own data. Never shown to code."""


def _unsandboxed(box: Sandbox, argv: Sequence[str], runtime: Path) -> list[str]:
    raise RuntimeError(missing())


_MAKERS: dict[str, Callable[[Sandbox, Sequence[str], Path], list[str]]] = {
    "bubblewrap": _bubblewrap,
    "seatbelt": _seatbelt,
    "none": _unsandboxed,
}
