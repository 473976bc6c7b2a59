"""Every method of ``computer.*`` by name, and the one way to call it."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from importlib import import_module, metadata
from typing import Any

from zero_one.computer.method import HandsError, Method, Risk, method, methods_of

__all__ = ["Gate", "Hands", "HandsError", "Method", "Risk", "method"]

GROUP = "zero_one.hands"
"""Entry points of this group name modules whose ``@method`` functions become ``computer.<module>.<function>``."""

BUILT_IN = (
    "display",
    "mouse",
    "keyboard",
    "clipboard",
    "windows",
    "volume",
    "opener",
    "files",
    "notify",
    "system",
)

Gate = Callable[[str, Mapping[str, Any]], Awaitable[None]]
"""``await allow("mouse.click", {"x": 1, "y": 2})`` returns when the call may go on and raises when it may not."""


class Hands:
    """The hands of this computer. Stateless: one may serve every conversation.

    ``call`` does not ask anybody; whoever calls on behalf of a model stands a gate before it (see ``Terminal``).
    """

    def __init__(self) -> None:
        self._methods: dict[str, Method] = {}
        for name in BUILT_IN:
            self.add(import_module(f"zero_one.computer.{name}"))
        for entry in metadata.entry_points(group=GROUP):
            self.add(entry.load())

    def add(self, module: Any) -> None:
        """Take in the marked functions of a module; a later one of the same name wins."""
        for found in methods_of(module):
            self._methods[found.name] = found

    @property
    def names(self) -> list[str]:
        return sorted(self._methods)

    def method(self, name: str) -> Method:
        """Look a method up; raises ``HandsError`` naming the nearest ones when there is none."""
        name = name.removeprefix("computer.")
        if name in self._methods:
            return self._methods[name]
        import difflib

        near = difflib.get_close_matches(name, self._methods, n=3) or self.names
        raise HandsError(f"There is no computer.{name}.", f"There is {', '.join(near)}.")

    def schemas(self) -> list[dict[str, Any]]:
        """``{"name", "description", "parameters"}`` of every method, sorted by name."""
        return [self._methods[name].schema() for name in self.names]

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """Call ``name`` (as ``"volume.set"``) with validated arguments.

        Returns JSON values. Raises ``HandsError``, whose text says what went wrong and what to do about it.
        """
        found = self.method(name)
        checked = found.validate(arguments)
        try:
            if inspect.iscoroutinefunction(found.function):
                return await found.function(**checked)
            return await asyncio.to_thread(found.function, **checked)
        except HandsError:
            raise
        except Exception as error:
            raise HandsError(f"computer.{found.name} failed: {type(error).__name__}: {error}") from error
