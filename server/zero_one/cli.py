"""The ``01`` command. It only parses and hands on; nothing heavy is imported before it is known to be needed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from zero_one import __version__
from zero_one.app.arguments import USAGE, parser
from zero_one_desktop.terminal import be_forgiving

OK, FAILED, INTERRUPTED = 0, 1, 130

_LATER = {
    "multimodal": "--multimodal belongs to --server livekit, which is not part of this version yet.",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the ``01`` command. Returns the exit status: 0 done, 1 failed, 2 used wrongly."""
    be_forgiving()
    debug = False
    try:
        arguments = parser().parse_args(argv)
        debug = getattr(arguments, "debug", False)
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as `head` does. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        if debug:
            raise
        # As a full disk, or a folder without permission, in a place that has no words of its own for it.
        what = f"{error.filename}: " if error.filename else ""
        return complain(f"{what}{error.strerror or error}. 01 doctor looks at folders and disk; --debug shows where.")


def _run(arguments: argparse.Namespace) -> int:
    for flag, text in _LATER.items():
        if getattr(arguments, flag):
            return complain(text, USAGE)
    if arguments.command == "version":
        print(f"01 {__version__}")
        return OK
    from zero_one.config.problems import ConfigError

    try:
        return _COMMANDS[arguments.command](arguments)
    except ConfigError as error:
        complain(str(error))
        by_flag = any(problem.where.startswith("--") for problem in error.problems)
        return USAGE if by_flag else FAILED


def complain(text: str, status: int = FAILED) -> int:
    print("\n".join(f"01: {line}" for line in text.splitlines()), file=sys.stderr)
    return status


def _resolved(arguments: argparse.Namespace, name: str | None = None) -> Any:
    """Settings of this command line, with their warnings printed."""
    from zero_one.config.resolve import parse_set, resolve

    flags: dict[tuple[str, ...], Any] = dict(map(parse_set, getattr(arguments, "set", None) or []))
    if arguments.server_host is not None:
        flags["server", "host"] = arguments.server_host
    if arguments.server_port is not None:
        flags["server", "port"] = arguments.server_port
    if arguments.domain is not None:
        flags["server", "domain"] = arguments.domain
    if arguments.server is not None:
        flags["server", "kind"] = arguments.server
    if getattr(arguments, "auto_run", False):
        flags["approval", "auto_run"] = True
    if getattr(arguments, "safe_mode", None) is not None:
        flags["approval", "safe_mode"] = arguments.safe_mode
    if getattr(arguments, "debug", False):
        flags["debug",] = True
    resolved = resolve(name or getattr(arguments, "profile", None), flags)
    for warning in resolved.warnings:
        print(f"01: {warning}", file=sys.stderr)
    return resolved


def _settings(arguments: argparse.Namespace) -> Any:
    """Settings for a command that may start a server. Raises ConfigError where the kind is refused."""
    from zero_one.config.problems import fail

    resolved = _resolved(arguments)
    settings = resolved.settings
    if settings.server.kind == "livekit":
        raise fail("--server livekit", "the LiveKit server is not part of this version yet; use --server light.")
    from zero_one.app.logs import setup

    setup(debug=settings.debug)
    return settings


def _start(arguments: argparse.Namespace) -> int:
    if arguments.open_profiles:
        from zero_one.app.profiles import open_folder

        return open_folder()
    url = getattr(arguments, "server_url", None)
    client_alone = bool(arguments.client or url) and not arguments.server
    if client_alone and (arguments.qr or arguments.expose):
        return complain(
            "--qr and --expose belong to a server of this computer; leave --client and --server-url out.", USAGE
        )
    settings = _settings(arguments)
    from zero_one.app import start

    if arguments.server and not arguments.client:
        return start.server(settings, qr=arguments.qr, expose=arguments.expose)
    if client_alone:
        return start.client(settings, url)
    return start.both(settings, url, qr=arguments.qr, expose=arguments.expose)


def _doctor(arguments: argparse.Namespace) -> int:
    from zero_one.app.doctor import run

    return run(lambda: _resolved(arguments), as_json=arguments.json, url=getattr(arguments, "server_url", None))


def _demo(arguments: argparse.Namespace) -> int:
    from zero_one.app.demo import run

    url = getattr(arguments, "server_url", None)
    return run(_settings(arguments), url=url, wav=arguments.wav, reply=arguments.reply, once=arguments.once)


