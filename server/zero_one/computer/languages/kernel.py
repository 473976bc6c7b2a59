"""One Python kernel process, as its host sees it."""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import zmq
import zmq.asyncio
from jupyter_client.session import Session

from zero_one.computer import runtime
from zero_one.computer.languages.base import ENDED, Imports, KernelDied, Wrap
from zero_one.computer.languages.callback import CallServer
from zero_one.computer.languages.computer_proxy import ADDRESS
from zero_one.computer.processes import MARK, end_tree, environment, program_in

READY_S = 60.0
_CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
_LONGEST = 64 * 1024 * 1024  # bytes of one message of a kernel: a picture fits, a flood does not
_AHEAD = 4 * 1024 * 1024  # characters of output that may wait for the reader before the kernel is held back


class Execution:
    """One piece of code on its way through a kernel: messages come out of ``next`` until it returns None."""

    def __init__(self) -> None:
        self.id = ""
        self.finished = asyncio.Event()
        self.muted = False
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._waiting = 0
        self._room = asyncio.Event()
        self._room.set()

    async def next(self) -> dict[str, Any] | None:
        """The next message (Jupyter's iopub form), or None when the run, or the kernel, has ended."""
        message = await self._messages.get()
        if message is not None:
            self._waiting -= _length(message)
            self._room.set()
        return message

    async def put(self, message: dict[str, Any]) -> None:
        """Hand a message on; waits while the reader is far behind, unless the run is being stopped."""
        self._waiting += _length(message)
        self._messages.put_nowait(message)
        if self._waiting > _AHEAD and not self.muted:
            self._room.clear()
            await self._room.wait()

    def mute(self) -> None:
        """Stop waiting for the reader."""
        self.muted = True
        self._room.set()

    def finish(self) -> None:
        if not self.finished.is_set():
            self.finished.set()
            self._messages.put_nowait(None)


def _length(message: dict[str, Any]) -> int:
    content = message["content"]
    data = content.get("data")
    shown = sum(len(value) for value in data.values() if isinstance(value, str)) if isinstance(data, dict) else 0
    return len(str(content.get("text", ""))) + shown + 64


