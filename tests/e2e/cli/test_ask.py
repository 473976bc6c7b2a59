"""`01 ask` with a language model, as a real process: code is asked about, and runs only on a person's yes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.scripted_model import ScriptedModel, runs, says

COMMAND = str(Path(sys.executable).parent / "01")
LIMIT_S = 120
pytestmark = pytest.mark.timeout(300)


def profile(home: dict[str, str], model: ScriptedModel, folder: Path) -> list[str]:
    path = folder / "scripted.yaml"
    path.write_text(
        f"model:\n  name: openai/scripted\n  api_base: {model.url}\n  api_key: none\n  supports_functions: true\n"
    )
    return [COMMAND, "--profile", str(path), "ask", "write the file please"]


@pytest.mark.long
def test_where_nobody_sits_code_does_not_run(home: dict[str, str], tmp_path: Path) -> None:
    """Standard input is a pipe: the answer is no, the model hears of it, and what it says then is printed."""
    made = tmp_path / "made"
    with ScriptedModel(runs(f"open({str(made)!r}, 'w').write('x')"), says("Then I leave it.")) as model:
        program = profile(home, model, tmp_path)
        done = subprocess.run(
            program, env=home, cwd=tmp_path, input="", capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    assert done.stdout.strip().endswith("Then I leave it."), done.stderr
    assert str(made) in done.stderr, "the code is shown"
    assert "no." in done.stderr
    assert not made.exists()
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_yes_at_the_terminal_runs_it(home: dict[str, str], tmp_path: Path) -> None:
    """Standard input and error are a terminal at which somebody types yes."""
    import pty

    made = tmp_path / "made"
    ours, theirs = pty.openpty()
    with ScriptedModel(runs(f"open({str(made)!r}, 'w').write('x')"), says("It is written.")) as model:
        program = profile(home, model, tmp_path)
        asking = subprocess.Popen(
            program, env=home, cwd=tmp_path, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True
        )
        os.close(theirs)
        try:
            shown = b""
            while b"Agree?" not in shown:
                shown += os.read(ours, 4096)
            assert not made.exists(), "nothing runs before the answer"
            os.write(ours, b"yes\n")
            said, _ = asking.communicate(timeout=LIMIT_S)
        finally:
            asking.kill()
            os.close(ours)
    assert asking.returncode == 0
    assert said.strip().endswith("It is written.")
    assert made.read_text() == "x"
