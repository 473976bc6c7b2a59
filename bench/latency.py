"""How long from the release of the button to the first sound, stage by stage, over a real connection.

    python bench/latency.py [--turns 5] [--out latency.json] [--wav FILE ...] [--url ws://127.0.0.1:10101/]

Without ``--url`` a server of our own is started, in an empty ``ZERO_ONE_HOME`` (unless one is set). It speaks
in real time, as a person does: a short utterance and a long one by flite, or WAV files (16 kHz mono). Beside the
server's spans stands what the device itself measures. JSON goes to standard output (or ``--out``).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
from websockets.asyncio.client import ClientConnection, connect

from zero_one.config.settings import ServerSettings, Settings
from zero_one.protocol.events import Pcm, Pressed, Released, Show, SpeechPcm, State
from zero_one.protocol.light import ClientSide

CHUNK_MS = 20
TEXTS = {
    "short": "what time is it",
    "long": "could you please tell me what time it is right now because I have to leave for the train station soon",
}


def flite(text: str, folder: Path) -> bytes:
    """PCM of ``text`` at 16 kHz."""
    file = folder / "said.wav"
    subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", str(file)], check=True)
    return read(file)


def read(file: Path) -> bytes:
    with wave.open(str(file)) as sound:
        if (sound.getframerate(), sound.getnchannels(), sound.getsampwidth()) != (16_000, 1, 2):
            raise SystemExit(f"{file}: needs 16 kHz, mono, 16 bit")
        return sound.readframes(sound.getnframes())


@asynccontextmanager
async def server(settings: Settings | None = None) -> AsyncIterator[str]:
    """A server of our own on a free port, in this process."""
    from zero_one.app.serve import serve

    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    running = asyncio.create_task(
        serve(settings or Settings(server=ServerSettings(port=0)), stop, ready=port.set_result)
    )
    await asyncio.wait({running, port}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield f"ws://127.0.0.1:{port.result()}/"
    finally:
        stop.set()
        await running


class Device:
    """A level 1 device that measures."""

    def __init__(self, socket: ClientConnection, name: str) -> None:
        self._socket, self._side = socket, ClientSide(name)

    async def greet(self) -> None:
        await self._socket.send(self._side.greeting())
        await self._socket.recv()

    async def _send(self, *events: Any) -> None:
        for event in events:
            for frame in self._side.encode(event):
                await self._socket.send(frame)

    async def turn(self, pcm: bytes) -> dict[str, Any]:
        """Say ``pcm`` in real time; the server's spans (ms), and the device's own."""
        size = 32 * CHUNK_MS
        began = time.perf_counter()
        await self._send(Pressed())
        for at in range(0, len(pcm), size):
            await asyncio.sleep(max(0.0, began + at / 32_000 - time.perf_counter()))
            await self._send(Pcm(pcm[at : at + size]))
        await asyncio.sleep(max(0.0, began + len(pcm) / 32_000 - time.perf_counter()))
        await self._send(Released())
        released = time.perf_counter()
        found: dict[str, Any] = {"heard": "", "spans": {}, "device": {}}
        busy = False
        while True:
            for event in self._side.receive(await asyncio.wait_for(self._socket.recv(), 120)):
                now = round((time.perf_counter() - released) * 1000, 1)
                if isinstance(event, SpeechPcm):
                    found["device"].setdefault("first_sound", now)
                elif isinstance(event, State):
                    busy = busy or event.name not in ("idle", "listening")
                    if busy and event.name == "idle":
                        found["device"]["complete"] = now
                        return found
                elif isinstance(event, Show):
                    self._shown(event, found, now)

    @staticmethod
    def _shown(event: Show, found: dict[str, Any], now: float) -> None:
        message = event.message
        if message.format == "spans":
            found["spans"] = message.content
        elif message.role == "user" and message.format is None:
            found["heard"] = message.content
            found["device"]["transcript"] = now


async def measure(url: str, utterances: dict[str, bytes], turns: int) -> dict[str, Any]:
    results: dict[str, Any] = {}
    async with connect(url) as socket:
        device = Device(socket, "bench-latency")
        await device.greet()
        await device.turn(next(iter(utterances.values())))  # warms everything; not counted
        for name, pcm in utterances.items():
            runs = [await device.turn(pcm) for _ in range(turns)]
            stages: dict[str, list[float]] = {}
            for run in runs:
                for part in ("spans", "device"):
                    for stage, ms in run[part].items():
                        stages.setdefault(f"{part}.{stage}", []).append(ms)
            results[name] = {
                "utterance_ms": round(len(pcm) / 32),
                "heard": sorted({run["heard"] for run in runs}),
                "ms": {
                    stage: {"median": round(statistics.median(ms), 1), "max": round(max(ms), 1), "n": len(ms)}
                    for stage, ms in stages.items()
                },
            }
    return results


async def main(arguments: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        if arguments.wav:
            utterances = {Path(name).stem: read(Path(name)) for name in arguments.wav}
        else:
            utterances = {name: flite(text, Path(folder)) for name, text in TEXTS.items()}
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
        if arguments.url:
            results = await measure(arguments.url, utterances, arguments.turns)
        else:
            os.environ.setdefault("ZERO_ONE_HOME", folder)
            async with server() as url:
                results = await measure(url, utterances, arguments.turns)
    machine = {"cpus": psutil.cpu_count(), "system": platform.platform(), "load_before": load}
    return {"machine": machine, "turns": arguments.turns, "utterances": results}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Latency of a spoken turn, stage by stage.")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--wav", nargs="*", default=[])
    parser.add_argument("--url")
    given = parser.parse_args()
    text = json.dumps(asyncio.run(main(given)), indent=1)
    if given.out:
        given.out.write_text(text + "\n", "utf-8")
    else:
        sys.stdout.write(text + "\n")
