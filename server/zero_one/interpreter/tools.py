"""What a model may call: ``run`` for code, and the hands of ``computer`` that are worth a tool of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from zero_one.computer.hands import Hands, HandsError
from zero_one.interpreter.asking import Act
from zero_one.interpreter.assembly import ToolCall

COMPACT = (
    "clipboard.set",
    "clipboard.view",
    "display.screenshot",
    "files.find",
    "keyboard.hotkey",
    "keyboard.press",
    "keyboard.type",
    "mouse.click",
    "mouse.scroll",
    "notify.send",
    "opener.app",
    "opener.file",
    "opener.folder",
    "opener.url",
    "system.battery",
    "system.disk",
    "system.memory",
    "system.network",
    "volume.get",
    "volume.set",
    "windows.focus",
    "windows.list",
)
"""Methods that are tools too; every schema costs tokens in every call, and the rest can be reached from Python."""

_RUN_NAMES = ("run", "execute", "run_code", "execute_code")


class BadCall(ValueError):
    """A call that cannot be carried out; its text tells the model what to change."""


class Toolbox:
    """Tools for these languages and hands. ``resolve`` names a language by any of its names, or returns None."""

    def __init__(self, languages: Sequence[str], hands: Hands, resolve: Callable[[str], str | None]) -> None:
        self._languages = list(languages)
        self._hands = hands
        self.resolve = resolve
        self._methods = {name.replace(".", "_"): name for name in hands.names}

    def schemas(self, *, few: bool = False) -> list[dict[str, Any]]:
        """In the form of the OpenAI ``tools`` parameter. ``few``: only ``run``, for models with little room."""
        known = {schema["name"]: schema for schema in self._hands.schemas()}
        tools = [self._run()] if self._languages else []
        for name in () if few else COMPACT:
            if name in known:
                schema = known[name]
                what = {
                    "name": name.replace(".", "_"),
                    "description": schema["description"],
                    "parameters": schema["parameters"],
                }
                tools.append({"type": "function", "function": what})
        return tools

    def _run(self) -> dict[str, Any]:
        parameters = {
            "type": "object",
            "properties": {
                "language": {"type": "string", "enum": self._languages},
                "code": {"type": "string", "description": "The whole code; what it prints comes back."},
            },
            "required": ["language", "code"],
        }
        what = {
            "name": "run",
            "description": "Run code on the user's computer. State stays from run to run.",
            "parameters": parameters,
        }
        return {"type": "function", "function": what}

    def act(self, call: ToolCall, *, cut_off: bool = False) -> Act:
        """What a call asks for. Raises ``BadCall``. ``cut_off``: the answer ended at its token limit."""
        arguments = _arguments(call, cut_off)
        name = call.name.strip().removeprefix("functions.")
        if name in _RUN_NAMES:
            return self._code(arguments.get("language"), arguments)
        if (language := self.resolve(name)) is not None and ("code" in arguments or len(arguments) == 1):
            return self._code(language, arguments)
        return self._method(name, arguments)

    def _code(self, language: Any, arguments: Mapping[str, Any]) -> Act:
        has = ", ".join(self._languages) or "no language"
        if not isinstance(language, str) or not language.strip():
            raise BadCall(f"Say which language: {has}.")
        name = self.resolve(language)
        if name is None:
            raise BadCall(f"{language} cannot be run on this machine. It has {has}.")
        rest = [value for key, value in arguments.items() if key != "language"]
        code = arguments.get("code", rest[0] if len(rest) == 1 else None)
        if isinstance(code, list) and all(isinstance(line, str) for line in code):
            code = "\n".join(code)
        if not isinstance(code, str) or not code.strip():
            raise BadCall("There was no code in this call. Put all of it into `code`.")
        return Act(name, unfenced(code))

    def _method(self, name: str, arguments: dict[str, Any]) -> Act:
        dotted = self._methods.get(name.removeprefix("computer_").replace(".", "_").removeprefix("computer_"))
        if dotted is None:
            there = ", ".join(tool["function"]["name"] for tool in self.schemas())
            raise BadCall(f"There is no tool named {name or '(no name)'}. There is {there}.")
        try:
            self._hands.method(dotted).validate(arguments)
        except HandsError as error:
            raise BadCall(str(error)) from None
        return Act.of_method(dotted, arguments)


def _arguments(call: ToolCall, cut_off: bool) -> dict[str, Any]:
    text = call.arguments.strip() or "{}"
    try:
        found = json.loads(text, strict=False)  # models put bare line breaks into strings
        if isinstance(found, str):
            found = json.loads(found, strict=False)  # and encode twice
    except (ValueError, RecursionError) as error:
        if cut_off:
            raise BadCall(
                "Your answer was cut off at its length limit in the middle of this call. Write something shorter."
            ) from None
        raise BadCall(
            f"The arguments of {call.name} are not valid JSON ({error}). Nothing was run. Send the call again."
        ) from None
    if not isinstance(found, dict):
        raise BadCall(
            f"The arguments of {call.name} must be a JSON object, not {type(found).__name__}. Nothing was run."
        )
    return found


_FENCED = re.compile(r"^\s*(`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)\n?\1\s*$", re.S)


def unfenced(code: str) -> str:
    """Code without the Markdown fence that some models put around it even in arguments."""
    found = _FENCED.match(code)
    return found["code"] if found else code


def safe_name(name: str) -> str:
    """A tool name that every provider takes back in the history."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


def safe_arguments(arguments: str) -> str:
    """Arguments as the history gives them back: always a JSON object, whatever the model wrote."""
    try:
        found = json.loads(arguments.strip() or "{}", strict=False)
    except (ValueError, RecursionError):
        found = None
    return json.dumps(found if isinstance(found, dict) else {"unreadable": arguments[:500]})
