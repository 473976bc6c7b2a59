"""What an effect names: the very path that is touched, or words when nobody can know it before."""

from __future__ import annotations

import pytest

from zero_one.safety.risk import Effect, Verdict, classify
from zero_one.safety.risk.paths import COMPUTED

TOUCHED = (
    ("shell", "rm a.txt ~/b.txt", ("a.txt", "~/b.txt")),
    ("shell", "rm *.log", ("*.log",)),
    ("shell", "mv a.txt b.txt", ("a.txt", "b.txt")),
    ("shell", "cp a.txt b.txt", ("b.txt",)),
    ("shell", "echo hi > notes.md", ("notes.md",)),
    ("shell", "echo hi 2>errors.log >> notes.md", ("errors.log", "notes.md")),
    ("shell", ": > app.log", ("app.log",)),
    ("shell", "sed -i s/a/b/ x.txt", ("x.txt",)),
    ("shell", "cd sub && rm a && cd .. && touch b", ("sub/a", "sub/../b")),
    ("shell", "(cd sub; rm a); rm c", ("sub/a", "c")),
    ("shell", "cd /tmp; python3 -c 'import os; os.remove(\"x\")'", ("/tmp/x",)),
    ("shell", "for f in a b; do rm $f; done", ("a", "b")),
    ("shell", "curl -sSLo page.html https://example.org", ("page.html",)),
    ("shell", "tar czf b.tgz docs", ("b.tgz",)),
    ("shell", "d=out; mkdir -p $d && touch $d/x", ("out", "out/x")),
    ("python", "from pathlib import Path\nPath('a').unlink()", ("a",)),
    ("python", "import os\nos.rename('a', 'b')", ("a", "b")),
    ("python", "import shutil\nshutil.copy('a', 'b')", ("b",)),
    ("python", "open('x.csv', 'w').write('1')", ("x.csv",)),
    ("python", "import pandas as pd\npd.read_csv('a.csv').to_csv('b.csv')", ("b.csv",)),
    ("python", "import subprocess\nsubprocess.run(['rm', '-r', 'build'])", ("build",)),
    ("javascript", "require('fs').writeFileSync('a.txt', 'x')", ("a.txt",)),
    ("javascript", "require('fs').unlinkSync('a.txt')", ("a.txt",)),
    ("powershell", "Remove-Item a.txt", ("a.txt",)),
    ("powershell", "Set-Content -Path a.txt -Value x", ("a.txt",)),
)
COMPUTED_ONES = (
    ("shell", "rm $f"),
    ("shell", "cat list | xargs rm"),
    ("shell", "find . -name '*.o' -exec rm {} +"),
    ("shell", "cd $dir && rm a"),
    ("shell", "echo x > $(date +%F).txt"),
    ("python", "open(name, 'w').write('x')"),
    ("python", "import os\nos.chdir(where)\nos.remove('a')"),
    ("python", "import os\nfor f in os.listdir(d):\n    os.rename(f, f + '.bak')"),
    ("javascript", "require('fs').writeFileSync(name, 'x')"),
)


def touching(verdict: Verdict) -> list[Effect]:
    return [e for e in verdict.effects if e.kind in ("write", "move", "delete")]


@pytest.mark.parametrize(("language", "code", "expected"), TOUCHED)
def test_a_path_that_is_written_out_is_named_as_it_is_written(
    language: str, code: str, expected: tuple[str, ...]
) -> None:
    assert set(classify(code, language).touched) == set(expected)


@pytest.mark.parametrize(("language", "code"), COMPUTED_ONES)
def test_a_path_that_is_computed_is_no_path(language: str, code: str) -> None:
    """It is told in words, cannot be undone, and nothing can be given access to by mistake."""
    verdict = classify(code, language)
    found = touching(verdict)
    assert found
    assert not verdict.touched
    assert not verdict.undoable
    assert all(COMPUTED in e.what and not e.file and not e.undoable for e in found)


@pytest.mark.parametrize(("language", "code", "expected"), TOUCHED)
def test_only_changes_of_named_files_can_be_undone(language: str, code: str, expected: tuple[str, ...]) -> None:
    for effect in classify(code, language).effects:
        if effect.undoable and effect.kind in ("write", "move", "delete"):
            assert effect.file
        if effect.kind == "delete":
            assert not effect.undoable


@pytest.mark.parametrize(
    ("code", "undoable"),
    [
        ("touch a; mv b c; echo x > d", True),
        ("unzip a.zip", False),
        ("git commit -m x", False),
        ("pip install requests", False),
        ("curl -T a ftp://x.example/", False),
        ("rm a", False),
        ("touch a $b", False),
        ("mv a /etc/a", False),
    ],
)
def test_a_program_can_be_undone_when_all_of_it_can(code: str, undoable: bool) -> None:
    assert classify(code, "shell").undoable is undoable
