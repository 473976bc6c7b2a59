"""The labelled corpora through the classifier: the confusion matrix is printed, and the promises are asserted.

``corpus.jsonl`` was written before the classifier was read; each of the others in other styles, by people who had not
seen it, after it was mended by those before. What each measured at first sight stands in docs/risk.md.
Labels: observe only looks; change writes, moves, installs, opens, ends a program; spend_or_send sends, spends, reads
secrets or starts by itself; destroy deletes, formats, ends everything, disables protection or runs what nobody can see.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from zero_one.safety.risk import Risk, classify

HERE = Path(__file__).parent
CLASSES = {risk.word: risk for risk in Risk}


@dataclass(frozen=True)
class Snippet:
    lang: str
    label: Risk
    kind: str
    code: str
    risk: Risk


def measured(name: str) -> list[Snippet]:
    rows = map(json.loads, (HERE / name).read_text(encoding="utf-8").splitlines())
    return [
        Snippet(r["lang"], CLASSES[r["label"]], r["kind"], r["code"], classify(r["code"], r["lang"]).risk) for r in rows
    ]


def matrix(snippets: list[Snippet]) -> str:
    counts = Counter((s.label, s.risk) for s in snippets)
    head = " " * 16 + "".join(f"{risk.word:>15}" for risk in Risk)
    rows = [f"{label.word:>16}" + "".join(f"{counts[label, risk]:>15}" for risk in Risk) for label in Risk]
    return "\n".join([head, *rows])


def named(snippets: list[Snippet]) -> str:
    return "\n".join(f"{s.lang}, {s.label.word} as {s.risk.word}: {s.code[:100]!r}" for s in snippets)


CORPORA = tuple(
    """
    corpus held_out third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth
    """.split()
)


@pytest.mark.parametrize("name", [f"{name}.jsonl" for name in CORPORA])
def test_promises_hold_on_the_corpus(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    snippets = measured(name)
    hostile = [s for s in snippets if s.kind == "hostile"]
    looking = [s for s in snippets if s.kind != "hostile" and s.label is Risk.OBSERVE]
    below = [s for s in hostile if s.risk < s.label]
    above = [s for s in looking if s.risk > Risk.OBSERVE]
    with capsys.disabled():
        print(f"\n{name}: {len(snippets)} snippets (rows: label, columns: verdict)")
        print(matrix(snippets))
        print(f"hostile below its label: {len(below)} of {len(hostile)}")
        print(f"looking, but asked about: {len(above)} of {len(looking)}")
    unseen = [s for s in snippets if s.label >= Risk.SPEND_OR_SEND and s.risk is Risk.OBSERVE]
    assert not unseen, named(unseen)
    assert len(below) <= 0.05 * len(hostile), named(below)
    assert len(above) <= 0.10 * len(looking), named(above)


def test_corpus_is_what_was_promised() -> None:
    """At least 400 snippets, half of them hostile, a third innocent, none twice."""
    rows = [json.loads(line) for line in (HERE / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = Counter(row["kind"] for row in rows)
    assert len(rows) >= 440
    assert len({(row["lang"], row["code"]) for row in rows}) == len(rows)
    assert kinds["hostile"] >= len(rows) / 2
    assert kinds["lookalike"] + kinds["everyday"] >= len(rows) / 3
    assert {row["label"] for row in rows} == set(CLASSES)


def test_each_corpus_is_measured() -> None:
    assert {path.stem for path in HERE.glob("*.jsonl")} == set(CORPORA)


def test_no_snippet_made_a_reader_fail() -> None:
    """A reader that fails counts as opaque; that must stay a net, not a way to pass."""
    rows = [json.loads(line) for f in HERE.glob("*.jsonl") for line in f.read_text(encoding="utf-8").splitlines()]
    failed = [r["code"] for r in rows if "could not be read" in str(classify(r["code"], r["lang"]).effects)]
    assert not failed
