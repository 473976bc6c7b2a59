""" "Always": an answer makes a rule where the question offered it, the rule holds, and taking it back ends it."""

from __future__ import annotations

import pytest

from support.interpreter_desk import KEYLESS, PAIRED
from zero_one.interpreter.base import Decision

CHANGE, DESTROY = "renice -n 0 $$", "rm -rf build"
ALWAYS = Decision(True, hand="hold", by="Ann's phone", remember=True)


async def test_always_makes_a_rule_that_holds_until_it_is_taken_back(desk):
    here = desk()
    here.machine.prints[CHANGE] = [""]  # what a program prints is foreign, and then no rule holds
    here.approver.answers = [ALWAYS]
    await here.do(CHANGE, caller=PAIRED)
    await here.do(CHANGE, caller=PAIRED)
    assert here.machine.begun == [CHANGE, CHANGE]
    assert len(here.questions) == 1
    assert here.questions[0].may_remember
    [rule] = here.rules
    assert (rule.by, rule.folder, rule.code) == ("Ann's phone", here.home.folder, CHANGE)
    assert rule.used_at > 0
    assert "remembered" in here.witness.kinds()
    here.rules.revoke(rule.number)
    await here.do(CHANGE)
    assert len(here.questions) == 2


async def test_a_yes_that_says_nothing_of_always_makes_none(desk):
    here = desk()
    await here.do(CHANGE)
    assert not list(here.rules)


@pytest.mark.parametrize("code", [DESTROY, "curl -d @notes.txt https://example.org"])
async def test_always_is_not_offered_for_what_sends_or_destroys_and_is_not_taken(desk, code):
    here = desk()
    here.approver.then = ALWAYS
    await here.do(code)
    await here.do(code)
    assert here.machine.begun == [code, code]
    assert [question.may_remember for question in here.questions] == [False, False]
    assert not list(here.rules)


async def test_a_rule_opens_nothing_for_a_device_without_a_key(desk):
    here = desk()
    here.approver.answers = [ALWAYS]
    await here.do(CHANGE)
    await here.do(CHANGE, caller=KEYLESS)
    assert here.machine.begun == [CHANGE]


async def test_code_edited_by_hand_is_what_is_remembered(desk):
    here = desk()
    here.machine.prints["renice -n 1 $$"] = [""]
    here.approver.answers = [Decision(True, code="renice -n 1 $$", remember=True)]
    await here.do(CHANGE)
    await here.do("renice -n 1 $$", CHANGE)
    assert [question.code for question in here.questions] == [CHANGE, CHANGE]


async def test_a_rule_that_cannot_be_written_is_not_made_and_the_act_is_done(desk):
    here = desk()
    here.rules.path.parent.parent.mkdir(parents=True, exist_ok=True)
    here.rules.path.parent.write_text("a file where the folder should be")
    here.approver.answers = [ALWAYS]
    await here.do(CHANGE)
    assert here.machine.begun == [CHANGE]
    assert not list(here.rules)
