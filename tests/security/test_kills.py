"""A process killed at any moment, or a last write cut at any byte, leaves every store readable and consistent, and what
was lost is said."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from security.kills import STORES, Home
from zero_one.safety.audit import AuditLog

FILES = {
    "devices": "devices.json",
    "rules": "rules.json",
    "audit": "audit/chain.jsonl",
    "undo": "undo/records/00000002.json",
    "history": "conversation.jsonl",
    "mailbox": "conversation.json",
    "alerts": "alerts.json",
    "notes": "notes.json",
}
LINES = ("audit", "history")
"""Stores that grow by lines; the last one is the last write. Of the others, every write replaces the whole file."""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither fork nor SIGKILL")
@pytest.mark.timeout(600)
def test_a_process_killed_in_200_runs_loses_nothing_that_was_done(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "security.kills", str(tmp_path), "200", "7"]
    ran = subprocess.run(
        program, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=580, check=False
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    kills = [json.loads(line) for line in ran.stdout.splitlines()]
    assert len(kills) == 200
    assert [kill for kill in kills if kill["wrong"]] == []
    assert sum(kill["acts"] for kill in kills) > 200, "the children had no time to do anything"
    told = [words for kill in kills for words in kill["told"]]
    assert all("cut off" in words for words in told), told


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("filled")

    async def fill() -> None:
        home = Home(folder)
        for store in STORES:
            for number in (1, 2):
                await home.write(store, f"w{number}")

    asyncio.run(fill())
    return folder


@pytest.mark.timeout(400)
@pytest.mark.parametrize("store", STORES)
def test_the_last_write_cut_at_every_byte(
    filled: Path, tmp_path: Path, store: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Every other store is as it was; of this one what came before is there where writes are lines, else the cut file
    is kept beside; and it is said. A store goes on working afterwards."""
    raw = (filled / FILES[store]).read_bytes()
    begin = raw.rstrip(b"\n").rfind(b"\n") + 1 if store in LINES else 0
    # A conversation that lacks a whole line is a whole file; only the audit chain knows how long it has to be.
    for cut in range(begin + (store == "history"), len(raw)):
        folder = tmp_path / str(cut)
        shutil.copytree(filled, folder)
        (folder / FILES[store]).write_bytes(raw[:cut])
        caplog.clear()
        home = Home(folder)
        home.undo.recover()
        left = home.holds(store)
        told = " ".join([*home.told, caplog.text])
        assert {"w1"} <= left or store not in LINES
        if "w2" not in left:
            assert told, f"nothing was said of {store} cut at {cut}"
        if store not in LINES and store != "undo" and not left:
            assert list(folder.glob(f"{FILES[store]}*damaged*")), cut
        for other in STORES:
            assert other == store or {"w1", "w2"} <= home.holds(other), f"{store} cut at {cut} took {other} with it"
        if cut % 16 == 0:
            asyncio.run(home.write(store, "w3"))
            assert "w3" in Home(folder).holds(store)
        shutil.rmtree(folder)


def test_every_byte_that_the_audit_chain_loses_is_told_for_good(filled: Path, tmp_path: Path) -> None:
    """Also after new entries followed: a cut tail cannot be hidden by going on."""
    raw = (filled / FILES["audit"]).read_bytes()
    for cut in range(0, len(raw), 11):
        folder = tmp_path / str(cut)
        shutil.copytree(filled / "audit", folder)
        (folder / "chain.jsonl").write_bytes(raw[:cut])
        log = AuditLog(folder)
        log.append("ran", "test", {"code": "later"}, at=1.0)
        assert not AuditLog(folder).verify().sound
        shutil.rmtree(folder)
