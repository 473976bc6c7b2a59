# mypy: disable-error-code="misc, no-untyped-call, arg-type, unused-ignore"
"""The process in which a conversation's Python runs: an IPython kernel that nobody sits in front of.

Started as ``python -P -m zero_one.computer.languages.kernel_main -f CONNECTION_FILE``; imports nothing else of ours but
the ``computer`` proxy, so that it works in a sandbox that shows it little.
"""

from __future__ import annotations

import asyncio
import codecs
import contextvars
import functools
import os
import select
import shlex
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import zmq
from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from IPython.core.autocall import IPyAutocall
from IPython.core.formatters import DisplayFormatter

from zero_one.computer.languages.computer_proxy import Computer

_CHUNK = 64 * 1024  # characters of one stream message
_AHEAD = 256 * 1024  # characters that may wait unsent before a writer is held back
_MESSAGES_AHEAD = 64


class Stream(OutStream):
    """stdout or stderr with back-pressure: who prints 100 MB waits for the reader instead of filling memory."""

    flush_interval = 0.05

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._waiting = 0
        self._reading = threading.Lock()
        super().__init__(*args, **kwargs)

    def write(self, string: str) -> int | None:
        if not isinstance(string, str):
            return super().write(string)
        for start in range(0, len(string), _CHUNK):
            piece = string[start : start + _CHUNK]
            super().write(piece)
            self._waiting += len(piece)
            if self._waiting >= _AHEAD:
                self._waiting = 0
                self.flush()
        return len(string)

    def _watch_pipe_fd(self) -> None:
        """What child processes write to our file descriptor; characters cut by the read size are put together."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            select.select([self._fid], [], [])
            with self._reading:  # so that nothing is ever read and not yet written when ``settle`` looks
                data = os.read(self._fid, _CHUNK)
                if not data or not self._should_watch:
                    return
                self.write(decoder.decode(data))

    def settle(self) -> None:
        """Return when what children have written so far is in the stream (or after 1 s, while they go on writing)."""
        import fcntl
        import termios

        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            with self._reading:
                waiting = fcntl.ioctl(self._fid, termios.FIONREAD, b"\0\0\0\0")
                if not int.from_bytes(waiting, sys.byteorder):
                    return
            time.sleep(0.001)


class Formatter(DisplayFormatter):
    """Representations of at most a mebibyte each; pictures excepted."""

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> Any:
        data, metadata = super().format(obj, include, exclude)
        for kind, value in data.items():
            if isinstance(value, str) and len(value) > 1 << 20 and not kind.startswith("image/"):
                cut = len(value) - (1 << 20)
                data[kind] = f"{value[: 1 << 19]}\n… {cut:,} characters left out …\n{value[-(1 << 19) :]}"
        return data, metadata


class Exit(IPyAutocall):
    """``exit()`` ends the run, not the kernel."""

    rewrite = False

    def __call__(self, code: object = None) -> None:
        raise SystemExit(code)


class Kernel(IPythonKernel):
    """An IPython kernel without a keyboard."""

    def raw_input(self, prompt: str = "") -> str:
        if prompt:
            print(prompt)
        raise EOFError("nobody can type into this program; put the value into the code, or ask the person in words")

    def getpass(self, prompt: str = "", stream: Any = None) -> str:
        return self.raw_input(prompt)

    _wakes = False

    async def do_execute(self, *args: Any, **kwargs: Any) -> Any:
        if not self._wakes and sys.platform != "win32":
            # Having any handler makes every signal wake the loop: without it, one that waits in an ``await`` sleeps on.
            asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, lambda: None)
            self._wakes = True
        reply = await super().do_execute(*args, **kwargs)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, Stream) and hasattr(stream, "watch_fd_thread"):
                stream.settle()
        return reply


class App(IPKernelApp):
    """The kernel application with our kernel, our streams and a bounded output socket."""

    def _try_bind_socket(self, s: Any, port: int) -> Any:
        if s.socket_type == zmq.XPUB:
            # A full queue holds the sender back instead of dropping output.
            s.sndhwm = _MESSAGES_AHEAD
            s.setsockopt(zmq.XPUB_NODROP, 1)
        return super()._try_bind_socket(s, port)


def _keep_context() -> None:
    """A thread's output belongs to the run that started it, however late it comes."""
    start = threading.Thread.start
    submit = ThreadPoolExecutor.submit

    @functools.wraps(start)
    def start_with_context(self: threading.Thread) -> None:
        self.run = functools.partial(contextvars.copy_context().run, self.run)  # type: ignore[method-assign]
        start(self)

    @functools.wraps(submit)
    def submit_with_context(self: ThreadPoolExecutor, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return submit(self, contextvars.copy_context().run, fn, *args, **kwargs)

    threading.Thread.start = start_with_context  # type: ignore[method-assign]
    ThreadPoolExecutor.submit = submit_with_context  # type: ignore[assignment, method-assign]


def _die_with_parent(runtime: str) -> None:
    """stdin is the lifeline: when its other end closes, the host is gone, and so is this whole process group.

    The folder that the host made for this kernel goes with it.

    A shell watches it, for a thread of ours could wait for the interpreter's lock for ever. A sandbox ends with the
    host by itself, and there a thread is enough.
    """
    lifeline = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if hasattr(os, "getpgrp") and os.getpgrp() == os.getpid() and "ZERO_ONE_SANDBOX" not in os.environ:
        # In the background twice: no child of ours, so that code which waits for its children does not wait for it.
        end = f"rm -rf {shlex.quote(runtime)}; kill -s KILL -- -{os.getpid()}"
        watch = f"( ( read -r _; {end} ) <&3 >/dev/null 2>&1 & ) 3<&0"
        subprocess.run(["sh", "-c", watch], stdin=lifeline, check=False)
        os.close(lifeline)
        return

    def wait() -> None:
        while os.read(lifeline, 1):
            pass
        os._exit(1)

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def main() -> None:
    _die_with_parent(os.path.dirname(os.path.abspath(sys.argv[sys.argv.index("-f") + 1])))
    os.environ.pop("PYTEST_CURRENT_TEST", None)  # ipykernel would not listen to our children's output
    app = App.instance(kernel_class=Kernel, outstream_class=f"{__name__}.Stream")
    app.config.InteractiveShell.xmode = "Plain"
    app.config.InteractiveShell.colors = "nocolor"
    app.config.HistoryManager.enabled = False
    app.initialize(sys.argv[1:])
    shell = app.shell
    shell.display_formatter = Formatter(parent=shell)
    shell.user_ns_hidden["computer"] = shell.user_ns["computer"] = Computer.from_environment()
    for name in ("exit", "quit"):
        shell.user_ns_hidden[name] = shell.user_ns[name] = Exit()
        shell.user_ns[name].set_ip(shell)
    warnings.filterwarnings("ignore", message="To exit: use")
    # Modules in the working folder can be imported, but do not stand before the standard library.
    packages = (place for place, path in enumerate(sys.path) if path.endswith("site-packages"))
    imports = os.environ.pop("ZERO_ONE_IMPORTS", "first")
    if imports != "none":
        sys.path.insert(next(packages, len(sys.path)) if imports == "first" else len(sys.path), "")
    _keep_context()
    app.start()


if __name__ == "__main__":
    # One copy of the classes: the application names them by import path.
    from zero_one.computer.languages import kernel_main

    kernel_main.main()
