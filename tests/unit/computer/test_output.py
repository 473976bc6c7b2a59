"""Long output is shown by its ends, and the whole of it is in a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zero_one.computer.output import HeadTail, Limits

LIMITS = Limits(head=100, tail=50, kept=100_000)


def shown(kept: HeadTail, pieces: list[str]) -> str:
    text = "".join(part for piece in pieces for part in kept.feed(piece)) + "".join(kept.finish())
    kept.close()
    return text


def test_short_output_passes_at_once_and_makes_no_file(tmp_path: Path) -> None:
    kept = HeadTail(tmp_path / "out.txt", LIMITS)
    assert kept.feed("hello\n") == ["hello\n"]
    assert kept.finish() == []
    assert list(tmp_path.iterdir()) == []


def test_long_output_keeps_both_ends_and_says_where_the_whole_is(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "out.txt"
    lines = [f"line {number}\n" for number in range(1000)]
    text = shown(HeadTail(path, LIMITS), lines)
    whole = "".join(lines)
    assert text.startswith(whole[:100])
    assert text.endswith(whole[-50:])
    assert f"{len(whole) - 150:,} characters left out; the whole is in {path}" in text
    assert path.read_text() == whole
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_file_stops_growing_at_its_limit(tmp_path: Path) -> None:
    limits = Limits(head=10, tail=10, kept=2 * 1024 * 1024)
    text = shown(HeadTail(tmp_path / "out.txt", limits), ["x" * 100_000] * 100)
    assert "its first 2 MiB are in" in text
    assert (tmp_path / "out.txt").stat().st_size == limits.kept


def test_a_disk_that_cannot_take_it_fails_nothing_and_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    text = shown(HeadTail(tmp_path / "file" / "out.txt", LIMITS), ["x" * 1000])
    assert "not all of it could be kept" in text
    assert text.endswith("x" * 50)


@pytest.mark.parametrize("name", ["/dev/full"])
def test_a_full_disk_is_told(name: str) -> None:
    text = shown(HeadTail(Path(name), LIMITS), ["x" * 500_000] * 3)
    assert "not all of it could be kept: No space left on device" in text


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(alphabet="abc\n", max_size=120), max_size=30))
def test_head_and_tail_are_right_for_any_pieces(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = tmp_path_factory.mktemp("any") / "out.txt"
    text, whole = shown(HeadTail(path, LIMITS), pieces), "".join(pieces)
    if len(whole) <= 150:
        assert text == whole
    else:
        middle = f"\n… {len(whole) - 150:,} characters left out; the whole is in {path} …\n"
        assert text == whole[:100] + middle + whole[-50:]
        assert path.read_text() == whole
