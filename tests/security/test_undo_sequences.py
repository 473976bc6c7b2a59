"""Whatever model-style code does to files in the real kernel and shell, undo restores bytes, modes and times."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from zero_one.computer.hands import Hands
from zero_one.computer.terminal import Terminal
from zero_one.safety.risk import Risk, classify
from zero_one.safety.roots import roots
from zero_one.safety.trust import Trust, open_trust

SEQUENCES = 200
BATCHES = 8
ODD = ("plain.txt", "with space.md", "ünïcödé ☃.txt", "new\nline.txt", "-dash", "quote's.txt", ".hidden", "data.csv")
Look = dict[str, tuple[object, ...]]


def look(*folders: Path) -> Look:
    """Everything that a person could tell apart: kind, mode, time, bytes, and which names are one file."""
    out: Look = {}
    first: dict[tuple[int, int], str] = {}
    for folder in folders:
        for path in [folder, *sorted(folder.rglob("*"))]:
            if ".output" in path.parts:
                continue
            info = path.lstat()
            name = os.fspath(path)
            if stat.S_ISLNK(info.st_mode):
                out[name] = ("link", os.readlink(path), info.st_mtime_ns)
            elif stat.S_ISDIR(info.st_mode):
                out[name] = ("folder", info.st_mode, info.st_mtime_ns)
            elif stat.S_ISFIFO(info.st_mode):
                out[name] = ("pipe", info.st_mode)
            else:
                twin = first.setdefault((info.st_dev, info.st_ino), name)
                out[name] = ("file", info.st_mode, info.st_mtime_ns, path.read_bytes(), twin)
    return out


def plant(folder: Path, rng: random.Random) -> None:
    """A folder as people have them, with what file tools stumble over."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in rng.sample(ODD, 5):
        where = folder / rng.choice(["", "sub", "sub/deep", "other"])
        where.mkdir(parents=True, exist_ok=True)
        (where / name).write_bytes(
            b"".join(b"line %d of %d\n" % (n, rng.randrange(99)) for n in range(rng.randrange(9)))
        )
        (where / name).chmod(rng.choice([0o644, 0o600, 0o755, 0o444]))
    (folder / "empty").mkdir(exist_ok=True)
    (folder / "notes.txt").write_text("alpha\nbeta\ngamma\n")
    (folder / "app.log").write_text("started\nstopped\n")
    (folder / "old.log").write_text("old\n")
    (folder / "config.json").write_text('{"a": 1, "b": [1, 2]}\n')
    os.link(folder / "notes.txt", folder / "hard.txt")
    (folder / "link").symlink_to("notes.txt")
    (folder / "dangling").symlink_to("nowhere")
    with (folder / "sparse.bin").open("wb") as file:
        file.seek(3_000_000)
        file.write(b"end")
    os.mkfifo(folder / "pipe")
    locked = folder / "locked"
    locked.mkdir()
    (locked / "kept.txt").write_text("kept\n")
    locked.chmod(0o555)
    for path in [*folder.rglob("*")]:
        when = rng.randrange(10**18, 17 * 10**17)
        os.utime(path, ns=(when, when), follow_symlinks=False)


