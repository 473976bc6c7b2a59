"""What programs do, by their arguments.

Each module holds a table from program names to functions ``(Call) -> effects``. A program in no table is unknown: it
asks, because it may do anything that its user may.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zero_one.safety.risk.model import Effect, Kind, Risk, changes, opaque
from zero_one.safety.risk.programs import code, developer, files, network, system
from zero_one.safety.risk.programs.call import Call, Handler
from zero_one.safety.risk.words import Word

if TYPE_CHECKING:
    from zero_one.safety.risk.shell import Reader

TABLE: dict[str, Handler] = {**files.TABLE, **network.TABLE, **developer.TABLE, **system.TABLE, **code.TABLE}


_CARRIERS = frozenset("awk gawk mawk nawk sed gsed find tar ssh".split())
"""Programs whose other arguments may hold commands, so that ``--help`` at the end proves nothing."""


def effects_of(reader: Reader, program: str, name: str, args: list[Word], stdin: str | None) -> list[Effect]:
    """Effects of ``name args`` beside those that ``reader`` has collected from words and redirects."""
    call = Call(reader, program, args, stdin)
    if call.texts in (["--version"], ["--help"], ["-V"], ["-h"]) and program in TABLE and "/" not in name:
        return []
    if call.texts[-1:] == ["--help"] and program in TABLE and program not in code.TABLE and program not in _CARRIERS:
        return []
    if re.match(r"[A-Za-z]:\\|\.?\\", name):
        return [opaque(f"running {name}")]
    if "/" in name and not name.startswith(
        ("/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/")
    ):
        # The name says nothing about a program from another folder.
        return [opaque(f"running {name}")]
    lowered = program.lower().removesuffix(".exe")
    handler = TABLE.get(program) or TABLE.get(lowered) or TABLE.get(code.unversioned(lowered))
    if handler is None:
        return [*_unknown(call), *secrets(call)]
    return handler(call)


_VERBS: tuple[tuple[str, Risk], ...] = (
    (
        "delete del destroy drop erase wipe purge uninstall format nuke zap unlink remove rm reset terminate",
        Risk.DESTROY,
    ),
    ("buy pay order purchase checkout transfer withdraw donate", Risk.SPEND_OR_SEND),
    ("send post publish upload push deploy share mail email tweet exfil expose tunnel", Risk.SPEND_OR_SEND),
)


def _unknown(call: Call) -> list[Effect]:
    """A program that nothing is known about: by the verbs in its name and first words, else it changes something."""
    said = " ".join([call.program, *call.operands[:3], *(t for t in call.texts if t.startswith("--"))]).lower()
    spoken = set(re.split(r"[^a-z]+", said))
    for verbs, risk in _VERBS:
        if spoken & set(verbs.split()):
            kind: Kind = "delete" if risk is Risk.DESTROY else "send"
            return [Effect(kind, f"{call.program} {' '.join(call.operands[:3])}".strip(), risk)]
    return [changes("process", f"running {call.program}")]


def secrets(call: Call) -> list[Effect]:
    """Arguments of an unknown program that name secrets."""
    from zero_one.safety.risk import paths

    return [paths.reading(a) for a in call.texts if paths.is_secret(a)]
