"""``01 rules``: what was allowed for always, and how to take it back."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from zero_one.config.paths import data_dir
from zero_one.safety.rules import Rule, RuleError, Rules


def rules_file() -> Path:
    return data_dir() / "trust" / "rules.json"


def listing(*, as_json: bool) -> int:
    """Every rule with its number, who made it and when it was last used. 1 where the file could not be read."""
    rules = Rules(rules_file())
    rows = list(rules)
    if as_json:
        print(json.dumps([asdict(rule) for rule in rows], indent=2, ensure_ascii=False))
    elif rows:
        for rule in rows:
            print(_row(rule))
        print("\nTake one back with: 01 rules revoke NUMBER")
    elif not rules.lost:
        print('Nothing is allowed for always. "Always" is an answer to questions about changes you asked for yourself.')
    if rules.lost:
        print(f"01: {rules.lost}", file=sys.stderr)
    return 1 if rules.lost else 0


def revoke(number: int) -> int:
    """Take a rule back; a running server notices at its next act. 1 where there is no such rule."""
    rules = Rules(rules_file())
    try:
        gone = rules.revoke(number)
    except RuleError as error:
        print(f"01: {rules.lost or error}", file=sys.stderr)
        return 1
    except OSError as error:
        where = rules_file()
        print(f"01: {where} cannot be written: {error.strerror or error}. The rule is still in force.", file=sys.stderr)
        return 1
    print(f"Taken back: {gone.words()}\nFrom now on it is asked about again.")
    return 0


def _row(rule: Rule) -> str:
    made = f"allowed {_when(rule.at)}" + (f" from {rule.by}" if rule.by else "")
    used = f"last used {_when(rule.used_at)}" if rule.used_at else "not used yet"
    return f"{rule.number:>3}  {rule.words()}\n     in {rule.folder}; {made}; {used}"


def _when(at: float) -> str:
    return f"{datetime.fromtimestamp(at):%Y-%m-%d %H:%M}"
