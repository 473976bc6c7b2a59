"""``01-client``: speak to a Light Server from this computer, or give a client that runs already a command."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from zero_one_desktop.control import COMMANDS, ControlError, send
from zero_one_desktop.options import ClientOptions
from zero_one_desktop.places import control_path


def parser() -> argparse.ArgumentParser:
    d = ClientOptions()
    p = argparse.ArgumentParser(prog="01-client", description="Hold a key, speak, hear the answer.")
    p.add_argument("--server-url", default=d.server_url, help="host, host:port or URL (default %(default)s)")
    p.add_argument(
        "--hotkey", default=d.hotkey, help="talk key, like <ctrl>+<space>, <f9> or ctrl; none watches no key"
    )
    p.add_argument("--mode", choices=("hold", "tap"), default=d.mode, help="hold to talk, or tap to begin and to end")
    p.add_argument("--debounce-ms", type=int, default=d.debounce_ms, help="shorter presses count as none (%(default)s)")
    p.add_argument(
        "--grace-ms", type=int, default=d.release_grace_ms, help="shorter releases count as none (%(default)s)"
    )
    p.add_argument("--pre-roll-ms", type=int, default=d.pre_roll_ms, help="sound kept from before a press; 0 opens the "
                   "microphone only while you talk (%(default)s)")  # fmt: skip
    p.add_argument("--microphone", help="part of its name, or its number")
    p.add_argument("--speaker", help="part of its name, or its number")
    p.add_argument("--devices", action="store_true", help="list microphones and loudspeakers, and end")
    p.add_argument("--wav", type=Path, action="append", default=[], help="speak this recording instead of a microphone")
    p.add_argument("--save", type=Path, help="write what is heard to this WAV file instead of playing it")
    p.add_argument("--say", action="append", default=[], help="send this text, as if typed")
    p.add_argument("--once", action="store_true", help="end after the first answer")
    p.add_argument("--stay", action="store_true", help="go on after --wav or --say are answered")
    p.add_argument("--timeout", type=float, default=d.timeout_s, help="seconds to wait for an answer (%(default)g)")
    p.add_argument("--token", help="this device's key")
    p.add_argument("--device", help="this device's name towards the server")
    p.add_argument("--quiet", action="store_true", help="no captions")
    p.add_argument("command", nargs="?", choices=COMMANDS, help="tell a client that runs already")
    p.add_argument("words", nargs="*", help="what to say")
    return p


def main(argv: list[str] | None = None) -> int:
    """The command. Gives the exit status: 0 fine, 1 no answer, 2 cannot start."""
    given = parser().parse_args(argv)
    if given.command:
        try:
            print(send(control_path(), given.command, " ".join(given.words)))
        except ControlError as problem:
            print(problem, file=sys.stderr)
            return 1
        return 0
    if given.devices:
        return _devices()
    options = ClientOptions(
        server_url=given.server_url,
        hotkey=None if given.hotkey in ("", "none") else given.hotkey,
        mode=given.mode,
        debounce_ms=given.debounce_ms,
        release_grace_ms=given.grace_ms,
        pre_roll_ms=given.pre_roll_ms,
        microphone=given.microphone,
        speaker=given.speaker,
        wav=tuple(given.wav),
        save=given.save,
        say=tuple(given.say),
        once=given.once,
        stay=given.stay,
        timeout_s=given.timeout,
        token=given.token,
        device=given.device,
        quiet=given.quiet,
    )
    from zero_one_desktop.client import run_client

    try:
        return asyncio.run(run_client(options))
    except KeyboardInterrupt:
        return 130


def _devices() -> int:
    from zero_one.audio.devices import AudioDeviceError, list_devices

    try:
        found = list_devices()
    except AudioDeviceError as problem:
        print(problem, file=sys.stderr)
        return 2
    for device in found:
        kinds = " and ".join(k for k, n in (("microphone", device.inputs), ("loudspeaker", device.outputs)) if n)
        print(f"{device.index:3}  {device.name}  ({kinds}, {device.default_rate} Hz)")
    if not found:
        print("There are no sound devices.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
