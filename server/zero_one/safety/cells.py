"""Where one conversation's code runs: sandboxes made to measure, each with its own way to the network.

``Housing`` holds what all conversations share (settings, what this machine can do, what is secret); ``Rooms`` are one
conversation's (see ``languages.base.Cells``).
"""

from __future__ import annotations

import asyncio
import logging
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Literal

from zero_one import firm
from zero_one.computer import runtime
from zero_one.computer.languages.base import Needs, Reach, Scope, Wrap
from zero_one.config.settings import SandboxSettings
from zero_one.safety import grants, hidden, sandbox
from zero_one.safety.proxy import Proxy
from zero_one.safety.sandbox import Kind, Limits, Sandbox

log = logging.getLogger(__name__)

_FRESH_S = 60.0  # so long a list of secrets is believed, unless one of the known places has changed
_MIB = 1 << 20

_DENIED = re.compile(r"Read-only file system|EROFS|Permission denied|EACCES|Operation not permitted|EPERM")
_OFFLINE = re.compile(
    r"Network is unreachable|ENETUNREACH|Temporary failure in name resolution|Name or service not known|getaddrinfo"
    r"|Could not resolve host|EAI_AGAIN|ENOTFOUND|NameResolutionError|This run may not reach|Tunnel connection failed"
)
_ONLY_PUBLIC = "(This ran in a sandbox which reaches only public addresses, through the proxy in http_proxy.)"
_NO_NETWORK = (
    "(This ran in a sandbox without a network. It reaches public addresses that are written out in the code, through "
    "the proxy in http_proxy, unless text from elsewhere is part of the conversation.)"
)


class Housing:
    """``own`` are our own folders (settings, conversations, recordings): no code sees them, but its work folder."""

    def __init__(self, settings: SandboxSettings, own: tuple[Path, ...]) -> None:
        self.settings = settings
        self.kind = _kind(settings.kind)
        self._own = own
        self._secrets: dict[Path, tuple[int, int] | None] = {}
        self._known: frozenset[str] = frozenset()
        self._looked = -_FRESH_S
        self._looking = asyncio.Lock()

    @property
    def trouble(self) -> str:
        """Why there is no sandbox although there should be one, and what to do; empty where all is well."""
        if self.settings.kind == "off":
            return "The sandbox is off (sandbox.kind), so every change is asked about."
        if self.kind is None:
            return sandbox.missing() or f"This machine has no {self.settings.kind}, so every change is asked about."
        return ""

    def rooms(self, project: Path) -> Rooms:
        """Those of the conversation whose work folder this is."""
        return Rooms(self, project.resolve())

    @property
    def kept(self) -> tuple[Path, ...]:
        """What no run is let write: our own folders, and the places of secrets."""
        home = Path.home()
        return (*self._own, *(home / name for name in hidden.SECRETS), *self._secrets)

    async def known(self) -> frozenset[str]:
        """The places of secrets that there are now."""
        return await asyncio.to_thread(hidden.known, Path.home(), self._more)

    @property
    def _more(self) -> tuple[Path, ...]:
        return (*self._own, *paths(self.settings.hide))

    async def secrets(self) -> tuple[Path, ...]:
        """What is hidden now."""
        async with self._looking:
            more, known = self._more, await self.known()
            old = known != self._known or time.monotonic() - self._looked > _FRESH_S
            if old or await asyncio.to_thread(self._moved):
                self._secrets = await asyncio.to_thread(
                    lambda: {p: _mark(p) for p in hidden.secrets(Path.home(), more)}
                )
                self._known, self._looked = known, time.monotonic()
            return tuple(self._secrets)

    async def hidden_now(self) -> tuple[Path, ...]:
        """What was found last to be hidden, looked for anew only when one of it has been moved elsewhere."""
        return await self.secrets() if await asyncio.to_thread(self._moved) else tuple(self._secrets)

    def _moved(self) -> bool:
        return any(_mark(path) != mark for path, mark in self._secrets.items())

    def limits(self) -> Limits:
        given = self.settings
        return Limits(
            memory=given.memory_mb * _MIB,
            processes=given.processes,
            open_files=given.open_files,
            file_size=given.file_mb * _MIB,
            cpu_s=given.cpu_seconds,
            free=given.free_disk_mb * _MIB,
        )


def _mark(path: Path) -> tuple[int, int] | None:
    try:
        info = path.lstat()
    except OSError:
        return None
    return info.st_dev, info.st_ino


def _kind(wanted: Literal["auto", "bubblewrap", "seatbelt", "docker", "off"]) -> Kind | None:
    if wanted == "off":
        return None
    if wanted == "docker":
        return "docker" if shutil.which("docker") else None
    found = sandbox.available()
    return found if wanted in ("auto", found) else None


def paths(given: tuple[str, ...]) -> tuple[Path, ...]:
    """Paths of the settings, ``~`` put in."""
    return tuple(Path(one).expanduser() for one in given)


