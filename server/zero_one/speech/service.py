"""Hosted engines: one way to call them, and to say in plain words what went wrong."""

from __future__ import annotations

import json
import ssl
from functools import lru_cache

import httpx

from zero_one.speech.stt.base import SpeechError

OPENAI = "https://api.openai.com/v1"
CONNECT_S = 5.0


@lru_cache(maxsize=1)
def tls() -> ssl.SSLContext:
    """The certificates to trust, read once: that takes longer than many a request."""
    return httpx.create_ssl_context()


def base_url(configured: str | None) -> str:
    """The address without its last slash; a bare host gets ``http://`` (local servers have no certificate)."""
    url = (configured or OPENAI).strip().rstrip("/")
    return url if "://" in url else f"http://{url}"


def client(api_key: str | None, silence_s: float) -> httpx.AsyncClient:
    """``silence_s``: the longest time without a byte before the service counts as hung."""
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    return httpx.AsyncClient(headers=headers, verify=tls(), timeout=httpx.Timeout(silence_s, connect=CONNECT_S))


def unreachable(error: Exception, url: str, doing: str) -> SpeechError:
    """A transport failure (``doing`` is hearing or speaking)."""
    match error:
        case httpx.ConnectTimeout() | httpx.ConnectError():
            why = "does not answer"
        case httpx.TimeoutException() | TimeoutError():
            why = "took too long"
        case httpx.UnsupportedProtocol() | httpx.InvalidURL():
            return SpeechError(f"The address of the {doing} service, {url}, is not valid. Correct api_base.")
        case _:
            why = "broke off the connection"
    return SpeechError(f"The {doing} service at {url} {why}. Check that it runs and that the network is up.")


def refused(status: int, body: bytes, url: str, doing: str) -> SpeechError:
    """An HTTP status of 400 and more."""
    said = _message(body)
    detail = f" It says: {said}" if said else ""
    match status:
        case 401 | 403:
            return SpeechError(f"The {doing} service refused the key. Set api_key in your profile.{detail}")
        case 404:
            return SpeechError(f"The {doing} service at {url} does not know that address or model.{detail}")
        case 413:
            return SpeechError(f"That was too long for the {doing} service. Say it in two parts.{detail}")
        case 429:
            return SpeechError(f"The {doing} service has had enough requests for now. Try again later.{detail}")
        case _ if status >= 500:
            return SpeechError(f"The {doing} service at {url} has a problem of its own ({status}).{detail}")
        case _:
            return SpeechError(f"The {doing} service did not accept the request ({status}).{detail}")


def _message(body: bytes) -> str:
    try:
        found = json.loads(body)
    except ValueError:
        return ""
    if isinstance(found, dict):
        error = found.get("error", found.get("detail", ""))
        text = error.get("message", "") if isinstance(error, dict) else error
        return str(text)[:200] if isinstance(text, str) else ""
    return ""
