"""Packages are asked about by their names, with guarddog's finding where it is installed; nothing waits long for it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import psutil
import pytest

from zero_one.interpreter import packages
from zero_one.interpreter.packages import findings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a shell script")


def guarddog(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A program of that name which does what ``script`` says, be it late on a busy machine."""
    monkeypatch.setattr(packages, "LONGEST_S", 60.0)
    folder.mkdir(exist_ok=True)
    program = folder / "guarddog"
    program.write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\n{script}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


async def test_its_finding_is_part_of_the_question(tmp_path, monkeypatch, desk):
    guarddog(tmp_path / "bin", monkeypatch, 'echo \'{"package": "x", "issues": 2, "errors": {}, "results": {}}\'')
    here = desk()
    await here.do("pip install cowsay==6.1")
    [question] = here.questions
    assert question.text == (
        "Install or remove the package cowsay==6.1. Warning: guarddog found 2 suspicious things in cowsay. "
        "Is that all right?"
    )
    assert (tmp_path / "bin" / "asked").read_text() == "pypi scan cowsay --output-format=json\n"


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo '{\"issues\": 0}'", "found nothing suspicious in left-pad"),
        ("echo oops", "could not look at left-pad"),
        ("exit 3", "could not look at left-pad"),
    ],
)
async def test_what_it_says_is_passed_on(tmp_path, monkeypatch, script, words):
    guarddog(tmp_path / "bin", monkeypatch, script)
    assert words in await findings("npm install left-pad", ["left-pad"])


async def test_it_is_given_up_and_ended_after_a_few_seconds(tmp_path, monkeypatch):
    guarddog(tmp_path / "bin", monkeypatch, "exec sleep 31536.5")
    monkeypatch.setattr(packages, "LONGEST_S", 0.3)
    assert await findings("pip install x", ["x"]) == "Guarddog did not finish looking at it."
    assert not [p for p in psutil.process_iter(["cmdline"]) if "31536.5" in (p.info["cmdline"] or [])]


async def test_odd_names_are_no_options_and_other_managers_are_not_its_matter(tmp_path, monkeypatch):
    guarddog(tmp_path / "bin", monkeypatch, "echo '{\"issues\": 0}'")
    assert await findings("pip install --rules=x", ["--rules=x", "; rm"]) == ""
    assert await findings("apt-get install cowsay", ["cowsay"]) == ""
    assert await findings("echo hi", []) == ""
    assert not (tmp_path / "bin" / "asked").exists()


async def test_without_it_the_question_stands_alone(desk, monkeypatch):
    monkeypatch.setattr(packages, "which", lambda name: None)
    here = desk()
    await here.do("pip install ffmpeg")
    assert here.questions[0].text == "Install or remove the package ffmpeg. Is that all right?"
