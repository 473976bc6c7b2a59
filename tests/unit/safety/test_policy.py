"""Every row and column of the table of trust, and questions that name what would happen."""

from __future__ import annotations

from pathlib import Path

import pytest

from zero_one.safety.policy import Circumstances, rule
from zero_one.safety.question import question
from zero_one.safety.risk import classify

OBSERVE, UNDOABLE, CHANGE = "ls", "echo hi > notes.txt", "systemctl restart cups"
SEND, DESTROY = "curl -d @notes.txt https://example.org", "rm -rf build"
OWN, TAINTED, KEYLESS = Circumstances(), Circumstances(sources=("a web page",)), Circumstances(keyless=True)


@pytest.mark.parametrize(
    ("code", "given", "kind", "hand"),
    [
        (OBSERVE, OWN, "run", "any"),
        (OBSERVE, TAINTED, "run", "any"),
        (OBSERVE, KEYLESS, "run", "any"),
        (UNDOABLE, OWN, "run", "any"),
        (UNDOABLE, TAINTED, "ask", "any"),
        (UNDOABLE, KEYLESS, "refuse", "any"),
        (CHANGE, OWN, "ask", "any"),
        (CHANGE, TAINTED, "ask", "any"),
        (CHANGE, KEYLESS, "refuse", "any"),
        (SEND, OWN, "ask", "press"),
        (SEND, TAINTED, "ask", "press"),
        (SEND, KEYLESS, "refuse", "any"),
        (DESTROY, OWN, "ask", "hold"),
        (DESTROY, TAINTED, "ask", "hold"),
        (DESTROY, KEYLESS, "refuse", "any"),
    ],
)
def test_the_table(code: str, given: Circumstances, kind: str, hand: str) -> None:
    ruling = rule(classify(code, "shell"), given)
    assert (ruling.kind, ruling.hand) == (kind, hand)
    if given is TAINTED and kind == "ask":
        assert "a web page" in ruling.reason
        assert not ruling.may_remember


def test_tainted_looking_has_no_network() -> None:
    assert not rule(classify("curl https://example.org", "shell"), TAINTED).network
    assert rule(classify("curl https://example.org", "shell"), OWN).network


@pytest.mark.parametrize("settings", [{"auto_run": True}, {"safe_mode": "off"}, {"remembered": True}])
def test_old_settings_and_rules_never_cover_more_than_changes_in_ones_own_words(settings: dict[str, object]) -> None:
    own = Circumstances(**settings)  # type: ignore[arg-type]
    tainted = Circumstances(sources=("mail",), **settings)  # type: ignore[arg-type]
    assert rule(classify(CHANGE, "shell"), own).kind == "run"
    assert rule(classify(CHANGE, "shell"), tainted).kind == "ask"
    assert rule(classify(SEND, "shell"), own).kind == "ask"
    assert rule(classify(DESTROY, "shell"), own).hand == "hold"


def test_safe_mode_ask_asks_about_undoable_changes_too() -> None:
    assert rule(classify(UNDOABLE, "shell"), Circumstances(safe_mode="ask")).kind == "ask"


def test_the_question_counts_what_would_be_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "Downloads"
    folder.mkdir()
    for i in range(14):
        (folder / f"{i}.txt").touch()
    verdict = classify("rm Downloads/*.txt", "shell")
    assert (
        question(verdict, tmp_path, "hold") == "Delete 14 files in Downloads. Hold the button for two seconds to agree."
    )


def test_the_question_names_packages_and_places(tmp_path: Path) -> None:
    assert "package cowsay" in question(classify("pip install cowsay", "shell"), tmp_path, "any")
    assert "https://example.org" in question(classify(SEND, "shell"), tmp_path, "press")
    assert "\n" not in question(classify("rm 'a\nb'", "shell"), tmp_path, "hold")
