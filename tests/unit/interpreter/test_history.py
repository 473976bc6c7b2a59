"""The history on disk and in mind: saved atomically, read tolerantly, cut at what was heard."""

from __future__ import annotations

import asyncio
import json
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zero_one.interpreter import history as history_module
from zero_one.interpreter.history import History
from zero_one.protocol.lmc import Message


def user(text: str) -> Message:
    return Message("user", "message", content=text)


def said(text: str, ident: str = "a1") -> Message:
    return Message("assistant", "message", content=text, id=ident)


async def some(path) -> History:
    history = History(path)
    history.add(user("what is in the box?"))
    history.add(said("Let me see."), step="s1")
    code = Message("assistant", "code", "shell", "ls box", id="c0")
    history.add(code, step="s1", call="c1", tool="run", arguments='{"code": "ls box"}')
    history.add(Message("computer", "console", "output", "a cat\n"), step="s1", call="c1")
    history.add(said("A cat. \ud83d\udc08 \x00 \ud800", "a2"), step="s2")
    await history.saved()
    return history


async def test_what_was_saved_is_read_again_whole(tmp_path):
    path = tmp_path / "deep" / "h.jsonl"
    history = await some(path)
    again = History.load(path)
    assert [e.to_dict() for e in again] == [e.to_dict() for e in history]
    assert again.entries[-1].text == "A cat. 🐈 \x00 \ufffd"
    assert not again.notice
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [p.name for p in path.parent.iterdir()] == ["h.jsonl"], "temporary files were left"


async def test_lines_are_lmc_messages(tmp_path):
    await some(tmp_path / "h.jsonl")
    for line in (tmp_path / "h.jsonl").read_text().splitlines():
        Message.from_dict(json.loads(line))


async def test_no_file_is_an_empty_history_without_a_notice(tmp_path):
    history = History.load(tmp_path / "none.jsonl")
    assert len(history) == 0
    assert not history.notice


async def test_cut_at_every_byte_it_loads_what_is_whole_and_says_so(tmp_path):
    path = tmp_path / "h.jsonl"
    await some(path)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for at in range(0, len(whole), 7):
        path.write_bytes(whole[:at])
        history = History.load(path)
        complete = sum(1 for n in range(len(lines)) if len(b"".join(lines[: n + 1]).rstrip(b"\n")) <= at)
        assert len(history) == complete
        cut_inside = at not in {len(b"".join(lines[:n])) for n in range(len(lines) + 1)}
        rest = whole[:at].rpartition(b"\n")[2]
        if cut_inside and rest and complete < len(lines) and not rest.endswith(b"}"):
            assert "could not be read" in history.notice
            copies = list(tmp_path.glob("*.damaged-*"))
            assert copies[0].read_bytes() == whole[:at]
            assert stat.S_IMODE(copies[0].stat().st_mode) == 0o600
        for copy in tmp_path.glob("*.damaged-*"):
            copy.unlink()


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=60, deadline=None
)
@given(data=st.binary(max_size=300))
def test_any_bytes_can_be_loaded(tmp_path, data):
    path = tmp_path / "h.jsonl"
    path.write_bytes(data)
    for entry in History.load(path):
        json.dumps(entry.to_dict())


async def test_a_damaged_line_in_the_middle_costs_only_itself_and_saving_goes_on(tmp_path):
    path = tmp_path / "h.jsonl"
    await some(path)
    lines = path.read_bytes().splitlines()
    lines[1] = b'{"role": "assis\xff'
    path.write_bytes(b"\n".join(lines))
    history = History.load(path)
    assert [e.text for e in history][:2] == ["what is in the box?", "ls box"]
    assert history.notice.startswith("One part of our earlier conversation")
    history.add(user("go on"))
    await history.saved()
    again = History.load(path)
    assert len(again) == 5
    assert not again.notice


