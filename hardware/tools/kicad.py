"""Where KiCad 9 lives on this machine, and how its command is called."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_SHARES = (
    Path("/usr/share/kicad"),
    Path("/Applications/KiCad/KiCad.app/Contents/SharedSupport"),
    Path("C:/Program Files/KiCad/9.0/share/kicad"),
)


@functools.cache
def share() -> Path:
    """KiCad's data folder; `KICAD_SHARE` overrides the usual places."""
    places = [Path(os.environ["KICAD_SHARE"])] if "KICAD_SHARE" in os.environ else list(_SHARES)
    for place in places:
        if (place / "symbols").is_dir():
            return place
    raise FileNotFoundError(
        "KiCad's libraries were not found. Install KiCad 9 (`make hardware` does it on Debian) "
        "or set KICAD_SHARE to the folder that holds `symbols` and `footprints`."
    )


def symbol_folder() -> Path:
    return share() / "symbols"


def footprint_folder() -> Path:
    return share() / "footprints"


def models_folder() -> Path:
    """Where KiCad's 3D models are, on a machine that has them."""
    return share() / "3dmodels"


@functools.cache
def _environment() -> dict[str, str]:
    """A private, fresh KiCad configuration, so that a user's own settings never change a result."""
    home = Path(tempfile.mkdtemp(prefix="zero-one-kicad-"))
    config = home / "9.0"
    config.mkdir()
    for table in ("sym-lib-table", "fp-lib-table"):
        shutil.copy(share() / "template" / table, config / table)
    folders = {
        f"KICAD9_{kind}_DIR": str(share() / place)
        for kind, place in (("SYMBOL", "symbols"), ("FOOTPRINT", "footprints"), ("3DMODEL", "3dmodels"))
    }
    return {**os.environ, **folders, "KICAD_CONFIG_HOME": str(home), "HOME": str(home)}


def cli(*arguments: str | Path) -> str:
    """Run `kicad-cli`; returns its output, raises RuntimeError with that output when it fails."""
    command = shutil.which("kicad-cli") or str(share().parent / "MacOS" / "kicad-cli")
    done = subprocess.run(
        [command, *map(str, arguments)], env=_environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"kicad-cli {' '.join(map(str, arguments))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout
