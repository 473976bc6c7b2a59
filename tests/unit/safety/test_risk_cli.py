"""``01 risk``: explanations for people, one JSON line per snippet for programs."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from zero_one import cli
from zero_one.app import risk


def test_explains_a_file_and_what_would_be_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "clean.sh"
    script.write_text("rm -rf ~/Documents && pip install leftpad\n")
    assert cli.main(["risk", str(script)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("destroy  (shell)")
    assert "delete: ~/Documents  [destroy, cannot be undone]" in out
    assert "Hold the button for two seconds to agree." in out
    assert "the package leftpad" in out
    assert "a device without a key: refused." in out


def test_reads_standard_input_in_a_language_that_was_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"SELECT 1")))
    assert cli.main(["risk", "--lang", "sql", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "risk": "observe",
        "effects": [],
        "undoable": True,
        "packages": [],
        "touched": [],
    }


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["risk", str(tmp_path / "none.py")]) == 1
    assert cli.main(["risk", "--jsonl", str(tmp_path / "none.jsonl")]) == 1
    assert capsys.readouterr().err.count("cannot be read") == 2


def test_one_verdict_a_line_and_bad_lines_do_not_end_it() -> None:
    good = {"lang": "bash", "code": "pip install left-pad"}
    bad = [b"{", b"[]", b"", b'{"lang": 3, "code": "x"}', b'{"lang": "sh"}', b"\xff\xfe", b"[" * 50_000, b"null"]
    guessed = json.dumps({"code": "import shutil\nshutil.rmtree('/x')"}).encode()
    out = io.StringIO()
    assert risk.lines([json.dumps(good).encode(), *bad, guessed], out) == 0
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert rows[0]["packages"] == ["left-pad"]
    assert rows[0]["effects"] == [
        {"kind": "package", "what": "left-pad", "risk": "change", "undoable": False, "file": False}
    ]
    assert [set(row) for row in rows[1:-1]] == [{"error"}] * len(bad)
    assert rows[-1]["risk"] == "destroy"


def test_lines_are_written_at_once() -> None:
    """A program that waits for the answer to one line before it sends the next must get it."""

    class Flushed(io.StringIO):
        flushes = 0

        def flush(self) -> None:
            self.flushes += 1

    out = Flushed()
    for _ in risk_lines_one_by_one(out):
        pass
    assert out.flushes == 3


def risk_lines_one_by_one(out: io.StringIO) -> list[int]:
    return [risk.lines([b'{"code": "ls"}'], out) for _ in range(3)]


@pytest.mark.parametrize(
    ("name", "code", "language"),
    [
        ("a.py", "ls", "python"),
        ("", "#!/usr/bin/env -S python3 -u\nx", "python"),
        ("", "#!/bin/sh\nimport this", "shell"),
        ("", "ls -la", "shell"),
        ("", "print('x')", "python"),
        ("", "!rm -rf x", "python"),
        ("", "const a = 1;", "javascript"),
        ("", "select * from t", "sql"),
        ("", "-- all of them\nDELETE FROM t", "sql"),
        ("", 'tell application "Finder" to empty trash', "applescript"),
        ("", "Get-ChildItem | Remove-Item", "powershell"),
        ("", "", "shell"),
    ],
)
def test_language_is_guessed(name: str, code: str, language: str) -> None:
    from zero_one.safety.risk.guess import guess

    assert guess(code, name) == language