# Each is code as a model would write it; ``{d}`` is a folder outside the project, ``{x}`` a word of its own.
SHELL = (
    "rm -f *.log",
    "rm -rf sub",
    "mv notes.txt renamed-{x}.txt",
    "mv config.json notes.txt",
    "cp notes.txt config.json && rm notes.txt",
    "echo new > app.log",
    "echo more >> notes.txt",
    ": > old.log",
    "sed -i 's/alpha/omega/; s/beta//' notes.txt",
    "perl -pi -e 's/a/b/g' notes.txt config.json 2>/dev/null || true",
    "awk '{{print NR\": \"$0}}' notes.txt > tmp.$$ && mv tmp.$$ notes.txt",
    "chmod -R u+w,go-rwx . 2>/dev/null; chmod 700 notes.txt",
    "chmod 755 locked && rm -rf locked",
    "touch -d '2001-01-01' notes.txt app.log new-{x}.txt",
    "truncate -s 5 sparse.bin; truncate -s 10 app.log",
    "ln -sf app.log link && rm dangling && ln -s elsewhere dangling2",
    "mkdir -p made/{x}/deep && cp -r sub made/{x}/ 2>/dev/null; rmdir empty",
    "tar czf all.tgz notes.txt app.log sub 2>/dev/null; rm -rf notes.txt sub; tar xzf all.tgz",
    "zip -qr all.zip notes.txt app.log && rm app.log && unzip -qo all.zip -d out",
    "git init -q . && git add notes.txt && rm -f app.log && git clean -fdxq",
    "find . -name '*.txt' -type f -delete",
    "find . -type f -size -1k -exec rm -f {{}} +",
    'for f in *.txt; do mv "$f" "$f.bak"; done',
    "ls -1 | head -2 > listing-{x}; sort -o listing-{x} listing-{x}; tee copy.txt < notes.txt >/dev/null",
    "dd if=/dev/zero of=app.log bs=10 count=3 conv=notrunc 2>/dev/null",
    "rm pipe && mkfifo pipe2 && mv pipe2 pipe && chmod 600 pipe",
    "printf 'w\\nq\\n' | ed -s notes.txt 2>/dev/null; printf '1d\\nw\\nq\\n' | ed -s config.json 2>/dev/null || true",
    "cd '{d}' && rm -f *.log && mv notes.txt moved.txt && cd -  > /dev/null",
    "mv app.log '{d}'/ && rm '{d}'/config.json",
    "sed -i 's/1/2/' '{d}'/config.json && rm -r '{d}'/sub",
    "install -m 640 notes.txt config.json; rm -f -- -dash '{d}'/-dash",
    "split -l 1 notes.txt part-{x}- && rm notes.txt hard.txt && cat part-{x}-* > notes.txt",
)
PYTHON = (
    "import os\nfor name in os.listdir('.'):\n    if name.endswith('.log'):\n        os.remove(name)",
    "import shutil\nshutil.rmtree('sub', ignore_errors=True)\nshutil.move('app.log', 'moved-{x}.log')",
    "with open('notes.txt', 'w') as f:\n    f.write('short')",
    "with open('notes.txt', 'r+') as f:\n    f.seek(2); f.write('XX'); f.truncate(9)",
    (
        "from pathlib import Path\n"
        "p = Path('config.json')\n"
        "p.write_text(p.read_text().replace('1', '2'))\n"
        "Path('made-{x}').mkdir()"
    ),
    (
        "from pathlib import Path\n"
        "[p.unlink() for p in Path('.').rglob('*.txt') if p.is_file() and not p.parent.name == 'locked']"
    ),
    "import os\nos.rename('notes.txt', 'config.json')\nos.symlink('config.json', 'notes.txt')",
    "import os\nos.replace('app.log', 'old.log')\nos.chmod('old.log', 0o400)",
    "import json\nd = json.load(open('config.json'))\nd['c'] = True\njson.dump(d, open('config.json', 'w'), indent=2)",
    "import os, time\nos.utime('notes.txt', (1, 1)); os.truncate('sparse.bin', 100)",
    (
        "import subprocess\n"
        "subprocess.run(['rm', '-rf', 'other', 'empty'])\n"
        "subprocess.run('echo hi > hi-{x}.txt', shell=True)"
    ),
    (
        "import shutil, os\n"
        "shutil.copytree('.', '/tmp/never-{x}', ignore=lambda *a: a[1])\n"
        "os.rmdir('/tmp/never-{x}')\n"
        "os.remove('notes.txt')"
    ),
    (
        "import tempfile, os\n"
        "fd, n = tempfile.mkstemp(dir='.')\n"
        "os.write(fd, b'draft'); os.close(fd)\n"
        "os.replace(n, 'notes.txt')"
    ),
    (
        "import os\n"
        "os.chmod('locked', 0o755)\n"
        "open('locked/new-{x}.txt', 'w').close()\n"
        "os.remove('locked/kept.txt')\n"
        "os.chmod('locked', 0o500)"
    ),
    (
        "import os\n"
        "for root, dirs, files in os.walk('sub', topdown=False):\n"
        "    for f in files: os.remove(os.path.join(root, f))\n"
        "    os.rmdir(root)"
    ),
    "import shutil\nshutil.make_archive('backup-{x}', 'zip', 'sub') if __import__('os').path.isdir('sub') else None",
    "import shelve\nwith shelve.open('shelf-{x}') as s: s['k'] = [1, 2]",
    "import sqlite3\nc = sqlite3.connect('db-{x}.sqlite'); c.execute('create table t (a)'); c.commit(); c.close()",
    "!rm -f app.log\n!mkdir -p bang-{x}/deep",
    (
        "import mmap\n"
        "with open('config.json', 'r+b') as f:\n"
        "    m = mmap.mmap(f.fileno(), 0); m[0:1] = b'['; m.flush(); m.close()"
    ),
    (
        "import os\n"
        "os.makedirs('{d}/made-{x}/deep')\n"
        "os.remove('{d}/notes.txt')\n"
        "os.rename('{d}/app.log', 'stolen-{x}.log')"
    ),
    "import glob, os\nfor f in glob.glob('{d}/*.txt'): os.remove(f)",
    "import fileinput\nfor line in fileinput.input('notes.txt', inplace=True):\n    print(line.upper(), end='')",
    "import os\nos.link('app.log', 'linked-{x}.log')\nopen('linked-{x}.log', 'a').write('through the link')",
    "open('link', 'w').write('written through a link')",
)


