"""From a model's name as people write it to what litellm takes, and what is known of that model."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from zero_one.config.settings import ModelSettings

DEFAULT_WINDOW = 8192
"""Tokens. For models nobody knows: what common local servers start with."""

_ALIASES = {
    "ollama": "ollama_chat",  # the chat form keeps roles and tools
    "google": "gemini",
    "lmstudio": "lm_studio",
    "lm-studio": "lm_studio",
    "llamacpp": "openai",
    "llama.cpp": "openai",
    "llamafile": "llamafile",
    "local": "openai",
    "openai-compatible": "openai",
    "claude": "anthropic",
    "grok": "xai",
    "together": "together_ai",
    "fireworks": "fireworks_ai",
    "mistralai": "mistral",
}
_FAMILIES = {"gpt": "openai", "o1": "openai", "o3": "openai", "o4": "openai", "claude": "anthropic", "gemini": "gemini"}
_SPOKEN = {
    "openai": "OpenAI",
    "anthropic": "Anthropic",
    "gemini": "Google",
    "ollama_chat": "Ollama",
    "lm_studio": "LM Studio",
    "xai": "xAI",
    "mistral": "Mistral",
    "groq": "Groq",
    "openrouter": "OpenRouter",
    "deepseek": "DeepSeek",
    "azure": "Azure",
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What a model can do. ``window`` in tokens; ``tools`` and ``vision`` are None where nobody knows."""

    window: int
    tools: bool | None
    vision: bool | None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """Arguments of a litellm call, and the words in which the model is spoken of."""

    model: str
    extra: dict[str, Any]
    who: str


def is_local(api_base: str | None) -> bool:
    """True for an address that does not leave this machine or its local network."""
    host = (urlsplit(api_base).hostname or "") if api_base else ""
    if host in ("localhost", "host.docker.internal") or host.endswith((".local", ".localhost", ".lan")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private or address.is_link_local


def route(settings: ModelSettings) -> Route:
    """Find the provider. Pure: needs no litellm.

    With an ``api_base``, a name without a known provider is an OpenAI-compatible endpoint's, and keys in the
    environment are never sent to an address on the local network.
    """
    name = (settings.name or "").strip()
    base = _base(settings.api_base)
    provider, model = _split(name)
    if base and not provider:
        provider = "openai"
    elif base and provider == "ollama_chat":
        base = base.removesuffix("/v1")  # its own interface is not below its OpenAI-compatible one
    elif not provider:
        family = model.split("-")[0].lower()
        provider = _FAMILIES.get(family, "")
    extra: dict[str, Any] = {}
    if base:
        extra["api_base"] = base
    if settings.api_version:
        extra["api_version"] = settings.api_version
    if settings.api_key:
        extra["api_key"] = settings.api_key
    elif base and (is_local(base) or (provider == "openai" and not os.environ.get("OPENAI_API_KEY"))):
        extra["api_key"] = "none"  # local servers ask for no key, but the client insists on having one
    full = f"{provider}/{model}" if provider else model
    return Route(full, extra, _who(provider, model or "the language model", base))


def _base(api_base: str | None) -> str | None:
    if not api_base:
        return None
    base = api_base.strip().rstrip("/")
    if "://" not in base:
        base = ("http://" if is_local(f"http://{base}") else "https://") + base
    return base.removesuffix("/chat/completions")


def _split(name: str) -> tuple[str, str]:
    """``("ollama_chat", "llama3.2")`` of ``ollama/llama3.2``; no provider where the first part is none we know."""
    head, slash, tail = name.partition("/")
    if not slash:
        colon_head, colon, colon_tail = name.partition(":")
        if colon and colon_head.lower() in ("openai", "anthropic", "google", "gemini", "ollama", "groq", "mistral"):
            head, slash, tail = colon_head, colon, colon_tail
    if not slash:
        return "", name
    head = _ALIASES.get(head.lower(), head)
    if head.lower() in _KNOWN:
        return head.lower(), tail
    return "", name


_KNOWN = frozenset(
    (
        "openai",
        "anthropic",
        "gemini",
        "ollama_chat",
        "lm_studio",
        "xai",
        "mistral",
        "groq",
        "openrouter",
        "deepseek",
        "azure",
        "azure_ai",
        "bedrock",
        "vertex_ai",
        "cohere",
        "cohere_chat",
        "together_ai",
        "fireworks_ai",
        "huggingface",
        "replicate",
        "perplexity",
        "nvidia_nim",
        "cerebras",
        "sambanova",
        "watsonx",
        "databricks",
        "hosted_vllm",
        "vllm",
        "llamafile",
        "text-completion-openai",
        "ai21",
        "cloudflare",
        "github",
        "github_copilot",
        "codestral",
        "deepinfra",
        "novita",
        "moonshot",
        "zai",
        "dashscope",
        "volcengine",
        "litellm_proxy",
        "custom_openai",
        "docker_model_runner",
    )
)


def _who(provider: str, model: str, base: str | None) -> str:
    short = model.rsplit("/", 1)[-1]
    if base and is_local(base):
        where = urlsplit(base)
        return f"the model {short} at {where.hostname}" + (f" port {where.port}" if where.port else "")
    if provider in _SPOKEN:
        return f"{_SPOKEN[provider]}'s model {short}"
    return f"the model {short}"


def facts(settings: ModelSettings, found: Route, litellm: Any) -> Facts:
    """What litellm's own table knows, under what the profile says. Call it backstage."""
    info: dict[str, Any] = {}
    # A local server may call anything gpt-4; and of Ollama's models the table knows only what it asks Ollama for.
    if not is_local(found.extra.get("api_base")) and not found.model.startswith("ollama_chat/"):
        try:
            info = dict(litellm.get_model_info(found.model))
        except Exception:  # noqa: BLE001 - it raises bare Exception for a model it does not know
            info = {}
    tools = (
        settings.supports_functions
        if settings.supports_functions is not None
        else info.get("supports_function_calling")
    )
    vision = settings.supports_vision if settings.supports_vision is not None else info.get("supports_vision")
    window = settings.context_window or info.get("max_input_tokens") or info.get("max_tokens") or DEFAULT_WINDOW
    return Facts(int(window), tools, vision, settings.max_tokens)