class Rooms:
    """The sandboxes of one conversation. ``close`` removes what they kept for themselves."""

    def __init__(self, housing: Housing, project: Path) -> None:
        self._housing, self._project = housing, project
        self._scratch: Path | None = None
        self._making = asyncio.Lock()

    @property
    def sandboxed(self) -> bool:
        return self._housing.kind is not None

    def scope(self, needs: Needs | None, code: str, folder: Path) -> Scope:
        if not self.sandboxed:
            return Scope()
        return grants.scope(needs, code, folder, self._project, self._housing.kept)

    def reach(self, needs: Needs | None, code: str, network: bool) -> Reach:
        given = self._housing.settings
        return grants.reach(needs, code, network=network, always=given.network, private=frozenset(given.hosts))

    async def open(self, scope: Scope) -> Room:
        if self._housing.kind is None or scope.outside:
            return Room(None, None, None, "", self._housing, frozenset())
        given = self._housing.settings
        known = await self._housing.known()
        secrets = await self._housing.secrets()
        async with self._making:
            folder = await asyncio.to_thread(self._make)
        proxy: Proxy | None = None
        try:
            listening = Proxy(folder / "proxy")
            await listening.start()
            proxy = listening
        except (OSError, ValueError) as error:  # a temporary folder whose name is too long for a socket's
            log.warning("this sandbox has no way to the network: %s", error)
        # What was granted is a true path. If a link stands there since, it is no longer what was granted.
        granted = {path: firm.mark(path) for path in scope.write if path.resolve() == path}
        box = Sandbox(
            self._project,
            home=given.home,
            limits=self._housing.limits(),
            read=paths(given.read),
            write=(*paths(given.write), *granted),
            granted=tuple((path, mark) for path, mark in granted.items() if mark is not None),
            secrets=secrets,
            scratch=self._scratch,
            proxy=proxy.path if proxy is not None else None,
            image=given.image,
            kind=self._housing.kind,
        )
        return Room(box, proxy, folder, self._where(scope), self._housing, known)

    def _make(self) -> Path:
        if self._scratch is None:
            self._scratch = runtime.make()
        return runtime.make()

    def _where(self, scope: Scope) -> str:
        return " and ".join([str(path) for path in (self._project, *sorted(scope.write))])

    def lacks(self) -> str:
        """In words, what code in here cannot have; for the model. Nothing where there is no sandbox."""
        if not self.sandboxed:
            return ""
        given = self._housing.settings
        home = (
            "an empty home folder" if given.home == "hidden" else "the home folder to read only, without keys, browser "
            "profiles, mail and other secrets"
        )  # fmt: skip
        network = (
            "the public internet through a proxy that the environment names (not this machine or the local network)"
            if given.network
            else "no network, but for what is agreed to and for addresses written out in the code"
        )
        writing = " and ".join([str(self._project), *map(str, paths(given.write))])
        return (
            f"Code runs in a sandbox: it can write {writing} and its own /tmp, and has {home}, and {network}. "
            "It sees no processes, windows or services of this computer; computer.* reaches those. "
            "To change files elsewhere, write their full paths out in the code: it then gets exactly those, if that "
            "may be done. What may be done outside the sandbox runs in another process: plain variables are brought "
            "there and back, other objects are not."
        )

    async def close(self) -> None:
        if self._scratch is not None:
            scratch, self._scratch = self._scratch, None
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)


class Room:
    """One sandbox with its proxy; without ``box`` it is the lack of one."""

    def __init__(
        self,
        box: Sandbox | None,
        proxy: Proxy | None,
        folder: Path | None,
        where: str,
        housing: Housing,
        known: frozenset[str],
    ) -> None:
        self._box, self._proxy, self._folder, self._where = box, proxy, folder, where
        self._housing, self._known = housing, known
        self._open = Reach()
        self.wrap: Wrap | None = self._wrap if box is not None else None

    def _wrap(self, argv: list[str], runtime: Path) -> list[str]:
        assert self._box is not None
        return self._box.wrap(argv, runtime)

    def reach(self, reach: Reach) -> None:
        if self._proxy is not None:
            self._proxy.reach(reach)
            self._open = reach

    def explain(self, text: str) -> str:
        if self._box is None:
            return ""
        if _DENIED.search(text):
            return (
                f"(This ran in a sandbox which can write only in {self._where}. "
                "To change something elsewhere, write the full path out in the code.)"
            )
        if _OFFLINE.search(text):
            return _ONLY_PUBLIC if self._open.public else _NO_NETWORK
        return ""

    async def stale(self) -> bool:
        """Whether a secret has come that this sandbox shows: what is hidden is decided when it starts.

        What is hidden in one stays so when it is moved; what is started from here on has to look where it is now.
        """
        if self._box is None:
            return False
        self._box = replace(self._box, secrets=await self._housing.hidden_now())
        return bool(await self._housing.known() - self._known)

    async def close(self) -> None:
        if self._proxy is not None:
            await self._proxy.close()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
