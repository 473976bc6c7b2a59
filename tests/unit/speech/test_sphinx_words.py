"""Which words a grammar holds, and how those that the dictionary lacks are said."""

from __future__ import annotations

import pytest

from zero_one.speech.stt import second_opinion, sphinx_words
from zero_one.speech.stt.second_opinion import Decoding, Segment
from zero_one.speech.tts import espeak

JSGF = """#JSGF V1.0;
grammar home.Commands; // a comment with word
/* another comment */
public <Top> = [<polite>] (Open {tag words} | /2.5/ shut) <Thing>+ "wi-fi" ;
<polite> = please | could you;
<Thing> = the (door|window) * ;
"""


def test_words_of_a_grammar() -> None:
    assert sphinx_words.grammar_words(JSGF) == {
        "Open", "shut", "please", "could", "you", "the", "door", "window", "wi-fi",
    }  # fmt: skip


def test_lower_case_leaves_rules_and_tags_alone() -> None:
    lowered = sphinx_words.lower_words(JSGF)
    assert "<Thing>" in lowered
    assert "{tag words}" in lowered
    assert "(open {tag" in lowered
    assert lowered.startswith("#JSGF V1.0;")
    assert "grammar home.Commands;" in lowered


@pytest.mark.parametrize(
    ("word", "ipa", "arpabet"),
    [
        ("hello", "həlˈoʊ", "HH AH L OW"),
        ("zebra", "zˈiːbɹə", "Z IY B R AH"),
        ("church", "tʃˈɜːtʃ", "CH ER CH"),
        ("judge", "dʒˈʌdʒ", "JH AH JH"),
        ("nothing known", "†‡", ""),
    ],
)
def test_phonetic_alphabet_to_arpabet(word: str, ipa: str, arpabet: str) -> None:
    assert sphinx_words.arpabet(ipa) == arpabet, word


def test_a_missing_word_is_said_by_parts_by_rule_or_by_letters() -> None:
    known = {"down": "D AW N", "loads": "L OW D Z"}
    assert sphinx_words.pronounce("down-loads", known.get, None) == "D AW N L OW D Z"
    assert sphinx_words.pronounce("downloads", known.get, None) == "D AW N L OW D Z"
    assert sphinx_words.pronounce("xz", known.get, None) == "EH K S Z IY"
    assert sphinx_words.pronounce("zorkmid", known.get, lambda _: "zˈɔːɹkmɪd") == "Z AO R K M IH D"
    assert sphinx_words.pronounce("…", known.get, None) is None


def test_espeak_rules_give_only_phones_that_the_model_has() -> None:
    library = espeak.library()
    assert library is not None
    phones = set(
        "AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH".split()
    )
    for word in ("kubernetes", "spotify", "nginx", "wikipedia", "żubrówka", "façade", "gnocchi", "schadenfreude"):
        said = library.worker.submit(self_ := object(), lambda word=word: library.phonemes(word)).result(60)
        assert self_
        spelled = sphinx_words.arpabet(said).split()
        assert spelled, word
        assert set(spelled) <= phones, word


def _heard(text: str, score: float, frames: int = 100) -> Decoding:
    words = text.split()
    step = frames // max(1, len(words))
    segments = tuple(Segment(word, i * step, (i + 1) * step - 1, score * step) for i, word in enumerate(words))
    return Decoding(text, segments, frames)


def test_second_opinion_believes_agreement_and_doubts_difference() -> None:
    """Same sounds from free dictation: a command. Other sounds and a worse score: open speech."""
    spell = {"volume": ["V", "AA", "L"], "up": ["AH", "P"], "banana": ["B", "AH", "N", "AE"], "V": ["V"]}
    lookup = lambda word: spell.get(word, [word])  # noqa: E731
    phones = _heard("V AA L AH P", 0.0)
    agreed = second_opinion.features(_heard("volume up", -15.0), _heard("volume up", -30.0), phones, lookup)
    doubted = second_opinion.features(_heard("volume up", -90.0), _heard("banana banana", -20.0), phones, lookup)
    assert second_opinion.belief(agreed) > 0.9
    assert second_opinion.belief(doubted) < 0.1
    assert agreed[2] == 0.0