@pytest.fixture
async def terminal(tmp_path: Path) -> AsyncIterator[Terminal]:
    """One warm kernel and one warm shell, without a sandbox: it must hold for code that may go everywhere."""
    made = Terminal(tmp_path / "project", Hands())
    yield made
    await made.close()


async def _do(terminal: Terminal, trust: Trust, language: str, code: str, turn: str) -> str:
    """As the interpreter does it: classified, kept, run, recorded. Returns what was printed as an error."""
    verdict = classify(code, language)
    watched = await asyncio.to_thread(roots, verdict, code, language, project=terminal.folder)
    said = ""
    if verdict.risk is Risk.OBSERVE:
        watched = [terminal.folder]
    async with trust.undo_around(watched, turn, code.splitlines()[0][:60]) as kept:
        async for piece in terminal.run(language, code, timeout_s=100):
            said += piece.content if piece.kind in ("error", "output") else ""
    assert not kept.problem
    assert not kept.left_out, kept.left_out
    return said


def _sequence(rng: random.Random, outside: Path) -> list[tuple[str, str]]:
    steps = []
    for _ in range(rng.randint(1, 3)):
        language = rng.choice(["shell", "python"])
        code = rng.choice(SHELL if language == "shell" else PYTHON)
        word = f"{rng.getrandbits(24):x}"
        code = code.replace("{d}", str(outside)).replace("{x}", word).replace("{{", "{").replace("}}", "}")
        steps.append((language, code))
    return steps


@pytest.mark.timeout(300)
@pytest.mark.parametrize("batch", range(BATCHES))
async def test_every_sequence_is_taken_back_whole(terminal: Terminal, tmp_path: Path, batch: int) -> None:
    """200 random sequences in all: bytes, modes, times, links and hard links, inside the project and where it reached
    out; undoing the undo then brings back what the code had done."""
    trust = open_trust(tmp_path / "trust")
    project, outside = terminal.folder, tmp_path / "outside"
    for number in range(SEQUENCES // BATCHES):
        rng = random.Random(f"{batch}.{number}")
        for folder in (project, outside):
            _clear(folder)
            plant(folder, rng)
        before, turn = look(project, outside), f"turn {batch}.{number}"
        steps = _sequence(rng, outside)
        said = [await _do(terminal, trust, language, code, turn) for language, code in steps]
        after = look(project, outside)
        undone = await asyncio.to_thread(trust.undo.undo, turn)
        told = f"{steps}\n{said}"
        assert undone is not None or after == before, told
        assert undone is None or not undone.failed, (undone, told)
        assert look(project, outside) == before, told
        if undone is not None and number % 5 == 0:
            await asyncio.to_thread(trust.undo.undo, f"undo of {turn}")
            assert _without_times(look(project, outside)) == _without_times(after), told
    await trust.close()


def _without_times(seen: Look) -> Look:
    """The times of folders, and of links, are those of the second undo."""
    return {name: what if what[0] == "file" else what[:2] for name, what in seen.items()}


def _clear(folder: Path) -> None:
    for root, folders, _ in os.walk(folder):
        for name in folders:
            if not os.path.islink(os.path.join(root, name)):
                os.chmod(os.path.join(root, name), 0o700)
    for path in folder.iterdir() if folder.exists() else ():
        if path.name != ".output":
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
