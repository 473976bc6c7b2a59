"""The languages of one conversation."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zero_one.computer.hands import Gate, Hands
from zero_one.computer.languages import registry
from zero_one.computer.languages.base import Cells, Needs, Output, Reach
from zero_one.computer.output import HeadTail, Limits
from zero_one.computer.workshop import Bench, Workshop

if TYPE_CHECKING:
    from zero_one.computer.languages.pool import KernelPool


class Terminal:
    """Runs code of any language this machine has, in one folder, for one conversation.

    ``folder`` is the working folder (created, mode 0700, if it is not there) and keeps long outputs under ``.output``.
    ``allow`` is asked before every ``computer.*`` call that comes out of running code. ``cells`` makes the sandboxes
    that code runs in; without it there are none. ``pool`` lends warm Python kernels where there is no sandbox; without
    it the first Python run waits about a second for its own.
    """

    def __init__(
        self,
        folder: Path,
        hands: Hands,
        *,
        allow: Gate | None = None,
        cells: Cells | None = None,
        pool: KernelPool | None = None,
        limits: Limits | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder.resolve()
        kept = self.folder / ".output"
        if not kept.is_symlink():
            kept.mkdir(exist_ok=True, mode=0o700)  # now, so that a sandbox can show it read-only
        self.allow = allow
        self._hands = hands
        self._limits = limits or Limits()
        self._cells = cells
        self._known = registry.available()
        self._workshop = Workshop(self.folder, self._known, self._call_from_code, cells, pool)
        # Outputs of an earlier life of this conversation stay: its history names them.
        self._runs = max((int(file.name[:4]) for file in self.folder.glob(".output/[0-9][0-9][0-9][0-9]-*")), default=0)

    @property
    def languages(self) -> list[str]:
        """Names of the languages that this machine can run."""
        return list(self._known)

    @property
    def sandboxed(self) -> bool:
        """Whether code runs in a sandbox here. Where it does not, every change has to be asked about."""
        return self._cells is not None and self._cells.sandboxed

    def lacks(self) -> str:
        """In words, what code here cannot have, for the model; nothing where it lacks nothing."""
        return self._cells.lacks() if self._cells is not None else ""

    def folder_of(self, language: str) -> Path:
        """Where the next run of this language begins: an earlier one may have gone elsewhere."""
        return self._workshop.folder(registry.resolve(language, self._known) or "")

    def warm(self) -> None:
        """Begin to start what the first run of Python needs; returns at once."""
        self._workshop.warm()

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """A method of ``computer.*``, asked of the gate first; raises what the gate raises, or ``HandsError``."""
        if self.allow is not None:
            await self.allow(name, arguments)
        return await self._hands.call(name, **arguments)

    async def _call_from_code(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        if not name:  # what is there to call
            return self._hands.schemas()
        return await self.call(name, self._hands.method(name).bind(positional, named))

    async def run(
        self,
        language: str,
        code: str,
        *,
        timeout_s: float = 120.0,
        network: bool = True,
        needs: Needs | None = None,
    ) -> AsyncGenerator[Output, None]:
        """Run code, yielding pieces as they come, ``exit`` last; never raises for what the code does.

        Printed text beyond the limits is left out in the middle; the line in its place names the file that has it all.
        An unknown language is an ``error`` and exit "127". Closing the iterator interrupts the run.

        ``network`` False closes the network for this run. ``needs`` is the verdict over an act that was ruled to run or
        was agreed to: what it writes outside the folder, or does to the machine, is possible to this run only.
        Without it the run is an observation: nothing but the folder can be written.
        """
        name = registry.resolve(language, self._known)
        if name is None:
            has = ", ".join(self._known)
            yield Output("error", f"{language or 'That language'} cannot be run on this machine. It has {has}.")
            yield Output("exit", "127")
            return
        if not _can_be_written(name, code):
            yield Output("error", "The code holds half a character (a lone surrogate), which no program can read.")
            yield Output("exit", "1")
            return
        bench, note = await self._workshop.enter(name, code, needs)
        try:
            if note:
                yield Output("output", f"{note}\n")
            async with bench.turn:
                after = self._open_network(bench, needs, code, network)
                try:
                    async with aclosing(self._run(bench, code, timeout_s)) as pieces:
                        async for piece in pieces:
                            yield piece
                finally:
                    if bench.cell is not None:
                        bench.cell.reach(after)
        finally:
            self._workshop.leave(bench)

    async def _run(self, bench: Bench, code: str, timeout_s: float) -> AsyncGenerator[Output, None]:
        self._runs += 1
        kept = HeadTail(self.folder / ".output" / f"{self._runs:04d}-{bench.name}.txt", self._limits)
        pieces = bench.language.run(code, timeout_s=timeout_s)
        said = ""
        try:
            async for piece in pieces:
                if piece.kind in ("error", "output"):
                    said = said[-_TAIL:] + piece.content[-_TAIL:]
                if piece.kind in ("error", "exit"):
                    for text in kept.finish():
                        yield Output("output", text)
                    if piece.kind == "exit" and bench.cell is not None:
                        # Of a run that went well, only the refusal that nothing else can mean counts.
                        doubtful = piece.content != "0" or "Read-only file system" in said
                        if doubtful and (why := bench.cell.explain(said)):
                            yield Output("error", why)
                    yield piece
                elif piece.kind == "image":
                    yield piece
                else:
                    for text in kept.feed(piece.content):
                        yield Output(piece.kind, text)
        finally:
            kept.close()
            if isinstance(pieces, AsyncGenerator):
                await pieces.aclose()

    def _open_network(self, bench: Bench, needs: Needs | None, code: str, network: bool) -> Reach:
        """Open what this run may reach; returns what stays open after it, for what it leaves in the background."""
        if bench.cell is None or self._cells is None:
            return Reach()
        bench.cell.reach(self._cells.reach(needs, code, network))
        return self._cells.reach(None, "", network)

    async def interrupt(self) -> None:
        """Stop whatever runs, in every language; state is kept where it can be."""
        await self._workshop.interrupt()

    async def close(self) -> None:
        """End every language and all that it started."""
        await self._workshop.close()


_TAIL = 4_000  # characters of the end of an output in which a sandbox's refusal is looked for


def _can_be_written(language: str, code: str) -> bool:
    """Whether code is text that a file can hold; the shell's may name files whose names are no text."""
    try:
        code.encode("utf-8", "surrogateescape" if language == "shell" else "strict")
    except UnicodeEncodeError:
        return False
    return True
