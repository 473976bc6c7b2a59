"""What a relative name means where the code really stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from zero_one.computer.languages.base import Scope
from zero_one.safety import grants
from zero_one.safety.risk import Risk, classify
from zero_one.safety.standing import seen_from


@pytest.mark.parametrize(
    ("folder", "language", "code"),
    [
        ("~/.config/autostart", "shell", "echo x > evil.desktop"),
        ("~/.config/autostart", "shell", "mv draft evil.desktop"),
        ("~/.config/autostart", "python", "open('evil.desktop', 'w').write('x')"),
        ("~/.config", "shell", "cp x autostart/evil.desktop"),
        ("~/Documents", "shell", "echo x > ../.bashrc"),
        ("~/code/app/.git/hooks", "shell", "printf x > pre-commit"),
        ("work/.git/hooks", "shell", "printf x > pre-commit"),
    ],
)
def test_a_harmless_name_in_a_folder_of_power_is_none(tmp_path: Path, folder: str, language: str, code: str) -> None:
    """Two runs, each a small step, are worth no less than both in one."""
    project = tmp_path / "work"
    there = tmp_path / folder.replace("~", "home")
    verdict = classify(code, language)
    assert seen_from(verdict, there, project).risk > Risk.CHANGE
    assert seen_from(verdict, project, project) is verdict


@pytest.mark.parametrize("code", ["echo x > a.txt", "mv a.txt b.txt", "ls", "cat a.txt", "echo x > /tmp/y"])
def test_elsewhere_a_name_is_what_it_was(tmp_path: Path, code: str) -> None:
    verdict = classify(code, "shell")
    assert seen_from(verdict, tmp_path / "home/Documents", tmp_path / "work") is verdict


@pytest.mark.parametrize("code", ["echo x > a.txt # cd {away}", "{away}/x; patch -p1 < d", "echo 'cd {away}'; touch a"])
def test_no_grant_covers_a_folder_of_power_that_no_path_of_the_verdict_names(tmp_path: Path, code: str) -> None:
    """What is only mentioned, or stood in, widens the sandbox to nothing that would have been asked about."""
    project, away = tmp_path / "work", tmp_path / "home/.config/autostart"
    for folder in (project, away):
        folder.mkdir(parents=True)
    verdict = classify("echo x > a.txt", "shell")
    assert grants.scope(verdict, code.format(away=away), project, project) == Scope()
    assert grants.scope(verdict, "echo x > a.txt", away, project) == Scope()
    plain = tmp_path / "home/Documents"
    plain.mkdir()
    assert grants.scope(verdict, "echo x > a.txt", plain, project) == Scope(frozenset({plain}))
