"""The child process of ``apart``: pocketsphinx behind two pipes. It ends when its parent does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from dataclasses import asdict
from typing import Any, BinaryIO

from zero_one.speech.stt.base import HearOptions, Recognition, SpeechError
from zero_one.speech.stt.pocketsphinx import PocketSphinx


class Child:
    """Answers the frames that come in; one task per utterance that is being finished."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._engine = PocketSphinx()
        self._open: dict[int, Recognition] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, header: dict[str, Any], payload: bytes) -> None:
        """One frame from the parent."""
        number = int(header.get("id", 0))
        match header["op"]:
            case "grammar":
                self._engine.set_grammar(payload.decode() or None)
                self._own(self._warm())
            case "start":
                given = header["options"]
                words = tuple(given["languages"]), tuple(given["hotwords"])
                options = HearOptions(given["language"], *words, grammar=given["grammar"])
                self._open[number] = self._engine.start(
                    options, lambda text: self._say({"op": "partial", "id": number, "text": text})
                )
            case "feed" if number in self._open:
                self._open[number].feed(payload)
            case "finish" if number in self._open:
                self._own(self._finish(number, self._open.pop(number)))
            case "cancel" if number in self._open:
                self._open.pop(number).cancel()

    async def _warm(self) -> None:
        try:
            await self._engine.warm()
        except SpeechError as error:
            self._say({"op": "unready", "text": str(error)})
        else:
            self._say({"op": "ready"})

    async def _finish(self, number: int, recognition: Recognition) -> None:
        try:
            transcript = await recognition.finish()
        except SpeechError as error:
            self._say({"op": "failed", "id": number, "text": str(error)})
        else:
            self._say({"op": "transcript", "id": number, "transcript": asdict(transcript)})

    def _say(self, header: dict[str, Any]) -> None:
        self._out.write(json.dumps(header).encode() + b"\n")
        self._out.flush()

    def _own(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def main() -> None:
    """Read frames until the parent closes the pipe. A thread reads: Windows cannot wait for a pipe otherwise."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches us too; the parent decides
    # Whatever prints would garble the frames.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)

    async def serve() -> None:
        child, loop = Child(out), asyncio.get_running_loop()

        def read() -> None:
            while line := sys.stdin.buffer.readline():
                header = json.loads(line)
                payload = sys.stdin.buffer.read(header["size"])
                loop.call_soon_threadsafe(child.take, header, payload)
            os._exit(0)  # the parent is gone or has no more use for us; a decoder in full swing need not end first

        threading.Thread(target=read, name="frames", daemon=True).start()
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
