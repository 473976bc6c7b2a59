"""Read Open Interpreter's YAML profiles: ``llm:`` and ``computer:`` sections, or dotted names at the top."""

from __future__ import annotations

from typing import Any

from zero_one.config.importing.found import Found, Left, Reading
from zero_one.config.located import Located, parse
from zero_one.config.problems import Key

_OLD_TOP_LEVEL = {
    "model": "llm.model",
    "temperature": "llm.temperature",
    "llm_supports_vision": "llm.supports_vision",
    "function_calling_llm": "llm.supports_functions",
    "context_window": "llm.context_window",
    "max_tokens": "llm.max_tokens",
    "api_base": "llm.api_base",
    "api_key": "llm.api_key",
    "api_version": "llm.api_version",
    "local": "offline",
}
"""Names from before Open Interpreter 0.2, and what they became."""
_TEXT = frozenset({"model", "api_base", "api_key", "api_version", "custom_instructions", "system_message", "version"})


def read(text: str, file: str) -> Reading:
    """Everything that the profile sets. Raises ConfigError where it is no YAML."""
    located = parse(text, file, plain_text=lambda path: path[-1].rpartition(".")[2] in _TEXT)
    reading = Reading()
    _walk(located, located.data, (), reading)
    return reading


def _walk(located: Located, data: dict[str, Any], path: Key, reading: Reading) -> None:
    for key, value in data.items():
        here = (*path, key)
        name = _OLD_TOP_LEVEL.get(key, key) if not path else ".".join(here)
        line = located.lines.get(here, 1)
        if isinstance(value, dict) and not path:
            _walk(located, value, here, reading)
        elif name == "start_script":
            reading.left.append(Left(line, name, "code in a profile is never executed"))
        else:
            reading.found.append(Found(name, value, line))
