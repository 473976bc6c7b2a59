"""Where a stream of text may be cut for speaking, whatever way the tokens fall."""

from __future__ import annotations

import random
import re

import pytest

from zero_one.conversation.clauses import LONGEST, Clause, ClauseCutter


def cut(text: str, size: int = 3) -> list[Clause]:
    """All clauses of ``text`` fed in pieces of ``size`` characters (0 = words)."""
    cutter = ClauseCutter()
    pieces = re.findall(r"\s*\S+|\s+", text) if size == 0 else [text[i : i + size] for i in range(0, len(text), size)]
    clauses = [clause for piece in pieces for clause in cutter.feed(piece)] + cutter.finish()
    assert "".join(clause.text for clause in clauses) == text
    assert [clause.start for clause in clauses] == [0, *[clause.end for clause in clauses][:-1]][: len(clauses)]
    return clauses


CASES = {
    "a price is not the end": ("It costs $29.99 now. Next.", ["It costs $29.99 now.", "Next."]),
    "a price can be the end": ("Only $29. Next we go on.", ["Only $29.", "Next we go on."]),
    "titles": ("Dr. Smith met Mrs. Jones. They left.", ["Dr. Smith met Mrs. Jones.", "They left."]),
    "initials": ("J. R. Tolkien wrote. He did.", ["J. R. Tolkien wrote.", "He did."]),
    "hours": ("Be there at 5 p.m. tomorrow. Thanks.", ["Be there at 5 p.m. tomorrow.", "Thanks."]),
    "hours at the end": ("Come at 5 p.m. Bring cake.", ["Come at 5 p.m.", "Bring cake."]),
    "numbers of things": ("See No. 5 here. See Fig. 2 too.", ["See No. 5 here.", "See Fig. 2 too."]),
    "no as a word": ("I said no. Then he left.", ["I said no.", "Then he left."]),
    "for example": ("Use fruit, e.g. apples. Wash it.", ["Use fruit, e.g. apples.", "Wash it."]),
    "quoted": ('He said "Go!" and left. Good.', ['He said "Go!" and left.', "Good."]),
    "quote at the end": ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
    "ellipsis goes on": ("Well... maybe so. Fine.", ["Well... maybe so.", "Fine."]),
    "ellipsis sign": ("Hmm… I see. Fine.", ["Hmm…", "I see.", "Fine."]),
    "an address": ("See https://a.example/x.html?q=1.5 now. Ok.", ["See https://a.example/x.html?q=1.5 now.", "Ok."]),
    "version": ("Use Python 3.11.7 now. Good!", ["Use Python 3.11.7 now.", "Good!"]),
    "file": ("Open notes.txt first. Then stop.", ["Open notes.txt first.", "Then stop."]),
    "many signs": ("Really?! Yes!! Good.", ["Really?!", "Yes!!", "Good."]),
    "small letters": ("sure. let me look. done.", ["sure.", "let me look.", "done."]),
    "a list": ("Items:\n1. Milk\n2. Eggs\n- Bread\nDone.", ["Items:", "1. Milk", "2. Eggs", "- Bread", "Done."]),
    "paragraphs": ("One thing\n\nAnother thing", ["One thing", "Another thing"]),
    "bold": ("**Done.** Next one.", ["**Done.**", "Next one."]),
    "inline code": ("Type `a. B` there. Good.", ["Type `a. B` there.", "Good."]),
    "thousands": ("It has 1,234,567 rows in all. Big.", ["It has 1,234,567 rows in all.", "Big."]),
    "first comma": ("It is sunny in Rome today, and warm.", ["It is sunny in Rome today,", "and warm."]),
    "too early a comma": ("Yes, it is sunny there.", ["Yes, it is sunny there."]),
    "japanese": ("今日は晴れです。明日は雨です。", ["今日は晴れです。", "明日は雨です。"]),
    "hindi": ("यह अच्छा है। वह भी।", ["यह अच्छा है।", "वह भी।"]),
    "german": ("Das ist z.B. gut. Ja.", ["Das ist z.B. gut.", "Ja."]),
}


@pytest.mark.parametrize("size", [0, 1, 2, 5, 1000])
@pytest.mark.parametrize("name", CASES)
def test_a_clause_ends_where_a_listener_would_say_so(name: str, size: int) -> None:
    """The same cuts, however the tokens fall."""
    text, expected = CASES[name]
    assert [clause.text.strip() for clause in cut(text, size)] == expected


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_a_fenced_block_is_one_clause_marked_as_code(size: int) -> None:
    text = "Run this:\n```python\nprint('a. B')\n\nx = 1. \n```\nThen it works. Good."
    clauses = cut(text, size)
    assert [clause.code for clause in clauses] == [False, True, False, False]
    assert clauses[1].text == "```python\nprint('a. B')\n\nx = 1. \n```\n"


def test_a_fence_that_never_closes_is_code_to_the_end() -> None:
    clauses = cut("Look:\n```\nprint(1). No end. Here\n", 2)
    assert [clause.code for clause in clauses] == [False, True]


def test_nothing_is_cut_before_the_next_token_is_known() -> None:
    """``$29.`` waits: ``99`` may follow. One character of the next token is enough to know."""
    cutter = ClauseCutter()
    assert cutter.feed("That is $29.") == []
    assert cutter.feed(" ") == []
    assert [clause.text for clause in cutter.feed("N")] == ["That is $29. "]


def test_the_first_clause_comes_before_the_second_sentence_is_complete() -> None:
    cutter = ClauseCutter()
    clauses: list[Clause] = []
    for token in ["The", " weather", " is", " fine", ".", " Tom"]:
        clauses += cutter.feed(token)
    assert [clause.text for clause in clauses] == ["The weather is fine. "]


def test_text_without_punctuation_is_not_held_back_for_ever() -> None:
    clauses = cut("word " * 200, 5)
    assert len(clauses) > 2
    assert all(len(clause.text) <= LONGEST + 5 for clause in clauses)


def test_random_text_is_never_lost_or_doubled() -> None:
    """Any characters in any pieces: joined, the clauses are the text (``cut`` asserts it)."""
    chance = random.Random(1)
    alphabet = "aB1 .,!?:;…\n`~-*\"'()[]$%éß。。？ \t"
    for _ in range(300):
        text = "".join(chance.choice(alphabet) for _ in range(chance.randrange(1, 120)))
        whole = [clause.text for clause in cut(text, 1000)]
        assert "".join(whole) == text
        cut(text, chance.randrange(1, 6))
