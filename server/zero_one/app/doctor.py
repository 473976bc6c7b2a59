"""``01 doctor``: what was found, what is missing, and the one command that mends each. Never hangs, changes nothing."""

from __future__ import annotations

import dataclasses
import json
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable

from zero_one.app.checks import machine, parts
from zero_one.app.checks.finding import Finding, better
from zero_one.config.resolve import Resolved
from zero_one.config.settings import Settings

LIMIT_S = 30.0
"""After this, what has not answered is reported as such."""
_TABLE_COLUMNS = 100
"""Narrower than this, lines are easier to read than a table's columns."""
_MARK = {"ok": "✓", "could be better": "•", "missing": "✗"}
_STYLE = {"ok": "green", "could be better": "yellow", "missing": "bold red"}


def run(resolve: Callable[[], Resolved], *, as_json: bool, url: str | None) -> int:
    """Look at everything, print it. 0 if it can work, 1 if something it cannot do without is missing."""
    resolved, found = parts.configuration(resolve)
    settings = resolved.settings if resolved else Settings()
    found += gather(_checks(settings, url))
    if as_json:
        print(json.dumps([dataclasses.asdict(one) for one in found], indent=2, ensure_ascii=False))
    elif sys.stdout.isatty() and shutil.get_terminal_size().columns >= _TABLE_COLUMNS:
        _table(found)
    else:
        _lines(found)
    return 1 if any(one.state == "missing" for one in found) else 0


def _checks(settings: Settings, url: str | None) -> dict[str, Callable[[], Iterable[Finding]]]:
    return {
        "keys": parts.keys,
        "language model": lambda: parts.model(settings),
        "hearing": lambda: parts.hearing(settings),
        "speaking": lambda: parts.speaking(settings),
        "sound": machine.sound,
        "display": lambda: machine.display(settings),
        "permissions": machine.permissions,
        "server": lambda: machine.remote(url) if url else machine.port(settings),
        "code": parts.kernels,
        "tools": machine.tools,
        "sandbox": lambda: machine.sandbox(settings),
        "folders": parts.folders,
        "disk": machine.disk,
    }


def gather(checks: dict[str, Callable[[], Iterable[Finding]]], limit_s: float = LIMIT_S) -> list[Finding]:
    """Run all checks side by side. One that fails or hangs is told as such and holds nothing up."""
    results: dict[str, list[Finding]] = {}

    def work(name: str, check: Callable[[], Iterable[Finding]]) -> None:
        try:
            results[name] = list(check())
        except Exception as error:  # noqa: BLE001 - a check that breaks is itself a finding; the others must still be told
            results[name] = [better(name, "check", f"this could not be looked at: {type(error).__name__}: {error}")]

    threads = {name: threading.Thread(target=work, args=(name, check), daemon=True) for name, check in checks.items()}
    for thread in threads.values():
        thread.start()
    until = time.monotonic() + limit_s
    for thread in threads.values():
        thread.join(max(0.0, until - time.monotonic()))
    for name in checks:
        results.setdefault(name, [better(name, "check", f"no answer within {limit_s:.0f} s")])
    return [finding for name in checks for finding in results[name]]


def _lines(found: list[Finding]) -> None:
    for one in found:
        print(f"{_MARK[one.state]} {one.area:<15} {one.name:<15} {one.text}")
        if one.fix:
            print(f"  {'':<15} {'':<15} -> {one.fix}")
    print(_summary(found))


def _table(found: list[Finding]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("", "area", "what", "found", "mend with"):
        table.add_column(title, overflow="fold")
    area = ""
    for one in found:
        mark = f"[{_STYLE[one.state]}]{_MARK[one.state]}[/]"
        table.add_row(mark, "" if one.area == area else one.area, escape(one.name), escape(one.text), escape(one.fix))
        area = one.area
    console = Console()
    console.print(table)
    console.print(f"\n{_summary(found)}", highlight=False)


def _summary(found: list[Finding]) -> str:
    wrong = sum(one.state == "missing" for one in found)
    more = sum(one.state == "could be better" for one in found)
    if wrong:
        return f"{wrong} missing, {more} could be better."
    return f"Everything needed is here; {more} could be better." if more else "Everything is here."
