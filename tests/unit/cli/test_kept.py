"""``01 undo``, ``01 audit`` and ``01 data``: what is kept can be read, taken back, taken along and removed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from zero_one.app import data
from zero_one.cli import main
from zero_one.config.paths import config_dir, data_dir
from zero_one.files import write_whole
from zero_one.identity.devices import DeviceBook
from zero_one.safety.audit import AuditLog
from zero_one.safety.undo import Undo


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ZERO_ONE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def _changed(tmp_path: Path, turn: str = "turn-a") -> Path:
    """A file that code deleted."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    file = project / f"{turn}.txt"
    file.write_text("dear")
    undo = Undo(data_dir() / "trust" / "undo")
    watch = undo.before([project], turn=turn, label=f"rm {turn}.txt", device="kitchen")
    file.unlink()
    undo.after(watch, at=1000.0)
    return file


def test_undo_takes_back_the_last_turn_a_number_or_a_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = _changed(tmp_path, "turn-a"), _changed(tmp_path, "turn-b")
    assert main(["undo", "--list"]) == 0
    assert "rm turn-b.txt" in capsys.readouterr().out
    assert main(["undo"]) == 0
    assert second.exists()
    assert not first.exists()
    assert main(["undo", "turn-a"]) == 0
    assert first.read_text() == "dear"
    capsys.readouterr()
    assert main(["undo", "--list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["undone"] for row in rows if row["turn"] in ("turn-a", "turn-b")] == [True, True]
    assert main(["undo", "turn-z"]) == 1
    assert "turn-z" in capsys.readouterr().err
    assert [e.kind for e in AuditLog(data_dir() / "trust" / "audit").entries()] == ["undone", "undone"]


def test_control_characters_in_file_names_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _changed(tmp_path, "a\x1b]0;owned\x07")
    assert main(["undo"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_audit_is_read_filtered_and_verified(capsys: pytest.CaptureFixture[str]) -> None:
    log = AuditLog(data_dir() / "trust" / "audit")
    log.append("ran", "kitchen", {"code": "print(1)\nprint(2)"}, at=1000.0)
    log.append("heard", "phone", {"text": "hello"}, at=2_000_000_000.0)
    assert main(["audit"]) == 0
    told = capsys.readouterr().out
    assert "print(1) ⏎ print(2)" in told
    assert main(["audit", "--since", "2020-01-01", "--json"]) == 0
    assert [row["device"] for row in json.loads(capsys.readouterr().out)] == ["phone"]
    assert main(["audit", "--device", "kitchen", "--json"]) == 0
    assert [row["kind"] for row in json.loads(capsys.readouterr().out)] == ["ran"]
    assert main(["audit", "--since", "noonish"]) == 2
    assert main(["audit", "verify"]) == 0
    chain = data_dir() / "trust" / "audit" / "chain.jsonl"
    chain.write_text(chain.read_text().splitlines(keepends=True)[0])
    capsys.readouterr()
    assert main(["audit", "verify"]) == 1
    assert "cut off: entries 2 to 2" in capsys.readouterr().out


def _lived(tmp_path: Path) -> None:
    _changed(tmp_path)
    said = {"role": "user", "type": "message", "content": "my plan, password=hunter22", "at": 1000.0}
    write_whole(data_dir() / "conversations" / "kitchen.jsonl", json.dumps(said) + "\n")
    write_whole(data_dir() / "recordings" / "kitchen" / "a.wav", b"RIFF")
    AuditLog(data_dir() / "trust" / "audit").append("heard", "kitchen", {"text": "my plan"}, at=1000.0)
    _, key = DeviceBook(data_dir() / "identity" / "devices.json").admit("kitchen", "test", now=1.0)
    write_whole(config_dir() / "profiles" / "mine.yaml", f"model:\n  name: x\n  api_key: {key}\n")


@pytest.mark.parametrize("name", ["all.zip", "folder"])
def test_export_holds_what_was_said_and_no_key(tmp_path: Path, name: str) -> None:
    _lived(tmp_path)
    target = tmp_path / name
    assert main(["data", "export", str(target)]) == 0
    if name.endswith(".zip"):
        with zipfile.ZipFile(target) as archive:
            found = {entry: archive.read(entry) for entry in archive.namelist()}
    else:
        found = {str(f.relative_to(target)): f.read_bytes() for f in target.rglob("*") if f.is_file()}
    assert stat.S_IMODE(target.stat().st_mode) & 0o077 == 0
    assert b"my plan" in found["conversations/kitchen.txt"]
    assert b"my plan" in found["audit.txt"]
    assert found["recordings/kitchen/a.wav"] == b"RIFF"
    assert b"kitchen" in found["devices.json"]
    whole = b"".join(found.values())
    for secret in (b"hunter22", b"key_hash", b"api_key: 01_"):
        assert secret not in whole
    assert main(["data", "export", str(target)]) == 1  # never over something


def test_wipe_removes_what_was_kept_and_the_chain_still_verifies(tmp_path: Path) -> None:
    _lived(tmp_path)
    stranger, outside = data_dir() / "not-ours.txt", tmp_path / "outside"
    stranger.write_text("mine")
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    (data_dir() / "work").mkdir()
    (data_dir() / "work" / "link").symlink_to(outside)
    (data_dir() / "commands").symlink_to(outside)
    assert main(["data", "wipe"]) == 1  # nobody was asked, nothing was said
    assert (data_dir() / "conversations").exists()
    assert main(["data", "wipe", "--yes", "--keep-profiles"]) == 0
    assert (outside / "kept.txt").read_text() == "kept"
    assert stranger.read_text() == "mine"
    assert (config_dir() / "profiles" / "mine.yaml").exists()
    assert sorted(p.name for p in data_dir().iterdir()) == ["not-ours.txt", "trust"]
    left = b"".join(p.read_bytes() for p in data_dir().rglob("*") if p.is_file())
    assert b"my plan" not in left
    assert b"dear" not in left
    report = AuditLog(data_dir() / "trust" / "audit").verify()
    assert report.sound
    assert report.forgotten == 1
    assert main(["data", "wipe", "--yes"]) == 0
    assert not (config_dir() / "profiles").exists()


HOLDS = """
import sys, time
from zero_one.app.data import hold_folder
lock = hold_folder()
print("held", flush=True)
sys.stdin.read()
"""


def test_a_folder_in_use_is_neither_wiped_nor_served_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _lived(tmp_path)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert main(["data", "wipe", "--yes"]) == 1
        assert (data_dir() / "conversations" / "kitchen.jsonl").exists()
        told = capsys.readouterr().err
        assert f"process {holder.pid}" in told
        with pytest.raises(data.InUse, match="ZERO_ONE_HOME"):
            data.hold_folder()
    finally:
        holder.kill()
        holder.wait()
    data.hold_folder().release()  # it is free again when its holder is dead
