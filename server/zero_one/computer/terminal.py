"""The languages of one conversation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zero_one.computer.hands import Gate, Hands
from zero_one.computer.languages import registry
from zero_one.computer.languages.base import Language, Needs, Output, Place
from zero_one.computer.output import HeadTail, Limits

if TYPE_CHECKING:
    from zero_one.computer.languages.pool import KernelPool


class Terminal:
    """Runs code of any language this machine has, in one folder, for one conversation.

    ``folder`` is the working folder (created, mode 0700, if it is not there) and keeps long outputs under ``.output``.
    ``allow`` is asked before every ``computer.*`` call that comes out of running code. ``pool`` lends warm Python
    kernels; without it the first Python run waits about a second for its own.
    """

    def __init__(
        self,
        folder: Path,
        hands: Hands,
        *,
        allow: Gate | None = None,
        pool: KernelPool | None = None,
        limits: Limits | None = None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder = folder.resolve()
        self.allow = allow
        self._hands = hands
        self._limits = limits or Limits()
        self._place = Place(self.folder, self._call_from_code, pool)
        self._known = registry.available()
        self._open: dict[str, Language] = {}
        # Outputs of an earlier life of this conversation stay: its history names them.
        self._runs = max((int(file.name[:4]) for file in self.folder.glob(".output/[0-9][0-9][0-9][0-9]-*")), default=0)

    @property
    def languages(self) -> list[str]:
        """Names of the languages that this machine can run."""
        return list(self._known)

    async def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """A method of ``computer.*``, asked of the gate first; raises what the gate raises, or ``HandsError``."""
        if self.allow is not None:
            await self.allow(name, arguments)
        return await self._hands.call(name, **arguments)

    async def _call_from_code(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        if not name:  # what is there to call
            return self._hands.schemas()
        return await self.call(name, self._hands.method(name).bind(positional, named))

    @property
    def sandboxed(self) -> bool:
        """Whether code runs in a sandbox here. Where it does not, every change has to be asked about."""
        return False

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
        if name not in self._open:
            self._open[name] = self._known[name](self._place)
        self._runs += 1
        kept = HeadTail(self.folder / ".output" / f"{self._runs:04d}-{name}.txt", self._limits)
        pieces = self._open[name].run(code, timeout_s=timeout_s)
        try:
            async for piece in pieces:
                if piece.kind in ("error", "exit"):
                    for text in kept.finish():
                        yield Output("output", text)
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

    async def interrupt(self) -> None:
        """Stop whatever runs, in every language; state is kept where it can be."""
        await asyncio.gather(*(language.interrupt() for language in self._open.values()))

    async def close(self) -> None:
        """End every language and all that it started."""
        languages, self._open = list(self._open.values()), {}
        await asyncio.gather(*(language.close() for language in languages))
