"""Silence is dropped, speech is kept whole, pauses are measured."""

from __future__ import annotations

from support.voices import noise, say, silence
from zero_one.speech.stt.voiced import BYTES_PER_MS, Voiced


def test_silence_gives_nothing() -> None:
    voiced = Voiced()
    voiced.feed(silence(5000))
    assert voiced.take() == b""
    assert not voiced.heard
    assert voiced.total_ms == 5000


def test_speech_keeps_its_edges_and_loses_the_silence_around_it() -> None:
    speech = say("the quick brown fox jumps over the lazy dog")
    voiced = Voiced()
    voiced.feed(silence(4000) + speech + silence(4000))
    kept = voiced.take()
    assert voiced.heard
    assert len(speech) * 0.75 < len(kept) < len(speech) + 900 * BYTES_PER_MS
    assert voiced.quiet_ms >= 3500


def test_pieces_of_any_size_give_the_same() -> None:
    pcm = silence(500) + say("open the browser") + silence(700)
    whole = Voiced()
    whole.feed(pcm)
    expected = whole.take()
    for size in (1, 7, 641, 5000):
        piecewise = Voiced()
        got = b""
        for start in range(0, len(pcm), size):
            piecewise.feed(pcm[start : start + size])
            got += piecewise.take()
        assert got == expected, f"in pieces of {size} bytes"


def test_a_click_is_not_speech() -> None:
    voiced = Voiced()
    voiced.feed(silence(1000) + noise(30, loudness=9000) + silence(1000))
    assert not voiced.heard
