"""What code that a model wrote can reach: its project folder, read-only programs, and little else.

The sandbox is no policy: it stands whether something was agreed to or not. On Linux it is bubblewrap (a new user,
mount, process, IPC and network namespace), on macOS a seatbelt profile, anywhere a Docker container if the settings say
so. Where there is none, ``missing`` says so and what to do; nothing is widened in silence.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Kind = Literal["bubblewrap", "seatbelt", "docker"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one sandbox: memory (bytes; of each process, and of all together), processes, CPU seconds of each process,
    open files of each, bytes of one file, and bytes that must stay free on the disk."""

    memory: int = 4 << 30
    processes: int = 512
    open_files: int = 1024
    file_size: int = 2 << 30
    cpu_s: int = 3600
    free: int = 1 << 30


@dataclass(frozen=True, slots=True)
class Sandbox:
    """One kernel's sandbox.

    ``home``: ``hidden`` shows an empty one, ``read`` shows it read-only and without ``secrets`` (see ``hidden.py``).
    ``read`` and ``write`` are further paths that can be read, or written, inside. ``granted`` are device and inode of
    those that must be exactly these: somebody may swap them meanwhile. ``scratch`` becomes its ``/tmp``.
    ``proxy`` is the unix socket through which, and only through which, it reaches a network; None: it reaches none.
    ``image`` is a Docker image, where that is the kind.
    """

    project: Path
    home: Literal["hidden", "read"] = "hidden"
    limits: Limits = Limits()
    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    granted: tuple[tuple[Path, tuple[int, int]], ...] = ()
    secrets: tuple[Path, ...] = ()
    scratch: Path | None = None
    proxy: Path | None = None
    image: str = ""
    kind: Kind | None = field(default_factory=lambda: available())

    def wrap(self, argv: list[str], runtime: Path) -> list[str]:
        """The command that runs ``argv`` inside. ``runtime`` can be read there; what is in ``runtime/cell`` written."""
        return _maker(self.kind)(self, argv, runtime)


PORT = 3128
"""Where a sandbox finds its proxy: on its own loopback address."""

MARKS = {"ZERO_ONE_SANDBOX": "1"}
"""Environment variables by which a program sees that it is in a sandbox."""


def available() -> Kind | None:
    """What this machine can sandbox with, tried for real once; None where it cannot. Never Docker, which is chosen."""
    if not _found:
        _found.append(_look())
    return _found[0]


def missing() -> str:
    """What to do where there is no sandbox; empty where there is one."""
    if available() is not None:
        return ""
    if sys.platform != "linux":
        return "Code cannot be sandboxed on this system; every change is asked about instead."
    if shutil.which("bwrap") is None:
        return (
            "Code cannot be sandboxed here, so every change is asked about. Install bubblewrap: "
            "sudo apt-get install -y bubblewrap"
        )
    return (
        "Code cannot be sandboxed here, so every change is asked about: bubblewrap is installed, but this system does "
        "not let programs make namespaces of their own. On Ubuntu: sudo apt-get install -y apparmor-profiles, or "
        "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0. In a container, run 01 on the machine itself, or "
        "give the container the right to make user namespaces."
    )


_found: list[Kind | None] = []


def _look() -> Kind | None:
    if sys.platform == "darwin":
        return "seatbelt" if shutil.which("sandbox-exec") else None
    bwrap = shutil.which("bwrap")
    if sys.platform != "linux" or bwrap is None:
        return None
    try:
        # Some kernels and containers forbid namespaces to users; only trying tells.
        tried = subprocess.run(
            [bwrap, "--unshare-all", "--as-pid-1", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"],
            capture_output=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return "bubblewrap" if tried.returncode == 0 else None


def inside(box: Sandbox, argv: Sequence[str], python: str = sys.executable) -> list[str]:
    """``argv`` as the first program of a sandbox starts it (see ``inside.py``)."""
    import json

    limits = box.limits
    config = {
        "memory": limits.memory,
        "processes": limits.processes,
        "open_files": limits.open_files,
        "file_size": limits.file_size,
        "cpu_s": limits.cpu_s,
        "free": limits.free,
        "disk": str(box.project),
        "proxy": str(box.proxy) if box.proxy else None,
        "port": PORT,
        "granted": [(str(path), *mark) for path, mark in box.granted],
    }
    program = Path(__file__).with_name("inside.py")
    return [python, "-I", "-S", str(program), json.dumps(config), "--", *argv]


def environment(box: Sandbox) -> dict[str, str]:
    """What a program in the sandbox is told beside what it is told anyway: the way out, and where to keep things."""
    caches = {name: f"/tmp/.cache{folder}" for name, folder in _CACHES.items()} | {"TMPDIR": "/tmp"}
    if box.proxy is None:
        return caches | MARKS
    address = f"http://127.0.0.1:{PORT}"
    names = ("http_proxy", "https_proxy", "all_proxy")
    ways = dict.fromkeys(names, address) | {name.upper(): address for name in names}
    return caches | MARKS | ways | {"NODE_USE_ENV_PROXY": "1", "no_proxy": "localhost,127.0.0.1,::1"}


_CACHES = {
    "XDG_CACHE_HOME": "",
    "MPLCONFIGDIR": "/matplotlib",
    "npm_config_cache": "/npm",
    "PIP_CACHE_DIR": "/pip",
}
SOCKETS = (
    "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO GNOME_KEYRING_CONTROL DBUS_SESSION_BUS_ADDRESS DISPLAY XAUTHORITY "
    "WAYLAND_DISPLAY XDG_RUNTIME_DIR PULSE_SERVER SWAYSOCK I3SOCK HYPRLAND_INSTANCE_SIGNATURE KITTY_LISTEN_ON TMUX "
    "VSCODE_IPC_HOOK_CLI ICEAUTHORITY SESSION_MANAGER DOCKER_HOST CONTAINER_HOST ZERO_ONE_HOME"
).split()
"""Environment variables that lead out of a sandbox. What they name is not there; nor are they."""


def python_folders() -> list[Path]:
    """This Python, its environment and this package: read-only, wherever they are installed."""
    import zero_one

    package = Path(zero_one.__file__).resolve().parent
    folders = [
        Path(sys.base_prefix).resolve(),
        Path(sys.base_prefix),
        Path(sys.prefix),
        Path(sys.executable).resolve().parents[1],
        package,
    ]
    system = ("/usr", "/bin", "/lib")
    return [f for f in dict.fromkeys(folders) if not f.is_relative_to("/usr") and str(f) not in ("/", *system)]


def _maker(kind: Kind | None) -> Callable[[Sandbox, Sequence[str], Path], list[str]]:
    if kind == "bubblewrap":
        from zero_one.safety.bubblewrap import command
    elif kind == "seatbelt":
        from zero_one.safety.seatbelt import command
    elif kind == "docker":
        from zero_one.safety.docker import command
    else:
        raise RuntimeError(missing() or "Code is not sandboxed here: sandbox.kind is off.")
    return command
