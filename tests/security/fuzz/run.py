"""``python run.py TARGET [--runs N] [--seed S]``: fuzz one target, led by the coverage of our own code (libFuzzer)."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["zero_one", "zero_one_desktop"]):
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    import targets


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=sorted(targets.TARGETS))
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="folder that keeps what was found to reach new code")
    given = parser.parse_args()
    corpus = given.corpus or Path(tempfile.mkdtemp(prefix="fuzz-"))
    for number, seed in enumerate(targets.seeds(given.target)):
        (corpus / f"seed-{number}").write_bytes(seed)
    # The time that one input may take is libFuzzer's; a slow one is as bad as a crash.
    options = [
        sys.argv[0], f"-runs={given.runs}", f"-seed={given.seed}", "-max_len=4096", "-timeout=60",
        f"-artifact_prefix={corpus}/", str(corpus),
    ]  # fmt: skip
    atheris.Setup(options, targets.TARGETS[given.target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
