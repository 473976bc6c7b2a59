"""``01-client``: speak to a Light Server from this computer, or give a client that runs already a command."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path
from typing import NoReturn

from zero_one import __version__
from zero_one_desktop.control import COMMANDS, ControlError, send
from zero_one_desktop.keyfile import VARIABLE, given_token
from zero_one_desktop.options import ClientOptions
from zero_one_desktop.places import control_path
from zero_one_desktop.terminal import be_forgiving

_DEEDS = ("pair", "forget", "servers")
"""What this program does itself; the other commands go to a client that runs already."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """A slip is no reason to print the whole help."""
        self.exit(2, f"{self.prog}: {message}. See: {self.prog} --help\n")


def _ms(text: str) -> int:
    """Milliseconds of a button, from 0 to 10 s."""
    if not text.isascii() or not text.isdigit() or int(text) > 10_000:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of milliseconds from 0 to 10000")
    return int(text)


def parser() -> argparse.ArgumentParser:
    d = ClientOptions()
    p = _Parser(
        prog="01-client",
        allow_abbrev=False,  # --token would be --token-file, with a key in the list of processes
        description="Hold a key, speak, hear the answer.",
        epilog="pair URI-or-address [CODE]: get a key of your own from a server; 01 pair there shows the code. "
        "servers: list those you are paired with. forget SERVER: erase its key. The other commands go to a client that "
        "runs already.",
    )
    p.add_argument(
        "--server-url", metavar="URL", default="",
        help="host, host:port, URL, or the name of a paired server (default: the one you are paired with, or this "
        "machine)",
    )  # fmt: skip
    p.add_argument(
        "--hotkey",
        metavar="KEYS",
        default=d.hotkey,
        help="talk key, like <ctrl>+<space>, <f9> or ctrl; none watches no key",
    )
    p.add_argument("--mode", choices=("hold", "tap"), default=d.mode, help="hold to talk, or tap to begin and to end")
    for name, default, text in (
        ("--debounce-ms", d.debounce_ms, "shorter presses count as none"),
        ("--grace-ms", d.release_grace_ms, "shorter releases count as none"),
        ("--pre-roll-ms", d.pre_roll_ms, "sound kept from before a press; 0 opens the microphone only while you talk"),
    ):
        p.add_argument(name, type=_ms, metavar="MS", default=default, help=f"{text} (%(default)s)")
    p.add_argument("--microphone", metavar="NAME", help="part of its name, or its number")
    p.add_argument("--speaker", metavar="NAME", help="part of its name, or its number")
    p.add_argument("--devices", action="store_true", help="list microphones and loudspeakers, and end")
    p.add_argument(
        "--wav", type=Path, metavar="FILE", action="append", default=[],
        help="speak this recording instead of a microphone; may be given more than once",
    )  # fmt: skip
    p.add_argument(
        "--save", type=Path, metavar="FILE", help="write what is heard to this WAV file instead of playing it"
    )
    p.add_argument("--say", metavar="TEXT", action="append", default=[], help="send this text, as if typed")
    p.add_argument("--once", action="store_true", help="end after the first answer")
    p.add_argument("--stay", action="store_true", help="go on after --wav or --say are answered")
    p.add_argument(
        "--timeout", type=float, metavar="S", default=d.timeout_s, help="seconds to wait for an answer (%(default)g)"
    )
    p.add_argument(
        "--stop-hotkey",
        metavar="KEYS",
        default=d.stop_hotkey,
        help="stops everything (%(default)s); none watches no key",
    )
    p.add_argument("--token-file", type=Path, metavar="FILE", help=f"a file with this device's key, readable by you "
                   f"alone (or the variable {VARIABLE}); not needed once you have paired")  # fmt: skip
    p.add_argument("--insecure", action="store_true", help="let a key go over the network in plain text (do not)")
    p.add_argument("--name", help="pair: what this computer is called in the server's list (default: its host name)")
    p.add_argument("--fingerprint", default="", help="pair: the certificate's, as 01 pair shows it")
    p.add_argument("--no-keyring", action="store_true", help="pair: keep the key in a file")
    p.add_argument("--device", help="this device's name towards the server")
    p.add_argument("--quiet", action="store_true", help="no captions")
    p.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    p.add_argument(
        "command", nargs="?", choices=(*_DEEDS, *COMMANDS), metavar="COMMAND", help=", ".join((*_DEEDS, *COMMANDS))
    )
    p.add_argument("words", nargs="*", help="what to say, pair with or forget")
    return p


def main(argv: list[str] | None = None) -> int:
    """The command. Gives the exit status: 0 fine, 1 no answer, 2 cannot start."""
    be_forgiving()
    given = parser().parse_args(argv)
    if given.command in _DEEDS:
        from zero_one_desktop import deeds

        return deeds.run(given)
    if given.command:
        try:
            print(send(control_path(), given.command, " ".join(given.words)))
        except ControlError as problem:
            print(problem, file=sys.stderr)
            return 1
        return 0
    if given.devices:
        return _devices()
    try:
        token = given_token(given.token_file)
    except ValueError as problem:
        print(problem, file=sys.stderr)
        return 2
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
        token=token,
        insecure=given.insecure,
        stop_hotkey=None if given.stop_hotkey in ("", "none") else given.stop_hotkey,
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
