"""The shell: one bash (or sh) per conversation, whose folder and variables stay from run to run."""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import shutil
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import ClassVar

from zero_one.computer import runtime
from zero_one.computer.languages import shell_state
from zero_one.computer.languages.base import ENDED, INTERRUPTED, TIMED_OUT, Output, Place
from zero_one.computer.languages.shell_process import Confused, ShellProcess, died_of
from zero_one.computer.processes import environment

_KEPT = "The next run begins in the same folder with the variables from before this run."
_CONFUSED = (
    "The script was not run: one before it had made the shell unusable. The next begins in a new shell, in the same "
    "folder, without its variables."
)
_READ = 64 * 1024
_CARRY_S = 5.0
_LATE = 1024 * 1024  # bytes of a background job's later output that are kept


class Shell:
    """Scripts get an empty stdin and no terminal, so whatever would ask sees the end of input instead of hanging.

    ``exit`` and ``set -e`` end the script with that status; folder, variables and functions go on in a new shell.
    Background jobs (``&``) do not hold a run up; they live until ``interrupt`` or ``close``.
    """

    name: ClassVar[str] = "shell"
    aliases: ClassVar[tuple[str, ...]] = ("bash", "sh", "zsh", "terminal", "console", "shellscript")

    @classmethod
    def available(cls) -> bool:
        return sys.platform != "win32" and cls._program() is not None

    def __init__(self, place: Place) -> None:
        self._place = place
        self._folder = str(place.folder)
        self._runtime: Path | None = None
        self._variables = environment()
        self._shell: ShellProcess | None = None
        self._turn = asyncio.Lock()
        self._running: asyncio.Task[tuple[int, str]] | None = None
        self._ending = asyncio.Lock()
        self._stopped = ""
        self._runs = 0
        self._late: set[asyncio.Task[None]] = set()

    async def run(self, code: str, *, timeout_s: float) -> AsyncGenerator[Output, None]:
        async with self._turn:
            if "\0" in code:
                yield Output("error", "The script holds a NUL byte, which no shell can read.")
                yield Output("exit", "1")
                return
            try:
                shell = await self._ready()
                pipe = self._prepare(code)
            except OSError as error:
                yield Output("error", f"The shell could not be started: {error}")
                yield Output("exit", "1")
                return
            self._stopped, confused = "", False
            run = self._running = asyncio.create_task(shell.run(str(self._runs)), name="shell script")
            watch = asyncio.create_task(self._watch(timeout_s), name="shell time limit")
            decode = codecs.getincrementaldecoder("utf-8")("replace").decode
            try:
                while not run.done() or _waiting(pipe):
                    data = _read(pipe)
                    if data:
                        # NUL is no text: stores and models refuse it.
                        if text := decode(data).replace("\0", "\ufffd"):
                            yield Output("output", text)
                    else:
                        await _readable(pipe, run)
            finally:
                await self._stop(INTERRUPTED)
                async with self._ending:  # a stop under way must not reach into the next run
                    watch.cancel()
                try:
                    status, self._folder = await run
                except Confused:
                    status, confused = 1, True
                self._running = None
                self._leave(pipe)
            if rest := decode(b"", final=True):
                yield Output("output", rest)
            if confused:
                yield Output("error", _CONFUSED)
            if not confused and not self._stopped and (killer := died_of(status)) and not shell.alive:
                yield Output("error", f"The shell was killed by {killer}. {_KEPT}")
            if self._place.wrap is not None and not self._stopped and not shell.alive and status in ENDED:
                yield Output("error", f"The shell was ended because {ENDED[status]}. {_KEPT}")
            if self._stopped:
                limit = f"ran longer than the {timeout_s:g} seconds it was given"
                why = limit if self._stopped == TIMED_OUT else "was interrupted"
                yield Output("error", f"Stopped: it {why}. It was ended with everything it had started. {_KEPT}")
            yield Output("exit", self._stopped or str(status))

    @property
    def folder(self) -> Path:
        """The folder that the next script begins in."""
        return Path(self._folder)

    async def give(self) -> str:
        """Folder and plain variables, as JSON for another shell's ``take``; nothing when no script ran yet."""
        if self._shell is None or not self._shell.alive or not shell_state.can_give(self._program() or "sh"):
            return json.dumps({"folder": self._folder}) if self._runs else ""
        pieces = [piece async for piece in self.run(shell_state.GIVE, timeout_s=_CARRY_S)]
        self._runs -= 1
        shown = "".join(piece.content for piece in pieces if piece.kind == "output")
        return shell_state.read(shown, self._folder, self._variables)

    async def take(self, text: str) -> list[str]:
        """Take in what another shell gave; returns the names that could not be brought."""
        script, lost = shell_state.write(text, outside=self._place.outside)
        _ = [piece async for piece in self.run(script, timeout_s=_CARRY_S)]
        self._runs -= 1
        return lost

    async def interrupt(self) -> None:
        await self._stop(INTERRUPTED)

    async def close(self) -> None:
        shell, self._shell = self._shell, None
        if shell is not None:
            await shell.kill()
        for task in self._late:
            task.cancel()
        await asyncio.gather(*self._late, return_exceptions=True)
        if self._runtime is not None:
            await asyncio.to_thread(shutil.rmtree, self._runtime, ignore_errors=True)
            self._runtime = None

    @staticmethod
    def _program() -> str | None:
        return shutil.which("bash") or shutil.which("sh")

    async def _ready(self) -> ShellProcess:
        if self._runtime is None:
            self._runtime = runtime.make()
            (self._runtime / "cell").mkdir(mode=0o700)
        if self._shell is not None and self._shell.alive:
            return self._shell
        folder = Path(self._folder)
        if not await asyncio.to_thread(folder.is_dir):
            folder = self._place.folder
        wrap = self._place.wrap
        self._shell = ShellProcess(self._program() or "sh", self._runtime, folder, self._variables, wrap)
        await self._shell.start()
        return self._shell

    def _prepare(self, code: str) -> int:
        """Write the script and open its pipe; returns our end, which never sees an end of file."""
        assert self._runtime is not None
        self._runs += 1
        script = self._runtime / f"{self._runs}.sh"
        script.write_text(code, encoding="utf-8", errors="surrogateescape")
        pipe = self._runtime / f"{self._runs}.out"
        os.mkfifo(pipe, 0o600)
        return os.open(pipe, os.O_RDWR | os.O_NONBLOCK)

    async def _watch(self, timeout_s: float) -> None:
        await asyncio.sleep(timeout_s)
        await self._stop(TIMED_OUT)

    async def _stop(self, reason: str) -> None:
        run, shell = self._running, self._shell
        if run is None or shell is None or run.done():
            return
        self._stopped = self._stopped or reason
        async with self._ending:
            if shell.alive:
                shell.remember(shell.where())
                await shell.kill()

    def _leave(self, pipe: int) -> None:
        """A background job may hold the pipe: go on reading it, or the job would die of writing into nothing."""
        assert self._runtime is not None
        name = self._runtime / f"{self._runs}.out"
        late = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        os.close(pipe)
        name.unlink()
        (self._runtime / f"{self._runs}.sh").unlink(missing_ok=True)
        mark = self._runtime.name.rpartition("-")[2]  # several shells may serve one conversation
        kept = self._place.folder / ".output" / f"background-{mark}-{self._runs:04d}.txt"
        task = asyncio.create_task(_keep_late(late, kept), name="background output")
        self._late.add(task)
        task.add_done_callback(self._late.discard)


