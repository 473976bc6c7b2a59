"""Python in a warm IPython kernel: variables, imports and the working folder stay from run to run."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from zero_one.computer.languages.base import INTERRUPTED, TIMED_OUT, Imports, KernelDied, Output, Place
from zero_one.computer.languages.carry import KIND
from zero_one.computer.languages.pool import start_kernel

if TYPE_CHECKING:
    from zero_one.computer.languages.kernel import Execution, Kernel

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CARRY_S = 5.0
_FRAMES = 4_000  # characters of a traceback that are kept at each end

INTERRUPT_GRACE_S = 0.7
"""How long code may take to notice an interrupt before its process is killed and its variables are lost."""


class Python:
    """One conversation's Python. Runs are queued: the second waits for the first to end."""

    name: ClassVar[str] = "python"
    aliases: ClassVar[tuple[str, ...]] = ("py", "python3", "ipython")

    @classmethod
    def available(cls) -> bool:
        return True

    def __init__(self, place: Place) -> None:
        self._place = place
        self._folder = place.folder
        self._kernel: Kernel | None = None
        self._turn = asyncio.Lock()
        self._running: Execution | None = None
        self._stopped = ""
        self._warming: asyncio.Task[Kernel] | None = None

    @property
    def folder(self) -> Path:
        """The folder that the next run begins in: code may have gone elsewhere."""
        return self._folder

    def warm(self) -> None:
        """Begin to start the kernel, so that the first run finds it; returns at once."""
        if self._kernel is None and self._warming is None:
            self._warming = asyncio.create_task(self._start(), name="warm kernel")

    async def give(self) -> str:
        """Plain variables and imports, as JSON for another kernel's ``take``; nothing when there is no kernel."""
        async with self._turn:
            if self._kernel is None or not self._kernel.alive:
                return ""
            return await self._show(self._kernel, "show()")

    async def take(self, text: str) -> list[str]:
        """Take in what another kernel gave; returns the names that could not be brought."""
        async with self._turn:
            kernel = await self._ready()
            shown = await self._show(kernel, f"put({text!r})")
            await self._look(kernel)
        try:
            lost = json.loads(shown)
        except (ValueError, RecursionError):
            return []
        return [name for name in lost if isinstance(name, str) and name.isidentifier()][:200]

    async def _show(self, kernel: Kernel, call: str) -> str:
        """What a function of ``carry.py`` shows, in a kernel; nothing if it shows nothing within its time."""
        module = "zero_one.computer.languages.carry"
        execution = kernel.execute(f"import {module} as _carry; _carry.{call}; del _carry", silent=True)
        shown = ""
        try:
            async with asyncio.timeout(_CARRY_S):
                while (message := await execution.next()) is not None:
                    if message["msg_type"] == "display_data":
                        shown = message["content"]["data"].get(KIND, shown)
        except TimeoutError:
            execution.mute()
            await kernel.kill()
        return shown

    async def run(self, code: str, *, timeout_s: float) -> AsyncGenerator[Output, None]:
        async with self._turn:
            self._stopped = ""
            try:
                kernel = await self._ready()
                if self._stopped:
                    yield Output("error", "Stopped: it was interrupted before it began.")
                    yield Output("exit", self._stopped)
                    return
                execution = kernel.execute(code)
            except KernelDied as error:
                yield Output("error", f"Python could not be started: {error}")
                yield Output("exit", "1")
                return
            self._running = execution
            kernel.calls.call = self._place.call
            watch = asyncio.create_task(self._watch(kernel, timeout_s), name="python time limit")
            status = "0"
            try:
                while (message := await execution.next()) is not None:
                    for piece in _pieces(message):
                        if piece.kind == "exit":
                            status = piece.content
                        elif piece.kind != "error" or not self._stopped:
                            yield piece
            finally:
                watch.cancel()
                kernel.calls.call = None
                if not execution.finished.is_set():
                    await self._stop(kernel, INTERRUPTED)
                self._running = None
                await self._look(kernel)
            for piece in await self._ending(kernel, status, timeout_s):
                yield piece

    async def interrupt(self) -> None:
        """Stop the running code; returns when it has stopped. Variables are kept unless it would not listen."""
        if self._running is not None and self._kernel is not None:
            await self._stop(self._kernel, INTERRUPTED)
        elif self._turn.locked():  # its kernel is still starting
            self._stopped = INTERRUPTED

    async def close(self) -> None:
        warming, self._warming = self._warming, None
        if warming is not None:
            warming.cancel()
            for started in await asyncio.gather(warming, return_exceptions=True):
                if not isinstance(started, BaseException):
                    await started.close()
        await self._bury()

    async def _start(self) -> Kernel:
        place = self._place
        if place.wrap is not None or place.outside or place.pool is None:
            imports: Imports = "none" if place.outside else "last" if place.wider else "first"
            return await start_kernel(place.wrap, imports=imports)
        return await place.pool.take()

    async def _ready(self) -> Kernel:
        if self._kernel is not None and not self._kernel.alive:
            await self._bury()
        if self._kernel is None:
            warming, self._warming = self._warming, None
            kernel = await (warming or self._start())
            folder = str(self._place.folder)
            moved = kernel.execute(f"import os as _os; _os.chdir({folder!r}); del _os", silent=True)
            await moved.finished.wait()
            self._kernel = kernel
        return self._kernel

    async def _look(self, kernel: Kernel) -> None:
        """See where the code stands."""
        if kernel.alive:
            there = await asyncio.to_thread(kernel.folder)
            self._folder = there if there is not None else self._folder

    async def _bury(self) -> None:
        kernel, self._kernel = self._kernel, None
        self._folder = self._place.folder
        if kernel is not None:
            await kernel.close()

    async def _watch(self, kernel: Kernel, timeout_s: float) -> None:
        """Stops the run at its limit. Time that the code waits for a hand, or for the user's leave, is not its own."""
        loop = asyncio.get_running_loop()
        end = loop.time() + timeout_s - kernel.calls.waited_s
        while True:
            left = end + kernel.calls.waited_s - loop.time()
            if left <= 0:
                break
            await asyncio.sleep(max(left, 0.05))
        await self._stop(kernel, TIMED_OUT)

    async def _stop(self, kernel: Kernel, reason: str) -> None:
        execution = self._running
        if execution is None or execution.finished.is_set():
            return
        self._stopped = self._stopped or reason
        execution.mute()
        try:
            async with asyncio.timeout(INTERRUPT_GRACE_S):
                await kernel.interrupt()
                await execution.finished.wait()
        except TimeoutError:
            await kernel.kill()

    async def _ending(self, kernel: Kernel, status: str, timeout_s: float) -> list[Output]:
        reason = ""
        if self._stopped == TIMED_OUT:
            reason = f"Stopped: it ran longer than the {timeout_s:g} seconds it was given."
        elif self._stopped:
            reason = "Stopped: it was interrupted."
        if not kernel.alive:
            how = "It would not listen, so the Python process was ended." if reason else kernel.epitaph()
            code = kernel.exit_status or 0
            status = str(128 - code if code < 0 else code)
            reason = f"{reason} {how} Variables are lost; files are kept. The next run begins in a new process.".strip()
            await self._bury()
        pieces = [Output("error", reason)] if reason else []
        return [*pieces, Output("exit", self._stopped or status)]


