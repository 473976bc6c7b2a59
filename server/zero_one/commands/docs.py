"""``docs/commands.md``, made from the grammar so that it never tells of a command that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

from zero_one.commands.grammar import CommandInfo

_HEAD = """# Spoken commands

These work without a language model and without a network. Say them in your own words: politeness, "uh" and "um",
stumbles, "ten" or "10" make no difference. What is more than a command ("why is my battery draining so fast") is never
taken for one. `01 commands --match "…"` says what a wording would be taken for.

This page is made from the grammar (`python -m zero_one.commands.docs > docs/commands.md`).
"""


def page(infos: Iterable[CommandInfo]) -> str:
    """The Markdown page: one table an area."""
    parts = [_HEAD]
    area = ""
    for info in infos:
        if info.area != area:
            area = info.area
            parts.append(f"\n## {area}\n\n| command | what it does | say, for example |\n|---|---|---|\n")
        said = "; ".join(f"“{example}”" for example in info.examples)
        parts.append(f"| `{info.name}` | {info.description} | {said} |\n")
    return "".join(parts)


if __name__ == "__main__":
    from zero_one.commands.grammar import load

    print(page(command.info for command in load().commands), end="")
