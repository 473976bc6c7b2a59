"""A recogniser in a process of its own.

pocketsphinx keeps Python's interpreter lock while it decodes, for a second and more. In the server's own process that
would stop the event loop, and with it every conversation's sound. Here it decodes in a child, which is started again
when it dies; what was said until then is kept and given to the new one.

Both directions carry frames: a line of JSON, then as many bytes of payload as its ``size`` says.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import sys
from collections.abc import Coroutine
from dataclasses import asdict
from typing import Any

from zero_one.speech.stt.base import HearOptions, PartialHandler, SpeechError, Transcript

log = logging.getLogger(__name__)

CHILD = "zero_one.speech.stt.apart_main"
_READY_S = 120.0
_LONGEST_LINE = 1 << 20
_TRIES = 2
"""How often one utterance is given to a new child before it is given up."""


class Apart:
    """pocketsphinx in a child process. ``jsgf`` is the command grammar; without one there is only dictation."""

    name = "pocketsphinx"

    def __init__(self, jsgf: str | None = None) -> None:
        self._jsgf = jsgf
        self._child: _Child | None = None
        self._starting = asyncio.Lock()
        self._open: dict[int, _Utterance] = {}
        self._numbers = itertools.count(1)
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def warm(self) -> None:
        """Start the child and load its models. Safe to call again. Raises SpeechError."""
        async with self._starting:
            if self._closed:
                raise SpeechError("The recogniser has been closed.")
            if self._child is not None and self._child.alive:
                return
            self._child = await _Child.start(self._jsgf, self._heard, self._died)
            for utterance in list(self._open.values()):
                utterance.begin(self._child)

    def start(self, options: HearOptions, on_partial: PartialHandler | None = None) -> _Utterance:
        utterance = _Utterance(self, next(self._numbers), options, on_partial)
        self._open[utterance.number] = utterance
        if self._child is not None and self._child.alive:
            utterance.begin(self._child)
        else:
            self._own(self._revive())
        return utterance

    async def close(self) -> None:
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        async with self._starting:
            if self._child is not None:
                await self._child.close()
        for utterance in list(self._open.values()):
            utterance.fail("The recogniser was closed while you spoke.")

    def forget(self, utterance: _Utterance) -> None:
        self._open.pop(utterance.number, None)

    def _heard(self, header: dict[str, Any]) -> None:
        utterance = self._open.get(header.get("id", 0))
        if utterance is None:
            return
        if header["op"] == "partial":
            utterance.partial(header["text"])
        elif header["op"] == "transcript":
            utterance.done(Transcript(**header["transcript"]))
        elif header["op"] == "failed":
            utterance.fail(header["text"])

    def _died(self) -> None:
        if not self._closed and self._open:
            log.warning("the recogniser's process ended; it is started again and what was said is kept")
            self._own(self._revive())

    async def _revive(self) -> None:
        for utterance in list(self._open.values()):
            utterance.tries += 1
            if utterance.tries > _TRIES:
                utterance.fail("The recogniser stopped while you spoke. Please say it again.")
        try:
            await self.warm()
        except SpeechError as error:
            for utterance in list(self._open.values()):
                utterance.fail(str(error))

    def _own(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, name="recogniser process")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Utterance:
    """One utterance (a ``Recognition``). Its sound is kept until it is understood."""

    def __init__(self, engine: Apart, number: int, options: HearOptions, on_partial: PartialHandler | None) -> None:
        self.number = number
        self.tries = 0
        self._engine, self._options, self._on_partial = engine, options, on_partial
        self._pcm = bytearray()
        self._child: _Child | None = None
        self._finishing = False
        self._result: asyncio.Future[Transcript] = asyncio.get_running_loop().create_future()

    def begin(self, child: _Child) -> None:
        """Give all that was said so far to ``child``, and what follows too."""
        self._child = child
        child.send({"op": "start", "id": self.number, "options": asdict(self._options)})
        if self._pcm:
            child.send({"op": "feed", "id": self.number}, bytes(self._pcm))
        if self._finishing:
            child.send({"op": "finish", "id": self.number})

    def feed(self, pcm: bytes) -> None:
        if self._result.done():
            return
        self._pcm += pcm
        if self._child is not None and self._child.alive:
            self._child.send({"op": "feed", "id": self.number}, pcm)

    async def finish(self) -> Transcript:
        self._finishing = True
        if self._child is not None and self._child.alive:
            self._child.send({"op": "finish", "id": self.number})
        return await self._result

    def cancel(self) -> None:
        self._engine.forget(self)
        self._pcm.clear()
        if not self._result.done():
            self._result.cancel()
            if self._child is not None and self._child.alive:
                self._child.send({"op": "cancel", "id": self.number})

    def partial(self, text: str) -> None:
        if self._on_partial is not None and not self._result.done():
            self._on_partial(text)

    def done(self, transcript: Transcript) -> None:
        self._engine.forget(self)
        if not self._result.done():
            self._result.set_result(transcript)

    def fail(self, text: str) -> None:
        self._engine.forget(self)
        if not self._result.done():
            self._result.set_exception(SpeechError(text))
            self._result.exception()  # an utterance that nobody finishes is no unhandled error


class _Child:
    """The process and its two pipes."""

    def __init__(self, process: asyncio.subprocess.Process, heard: Any, died: Any) -> None:
        self._process, self._heard, self._died = process, heard, died
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._reading = asyncio.create_task(self._read(), name="recogniser answers")

    @classmethod
    async def start(cls, jsgf: str | None, heard: Any, died: Any) -> _Child:
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                CHILD,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LONGEST_LINE,
            )
        except OSError as error:
            raise SpeechError(f"I cannot hear: the recogniser could not be started ({error.strerror}).") from error
        child = cls(process, heard, died)
        child.send({"op": "grammar"}, (jsgf or "").encode())
        try:
            async with asyncio.timeout(_READY_S):
                await asyncio.shield(child._ready)
        except TimeoutError:
            await child.close()
            raise SpeechError("I cannot hear: the recogniser did not start in time. Try again.") from None
        except BaseException:
            await child.close()
            raise
        return child

    @property
    def alive(self) -> bool:
        return self._process.returncode is None and not self._reading.done()

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        assert self._process.stdin is not None
        if not self._process.stdin.is_closing():
            self._process.stdin.write(json.dumps({**header, "size": len(payload)}).encode() + b"\n" + payload)

    async def close(self) -> None:
        self._died = lambda: None
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        await self._process.wait()
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            while line := await self._process.stdout.readline():
                header = json.loads(line)
                if header["op"] == "ready":
                    self._ready.set_result(None)
                elif header["op"] == "unready":
                    self._ready.set_exception(SpeechError(header["text"]))
                else:
                    self._heard(header)
        except (ValueError, KeyError, ConnectionError) as error:
            log.warning("the recogniser's process said something unreadable: %s", error)
        if not self._ready.done():
            self._ready.set_exception(SpeechError("I cannot hear: the recogniser ended while it started."))
            self._ready.exception()  # who gave up waiting, as at the end of the program, has no use for it
        asyncio.get_running_loop().call_soon(lambda: self._died())
