"""``--expose``: a way in from the internet, through a program that holds a tunnel open. It leads to a listener of its
own on which nobody is trusted for being near, so every connection needs the key of a paired device.

A tunnel that dies is told, and tried again with growing pauses; it ends with the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

log = logging.getLogger(__name__)

# A tunnel service that restarts is back in seconds; one that refuses us must not be hammered.
FIRST_PAUSE_S: Final = 2.0
LONGEST_PAUSE_S: Final = 60.0
# One that held this long was good: the pauses begin anew.
STABLE_S: Final = 60.0
_END_S: Final = 3.0
_LINE: Final = 64 * 1024


class ExposeError(Exception):
    """No tunnel can be opened as things are. The text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Up:
    """The tunnel stands. ``public``: an https address with a certificate of the service's own; or ``host`` and ``port``
    of a plain tunnel, at whose end our own certificate is shown."""

    public: str = ""
    host: str = ""
    port: int = 0

    @property
    def shown(self) -> str:
        return self.public or (f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}")


@dataclass(frozen=True, slots=True)
class Trouble:
    """What the program says is wrong. ``final``: trying again cannot help."""

    text: str
    final: bool = False


class Tunnel(Protocol):
    """A program that holds a tunnel open."""

    name: str
    tls: bool
    """Whether the near end has to speak TLS, because the tunnel adds none that reaches from end to end."""

    def command(self, port: int) -> list[str]:
        """What to start; ``port`` is the loopback port to lead to. Raises ExposeError."""

    def read(self, line: str) -> Up | Trouble | None:
        """What a line of the program's output means."""


class Exposure:
    """Keeps one tunnel open until it is cancelled.

    ``on_up`` is called each time it stands, ``on_down`` with words each time it does not any more.
    """

    def __init__(
        self,
        tunnel: Tunnel,
        port: int,
        *,
        on_up: Callable[[Up], Awaitable[None]],
        on_down: Callable[[str], Awaitable[None]],
        rng: random.Random | None = None,
    ) -> None:
        self._tunnel, self._port, self._on_up, self._on_down = tunnel, port, on_up, on_down
        self._rng = rng or random.Random()

    async def run(self) -> None:
        """Raises ExposeError where trying again cannot help."""
        clock = asyncio.get_running_loop().time
        failures = 0
        while True:
            began = clock()
            trouble = await self._once()
            if trouble.final:
                raise ExposeError(trouble.text)
            failures = 0 if clock() - began >= STABLE_S else failures
            pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(failures, 8))
            failures += 1
            await self._on_down(f"The tunnel ({self._tunnel.name}) is down: {trouble.text} It is tried again.")
            # Up to a quarter is taken off at random, so that many servers do not come back in one moment.
            await asyncio.sleep(pause * (1 - 0.25 * self._rng.random()))

    async def _once(self) -> Trouble:
        """One life of the program; why it ended."""
        command = self._tunnel.command(self._port)
        try:
            process = await asyncio.create_subprocess_exec(
                *_tied(), *command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT, limit=_LINE
            )
        except OSError as error:
            return Trouble(f"{command[0]} cannot be started ({error.strerror or error}).", final=True)
        last = Trouble("it ended without a word.")
        try:
            assert process.stdout is not None
            while line := await _line(process.stdout):
                log.debug("%s: %s", self._tunnel.name, line.rstrip())
                match self._tunnel.read(line):
                    case Up() as up:
                        await self._on_up(up)
                    case Trouble() as trouble:
                        last = trouble
                        if trouble.final:
                            return trouble
                    case None:
                        pass
            return last
        finally:
            await _end(process)


def _tied() -> list[str]:
    """What makes the program end with us even where we are killed: a tunnel must never lead to whatever takes the port
    after us. Linux only; elsewhere it then ends when its far end is closed."""
    setpriv = shutil.which("setpriv") if sys.platform == "linux" else None
    return [setpriv, "--pdeathsig", "TERM", "--"] if setpriv else []


async def _line(stream: asyncio.StreamReader) -> str:
    """The next line; a longer one than anybody writes is cut."""
    try:
        return (await stream.readline()).decode("utf-8", "replace")
    except ValueError:
        return "\n"


async def _end(process: Process) -> None:
    """Ask it to end, then end it; it never outlives us."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(_END_S):
                await process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
