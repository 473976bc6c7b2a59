"""Every setting with its default, its unit and its limits. Profiles, environment and flags all end up here."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

ADDRESS = r"(?i)^\s*(https?://\S+\s*)?$"
"""Of a service: a file or a bare host would only fail later, in words that name no setting."""
MODEL_ADDRESS = r"(?i)^\s*((https?://\S+|([a-z0-9][a-z0-9_.-]*|\[[0-9a-f:]+\])(:\d+)?(/\S*)?)\s*)?$"
"""Of a model's service: whoever leaves out the scheme, as people do, is understood."""


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelSettings(Section):
    """The language model. ``name`` is litellm's (``gpt-5``, ``ollama/llama3.2``, ``anthropic/…``); None = no model."""

    name: str | None = None
    api_base: str | None = Field(default=None, pattern=MODEL_ADDRESS)
    api_key: str | None = Field(default=None, repr=False)
    api_version: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    context_window: int | None = Field(default=None, ge=512)
    max_tokens: int | None = Field(default=None, ge=1)
    supports_functions: bool | None = None
    supports_vision: bool | None = None
    instructions: str = ""
    timeout_s: float = Field(default=60.0, gt=0, description="longest silence of the model before it counts as hung")


class CapSettings(Section):
    """What one turn may use."""

    steps: int = Field(default=25, ge=1)
    seconds: float = Field(default=600.0, gt=0)
    code_seconds: float = Field(default=120.0, gt=0, description="one piece of code")
    cost_usd: float | None = Field(default=None, ge=0)
    output_chars: int = Field(default=4000, ge=200, description="of one run's output, shown to the model")


class HearSettings(Section):
    """Hearing. ``engine``: auto, faster-whisper, pocketsphinx, openai, or one that a package adds."""

    engine: str = "auto"
    model: str = "base"
    language: str | None = None
    languages: tuple[str, ...] = ()
    hotwords: tuple[str, ...] = ()
    api_base: str | None = Field(default=None, pattern=ADDRESS)
    api_key: str | None = Field(default=None, repr=False)
    download: bool = True


class SpeakSettings(Section):
    """Speaking. ``engine``: auto, piper, espeak-ng, openai, or one that a package adds."""

    engine: str = "auto"
    voice: str | None = None
    model: str | None = None
    rate: float = Field(default=1.0, ge=0.4, le=3)
    volume: int = Field(default=100, ge=0, le=100)
    api_base: str | None = Field(default=None, pattern=ADDRESS)
    api_key: str | None = Field(default=None, repr=False)
    download: bool = True


class ServerSettings(Section):
    """Where the server listens, and how it is known.

    ``tls``: auto is on wherever other machines can connect; off there means that keys and speech travel readable.
    ``tls_certificate`` and ``tls_key`` name PEM files; without them one is made. ``plain_port`` is where the first 01's
    devices, which know no TLS, connect once the owner admitted their address (default: the port after ``port``).
    ``announce``: tell the local network by mDNS that a server is here, where other machines can reach it at all.
    ``expose``: how ``--expose`` opens a way in from the internet; for ssh, ``expose_to`` is the machine (``user@host``
    or ``user@host:port``) and ``expose_port`` the port there that leads here.
    ``require_pairing``: also programs of the owner on this machine need a key. ``domain``: a name of this server that
    the machine itself does not know.
    """

    kind: Literal["light", "livekit"] = "light"
    host: str = Field(default="127.0.0.1", min_length=1)
    port: int = Field(default=10101, ge=0, le=65535)
    tls: Literal["auto", "on", "off"] = "auto"
    tls_certificate: str | None = None
    tls_key: str | None = None
    plain_port: int | None = Field(default=None, ge=0, le=65535)
    require_pairing: bool = False
    domain: str | None = None
    announce: bool = True
    expose: Literal["ngrok", "ssh"] = "ngrok"
    expose_to: str | None = None
    expose_port: int = Field(default=10101, ge=1, le=65535)


class ClientSettings(Section):
    """The desktop client's button. Times in ms."""

    hotkey: str = "<ctrl>+<space>"
    stop_hotkey: str = "<ctrl>+<alt>+."
    mode: Literal["hold", "tap"] = "hold"
    debounce_ms: int = Field(default=30, ge=0, le=5000)
    release_grace_ms: int = Field(default=50, ge=0, le=10000)
    pre_roll_ms: int = Field(default=300, ge=0, le=5000)
    microphone: str | None = None
    speaker: str | None = None


class ApprovalSettings(Section):
    """``challenge``: names of paired devices whose user cannot press; there, saying fresh random words agrees too.

    ``auto_run`` and ``safe_mode`` are those of the old tools, see ``safety/policy.py``: neither lets anything run
    unasked that spends, sends or destroys, or anything but looking once foreign text is in the conversation.
    """

    timeout_s: float = Field(default=60.0, gt=0)
    auto_run: bool = False
    safe_mode: Literal["off", "ask", "auto"] = "auto"
    challenge: tuple[str, ...] = ()


class SandboxSettings(Section):
    """Where code runs; see docs/sandbox.md. ``network`` gives every run the public internet; without it a run reaches
    the addresses that are written out in it, or that were agreed to. ``hosts`` are private ones ("nas.local",
    "10.0.0.5:631") that may be reached too. ``read``, ``write`` and ``hide`` are paths beside the work folder.
    """

    kind: Literal["auto", "bubblewrap", "seatbelt", "docker", "off"] = "auto"
    home: Literal["read", "hidden"] = "read"
    network: bool = False
    hosts: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    image: str = Field(default="python:3.12-slim", description="for docker")
    memory_mb: int = Field(default=4096, ge=128, description="of each program, and of all together")
    processes: int = Field(default=512, ge=16)
    open_files: int = Field(default=1024, ge=64)
    file_mb: int = Field(default=2048, ge=1, description="of one file")
    cpu_seconds: int = Field(default=3600, ge=1, description="of one program")
    free_disk_mb: int = Field(default=1024, ge=0, description="that code must leave free")


class Settings(Section):
    model: ModelSettings = ModelSettings()
    caps: CapSettings = CapSettings()
    hear: HearSettings = HearSettings()
    speak: SpeakSettings = SpeakSettings()
    server: ServerSettings = ServerSettings()
    client: ClientSettings = ClientSettings()
    approval: ApprovalSettings = ApprovalSettings()
    sandbox: SandboxSettings = SandboxSettings()
    multimodal: bool = False
    debug: bool = False
