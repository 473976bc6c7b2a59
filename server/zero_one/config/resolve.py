"""The layers put together: default, profile, environment, flags. Every value knows where it came from."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from zero_one.config import environment as env
from zero_one.config import profiles
from zero_one.config.problems import ConfigError, Key, all_fields, check, did_you_mean, fail
from zero_one.config.providers import base_url, provider_of
from zero_one.config.settings import Settings

DEFAULT_SOURCE = "default"


@dataclass(frozen=True, slots=True)
class Resolved:
    """Settings ready for use. ``sources`` names where each value came from; a path that is absent is a default."""

    settings: Settings
    profile: str
    path: Path
    sources: Mapping[Key, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def source(self, key: Key) -> str:
        return self.sources.get(key, DEFAULT_SOURCE)

    def value(self, key: Key) -> Any:
        value: Any = self.settings
        for name in key:
            value = getattr(value, name)
        return value


@dataclass(slots=True)
class _Layers:
    values: dict[Key, Any] = field(default_factory=dict)
    sources: dict[Key, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def put(self, key: Key, value: Any, source: str) -> None:
        self.values[key] = value
        self.sources[key] = source


def resolve(
    profile: str | None = None, flags: Mapping[Key, Any] | None = None, *, environment: env.Environment | None = None
) -> Resolved:
    """Settings from all layers. ``flags`` are paths and values from the command line. Raises ConfigError."""
    environment = environment or env.gather()
    layers = _Layers()
    by_variable = "" if profile else environment.values.get("ZERO_ONE_PROFILE", "")
    wanted = profile or by_variable or profiles.DEFAULT
    chain = profiles.chain(wanted, environment.source("ZERO_ONE_PROFILE") if by_variable else "--profile")
    _profile_layer(layers, chain, environment)
    values, names, warnings = env.settings_layer(environment)
    layers.warnings += warnings
    for key, value in values.items():
        source = environment.source(names[key])
        if key[0] in _OWNERS and environment.beside and environment.beside in source:
            layers.warnings.append(
                f"{environment.beside}: {'.'.join(key)} is ignored: what may run is not for a folder's files to say. "
                "If you want that, put it into your profile."
            )
            continue
        layers.put(key, value, source)
    _flag_layer(layers, flags or {})
    _usual_names(layers, environment)
    _distrust_folder(layers, environment)
    settings, problems = check(profiles.nest(layers.values), lambda key: layers.sources.get(key[:2], "settings"))
    if settings is None:
        raise ConfigError(problems)
    return Resolved(settings, chain[-1].name, chain[-1].path, layers.sources, tuple(layers.warnings))


def parse_set(text: str) -> tuple[Key, Any]:
    """``section.field=value`` of the ``--set`` flag. Raises ConfigError."""
    name, equals, value = text.partition("=")
    key = tuple(name.strip().split("."))
    if not equals:
        raise fail("--set", f"given {text!r}; write it as --set model.temperature=0.2")
    if key not in all_fields():
        hint = did_you_mean(name.strip(), [".".join(one) for one in all_fields()])
        raise fail("--set", f"there is no setting `{name.strip()}`.{hint}")
    return key, env.from_text(key, value)


_OWNERS = ("approval", "sandbox")
"""Sections that only the owner sets: a ``.env`` in the working folder may have come with somebody else's files."""


def _profile_layer(layers: _Layers, chain: list[profiles.Profile], environment: env.Environment) -> None:
    for one in chain:
        for key, value in one.values.items():
            source = f"profile {one.where[key]}"
            if isinstance(value, profiles.Reference):
                found = environment.get(value.name)
                if found is None and value.otherwise is None:
                    layers.warnings.append(
                        f"{one.where[key]}: {'.'.join(key)}: {value.name} is not set in the environment."
                    )
                    continue
                layers.put(key, found[1] if found else value.otherwise, f"{source}, {value.name}" if found else source)
            else:
                layers.put(key, value, source)


def _flag_layer(layers: _Layers, flags: Mapping[Key, Any]) -> None:
    _, problems = check(profiles.nest(dict(flags)), lambda key: _flag_name(key[:2]))
    if problems:
        raise ConfigError(problems)
    for key, value in flags.items():
        layers.put(key, value, f"flag {_flag_name(key)}")


def _flag_name(key: Key) -> str:
    named = {
        ("server", "host"): "--server-host",
        ("server", "port"): "--server-port",
        ("approval", "auto_run"): "--auto-run",
        ("approval", "safe_mode"): "--safe-mode",
        ("debug",): "--debug",
    }
    return named.get(key) or f"--set {'.'.join(key)}"


def _usual_names(layers: _Layers, environment: env.Environment) -> None:
    """Keys and addresses under their usual names.

    An address fills in only what is left open. A key counts over a profile's, as the environment does, but never where
    the profile names an address of its own: that key belongs to that address, and the other must not be sent there.
    """
    name = layers.values.get(("model", "name"))
    provider = provider_of(name if isinstance(name, str) else None)
    if provider is not None:
        own_address = layers.values.get(("model", "api_base")) is not None
        if found := environment.get(*provider.keys):
            set_by = layers.sources.get(("model", "api_key"), DEFAULT_SOURCE)
            if layers.values.get(("model", "api_key")) is None or (set_by.startswith("profile") and not own_address):
                layers.put(("model", "api_key"), found[1], environment.source(found[0]))
        if not own_address and (found := environment.get(*provider.bases)):
            layers.put(("model", "api_base"), base_url(*found), environment.source(found[0]))
        if layers.values.get(("model", "api_version")) is None and (found := environment.get(*provider.versions)):
            layers.put(("model", "api_version"), found[1], environment.source(found[0]))
    for section in ("hear", "speak"):
        if layers.values.get((section, "engine")) != "openai":
            continue
        if layers.values.get((section, "api_key")) is None and (found := environment.get("OPENAI_API_KEY")):
            layers.put((section, "api_key"), found[1], environment.source(found[0]))
        if layers.values.get((section, "api_base")) is None and (
            found := environment.get("OPENAI_BASE_URL", "OPENAI_API_BASE")
        ):
            layers.put((section, "api_base"), base_url(*found), environment.source(found[0]))


def _distrust_folder(layers: _Layers, environment: env.Environment) -> None:
    """A ``.env`` that lies in the working folder may have come with somebody else's files: it must not lead a key that
    was set elsewhere to an address of its choosing."""
    for section in ("model", "hear", "speak"):
        base, key = (section, "api_base"), (section, "api_key")
        from_folder = environment.beside and environment.beside in layers.sources.get(base, "")
        key_from_folder = environment.beside and environment.beside in layers.sources.get(key, "")
        address = layers.values.get(base)
        if not from_folder or key_from_folder or not layers.values.get(key) or is_loopback_url(str(address)):
            continue
        layers.warnings.append(
            f"{environment.beside}: {section}.api_base is ignored: it would send a key that was set elsewhere to "
            f"{address}. If you want that, put the address into your profile, or the key into the same file."
        )
        del layers.values[base], layers.sources[base]


def is_loopback_url(url: str) -> bool:
    return is_loopback(urlsplit(url if "://" in url else f"//{url}").hostname or "")


def is_loopback(host: str) -> bool:
    """True for localhost and loopback addresses. Other names are not looked up: what they mean can change."""
    name = host.strip().strip("[]").lower()
    if name == "localhost":
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return False
    return address.is_loopback
