"""Coverage-guided fuzzing of every reader of foreign bytes: a short seeded run here, a long one in `make test-long`."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.needs import lacking

RUN = Path(__file__).parent / "fuzz" / "run.py"
TARGETS = ("server_frames", "client_frames", "sound", "risk", "texts", "files")
SHORT = 5_000
LONG = 300_000


def fuzz(target: str, runs: int, folder: Path, *, seed: int, limit_s: float) -> str:
    """What libFuzzer printed. Fails where it found something, and shows the input."""
    if importlib.util.find_spec("atheris") is None:
        lacking(
            "atheris is not installed (it exists for Linux and Python 3.11 to 3.13): make test", fail="CI" in os.environ
        )
    corpus = folder / "corpus"
    corpus.mkdir()
    done = subprocess.run(
        [sys.executable, str(RUN), target, "--runs", str(runs), "--seed", str(seed), "--corpus", str(corpus)],
        capture_output=True, text=True, errors="replace", timeout=limit_s, check=False, cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), "ZERO_ONE_HOME": str(folder / "home")},
    )  # fmt: skip
    found = [path.read_bytes() for kind in ("crash-*", "timeout-*", "oom-*") for path in corpus.glob(kind)]
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}\nInput: {found!r}"
    return done.stderr


@pytest.mark.timeout(400)
@pytest.mark.parametrize("target", TARGETS)
def test_no_bytes_break_it(target: str, tmp_path: Path) -> None:
    """And the fuzzer was really led by coverage: it kept inputs that reached more of our code than the first."""
    said = fuzz(target, SHORT, tmp_path, seed=1, limit_s=300)
    covered = [int(number) for number in re.findall(r"\bcov: (\d+)", said)]
    assert covered
    assert covered[-1] > covered[0] or len(list((tmp_path / "corpus").iterdir())) > 3, said[-2000:]


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_no_bytes_break_it_for_long(target: str, tmp_path: Path) -> None:
    fuzz(target, LONG, tmp_path, seed=int.from_bytes(os.urandom(3)), limit_s=3500)
