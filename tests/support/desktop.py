"""A desktop without hardware: an X display and a sound server with a virtual microphone and loudspeaker.

Both are context managers on free numbers of their own, several may run side by side, and nothing stays behind.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.needs import need

_LIMIT_S = 60
"""How long a busy machine may take for what is done at once elsewhere."""


class NotStarted(AssertionError):
    """A display or a sound server of ours did not come up."""


@contextlib.contextmanager
def xvfb_display(size: str = "1280x800x24", *, window_manager: bool = True) -> Iterator[str]:
    """A display of its own; gives its name, like ``:93``. With openbox, so that windows get the focus."""
    need("Xvfb", *(["openbox"] if window_manager else []))
    read, write = os.pipe()
    # Xvfb looks for a free number itself and tells it: no race between tests that start at once.
    server = _start(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp", "-noreset"], pass_fds=(write,)
    )
    os.close(write)
    manager = None
    try:
        display = f":{_first_line(read, server)}"
        if window_manager:
            manager = _start(["openbox"], env={**os.environ, "DISPLAY": display})
        yield display
    finally:
        os.close(read)
        for process in (manager, server):
            _end(process)


@dataclass(frozen=True)
class Pulse:
    """A sound server. ``env`` makes programs use it: PortAudio sees it as the device ``pulse``."""

    env: dict[str, str]
    folder: Path

    def play_into_microphone(self, wav: Path) -> subprocess.Popen[bytes]:
        """Somebody speaks: whoever records the default microphone hears it, in real time."""
        return _start(["paplay", "--device=mouth", str(wav)], env=self.env)

    def until_heard(self, seconds: float, louder_than: int = 500) -> None:
        """Until the default microphone has given this much sound above a level, by a listener of our own."""
        listener = subprocess.Popen(
            ["parec", "--device=microphone", "--rate=16000", "--channels=1", "--format=s16le", "--latency-msec=20"],
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert listener.stdout is not None
        heard, until = 0, time.monotonic() + _LIMIT_S
        try:
            while heard < seconds * 16_000:
                ready, _, _ = select.select([listener.stdout], [], [], 1)
                data = os.read(listener.stdout.fileno(), 1 << 14) if ready else b""
                heard += sum(abs(sample) > louder_than for sample in array("h", data[: len(data) & ~1]))
                if time.monotonic() > until or listener.poll() is not None:
                    raise NotStarted(f"the microphone gave {heard / 16_000:.1f} s of sound, {seconds} s were wanted")
        finally:
            _end(listener)
            listener.stdout.close()

    @contextlib.contextmanager
    def record_speaker(self, wav: Path) -> Iterator[None]:
        """Record what the loudspeaker plays (24 kHz mono WAV), from before the block's begin to its end."""
        command = ["parecord", "--device=ear.monitor", "--rate=24000", "--channels=1", "--format=s16le"]
        recorder = _start(
            [*command, "--client-name=ear-recorder", "--latency-msec=20", "--file-format=wav", str(wav)], env=self.env
        )
        try:
            _until(lambda: "ear-recorder" in self.pactl("list", "source-outputs"), "the recorder to start")
            yield
        finally:
            # Ended by SIGINT it writes the header's final length.
            recorder.send_signal(signal.SIGINT)
            recorder.wait(_LIMIT_S)

    def pactl(self, *arguments: str) -> str:
        done = subprocess.run(
            ["pactl", *arguments], env=self.env, capture_output=True, text=True, timeout=_LIMIT_S, check=False
        )
        return done.stdout

    def recorded_by(self, pid: int) -> bool:
        """Whether a process records."""
        return f'application.process.id = "{pid}"' in self.pactl("list", "source-outputs")


