"""One method of ``computer.*``: its name, its typed arguments, what it does to the world."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

Risk = Literal["observe", "change", "spend_or_send", "destroy"]

_MARK = "__computer_method__"

F = TypeVar("F", bound=Callable[..., Any])


class HandsError(RuntimeError):
    """A hand could not do it. ``fix`` is the one thing that would help: a command, a permission, another value."""

    def __init__(self, what: str, fix: str = "") -> None:
        super().__init__(f"{what} {fix}".strip())
        self.what = what
        self.fix = fix


def method(risk: Risk) -> Callable[[F], F]:
    """Mark a function of a hand's module as a method of ``computer``.

    Its name is the module's last part, a dot and the function's name (a trailing underscore is dropped, so that
    ``set_`` is called ``set``). Annotations become the JSON schema; the docstring is what a model reads. It may be
    sync (run in a thread) or async, takes and returns JSON values, and raises ``HandsError``. ``risk`` is the class of
    the method in general; a gate may class a call by its arguments.
    """

    def mark(function: F) -> F:
        setattr(function, _MARK, risk)
        return function

    return mark


@dataclass(frozen=True)
class Method:
    """A method of ``computer.*`` with the shape of its arguments."""

    name: str
    function: Callable[..., Any]
    risk: Risk

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.function) or ""

    @cached_property
    def arguments(self) -> type[BaseModel]:
        hints = get_type_hints(self.function, include_extras=True)
        fields: dict[str, Any] = {}
        for parameter in inspect.signature(self.function).parameters.values():
            default = ... if parameter.default is parameter.empty else parameter.default
            fields[parameter.name] = (hints.get(parameter.name, Any), Field(default))
        title = self.name.replace(".", "_")
        return create_model(title, __config__=ConfigDict(extra="forbid"), **fields)

    @property
    def positions(self) -> tuple[str, ...]:
        """Argument names in order, for callers that pass them by position."""
        return tuple(inspect.signature(self.function).parameters)

    def bind(self, positional: list[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Arguments by name; raises ``HandsError`` for too many or twice the same."""
        names = self.positions
        if len(positional) > len(names):
            raise HandsError(f"computer.{self.name} takes {len(names)} arguments, not {len(positional)}.")
        given = dict(zip(names, positional, strict=False))
        twice = sorted(given.keys() & named.keys())
        if twice:
            raise HandsError(f"computer.{self.name} got {', '.join(twice)} twice.")
        return given | named

    def schema(self) -> dict[str, Any]:
        """Name, description and JSON schema of the arguments, as function-calling models take it."""
        parameters = self.arguments.model_json_schema()
        parameters.pop("title", None)
        for value in parameters.get("properties", {}).values():
            value.pop("title", None)
        return {"name": self.name, "description": self.doc, "parameters": parameters}

    def validate(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the function takes them, or ``HandsError`` saying which is wrong."""
        try:
            model = self.arguments.model_validate(arguments)
        except ValidationError as error:
            wrong = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors())
            takes = ", ".join(self.positions) or "no arguments"
            raise HandsError(f"computer.{self.name} was called wrongly: {wrong}.", f"It takes {takes}.") from None
        return {name: getattr(model, name) for name in self.arguments.model_fields}


def methods_of(module: Any) -> list[Method]:
    """The marked functions of a module, as methods named after it."""
    hand = module.__name__.rpartition(".")[2]
    found = []
    for function in vars(module).values():
        risk = getattr(function, _MARK, None)
        if risk and getattr(function, "__module__", None) == module.__name__:
            found.append(Method(f"{hand}.{function.__name__.rstrip('_')}", function, risk))
    return found
