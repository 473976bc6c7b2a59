"""What the ``01`` command takes: its flags, its subcommands, and what it says of a wrong one."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import NoReturn

from zero_one import __version__

USAGE = 2
Add = Callable[[str, str], argparse.ArgumentParser]


class Parser(argparse.ArgumentParser):
    """Says of a mistake what it is, what was probably meant, and where to read on; in two lines, not in twenty."""

    def error(self, message: str) -> NoReturn:
        line = f"{message[:1].lower()}{message[1:]}{self._meant(message)}"
        self.exit(USAGE, f"01: {line.rstrip('.?')}{'?' if line.endswith('?') else '.'}\n01: See: {self.prog} --help\n")

    def _meant(self, message: str) -> str:
        import difflib

        found = re.search(r"invalid choice: '([^']*)'|unrecognized arguments: (\S+)", message)
        if found is None:
            return ""
        word = (found[1] or found[2] or "").partition("=")[0]
        words = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        if found[1] is not None:
            if f"--{word}" in words:
                return f". Did you mean `--{word}`?"
            words = re.findall(r"[\w-]+", message.partition("choose from")[2])
        elif word in words:  # known, but not behind a command
            return f". Write it before the command: 01 {word} ..."
        close = difflib.get_close_matches(word, words, n=1, cutoff=0.65)
        return f". Did you mean `{close[0]}`?" if close else ""


def parser() -> Parser:
    common = _common()
    top = Parser(
        prog="01",
        parents=[common],
        description="Hold a button, speak, and this computer acts and answers. Alone, `01` starts the Light Server and "
        "the desktop client.",
        epilog="Try `01 demo --once` to hear it work, and `01 doctor` to see what is missing.",
    )
    _start(top)
    commands = top.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common])

    _talking(add)
    _having(add, common)
    _devices(add, common)
    _trust(add, common)
    add("version", "print the version")
    return top


def _actions(parent: argparse.ArgumentParser, common: argparse.ArgumentParser, *, required: bool = False) -> Add:
    """A way to add actions below a command."""
    below = parent.add_subparsers(dest="action", metavar="ACTION", title="actions", required=required)

    def add(name: str, text: str) -> argparse.ArgumentParser:
        return below.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", parents=[common])

    return add


def _json(parser: argparse.ArgumentParser, **more: str) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON", **more)  # type: ignore[arg-type]


def _common() -> Parser:
    common = Parser(add_help=False, argument_default=argparse.SUPPRESS)
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
    return common


def _start(top: argparse.ArgumentParser) -> None:
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


def _talking(add: Add) -> None:
    doctor = add("doctor", "what was found on this machine, what is missing, and the command that fixes each")
    _json(doctor)

    demo = add("demo", "a spoken round trip over the real connection")
    demo.add_argument("--once", action="store_true", help="end after the round trip instead of serving on")
    demo.add_argument("--wav", metavar="FILE", help="say this recording instead of the one that ships with the project")
    demo.add_argument("--reply", metavar="FILE", default="reply.wav", help="where the answer is written (reply.wav)")

    ask = add("ask", "the same turn, typed")
    ask.add_argument("text", nargs="*", help="what to ask; without it, standard input is read")

    book = add("commands", "what can be said with no language model")
    book.add_argument("--match", metavar="TEXT", help="say what a wording would be taken for; - reads one a line")
    _json(book)


def _having(add: Add, common: argparse.ArgumentParser) -> None:
    action = _actions(add("profiles", "list, show, create, check or import profiles"), common)
    _json(action("list", "all profiles"))
    show = action("show", "every setting in force and where it came from")
    show.add_argument("name", nargs="?", help="profile (default: the one in use)")
    _json(show)
    create = action("create", "make a profile of your own")
    create.add_argument("name", nargs="?", default="default", help="its name (default)")
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

    action = _actions(add("models", "list or fetch models and voices"), common)
    _json(action("list", "what is here and what can be fetched"))
    action("fetch", "fetch one, checked and whole").add_argument(
        "name", metavar="NAME", help="a model or voice of `01 models list`"
    )


def _devices(add: Add, common: argparse.ArgumentParser) -> None:
    pair = add("pair", "show a code with which one device gets a key of its own")
    pair.add_argument("--name", default="", help="what the device is called here (default: its own name)")
    pair.add_argument(
        "--scopes", default="", metavar="A,B", help="speak, captions, approve, administer (the first three)"
    )
    pair.add_argument("--json", action="store_true", help="print one JSON line with the code and one with the outcome")

    devices = add("devices", "who may talk to this computer; rename, revoke, admit")
    action = _actions(devices, common)
    _json(devices)
    _json(action("list", "all of them"), default=argparse.SUPPRESS)
    rename = action("rename", "call a device something else")
    rename.add_argument("id", metavar="ID")
    rename.add_argument("name", metavar="NAME")
    revoke = action("revoke", "cut a device off, at once")
    revoke.add_argument("id", metavar="ID")
    revoke.add_argument("--yes", action="store_true", help="do not ask")
    scopes = action("scopes", "set what a device may do, words with commas between them")
    scopes.add_argument("id", metavar="ID")
    scopes.add_argument("scopes", metavar="SCOPES", help="speak, captions, approve, administer")
    admit = action("admit", "let a device of the first 01, which has no key, speak from its IP address")
    admit.add_argument("address", metavar="ADDRESS")
    admit.add_argument("--name", help="what it is called here")


def _trust(add: Add, common: argparse.ArgumentParser) -> None:
    risk = add("risk", "what a piece of code would do, and what would be asked before it runs")
    risk.add_argument("file", nargs="?", default="-", metavar="FILE", help="the code; - (the default) reads it")
    risk.add_argument("--lang", metavar="L", help="its language (default: guessed)")
    _json(risk)
    risk.add_argument("--jsonl", action="store_true", help='read {"lang", "code"} lines, write one verdict a line')

    rules = add("rules", "what you allowed for always, and how to take it back")
    _json(rules)
    revoke = _actions(rules, common)("revoke", "take one back")
    revoke.add_argument("number", type=int, metavar="N", help="its number")

    undo = add("undo", "take back what code did to your files: the last turn, or a chosen one")
    undo.add_argument("which", nargs="?", metavar="N|TURN", help="a number or turn of --list (default: the last turn)")
    undo.add_argument("--list", action="store_true", help="list what can be undone")
    _json(undo)

    audit = add("audit", "who asked, what was heard, what ran, who agreed; and whether that record is sound")
    audit.add_argument(
        "verify", nargs="?", choices=["verify"], help="check that nothing was changed, dropped or cut off"
    )
    audit.add_argument("--since", metavar="TIME", help="2h, 30m, 3d, or a date or time such as 2026-11-22T10:00")
    audit.add_argument("--device", metavar="D", help="only entries of this device")
    _json(audit)

    action = _actions(
        add("data", "everything that is kept about you: take it along, or remove it"), common, required=True
    )
    action("export", "write all of it, readable, without keys").add_argument(
        "target", metavar="FILE.zip|FOLDER", help="a new zip file, or a new folder"
    )
    wipe = action("wipe", "remove all of it")
    wipe.add_argument("--yes", action="store_true", help="do not ask")
    wipe.add_argument("--keep-profiles", action="store_true", help="keep your profiles and settings")
