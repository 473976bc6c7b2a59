"""Profiles: named YAML files, the user's own before the built-in ones. Nothing in them is executed or fetched."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zero_one.config import located
from zero_one.config.paths import profiles_dir
from zero_one.config.problems import (
    ConfigError,
    Key,
    Problem,
    all_fields,
    check,
    did_you_mean,
    fail,
    kinds,
    section_of,
)
from zero_one.files import write_whole

BUILTIN = Path(__file__).parent / "builtin"
DEFAULT = "default"
SUFFIXES = (".yaml", ".yml")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ABOUT = ("extends", "description")
"""Keys that speak of the profile itself; the rest are settings."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One profile file. ``values`` holds its settings by path, ``where`` tells the ``file:line`` of each."""

    name: str
    path: Path
    builtin: bool
    description: str
    extends: str | None
    values: dict[Key, Any]
    where: dict[Key, str]
    extends_at: str = ""
    """``file:line`` where it names what it extends."""


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    path: Path
    builtin: bool


def listing() -> list[Listed]:
    """All profiles by name. A user's profile hides the built-in one of the same name."""
    found: dict[str, Listed] = {}
    for folder, builtin in ((profiles_dir(), False), (BUILTIN, True)):
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                if path.suffix in SUFFIXES and path.is_file():
                    found.setdefault(path.stem, Listed(path.stem, path, builtin))
    return sorted(found.values(), key=lambda one: (one.name != DEFAULT, one.name))


def find(wanted: str, said: str = "--profile") -> Path:
    """The file of a profile that was named, or given as a path. ``said``: where it was named. Raises ConfigError."""
    if "://" in wanted:
        raise fail(said, f"{wanted} is an address. A profile is a file on this machine; nothing is ever fetched.")
    path = Path(wanted).expanduser()
    if path.suffix in {".py", ".json"}:
        for candidate in (path, profiles_dir() / path.name):
            if candidate.is_file():
                raise fail(
                    str(candidate), f"Python is never run as a profile. Convert it: 01 profiles import {candidate}"
                )
        wanted = path.stem
    looks_like_path = path.suffix in SUFFIXES or os.sep in wanted or "/" in wanted
    if looks_like_path and path.is_file():
        return path
    if looks_like_path and (path.exists() or path.is_symlink() or len(path.parts) > 1):
        kind = "a folder" if path.is_dir() else "no ordinary file" if path.exists() else ""
        raise fail(said, f"{wanted} is {kind}, not a profile." if kind else f"there is no file {wanted}.")
    stem = path.name.removesuffix(path.suffix) if path.suffix in SUFFIXES else wanted
    if "/" not in wanted and os.sep not in wanted:
        for one in listing():
            if one.name == stem:
                return one.path
    names = [one.name for one in listing()]
    hint = did_you_mean(stem, names)
    raise fail(
        said,
        f"there is no profile `{wanted}`.{hint} There are: {', '.join(names)}. Your own go to {profiles_dir()}",
    )


def read(path: Path) -> Profile:
    """Read and validate one profile file. Raises ConfigError with every problem in it."""
    source = located.load(path, plain_text=_takes_only_text)
    data = {key: ({} if value is None and section_of(key) else value) for key, value in source.data.items()}
    about = {key: data.pop(key) for key in _ABOUT if key in data}
    problems = [
        Problem(source.where((key,)), key, f"given {value!r}; it must be text.")
        for key, value in about.items()
        if not isinstance(value, str)
    ]
    extends = about.get("extends")
    if isinstance(extends, str) and not _NAME.fullmatch(extends):
        problems.append(
            Problem(
                source.where(("extends",)),
                "extends",
                f"given {extends!r}; it must be the name of another profile here.",
            )
        )
    references, concrete = _split_references(data, problems, source)
    _, wrong = check(concrete, source.where)
    if problems or wrong:
        raise ConfigError(sorted([*problems, *wrong], key=lambda one: int(one.where.rpartition(":")[2])))
    values = {**flatten(concrete), **references}
    return Profile(
        path.stem,
        path,
        path.parent == BUILTIN,
        str(about.get("description", "")),
        str(extends) if extends else None,
        values,
        {key: source.where(key) for key in values},
        source.where(("extends",)),
    )


