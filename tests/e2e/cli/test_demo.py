"""`01 demo` and `01 ask` as a newcomer runs them: a real process, an empty HOME, no network, no microphone, no key."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
import wave
from pathlib import Path

import numpy
import soxr

from support.ears import DISTRACTORS, other_times, which_in, words
from support.ports import deaf_port, quiet_port
from zero_one.app.demo import UTTERANCE
from zero_one.audio.formats import read_wav

COMMAND = str(Path(sys.executable).parent / "01")
LIMIT_S = 240


def run(home: dict[str, str], folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        env=home,
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


def fields(out: str, name: str) -> list[str]:
    """What stands behind `name` in the output of the demo."""
    return [line.split(maxsplit=1)[1] for line in out.splitlines() if line.split(maxsplit=1)[:1] == [name]]


def field(out: str, name: str) -> str:
    return next(iter(fields(out, name)), "")


def test_demo_is_heard_understood_acted_on_and_answered(home: dict[str, str], tmp_path: Path) -> None:
    """The whole round trip, and its spoken answer picked by a recogniser out of other sentences and other times."""
    done = run(home, tmp_path, "demo", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert field(done.stdout, "heard") == "what time is it"
    assert field(done.stdout, "did")
    for stage in ("your words understood", "first sound of the answer sent", "whole turn"):
        assert f"ms  {stage}" in done.stdout
    *before, answer = (words(line) for line in fields(done.stdout, "said"))
    assert answer.startswith("it's "), done.stdout
    with wave.open(str(tmp_path / "reply.wav")) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 24_000)
    assert len(DISTRACTORS) >= 20
    # A slow machine has said before that it is still at work.
    times = [" ".join([*before, time]) for time in (answer, *other_times(answer))]
    assert which_in(tmp_path / "reply.wav", [*times, *DISTRACTORS]) == times[0]
    assert not Path(home["ATTEMPTS"]).exists() or "litellm" not in Path(home["ATTEMPTS"]).read_text()


def test_demo_of_what_is_no_recording_fails_clearly(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "x.wav").write_text("no sound at all")
    for name, text in (("x.wav", "is no WAV file"), ("gone.wav", "cannot be read")):
        done = run(home, tmp_path, "demo", "--once", "--wav", name)
        assert done.returncode == 1
        assert text in done.stderr
        assert "Traceback" not in done.stderr


def test_demo_keeps_serving_and_ask_finds_it(home: dict[str, str], tmp_path: Path) -> None:
    """What `make run` starts: a round trip, then a server that goes on until Ctrl-C, and that `01 ask` then uses.

    What is said is a recording of one's own, at 44.1 kHz in stereo.
    """
    stereo(tmp_path / "mine.wav")
    port = str(quiet_port())
    program = [COMMAND, "--server-port", port, "demo", "--wav", "mine.wav", "--reply", "other.wav"]
    told = tmp_path / "stderr"
    with (
        told.open("wb") as stderr,
        subprocess.Popen(program, env=home, cwd=tmp_path, stdout=subprocess.PIPE, stderr=stderr, text=True) as serving,
    ):
        assert serving.stdout
        try:
            lines = []
            for line in serving.stdout:
                lines.append(line)
                if "Ctrl-C ends it" in line:
                    break
            out = "".join(lines)
            assert "keeps serving" in out, out + told.read_text(errors="replace")
            assert field(out, "heard") == "what time is it"
            assert (tmp_path / "other.wav").stat().st_size > 20_000
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=60) as answer:
                assert answer.read().strip(b'"') == b"pong"
            asked = run(home, tmp_path, "ask", "--server-url", f"127.0.0.1:{port}", "what", "time", "is", "it")
            assert asked.returncode == 0, asked.stderr
            assert asked.stdout.startswith("It's ")
            found = run(home, tmp_path, "--server-port", port, "doctor", "--json")
            server = [one for one in json.loads(found.stdout) if one["area"] == "server"]
            assert [one["state"] for one in server] == ["ok", "ok"], server
            taken = run(home, tmp_path, "--server", "--server-port", port)
            assert taken.returncode == 1
            assert "--server-port" in taken.stderr
        finally:
            serving.send_signal(signal.SIGINT)
            serving.communicate(timeout=90)
    assert serving.returncode == 0
    assert "Traceback" not in told.read_text(errors="replace")


def stereo(path: Path) -> None:
    """The shipped utterance as a recording of another kind."""
    samples = soxr.resample(numpy.frombuffer(read_wav(UTTERANCE, 16_000), dtype="<i2"), 16_000, 44_100)
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, 44_100, 0, "NONE", ""))
        file.writeframes(numpy.repeat(samples.astype("<i2"), 2).tobytes())


def test_01_alone_serves_without_microphone_and_display_and_ends_on_ctrl_c(
    home: dict[str, str], tmp_path: Path
) -> None:
    """The sound library cannot even be loaded: the client says what to install, the server serves."""
    (tmp_path / "site" / "sounddevice.py").write_text('raise OSError("PortAudio library not found")\n')
    program = [COMMAND, "--server-port", "0"]
    with subprocess.Popen(
        program,
        env=home,
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout
        try:
            lines = []
            for line in process.stdout:
                lines.append(line)
                if "PortAudio" in line:
                    break
            assert any("PortAudio" in line for line in lines), "".join(lines)
            address = next(line for line in lines if "listens at" in line).split("ws://")[1].split("/")[0]
            with urllib.request.urlopen(f"http://{address}/ping", timeout=60) as answer:
                assert answer.read().strip(b'"') == b"pong"
        finally:
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=90)
    assert process.returncode == 0
    assert "Traceback" not in rest
    assert (tmp_path / "empty" / ".config" / "01" / "profiles" / "default.yaml").exists() or sys.platform != "linux"


def test_ask_without_a_server_starts_one_for_the_turn(home: dict[str, str], tmp_path: Path) -> None:
    """And text from a pipe is as good as an argument. An open question with no model says what to set up."""
    done = run(home, tmp_path, "ask", stdin="why do cats purr\n")
    assert "profile" in done.stdout
    assert "Traceback" not in done.stderr


def test_ask_where_nobody_answers_fails_clearly(home: dict[str, str], tmp_path: Path) -> None:
    done = run(home, tmp_path, "ask", "hello", "--server-url", f"ws://127.0.0.1:{deaf_port()}")
    assert done.returncode == 1
    assert "No server answers" in done.stderr
    assert "01 --server" in done.stderr
