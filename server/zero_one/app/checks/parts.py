"""Checks of our own parts: configuration, keys, model, engines, kernels. Heavy packages are found, never imported."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import metadata

from zero_one.app.address import get
from zero_one.app.checks.finding import Finding, better, install, missing, ok, reinstall
from zero_one.config.environment import gather
from zero_one.config.paths import profiles_dir
from zero_one.config.problems import ConfigError, Problem
from zero_one.config.providers import PROVIDERS, provider_of
from zero_one.config.resolve import Resolved, is_loopback_url
from zero_one.config.settings import HearSettings, Settings, SpeakSettings
from zero_one.speech import models

_OLLAMA = "http://127.0.0.1:11434"


def configuration(resolve: Callable[[], Resolved]) -> tuple[Resolved | None, list[Finding]]:
    """The settings in force, or what is wrong with them."""
    area = "configuration"
    try:
        resolved = resolve()
    except ConfigError as error:
        return None, [missing(area, "profile", str(problem), _mend(problem)) for problem in error.problems]
    found = [ok(area, "profile", f"{resolved.profile} ({resolved.path})")]
    found += [better(area, "warning", warning) for warning in resolved.warnings]
    if not profiles_dir().is_dir():
        found.append(better(area, "yours", f"no profile of your own in {profiles_dir()}", "01 profiles create"))
    return resolved, found


def _mend(problem: Problem) -> str:
    """What to do about a setting: look at the file it stands in, or leave the flag out, or unset the variable."""
    if problem.where.startswith("--profile"):
        return "01 profiles list"
    if problem.where.startswith("--"):
        return "01 doctor"
    file, _, line = problem.where.rpartition(":")
    if line.isdigit():
        return f"01 profiles check {file}"
    return f"unset {problem.where.split()[-1]}" if problem.where.startswith("environment ") else "01 profiles check"


def keys() -> Iterator[Finding]:
    """Which keys are set, by their names only."""
    environment = gather()
    names = [name for one in PROVIDERS.values() for name in one.keys if environment.get(name)]
    where = {environment.origin.get(name, "environment") for name in names}
    if names:
        yield ok("keys", "found", f"{', '.join(names)} (from {', '.join(sorted(where))}; values are never shown)")
    else:
        yield ok("keys", "found", "none, and none is needed for what runs on this machine")


def model(settings: Settings) -> Iterator[Finding]:
    area, name = "language model", settings.model.name
    environment = gather()
    if name is None:
        hosted = [one.name for one in PROVIDERS.values() if one.keys and environment.get(*one.keys)]
        profile = next((one for one in ("openai", "anthropic", "groq") if one in hosted), "local")
        text = "none is configured: spoken commands work, anything else cannot be answered"
        no_ollama = profile == "local" and shutil.which("ollama") is None and get(_OLLAMA, timeout_s=1.0) is None
        yield better(area, "model", text, _get_ollama() if no_ollama else f"01 --profile {profile}")
        return
    provider = provider_of(name)
    yield ok(area, "model", name)
    if settings.model.api_key:
        yield ok(area, "key", "set (not shown)")
    elif provider is not None and not provider.local and not (settings.model.api_base or "").strip():
        wanted = provider.keys[0] if provider.keys else ""
        yield missing(area, "key", f"{wanted} is not set", f"export {wanted}=...")
    base = settings.model.api_base or (_OLLAMA if provider is not None and provider.name == "ollama" else None)
    if base and is_loopback_url(base):
        yield _local_model(area, name, base)


def _local_model(area: str, name: str, base: str) -> Finding:
    for page in ("/api/tags", "/models", "/"):
        text = get(base.rstrip("/") + page, timeout_s=1.0)
        if text is None:
            continue
        wanted = name.partition("/")[2]
        if page == "/api/tags" and wanted and wanted not in text:
            return missing(area, "server", f"{base} answers, but does not have {wanted}", f"ollama pull {wanted}")
        return ok(area, "server", f"{base} answers")
    if not name.startswith("ollama"):
        return missing(area, "server", f"nobody answers at {base}", f"start the server at {base}")
    if shutil.which("ollama") is None and base == _OLLAMA:
        return missing(area, "server", f"Ollama is not installed, and nobody answers at {base}", _get_ollama())
    return missing(area, "server", f"nobody answers at {base}", "ollama serve")


def _get_ollama() -> str:
    match sys.platform:
        case "darwin":
            return "brew install ollama"
        case "win32":
            return "winget install Ollama.Ollama"
    return "curl -fsSL https://ollama.com/install.sh | sh"


def hearing(settings: Settings) -> Iterator[Finding]:
    area = "hearing"
    engine, wanted = settings.hear.engine, settings.hear.model
    whisper = _has("faster_whisper", "ctranslate2")
    folder = models.find_whisper(wanted) if whisper else None
    sphinx = _has("pocketsphinx")
    yield _package(area, "faster-whisper", whisper)
    if folder is not None:
        yield ok(area, "model", f"{wanted} in {folder}")
    elif engine in {"auto", "faster-whisper"}:
        note = "; until then pocketsphinx hears spoken commands" if engine == "auto" else ""
        state = better if engine == "auto" else missing
        yield state(
            area, "model", f"the Whisper model {wanted} is not on this machine{note}", f"01 models fetch {wanted}"
        )
    yield _package(area, "pocketsphinx", sphinx)
    yield from _chosen(area, settings.hear, {"faster-whisper": whisper, "pocketsphinx": sphinx})


def speaking(settings: Settings) -> Iterator[Finding]:
    area = "speaking"
    engine, wanted = settings.speak.engine, settings.speak.voice or models.DEFAULT_VOICE
    piper = _has("piper", "onnxruntime")
    espeak = _has("espeakng_loader") or shutil.which("espeak-ng") is not None
    yield _package(area, "piper", piper, "piper-tts")
    if (folder := models.find_voice(wanted)) is not None:
        yield ok(area, "voice", f"{wanted} in {folder}")
    elif models.voice(wanted) is not None and engine in {"auto", "piper"}:
        note = "; until then espeak-ng speaks" if engine == "auto" else ""
        state = better if engine == "auto" else missing
        yield state(area, "voice", f"the voice {wanted} is not on this machine{note}", f"01 models fetch {wanted}")
    yield _package(area, "espeak-ng", espeak, "espeakng_loader")
    yield from _chosen(area, settings.speak, {"piper": piper, "espeak-ng": espeak})


def _chosen(area: str, section: HearSettings | SpeakSettings, here: dict[str, bool]) -> Iterator[Finding]:
    engine, key, base = section.engine, section.api_key, (section.api_base or "").strip()
    added = {
        point.name for point in metadata.entry_points(group="zero_one.stt" if area == "hearing" else "zero_one.tts")
    }
    if engine in {"auto", "openai"} and base:
        yield _service(area, base)
    elif engine == "openai" and not key:
        yield missing(area, "engine", "openai needs OPENAI_API_KEY, which is not set", "export OPENAI_API_KEY=...")
    elif engine == "auto" and not any(here.values()):
        yield missing(area, "engine", "no engine is installed", reinstall())
    elif engine not in {"auto", "openai", *here, *added}:
        names = ", ".join(["auto", *here, "openai", *sorted(added)])
        yield missing(area, "engine", f"there is no engine called {engine!r}; there are {names}", "01 profiles check")
    elif not here.get(engine, True):
        yield missing(area, "engine", f"{engine} is configured but not installed", reinstall())
    if added:
        yield ok(area, "added", ", ".join(sorted(added)))


def _service(area: str, base: str) -> Finding:
    """Somebody answers at a hearing or speaking service, whatever it thinks of a page without a key."""
    if get(base.rstrip("/") + "/models", timeout_s=3.0) is None:
        return missing(area, "service", f"nobody answers at {base}", f"start the server at {base}")
    return ok(area, "service", f"{base} answers")


def kernels() -> Iterator[Finding]:
    area = "code"
    if _has("ipykernel", "jupyter_client"):
        yield ok(area, "python", f"ipykernel {metadata.version('ipykernel')}")
    else:
        yield missing(area, "python", "ipykernel is not installed", reinstall())
    shell = next((name for name in ("bash", "sh", "pwsh", "powershell") if shutil.which(name)), None)
    yield ok(area, "shell", shell) if shell else missing(area, "shell", "no shell was found")
    if node := shutil.which("node"):
        yield ok(area, "javascript", node)
    else:
        yield better(area, "javascript", "node is not installed; JavaScript cannot run", install("nodejs", brew="node"))


def folders() -> Iterator[Finding]:
    from zero_one.config import paths

    for name, path in (
        ("configuration", paths.config_dir()),
        ("data", paths.data_dir()),
        ("models", paths.models_dir()),
    ):
        nearest = next((one for one in (path, *path.parents) if one.exists()), path)
        if not nearest.is_dir():
            yield missing("folders", name, f"{path} cannot be made: {nearest} is a file", f"mv {nearest} {nearest}.old")
        elif not os.access(nearest, os.W_OK):
            # Never the folder above: it may be the system's.
            fix = f"sudo chown -R $USER {path}" if nearest == path else f"sudo install -d -o $USER {path}"
            yield missing("folders", name, f"{path} cannot be written", fix)
        else:
            yield ok("folders", name, str(path))


def _package(area: str, name: str, here: bool, distribution: str = "") -> Finding:
    if not here:
        return better(area, name, "not installed", reinstall())
    try:
        return ok(area, name, metadata.version(distribution or name))
    except metadata.PackageNotFoundError:
        return ok(area, name, "installed")


def _has(*modules: str) -> bool:
    return all(importlib.util.find_spec(module) is not None for module in modules)
