"""The running languages of one conversation: for each language one process per scope, and state brought between them.

Most code runs inside, in one process per language that keeps its variables. What was agreed to beyond that runs in a
process of its own, in a wider sandbox or in none; plain variables go there with it and come back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from zero_one.computer.languages.base import Call, Cell, Cells, Language, Needs, Place, Scope

if TYPE_CHECKING:
    from zero_one.computer.languages.pool import KernelPool

_WIDER = 3
"""So many processes of one language beside the one inside are kept; then the one that was used longest ago ends."""

_NAMED = 12


@runtime_checkable
class Carrying(Protocol):
    """A language whose plain state can be brought into another process of it."""

    async def give(self) -> str: ...
    async def take(self, text: str) -> list[str]: ...


@runtime_checkable
class Warming(Protocol):
    def warm(self) -> None: ...


@dataclass(eq=False)
class Bench:
    """A language in a scope. ``cell`` is its sandbox, if there are any here; ``runs`` how many runs are on or queued.

    ``turn`` is held by the one that is on: what a cell is given, it is given for one run.
    """

    name: str
    scope: Scope
    language: Language
    cell: Cell | None = None
    runs: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class Workshop:
    def __init__(
        self,
        folder: Path,
        known: Mapping[str, type[Language]],
        call: Call,
        cells: Cells | None,
        pool: KernelPool | None,
    ) -> None:
        self._folder, self._known, self._call, self._cells, self._pool = folder, known, call, cells, pool
        self._benches: dict[tuple[str, Scope], Bench] = {}  # the one used last comes last
        self._last: dict[str, Bench] = {}
        self._opening = {name: asyncio.Lock() for name in known}
        self._warming: asyncio.Task[None] | None = None

    def warm(self) -> None:
        """Begin to start the Python that the first run needs, in its sandbox; returns at once."""
        if self._cells is None or not self._cells.sandboxed:
            if self._pool is not None:
                self._pool.start()
        elif self._warming is None:
            self._warming = asyncio.create_task(self._warm(), name="warm sandbox")

    async def _warm(self) -> None:
        async with self._opening["python"]:
            bench = await self._bench("python", Scope())
        if isinstance(bench.language, Warming):
            bench.language.warm()

    def folder(self, name: str) -> Path:
        """Where the next run of this language begins, as far as it tells."""
        last = self._last.get(name)
        folder: Path = getattr(last.language, "folder", self._folder) if last is not None else self._folder
        return folder

    async def enter(self, name: str, code: str, needs: Needs | None) -> tuple[Bench, str]:
        """The bench on which this code runs, with the state of the one before; and a line about what is missing there.

        ``leave`` it after the run.
        """
        async with self._opening[name]:
            last = self._last.get(name)
            scope = self._cells.scope(needs, code, self.folder(name)) if self._cells is not None else Scope()
            old = await self._take_stale(name, scope)
            bench = await self._bench(name, scope)
            bench.runs += 1
            self._last[name] = bench
            try:
                source = old if last is None or last is old else last
                note = await self._bring(source, bench) if source is not None and source is not bench else ""
            except BaseException:
                bench.runs -= 1
                raise
            finally:
                if old is not None:
                    await _end(old)
            await self._tidy(name)
        return bench, note

    async def _take_stale(self, name: str, scope: Scope) -> Bench | None:
        """The bench of this scope, taken away, if its cell must not be used any more and nothing runs there."""
        found = self._benches.get((name, scope))
        if found is None or found.runs or found.cell is None or not await found.cell.stale():
            return None
        return self._benches.pop((name, scope))

    def leave(self, bench: Bench) -> None:
        bench.runs -= 1

    async def _bench(self, name: str, scope: Scope) -> Bench:
        found = self._benches.pop((name, scope), None)
        if found is None:
            cell = await self._cells.open(scope) if self._cells is not None else None
            wrap = cell.wrap if cell is not None else None
            place = Place(self._folder, self._call, self._pool, wrap, bool(scope.write), scope.outside)
            found = Bench(name, scope, self._known[name](place), cell)
        self._benches[name, scope] = found
        return found

    async def _bring(self, last: Bench, bench: Bench) -> str:
        source, target = last.language, bench.language
        if not isinstance(source, Carrying) or not isinstance(target, Carrying):
            return ""
        try:
            given = await source.give()
            lost = await target.take(given) if given else []
        except (RuntimeError, OSError, ValueError, KeyError, TypeError):
            # What a sandbox gave was not what it should have been, or one of the two could not be started.
            return "(This runs in another process, to which no variables could be brought.)"
        if not lost:
            return ""
        names = ", ".join(lost[:_NAMED]) + (f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else "")
        return f"(This runs in another process. Not brought there, because they are no plain data: {names}.)"

    async def _tidy(self, name: str) -> None:
        """End the wider processes that were not used for longest."""
        wider = [bench for bench in self._benches.values() if bench.name == name and not bench.scope.inside]
        for bench in wider[:-_WIDER]:
            if not bench.runs and bench is not self._last.get(name):
                del self._benches[bench.name, bench.scope]
                await _end(bench)

    async def interrupt(self) -> None:
        await asyncio.gather(*(bench.language.interrupt() for bench in self._benches.values()))

    async def close(self) -> None:
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.gather(self._warming, return_exceptions=True)
        benches, self._benches = list(self._benches.values()), {}
        self._last.clear()
        await asyncio.gather(*(_end(bench) for bench in benches))
        if self._cells is not None:
            await self._cells.close()


async def _end(bench: Bench) -> None:
    await bench.language.close()
    if bench.cell is not None:
        await bench.cell.close()
