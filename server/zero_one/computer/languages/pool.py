"""One warm Python kernel in waiting, so that a new conversation starts at once."""

from __future__ import annotations

import asyncio
import importlib
from typing import TYPE_CHECKING

from zero_one.computer.languages.base import Imports, KernelDied, Wrap

if TYPE_CHECKING:
    from zero_one.computer.languages.kernel import Kernel


async def start_kernel(wrap: Wrap | None = None, *, imports: Imports = "first") -> Kernel:
    """A ready kernel. What it takes to talk to one costs half a second to import, so that is done in a thread."""
    module = await asyncio.to_thread(importlib.import_module, "zero_one.computer.languages.kernel")
    kernel: Kernel = await module.Kernel.start(wrap, imports=imports)
    return kernel


class KernelPool:
    """Keeps one spare kernel. ``wrap`` turns the command of a kernel into one that runs it in a sandbox.

    ``start()`` is optional: it warms the first spare before anybody asks. Everything is reaped by ``close()``.
    """

    def __init__(self, wrap: Wrap | None = None) -> None:
        self._wrap = wrap
        self._spare: asyncio.Task[Kernel] | None = None
        self._closed = False

    def start(self) -> None:
        """Begin warming a spare; returns at once."""
        if self._spare is None and not self._closed:
            self._spare = asyncio.create_task(start_kernel(self._wrap), name="spare kernel")

    async def take(self) -> Kernel:
        """A ready kernel, which is the caller's to close. Raises ``KernelDied`` when none can be started."""
        spare, self._spare = self._spare, None
        try:
            kernel = await self._ready(spare)
        finally:
            self.start()
        return kernel

    async def close(self) -> None:
        self._closed = True
        spare, self._spare = self._spare, None
        if spare is None:
            return
        if not spare.done():
            spare.cancel()
        try:
            kernel = await spare
        except (asyncio.CancelledError, KernelDied):
            return
        await kernel.close()

    async def _ready(self, spare: asyncio.Task[Kernel] | None) -> Kernel:
        if spare is not None:
            try:
                kernel = await spare
                if kernel.alive:
                    return kernel
                await kernel.close()
            except KernelDied:
                pass
        return await start_kernel(self._wrap)
