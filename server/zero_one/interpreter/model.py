"""A language model behind a small interface, and litellm behind that."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

from zero_one.config.settings import ModelSettings
from zero_one.interpreter import backstage
from zero_one.interpreter.assembly import CallAssembler, ToolCall
from zero_one.interpreter.faults import ModelFault, hanging, translate
from zero_one.interpreter.history import encodable
from zero_one.interpreter.route import Facts, Route, facts, is_local, route

log = logging.getLogger(__name__)

ChatMessage = Mapping[str, Any]
_LAST_WORDS_S = 2.0
"""How long an endpoint may take to count its tokens once it has given its finish reason."""


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of what the model says."""

    text: str


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of what a reasoning model thinks: never spoken, but a sign of life."""

    text: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """The call failed and will be tried again in ``seconds``."""

    fault: ModelFault
    seconds: float


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call, and its price in US dollars where it is known."""

    prompt: int = 0
    completion: int = 0
    cost_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class Finished:
    """The last piece of every answer. ``reason`` is ``stop``, ``tool_calls``, ``length`` or ``content_filter``."""

    calls: tuple[ToolCall, ...] = ()
    reason: str = "stop"
    usage: Usage = field(default_factory=Usage)


Piece = Text | Thought | Waiting | Finished


class Model(Protocol):
    """Anything that answers chat messages. ``who`` is what it is called in speech."""

    @property
    def who(self) -> str: ...

    async def warm(self) -> None: ...

    async def facts(self) -> Facts: ...

    def stream(
        self, messages: Sequence[ChatMessage], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncGenerator[Piece, None]:
        """Answer. Raises ``ModelFault``. Closing the iterator drops the call at once."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait, in seconds, and how often to try while nothing of the answer has arrived."""

    connect_s: float = 10.0
    tries: int = 4
    first_pause_s: float = 0.4
    longest_pause_s: float = 8.0

    def pause(self, attempt: int, fault: ModelFault) -> float:
        """Before retry number ``attempt`` (from 1): what the endpoint asked for, or doubling with jitter."""
        if fault.retry_after_s is not None:
            return fault.retry_after_s
        return float(min(self.longest_pause_s, self.first_pause_s * 2 ** (attempt - 1)) * random.uniform(0.75, 1.25))


class LiteLlm:
    """A model that litellm can reach, hosted or local."""

    def __init__(self, settings: ModelSettings, patience: Patience | None = None) -> None:
        self._settings = settings
        self._patience = patience or Patience()
        self._route: Route = route(settings)
        self._facts: Facts | None = None
        self._client: Any = None

    @property
    def who(self) -> str:
        return self._route.who

    async def warm(self) -> None:
        """Load what a call needs, in the background. Does not reach for the network."""
        await self.facts()
        async with backstage.running(self._rehearse) as line:
            failed = await line.get()
        if failed is not None:
            log.info("the rehearsal of a model call failed: %s", failed)

    async def facts(self) -> Facts:
        if self._facts is None:
            try:
                self._facts = await backstage.call(lambda: facts(self._settings, self._route, backstage.litellm()))
            except ImportError as error:
                raise translate(error, self.who, began=False) from error
        return self._facts

    async def stream(
        self, messages: Sequence[ChatMessage], tools: Sequence[Mapping[str, Any]] = ()
    ) -> AsyncGenerator[Piece, None]:
        await self.facts()
        attempt = 0
        while True:
            attempt += 1
            began = False
            try:
                async with aclosing(self._once(messages, tools)) as pieces:
                    async for piece in pieces:
                        began = True
                        yield piece
                return
            except ModelFault as fault:
                log.warning("model call %d failed (%s, status %s): %s", attempt, fault.kind, fault.status, fault.detail)
                if began or not fault.retryable or attempt >= self._patience.tries:
                    raise
                pause = self._patience.pause(attempt, fault)
                yield Waiting(fault, pause)
            await asyncio.sleep(pause)

    async def _once(
        self, messages: Sequence[ChatMessage], tools: Sequence[Mapping[str, Any]]
    ) -> AsyncGenerator[Piece, None]:
        began = False
        silence = self._settings.timeout_s
        async with backstage.running(lambda line: self._call(line, messages, tools)) as line:
            while True:
                try:
                    async with asyncio.timeout(silence):
                        item = await line.get()
                except TimeoutError:
                    raise hanging(self.who, began=began) from None
                if item is None:
                    return
                if isinstance(item, Exception):
                    raise translate(item, self.who, began=began) from item
                began = began or isinstance(item, Text | Thought)
                yield item

    async def _call(
        self, line: backstage.Line, messages: Sequence[ChatMessage], tools: Sequence[Mapping[str, Any]]
    ) -> None:
        """Backstage: one request, its pieces put on the line."""
        import httpx  # as heavy as litellm's other parts

        litellm = backstage.litellm()
        timeout = httpx.Timeout(self._settings.timeout_s, connect=self._patience.connect_s)
        arguments: dict[str, Any] = {
            "model": self._route.model,
            "messages": [dict(message) for message in messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            "timeout": timeout,
            "max_retries": 0,
            "num_retries": 0,
            **self._route.extra,
        }
        if tools:
            arguments["tools"] = [dict(tool) for tool in tools]
        if self._settings.temperature is not None:
            arguments["temperature"] = self._settings.temperature
        if self._settings.max_tokens is not None:
            arguments["max_tokens"] = self._settings.max_tokens
        if self._route.model.startswith("ollama_chat/"):
            arguments["num_ctx"] = (await self.facts()).window  # or it cuts the beginning off without a word
        if client := self._local_client():
            arguments["client"] = client
        response = await litellm.acompletion(**arguments)
        try:
            await self._read(response, line, litellm, messages)
        finally:
            close = getattr(getattr(response, "completion_stream", None), "close", None)
            if close is not None:
                closing = close()
                if asyncio.iscoroutine(closing):
                    await closing

    async def _rehearse(self, line: backstage.Line) -> None:
        """Backstage: a call that litellm answers itself, for the first one loads and builds a good deal more."""
        litellm = backstage.litellm()
        messages = [{"role": "user", "content": "hello"}]
        async for _ in await litellm.acompletion("openai/gpt-4o", messages, stream=True, mock_response="hello"):
            pass
        litellm.cost_per_token("openai/gpt-4o", prompt_tokens=1, completion_tokens=1)
        self._local_client()

    def _local_client(self) -> Any:
        """Our own connection to an OpenAI-compatible server nearby; litellm's to everything else."""
        base = self._route.extra.get("api_base")
        if base and self._client is None and is_local(base) and self._route.model.startswith("openai/"):
            from zero_one.interpreter import local

            self._client = local.client(base, self._route.extra["api_key"])
        return self._client

    async def _read(self, response: Any, line: backstage.Line, litellm: Any, messages: Sequence[ChatMessage]) -> None:
        calls, reason, usage, length, half = CallAssembler(), "", None, 0, ""
        chunks = aiter(response)
        while True:
            try:
                async with asyncio.timeout(_LAST_WORDS_S if reason else None):
                    chunk = await anext(chunks)
            except StopAsyncIteration:
                break
            except Exception as error:
                if not reason:
                    raise
                log.info("after its last word the endpoint failed: %s", error)
                break
            usage = getattr(chunk, "usage", None) or usage
            if not chunk.choices:
                continue
            choice = chunk.choices[0]
            reason = choice.finish_reason or reason
            delta = choice.delta
            if delta is None:
                continue
            thought = getattr(delta, "reasoning_content", None)
            if thought:
                line.put(Thought(thought))
            if delta.content:
                length += len(delta.content)
                text, half = _whole(half + delta.content)
                line.put(Text(text))
            for part in delta.tool_calls or ():
                function = part.function
                calls.add(
                    part.index, part.id, function.name if function else None, function.arguments if function else None
                )
                length += len((function.arguments if function else None) or "")
                line.put(Thought(""))
        line.put(
            Finished(calls.finish(uuid4().hex[:8]), reason or "stop", self._used(litellm, usage, messages, length))
        )

    def _used(self, litellm: Any, usage: Any, messages: Sequence[ChatMessage], length: int) -> Usage:
        """What the endpoint counted, or an estimate of four characters a token where it counts nothing."""
        prompt = (
            int(getattr(usage, "prompt_tokens", 0) or 0) or sum(len(str(m.get("content", ""))) for m in messages) // 4
        )
        completion = int(getattr(usage, "completion_tokens", 0) or 0) or length // 4
        try:
            cost = sum(litellm.cost_per_token(self._route.model, prompt_tokens=prompt, completion_tokens=completion))
        except Exception:  # noqa: BLE001 - it raises bare Exception for a model without a price
            cost = 0.0
        return Usage(prompt, completion, float(cost))


def _whole(text: str) -> tuple[str, str]:
    """Text whose halves of characters are put together, and the half at its end that waits for the next piece.

    Some servers cut their answer between the two UTF-16 halves of an emoji.
    """
    waits = text[-1:] if "\ud800" <= text[-1:] <= "\udbff" else ""
    return encodable(text.removesuffix(waits)), waits
