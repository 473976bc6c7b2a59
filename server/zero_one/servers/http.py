"""The plain HTTP side of the one port: is it there, is it well, how does it do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from zero_one.conversation.spans import Metrics

Health = Callable[[], dict[str, Any]]
"""``{"status": "ready" | "warming" | "failed", "engines": {"hear": {...}, "speak": {...}, …}}``"""


def add_http(app: FastAPI, health: Health, metrics: Metrics) -> None:
    """``GET /ping`` (the first 01's devices look for exactly ``pong``), ``/health``, ``/metrics``."""

    @app.get("/ping")
    async def ping() -> PlainTextResponse:
        return PlainTextResponse("pong")

    @app.get("/health")
    async def report() -> JSONResponse:
        # 200 while warming too: the server takes utterances then.
        state = health()
        return JSONResponse(state, status_code=503 if state.get("status") == "failed" else 200)

    @app.get("/metrics")
    async def numbers() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)
