"""Configuration errors that say where, what was given, what is allowed, and what was probably meant."""

from __future__ import annotations

import difflib
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from zero_one.config.settings import ADDRESS, MODEL_ADDRESS, Settings

Key = tuple[str, ...]
SECRET = frozenset({"api_key"})

FOREIGN = {
    "llm": "model",
    "llm.model": "model.name",
    "custom_instructions": "model.instructions",
    "system_message": "model.instructions",
    "tts": "speak.engine",
    "stt": "hear.engine",
    "max_budget": "caps.cost_usd",
    "max_output": "caps.output_chars",
}
"""What other profile formats call it; only to point at our own word."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong. ``where`` is ``file:line`` or the name of an environment variable or flag."""

    where: str
    field: str
    text: str

    def __str__(self) -> str:
        return f"{self.where}: {self.field}: {self.text}" if self.field else f"{self.where}: {self.text}"


class ConfigError(Exception):
    """The configuration cannot be used. ``problems`` lists all that is wrong, not only the first thing."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def fail(where: str, text: str, field: str = "") -> ConfigError:
    return ConfigError([Problem(where, field, text)])


def all_fields() -> dict[Key, FieldInfo]:
    """Every setting by its path: ``("model", "name")``, ``("debug",)``."""
    found: dict[Key, FieldInfo] = {}
    for name, field in Settings.model_fields.items():
        if section := section_of(name):
            found.update({(name, key): inner for key, inner in section.model_fields.items()})
        else:
            found[name,] = field
    return found


def section_of(name: str) -> type[BaseModel] | None:
    field = Settings.model_fields.get(name)
    kind = field.annotation if field else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def kinds(field: FieldInfo) -> tuple[Any, ...]:
    """The plain types that a field takes, ``None`` left out: ``(str,)``, ``(float,)``, ``(Literal[...],)``."""
    kind = field.annotation
    members = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return tuple(one for one in members if one is not type(None))


def optional(field: FieldInfo) -> bool:
    return type(None) in get_args(field.annotation)


def allowed(path: Key) -> str:
    """In words, what a setting may hold."""
    if len(path) == 1 and (section := section_of(path[0])):
        return f"a section with {', '.join(section.model_fields)}"
    field = all_fields().get(path[:2])
    if field is None:
        return ""
    names = ("ge", "gt", "le", "lt", "pattern", "min_length")
    limits = {
        name: limit for rule in field.metadata for name in names if (limit := getattr(rule, name, None)) is not None
    }
    words = " or ".join(_kind_words(kind, limits) for kind in kinds(field))
    return f"{words}{',' if ',' in words else ''} or nothing (null)" if optional(field) else words


def _kind_words(kind: Any, limits: dict[str, Any]) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(map(str, get_args(kind)))
    if get_origin(kind) is tuple:
        return "a list of texts"
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        noun = "a whole number" if kind is int else "a number"
        low, high = limits.get("ge"), limits.get("le")
        if low is not None and high is not None:
            return f"{noun} from {low} to {high}"
        if low is not None:
            return f"{noun}, {low} or more"
        if "gt" in limits:
            return f"{noun} above {limits['gt']}"
        return noun
    if limits.get("pattern") in (ADDRESS, MODEL_ADDRESS):
        return "an address such as http://127.0.0.1:1234/v1"
    return "text that is not empty" if limits.get("min_length") else "text"


def did_you_mean(word: str, among: Iterable[str]) -> str:
    """A suggestion with a leading space, or nothing."""
    close = difflib.get_close_matches(word.lower(), list(among), n=1, cutoff=0.65)
    return f" Did you mean `{close[0]}`?" if close else ""


def unknown(path: Key) -> str:
    """What to say of a key that does not exist at ``path``."""
    key, dotted = path[-1], ".".join(path)
    if dotted in FOREIGN or (len(path) == 1 and key in FOREIGN):
        return f"no such setting. Here it is called `{FOREIGN.get(dotted) or FOREIGN[key]}`."
    if len(path) == 1:
        homes = [".".join(full) for full in all_fields() if len(full) == 2 and full[1] == key]
        if homes:
            return f"no such setting at the top. Did you mean `{'` or `'.join(homes)}`?"
        names = list(Settings.model_fields)
        return f"no such setting.{did_you_mean(key, names)} There are: {', '.join(names)}."
    section = section_of(path[0])
    names = list(section.model_fields) if section else []
    hint = did_you_mean(key, names)
    if not hint:
        homes = [".".join(full) for full in all_fields() if full[-1] == key]
        hint = f" Did you mean `{'` or `'.join(homes)}`?" if homes else ""
    return f"no such setting in `{path[0]}`.{hint} There are: {', '.join(names)}."


def shown(path: Key, value: Any) -> str:
    """A value as it may be printed: keys are never shown, long texts are cut."""
    if path and path[-1] in SECRET:
        return "(a key, not shown)"
    text = "null" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def check(data: dict[str, Any], where: Callable[[Key], str]) -> tuple[Settings | None, list[Problem]]:
    """Validate one layer: settings or problems. ``where`` tells ``file:line`` (or variable, or flag) of a path."""
    problems = [_bool_as_number(path, where) for path in _bools(data) if _wants_number(path)]
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        problems += [_problem(dict(one), where) for one in error.errors()]
        return None, problems
    return (None if problems else settings), problems


def _problem(one: dict[str, Any], where: Callable[[Key], str]) -> Problem:
    path = tuple(str(part) for part in one["loc"])
    dotted = ".".join(path)
    if one["type"] == "extra_forbidden":
        return Problem(where(path), dotted, unknown(path))
    wanted = allowed(path)
    given = shown(path[:2], one["input"])
    text = f"given {given}; it must be {wanted}." if wanted else f"given {given}: {one['msg']}."
    options = (
        [str(option) for kind in kinds(field) for option in get_args(kind)] if (field := all_fields().get(path)) else []
    )
    if isinstance(one["input"], str) and options:
        text += did_you_mean(one["input"], options)
    if len(path) == 1 and (section := section_of(path[0])):
        first = next(iter(section.model_fields))
        text += f" Write it as `{path[0]}:` and, indented on the next line, `{first}: ...`."
    return Problem(where(path), dotted, text)


def _bools(data: dict[str, Any]) -> list[Key]:
    flat = [(name,) for name, value in data.items() if isinstance(value, bool)]
    for name, value in data.items():
        if isinstance(value, dict):
            flat += [(name, str(key)) for key, inner in value.items() if isinstance(inner, bool)]  # type: ignore[misc]
    return flat  # type: ignore[return-value]


def _wants_number(path: Key) -> bool:
    field = all_fields().get(path)
    return field is not None and bool({int, float} & set(kinds(field)))


def _bool_as_number(path: Key, where: Callable[[Key], str]) -> Problem:
    return Problem(where(path), ".".join(path), f"given true or false; it must be {allowed(path)}.")