def _pieces(message: dict[str, Any]) -> list[Output]:
    """What a Jupyter message means to us."""
    kind, content = message["msg_type"], message["content"]
    if kind == "stream":
        return [Output("output", content["text"])]
    if kind in ("execute_result", "display_data"):
        return [_shown(content["data"], "result" if kind == "execute_result" else "output")]
    if kind == "error":
        return _failed(content)
    return []


def _shown(data: dict[str, Any], kind: Any) -> Output:
    if "image/png" in data:
        return Output("image", "".join(str(data["image/png"]).split()))
    text = str(data.get("text/plain", ""))
    return Output(kind, text if kind == "result" else text + "\n")


def _failed(content: dict[str, Any]) -> list[Output]:
    if content["ename"] == "SystemExit":
        value = content["evalue"]
        if value in ("", "None", "0", "False"):
            return [Output("exit", "0")]
        if re.fullmatch(r"-?\d+", value):
            return [Output("exit", str(int(value) & 0xFF))]
        return [Output("error", value), Output("exit", "1")]
    frames = [frame for frame in content["traceback"] if "kernel_main.py" not in frame]
    text = _ANSI.sub("", "\n".join(frames)).strip() or f"{content['ename']}: {content['evalue']}"
    if len(text) > 2 * _FRAMES:
        text = (
            f"{text[:_FRAMES]}\n… {len(text) - 2 * _FRAMES:,} characters of the traceback left out …\n{text[-_FRAMES:]}"
        )
    return [Output("error", text), Output("exit", "1")]
