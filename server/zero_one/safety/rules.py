"""What the owner allowed for always: narrow rules, each made by one answer, listed and taken back with ``01 rules``.

A rule covers either exactly one piece of code, or exactly one set of files to be written and moved, in one folder.
Rules are made for changes only; ``policy.rule`` looks at none where something foreign is in the conversation, or where
an act spends, sends or destroys.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from zero_one.files import alone, set_aside, write_whole
from zero_one.safety.risk.model import Risk, Verdict

VERSION = 1
_EXACT = frozenset({"write", "move"})
"""Kinds of effects whose target says all there is to say. What a program does depends on more than its name."""
_COMPUTED = "*?[]{}$`~<>|;&…"
"""In a target that is put together while the code runs, or that stands for several files."""


class RuleError(ValueError):
    """There is no such rule. The text says which there are."""


@dataclass(frozen=True, slots=True)
class Rule:
    """``effects`` are pairs of kind and target; empty, then ``code`` counts. Times are seconds since 1970, UTC."""

    number: int
    folder: str
    language: str
    code: str
    effects: tuple[tuple[str, str], ...] = ()
    by: str = ""
    at: float = 0.0
    used_at: float = 0.0

    def words(self) -> str:
        """What it allows, in one line."""
        if self.effects:
            what = ", ".join(f"{kind} {target}" for kind, target in self.effects)
        else:
            first, *more = self.code.splitlines() or [""]
            what = f"{self.language}: {first}" + (f" … ({len(more) + 1} lines)" if more else "")
        plain = " ".join("".join(c if c.isprintable() else " " for c in what).split())
        return plain if len(plain) <= 100 else f"{plain[:99]}…"


def normal(code: str) -> str:
    """Code without what makes no difference in any language: blank lines around it, white space at line ends."""
    return "\n".join(line.rstrip() for line in code.strip("\r\n").splitlines())


@dataclass
class Rules:
    """The rules in one file, which other processes may change too. Methods block: call them from a thread."""

    path: Path
    now: Callable[[], float] = time.time
    lost: str = ""
    """What could not be read, in words."""
    _rules: tuple[Rule, ...] = ()
    _stamp: tuple[int, int, int] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __iter__(self) -> Iterator[Rule]:
        with self._lock:
            self._read()
            return iter(self._rules)

    def allows(self, language: str, code: str, verdict: Verdict, folder: str) -> Rule | None:
        """The rule that covers this act, or None."""
        if verdict.risk is not Risk.CHANGE:
            return None
        effects = exact_effects(verdict)
        with self._lock:
            self._read()
            for rule in self._rules:
                same = (
                    rule.effects == effects if rule.effects else (rule.language, rule.code) == (language, normal(code))
                )
                if same and rule.folder == folder:
                    return rule
        return None

    def add(self, language: str, code: str, verdict: Verdict, folder: str, by: str) -> Rule | None:
        """Allow this for always. None: it is nothing that can be allowed so. Raises OSError."""
        if verdict.risk is not Risk.CHANGE:
            return None
        with self._lock, alone(self._beside):
            self._read()
            number = max((rule.number for rule in self._rules), default=0) + 1
            rule = Rule(number, folder, language, normal(code), exact_effects(verdict), by, self.now())
            self._write((*self._rules, rule))
            return rule

    def used(self, number: int) -> None:
        """Remember when a rule was last used. A rule that is gone meanwhile stays gone. Raises OSError."""
        self._change(lambda rules: tuple(_used(rule, self.now()) if rule.number == number else rule for rule in rules))

    def revoke(self, number: int) -> Rule:
        """Take a rule back. Raises RuleError where there is none of this number, and OSError."""
        gone: list[Rule] = []

        def without(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
            gone.extend(rule for rule in rules if rule.number == number)
            return tuple(rule for rule in rules if rule.number != number)

        self._change(without)
        if not gone:
            there = ", ".join(str(rule.number) for rule in self._rules) or "none"
            raise RuleError(f"There is no rule {number}. There is {there}. Nothing was changed.")
        return gone[0]

    def _change(self, change: Callable[[tuple[Rule, ...]], tuple[Rule, ...]]) -> None:
        with self._lock, alone(self._beside):
            self._read()
            after = change(self._rules)
            if after != self._rules:
                self._write(after)

    @property
    def _beside(self) -> Path:
        return self.path.with_name(f"{self.path.name}.lock")

    def _read(self) -> None:
        """Take in what is there, if it is another file than last time. What cannot be read allows nothing."""
        try:
            seen = self.path.stat()
        except FileNotFoundError:
            self._rules, self._stamp = (), None
            return
        except OSError as error:
            self._rules, self._stamp = (), None
            self.lost = f"The rules in {self.path} cannot be read: {error.strerror}. Everything is asked about."
            return
        stamp = (seen.st_ino, seen.st_mtime_ns, seen.st_size)
        if stamp == self._stamp:
            return
        try:
            self._rules, self._stamp = _rules(json.loads(self.path.read_bytes())), stamp
        except OSError as error:
            self._rules, self._stamp = (), None
            self.lost = f"The rules in {self.path} cannot be read: {error.strerror}. Everything is asked about."
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self._rules, self._stamp = (), None
            self.lost = f"The rules in {self.path} were damaged, so none is in force: what they allowed is asked about."
            try:
                self.lost += f" The file is kept as {set_aside(self.path).name}."
            except OSError as error:
                self.lost += f" It could not be set aside: {error.strerror}."

    def _write(self, rules: tuple[Rule, ...]) -> None:
        data = {"version": VERSION, "rules": [asdict(rule) for rule in rules]}
        write_whole(self.path, json.dumps(data, indent=1))
        self._rules, self._stamp = rules, None


def exact_effects(verdict: Verdict) -> tuple[tuple[str, str], ...]:
    """Everything that this changes, as kinds and targets; empty where that does not say it all."""
    changes = [effect for effect in verdict.effects if effect.risk > Risk.OBSERVE]
    told = all(e.kind in _EXACT and e.undoable and not set(e.what) & set(_COMPUTED) for e in changes)
    plain = told and not any("computed" in effect.what for effect in changes)
    return tuple(sorted({(effect.kind, effect.what) for effect in changes})) if plain else ()


def _rules(raw: Any) -> tuple[Rule, ...]:
    return tuple(_rule(row) for row in raw["rules"])


def _rule(row: dict[str, Any]) -> Rule:
    effects = tuple((str(kind), str(target)) for kind, target in row["effects"])
    texts = {name: row[name] for name in ("folder", "language", "code", "by")}
    if not all(isinstance(value, str) for value in texts.values()) or isinstance(row["number"], bool):
        raise ValueError("not a rule")
    return Rule(int(row["number"]), effects=effects, at=float(row["at"]), used_at=float(row["used_at"]), **texts)


def _used(rule: Rule, at: float) -> Rule:
    return Rule(rule.number, rule.folder, rule.language, rule.code, rule.effects, rule.by, rule.at, at)
