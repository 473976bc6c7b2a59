"""The environment as a layer: real variables first, then ``.env`` beside you, then ``.env`` in the config folder."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_origin

from zero_one.config.located import read_text
from zero_one.config.paths import config_dir
from zero_one.config.problems import ConfigError, Key, Problem, all_fields, check, did_you_mean, kinds, optional
from zero_one.config.profiles import nest
from zero_one.config.providers import usual_names

PREFIX = "ZERO_ONE_"
OTHERS = frozenset({"ZERO_ONE_HOME", "ZERO_ONE_MODELS", "ZERO_ONE_PROFILE", "ZERO_ONE_HUB"})
"""Variables of ours that are no settings. Packages may have more, so only what looks like a slip is warned of."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables by name, and where each came from: ``environment`` or the path of a ``.env`` file."""

    values: Mapping[str, str]
    origin: Mapping[str, str] = field(default_factory=dict)
    beside: str = ""
    """Path of the ``.env`` in the working folder, which whoever filled that folder wrote."""
    warnings: tuple[str, ...] = ()

    def get(self, *names: str) -> tuple[str, str] | None:
        """The first of these names that is set and not empty, with its value."""
        return next(((name, value) for name in names if (value := self.values.get(name, "").strip())), None)

    def source(self, name: str) -> str:
        origin = self.origin.get(name, "environment")
        return f"{name} ({origin})" if origin != "environment" else f"environment {name}"


def gather(cwd: Path | None = None) -> Environment:
    """Read both ``.env`` files and the real environment, which wins. Raises ConfigError on a file that is no text."""
    from dotenv.parser import parse_stream

    wanted = usual_names()
    values: dict[str, str] = {}
    origin: dict[str, str] = {}
    warnings: list[str] = []
    beside = (cwd or Path.cwd()) / ".env"
    for path in (config_dir() / ".env", beside):
        if not path.is_file():
            continue
        for one in parse_stream(io.StringIO(read_text(path))):
            if one.error:
                warnings.append(f"{path}:{one.original.line}: this is no `NAME=value` line; it is ignored.")
            elif one.key and one.value is not None and (one.key in wanted or one.key.startswith(PREFIX)):
                values[one.key], origin[one.key] = one.value, str(path)
    for name, value in os.environ.items():
        values[name] = value
        origin.pop(name, None)
    return Environment(values, origin, str(beside), tuple(warnings))


def variable(key: Key) -> str:
    """``("model", "api_base")`` is ``ZERO_ONE_MODEL_API_BASE``."""
    return PREFIX + "_".join(key).upper()


def settings_layer(environment: Environment) -> tuple[dict[Key, object], dict[Key, str], list[str]]:
    """What ``ZERO_ONE_*`` sets: values, their variables, warnings about names we do not know. Raises ConfigError."""
    by_name = {variable(key): key for key in all_fields()}
    by_name["ZERO_ONE_MODEL"] = ("model", "name")
    values: dict[Key, object] = {}
    names: dict[Key, str] = {}
    warnings = list(environment.warnings)
    for name in sorted(environment.values):
        if not name.startswith(PREFIX) or name in OTHERS or name.startswith("ZERO_ONE_TEST_"):
            continue
        key = by_name.get(name.replace("__", "_"))
        if key is None:
            if meant := _meant(name, by_name):
                warnings.append(f"{name}: no such setting; it is ignored.{meant}")
            continue
        values[key], names[key] = from_text(key, environment.values[name]), name
    _, problems = check(
        nest(values), lambda key: environment.source(names[key[:2]]) if key[:2] in names else "environment"
    )
    if problems:
        raise ConfigError([Problem(one.where, one.field, one.text) for one in problems])
    return values, names, warnings


def from_text(key: Key, text: str) -> object:
    """A value written as text, in a variable or after ``--set``: lists by commas, nothing at all for null."""
    field_ = all_fields()[key]
    if any(get_origin(kind) is tuple for kind in kinds(field_)):
        return [part.strip() for part in text.split(",") if part.strip()]
    if optional(field_) and text.strip().lower() in {"", "null", "none"}:
        return None
    return text if str in kinds(field_) else text.strip()


def _meant(name: str, known: Mapping[str, Key]) -> str:
    return did_you_mean(name, {one.lower(): one for one in known}).upper().replace("DID YOU MEAN", "Did you mean")
