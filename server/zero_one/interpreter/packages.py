"""What guarddog, where it is installed, says of packages that are about to be installed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from shutil import which

LONGEST_S = 5.0
"""So long a question may wait for a finding."""
_MOST = 3
_PYPI = re.compile(r"\b(pip3?|uv|pipx|poetry|conda|mamba)\b")
_NPM = re.compile(r"\b(npm|npx|yarn|pnpm|bun)\b")
_NAME = re.compile(r"(?:@[a-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*")


async def findings(code: str, packages: Sequence[str]) -> str:
    """A sentence for the question; empty where there is nothing to say. Never raises, never takes longer than 5 s."""
    ecosystem = "npm" if _NPM.search(code) else "pypi" if _PYPI.search(code) else ""
    if not packages or not ecosystem:
        return ""
    guarddog = await asyncio.to_thread(which, "guarddog")
    if guarddog is None:
        return ""
    names = [found[0] for package in packages[:_MOST] if (found := _NAME.match(package))]
    try:
        async with asyncio.timeout(LONGEST_S):
            counts = await asyncio.gather(*(_scan(guarddog, ecosystem, name) for name in names))
    except TimeoutError:
        return "Guarddog did not finish looking at it."
    said = [_said(name, count) for name, count in zip(names, counts, strict=True)]
    return " ".join(said)


def _said(name: str, count: int | None) -> str:
    if count is None:
        return f"Guarddog could not look at {name}."
    if count == 0:
        return f"Guarddog found nothing suspicious in {name}."
    return f"Warning: guarddog found {count} suspicious thing{'s' if count > 1 else ''} in {name}."


async def _scan(guarddog: str, ecosystem: str, name: str) -> int | None:
    """How many rules of guarddog's the package breaks; None when that could not be found out."""
    try:
        process = await asyncio.create_subprocess_exec(
            guarddog,
            ecosystem,
            "scan",
            name,
            "--output-format=json",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return None
    try:
        out, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        return int(json.loads(out)["issues"])
    except (ValueError, KeyError, TypeError):
        return None
