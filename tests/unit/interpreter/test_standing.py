"""An act is ruled by what it does where its language stands, not where the conversation began."""

from __future__ import annotations

from pathlib import Path

from support.interpreter_desk import Open
from zero_one.interpreter.asking import Act
from zero_one.interpreter.base import Decision
from zero_one.interpreter.consent import judge
from zero_one.safety.rules import Rules


async def test_a_relative_name_in_a_folder_of_power_is_asked_about(desk: Open, tmp_path: Path) -> None:
    """``cd`` is free, and so is a new file: not both, where what lies there starts by itself."""
    one = desk()
    one.machine.folder_of = lambda language: tmp_path / ".config/autostart"
    one.approver.then = Decision(False)
    await one.do("echo x > x.desktop")
    assert [question.hand for question in one.questions] == ["press"]
    assert one.questions[0].cwd.endswith("autostart")
    assert not one.machine.begun


def test_a_rule_holds_in_its_folder_alone(tmp_path: Path) -> None:
    """Allowed for always in one folder, the same words elsewhere are about other files."""
    rules, act = Rules(tmp_path / "rules.json"), Act("shell", "mv a.txt b.txt")
    project, elsewhere = tmp_path / "work", tmp_path / "Documents"
    verdict, _ = judge(act, rules, str(project), project)
    rule = rules.add(act.language, act.code, verdict, str(project), "desk")
    assert judge(act, rules, str(project), project)[1] == rule is not None
    assert judge(act, rules, str(project), elsewhere)[1] is None