def _read(pipe: int) -> bytes | None:
    """What is there (empty at the end of file), or None when nothing is there yet."""
    try:
        return os.read(pipe, _READ)
    except BlockingIOError:
        return None


def _waiting(pipe: int) -> bool:
    import fcntl
    import termios

    return bool(int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0"), sys.byteorder))


async def _readable(pipe: int, run: asyncio.Task[tuple[int, str]] | None = None) -> None:
    """Wait until there is something to read or the script has ended."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()

    def wake(*_: object) -> None:
        if not ready.done():
            ready.set_result(None)

    loop.add_reader(pipe, wake)
    if run is not None:
        run.add_done_callback(wake)
    try:
        await ready
    finally:
        loop.remove_reader(pipe)
        if run is not None:
            run.remove_done_callback(wake)


async def _keep_late(pipe: int, path: Path) -> None:
    """Read until the last writer is gone, keeping the beginning in a file (mode 0600)."""
    room = _LATE
    try:
        while (data := _read(pipe)) != b"":
            if data is None:
                await _readable(pipe)
            elif room > 0:
                if path.parent.is_symlink():
                    raise NotADirectoryError(path.parent)
                path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
                os.write(file, data[:room])
                os.close(file)
                room -= len(data)
    finally:
        os.close(pipe)