def chain(wanted: str, said: str = "--profile") -> list[Profile]:
    """The profile and what it extends, the most general first. ``said``: where it was named. Raises ConfigError."""
    profiles = [read(find(wanted, said))]
    while (parent := profiles[-1].extends) is not None:
        child = profiles[-1]
        path = _parent(child, parent)
        if any(path.samefile(one.path) for one in profiles):
            raise fail(str(child.path), f"`extends: {parent}` leads back to itself.", "extends")
        profiles.append(read(path))
    return profiles[::-1]


def _parent(child: Profile, name: str) -> Path:
    """A profile may extend the built-in one that it hides."""
    own = BUILTIN / f"{name}.yaml"
    if name == child.name and not child.builtin and own.is_file():
        return own
    return find(name, f"{child.extends_at}: extends")


def create(name: str, template: str = DEFAULT, *, force: bool = False) -> Path:
    """Copy a profile to the user's folder under a new name. Raises ConfigError."""
    return adopt(
        name,
        located.read_text(BUILTIN / "template.txt" if template == DEFAULT else find(template, "--from")),
        force=force,
    )


def adopt(name: str, text: str, *, force: bool = False) -> Path:
    """Keep ``text`` as the user's profile ``name``. Raises ConfigError."""
    if not _NAME.fullmatch(name) or name.endswith(SUFFIXES):
        raise fail(
            "NAME",
            f"{name!r}: a profile's name is letters from a to z, digits, dots, dashes and underscores, without .yaml.",
        )
    target = profiles_dir() / f"{name}.yaml"
    if target.exists() and not force:
        raise fail(str(target), "there already is such a profile. Choose another name, or replace it with --force.")
    write(target, text)
    return target


def ensure_default() -> Path:
    """Make the default profile if there is none: all of it commented out, so that our defaults keep improving."""
    path = profiles_dir() / f"{DEFAULT}.yaml"
    return path if path.exists() else create(DEFAULT)


def write(path: Path, text: str) -> None:
    """Write a profile whole or not at all; only its owner can read it, since it may hold keys. Raises ConfigError."""
    try:
        write_whole(path, text)
    except OSError as error:
        raise fail(str(path), f"it cannot be written: {error.strerror or error}. Nothing was changed.") from error


def flatten(data: dict[str, Any]) -> dict[Key, Any]:
    """Nested sections to ``{("model", "name"): ...}``."""
    flat: dict[Key, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            flat.update({(name, str(key)): inner for key, inner in value.items()})
        else:
            flat[name,] = value
    return flat


def nest(values: dict[Key, Any]) -> dict[str, Any]:
    """The opposite of ``flatten``."""
    data: dict[str, Any] = {}
    for key, value in values.items():
        if len(key) == 1:
            data[key[0]] = value
        else:
            data.setdefault(key[0], {})[key[1]] = value
    return data


# --- references to the environment ---------------------------------------------------------------------------------

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?\}")
_REFERABLE = frozenset({"name", "api_key", "api_base", "api_version"})


@dataclass(frozen=True, slots=True)
class Reference:
    """``${NAME}`` or ``${NAME:-otherwise}`` as a whole value: looked up in the environment when the profile is used."""

    name: str
    otherwise: str | None = None

    def __str__(self) -> str:
        return f"${{{self.name}}}" if self.otherwise is None else f"${{{self.name}:-{self.otherwise}}}"


def _split_references(
    data: dict[str, Any], problems: list[Problem], source: located.Located
) -> tuple[dict[Key, Reference], dict[str, Any]]:
    references: dict[Key, Reference] = {}
    concrete: dict[str, Any] = {}
    for section, inside in data.items():
        if not isinstance(inside, dict):
            concrete[section] = inside
            continue
        concrete[section] = {}
        for name, value in inside.items():
            match = _REFERENCE.fullmatch(value) if isinstance(value, str) else None
            if match is None or (section, name) not in all_fields():
                concrete[section][name] = value
            elif name in _REFERABLE:
                references[section, name] = Reference(match[1], match[2])
            else:
                text = f"only {', '.join(sorted(_REFERABLE))} may name an environment variable."
                problems.append(Problem(source.where((section, name)), f"{section}.{name}", text))
    return references, concrete


def _takes_only_text(path: Key) -> bool:
    if path[0] in _ABOUT:
        return True
    field = all_fields().get(path[:2]) or all_fields().get(path[:1])
    return field is not None and not ({bool, int, float} & set(kinds(field)))
