"""From what a foreign profile sets to a profile of ours, and an honest list of what stays behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from zero_one.config.importing import python as python_reader
from zero_one.config.importing import yaml as yaml_reader
from zero_one.config.importing.found import Found, Left
from zero_one.config.located import read_text
from zero_one.config.problems import SECRET, Key, all_fields, check, fail
from zero_one.config.profiles import Reference, nest

_PLAIN: dict[str, Key] = {
    "llm.model": ("model", "name"),
    "llm.temperature": ("model", "temperature"),
    "llm.context_window": ("model", "context_window"),
    "llm.max_tokens": ("model", "max_tokens"),
    "llm.api_base": ("model", "api_base"),
    "llm.api_key": ("model", "api_key"),
    "llm.api_version": ("model", "api_version"),
    "llm.supports_functions": ("model", "supports_functions"),
    "llm.supports_vision": ("model", "supports_vision"),
    "llm.max_budget": ("caps", "cost_usd"),
    "max_budget": ("caps", "cost_usd"),
    "max_output": ("caps", "output_chars"),
    "llm.max_output": ("caps", "output_chars"),
    "custom_instructions": ("model", "instructions"),
    "llm.custom_instructions": ("model", "instructions"),
    "auto_run": ("approval", "auto_run"),
    "debug": ("debug",),
    "verbose": ("debug",),
}
_HEAR = {
    "faster-whisper": "faster-whisper",
    "local-whisper": "faster-whisper",
    "whisper": "faster-whisper",
    "openai": "openai",
}
_SPEAK = {"openai": "openai", "piper": "piper"}
_MODELS = {
    "claude-3.5": "anthropic/claude-3-5-sonnet-20240620",
    "claude-3-5": "anthropic/claude-3-5-sonnet-20240620",
    "claude-3.5-sonnet": "anthropic/claude-3-5-sonnet-20240620",
    "claude-3-5-sonnet": "anthropic/claude-3-5-sonnet-20240620",
}
"""Open Interpreter's own short names and the models it took them for."""
_NEEDLESS = "nothing to carry over: "
_REASONS = {
    "offline": _NEEDLESS + "nothing here calls home; the `offline` profile also downloads nothing",
    "loop": _NEEDLESS + "a task goes on here until it is done, impossible, or a question is needed",
    "loop_message": _NEEDLESS + "a task goes on here until it is done, impossible, or a question is needed",
    "loop_breakers": _NEEDLESS + "a task goes on here until it is done, impossible, or a question is needed",
    "version": _NEEDLESS + "it is the version of the other program's format",
    "disable_telemetry": _NEEDLESS + "there is no telemetry",
    "anonymized_telemetry": _NEEDLESS + "there is no telemetry",
    "contribute_conversation": _NEEDLESS + "conversations stay on this machine",
    "import_computer_api": _NEEDLESS + "the computer's hands are always there",
    "computer.import_computer_api": _NEEDLESS + "the computer's hands are always there",
    "os": _NEEDLESS + "the computer's hands are always there",
    "sync_computer": _NEEDLESS + "the computer's hands are always there",
    "computer.system_message": "the prompt about the computer is our own",
    "computer.languages": "which languages may run is not chosen in a profile",
    "llm.execution_instructions": "how code is asked for is our own; text mode is used where a model has no tools",
    "code_output_template": "how output is shown to the model is our own",
    "empty_code_output_template": "how output is shown to the model is our own",
    "code_output_sender": "how output is shown to the model is our own",
    "user_message_template": "how requests are shown to the model is our own",
    "always_apply_user_message_template": "how requests are shown to the model is our own",
    "messages": "a profile holds no conversation",
    "fast": "use the built-in profile: 01 --profile fast",
    "vision": "images go to every model that can see",
    "wtf": "there is no such command here",
}
_SKILLS = "skills are not part of this version"
_PREFIXES = {
    "computer.skills": _SKILLS,
    "computer.import_skills": _SKILLS,
    "skills_path": _SKILLS,
    "import_skills": _SKILLS,
    "computer.": "the computer is not set up in a profile",
}


@dataclass(slots=True)
class Imported:
    """``values`` are ours; ``carried`` says from which line each came; ``left`` is what stays behind."""

    source: str
    values: dict[Key, Any] = field(default_factory=dict)
    carried: list[tuple[Found, Key]] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)

    def to_yaml(self, name: str) -> str:
        """A profile of ours, with what stayed behind as comments."""
        ordered = {key: self.values[key] for key in all_fields() if key in self.values}
        plain = {key: str(value) if isinstance(value, Reference) else value for key, value in ordered.items()}
        data = {"description": f"Imported from {Path(self.source).name}", **nest(plain)}
        text = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)
        notes = [f"#   line {one.line}: {_one_line(one.what)}: {one.why}" for one in self.left]
        head = ["# What was not carried over:", *notes, ""] if notes else []
        return "\n".join([f"# {name}: made by 01 profiles import", *head]) + "\n" + text


