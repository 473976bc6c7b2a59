"""`01 ask` with a language model, as a real process: code is asked about, and runs only on a person's yes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.scripted_model import ScriptedModel, runs, says
from zero_one.conversation.mailbox import safe_name

COMMAND = str(Path(sys.executable).parent / "01")
LIMIT_S = 240


def read_all(terminal: int, shown: bytearray) -> None:
    """What a terminal shows, until nobody has it open any more: one that is not read stops who writes to it."""
    with contextlib.suppress(OSError):
        while data := os.read(terminal, 4096):
            shown += data


def until(found: Callable[[], bool], asking: subprocess.Popen[str], shown: bytearray) -> None:
    """Until the terminal shows something."""
    end = time.monotonic() + LIMIT_S
    while not found():
        alive = asking.poll() is None and time.monotonic() < end
        assert alive or found(), shown.decode(errors="replace")
        time.sleep(0.05)


def profile(home: dict[str, str], model: ScriptedModel, folder: Path) -> list[str]:
    path = folder / "scripted.yaml"
    path.write_text(
        f"model:\n  name: openai/scripted\n  api_base: {model.url}\n  api_key: none\n  supports_functions: true\n"
    )
    return [COMMAND, "--profile", str(path), "ask", "write the file please"]


@pytest.mark.long
def test_where_nobody_sits_code_does_not_run(home: dict[str, str], tmp_path: Path) -> None:
    """Standard input is a pipe: the answer is no, the model hears of it, and what it says then is printed."""
    kept = tmp_path / "kept"
    kept.write_text("x")
    with ScriptedModel(runs(f"import os; os.remove({str(kept)!r})"), says("Then I leave it.")) as model:
        program = profile(home, model, tmp_path)
        done = subprocess.run(
            program, env=home, cwd=tmp_path, input="", capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
    assert done.stdout.strip().endswith("Then I leave it."), done.stderr
    assert str(kept) in done.stderr, "the code is shown"
    assert "no." in done.stderr
    assert kept.exists()
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_what_is_agreed_to_at_the_terminal_is_done(home: dict[str, str], tmp_path: Path) -> None:
    """Standard input and error are a terminal. What destroys takes the word that is asked for; a yes asks again."""
    import pty

    home = {**home, "ZERO_ONE_HOME": str(tmp_path / "01")}
    gone = tmp_path / "01" / "data" / "work" / safe_name("01-ask") / "gone"  # the folder in which its code runs
    gone.parent.mkdir(parents=True)
    gone.write_text("x")
    ours, theirs = pty.openpty()
    with ScriptedModel(runs("import os; os.remove('gone')"), says("It is gone.")) as model:
        program = profile(home, model, tmp_path)
        asking = subprocess.Popen(
            program, env=home, cwd=tmp_path, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True
        )
        os.close(theirs)
        shown = bytearray()
        reading = threading.Thread(target=read_all, args=(ours, shown), daemon=True)
        reading.start()
        try:
            until(lambda: b"To agree" in shown, asking, shown)
            assert gone.exists(), "nothing runs before the answer"
            os.write(ours, b"yes\n")
            until(lambda: b"A yes is not enough" in shown, asking, shown)
            os.write(ours, b"delete\n")
            said, _ = asking.communicate(timeout=LIMIT_S)
            reading.join(LIMIT_S)
        finally:
            asking.kill()
            os.close(ours)
    assert asking.returncode == 0, shown.decode(errors="replace")
    assert said.strip().endswith("It is gone.")
    assert not gone.exists()