async def test_code_that_ran_when_the_power_went_counts_as_interrupted(tmp_path):
    history = History(tmp_path / "h.jsonl")
    history.add(Message("assistant", "code", "shell", "sleep 9"), step="s", call="c", note="running")
    await history.saved()
    assert [e.note for e in History.load(history.path)] == ["interrupted"]


async def test_a_full_disk_is_said_and_the_old_file_stays(tmp_path, monkeypatch):
    history = await some(tmp_path / "h.jsonl")
    before = history.path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(history_module.os, "fsync", full)
    history.add(user("one more"))
    await history.saved()
    assert "No space left" in history.notice
    assert history.path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["h.jsonl"]
    monkeypatch.undo()
    await history.saved()
    assert "one more" in history.path.read_text()


async def test_saving_many_times_at_once_writes_the_last_state(tmp_path):
    history = History(tmp_path / "h.jsonl")
    waits = []
    for n in range(50):
        history.add(user(str(n)))
        waits.append(asyncio.ensure_future(history.saved()))
        await asyncio.sleep(0)
    waits[10].cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    assert [e.text for e in History.load(history.path)] == [str(n) for n in range(50)]


async def test_a_long_history_moves_its_oldest_part_to_the_archive(tmp_path, monkeypatch):
    monkeypatch.setattr(history_module, "LONGEST", 10)
    history = History(tmp_path / "h.jsonl")
    for n in range(25):
        history.add(user(str(n)))
        await history.saved()
    kept = [e.text for e in History.load(history.path)]
    archive = tmp_path / "h.archive.jsonl"
    archived = [json.loads(line)["content"] for line in archive.read_text().splitlines()]
    assert archived + kept == [str(n) for n in range(25)]
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600


async def test_clearing_keeps_what_was_in_the_archive(tmp_path):
    history = await some(tmp_path / "h.jsonl")
    history.clear()
    await history.saved()
    assert len(History.load(history.path)) == 0
    assert "what is in the box?" in (tmp_path / "h.archive.jsonl").read_text()


WHOLE = "One, two, three"


@pytest.mark.parametrize(
    ("heard", "text", "note"),
    [(0, "", "cut"), (-3, "", "cut"), (5, "One, ", "cut"), (15, WHOLE, ""), (99, WHOLE, "")],
)
def test_cut_at_what_was_heard(heard, text, note):
    history = History()
    history.add(said(WHOLE))
    assert history.cut_heard("a1", heard)
    assert (history.entries[0].text, history.entries[0].note) == (text, note)


def test_a_message_that_was_cut_neither_grows_nor_comes_back():
    history = History()
    entry = history.add(said("One, two"))
    history.cut_heard("a1", 4)
    entry.append(", three")
    history.cut_heard("a1", 99)
    assert entry.text == "One,"
    history.cut_heard("a1", 2)
    assert entry.text == "On"


def test_only_the_assistants_words_are_cut():
    history = History()
    ident = history.add(user("Hello")).message.id
    assert not history.cut_heard(ident, 1)
    assert not history.cut_heard("nobody", 1)
    assert history.entries[0].text == "Hello"


def test_only_the_latest_images_are_kept(monkeypatch):
    history = History()
    for n in range(12):
        history.add(Message("user", "image", "base64.png", f"data{n}"))
    assert [bool(e.message.content) for e in history] == [False] * 4 + [True] * 8


async def test_forgetting_takes_whole_steps_of_a_time_from_memory_and_file(tmp_path: Path) -> None:
    history = History(tmp_path / "talk.jsonl")
    for number, at in enumerate((10.0, 20.0, 21.0, 30.0)):
        entry = history.add(Message("user", "message", content=f"said {number}"), step="s" if number in (1, 2) else "")
        entry.at = at
    await history.saved()
    assert history.forget(20.5, 25.0) == 2
    await history.saved()
    assert [entry.text for entry in History.load(tmp_path / "talk.jsonl")] == ["said 0", "said 3"]