@contextlib.contextmanager
def pulse_server() -> Iterator[Pulse]:
    """A pulseaudio of its own: what is played into sink ``mouth`` is the default microphone, sink ``ear`` the default
    loudspeaker."""
    need("pulseaudio", "pactl", "parecord", "paplay")
    with tempfile.TemporaryDirectory(prefix="pulse-") as name:
        folder = Path(name)
        env = {
            **os.environ,
            "HOME": name,
            "XDG_RUNTIME_DIR": name,
            "XDG_CONFIG_HOME": name,
            "PULSE_RUNTIME_PATH": name,
            "PULSE_SERVER": f"unix:{name}/native",
        }
        # The default device of ALSA, through which PortAudio reaches everything, is this server.
        (folder / ".asoundrc").write_text("pcm.!default { type pulse }\nctl.!default { type pulse }\n", "utf-8")
        script = folder / "setup.pa"
        script.write_text(
            f"load-module module-native-protocol-unix auth-anonymous=1 socket={name}/native\n"
            "load-module module-null-sink sink_name=mouth rate=48000 channels=1\n"
            "load-module module-null-sink sink_name=ear rate=48000 channels=1\n"
            "load-module module-remap-source source_name=microphone master=mouth.monitor\n"
            "set-default-sink ear\nset-default-source microphone\n",
            "utf-8",
        )
        keepers: list[subprocess.Popen[bytes]] = []
        server = _start(
            ["pulseaudio", "-n", "-F", str(script), "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
             "--disable-shm=yes", "--log-target=stderr", "--log-level=error"],
            env=env,
        )  # fmt: skip
        try:
            pulse = Pulse(env, folder)
            _until(lambda: "microphone" in pulse.pactl("list", "short", "sources"), "pulseaudio to start", server)
            # A null sink wakes every two seconds unless somebody wants it sooner; hardware has no such habit.
            for sink in ("mouth", "ear"):
                listen = ["parec", f"--device={sink}.monitor", "--latency-msec=20", "--client-name=keeper"]
                keepers.append(_start(listen, env=env))
            for sink in ("mouth", "ear"):
                _first_sound(["parec", f"--device={sink}.monitor", "--latency-msec=20"], env)
            yield pulse
        finally:
            for process in (*keepers, server):
                _end(process)


def press_and_hold(display: str, key: str) -> None:
    """A real key goes down, by the X server's own test extension."""
    _xdotool(display, "keydown", key)


def let_go(display: str, key: str) -> None:
    _xdotool(display, "keyup", key)


def tap(display: str, key: str) -> None:
    """Down and up again within a tenth of a second, however busy the machine is."""
    _xdotool(display, "keydown", key, "sleep", "0.1", "keyup", key)


def _xdotool(display: str, *arguments: str) -> None:
    need("xdotool")
    subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": display}, check=True, timeout=_LIMIT_S)


def _start(
    command: list[str], env: dict[str, str] | None = None, pass_fds: tuple[int, ...] = ()
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        pass_fds=pass_fds, start_new_session=True,
    )  # fmt: skip


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is None:
        return
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(_LIMIT_S)


def _first_sound(command: list[str], env: dict[str, str]) -> None:
    """Wait until a device really runs."""
    with subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], _LIMIT_S)
        process.terminate()
    if not ready:
        raise NotStarted(f"{' '.join(command)} gives no sound")


def _first_line(descriptor: int, process: subprocess.Popen[bytes]) -> str:
    text, until = b"", time.monotonic() + _LIMIT_S
    while not text.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], 0.2)
        data = os.read(descriptor, 64) if ready else b""
        text += data
        if process.poll() is not None or time.monotonic() > until:
            raise NotStarted(f"{process.args!r} did not start")
    return text.decode().strip()


def _until(condition: object, what: str, process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait for another process, which has no event for us."""
    assert callable(condition)
    until = time.monotonic() + _LIMIT_S
    while not condition():
        if time.monotonic() > until or (process is not None and process.poll() is not None):
            raise NotStarted(f"waited in vain for {what}")
        time.sleep(0.02)
