"""What stands next to looking is not taken for it: one step from each rule that lets something pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from zero_one.safety.risk import classify

LINES = Path(__file__).with_name("near").joinpath("looking.jsonl").read_text("utf-8").splitlines()
ROWS = [json.loads(line) for line in LINES]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['lang']}-{row['label']}")
def test_one_step_from_looking_keeps_its_class(row: dict[str, str]) -> None:
    assert classify(row["code"], row["lang"]).risk.word == row["label"], row["code"]