class Kernel:
    """A running kernel. One execution at a time; ``close`` ends the process and everything it started.

    ``runtime`` is ours and only shown to the kernel; what it makes there itself lies in ``runtime/cell``. Nothing of
    that is opened by us but its sockets, and what comes out of those is read as data of a stranger.
    """

    def __init__(self, runtime: Path) -> None:
        self.runtime = runtime
        self.cell = runtime / "cell"
        self.cell.mkdir(mode=0o700)
        self._wrapped = False
        self.calls = CallServer(runtime)
        self.exit_status: int | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._mark = ""
        self._program = 0
        self._execution: Execution | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._context = zmq.asyncio.Context()
        self._sockets: dict[str, Any] = {}
        self._session = Session(key=secrets.token_hex(32).encode(), username="01")
        self._exited = asyncio.Event()

    @classmethod
    async def start(cls, wrap: Wrap | None = None, *, imports: Imports = "first") -> Kernel:
        """Start a kernel and wait until it answers. Raises ``KernelDied``."""
        kernel = cls(runtime.make())
        try:
            await kernel._spawn(wrap, imports)
            async with asyncio.timeout(READY_S):
                await kernel._ready()
        except TimeoutError:
            await kernel.close()
            raise KernelDied(f"Python did not start within {READY_S:.0f} seconds.") from None
        except BaseException:
            await kernel.close()
            raise
        return kernel

    @property
    def alive(self) -> bool:
        return self._process is not None and self.exit_status is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def folder(self) -> Path | None:
        """Where the code stands now, as the system tells, which no code can bend; None where it does not. Blocks."""
        try:
            if not self._program:
                self._program = program_in(self.pid) if self._wrapped else self.pid
            there = Path(psutil.Process(self._program).cwd())
        except (OSError, psutil.Error):
            return None
        return there if there.is_absolute() else None

    def execute(self, code: str, *, silent: bool = False) -> Execution:
        """Begin to run code; the last execution must have finished."""
        if not self.alive:
            log = (self.runtime / "log").read_text(errors="replace").strip()
            raise KernelDied(f"{self.epitaph()} {log[-2000:]}".strip())
        execution = self._execution = Execution()
        content = {
            "code": code,
            "silent": silent,
            "store_history": not silent,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": True,
        }
        message = self._session.msg("execute_request", content)
        execution.id = message["header"]["msg_id"]
        self._session.send(self._sockets["shell"], message)
        return execution

    async def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the running code and send SIGINT to its child processes.

        Goes over the control channel, which reaches into a sandbox where signals do not. Returns when the kernel has
        done it, so that it cannot hit a later run; never, when the code holds the interpreter's lock.
        """
        if self.alive:
            self._session.send(self._sockets["control"], "interrupt_request", {})
            await self._sockets["control"].recv_multipart()

    async def kill(self) -> None:
        """End the process and all it started; the running execution finishes."""
        if self._process is not None:
            await end_tree(self._process.pid, self._mark)
            await self._exited.wait()

    async def close(self) -> None:
        await self.kill()
        await self.calls.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._context.destroy(linger=0)
        await asyncio.to_thread(shutil.rmtree, self.runtime, ignore_errors=True)

    def epitaph(self) -> str:
        """How the process ended, in words."""
        status = self.exit_status
        if status is None:
            return "The Python process has not ended."
        if status < 0:
            names = {number.value: number.name for number in signal.Signals}
            return f"The Python process was killed by {names.get(-status, f'signal {-status}')}."
        if self._wrapped and status in ENDED:
            return f"The Python process was ended because {ENDED[status]}."
        return f"The Python process ended by itself with exit status {status}."

    async def _spawn(self, wrap: Wrap | None, imports: Imports) -> None:
        await self.calls.start()
        file = self._connect()
        module = "zero_one.computer.languages.kernel_main"
        argv = [sys.executable, "-P", "-m", module, "-f", str(file)]
        variables = environment()
        self._mark = variables[MARK]
        variables |= {ADDRESS: str(self.calls.address), "IPYTHONDIR": str(self.cell / "ipython")}
        variables["ZERO_ONE_IMPORTS"] = imports
        self._wrapped = wrap is not None
        with (self.runtime / "log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(wrap(argv, self.runtime) if wrap else argv),
                stdin=asyncio.subprocess.PIPE,  # the lifeline: it closes when we are gone
                stdout=log,
                stderr=log,
                cwd=self.runtime,
                env=variables,
                start_new_session=True,
            )
        self._tasks.append(asyncio.create_task(self._await_end(), name="kernel end"))
        self._tasks.append(asyncio.create_task(self._pump(), name="kernel output"))

    def _connect(self) -> Path:
        """Choose addresses, connect to them, and write the connection file that the kernel binds by."""
        ipc = sys.platform != "win32"
        ip = str(self.cell / "k") if ipc else "127.0.0.1"
        ports = dict(zip(_CHANNELS, range(1, 6) if ipc else _free_ports(5), strict=True))
        kinds = {"shell": zmq.DEALER, "iopub": zmq.SUB, "control": zmq.DEALER}
        for channel, kind in kinds.items():
            socket = self._context.socket(kind)
            socket.linger = 0
            socket.maxmsgsize = _LONGEST
            if kind == zmq.SUB:
                socket.rcvhwm = 64
                socket.subscribe(b"")
            socket.connect(f"ipc://{ip}-{ports[channel]}" if ipc else f"tcp://{ip}:{ports[channel]}")
            self._sockets[channel] = socket
        info = {f"{channel}_port": port for channel, port in ports.items()} | {
            "transport": "ipc" if ipc else "tcp",
            "ip": ip,
            "key": self._session.key.decode(),
            "signature_scheme": "hmac-sha256",
        }
        file = self.runtime / "connection.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(info))
        return file

    async def _ready(self) -> None:
        """An answer on iopub shows that both directions stand; what was sent before the kernel listened may be lost."""
        while True:
            first = self.execute("", silent=True)
            try:
                async with asyncio.timeout(0.5):
                    await first.finished.wait()
            except TimeoutError:
                continue
            if self.alive:
                return

    async def _await_end(self) -> None:
        assert self._process is not None
        status = await self._process.wait()
        # A sandbox reports the signal that ended its program as a shell does.
        self.exit_status = 128 - status if self._wrapped and 128 < status < 128 + 65 else status
        # What the process said last may still be on its way.
        await asyncio.sleep(0.02)
        self._exited.set()
        if self._execution is not None:
            self._execution.finish()

    async def _pump(self) -> None:
        """Reads all output all the time; what belongs to no current execution is late and is dropped."""
        socket = self._sockets["iopub"]
        while True:
            parts = await socket.recv_multipart()
            try:
                message = self._session.deserialize(self._session.feed_identities(parts)[1])
            except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
                continue
            if not _well_formed(message):
                continue
            execution = self._execution
            if execution is None or message["parent_header"].get("msg_id") != execution.id:
                continue
            if message["msg_type"] == "status":
                if message["content"].get("execution_state") == "idle":
                    execution.finish()
            elif not execution.finished.is_set():
                await execution.put(message)


def _well_formed(message: Any) -> bool:
    """Code in a kernel can speak as the kernel: its messages need not be what Jupyter's are."""
    if not isinstance(message, dict) or not isinstance(message.get("parent_header"), dict):
        return False
    content, kind = message.get("content"), message.get("msg_type")
    if not isinstance(content, dict):
        return False
    if kind == "stream":
        return isinstance(content.get("text"), str)
    if kind in ("execute_result", "display_data"):
        data = content.get("data")
        return isinstance(data, dict) and all(isinstance(value, str) for value in data.values())
    if kind == "error":
        frames = content.get("traceback")
        texts = (content.get("ename"), content.get("evalue"), *(frames if isinstance(frames, list) else [None]))
        return all(isinstance(text, str) for text in texts)
    return True


def _free_ports(count: int) -> list[int]:
    import socket

    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()
