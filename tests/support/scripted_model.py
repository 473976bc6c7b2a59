"""A language model that says what a test tells it to, over real HTTP, in the OpenAI chat completions form.

It runs in a thread of its own, so that tests of any kind and servers in other processes can call it, and answers
`/api/chat` in Ollama's form too. It speaks raw HTTP/1.1 on purpose: a test decides byte by byte what arrives, and when
the line goes dead.

    with ScriptedModel(runs("print(1)", "python"), says("Done.")) as model:
        settings = ModelSettings(name="scripted", api_base=model.url)
        …
        assert model.requests[0].messages[-1]["content"] == "hi"

One answer is taken per request. When the script is used up, further requests get status 418, which nobody retries,
and `model.surplus` counts them.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from support.ports import deaf_port

_LIMIT_S = 60.0
"""How long a busy machine may take for what is done at once elsewhere."""


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages", []))

    @property
    def tools(self) -> list[str]:
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]


# --- what an answer is made of ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chunk:
    """One server-sent event with this ``delta`` (and maybe a finish reason)."""

    delta: dict[str, Any]
    finish: str | None = None


@dataclass(frozen=True)
class Raw:
    """One server-sent event with exactly this data."""

    data: str


@dataclass
class Gate:
    """The stream waits here. ``reached`` is set when it does; ``open()`` lets it go on."""

    reached: threading.Event = field(default_factory=threading.Event)
    opened: threading.Event = field(default_factory=threading.Event)

    def open(self) -> None:
        self.opened.set()

    async def wait_reached(self, timeout_s: float = _LIMIT_S) -> None:
        assert await asyncio.to_thread(self.reached.wait, timeout_s), "the scripted model never got there"


@dataclass(frozen=True)
class Drop:
    """The connection is cut here, without an end."""


@dataclass(frozen=True)
class Hang:
    """Nothing more comes, until the client goes away."""


Step = Chunk | Raw | Gate | Drop | Hang


@dataclass(frozen=True)
class Answer:
    """A whole answer: its status, and the steps of its stream (or a JSON ``body``)."""

    steps: tuple[Step, ...] = ()
    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: tuple[int, int] | None = (10, 5)
    before_headers: Step | None = None


Script = Answer | Callable[[Request], Answer]


def pieces(text: str, size: int = 7) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def says(text: str, *, size: int = 7, finish: str | None = "stop", usage: tuple[int, int] | None = (10, 5)) -> Answer:
    """Plain text in fragments of ``size`` characters."""
    parts = [Chunk({"content": piece}) for piece in pieces(text, size)]
    return Answer((Chunk({"role": "assistant"}), *parts, Chunk({}, finish)), usage=usage)


def calls(
    *wanted: tuple[str, Mapping[str, Any] | str],
    text: str = "",
    size: int = 9,
    usage: tuple[int, int] | None = (10, 5),
    finish: str = "tool_calls",
) -> Answer:
    """Tool calls, their arguments in fragments of ``size`` characters; a string stands as it is, JSON or not."""
    steps: list[Step] = [Chunk({"role": "assistant", "content": None})]
    steps += [Chunk({"content": piece}) for piece in pieces(text)]
    for index, (name, arguments) in enumerate(wanted):
        whole = arguments if isinstance(arguments, str) else json.dumps(arguments)
        head = {"index": index, "id": f"call_{name}_{index}", "type": "function"}
        steps.append(Chunk({"tool_calls": [{**head, "function": {"name": name, "arguments": ""}}]}))
        steps += [
            Chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}) for piece in pieces(whole, size)
        ]
    return Answer((*steps, Chunk({}, finish)), usage=usage)


def runs(code: str, language: str = "python", *, text: str = "") -> Answer:
    """One call of the ``run`` tool."""
    return calls(("run", {"language": language, "code": code}), text=text)


def fails(
    status: int, message: str = "", *, code: str | None = None, headers: Mapping[str, str] | None = None
) -> Answer:
    """An error answer in the OpenAI form."""
    body = {"error": {"message": message or f"scripted {status}", "type": "scripted", "code": code}}
    return Answer(status=status, body=body, headers=headers or {})


def hangs(*before: Step) -> Answer:
    """Accepts the request; after ``before``, nothing more. Without ``before``, not even headers come."""
    return Answer((*before, Hang())) if before else Answer(before_headers=Hang())


def drops(*before: Step) -> Answer:
    """Cuts the line after ``before``; without, before any header."""
    return Answer((*before, Drop())) if before else Answer(before_headers=Drop())


def refusing_url() -> str:
    """An address on this machine where nothing listens."""
    return f"http://127.0.0.1:{deaf_port()}/v1"


# --- the server ------------------------------------------------------------------------------------------------------


class _Dropped(Exception):
    pass


class ScriptedModel:
    """Serve ``answers`` in turn on an ephemeral loopback port. A context manager."""

    def __init__(self, *answers: Script, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[Request] = []
        self.surplus = 0
        self.hung_up = threading.Event()  # a client went away while an answer was under way
        self._answers = list(answers)
        self._gates: list[Gate] = []
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._port = 0
        self._ready = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="scripted-model", daemon=True)

    @property
    def url(self) -> str:
        """The ``api_base`` to configure."""
        return f"http://127.0.0.1:{self._port}/v1"

    def script(self, *answers: Script) -> None:
        """Add answers at the end."""
        with self._lock:
            self._answers.extend(answers)

    @property
    def left(self) -> int:
        return len(self._answers)

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        assert self._ready.wait(_LIMIT_S), "the scripted model did not start"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_LIMIT_S)
        assert not self._thread.is_alive(), "the scripted model did not stop"

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        clients: set[asyncio.Task[None]] = set()

        async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            clients.add(task)
            try:
                await self._talk(reader, writer)
            except (_Dropped, ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass  # the line is down, or the test is over
            finally:
                clients.discard(task)
                if writer.transport is not None:
                    writer.transport.abort()

        server = await asyncio.start_server(client, "127.0.0.1", 0, limit=2**26)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in tuple(clients):
            task.cancel()
        for gate in self._gates:
            gate.open()
        await asyncio.gather(*clients, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection: requests one after the other, as HTTP/1.1 keeps it open."""
        while True:
            request = await self._read(reader)
            if request is None:
                return
            if request.path.rstrip("/").endswith("/models"):
                await self._json(
                    writer, Answer(body={"object": "list", "data": [{"id": self.name, "object": "model"}]})
                )
                continue
            with self._lock:
                self.requests.append(request)
                script = self._answers.pop(0) if self._answers else None
                self.surplus += script is None
            if script is None:
                script = fails(418, "the script is used up")
            answer = script(request) if callable(script) else script
            gone = asyncio.create_task(_gone(reader))
            work = asyncio.create_task(self._answer(writer, request, answer))
            try:
                await asyncio.wait({gone, work}, return_when=asyncio.FIRST_COMPLETED)
                if not work.done():
                    self.hung_up.set()
                    return
                await work
            finally:
                for task in (gone, work):
                    task.cancel()
                await asyncio.gather(gone, work, return_exceptions=True)

    async def _read(self, reader: asyncio.StreamReader) -> Request | None:
        head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
        if not head:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines if line)}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        return Request(first.split(" ")[1], headers, json.loads(body) if body else {})

    async def _answer(self, writer: asyncio.StreamWriter, request: Request, answer: Answer) -> None:
        if answer.before_headers is not None:
            await self._step(writer, answer.before_headers)
        if answer.body is not None or answer.status != 200:
            await self._json(writer, answer)
            return
        if not request.body.get("stream"):
            raise AssertionError("the scripted model streams only")
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\nCache-Control: no-cache\r\n\r\n"
        )
        if request.path.endswith("/api/chat"):
            await self._as_ollama(writer, answer)
            return
        for step in answer.steps:
            await self._step(writer, step)
        if answer.usage is not None:
            prompt, completion = answer.usage
            usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
            await self._event(writer, json.dumps({**self._envelope(), "choices": [], "usage": usage}))
        await self._event(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _step(self, writer: asyncio.StreamWriter, step: Step) -> None:
        if isinstance(step, Chunk):
            choice = {"index": 0, "delta": step.delta, "finish_reason": step.finish}
            await self._event(writer, json.dumps({**self._envelope(), "choices": [choice]}))
        elif isinstance(step, Raw):
            await self._event(writer, step.data)
        elif isinstance(step, Gate):
            self._gates.append(step)
            step.reached.set()
            await asyncio.to_thread(step.opened.wait, 2 * _LIMIT_S)
        elif isinstance(step, Drop):
            await writer.drain()
            raise _Dropped
        else:
            await asyncio.Event().wait()

    async def _as_ollama(self, writer: asyncio.StreamWriter, answer: Answer) -> None:
        """The same answer as Ollama's own interface streams it: JSON lines, whole tool calls, arguments as objects."""
        calls: dict[int, dict[str, Any]] = {}
        for step in answer.steps:
            if not isinstance(step, Chunk):
                await self._step(writer, step)
                continue
            for part in step.delta.get("tool_calls", ()):
                call = calls.setdefault(part["index"], {"name": "", "arguments": ""})
                call["name"] += part["function"].get("name", "")
                call["arguments"] += part["function"].get("arguments", "")
            message: dict[str, Any] = {"role": "assistant", "content": step.delta.get("content") or ""}
            if step.finish and calls:
                message["tool_calls"] = [
                    {"function": {"name": c["name"], "arguments": json.loads(c["arguments"])}} for c in calls.values()
                ]
            line = {
                "model": self.name,
                "created_at": "2025-01-01T00:00:00Z",
                "message": message,
                "done": bool(step.finish),
            }
            if step.finish and answer.usage:
                line |= {"done_reason": "stop", "prompt_eval_count": answer.usage[0], "eval_count": answer.usage[1]}
            await self._chunk(writer, json.dumps(line) + "\n")
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    def _envelope(self) -> dict[str, Any]:
        return {"id": "scripted-1", "object": "chat.completion.chunk", "created": 1, "model": self.name}

    async def _event(self, writer: asyncio.StreamWriter, data: str) -> None:
        await self._chunk(writer, f"data: {data}\n\n")

    async def _chunk(self, writer: asyncio.StreamWriter, text: str) -> None:
        payload = text.encode()
        writer.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")
        await writer.drain()

    async def _json(self, writer: asyncio.StreamWriter, answer: Answer) -> None:
        body = json.dumps(answer.body).encode()
        extra = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        head = f"HTTP/1.1 {answer.status} Scripted\r\nContent-Type: application/json\r\n{extra}"
        head += f"Content-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()


async def _gone(reader: asyncio.StreamReader) -> None:
    """Return when the client closed its side. A client does not send while it is being answered."""
    while not reader.at_eof():
        if await reader.read(1) == b"":
            return
        raise AssertionError("a pipelined request")
