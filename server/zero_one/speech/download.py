"""Fetch a model so that only a whole one is ever seen."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable

import httpx

from zero_one.speech.models import Model

Progress = Callable[[str, int, int | None], None]
"""File name, bytes so far, bytes in all (None where unknown)."""

DEFAULT_HUB = "https://huggingface.co"


def hub() -> str:
    """Where models come from; ``ZERO_ONE_HUB`` names another place with the same paths."""
    return (os.environ.get("ZERO_ONE_HUB") or DEFAULT_HUB).rstrip("/")


async def hub_answers(timeout_s: float = 1.5) -> bool:
    """Whether the hub can be reached, decided within ``timeout_s`` whatever the network does."""
    if os.environ.get("HF_HUB_OFFLINE", "") not in ("", "0"):
        return False
    with contextlib.suppress(httpx.HTTPError, httpx.InvalidURL, OSError, TimeoutError):
        async with asyncio.timeout(timeout_s), httpx.AsyncClient(timeout=timeout_s) as client:
            response = await client.head(hub() + "/")
            return response.status_code < 500
    return False


async def download(model: Model, progress: Progress | None = None) -> None:
    raise NotImplementedError
