"""PowerShell: Windows' own, or ``pwsh`` anywhere. One program per run, in the folder of the conversation."""

from __future__ import annotations

import shutil
from typing import ClassVar

from zero_one.computer.languages.script import Script


class PowerShell(Script):
    """Every run is a new program; a failing native command's exit status is the run's."""

    name: ClassVar[str] = "powershell"
    aliases: ClassVar[tuple[str, ...]] = ("pwsh", "ps1", "ps")
    command: ClassVar[tuple[str, ...]] = (
        shutil.which("pwsh") or "powershell",
        "-NoLogo",
        "-NoProfile",
        "-NonInteractive",
        "-ExecutionPolicy",
        "Bypass",
        "-File",
    )
    suffix = ".ps1"
