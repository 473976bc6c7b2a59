"""What can go wrong with a language model, in words to be spoken: what happened, what was kept, what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal[
    "refused",
    "hanging",
    "dropped",
    "unauthorised",
    "no_model",
    "no_provider",
    "busy",
    "no_credit",
    "too_long",
    "no_tools",
    "no_vision",
    "filtered",
    "bad_request",
    "server",
    "unreadable",
    "empty",
    "not_installed",
]

RETRYABLE: frozenset[Kind] = frozenset({"refused", "dropped", "busy", "server"})
LONGEST_RETRY_AFTER_S = 20.0


@dataclass(eq=False)
class ModelFault(Exception):
    """A failed model call. ``str()`` of it may be spoken; ``detail`` is what the endpoint said, for the log."""

    kind: Kind
    words: str
    detail: str = ""
    status: int | None = None
    retry_after_s: float | None = None

    def __post_init__(self) -> None:
        self.words = self.words[:1].upper() + self.words[1:]

    def __str__(self) -> str:
        return self.words

    @property
    def retryable(self) -> bool:
        """Worth another try as long as nothing of the answer has arrived."""
        if self.retry_after_s is not None and self.retry_after_s > LONGEST_RETRY_AFTER_S:
            return False
        return self.kind in RETRYABLE


_TOO_LONG = re.compile(
    r"context (length|window|size)|maximum context|context_length_exceeded|too many (input )?tokens|prompt is too long"
    r"|exceeds? the (available )?context|input (is )?too long|reduce the length|token limit",
    re.I,
)
_NO_TOOLS = re.compile(
    r"does(n't| not) support (tool|function)"
    r"|(tools?|tool_choice|functions?|tool.?call\w*)\b.{0,60}(not (supported|allowed|enabled)|unsupported)"
    r"|(unsupported|unknown|unrecogni[sz]ed|unexpected|extra).{0,40}\btools?\b"
    r"|--enable-auto-tool-choice|requires --jinja",
    re.I | re.S,
)
_NO_VISION = re.compile(
    r"image_url|(image|vision|multi-?modal)\w*.{0,60}(not (supported|allowed)|unsupported|only supports? text)"
    r"|(not|n't) support.{0,40}(image|vision)|content.{0,20}must be a string",
    re.I | re.S,
)
_NO_CREDIT = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing|payment", re.I)
_NO_MODEL = re.compile(
    r"model.{0,60}(not found|does not exist|not exist|unknown|no such)|no such model|try pulling", re.I | re.S
)
_NO_PROVIDER = re.compile(r"LLM Provider NOT provided|unmapped LLM provider", re.I)
_NO_KEY = re.compile(
    r"api[_ ]key.{0,40}(must be set|missing|required|not provided|invalid)|missing credentials", re.I | re.S
)
_FILTERED = re.compile(r"content.{0,10}(policy|filter|management)", re.I)
_CONNECT = frozenset({"ConnectError", "ConnectionRefusedError", "ClientConnectorError", "gaierror", "ConnectTimeout"})
_BROKEN = frozenset(
    {
        "RemoteProtocolError",
        "ReadError",
        "IncompleteRead",
        "ClientPayloadError",
        "ServerDisconnectedError",
        "WriteError",
    }
)
_UNREADABLE = frozenset({"JSONDecodeError", "ValidationError", "UnicodeDecodeError"})


def chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and everything that led to it, nearest first."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        here = todo.pop(0)
        if here is None or id(here) in seen:
            continue
        seen.add(id(here))
        yield here
        original = getattr(here, "original_exception", None)
        todo += [original if isinstance(original, BaseException) else None, here.__cause__, here.__context__]


def translate(error: BaseException, who: str, *, began: bool) -> ModelFault:
    """Put an exception of litellm's, or of what lies below it, into plain words.

    ``who`` names the model in speech; ``began`` says that part of the answer had already arrived.
    """
    links = list(chain(error))
    names = {type(link).__name__ for link in links}
    text = " | ".join(dict.fromkeys(str(link) for link in links if str(link)))
    status = next(
        (s for link in links if isinstance(s := getattr(link, "status_code", None), int) and _real(link)), None
    )
    fault = _classify(names, text, status, who, began)
    return replace(fault, detail=text[:2000], status=status, retry_after_s=_retry_after(links))


def _real(link: BaseException) -> bool:
    """litellm invents status 500 for failures below HTTP; only an answer of the endpoint counts."""
    response = getattr(link, "response", None)
    return response is not None and "Connection error" not in str(link) and "MidStream" not in type(link).__name__


def _classify(names: set[str], text: str, status: int | None, who: str, began: bool) -> ModelFault:
    if began:
        if names & {"Timeout", "APITimeoutError", "ReadTimeout", "TimeoutError"}:
            return hanging(who, began=True)
        if names & _UNREADABLE or "Expecting" in text:
            return _unreadable(who)
        return dropped(who)
    if "ContextWindowExceededError" in names or _TOO_LONG.search(text):
        return ModelFault(
            "too_long", f"This is more than {who} can read at once. Ask me to start over, or ask for less."
        )
    if _NO_PROVIDER.search(text):
        return ModelFault(
            "no_provider",
            f"I don't know whose model {who} is. Write it as provider slash name in the profile, "
            "for example ollama/llama3.2 or openai/gpt-5, or give it an api_base.",
        )
    if status in (401, 403) or "AuthenticationError" in names or _NO_KEY.search(text):
        return ModelFault(
            "unauthorised", f"{who} did not accept the key. Check api_key in your profile, then ask me again."
        )
    if status == 402 or _NO_CREDIT.search(text):
        return ModelFault("no_credit", f"The account for {who} has no credit left. Top it up, or choose another model.")
    if status == 429:
        return ModelFault("busy", f"{who} is getting too many requests. Wait a minute and ask me again.")
    if status == 404 or _NO_MODEL.search(text):
        return ModelFault("no_model", f"I can't find {who}. Check its name in your profile, or fetch it there first.")
    if status in (400, 415, 422, 500, 501) and _NO_TOOLS.search(text):
        return ModelFault("no_tools", f"{who} cannot call tools.")
    if status in (400, 415, 422, 500, 501) and _NO_VISION.search(text):
        return ModelFault("no_vision", f"{who} cannot look at images.")
    if "ContentPolicyViolationError" in names or (status == 400 and _FILTERED.search(text)):
        return ModelFault("filtered", f"{who} declined to answer that. Try asking in another way.")
    if status is not None and 400 <= status < 500 and status != 408:
        return ModelFault("bad_request", f"{who} did not understand the request. The log has its exact words.")
    if status is not None and 500 <= status < 600:
        return ModelFault("server", f"{who} has a problem of its own just now. Ask me again in a moment.")
    if "ModuleNotFoundError" in names or "ImportError" in names:
        return ModelFault("not_installed", f"A package that {who} needs is missing. Run 01 doctor to see which.")
    if names & _CONNECT:
        return refused(who)
    if names & {"Timeout", "APITimeoutError", "ReadTimeout", "TimeoutError"}:
        return hanging(who, began=False)
    if names & _BROKEN:
        return dropped(who, began=False)
    if names & _UNREADABLE:
        return _unreadable(who)
    if names & {"APIConnectionError"} or "Connection error" in text:
        return refused(who)
    return ModelFault("server", f"{who} failed in a way I don't know. Ask me again; the log has its exact words.")


def refused(who: str) -> ModelFault:
    return ModelFault(
        "refused", f"I can't reach {who}. Check that it is running and that the network is up, then ask me again."
    )


def hanging(who: str, *, began: bool) -> ModelFault:
    if began:
        return ModelFault(
            "hanging", f"{who} stopped in the middle of its answer. What it said is kept; say go on to try again."
        )
    return ModelFault(
        "hanging", f"{who} is not answering. Ask me again, or choose another model if it stays like this."
    )


def dropped(who: str, *, began: bool = True) -> ModelFault:
    if began:
        return ModelFault(
            "dropped", f"The line to {who} broke while it was answering. What it said is kept; say go on to try again."
        )
    return ModelFault("dropped", f"The line to {who} broke before it answered. Ask me again.")


def _unreadable(who: str) -> ModelFault:
    return ModelFault(
        "unreadable", f"{who} sent something I can't read. Ask me again; if it stays so, its server needs a look."
    )


def _retry_after(links: list[BaseException]) -> float | None:
    for link in links:
        headers = getattr(getattr(link, "response", None), "headers", None) or {}
        value = headers.get("retry-after") or getattr(link, "retry_after", None)
        try:
            if value is not None:
                return max(0.0, float(value))
        except (TypeError, ValueError):
            continue
    return None