class _Dumper(yaml.SafeDumper):
    pass


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def import_profile(path: Path, *, keep_system_message: bool = False) -> Imported:
    """Read a foreign profile. Nothing in it is executed. Raises ConfigError where the file cannot be used."""
    text = read_text(path)
    if path.suffix == ".py":
        reading = python_reader.read(text, str(path))
    elif path.suffix in {".yaml", ".yml", ".json"}:
        reading = yaml_reader.read(text, str(path))
    else:
        raise fail(str(path), "a profile to import ends in .py, .yaml, .yml or .json.")
    imported = Imported(str(path), left=list(reading.left))
    last: dict[str, Found] = {}
    for found in reading.found:
        if (before := last.pop(found.name, None)) is not None and before.value != found.value:
            imported.left.append(Left(before.line, said(before), f"it is set again on line {found.line}"))
        last[found.name] = found
    for found in sorted(last.values(), key=lambda one: one.name == "safe_mode"):  # read in the light of auto_run
        _carry(imported, found, keep_system_message)
    imported.left.sort(key=lambda one: one.line)
    if not reading.found and not reading.touched:
        raise fail(str(path), "nothing in this file sets anything of an interpreter; is it a profile?")
    return imported


def _carry(imported: Imported, found: Found, keep_system_message: bool) -> None:
    name, value = found.name, found.value
    if name in {"tts", "stt"}:
        _engine(imported, found)
    elif name == "safe_mode":
        _safe_mode(imported, found)
    elif name == "system_message":
        if keep_system_message and isinstance(value, str):
            _append_instructions(imported, found)
        else:
            why = "our own prompt stays, so that it can improve; --keep-system-message adds this text to it"
            imported.left.append(Left(found.line, said(found), why))
    elif name in {"custom_instructions", "llm.custom_instructions"} and isinstance(value, str):
        if value.strip():
            _append_instructions(imported, found)
    elif name in _PLAIN:
        if name == "llm.model" and isinstance(value, str):
            if value == "i":
                imported.left.append(
                    Left(found.line, said(found), "it is a service that only Open Interpreter can use")
                )
                return
            found = Found(name, _MODELS.get(value, value), found.line)
        _put(imported, found, _PLAIN[name])
    else:
        imported.left.append(Left(found.line, said(found), _reason(name)))


def _reason(name: str) -> str:
    if name in _REASONS:
        return _REASONS[name]
    return next((why for prefix, why in _PREFIXES.items() if name.startswith(prefix)), "there is no such setting here")


def _engine(imported: Imported, found: Found) -> None:
    table, section = (_SPEAK, "speak") if found.name == "tts" else (_HEAR, "hear")
    engine = table.get(str(found.value).lower())
    if engine is None:
        have = ", ".join(sorted(set(table.values())))
        imported.left.append(
            Left(found.line, said(found), f"there is no such engine here; auto is used. Others: {have}")
        )
    else:
        _put(imported, Found(found.name, engine, found.line), (section, "engine"))


def _safe_mode(imported: Imported, found: Found) -> None:
    """There, ``off`` was the default and every piece of code was asked about; here it lets changes run unasked, which
    is what it means only together with ``auto_run``."""
    value = "off" if found.value is False else found.value  # YAML reads a bare off as a truth value
    if value == "off" and ("approval", "auto_run") not in imported.values:
        why = "risk is always judged here; to let changes run unasked, set approval.auto_run yourself"
        imported.left.append(Left(found.line, said(found), why))
    else:
        _put(imported, Found(found.name, value, found.line), ("approval", "safe_mode"))


def _append_instructions(imported: Imported, found: Found) -> None:
    key = ("model", "instructions")
    before = imported.values.get(key, "")
    joined = f"{before}\n\n{found.value.strip()}".strip()
    _put(imported, Found(found.name, joined, found.line), key)


def _put(imported: Imported, found: Found, key: Key) -> None:
    value = found.value
    if isinstance(value, Reference):
        if key[-1] not in {"name", "api_key", "api_base", "api_version"}:
            why = f"{'.'.join(key)} cannot come from the environment variable {value.name} by reference"
            imported.left.append(Left(found.line, said(found), why))
            return
    elif value is None:
        return
    else:
        _, problems = check(nest({key: value}), lambda path: "")
        if problems:
            imported.left.append(Left(found.line, said(found), problems[0].text))
            return
    imported.values[key] = value
    imported.carried.append((found, key))


def said(found: Found) -> str:
    last = found.name.rpartition(".")[2]
    secret = last in SECRET and not isinstance(found.value, Reference)
    value = (
        "(a key, not shown)"
        if secret
        else str(found.value)
        if isinstance(found.value, Reference)
        else repr(found.value)
    )
    return f"{found.name} = {_one_line(value)}"


def _one_line(text: str) -> str:
    text = "".join(letter for letter in " ".join(text.split()) if letter.isprintable())
    return text if len(text) <= 70 else text[:67] + "..."