def _ask(arguments: argparse.Namespace) -> int:
    text = " ".join(arguments.text).strip()
    if text in {"", "-"}:
        text = "" if sys.stdin.isatty() else sys.stdin.read().strip()
    if not text:
        return complain('what should be asked? For example: 01 ask "what time is it"', USAGE)
    from zero_one.app.ask import run

    return run(_settings(arguments), text, url=getattr(arguments, "server_url", None))


def _commands(arguments: argparse.Namespace) -> int:
    from zero_one.app import commands

    if arguments.match == "-":
        return commands.match_lines(sys.stdin.buffer, sys.stdout)
    if arguments.match is not None:
        return commands.match_one(arguments.match, as_json=arguments.json)
    return commands.listing(as_json=arguments.json)


def _profiles(arguments: argparse.Namespace) -> int:
    from zero_one.app import profiles

    match arguments.action:
        case None | "list":
            return profiles.listing(as_json=getattr(arguments, "json", False))
        case "show":
            return profiles.show(_resolved(arguments, arguments.name), as_json=arguments.json)
        case "create":
            return profiles.create(arguments.name, arguments.template, force=arguments.force)
        case "check":
            return profiles.check(arguments.names)
    return profiles.bring(
        arguments.file,
        arguments.name,
        keep_system_message=arguments.keep_system_message,
        force=arguments.force,
        dry_run=arguments.dry_run,
    )


def _models(arguments: argparse.Namespace) -> int:
    from zero_one.app import models

    if arguments.action == "fetch":
        return models.fetch(arguments.name)
    return models.listing(as_json=getattr(arguments, "json", False))


def _risk(arguments: argparse.Namespace) -> int:
    from zero_one.app import risk

    if not arguments.jsonl:
        return risk.run(arguments.file, arguments.lang, as_json=arguments.json)
    if arguments.file == "-":
        return risk.lines(sys.stdin.buffer, sys.stdout)
    try:
        with open(arguments.file, "rb") as source:
            return risk.lines(source, sys.stdout)
    except OSError as error:
        return complain(f"{arguments.file} cannot be read: {error.strerror or error}. Nothing was classified.")


def _pair(arguments: argparse.Namespace) -> int:
    from zero_one.app import pair
    from zero_one.app.devices import read_scopes

    return pair.run(name=arguments.name, scopes=read_scopes(arguments.scopes), as_json=arguments.json)


def _devices(arguments: argparse.Namespace) -> int:
    from zero_one.app import devices

    match arguments.action:
        case "rename":
            return devices.rename(arguments.id, arguments.name)
        case "revoke":
            return devices.revoke(arguments.id, yes=arguments.yes)
        case "scopes":
            return devices.allow(arguments.id, arguments.scopes)
        case "admit":
            return devices.admit(arguments.address, arguments.name)
    return devices.listing(as_json=arguments.json)


def _rules(arguments: argparse.Namespace) -> int:
    from zero_one.app import rules

    return rules.revoke(arguments.number) if arguments.action else rules.listing(as_json=arguments.json)


def _undo(arguments: argparse.Namespace) -> int:
    from zero_one.app import undo

    if arguments.list:
        return undo.listing(as_json=arguments.json)
    return undo.run(arguments.which, as_json=arguments.json)


def _audit(arguments: argparse.Namespace) -> int:
    from zero_one.app import audit

    if arguments.verify:
        return audit.verify(as_json=arguments.json)
    return audit.read(since=arguments.since, device=arguments.device, as_json=arguments.json)


def _data(arguments: argparse.Namespace) -> int:
    from zero_one.app import data

    if arguments.action == "export":
        return data.export(arguments.target)
    return data.wipe(yes=arguments.yes, keep_profiles=arguments.keep_profiles)


_COMMANDS: dict[str | None, Callable[[argparse.Namespace], int]] = {
    None: _start,
    "doctor": _doctor,
    "demo": _demo,
    "ask": _ask,
    "commands": _commands,
    "profiles": _profiles,
    "models": _models,
    "risk": _risk,
    "rules": _rules,
    "pair": _pair,
    "devices": _devices,
    "undo": _undo,
    "audit": _audit,
    "data": _data,
}
