"""``01 models``: which models and voices are here, which can be fetched, and fetching them carefully."""

from __future__ import annotations

import asyncio
import json
import sys

from zero_one.config.problems import did_you_mean
from zero_one.config.settings import HearSettings
from zero_one.speech import models
from zero_one.speech.stt.base import SpeechError


def listing(*, as_json: bool) -> int:
    rows = [
        {"name": name, "kind": kind, "megabytes": one.megabytes, "here": str(find(name) or "") or None}
        for kind, table, find in (
            ("hearing", models.WHISPER, models.find_whisper),
            ("voice", models.VOICES, models.find_voice),
        )
        for name, one in table.items()
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return 0
    usual = {HearSettings().model, models.DEFAULT_VOICE}
    width = max(len(str(row["name"])) for row in rows)
    for row in rows:
        where = row["here"] or ("not here; taken unless you name another" if row["name"] in usual else "not here")
        print(f"{row['kind']:<8} {row['name']:<{width}} {row['megabytes']:>6} MB  {where}")
    print("\nFetch one with: 01 models fetch NAME. Use it with hear.model or speak.voice in your profile.")
    return 0


def fetch(name: str) -> int:
    """Fetch a model whole, checked, with a progress bar; go on where an earlier try was cut off."""
    model = models.whisper(name) or models.voice(name)
    if model is None:
        hint = did_you_mean(name, [*models.WHISPER, *models.VOICES])
        print(f"01: there is no model or voice `{name}`.{hint} See: 01 models list", file=sys.stderr)
        return 2
    if (found := models.find_whisper(name) or models.find_voice(name)) is not None:
        print(f"{name} is here already: {found}")
        return 0
    print(f"Fetching {name}, {model.megabytes} MB ...", file=sys.stderr, flush=True)
    try:
        asyncio.run(_fetch(model))
    except SpeechError as error:
        print(f"01: {error}", file=sys.stderr)
        return 1
    print(f"{name} is in {models.find_whisper(name) or models.find_voice(name)}")
    return 0


async def _fetch(model: models.Model) -> None:
    from zero_one.speech.download import download, progress_bar

    with progress_bar() as progress:
        await download(model, progress)
