#!/usr/bin/env python3
"""Make the utterance that `01 demo` says: our own synthesis, with the free voices of flite (Debian package `flite`).

    python tools/make_demo_utterance.py [--text "what time is it"] [--voice slt] [--out FILE]

Writes 16 kHz mono 16-bit WAV with a little silence around the words, as a pressed and released button has it.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import wave
from pathlib import Path

RATE = 16_000
BEFORE_MS, AFTER_MS = 250, 350
OUT = Path(__file__).parent.parent / "server" / "zero_one" / "app" / "data" / "what_time_is_it.wav"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--text", default="what time is it")
    parser.add_argument("--voice", default="slt")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    flite = shutil.which("flite")
    if flite is None:
        raise SystemExit("flite is missing. Install it with: sudo apt-get install flite")
    with tempfile.TemporaryDirectory() as folder:
        spoken = Path(folder) / "spoken.wav"
        subprocess.run([flite, "-voice", arguments.voice, "-t", arguments.text, "-o", str(spoken)], check=True)
        with wave.open(str(spoken)) as file:
            if (file.getframerate(), file.getnchannels(), file.getsampwidth()) != (RATE, 1, 2):
                raise SystemExit(
                    f"the voice {arguments.voice} does not speak at {RATE} Hz; choose slt, rms, awb or kal16"
                )
            pcm = file.readframes(file.getnframes())
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(arguments.out), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(_silence(BEFORE_MS) + pcm + _silence(AFTER_MS))


def _silence(milliseconds: int) -> bytes:
    return bytes(2 * RATE * milliseconds // 1000)


if __name__ == "__main__":
    main()
