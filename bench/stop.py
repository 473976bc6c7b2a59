"""How long from "stop everything" to silence, to a dead model call and to a dead child process.

    python bench/stop.py [--turns 5] [--out stop.json]

A server of our own (in an empty ``ZERO_ONE_HOME`` unless one is set) is made busy three times over: it speaks, it waits
for a model that has gone quiet in the middle of an answer, and it runs code with processes of its own in the
background. Then it is stopped by command (what a triple tap or the key sends) and by voice, counted from the release of
the button. JSON goes to standard output (or ``--out``).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import psutil
from latency import server
from websockets.asyncio.client import ClientConnection, connect

from zero_one.config.settings import ModelSettings, ServerSettings, Settings
from zero_one.protocol.events import Flush, Pcm, Pressed, Released, Show, SpeechPcm, State, Stop, Typed
from zero_one.protocol.light import ClientSide

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from support.scripted_model import Chunk, ScriptedModel, hangs, runs, says
from support.voices import say

LIMIT_S = 60.0
NAP = "97531.25"
"""Seconds that the code's processes sleep: an argument by which they are found."""
LONG = "This is a long answer that goes on and on, so that there is something to stop. " * 8


class Device:
    """A level 1 device that notes when things came."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._side = socket, ClientSide("bench-stop", features=("captions",))
        self.events: list[tuple[float, Any]] = []
        self._news = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def greet(self) -> None:
        await self._socket.send(self._side.greeting())

    async def close(self) -> None:
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self) -> None:
        async for frame in self._socket:
            self.events += [(time.perf_counter(), event) for event in self._side.receive(frame)]
            self._news.set()

    async def send(self, event: Any) -> None:
        for frame in self._side.encode(event):
            await self._socket.send(frame)

    async def until(self, wanted: Callable[[Any], bool], since: float) -> float:
        """When the first such event came after ``since``."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                for at, event in self.events:
                    if at >= since and wanted(event):
                        return at
                self._news.clear()
                await self._news.wait()


def nappers() -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline", "status"]) if _naps(p)]


def _naps(process: psutil.Process) -> bool:
    words = process.info["cmdline"] or []
    return words[-2:] == ["sleep", NAP] and process.info["status"] != psutil.STATUS_ZOMBIE


async def becomes(fact: Callable[[], bool]) -> float:
    """When ``fact`` was first true. Looked at every ms: nobody tells when a process is gone."""
    until = time.perf_counter() + LIMIT_S
    while not await asyncio.to_thread(fact):
        if time.perf_counter() > until:
            raise TimeoutError("it did not end")
        await asyncio.sleep(0.001)
    return time.perf_counter()


async def by_command(device: Device) -> float:
    at = time.perf_counter()
    await device.send(Stop(everything=True))
    return at


async def by_voice(device: Device) -> float:
    """Said in real time; counted from the release."""
    pcm = say("stop everything")
    began = time.perf_counter()
    await device.send(Pressed())
    for at in range(0, len(pcm), 640):
        await asyncio.sleep(max(0.0, began + at / 32_000 - time.perf_counter()))
        await device.send(Pcm(pcm[at : at + 640]))
    released = time.perf_counter()
    await device.send(Released())
    return released


Stopper = Callable[[Device], Awaitable[float]]


async def silence(device: Device, model: ScriptedModel, stop: Stopper) -> float:
    """To the flush, at which a device drops its buffer. A press silences already, so by voice it may be below 0."""
    model.script(says(LONG))
    begun = time.perf_counter()
    await device.send(Typed("tell me something long"))
    # "I am at it" may be said before, where the machine is slow: what counts is the answer.
    answered = await device.until(_answer, begun)
    await device.until(lambda e: isinstance(e, SpeechPcm), answered)
    stopping = time.perf_counter()
    asked = await stop(device)
    return await device.until(lambda e: isinstance(e, Flush), stopping) - asked


async def model_call(device: Device, model: ScriptedModel, stop: Stopper) -> float:
    """To the closed connection, as the model's server sees it."""
    model.hung_up.clear()
    model.script(hangs(Chunk({"role": "assistant"})))
    seen = len(model.requests)
    await device.send(Typed("think about it"))
    await becomes(lambda: len(model.requests) > seen)
    asked = await stop(device)
    return await becomes(model.hung_up.is_set) - asked


async def child_process(device: Device, model: ScriptedModel, stop: Stopper) -> float:
    """To the end of the last process: one in front, one in the background, one in a session of its own."""
    model.script(runs(f"sleep {NAP} &\nsetsid sleep {NAP} &\nsleep {NAP}", "shell"))
    await device.send(Typed("do something that takes long"))
    await becomes(lambda: len(nappers()) >= 3)
    asked = await stop(device)
    return await becomes(lambda: not nappers()) - asked


def settings(model: ScriptedModel) -> Settings:
    return Settings(
        server=ServerSettings(port=0),
        model=ModelSettings(name="openai/scripted", api_base=model.url, api_key="bench", supports_functions=True),
    )


async def measure(turns: int) -> dict[str, Any]:
    results: dict[str, Any] = {}
    with ScriptedModel() as model:
        async with server(settings(model)) as url, connect(url) as socket:
            device = Device(socket)
            await device.greet()
            try:
                model.script(says("Ready."))
                await device.send(Typed("get ready for what follows"))
                answered = await device.until(lambda e: isinstance(e, Show) and "Ready" in str(e.message.content), 0.0)
                await device.until(_idle, answered)
                for name, stop in (("command", by_command), ("voice", by_voice)):
                    for what in (silence, model_call, child_process):
                        found = []
                        for _ in range(turns + 1):  # the first one warms everything; not counted
                            found.append(await what(device, model, stop))
                            await device.until(_idle, time.perf_counter() - 0.001)
                        ms = [round(seconds * 1000, 1) for seconds in found[1:]]
                        results[f"{name} to {what.__name__}"] = {"median": statistics.median(ms), "max": max(ms)}
            finally:
                await device.close()
    return results


def _answer(event: Any) -> bool:
    return isinstance(event, Show) and (event.message.role, event.message.format) == ("assistant", None)


def _idle(event: Any) -> bool:
    return isinstance(event, State) and event.name == "idle"


async def main(turns: int) -> dict[str, Any]:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("ZERO_ONE_HOME", folder)
        results = await measure(turns)
    return {"machine": {"cpus": psutil.cpu_count(), "system": platform.platform(), "load_before": load}, "ms": results}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="From “stop everything” to silence, model call and processes gone.")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    text = json.dumps(asyncio.run(main(given.turns)), indent=1)
    if given.out:
        given.out.write_text(text + "\n", "utf-8")
    else:
        sys.stdout.write(text + "\n")
