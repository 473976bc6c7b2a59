"""The ``01`` command. It only parses and hands on; nothing heavy is imported before it is known to be needed."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from zero_one import __version__

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

_LATER = {
    "multimodal": "--multimodal belongs to --server livekit, which is not part of this version yet.",
}


def parser() -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    shared = common.add_argument_group("for every command")
    shared.add_argument(
        "--profile", metavar="NAME", help="profile to use: a name (see `01 profiles list`) or a YAML file"
    )
    shared.add_argument(
        "--set", metavar="S.F=VALUE", action="append", help="set one setting, for example model.temperature=0.2"
    )
    shared.add_argument(
        "-y", "--auto-run", action="store_true", help="let changes that you asked for yourself run without a question"
    )
    shared.add_argument("--safe-mode", choices=["off", "ask", "auto"], help="ask: put every change to me first")
    shared.add_argument("--server-url", metavar="URL", help="address of a running server, with or without ws://")
    shared.add_argument(
        "--debug", action="store_true", help="print latency measurements and keep microphone recordings on this machine"
    )

    top = argparse.ArgumentParser(
        prog="01",
        parents=[common],
        description="Hold a button, speak, and this computer acts and answers. Alone, `01` starts the Light Server and "
        "the desktop client.",
        epilog="Try `01 demo --once` to hear it work, and `01 doctor` to see what is missing.",
    )
    top.add_argument("--version", action="version", version=f"01 {__version__}")
    top.add_argument(
        "--server", nargs="?", const="light", choices=["light", "livekit"], help="start only the server (light)"
    )
    top.add_argument("--server-host", metavar="HOST", help="address the server listens on (127.0.0.1)")
    top.add_argument("--server-port", metavar="PORT", help="port the server listens on (10101)")
    top.add_argument(
        "--client", nargs="?", const="light-python", choices=["light-python"], help="start only the desktop client"
    )
    top.add_argument("--profiles", action="store_true", dest="open_profiles", help="open the folder with your profiles")
    top.add_argument("--qr", action="store_true", help="show a code with which one device can pair, as `01 pair` does")
    top.add_argument("--expose", action="store_true", help="let paired devices reach the server from the internet")
    top.add_argument("--domain", metavar="DOMAIN", help="the server's name on the internet, for --expose")
    top.add_argument("--multimodal", action="store_true", help="multimodal agent of livekit (not in this version yet)")

    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", parents=[common])

    doctor = add("doctor", "what was found on this machine, what is missing, and the command that fixes each")
    doctor.add_argument("--json", action="store_true", help="print JSON")

    demo = add("demo", "a spoken round trip over the real connection")
    demo.add_argument("--once", action="store_true", help="end after the round trip instead of serving on")
    demo.add_argument("--wav", metavar="FILE", help="say this recording instead of the one that ships with the project")
    demo.add_argument("--reply", metavar="FILE", default="reply.wav", help="where the answer is written (reply.wav)")

    ask = add("ask", "the same turn, typed")
    ask.add_argument("text", nargs="*", help="what to ask; without it, standard input is read")

    book = add("commands", "what can be said with no language model")
    book.add_argument("--match", metavar="TEXT", help="say what a wording would be taken for; - reads one a line")
    book.add_argument("--json", action="store_true", help="print JSON")

    profiles = add("profiles", "list, show, create, check or import profiles")
    actions = profiles.add_subparsers(dest="action", metavar="ACTION", title="actions")

    def action(name: str, text: str) -> argparse.ArgumentParser:
        return actions.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", parents=[common])

    action("list", "all profiles").add_argument("--json", action="store_true", help="print JSON")
    show = action("show", "every setting in force and where it came from")
    show.add_argument("name", nargs="?", help="profile (default: the one in use)")
    show.add_argument("--json", action="store_true", help="print JSON")
    create = action("create", "make a profile of your own")
    create.add_argument("name", nargs="?", default="default")
    create.add_argument("--from", dest="template", metavar="NAME", default="default", help="profile to copy")
    create.add_argument("--force", action="store_true", help="replace a profile of that name")
    check = action("check", "say whether profiles are valid, and what is wrong with them")
    check.add_argument("names", nargs="*", metavar="NAME", help="profiles or files (default: all of yours)")
    bring = action("import", "convert a profile of the first 01 or of Open Interpreter; nothing in it is executed")
    bring.add_argument("file", metavar="FILE", help="a .py, .yaml or .json profile")
    bring.add_argument("--name", help="name of the new profile (default: the file's)")
    bring.add_argument("--keep-system-message", action="store_true", help="add its system message to our prompt")
    bring.add_argument("--force", action="store_true", help="replace a profile of that name")
    bring.add_argument("--dry-run", action="store_true", help="print the new profile instead of writing it")

    models = add("models", "list or fetch models and voices")
    verbs = models.add_subparsers(dest="action", metavar="ACTION", title="actions")
    for name, text in (("list", "what is here and what can be fetched"), ("fetch", "fetch one, checked and whole")):
        verb = verbs.add_parser(name, help=text, parents=[common])
        if name == "fetch":
            verb.add_argument("name", help="a model or voice of `01 models list`")
        else:
            verb.add_argument("--json", action="store_true", help="print JSON")

    risk = add("risk", "what a piece of code would do, and what would be asked before it runs")
    risk.add_argument("file", nargs="?", default="-", metavar="FILE", help="the code; - (the default) reads it")
    risk.add_argument("--lang", metavar="L", help="its language (default: guessed)")
    risk.add_argument("--json", action="store_true", help="print JSON")
    risk.add_argument("--jsonl", action="store_true", help='read {"lang", "code"} lines, write one verdict a line')

    pair = add("pair", "show a code with which one device gets a key of its own")
    pair.add_argument("--name", default="", help="what the device is called here (default: its own name)")
    pair.add_argument(
        "--scopes", default="", metavar="A,B", help="speak, captions, approve, administer (the first three)"
    )
    pair.add_argument("--json", action="store_true", help="print one JSON line with the code and one with the outcome")

    devices = add("devices", "who may talk to this computer; rename, revoke, admit")
    deeds = devices.add_subparsers(dest="action", metavar="ACTION", title="actions")
    devices.add_argument("--json", action="store_true", help="print JSON")

    def deed(name: str, text: str, *arguments: str) -> argparse.ArgumentParser:
        made = deeds.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".", parents=[common])
        for argument in arguments:
            made.add_argument(argument, metavar=argument.upper())
        return made

    listed = deed("list", "all of them")
    listed.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")
    deed("rename", "call a device something else", "id", "name")
    deed("revoke", "cut a device off, at once", "id").add_argument("--yes", action="store_true", help="do not ask")
    deed("scopes", "set what a device may do, words with commas between them", "id", "scopes")
    admit = deed("admit", "let a device of the first 01, which has no key, speak from its IP address", "address")
    admit.add_argument("--name", help="what it is called here")

    rules = add("rules", "what you allowed for always, and how to take it back")
    rules.add_argument("--json", action="store_true", help="print JSON")
    revoking = rules.add_subparsers(dest="action", metavar="ACTION", title="actions")
    revoke = revoking.add_parser("revoke", help="take one back", description="Take one back.", parents=[common])
    revoke.add_argument("number", type=int, metavar="N", help="its number")

    undo = add("undo", "take back what code did to your files: the last turn, or a chosen one")
    undo.add_argument("which", nargs="?", metavar="N|TURN", help="a number or turn of --list (default: the last turn)")
    undo.add_argument("--list", action="store_true", help="list what can be undone")
    undo.add_argument("--json", action="store_true", help="print JSON")

    audit = add("audit", "who asked, what was heard, what ran, who agreed; and whether that record is sound")
    audit.add_argument(
        "verify", nargs="?", choices=["verify"], help="check that nothing was changed, dropped or cut off"
    )
    audit.add_argument("--since", metavar="TIME", help="2h, 30m, 3d, or a date or time such as 2026-11-22T10:00")
    audit.add_argument("--device", metavar="D", help="only entries of this device")
    audit.add_argument("--json", action="store_true", help="print JSON")

    data = add("data", "everything that is kept about you: take it along, or remove it")
    moves = data.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    export = moves.add_parser("export", help="write all of it, readable, without keys", parents=[common])
    export.add_argument("target", metavar="FILE.zip|FOLDER", help="a new zip file, or a new folder")
    wipe = moves.add_parser("wipe", help="remove all of it", parents=[common])
    wipe.add_argument("--yes", action="store_true", help="do not ask")
    wipe.add_argument("--keep-profiles", action="store_true", help="keep your profiles and settings")

    add("version", "print the version")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the ``01`` command. Returns the exit status: 0 done, 1 failed, 2 used wrongly."""
    arguments = parser().parse_args(argv)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone, as `head` does. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


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
