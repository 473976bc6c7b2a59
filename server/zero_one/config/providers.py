"""The names under which people usually keep their keys, by the provider that a model's name begins with.

The names are those that litellm and the providers' own libraries document. Values are never printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """Environment variables of one provider, the first that is set counts. ``local`` needs no key."""

    name: str
    keys: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    local: bool = False


PROVIDERS: dict[str, Provider] = {
    one.name: one
    for one in (
        Provider("openai", ("OPENAI_API_KEY",), ("OPENAI_BASE_URL", "OPENAI_API_BASE")),
        Provider("anthropic", ("ANTHROPIC_API_KEY",), ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL")),
        Provider("groq", ("GROQ_API_KEY",), ("GROQ_API_BASE",)),
        Provider("gemini", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
        Provider(
            "azure",
            ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY"),
            ("AZURE_API_BASE", "AZURE_OPENAI_ENDPOINT"),
            ("AZURE_API_VERSION", "OPENAI_API_VERSION"),
        ),
        Provider("openrouter", ("OPENROUTER_API_KEY",), ("OPENROUTER_API_BASE",)),
        Provider("mistral", ("MISTRAL_API_KEY",), ("MISTRAL_API_BASE",)),
        Provider("codestral", ("CODESTRAL_API_KEY",)),
        Provider("deepseek", ("DEEPSEEK_API_KEY",), ("DEEPSEEK_API_BASE",)),
        Provider("xai", ("XAI_API_KEY",), ("XAI_API_BASE",)),
        Provider("cohere", ("COHERE_API_KEY", "CO_API_KEY")),
        Provider("cerebras", ("CEREBRAS_API_KEY",)),
        Provider("together_ai", ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY")),
        Provider("fireworks_ai", ("FIREWORKS_AI_API_KEY", "FIREWORKS_API_KEY")),
        Provider("perplexity", ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY")),
        Provider("huggingface", ("HUGGINGFACE_API_KEY", "HF_TOKEN")),
        Provider("nvidia_nim", ("NVIDIA_NIM_API_KEY", "NVIDIA_API_KEY"), ("NVIDIA_NIM_API_BASE",)),
        Provider("replicate", ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN")),
        Provider("ollama", (), ("OLLAMA_API_BASE", "OLLAMA_HOST"), local=True),
        Provider("lm_studio", ("LM_STUDIO_API_KEY",), ("LM_STUDIO_API_BASE",), local=True),
        Provider("hosted_vllm", ("HOSTED_VLLM_API_KEY",), ("HOSTED_VLLM_API_BASE",), local=True),
    )
}
_ALIASES = {"ollama_chat": "ollama", "azure_ai": "azure", "text-completion-openai": "openai", "cohere_chat": "cohere"}
_BARE = (
    (re.compile(r"gpt-|chatgpt|o\d(-|$)|ft:gpt-"), "openai"),
    (re.compile(r"claude"), "anthropic"),
    (re.compile(r"gemini"), "gemini"),
    (re.compile(r"command"), "cohere"),
)


def provider_of(model: str | None) -> Provider | None:
    """The provider of a model's name, ``groq/llama-3.3-70b`` or ``gpt-5``; None where we know none."""
    if not model:
        return None
    head, slash, _ = model.partition("/")
    if slash:
        return PROVIDERS.get(_ALIASES.get(head, head))
    return next((PROVIDERS[name] for pattern, name in _BARE if pattern.match(model)), None)


def usual_names() -> frozenset[str]:
    """Every variable that a provider of ours is known by; these and ``ZERO_ONE_*`` are taken from a ``.env`` file."""
    return frozenset(name for one in PROVIDERS.values() for name in (*one.keys, *one.bases, *one.versions))


def base_url(name: str, value: str) -> str:
    """OLLAMA_HOST may be ``0.0.0.0:11434`` or ``:11434`` or a bare host: an address to call, in full."""
    if name != "OLLAMA_HOST" or "://" in value:
        return value.rstrip("/")
    host, _, port = value.strip().rstrip("/").rpartition(":") if ":" in value else (value.strip(), "", "")
    host = "127.0.0.1" if host in {"", "0.0.0.0", "::", "[::]"} else host
    return f"http://{host}:{port or 11434}"
