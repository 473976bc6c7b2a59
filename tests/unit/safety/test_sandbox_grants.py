"""What a sandbox gives to an act follows from the verdict over it, and from nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from zero_one.computer.languages.base import Reach, Scope
from zero_one.safety import grants
from zero_one.safety.risk.classify import classify
from zero_one.safety.risk.model import Verdict


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    for name in ("Documents/letters", "Downloads", "Pictures", ".ssh", ".config/gcloud", "data/01/work/this/sub"):
        (home / name).mkdir(parents=True)
    (home / "Downloads/a.txt").touch()
    (home / "Elsewhere").symlink_to(home / ".ssh")
    (home / "data/01/work/this/link").symlink_to(home / "Documents")
    monkeypatch.setenv("HOME", str(home))
    return home


def scope(home: Path, code: str, language: str = "shell", folder: str = "data/01/work/this") -> Scope:
    project = home / "data/01/work/this"
    kept = (home / "data/01", home / ".ssh", home / ".config/gcloud")
    return grants.scope(classify(code, language), code, home / folder, project, kept)


@pytest.mark.parametrize(
    "code",
    [
        "ls ~/Downloads",
        "cat ~/Downloads/a.txt",
        "echo hello > note.txt",
        "mkdir -p a/b && mv note.txt a/b/",
        "rm -f sub/*.txt",
        "echo x > link/y.txt",
        "echo x > ../other/said.txt",
        "echo x > ~/data/01/devices.json",
        "cp ~/Downloads/a.txt ~/Elsewhere/x.txt",
        "echo x > /tmp/scratch.txt",
        "echo x > /nowhere/at/all.txt",
    ],
)
def test_these_stay_inside(home: Path, code: str) -> None:
    """What only looks, what the project folder holds, what no grant covers: secrets, our own folders, whole disks."""
    assert scope(home, code) == Scope()


@pytest.mark.parametrize(
    ("code", "given"),
    [
        ("echo x > ~/Documents/new.txt", ["Documents"]),
        ("echo x > ~/Documents/no/such/folder/new.txt", ["Documents"]),
        ("mv ~/Downloads/a.txt ~/Documents/letters/", ["Documents/letters", "Downloads"]),
        ("mv ~/Downloads/*.txt ~/Pictures/", ["Downloads", "Pictures"]),
        ("rm ~/Downloads/a.txt", ["Downloads"]),
        ("echo x > $HOME/notes.txt", ["notes.txt"]),
        ("mkdir ~/New", ["New"]),
        ("cd ~/Downloads && mv a.txt b.txt", ["Downloads"]),
        ("tar xf a.tgz -C ~/Documents/letters", ["Documents/letters"]),
        ("find ~/Downloads -name '*.tmp' -delete", ["Downloads"]),
        ("echo x > ~/Documents/a; echo y > ~/Documents/letters/b", ["Documents"]),
    ],
)
def test_exactly_the_folders_that_change_are_given(home: Path, code: str, given: list[str]) -> None:
    found = scope(home, code)
    assert not found.outside
    assert sorted(str(path.relative_to(home)) for path in found.write) == given


def test_python_and_a_folder_that_was_entered_before(home: Path) -> None:
    code = "from pathlib import Path\n(Path.home() / 'Pictures' / 'x.txt').write_text('x')"
    assert scope(home, code, "python").write == {home / "Pictures"}
    assert scope(home, "mv a.txt b.txt", folder="Downloads").write == {home / "Downloads"}
    assert scope(home, "ls", folder="Downloads") == Scope()


@pytest.mark.parametrize(
    "code",
    [
        "kill 4711",
        "systemctl restart cups",
        "pip install requests",
        "sudo apt-get install jq",
        "xdg-open ~/Documents/letter.pdf",
        "scp a.txt me@host:",
        "eval $(cat x)",
        "cat ~/.ssh/id_ed25519",
        "echo 'alias ls=x' >> ~/.bashrc",
        "crontab jobs.txt",
    ],
)
def test_these_cannot_be_had_in_a_sandbox(home: Path, code: str) -> None:
    assert scope(home, code) == Scope(outside=True)


@pytest.mark.parametrize(
    ("language", "code"),
    [("python", "helper(1)"), ("python", "import mine\nmine.work()"), ("shell", "unzip a.zip"),
     ("shell", "my_own_function_of_before x"), ("shell", "sed -i s/a/b/ sub/*.txt"), ("shell", "patch -p1 < x.diff")],
)  # fmt: skip
def test_what_is_vague_or_defined_earlier_stays_where_it_is(home: Path, language: str, code: str) -> None:
    """It was agreed to, but nothing in it is beyond a sandbox."""
    assert scope(home, code, language) == Scope()


def test_without_a_verdict_nothing_is_given(home: Path) -> None:
    project = home / "data/01/work/this"
    assert grants.scope(None, "rm -rf ~", project, project) == Scope()
    assert grants.scope(Verdict.of([]), "rm -rf ~", project, project) == Scope()


def reach(code: str, *, network: bool = True, always: bool = False, language: str = "shell") -> Reach:
    private = frozenset({"nas.local", "10.0.0.5:631"})
    return grants.reach(classify(code, language), code, network=network, always=always, private=private)


def test_the_network_follows_the_ruling() -> None:
    private = frozenset({"nas.local", "10.0.0.5:631"})
    assert reach("ls") == Reach()
    assert reach("curl https://wttr.in/Berlin") == Reach(hosts=frozenset({"wttr.in"}))
    assert reach("curl http://nas.local/x") == Reach(hosts=frozenset({"nas.local"}), private=private)
    assert reach("wget https://example.org/a.iso").hosts == {"example.org"}
    assert reach("curl -d @letter.txt https://example.org/x") == Reach(private=private, public=True)
    assert reach("ls", always=True) == Reach(private=private, public=True)
    for code in ("curl https://wttr.in/Berlin", "curl -d @x https://example.org/"):
        assert reach(code, network=False, always=True) == Reach(), "a ruling without network stands above the profile"
    assert grants.reach(None, "curl https://a.example/", network=True, always=False) == Reach()
    code = "import urllib.request as u; print(u.urlopen('https://wttr.in/Oslo?format=3').read())"
    assert reach(code, language="python").hosts == {"wttr.in"}
