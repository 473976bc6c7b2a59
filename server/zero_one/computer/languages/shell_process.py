"""One bash (or sh) process that takes scripts one after the other and reports the status of each.

Three pipes stand where a terminal would be: requests in on 0, reports out on 1, and a lifeline on 2 whose other end
only we hold, so that the whole process group dies with us. Scripts see none of them: their stdin is empty and their
output goes to a named pipe of their own, so that what a background job prints later is never taken for another's.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
from pathlib import Path

import psutil

from zero_one.computer.languages.base import Wrap
from zero_one.computer.processes import MARK, end_tree, program_in

# All on one line: bash counts the lines of an eval from the line that it stands on.
_LOOP = (
    "exec 3<&0 4>&1 5<&2 </dev/null >/dev/null 2>&1; "
    "( ( read -r _ <&5; rm -rf {runtime}; kill -s KILL -- -$$ ) 3<&- 4>&- & ); exec 5<&-; "
    "__own() {{ {own}; \\return \"$1\"; }}; "
    "__keep() {{ __own 0; {{ {dump}; }} >{state}.new 2>/dev/null && \\command mv -f {state}.new {state}; "
    "\\command printf %s \"$PWD\" >{cwd}; }}; "
    "if [ -f {state} ]; then . {state}; fi; cd -- {folder} || :; "
    "while IFS= read -r __run <&3; do trap __keep EXIT; \\command printf '%s\\0' \"$__run\" >&4; "
    "{read} </dev/null >{runtime}/\"$__run\".out 2>&1 3<&- 4>&-; "
    "__own \"$?\"; \\command printf '%s\\0' \"$?\" >&4; __keep || :; \\command printf '%s\\0' \"$PWD\" >&4; done"
)  # fmt: skip
# What a script defined must not stand between the next one and its run: a function called "cat" would say what is run,
# one called "alias" what is read in again by the shell after this one. Only special builtins are safe from functions,
# in bash in its POSIX mode.
_OWN = (
    "POSIXLY_CORRECT=1; \\unset -f unset builtin command printf read trap mv eval declare alias export; "
    "\\unset -v POSIXLY_CORRECT"
)
_READ = {"bash": '\\command eval "$(<{runtime}/"$__run".sh)"', "sh": '. {runtime}/"$__run".sh'}
_DUMP = {"bash": "declare -p; declare -f; alias -p", "sh": "export -p"}


class Confused(RuntimeError):
    """The shell did not run what it was given; it was ended."""


class ShellProcess:
    """A shell in ``folder``; ``runtime`` (private to us) holds its scripts and pipes.

    What it remembers itself lies in ``runtime/cell``, and is no more than a stranger's word to us.
    """

    def __init__(
        self, program: str, runtime: Path, folder: Path, variables: dict[str, str], wrap: Wrap | None = None
    ) -> None:
        self._program = program
        self._runtime = runtime
        self._cell = runtime / "cell"
        self._wrap = wrap
        self._folder = folder
        self._variables = variables
        self._process: asyncio.subprocess.Process | None = None
        self._lifeline = -1
        self._said = ""

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        kind = "bash" if Path(self._program).name == "bash" else "sh"
        names = {"state": self._cell / "state", "cwd": self._cell / "cwd", "runtime": self._runtime}
        quoted = {name: shlex.quote(str(path)) for name, path in (names | {"folder": self._folder}).items()}
        loop = _LOOP.format(own=_OWN, dump=_DUMP[kind], read=_READ[kind].format(**quoted), **quoted)
        flags = ["--noprofile", "--norc"] if kind == "bash" else []
        argv = [self._program, *flags, "-c", loop, kind]
        theirs, self._lifeline = os.pipe()
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(self._wrap(argv, self._runtime) if self._wrap else argv),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=theirs,
                cwd=self._runtime,
                env=self._variables,
                start_new_session=True,
            )
        finally:
            os.close(theirs)

    async def run(self, script: str) -> tuple[int, str]:
        """Run ``<script>.sh``; returns its status and the folder it ended in. Ends, too, when the shell does."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        began = False
        try:
            process.stdin.write(f"{script}\n".encode())
            await process.stdin.drain()
            began = await process.stdout.readuntil(b"\0") == f"{script}\0".encode()
            if began:
                status = await process.stdout.readuntil(b"\0")
                folder = await process.stdout.readuntil(b"\0")
                return int(status[:-1]), os.fsdecode(folder[:-1])
        except (asyncio.IncompleteReadError, OSError):
            pass
        except (asyncio.LimitOverrunError, ValueError):  # no shell of ours says that
            began = False
        if not began and not self._said:
            # A script before took the shell's own words from it. It begins anew, without what it remembered.
            await self.kill()
            (self._cell / "state").unlink(missing_ok=True)
            raise Confused
        code = await process.wait()
        return (128 - code if code < 0 else code), self._left_in()

    def where(self) -> str:
        """The folder the shell is in now, as far as the system tells."""
        try:
            pid = program_in(self.pid) if self._wrap else self.pid
            return os.readlink(f"/proc/{pid}/cwd")
        except (OSError, psutil.Error):
            return str(self._folder)

    def remember(self, folder: str) -> None:
        """The folder that ``run`` will report when the shell ends without saying it."""
        self._said = folder

    async def kill(self) -> None:
        """End the shell and everything that any of its scripts started."""
        if self._process is not None:
            await end_tree(self._process.pid, self._variables[MARK])
            await self._process.wait()
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1

    def _left_in(self) -> str:
        if self._said:
            return self._said
        try:
            # No link is followed, and no pipe waited for: this file is not ours.
            descriptor = os.open(self._cell / "cwd", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            with os.fdopen(descriptor, "rb") as file:
                return os.fsdecode(file.read(4096).replace(b"\0", b"")) or str(self._folder)
        except OSError:
            return str(self._folder)


def died_of(status: int) -> str:
    """The signal's name for a status above 128, or nothing."""
    try:
        return signal.Signals(status - 128).name if status > 128 else ""
    except ValueError:
        return ""
