"""The connection to OpenAI-compatible servers on this machine or its network, forgiving what such servers leave out.

Some answer a request for a stream with one JSON body, some end a stream without ever giving a finish reason. Both are
completed here, below the client, so that all above sees a stream as the OpenAI interface describes it. Proxies of the
environment are not used: they rarely know the way to one's own machine.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from functools import lru_cache
from typing import Any

import httpx

_FINISHED = re.compile(rb'"finish_reason"\s*:\s*"')
_LAST = re.compile(rb"^data:\s*\[DONE\]")


@lru_cache(maxsize=8)
def client(api_base: str, api_key: str) -> Any:
    """An ``AsyncOpenAI`` client, shared by all who talk to the same server from the loop of ``backstage``."""
    from openai import AsyncOpenAI

    http: Any = httpx.AsyncClient(transport=Forgiving(), follow_redirects=True)
    return AsyncOpenAI(base_url=api_base, api_key=api_key, max_retries=0, http_client=http)


class Forgiving(httpx.AsyncBaseTransport):
    """Completes answers to requests for a stream; everything else passes as it is."""

    def __init__(self, inner: httpx.AsyncBaseTransport | None = None) -> None:
        self._inner = inner or httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        if response.status_code != 200 or b'"stream":true' not in request.content.replace(b" ", b""):
            return response
        kind = response.headers.get("content-type", "")
        if "event-stream" in kind:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _Completed(response.stream)
        elif "json" in kind:
            body = await response.aread()
            await response.aclose()
            events = as_events(body)
            if events is not None:
                return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=events)
            return httpx.Response(200, headers=response.headers, content=body)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Completed(httpx.AsyncByteStream):
    """A stream of events in which a finish reason comes before the end, whether or not the server gave one."""

    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        rest, finished = b"", False
        async for piece in self._inner:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                finished = finished or _FINISHED.search(line) is not None
                if not finished and _LAST.match(line):
                    yield _event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
                yield line + b"\n"
        yield rest

    async def aclose(self) -> None:
        await self._inner.aclose()


def _event(chunk: dict[str, Any]) -> bytes:
    whole = {"id": "whole", "object": "chat.completion.chunk", "created": 0, "model": "local"} | chunk
    return f"data: {json.dumps(whole)}\n\n".encode()


def as_events(body: bytes) -> bytes | None:
    """A whole chat completion as the events of a stream; None when it is none."""
    try:
        whole = json.loads(body)
        choice = whole["choices"][0]
        message = dict(choice["message"])
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    calls = message.pop("tool_calls", None) or []
    message["tool_calls"] = [{"index": number} | call for number, call in enumerate(calls)]
    if not calls:
        del message["tool_calls"]
    reason = choice.get("finish_reason") or ("tool_calls" if calls else "stop")
    events = _event({"choices": [{"index": 0, "delta": message, "finish_reason": None}]})
    events += _event({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
    if whole.get("usage"):
        events += _event({"choices": [], "usage": whole["usage"]})
    return events + b"data: [DONE]\n\n"
