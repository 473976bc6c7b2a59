"""What programs do, by their arguments.

Each module holds a table from program names to functions ``(Call) -> effects``. A program in no table is unknown: it
asks, because it may do anything that its user may.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zero_one.safety.risk import verbs
from zero_one.safety.risk.model import Effect, Risk, changes, opaque
from zero_one.safety.risk.programs import (
    cloud,
    code,
    databases,
    desktop,
    developer,
    files,
    git,
    network,
    scripts,
    system,
)
from zero_one.safety.risk.programs.call import Call, Handler
from zero_one.safety.risk.programs.known import is_known
from zero_one.safety.risk.programs.lookers import told_to_look
from zero_one.safety.risk.words import Word

if TYPE_CHECKING:
    from zero_one.safety.risk.shell import Reader

TABLE: dict[str, Handler] = {
    **files.TABLE,
    **scripts.TABLE,
    **network.TABLE,
    **cloud.TABLE,
    **developer.TABLE,
    **git.TABLE,
    **databases.TABLE,
    **desktop.TABLE,
    **system.TABLE,
    **code.TABLE,
}


_VERBED = frozenset(
    """
    git docker podman kubectl helm systemctl service launchctl aws gcloud az terraform apt apt-get dnf yum pacman brew
    npm pip pip3 gh docker-compose virsh adb redis-cli diskutil defaults zfs zpool btrfs rclone heroku
    """.split()
)
"""Programs whose first word says whether they look or destroy."""
_CARRIERS = frozenset("awk gawk mawk nawk sed gsed find tar ssh redis-cli".split())
"""Programs whose other arguments may hold commands, so that ``--help`` at the end proves nothing."""


def _only_asks(call: Call) -> bool:
    """``git log --help``, ``docker run --help``: nothing stands before but the name of what is asked about."""
    carries = call.program in code.TABLE or call.program in _CARRIERS or {"exec", "run"} & set(call.texts[:-2])
    return not carries and len(call.texts) <= 3 and all(re.fullmatch(r"[a-z][a-z-]*", t) for t in call.texts[:-1])


def effects_of(reader: Reader, program: str, name: str, args: list[Word], stdin: str | None) -> list[Effect]:
    """Effects of ``name args`` beside those that ``reader`` has collected from words and redirects."""
    call = Call(reader, program, args, stdin)
    if call.texts in (["--version"], ["--help"], ["-V"], ["-h"]) and program in TABLE and "/" not in name:
        return []
    if call.texts[-1:] == ["--help"] and program in TABLE and _only_asks(call):
        return []
    if re.match(r"[A-Za-z]:\\|\.?\\", name):
        return [opaque(f"running {name}")]
    if "/" in name and not name.startswith(
        ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
    ):
        # The name says nothing about a program from another folder.
        return [opaque(f"running {name}")]
    lowered = program.lower().removesuffix(".exe")
    valued = ("-C", "-c", "--git-dir", "--work-tree", "-n", "--namespace", "--context", "-H", "--profile", "--region")
    verb = next(
        (a for i, a in enumerate(args) if not a.text.startswith("-") and (i == 0 or call.texts[i - 1] not in valued)),
        None,
    )
    if program in _VERBED and verb is not None and not verb.sure:
        return [opaque(f"{program} with a command that is computed")]
    handler = TABLE.get(program) or TABLE.get(lowered) or TABLE.get(code.unversioned(lowered))
    if handler is None and told_to_look(call):
        return secrets(call)
    if handler is None:
        return [*_unknown(call), *secrets(call)]
    return handler(call)


_SECRET = re.compile(
    r"(?i)(^|[-_:])(secrets?|passw\w*|passphrase|credentials?|tokens?|apikeys?|keychain|totp|otp|mnemonic|wallet|seed)([-_:]|$)"
)
_ONLY_TELLS = set("--version -version -v -V version --help -h -help help --info --list -l".split())


_SHOWS = re.compile(
    r"(\w+[:-])?(list|ls|status|info|versions?|help|show|search|describe|inspect|stats|ps|whoami|top|diff|outdated)"
)
"""First words by which a program that nobody knows may be believed to look."""


_RUNNERS = frozenset(
    "sh bash zsh dash ksh fish sudo env xargs nohup timeout nice python python3 perl ruby node pwsh rm shred dd".split()
)


def _read_commands(call: Call) -> None:
    """``prlimit --nproc=5 sh -c …``, ``nix-shell --run '…'``: whatever runs it, a command is read as one."""
    at = next((i for i, t in enumerate(call.texts) if t.rsplit("/", 1)[-1] in _RUNNERS or t == "--"), None)
    if at is not None:
        words = call.args[at + (call.texts[at] == "--") :]
        if words and is_known(words[0].text):
            call.reader.run(words, call.stdin)
    for word in call.args:
        first = word.text.split(" ", 1)[0]
        if " " in word.text and word.sure and is_known(first) and call.reader.depth < 10:
            call.reader.nested(word.text, "shell")


def _unknown(call: Call) -> list[Effect]:
    """A program that nothing is known about: by the verbs in its name and first words, else it changes something."""
    if len(call.texts) == 1 and call.texts[0] in _ONLY_TELLS:
        return []
    line = f"{call.program} {' '.join(call.texts[:3])}".strip()
    _read_commands(call)
    said = [call.program, *call.operands[:4], *(t for t in call.texts if t.startswith("-") and len(t) > 2)]
    risks = [r for r in map(verbs.risk_of, said) if r is not None]
    worst = max(risks, default=Risk.CHANGE)
    if worst < Risk.SPEND_OR_SEND and any(_SECRET.search(s) for s in said):
        return [Effect("credential", line, Risk.SPEND_OR_SEND)]
    if worst is Risk.DESTROY:
        return [Effect("delete", line, worst)]
    if worst is Risk.SPEND_OR_SEND:
        spends = any(map(verbs.spends, said))
        return [Effect("spend" if spends else "send", line, worst)]
    looking = any(_SHOWS.fullmatch(o) for o in call.operands[:2])
    if worst is Risk.OBSERVE and looking and all(a.sure for a in call.args):
        return []
    return [changes("process", f"running {line}")]


def secrets(call: Call) -> list[Effect]:
    """Arguments of an unknown program that name secrets."""
    from zero_one.safety.risk import paths

    return [paths.reading(a) for a in call.texts if paths.is_secret(a)]
