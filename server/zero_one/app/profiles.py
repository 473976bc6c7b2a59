"""``01 profiles``: list, show, create, check, import."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from zero_one.config import profiles
from zero_one.config.importing import import_profile, said
from zero_one.config.paths import profiles_dir
from zero_one.config.problems import SECRET, ConfigError, Key, all_fields
from zero_one.config.resolve import Resolved


def listing(*, as_json: bool) -> int:
    rows = []
    for one in profiles.listing():
        try:
            description = profiles.read(one.path).description
        except ConfigError as error:
            description = f"invalid: {error.problems[0]}"
        rows.append({"name": one.name, "built_in": one.builtin, "path": str(one.path), "description": description})
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        origin = "built-in" if row["built_in"] else "yours"
        print(f"{row['name']:<{width}}  {origin:<8}  {row['description']}".rstrip())
    print(f"\nYour own profiles are in {profiles_dir()}\nMake one with: 01 profiles create NAME")
    return 0


def show(resolved: Resolved, *, as_json: bool) -> int:
    rows: list[tuple[Key, object, str]] = [(key, resolved.value(key), resolved.source(key)) for key in all_fields()]
    shown = [
        (".".join(key), "(set, not shown)" if key[-1] in SECRET and value else value, why) for key, value, why in rows
    ]
    if as_json:
        values = {name: {"value": value, "source": source} for name, value, source in shown}
        print(json.dumps({"profile": resolved.profile, "path": str(resolved.path), "settings": values}, indent=2))
        return 0
    print(f"profile {resolved.profile} ({resolved.path})\n")
    width = max(len(name) for name, _, _ in shown)
    texts = [_text(value) for _, value, _ in shown]
    middle = max(map(len, texts))
    for (name, _, source), text in zip(shown, texts, strict=True):
        print(f"{name:<{width}}  {text:<{middle}}  {source}")
    return 0


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "-"
    text = " ".join(str(value).split()) or "-"
    return text if len(text) <= 44 else text[:41] + "..."


def create(name: str, template: str, *, force: bool) -> int:
    path = profiles.create(name, template, force=force)
    print(f"{path} was made. Edit it, then use it with: 01 --profile {name}")
    return 0


def check(names: list[str]) -> int:
    wanted = names or [str(one.path) for one in profiles.listing() if not one.builtin]
    if not wanted:
        print(f"There is no profile of your own in {profiles_dir()} yet. Make one with: 01 profiles create")
        return 0
    failed = False
    for name in wanted:
        try:
            chain = profiles.chain(name, "NAME")
        except ConfigError as error:
            failed = True
            print(error, file=sys.stderr)
        else:
            print(f"{chain[-1].path}: valid")
    return 1 if failed else 0


def bring(file: str, name: str | None, *, keep_system_message: bool, force: bool, dry_run: bool) -> int:
    """Convert a foreign profile, write it, and list what was carried over and what was not."""
    source = Path(file).expanduser()
    imported = import_profile(source, keep_system_message=keep_system_message)
    name = name or source.stem
    text = imported.to_yaml(name)
    if dry_run:
        print(text, end="")
        return 0
    target = profiles.adopt(name, text, force=force)
    print("Carried over:" if imported.carried else "Nothing was carried over.")
    for found, key in imported.carried:
        print(f"  line {found.line}: {said(found)} -> {'.'.join(key)}")
    if imported.left:
        print("Not carried over:")
        for left in imported.left:
            print(f"  line {left.line}: {left.what}: {left.why}")
    print(f"{target} was made; nothing in {source.name} was executed. Use it with: 01 --profile {name}")
    return 0


def open_folder() -> int:
    """Show the folder of profiles in the system's file manager, where there is one, and list what is in it."""
    profiles.ensure_default()
    folder = str(profiles_dir())
    opener = {"win32": "explorer", "darwin": "open"}.get(sys.platform, "xdg-open")
    try:
        subprocess.Popen(
            [opener, folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        print(f"There is no file manager to open {folder} with.\n")
    return listing(as_json=False)
