"""Languages that run as one program per script: nothing but files stays from run to run."""

from __future__ import annotations

import asyncio
import codecs
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import ClassVar

from zero_one.computer.languages.base import INTERRUPTED, TIMED_OUT, Output, Place
from zero_one.computer.processes import MARK, end_tree, environment

_READ = 64 * 1024


class Script:
    """A language given by ``command``, which takes the path of a script last."""

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]
    command: ClassVar[tuple[str, ...]]
    suffix: ClassVar[str]

    @classmethod
    def available(cls) -> bool:
        return shutil.which(cls.command[0]) is not None

    def __init__(self, place: Place) -> None:
        self._place = place
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None
        self._mark = ""
        self._stopped = ""

    async def run(self, code: str, *, timeout_s: float) -> AsyncGenerator[Output, None]:
        async with self._turn:
            with tempfile.TemporaryDirectory(prefix="01-") as folder:
                (Path(folder) / "cell").mkdir(mode=0o700)
                script = Path(folder) / f"script{self.suffix}"
                script.write_text(code, encoding="utf-8")
                try:
                    process = await self._start(script)
                except OSError as error:
                    yield Output("error", f"{self.name} could not be started: {error}")
                    yield Output("exit", "1")
                    return
                assert process.stdout is not None
                watch = asyncio.create_task(self._watch(timeout_s), name=f"{self.name} time limit")
                end = asyncio.create_task(process.wait())
                decode = codecs.getincrementaldecoder("utf-8")("replace").decode
                try:
                    while data := await _next(process.stdout, end):
                        if text := decode(data).replace("\0", "\ufffd"):
                            yield Output("output", text)
                    code_ = await end
                finally:
                    watch.cancel()
                    await self._end(INTERRUPTED if not end.done() else "")
                    await end
            if self._stopped:
                limit = f"ran longer than the {timeout_s:g} seconds it was given"
                why = limit if self._stopped == TIMED_OUT else "was interrupted"
                yield Output("error", f"Stopped: it {why}.")
            yield Output("exit", self._stopped or str(128 - code_ if code_ < 0 else code_))

    async def interrupt(self) -> None:
        if self._process is not None:
            await self._end(INTERRUPTED)

    async def close(self) -> None:
        await self._end("")

    async def _start(self, script: Path) -> asyncio.subprocess.Process:
        self._stopped = ""
        variables = environment()
        self._mark = variables[MARK]
        argv, wrap = [*self.command, str(script)], self._place.wrap
        self._process = await asyncio.create_subprocess_exec(
            *(wrap(argv, script.parent) if wrap else argv),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self._place.folder,
            env=variables,
            start_new_session=True,
        )
        return self._process

    async def _watch(self, timeout_s: float) -> None:
        await asyncio.sleep(timeout_s)
        await self._end(TIMED_OUT)

    async def _end(self, reason: str) -> None:
        process = self._process
        if process is None:
            return
        if process.returncode is None and reason:
            self._stopped = self._stopped or reason
        await end_tree(process.pid, self._mark)
        if self._process is process:
            self._process = None


async def _next(stream: asyncio.StreamReader, end: asyncio.Task[int]) -> bytes:
    """The next output, or nothing when the program has ended, even if a child of it still holds the pipe."""
    read = asyncio.create_task(stream.read(_READ))
    await asyncio.wait({read, end}, return_when=asyncio.FIRST_COMPLETED)
    if not read.done():
        # What the program wrote before it ended is in the pipe already; give the loop one look at it.
        await asyncio.wait({read}, timeout=0.05)
    if read.done():
        return read.result()
    read.cancel()
    return b""


class JavaScript(Script):
    """Node. Every run is a new program."""

    name: ClassVar[str] = "javascript"
    aliases: ClassVar[tuple[str, ...]] = ("js", "node", "nodejs")
    command = ("node",)
    suffix = ".js"


class AppleScript(Script):
    """macOS only."""

    name: ClassVar[str] = "applescript"
    aliases: ClassVar[tuple[str, ...]] = ("osascript",)
    command = ("osascript",)
    suffix = ".applescript"

    @classmethod
    def available(cls) -> bool:
        return sys.platform == "darwin" and super().available()
